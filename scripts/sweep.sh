#!/bin/sh
# scripts/sweep.sh -- a sweep: policies x loads x seeds x parameters from grid files, on whatever machines there are.
set -eu

usage()
{
    cat <<TEXT
usage: sh scripts/sweep.sh GRID... -o DIR [options]

Runs every combination that the grid files name, skips what is finished in DIR, and writes DIR/sweep.csv, a row for each run.

  -o DIR             where results go: DIR/POINT/POLICY/seed-N, POINT made from the parameters
  --on local         on all cores of this machine (default)
  --on parallel      through GNU parallel, with --sshlogin on other machines that see the same files
  --on slurm         as a Slurm job array, and a job after it that writes sweep.csv
  --sshlogin LOGIN   as GNU parallel's; may be repeated
  -j N               how many cores of each machine are used [all]
  --bundle N         --on slurm: at least so many runs in a task [as many as take a minute, by the time of the first run];
                     --on parallel: at most so many [a quarter of a core's share]
  --wait             --on slurm: come back when all is done
  --list             print which runs are finished and which are not; start nothing
  -h                 this text

A grid file has a word and a value on each line, the value as it stands up to the end of the line:

  # compare two schedulers as the load grows
  trace    traces/samples/philly-2k.csv
  cluster  16x8
  policy   fifo, srtf
  load     0.5, 1, 1.5
  seeds    1:3
  set      srtf.hold_s=0
  set      srtf.hold_s=60

A word that comes again has several values and every combination is run, here 2 x 3 x 3 x 2.  Words are the options of
\`mlfs-sim run\`: trace, policy, seeds, set, cluster, preset, config, format, jobs, window, measure, horizon, tick, sample, load,
arrival-scale, strict and oracle.  Commas part the values of policy, seeds, load, sample, arrival-scale and tick.  Several grid
files are one sweep.  Files are looked for from where sweep.sh is started.

A killed sweep goes on with the same command.  A run that fails is listed with its message, stops no other and is tried again next
time.  Exit status: 0 all runs are finished, 1 some are not, 2 the command or a grid file is wrong.
Slurm's own options go by its environment, such as SBATCH_PARTITION or SBATCH_TIMELIMIT.
TEXT
}

fail() { echo "sweep.sh: $1" >&2; exit "${2-2}"; }

here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C
out='' where=local cores='' bundle='' waits='' lists='' logins='' n_grids=0
operand() # keeps operands at the end of the list of arguments
{
    [ -f "$1" ] || fail "$1: no such grid file"
    [ -s "$1" ] || fail "$1: this grid file is empty"
    n_grids=$((n_grids + 1))
}
number() { case $2 in '' | *[!0-9]* | 0*) fail "$1: expected a number from 1, found '$2'" ;; esac; }
needs() { [ "$2" -gt 1 ] || fail "$1: needs a value"; }

left=$#
while [ "$left" -gt 0 ]; do
    option=$1
    taken=1
    case $option in
    -h | --help) usage; exit 0 ;;
    -o | --out) needs "$option" "$left"; out=$2 taken=2 ;;
    --on) needs "$option" "$left"; where=$2 taken=2 ;;
    --sshlogin) needs "$option" "$left"; logins="$logins$2
" taken=2 ;;
    -j) needs "$option" "$left"; number -j "$2"; cores=$2 taken=2 ;;
    --bundle) needs "$option" "$left"; number --bundle "$2"; bundle=$2 taken=2 ;;
    --wait) waits=1 ;;
    --list) lists=1 ;;
    -*) fail "unknown option '$option'; sh scripts/sweep.sh -h tells them" ;;
    *)
        operand "$option"
        case $option in /*) ;; *) option=./$option ;; esac # awk takes a=b for an assignment
        set -- "$@" "$option"
        ;;
    esac
    shift "$taken"
    left=$((left - taken))
done
[ "$n_grids" -gt 0 ] || { usage >&2; exit 2; }
[ -n "$out" ] || fail "-o DIR: where do results go?"
case $where in
local) ;;
parallel) command -v parallel >/dev/null || fail "--on parallel: GNU parallel is not installed (Debian: apt-get install parallel)" 1 ;;
slurm) command -v sbatch >/dev/null || fail "--on slurm: there is no sbatch here" 1 ;;
*) fail "--on $where: expected local, parallel or slurm" ;;
esac
[ "$where" = parallel ] || [ -z "$logins" ] || fail "--sshlogin: only with --on parallel"
program=${MLFS:-${here%/*}/mlfs-sim}
[ -x "$program" ] || fail "$program: not there; run make first" 1

mkdir -p "$out/.sweep" || fail "$out: this folder cannot be made" 1
out=$(cd "$out" && pwd)
state=$out/.sweep
case $out$PWD$program$here in *"
"* | *"	"*) fail "a folder's name has a line break or a tab in it" ;; esac

# Held by whatever still works for an earlier sweep as well, should that one have been killed.
exec 9>"$state/lock"
if ! flock -n 9; then
    echo "sweep.sh: another sweep is at work in $out; waiting for it" >&2
    flock 9
fi
if [ -s "$state/slurm" ] && command -v squeue >/dev/null; then
    IFS= read -r array <"$state/slurm"
    [ -z "$(squeue -h -j "$array" 2>/dev/null)" ] ||
        fail "job $array of an earlier sweep in $out is still in Slurm's queue; wait for it, or scancel it" 1
fi
rm -rf "$state/points" "$state/log" "$state/running" "$state/stop" "$state/plan" "$state/runs"
mkdir -p "$state/points" "$state/work" "$state/log" "$state/running"
printf '%s\n' "$program" >"$state/program"
printf '%s\n' "$PWD" >"$state/cwd"
printf '%s\n' "$here" >"$state/scripts"
sh "$here/sweep_task.sh" "$out" - harvest

plan() # BUNDLE TASKS GATHER GRID...
{
    bundle_now=$1 tasks_now=$2 gather_now=$3
    shift 3
    counts=$(SWEEP_OUT=$out SWEEP_BUNDLE=$bundle_now SWEEP_TASKS=$tasks_now SWEEP_GATHER=$gather_now awk -f "$here/sweep_finished.awk" -f "$here/sweep_plan.awk" "$@") || exit 2
    n_runs=${counts%% *} counts=${counts#* }
    n_finished=${counts%% *} counts=${counts#* }
    n_tasks=${counts%% *} largest=${counts#* }
}

checksum() # FILE: of the trace, or that it cannot be read, which mlfs-sim will say better
{
    if [ "$1" != "${checked_file-}" ]; then
        checked_file=$1
        case $1 in -*) set -- "./$1" ;; esac
        checked=$(cksum <"$1" 2>/dev/null) || checked=unreadable
    fi
}

# Files that arguments name, such as clusters, virtual clusters and trained models, with their checksums.
named_files() # FILE: arguments, one a line
{
    while IFS= read -r argument; do
        case $argument in
        --set=*=*) named=${argument#--set=*=} ;;
        --cluster=* | --config=*) named=${argument#*=} ;;
        *) continue ;;
        esac
        [ ! -f "$named" ] || printf ', %s %s' "$named" "$(cksum <"$named" 2>/dev/null)"
    done <"$1"
}

# The arguments of a point lie in its folder; runs by other arguments, or of other files under the same names, stay apart.
keep_points()
{
    for file in "$state"/points/*; do
        point=$out/${file##*/}
        checksum "$(tail -n 1 "$file")"
        { printf 'cksum %s%s\n' "$checked" "$(named_files "$file")"; cat "$file"; } >"$file.now"
        if [ ! -e "$point/point.txt" ]; then
            mkdir -p "$point"
            mv "$file.now" "$point/point.txt"
        elif ! cmp -s "$file.now" "$point/point.txt"; then
            fail "$point has runs of other arguments or of files that have changed since (its point.txt tells which); use another -o, or remove it"
        fi
    done
}

plan 1000000000 0 0 "$@"
if [ -n "$lists" ]; then
    SWEEP_OUT=$out awk -F '\t' "$(cat "$here/sweep_finished.awk")"'
    NR > 1 {
        run = $1 "/" $2 "/seed-" $3
        print (is_finished(ENVIRON["SWEEP_OUT"] "/" run) ? "finished  " : "to do     ") run
    }' "$state/runs"
    exit 0
fi
keep_points
rm -rf "$state/failed"

merge() { sh "$here/sweep_task.sh" "$out" - merge; }

interrupted=''
interrupt()
{
    interrupted=1
    : >"$state/stop"
    for file in "$state/running/"*; do # tasks of this machine; others look for the file `stop`
        case ${file##*/} in "$(uname -n)".*) kill -TERM "${file##*.}" 2>/dev/null || true ;; esac
    done
    [ -z "$waiting" ] || [ "$where" != parallel ] || kill -TERM "$waiting" 2>/dev/null || true
}

count_summaries() { find "$out" -name summary.json 2>/dev/null | wc -l; }
beat() # a sign of life every minute, as long as this sweep.sh is there
{
    others=$(($(count_summaries) - n_finished))
    trap 'kill "$!" 2>/dev/null; exit 0' TERM
    while sleep 60 >/dev/null 2>&1 & wait "$!" && kill -0 "$$" 2>/dev/null; do
        echo "sweep.sh: $(($(count_summaries) - others)) of $n_runs runs are there" >&2
    done
}

waiting=''
attend() # COMMAND...: a signal is passed on to the tasks, and then their end is waited for
{
    beat 9>&- &
    pulse=$!
    "$@" &
    waiting=$!
    trap interrupt INT TERM HUP
    wait "$waiting" || true
    if [ -n "$interrupted" ]; then
        wait "$waiting" || true
        for file in "$state/running/$(uname -n)".*; do # what started them may have ended by the same signal before them
            while [ -e "$file" ] && kill -0 "${file##*.}" 2>/dev/null; do sleep 0.1; done
        done
    fi
    trap - INT TERM HUP
    kill "$pulse" 2>/dev/null || true
}

by_xargs() { seq "$n_tasks" | xargs -P "$processes" -n 1 sh "$here/sweep_task.sh" "$out" "$threads"; }

by_parallel()
{
    set --
    while IFS= read -r login; do
        [ -z "$login" ] || set -- "$@" --sshlogin "$login"
    done <<TEXT
$logins
TEXT
    seq "$n_tasks" >"$state/tasks"
    # -q: whatever is in a name is no word for the shells on the way.
    parallel --will-cite -q -j "${cores:-100%}" "$@" -a "$state/tasks" sh "$here/sweep_task.sh" "$out" 1 '{}'
}

# How many of the runs fill a minute, by the time that the first one takes here.
measure()
{
    plan 1 0 0 "$@"
    began=$(date +%s%N)
    sh "$here/sweep_task.sh" "$out" 1 1
    took=$((($(date +%s%N) - began) / 1000000 + 1))
    bundle=$((60000 / took + 1))
}

submit()
{
    sbatch=$(sbatch --parsable --job-name=sweep --array="1-$n_tasks" --requeue --output=/dev/null "$here/sweep_task.sh" "$out" slurm array) ||
        fail "sbatch took no job array" 1
    array=${sbatch%%;*}
    printf '%s\n' "$array" >"$state/slurm"
    status=0
    sbatch --parsable ${waits:+--wait} --job-name=sweep-merge --dependency="afterany:$array" --output=/dev/null "$here/sweep_task.sh" "$out" - merge \
        >"$state/merge-job" || status=$?
    [ -s "$state/merge-job" ] || fail "sbatch took no job that merges" 1
}

n_left=$((n_runs - n_finished))
if [ "$n_left" -gt 0 ]; then
    all_cores=${cores:-$(nproc)}
    case $where in
    local)
        threads=$((largest < all_cores ? largest : all_cores))
        processes=$(((all_cores + threads - 1) / threads))
        echo "sweep.sh: $n_runs runs, $n_finished of them finished before; $n_left in $n_tasks tasks" >&2
        attend by_xargs
        ;;
    parallel)
        machines=$(printf %s "$logins" | grep -c . || true)
        if [ -n "$bundle" ]; then plan "$bundle" 0 0 "$@"; else plan 0 $((4 * all_cores * (machines > 0 ? machines : 1))) 0 "$@"; fi
        echo "sweep.sh: $n_runs runs, $n_finished of them finished before; $n_left in $n_tasks tasks" >&2
        attend by_parallel
        ;;
    slurm)
        [ -n "$bundle" ] || measure "$@"
        least=$(((n_left + 999) / 1000)) # a Slurm takes arrays of a thousand tasks unless told otherwise
        plan $((bundle > least ? bundle : least)) 0 1 "$@"
        if [ "$n_runs" -gt "$n_finished" ]; then
            submit
            echo "sweep.sh: $n_runs runs, $n_finished of them finished; the others in $n_tasks tasks of array job $array" >&2
            if [ -z "$waits" ]; then
                echo "sweep.sh: the job after it writes $out/sweep.csv" >&2
                exit 0
            fi
        fi
        ;;
    esac
fi
status=0
merge || status=$?
[ -z "$interrupted" ] || exit 130
exit $status
