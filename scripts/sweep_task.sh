#!/bin/sh
# scripts/sweep_task.sh -- one task of a sweep, wherever it runs; started by sweep.sh.
#
# usage: sweep_task.sh DIR THREADS TASK      the runs of that task in DIR/.sweep/plan; TASK "array": Slurm says which
#        sweep_task.sh DIR - harvest         what earlier tasks had finished when they were killed goes to its place
#        sweep_task.sh DIR - merge           DIR/sweep.csv
#
# A process simulates some policies and seeds of one point into a folder of its own; each finished run is then moved to its place
# in one step.  So a run is there as a whole or not at all, and nothing is lost but what was being simulated.
# Slurm copies this script, so what it needs is found through DIR only.
set -eu
out=$1 threads=$2 task=$3
state=$out/.sweep
[ "$task" != array ] || task=$SLURM_ARRAY_TASK_ID
[ "$threads" != slurm ] || threads=${SLURM_CPUS_PER_TASK:-1}

tab='	' newline='
'
IFS= read -r scripts <"$state/scripts"
is_finished=$(cat "$scripts/sweep_finished.awk")
me=$(uname -n).$$

# Of lines that begin with a folder those whose folder has a finished run (1), or has none (0): one process for all of them.
sift() { LC_ALL=C awk -F "$tab" "$is_finished$newline"'is_finished($1) == wanted' wanted="$1" -; }

# Half of an earlier result goes; what is no result stays, and then this run is not finished.
make_room() # FOLDER
{
    [ -e "$1" ] || return 0
    [ -n "$(printf '%s\n' "$1" | sift 0)" ] || return 1
    (cd "$1" && rm -f summary.json run.json jobs.csv timeline.csv overhead.json)
    rmdir "$1"
}

publish() # TO FROM...: folders of seeds, of which those that are finished go to the folder TO
{
    to=$1
    shift
    whole=$(printf '%s\n' "$@" | sift 1)
    [ -n "$whole" ] || return 0
    mkdir -p "$to"
    printf '%s\n' "$whole" | xargs -d '\n' mv -t "$to" 2>/dev/null ||
        printf '%s\n' "$whole" | while IFS= read -r found; do # something was in the way of one of them
            if [ -e "$found" ] && make_room "$to/${found##*/}"; then mv -t "$to" "$found" || true; fi
        done
}

harvest() # WORK
{
    [ -s "$1/folder" ] || return 0
    IFS= read -r point <"$1/point"
    IFS= read -r as <"$1/folder"
    for found in "$1"/runs/* "$1"/runs/.*.tmp.*; do
        [ -d "$found" ] || continue
        policy=${found##*/}
        case $policy in .*) policy=${policy#.} policy=${policy%.tmp.*} ;; esac
        case $as in *,*) ;; *) policy=$as ;; esac # a shared object's name is not that of its file
        publish "$out/$point/$policy" "$found"/seed-*
    done
}

# Renamed first: a task that is about to end may still move its own runs, and nothing may be deleted under its hands.
harvest_all()
{
    while [ -e "$state/over" ] || mv "$state/work" "$state/over" 2>/dev/null; do # there already: one of these was killed
        for work in "$state"/over/*; do
            [ ! -d "$work" ] || harvest "$work"
        done
        rm -rf "$state/over"
    done
}

stopped='' child=''
stop()
{
    stopped=1
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true
}

attempts=0
attempt() # POINT POLICIES FIRST LAST FOLDERS: one process; sets $status and $sentence
{
    attempts=$((attempts + 1))
    work=$state/work/$task.$me.$attempts
    mkdir -p "$work/runs"
    printf '%s\n' "$1" >"$work/point"
    printf '%s\n' "$5" >"$work/folder"
    point_name=$1 policies=$2 first=$3 last=$4
    set --
    {
        IFS= read -r line # the trace's checksum
        while IFS= read -r line; do set -- "$@" "$line"; done
    } <"$out/$point_name/point.txt"
    "$program" run --policy="$policies" --seeds="$first:$last" --threads="$threads" --out="$work/runs" --quiet "$@" \
        >/dev/null 2>"$work/said" &
    child=$!
    status=0
    wait "$child" || status=$?
    while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done # a signal, of which there may be several, ends a wait
    child=
    sentence=$(tail -n 1 "$work/said")
    if [ "$status" -gt 128 ]; then sentence="ended by signal $((status - 128))${sentence:+: $sentence}"; fi
    harvest "$work"
    rm -rf "$work"
}

note() # RUN SENTENCE
{
    mkdir -p "$state/failed/${1%/*}"
    printf '%s\n' "$2" >"$state/failed/$1"
}

may_go_on() { [ -z "$stopped" ] && [ ! -e "$state/stop" ]; }

runs_of() # POINT POLICIES FIRST LAST FOLDERS: a line for each run of a rectangle: its folder, policy, seed, the policy's folder
{
    seed=$3
    while [ "$seed" -le "$4" ]; do
        left=$2, folders=$5,
        while [ -n "$left" ]; do
            printf '%s\t%s\t%s\t%s\n' "$out/$1/${folders%%,*}/seed-$seed" "${left%%,*}" "$seed" "${folders%%,*}"
            left=${left#*,} folders=${folders#*,}
        done
        seed=$((seed + 1))
    done
}

missing_of() { runs_of "$@" | sift 0; }

alone() # POINT POLICY SEED FOLDER: one run by itself, so that its sentence is known
{
    attempt "$1" "$2" "$3" "$3" "$4"
    [ -z "$stopped" ] || return 0
    [ -z "$(missing_of "$1" "$2" "$3" "$3" "$4")" ] || note "$1/$4/seed-$3" "${sentence:-no result was left (status $status)}"
}

rectangle() # POINT POLICIES FIRST LAST FOLDERS
{
    missing=$(missing_of "$@")
    case $missing in
    *"$newline"*)
        # All together, unless this task was begun before.
        if [ "$missing" = "$(runs_of "$@")" ]; then
            attempt "$@"
            missing=$(missing_of "$@")
        fi
        ;;
    esac
    while IFS=$tab read -r _ policy seed folder <&4; do
        if [ -n "$policy" ] && may_go_on; then alone "$1" "$policy" "$seed" "$folder"; fi
    done 4<<TEXT
$missing
TEXT
}

trap stop TERM INT
case $task in
harvest) harvest_all; exit 0 ;;
merge)
    status=0
    harvest_all
    LC_ALL=C SWEEP_OUT=$out awk -f "$scripts/sweep_finished.awk" -f "$scripts/sweep_merge.awk" "$state/runs" || status=$?
    [ ! -e "$state/sweep.csv" ] || mv "$state/sweep.csv" "$out/sweep.csv"
    exit $status
    ;;
esac

IFS= read -r program <"$state/program"
IFS= read -r folder <"$state/cwd"
cd "$folder"
mkdir -p "$state/work" "$state/running"
running=$state/running/$me
: >"$running"
trap 'rm -f "$running"' EXIT
if [ "$3" = array ]; then exec >>"$state/log/$task" 2>&1; fi
# This task may have been begun on a machine that is thought to be gone, so its folder is left to it.
for work in "$state/work/$task".*; do
    [ ! -d "$work" ] || harvest "$work"
done
while IFS=$tab read -r _ point policies first last folders <&3; do
    ! may_go_on || rectangle "$point" "$policies" "$first" "$last" "$folders"
done 3<<TEXT
$(grep "^$task$tab" "$state/plan")
TEXT
[ -z "$stopped" ] || exit 143
