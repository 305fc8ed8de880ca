#!/bin/sh
# tests/sh/crash.sh -- killed, interrupted, cut off from its reader or out of disk: a whole result or none, then a rerun.
#
# MLFS_KILLS (10; 100 in `make test-long`) is the number of SIGKILLs, at random times of a run; other signals get a third
# as many.  A result is whole if every file of it is the one that an undisturbed run writes.
set -eu
. "$(dirname "$0")/../tap.sh"
kills=${MLFS_KILLS:-10}
some=$(((kills + 2) / 3))
sizes="128 400 1300 20000" # KiB
[ "$kills" -lt 50 ] || sizes="128 192 256 320 400 500 600 700 800 900 1000 1300 1800 2400 3200 4800 9600 20000"

policies="fifo srtf"
"$MLFS" generate --jobs 4000 -s 3 -o t.csv -q
"$MLFS" generate --jobs 200 -s 4 -o before.csv -q
set -- run t.csv -c 20x8 -p fifo,srtf --events ev.csv.gz --timeline tl.json -j 1
began=$(date +%s%N)
"$MLFS" "$@" -o whole >wanted 2>/dev/null
length=$((($(date +%s%N) - began) / 1000000 + 1)) # ms
mkdir logs
mv ev-*.csv.gz tl-*.json logs/
"$MLFS" run before.csv -c 20x8 -p fifo,srtf -o earlier -q >/dev/null

same_files() # FOLDER FOLDER
{
    for f in jobs.csv summary.json timeline.csv; do cmp -s "$1/$f" "$2/$f" || return 1; done
    jq -e .complete "$2/run.json" >/dev/null && jq -e . "$2/overhead.json" >/dev/null
}

# What is in out/ and beside it after something went wrong: of each policy the whole result, the one from before, or
# nothing; with `partial`, also one that says of itself that it is none.  Logs are whole or absent.
whole_or_none() # [partial]
{
    for policy in $policies; do
        [ -e "out/$policy" ] || continue
        same_files "whole/$policy" "out/$policy" || same_files "earlier/$policy" "out/$policy" ||
            { [ "${1-}" = partial ] && jq -e '.complete == false' "out/$policy/run.json"; } ||
            { echo "out/$policy looks like a result and is none"; ls -l "out/$policy"; return 1; }
    done
    [ "${1-}" = partial ] && return 0
    for log in ev-*.csv.gz tl-*.json; do
        [ ! -e "$log" ] || cmp "logs/$log" "$log" || return 1
    done
}

# The same results as undisturbed, and nothing hidden beside them.
reruns()
{
    "$MLFS" "$@" -o out -q >table 2>said && cmp wanted table || return 1
    for p in $policies; do same_files "whole/$p" "out/$p" || return 1; done
    [ "$(ls -A out)" = "$(ls out)" ] || { ls -A out; return 1; }
}

random_ms() # SEED: up to a tenth more than a run takes
{
    awk -v seed="$1" -v ms="$length" 'BEGIN { srand(seed); rand(); printf "%.3f", rand() * ms * 1.1 / 1000 }'
}

again() # a folder as it might be found: empty, or with the results of another trace
{
    rm -rf out ev-*.csv.gz tl-*.json
    [ $(($1 % 2)) -eq 0 ] || cp -r earlier out
}

disturbed() # SIGNAL SEED ARGUMENTS: sets $status
{
    signal=$1 after=$(random_ms "$2")
    shift 2
    "$MLFS" "$@" -o out -q >table 2>said &
    child=$!
    sleep "$after"
    kill -"$signal" "$child" 2>/dev/null || true
    status=0
    wait "$child" 2>/dev/null || status=$?
}

hit=0
i=0
while [ $i -lt "$kills" ]; do
    i=$((i + 1))
    again $i
    disturbed KILL $i "$@"
    [ $status -eq 137 ] && hit=$((hit + 1))
    ok "crash_kill_$i: after $after s, status $status" whole_or_none
    [ $((i % 5)) -ne 0 ] || ok "crash_kill_${i}_rerun" reruns "$@"
done
ok "crash_kill: $hit of $kills came in time" [ "$hit" -ge $((kills / 2)) ]

for signal in INT TERM; do
    [ $signal = INT ] && wanted_status=130 || wanted_status=143
    i=0
    while [ $i -lt "$some" ]; do
        i=$((i + 1))
        again $i
        disturbed "$signal" $((i + 1000)) "$@"
        ok "crash_${signal}_$i: after $after s, status $status" whole_or_none partial
        # 0: the run was over.  A signal before there is anything to interrupt ends the program at once.
        ok "crash_${signal}_${i}_status" [ $status -eq 0 -o $status -eq "$wanted_status" ]
        ok "crash_${signal}_${i}_rerun" reruns "$@"
    done
done

# ---- what a killed process leaves under its hidden names, and what only looks like it ----
sh -c 'exit 0' &
dead=$!
wait $dead
again 0
mkdir -p out/.fifo.tmp.$dead/seed-1 out/.fifo.tmp.$$ out/.srtf.tmp.$dead out/.fifo.tmp.${dead}x out/.fifo.old.$dead
cp earlier/fifo/* out/.fifo.old.$dead/
: >out/.fifo.tmp.2147483647
"$MLFS" run t.csv -c 20x8 -p fifo -o out -q >/dev/null 2>said
is "crash_leftovers" "$(printf '%s\n' .fifo.tmp.$$ .fifo.tmp.2147483647 .fifo.tmp.${dead}x .srtf.tmp.$dead fifo | sort)" \
    "$(find out -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)"
ok "crash_leftovers_result" same_files whole/fifo out/fifo
mv out/fifo out/.fifo.old.$dead
"$MLFS" run t.csv -c 20x8 -p fifo -o out -q --events no/such/folder.csv >/dev/null 2>said || true
ok "crash_set_aside_goes_back: $(cat said)" same_files whole/fifo out/fifo

# ---- the other commands that write ----
"$MLFS" generate --jobs 20000 -s 3 -o g.csv.gz -q
mkdir made && mv g.csv.gz g.csv.gz.manifest.json made/
i=0
while [ $i -lt "$some" ]; do
    i=$((i + 1))
    "$MLFS" generate --jobs 20000 -s 3 -o g.csv.gz -q &
    sleep "$(awk -v i=$i -v n="$some" 'BEGIN { printf "%.3f", 0.4 * i / n }')"
    kill -KILL $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    ok "crash_generate_$i" eval '[ ! -e g.csv.gz ] || cmp g.csv.gz made/g.csv.gz'
    ok "crash_generate_${i}_manifest" eval '[ ! -e g.csv.gz.manifest.json ] || jq -e . g.csv.gz.manifest.json'
    rm -f g.csv.gz g.csv.gz.manifest.json
done
i=0
while [ $i -lt "$some" ]; do
    i=$((i + 1))
    rm -f page.html
    "$MLFS" report whole -o page.html -q &
    sleep "$(awk -v i=$i -v n="$some" 'BEGIN { printf "%.3f", 0.2 * i / n }')"
    kill -KILL $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    ok "crash_report_$i" eval '[ ! -e page.html ] || tail -c 20 page.html | grep -q "</html>"'
done

# A training: a whole net and its curve, or those from before, or none.
cp "$ROOT/traces/samples/philly-2k.csv" learn.csv
training="train learn.csv -c 2x4 --preset philly -q --set rl.blas=reference --set rl.iterations=6 --set rl.rollouts=2
    --set rl.imitate_epochs=1 --set rl.check=2 --set rl.check_segments=1 --set rl.check_ticks=20"
# shellcheck disable=SC2086 # words of a command, here and below
learn() { "$MLFS" $training -o "$1" --seed "$2"; } # MODEL SEED
learnt() # which of the nets lies there
{
    for file in net net.csv; do
        [ ! -e "learn/$file" ] || cmp "learnt/$file" "learn/$file" || cmp "learnt-before/$file" "learn/$file" || return 1
    done
}
learns_again() { learn learn/net 1 && cmp learnt/net learn/net && cmp learnt/net.csv learn/net.csv; }
mkdir learnt learnt-before learn
began=$(date +%s%N)
learn learnt/net 1
length=$((($(date +%s%N) - began) / 1000000 + 1))
learn learnt-before/net 2
ok "crash_train_differs" eval '! cmp -s learnt/net learnt-before/net'
hit=0
for signal in KILL TERM INT; do
    i=0
    while [ $i -lt "$some" ]; do
        i=$((i + 1))
        rm -rf learn && mkdir learn
        [ $((i % 2)) -eq 0 ] || cp learnt-before/* learn/
        # shellcheck disable=SC2086
        "$MLFS" $training -o learn/net --seed 1 &
        sleep "$(random_ms $((i + 2000)))"
        kill -$signal $! 2>/dev/null || true
        status=0
        wait $! 2>/dev/null || status=$?
        [ $status -eq 0 ] || hit=$((hit + 1))
        ok "crash_train_${signal}_$i: status $status" learnt
        [ $((i % 5)) -ne 1 ] || ok "crash_train_${signal}_${i}_rerun" learns_again
    done
done
ok "crash_train: $hit of $((3 * some)) came in time" [ $hit -ge 1 ]

# ---- a reader that goes away, a closed stdout, a full device ----
again 1
status=0
{ status=0; "$MLFS" run t.csv -c 20x8 -p fifo -o out -q --events - 2>said || status=$?; echo $status >code; } | head -n 1 >/dev/null
ok "crash_pipe: status $(cat code)" [ "$(cat code)" -ne 0 ]
ok "crash_pipe_events" whole_or_none
again 0
{ status=0; "$MLFS" "$@" -o out -q 2>said || status=$?; echo $status >code; } | true
ok "crash_pipe_table: status $(cat code)" [ "$(cat code)" -ne 0 ]
ok "crash_pipe_table_files_stay" reruns "$@"
again 0
status=0
"$MLFS" "$@" -o out -q >&- 2>said || status=$?
is "crash_closed_stdout" 1 $status
ok "crash_closed_stdout_sentence: $(cat said)" grep -q '^mlfs-sim: standard output: ' said
ok "crash_closed_stdout_files_stay" same_files whole/fifo out/fifo
for command in "describe t.csv" "list policies" "compare whole/fifo whole/srtf" "generate --jobs 9 -o -" "convert before.csv -o -"; do
    status=0
    # shellcheck disable=SC2086 # words of a command
    "$MLFS" $command >&- 2>said || status=$?
    is "crash_closed_stdout: $command" 1 $status
    status=0
    # shellcheck disable=SC2086
    "$MLFS" $command >/dev/full 2>said || status=$?
    is "crash_full_stdout: $command" 1 $status
done

# ---- disks of every size, with results of another trace on them, until one is large enough ----
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    umount disk
    fits=0
    for size in $sizes; do
        mount -t tmpfs -o size="${size}k" tmpfs disk
        rm -rf out
        ln -s disk/out out
        cp -r earlier disk/out 2>/dev/null || { rm -rf disk/out; mkdir disk/out; }
        status=0
        "$MLFS" "$@" -o out -q >table 2>said || status=$?
        ok "crash_disk_$size: status $status" [ $status -eq 1 -o $status -eq 0 ]
        ok "crash_disk_${size}_whole_or_none" whole_or_none
        [ $status -ne 1 ] || ok "crash_disk_${size}_told: $(cat said)" grep -q 'No space left' said
        [ $status -ne 0 ] || fits=1
        mount -o remount,size=64m disk
        ok "crash_disk_${size}_rerun" reruns "$@"
        umount disk
    done
    ok "crash_disk: some were large enough" [ $fits -eq 1 ]
    mount -t tmpfs -o size=20m tmpfs disk
    cp -r earlier disk/out
    mount -o remount,ro disk
    status=0
    "$MLFS" "$@" -o out -q >table 2>said || status=$?
    is "crash_read_only" 1 $status
    ok "crash_read_only_told: $(cat said)" grep -q 'Read-only' said
    ok "crash_read_only_leaves_all" whole_or_none
    mount -o remount,rw disk
    ok "crash_read_only_rerun" reruns "$@"
    umount disk
    for size in 4 8 16 24 32 64 128; do
        mount -t tmpfs -o size="${size}k" tmpfs disk
        rm -rf learn
        ln -s disk learn
        cp learnt-before/* disk/ 2>/dev/null || rm -f disk/*
        status=0
        learn learn/net 1 2>said || status=$?
        ok "crash_train_disk_$size: status $status" [ $status -eq 1 -o $status -eq 0 ]
        ok "crash_train_disk_${size}_whole_or_none" learnt
        [ $status -ne 1 ] || ok "crash_train_disk_${size}_told: $(cat said)" grep -q 'No space left' said
        mount -o remount,size=64m disk
        ok "crash_train_disk_${size}_rerun" learns_again
        umount disk
    done
else
    skip "crash_disk" "only root can mount a small file system"
fi
if [ "$(id -u)" -ne 0 ]; then
    rm -rf out
    cp -r earlier out
    chmod a-w out
    status=0
    "$MLFS" "$@" -o out -q >table 2>said || status=$?
    chmod u+w out
    is "crash_folder_not_ours" 1 $status
    ok "crash_folder_not_ours_leaves_all" whole_or_none
else
    skip "crash_folder_not_ours" "root may write anywhere"
fi
finish
