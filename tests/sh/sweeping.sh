#!/bin/sh
# tests/sh/sweeping.sh -- a sweep gives the same bytes wherever it runs and however often it is killed.
# shellcheck disable=SC2016 # what only looks like a command in a name is the point
set -eu
. "$(dirname "$0")/../tap.sh"
sweep=$ROOT/scripts/sweep.sh
slurm=
trap '[ -z "$slurm" ] || sh -c "bash \"\$1/tools/slurm-down.sh\" \"\$2\"" - "$SHARED" "$slurm" >/dev/null 2>&1; rm -rf "$WORK"' EXIT

# Every file of every run but overhead.json; of run.json all but the command line.
contents() # DIR
{
    (cd "$1" && find . -name .sweep -prune -o -type f ! -name overhead.json ! -name run.json ! -name sweep.csv -exec cksum {} + | LC_ALL=C sort -k 3
        find . -name run.json | sort | while IFS= read -r file; do
            printf '%s ' "$file"
            jq -c 'del(.command)' "$file" | cksum
        done
        cat sweep.csv)
}
same() # DIR DIR
{
    contents "$1" >one.txt
    contents "$2" >two.txt
    [ -s one.txt ] && cmp one.txt two.txt
}
says() # NAME STATUS WORDS COMMAND...
{
    name=$1 wanted=$2 words=$3
    shift 3
    status=0
    "$@" >said 2>&1 || status=$?
    is "$name" "$wanted" "$status"
    ok "${name}_says: $(tail -n 1 said)" grep -qF -- "$words" said
}
times_of() { find "$1" -name run.json -exec stat -c '%n %Y %i' {} + | sort; }

"$MLFS" generate --jobs 150 --sizes exp:3600 --arrivals poisson:0.005 -s 7 -o t.csv -q
cat >small.grid <<'GRID'
# policies x loads x seeds x a parameter
trace    t.csv
cluster  6x8
preset   philly
policy   fifo, srtf,mlf-h
load     1, 1.5
seeds    1:2, 4
set      srtf.hold_s=0
set      srtf.hold_s=600
GRID

# ---- on this machine ----
says sweep_local 0 "36 runs: 36 finished, 0 failed, 0 not finished" sh "$sweep" small.grid -o local
is sweep_runs 36 "$(find local -name summary.json | wc -l)"
ok sweep_names [ -s "local/cluster=6x8,preset=philly,load=1.5,srtf.hold_s=600/mlf-h/seed-4/summary.json" ]
is sweep_csv_rows 37 "$(wc -l <local/sweep.csv)"
is sweep_csv_row "mlf-h,4,1.5,600,done" "$(grep 'load=1.5,srtf.hold_s=600/mlf-h/seed-4"' local/sweep.csv | cut -d'"' -f 3 | cut -d, -f 2,3,7-9)"
is sweep_csv_value "$(jq .jct_s.mean "local/cluster=6x8,preset=philly,load=1.5,srtf.hold_s=600/mlf-h/seed-4/summary.json")" \
    "$(awk -F, '/load=1.5,srtf.hold_s=600\/mlf-h\/seed-4"/ { print $15 }' local/sweep.csv)"
# A run by hand is the same run.
"$MLFS" run t.csv -c 6x8 --preset philly -p srtf --load 1.5 --seeds 4:4 --set srtf.hold_s=600 -o hand -q >/dev/null
ok sweep_by_hand cmp hand/srtf/seed-4/jobs.csv "local/cluster=6x8,preset=philly,load=1.5,srtf.hold_s=600/srtf/seed-4/jobs.csv"
times_of local >before
says sweep_again 0 "36 runs: 36 finished, 0 failed, 0 not finished" sh "$sweep" small.grid -o local
times_of local >after
ok sweep_again_does_nothing cmp before after
"$MLFS" compare "local/cluster=6x8,preset=philly,load=1,srtf.hold_s=0" >said
ok sweep_can_be_compared grep -q mlf-h said

# What is not finished is done again: no summary, a run that was interrupted, a folder that is gone.
cp -r local mended
rm "mended/cluster=6x8,preset=philly,load=1,srtf.hold_s=0/fifo/seed-2/summary.json"
sed -i 's/^\t"complete":\ttrue/\t"complete":\tfalse/' "mended/cluster=6x8,preset=philly,load=1,srtf.hold_s=0/srtf/seed-4/run.json"
rm -r "mended/cluster=6x8,preset=philly,load=1.5,srtf.hold_s=0/mlf-h"
is sweep_list 5 "$(sh "$sweep" small.grid -o mended --list | grep -c '^to do')"
says sweep_mended 0 "36 runs, 31 of them finished before; 5 in" sh "$sweep" small.grid -o mended
ok sweep_mended_same same local mended

# ---- what it costs: processor time of a sweep against that of its runs made one by one ----
"$MLFS" generate --jobs 3000 --as philly -s 5 -o log.json -q
printf 'trace log.json\npreset paper-real\npolicy srtf, tiresias, mlf-h\nsample 620\nseeds 1:10\n' >real.grid
spent() { awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); print 60 * (u[1] + s[1]) + u[2] + s[2] }' "$1"; }
one_by_one()
{
    for policy in srtf tiresias mlf-h; do
        for seed in $(seq 10); do "$MLFS" run log.json --preset paper-real --sample 620 -p $policy --seeds "$seed:$seed" -o "alone/$seed" -q; done
    done >/dev/null
}
times >began
one_by_one
times >made
sh "$sweep" real.grid -o real -j 1 >said 2>&1
times >swept
ok "sweep_costs_little: $(spent began) $(spent made) $(spent swept) s" \
    awk -v began="$(spent began)" -v made="$(spent made)" -v swept="$(spent swept)" 'BEGIN { exit !(swept - made < 1.15 * (made - began)) }'
is sweep_real_same 90 "$(cd alone && find . -name jobs.csv -o -name summary.json -o -name timeline.csv | while IFS= read -r file; do
    cmp "$file" "../real/preset=paper-real,sample=620/${file#./*/}" && echo same
done | wc -l)"

# ---- killed at any time ----
kills=0
rounds=0
while [ ! -s killed/sweep.csv ] && [ $rounds -lt 40 ]; do
    rounds=$((rounds + 1))
    hundredths=$(($(od -An -N1 -tu1 /dev/urandom) / 2 + 5 + 20 * rounds))
    setsid sh "$sweep" small.grid -o killed -j 2 >/dev/null 2>&1 &
    sleep "$((hundredths / 100)).$(printf %02d $((hundredths % 100)))"
    if env kill -KILL -- "-$!" 2>/dev/null; then kills=$((kills + 1)); fi
    wait $! 2>/dev/null || true
done
says sweep_killed 0 "36 runs: 36 finished, 0 failed, 0 not finished" sh "$sweep" small.grid -o killed
ok "sweep_killed_same: killed $kills times" same local killed
ok sweep_was_killed [ $kills -gt 0 ]
ok sweep_leaves_no_work [ ! -e killed/.sweep/work ]

# A polite signal: the runs end, what is finished stays, the status tells.
cat >slow.sh <<'SH'
#!/bin/sh
sleep 1
exec "$SLOWED" "$@"
SH
chmod +x slow.sh
SLOWED=$MLFS
export SLOWED
MLFS=$WORK/slow.sh sh "$sweep" small.grid -o polite -j 1 >said 2>&1 &
sleep 1.5
kill -TERM $!
status=0
wait $! || status=$?
is sweep_interrupted 130 $status
says sweep_interrupted_goes_on 0 "36 runs: 36 finished" sh "$sweep" small.grid -o polite
ok sweep_interrupted_same same local polite

# A signal to all of it at once, as when a terminal is closed: what had finished in a process that had more to do stays.
cat >lingers.sh <<'SH'
#!/bin/sh
"$SLOWED" "$@"
sleep 60
SH
chmod +x lingers.sh
for signal in HUP TERM; do
    MLFS=$WORK/lingers.sh setsid sh "$sweep" small.grid -o all-$signal -j 1 >said 2>&1 &
    for _ in $(seq 100); do
        [ "$(find all-$signal/.sweep/work -name summary.json 2>/dev/null | wc -l)" -lt 6 ] || break
        sleep 0.1
    done
    env kill -$signal -- "-$!"
    wait $! || true
    is sweep_all_end_by_$signal 6 "$(find all-$signal -name .sweep -prune -o -name summary.json -print | wc -l)"
done

# ---- what fails ----
cat >fails.grid <<'GRID'
trace    t.csv
trace    absent.csv
cluster  6x8
policy   fifo, nosuch
seeds    1:2
GRID
says sweep_failing 1 "8 runs: 2 finished, 6 failed, 0 not finished" sh "$sweep" fails.grid -o fails
ok sweep_failing_message grep -q "^failed: unknown policy 'nosuch'" said
ok sweep_failing_file grep -q "^failed: absent.csv: " said
ok sweep_failing_run grep -q '^  trace=t.csv,cluster=6x8/nosuch/seed-2$' said
ok sweep_failing_others [ -s fails/trace=t.csv,cluster=6x8/fifo/seed-2/summary.json ]
is sweep_failing_rows 6 "$(grep -c ',failed,' fails/sweep.csv)"
cp t.csv absent.csv
rm -r fails/trace=absent.csv*
sed -i 's/, nosuch//' fails.grid
says sweep_failing_again 0 "4 runs: 4 finished, 0 failed, 0 not finished" sh "$sweep" fails.grid -o fails

wrong() # NAME WORDS GRID: a grid file that is refused
{
    printf '%b' "$3" >wrong.grid
    says "sweep_wrong_$1" 2 "$2" sh "$sweep" wrong.grid -o wrong
}
wrong word "wrong.grid:2: unknown word 'polcy'" 'trace t.csv\npolcy fifo\n'
wrong seeds "wrong.grid:3: expected seeds A:B" 'trace t.csv\npolicy fifo\nseeds 3:1\n'
wrong set "wrong.grid:3: expected 'set KEY=VALUE'" 'trace t.csv\npolicy fifo\nset hold\n'
wrong trace "wrong.grid: no trace" 'policy fifo\n'
wrong policy "wrong.grid: no policy" 'trace t.csv\n'
wrong input "cannot be standard input" 'trace -\npolicy fifo\n'
wrong list "an empty place in the list" 'trace t.csv\npolicy fifo,,srtf\n'
wrong flag "'oracle' takes no value" 'trace t.csv\npolicy fifo\noracle 1\n'
wrong all "name the policies" 'trace t.csv\ncluster 6x8\npolicy all\n'
says sweep_no_grid 2 "no such grid file" sh "$sweep" nowhere.grid -o wrong
says sweep_no_out 2 "where do results go" sh "$sweep" small.grid
says sweep_nowhere 2 "expected local, parallel or slurm" sh "$sweep" small.grid -o wrong --on mars
says sweep_option 2 "unknown option '--fast'" sh "$sweep" small.grid -o wrong --fast
says sweep_help 0 "A killed sweep goes on" sh "$sweep" -h

# Runs of another trace under the same name stay apart; several grid files are one sweep.
printf 'trace u.csv\ncluster 6x8\npolicy fifo\n' >one.grid
printf 'trace u.csv\ncluster 6x8\npolicy fifo,srtf\nseeds 2\n' >two.grid
cp t.csv u.csv
says sweep_two_grids 0 "3 runs: 3 finished" sh "$sweep" one.grid two.grid -o both
sed -i '$d' u.csv
says sweep_other_trace 2 "of files that have changed" sh "$sweep" one.grid -o both
# So do those with another cluster in the file of that name.
printf 'a,3\nb,3\n' >vcs.csv
printf 'trace t.csv\ncluster 6x8\npolicy fifo\nset cluster.vc=vcs.csv\n' >vc.grid
says sweep_named_file 0 "1 runs: 1 finished" sh "$sweep" vc.grid -o vcs
says sweep_named_file_again 0 "1 runs: 1 finished" sh "$sweep" vc.grid -o vcs
printf 'a,2\nb,4\n' >vcs.csv
says sweep_named_file_changed 2 "of files that have changed" sh "$sweep" vc.grid -o vcs

# ---- names that mean something to a shell, to awk, to printf and to Slurm ----
hostile=$(printf '%s' "a b'\"\$(touch pwned)\`touch pwned\`;touch pwned|&*?[x]\\n%s%a{}<>~#,=é.csv")
cp t.csv "$hostile"
cp t.csv ./-o.csv
folder="out of 'the' \"\$(touch pwned)\" %a \\1"
{
    printf 'trace %s\n' "$hostile" -o.csv
    printf 'cluster 6x8\npolicy fifo,srtf,$(touch pwned)\n'
    printf 'set out.origin=first\nset out.origin=$(touch pwned); %%s \\n "'"'"'\n'
} >'k=v $(touch pwned).grid'
says sweep_hostile 1 "12 runs: 4 finished, 8 failed, 0 not finished" sh "$sweep" 'k=v $(touch pwned).grid' -o "$folder"
is sweep_hostile_runs 4 "$(find "$folder" -name summary.json | wc -l)"
ok sweep_hostile_csv grep -qF 'touch pwned' "$folder/sweep.csv"
says sweep_line_break 2 "line break" sh "$sweep" small.grid -o "$(printf 'a\nb')"

# ---- GNU parallel ----
if command -v parallel >/dev/null; then
    says sweep_parallel 0 "36 runs: 36 finished" sh "$sweep" small.grid -o parallel --on parallel --sshlogin 2/:
    ok sweep_parallel_same same local parallel
    says sweep_parallel_hostile 1 "12 runs: 4 finished, 8 failed" sh "$sweep" 'k=v $(touch pwned).grid' -o "parallel $folder" --on parallel
    ok sweep_parallel_hostile_same same "$folder" "parallel $folder"
else
    skip sweep_parallel "GNU parallel is not installed"
fi

# ---- Slurm: four nodes on this machine ----
why=
if [ ! -e "$SHARED/tools/slurm-up.sh" ]; then why="../shared/tools/slurm-up.sh is not here"
elif ! command -v sbatch >/dev/null || ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then why="Slurm is not installed"
elif [ "$(id -u)" -ne 0 ]; then why="a Slurm of one's own takes root"
elif pgrep -x slurmctld >/dev/null; then why="another Slurm runs on this machine"
else
    slurm=$WORK/slurm
    SLURM_CONF=$slurm/slurm.conf
    export SLURM_CONF
    chmod 755 "$WORK"
    timeout 60 bash "$SHARED/tools/slurm-up.sh" "$slurm" 4 >slurm.said 2>&1 || true
    sinfo -h -o %T 2>/dev/null | grep -q idle || why="Slurm did not start: $(tail -n 1 slurm.said)"
fi
if [ -n "$why" ]; then
    skip sweep_slurm "$why"
else
    says sweep_slurm 0 "36 runs: 36 finished" timeout 120 sh "$sweep" small.grid -o slurm-out --on slurm --wait --bundle 7
    ok sweep_slurm_same same local slurm-out
    ok sweep_slurm_bundles [ "$(cut -f 1 slurm-out/.sweep/plan | uniq | wc -l)" -le 5 ]

    # A node goes down under a task, which begins again elsewhere.
    MLFS=$WORK/slow.sh sh "$sweep" small.grid -o down --on slurm --bundle 6 >said 2>&1
    IFS= read -r array <down/.sweep/slurm
    node=
    for _ in $(seq 100); do
        node=$(squeue -h -j "$array" -t R -o %N | tail -n 1)
        [ -z "$node" ] || break
        sleep 0.1
    done
    scontrol update "nodename=$node" state=down reason=test
    says sweep_slurm_busy 1 "is still in Slurm's queue" sh "$sweep" small.grid -o down
    again=
    for _ in $(seq 300); do
        # Slurm lets a task wait for two minutes before it begins again, and holds one that met its own old processes.
        for id in $(squeue -h -r -j "$array" -t PD -o '%i %r' 2>/dev/null | awk '/BeginTime|held/ { print $1 }'); do
            again=$id
            sleep 1
            scontrol release "$id" || true
            scontrol update "jobid=$id" starttime=now || true
        done
        [ ! -s down/sweep.csv ] || break
        sleep 0.2
    done
    ok "sweep_slurm_node_down: task $again of node $node began again" [ -n "$again" ]
    ok sweep_slurm_node_down_same same local down
    says sweep_slurm_hostile 1 "12 runs: 4 finished, 8 failed" timeout 120 sh "$sweep" 'k=v $(touch pwned).grid' -o "slurm $folder" --on slurm --wait --bundle 6
    ok sweep_slurm_hostile_same same "$folder" "slurm $folder"
fi
ok sweep_hostile_harmless [ -z "$(find . -name pwned)" ]
finish
