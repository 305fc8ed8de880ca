#!/bin/sh
# tests/sh/cli.sh -- `run` seen from outside: files, exit statuses, notices, signals, plugins, repeating a run.
# shellcheck disable=SC2012 # the names listed are ours
set -u
. "$(dirname "$0")/../tap.sh"

tiny=$WORK/tiny.csv
printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,100\nb,1,1,100\nc,2,1,100\nd,3,1,100\n' >"$tiny"

# said COMMAND...: its stderr; the exit status stays in $status.
said()
{
    status=0
    "$@" 2>"$WORK/said" >"$WORK/table" || status=$?
}
has() { grep -qF -- "$2" "$1"; }
lacks() { ! has "$@"; }
run() { said "$MLFS" run "$@"; }

# ---- notices ----
run "$tiny" -c 1x1 -o out
is "u39_overload_warning status" 0 "$status"
ok "u39_overload_warning" has said 'offered load 133.33'
ok "u57_header_prints_seed_and_generator" has said 'seed 1 (xoshiro256**)'
ok "u75_header_prints_scales" has said 'load 1, arrival scale 1'
run "$tiny" -c 1x1 -o out --arrival-scale 0.01 -s 7
ok "u75_header_prints_scales, changed" has said 'arrival scale 0.01'
ok "u57_header_prints_seed_and_generator, changed" has said 'seed 7 (xoshiro256**)'
run "$tiny" -c 1x1 -o out -q
is "-q: nothing on stderr" "" "$(cat said)"
ok "-q: the table stays" has table fifo
printf 'job_id,submit_s,n_gpus,duration_s,mood\na,0,1,100,good\nb,5,0,5,bad\n' >odd.csv
run odd.csv -c 1x1 -o out
ok "skipped records are counted by reason" has said '1 of 2 records skipped: cpu_only 1'
ok "an unknown column is told of" has said mood

printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,100\nb,5,3,5\n' >wide.csv
run wide.csv -c 1x2 -o out
ok "jobs that never fit are told of" has said '1 job needs more GPUs than there are and never ran: unschedulable'
run "$tiny" -c 1x1 -p fifo,las -o out -v -j 1
ok "-v: a line for each run" has said 'las, seed 1: '

# ---- files ----
ls -A out/fifo | sort | tr '\n' ' ' >names
is "a run writes its five files" "jobs.csv overhead.json run.json summary.json timeline.csv " "$(cat names)"
run "$tiny" -c 1x1 -p fifo,srtf -o out2 --seeds 3:5 --events ev.csv --timeline tl.json.gz -j 2
is "runs of several seeds succeed" 0 "$status"
is "a folder for each policy and seed" "fifo/seed-3 fifo/seed-4 fifo/seed-5 srtf/seed-3 srtf/seed-4 srtf/seed-5 " \
    "$(cd out2 && find . -name run.json | sed 's|^\./||; s|/run.json||' | sort | tr '\n' ' ')"
is "an event file for each run" \
    "ev-fifo-seed-3.csv ev-fifo-seed-4.csv ev-fifo-seed-5.csv ev-srtf-seed-3.csv ev-srtf-seed-4.csv ev-srtf-seed-5.csv " \
    "$(ls ev* | tr '\n' ' ')"
ok "a timeline for each run" test -s tl-srtf-seed-4.json.gz
is "one row a policy" "fifo srtf " "$(awk 'NR > 1 && ($1 == "fifo" || $1 == "srtf") { printf "%s ", $1 }' table)"
run "$tiny" -c 1x1 -p tiresias -o out2
ok "the folder is called as the policy was typed" test -e out2/tiresias/run.json
ok "other folders are left alone" test -e out2/srtf/seed-4/run.json
run "$tiny" -c 1x1 -p srtf -o out2
ok "an earlier result is replaced" test ! -e out2/srtf/seed-4
run "$tiny" -c 1x1 -q
ok "results/runs/TRACE-NAME by default" test -e results/runs/tiny/fifo/summary.json
gzip -c "$tiny" >packed.csv.gz
run packed.csv.gz -c 1x1 -q
ok "results/runs/TRACE-NAME without .csv.gz" test -e results/runs/packed/fifo/summary.json
"$MLFS" run - -c 1x1 -q <"$tiny" >/dev/null
ok "results/runs/stdin" test -e results/runs/stdin/fifo/summary.json

# ---- the machine fails us ----
if [ -e /dev/full ]; then
    status=0
    "$MLFS" run "$tiny" -c 1x1 -o full >/dev/full 2>said || status=$?
    is "a table that cannot be written: exit 1" 1 "$status"
    ok "a table that cannot be written: the files stay" test -e full/fifo/summary.json
    is "a table that cannot be written: one sentence" \
        "mlfs-sim: standard output: cannot be written: No space left on device" "$(tail -n 1 said)"
    status=0
    "$MLFS" --help >/dev/full 2>said || status=$?
    is "help that cannot be written: exit 1" 1 "$status"
fi
: >file
run "$tiny" -c 1x1 -o file/sub
is "a folder that cannot be made: exit 1" 1 "$status"
run "$tiny" -c 1x1 -o out --events nowhere/ev.csv
is "an event file that cannot be made: exit 1" 1 "$status"
rm -rf out3
run "$tiny" -c 1x1 -o out3 --events nowhere/ev.csv
is "a run that failed leaves nothing behind" "" "$(find out3 -mindepth 1)"
run absent.csv -c 1x1
is "a trace that is not there: exit 2" 2 "$status"
printf 'job_id,submit_s,n_gpus,duration_s\na,0,one,100\n' >bad.csv
run bad.csv -c 1x1
is "bad data: exit 3" 3 "$status"
ok "bad data: file, line and column" has said 'bad.csv:2:5: '

# ---- policies ----
run "$tiny" -c 1x1 -p tiresais
is "u63_unknown_policy exit" 2 "$status"
ok "u63_unknown_policy hint" has said "did you mean 'tiresias'"
ok "u63_unknown_policy list" has said 'fifo, fit, easy, smallest'
run "$tiny" -c 1x1 -p all -o out4 -q
is "all: no failure" 0 "$status"
is "all: as many folders as the list has policies, but those that look inside jobs and replay" \
    "$("$MLFS" list policies | grep '^[a-z]' | grep -cvE '^(mlf|slaq|hypersched|rl |replay)')" "$(ls out4 | wc -l | tr -d ' ')"
run "$tiny" -c 1x1 -p srtf,all -o out4 -q
is "srtf,all: srtf is the first row and comes once" "srtf" "$(awk '$1 ~ /^(srtf|fifo)$/ { print $1; exit }' table)"

# ---- replay: the starts of a log ----
run "$tiny" -c 1x1 -p replay -o out5 -q
is "replay: a trace without starts is refused" 2 "$status"
ok "replay: and told" has said 'no start of job'
printf 'job_id,submit_s,n_gpus,start_s,end_s\na,0,2,10,20\nb,5,2,15,30\nc,6,1,,\nd,50,1,60,70\n' >log.csv
run log.csv -c 1x4 -p replay -o out5
is "replay: enough GPUs" "10 15 60" "$(awk -F, 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $10 }' out5/replay/jobs.csv)"
ok "replay: what was dropped is told" has said '1 of 4 records skipped: never_started 1'
ok "replay: nobody is late" [ -z "$(grep 'did not start' said)" ]
run log.csv -c 1x3 -p replay -o out5
is "replay: too few GPUs" "10 20 60" "$(awk -F, 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $10 }' out5/replay/jobs.csv)"
ok "replay: who is late is counted" has said 'replay: 1 of 3 jobs did not start when the log did'

# ---- plugins ----
if cc=$(command -v gcc || command -v clang); then
    cat >wide.c <<'END'
/* widest first, of those that fit */
#include "policies/place.h"

static void wide_schedule(Sched *s, void *state)
{
    (void)state;
    for (;;) {
        const Job *best = NULL;
        EACH_JOB(id, sched_waiting(s))
        {
            const Job *job = sched_job(s, id);
            if (job->n_gpus <= sched_pool(s)->n_free && (!best || job->n_gpus > best->n_gpus)) best = job;
        }
        if (!best || !place_start(s, place_mode(s), best)) return;
    }
}

const int mlfs_policy_abi = POLICY_ABI;
const Policy mlfs_policy = {.name = "widest", .summary = "widest first", .schedule = wide_schedule};
END
    plugin() { "$cc" -std=c11 -D_GNU_SOURCE -shared -fPIC -I"$ROOT" "$@"; }
    ok "u63_plugin builds unmodified" plugin -o wide.so wide.c
    printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,10\nb,0,2,20\n' >two.csv
    run two.csv -c 1x2 -p fifo,./wide.so -o out5
    is "u63_plugin runs" 0 "$status"
    is "u63_plugin decides" "a,30 b,20 " "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s,%s ", $at["job_id"], $at["end_s"] }' out5/widest/jobs.csv)"
    ok "the folder is called after the plugin's own name" test -e out5/widest/run.json
    sed 's/= POLICY_ABI/= POLICY_ABI + 1/' wide.c >other.c
    plugin -o other.so other.c
    run two.csv -c 1x2 -p ./other.so
    is "a plugin of another interface is refused" 2 "$status"
    ok "a plugin of another interface is told why" has said 'policy interface'
    sed 's/"widest"/"fifo"/' wide.c >other.c
    plugin -o other.so other.c
    run two.csv -c 1x2 -p ./other.so
    ok "a plugin cannot take a built-in name" has said "'fifo' belongs to a built-in policy"
    sed 's/"widest"/"run"/' wide.c >other.c
    plugin -o other.so other.c
    run two.csv -c 1x2 -p ./other.so
    ok "a plugin cannot take a group of keys" has said "'run' of policy 'run' is taken"
    echo 'int nothing;' >other.c
    plugin -o other.so other.c
    run two.csv -c 1x2 -p ./other.so
    ok "a shared object that is no policy" has said 'does not export mlfs_policy'
    # A rule broken under --strict ends that run with exit 4; the other run's results are there.
    sed 's/if (!best.*/sched_preempt(s, 0); return;/; s/"widest"/"rogue"/' wide.c >rogue.c
    plugin -o rogue.so rogue.c
    run two.csv -c 1x2 -p ./rogue.so,fifo -o out6 --strict
    is "a rogue policy under --strict: exit 4" 4 "$status"
    is "a rogue policy under --strict: no table" "" "$(cat table)"
    ok "a rogue policy under --strict: the others are finished" test -e out6/fifo/summary.json
    ok "a rogue policy under --strict: nothing of its own" test ! -e out6/rogue
else
    skip plugins "there is no C compiler here"
fi
run "$tiny" -c 1x1 -p "$tiny"
is "a file that is no shared object: exit 2" 2 "$status"

# ---- repeating a run ----
same() { for f in jobs.csv summary.json timeline.csv; do cmp "$1/$f" "$2/$f" || return 1; done; }
same_record() # run.json but for its command line
{
    for d; do grep -v '"command":' "$d/run.json" >"$d.record" || return 1; done
    [ -s "$1.record" ] && cmp "$1.record" "$2.record"
}
"$MLFS" generate --jobs 300 -s 3 -o some.csv -q
run some.csv -c 8x4 -p srtf,tiresias -o first --seeds 2:3 --sample 200 --load 1.5 --measure 10:150 --tick 60 \
    --set srtf.hold_s=30 -q
is "a run with many options" 0 "$status"
run --config first/srtf/seed-3/run.json -o again -q
is "--config run.json: no failure" 0 "$status"
ok "--config run.json: the same bytes" same first/srtf/seed-3 again/srtf
ok "--config run.json: the same record" same_record first/srtf/seed-3 again/srtf
run --config first/srtf/seed-3/run.json -s 2 -o again2 -q
ok "--config run.json: the command line wins" same first/srtf/seed-2 again2/srtf
run some.csv -c 8x4 -p srtf,tiresias,fifo -o threads1 -j 1 -q
run some.csv -c 8x4 -p srtf,tiresias,fifo -o threads3 -j 3 -q
ok "the number of threads changes nothing" same threads1/tiresias threads3/tiresias
ok "the number of threads changes no record" same_record threads1/fifo threads3/fifo

# ---- the list of metrics ----
tab=$(printf '\t')
is "list metrics names what summary.json has, in its order" \
    "$(sed -n "s/^$tab\"\([a-z0-9_]*\)\":.*/\1/p" again/srtf/summary.json)" \
    "$("$MLFS" list metrics | sed -n 's/^\([a-z0-9_][a-z0-9_]*\) .*/\1/p')"

# ---- signals and progress ----
"$MLFS" generate --jobs 100000 -s 3 -o many.csv -q
stopped() # SIGNAL: a long run is interrupted; its exit status goes to $status
{
    rm -rf long
    "$MLFS" run many.csv -c 4x4 -p srtf,las,fifo -j 1 -o long >table 2>said &
    pid=$!
    n=0
    while ! ls long/.*.tmp.* >/dev/null 2>&1 && [ $n -lt 200 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    kill -s "$1" $pid
    status=0
    wait $pid || status=$?
}
stopped TERM
is "SIGTERM: exit 143" 143 "$status"
ok "SIGTERM: the partial result says so" grep -q '"complete":[[:blank:]]*false' long/srtf/run.json
is "SIGTERM: no table" "" "$(cat table)"
is "SIGTERM: nothing but results is left" "srtf" "$(ls -A long)"
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    TERM=xterm script -qec "'$MLFS' run many.csv -c 64x4 -p srtf,fifo -o long" seen >/dev/null </dev/null
    ok "progress on a terminal" has seen '% of jobs done'
    TERM=dumb script -qec "'$MLFS' run many.csv -c 64x4 -p fifo -o long" seen >/dev/null </dev/null
    ok "no redrawing on a dumb terminal" lacks seen '% of jobs done'
    TERM=xterm script -qec "'$MLFS' run many.csv -c 64x4 -p fifo -o long -q" seen >/dev/null </dev/null
    ok "no progress with -q" lacks seen '% of jobs done'
else
    skip progress "script(1) cannot make a terminal here"
fi
finish
