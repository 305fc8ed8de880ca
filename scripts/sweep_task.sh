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

is_finished() { [ -s "$1/summary.json" ] && grep -q '^	"complete":	true' "$1/run.json" 2>/dev/null; }

publish() # FROM TO
{
    is_finished "$1" || return 0
    [ "$(tail -n 1 "$1/summary.json")" = "}" ] || return 0 # whoever wrote it was killed, or is not quite done
    if [ -e "$2" ]; then
        ! is_finished "$2" || return 0
        # Half of an earlier result; what is no result stays, and then this run is not finished.
        (cd "$2" && rm -f summary.json run.json jobs.csv timeline.csv overhead.json)
        rmdir "$2" || return 0
    fi
    mkdir -p "${2%/*}"
    mv -T "$1" "$2" 2>/dev/null || is_finished "$2"
}

harvest() # WORK
{
    if [ -s "$1/folder" ]; then
        IFS= read -r point <"$1/point"
        IFS= read -r as <"$1/folder"
        for found in "$1"/runs/*/seed-* "$1"/runs/.*.tmp.*/seed-*; do
            [ -d "$found" ] || continue
            policy=${found%/*}
            policy=${policy##*/}
            case $policy in .*) policy=${policy#.} policy=${policy%.tmp.*} ;; esac
            case $as in *,*) ;; *) policy=$as ;; esac # a shared object's name is not that of its file
            publish "$found" "$out/$point/$policy/${found##*/}"
        done
    fi
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
    work=$state/work/$task.$(uname -n).$$.$attempts
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
    if [ -n "$stopped" ]; then wait "$child" || true; fi # the first wait ended with the signal
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

# Calls COMMAND POINT POLICY SEED FOLDER for each run of a rectangle that is not finished.
each_missing() # COMMAND POINT POLICIES FIRST LAST FOLDERS
{
    seed=$4
    while [ "$seed" -le "$5" ]; do
        left=$3, folders=$6,
        while [ -n "$left" ]; do
            policy=${left%%,*} left=${left#*,}
            folder=${folders%%,*} folders=${folders#*,}
            is_finished "$out/$2/$folder/seed-$seed" || "$1" "$2" "$policy" "$seed" "$folder"
        done
        seed=$((seed + 1))
    done
}

count_missing() { missing=$((missing + 1)); }

no_result() { note "$1/$4/seed-$3" "${sentence:-no result was left (status $status)}"; }

alone() # one run by itself, so that its sentence is known
{
    may_go_on || return 0
    attempt "$1" "$2" "$3" "$3" "$4"
    [ -n "$stopped" ] || is_finished "$out/$1/$4/seed-$3" || no_result "$@"
}

left_of_seed() # collects for one seed
{
    some_policies=${some_policies:+$some_policies,}$2
    some_folders=${some_folders:+$some_folders,}$4
}

rectangle() # POINT POLICIES FIRST LAST FOLDERS
{
    missing=0
    each_missing count_missing "$@"
    commas=$(printf %s "$2" | tr -cd ,)
    total=$(((${#commas} + 1) * ($4 - $3 + 1)))
    if [ "$missing" -eq "$total" ] && [ "$total" -gt 1 ]; then
        attempt "$@"
    elif [ "$missing" -gt 1 ]; then # this task was begun before
        for one in $(seq "$3" "$4"); do
            some_policies='' some_folders=''
            each_missing left_of_seed "$1" "$2" "$one" "$one" "$5"
            case $some_policies in
            *,*) if may_go_on; then attempt "$1" "$some_policies" "$one" "$one" "$some_folders"; fi ;;
            esac
        done
    fi
    each_missing alone "$@"
}

trap stop TERM INT
case $task in
harvest)
    for work in "$state"/work/*; do
        [ ! -d "$work" ] || harvest "$work"
    done
    rm -rf "$state/work"
    exit 0
    ;;
merge)
    IFS= read -r scripts <"$state/scripts"
    status=0
    rm -rf "$state/work"
    LC_ALL=C SWEEP_OUT=$out awk -f "$scripts/sweep_merge.awk" "$state/runs" || status=$?
    [ ! -e "$state/sweep.csv" ] || mv "$state/sweep.csv" "$out/sweep.csv"
    exit $status
    ;;
esac

IFS= read -r program <"$state/program"
IFS= read -r folder <"$state/cwd"
cd "$folder"
mkdir -p "$state/work" "$state/running"
running=$state/running/$(uname -n).$$
: >"$running"
trap 'rm -f "$running"' EXIT
if [ "$3" = array ]; then exec >>"$state/log/$task" 2>&1; fi
# This task may have been begun on a machine that is thought to be gone, so its folder is left to it.
for work in "$state/work/$task".*; do
    [ ! -d "$work" ] || harvest "$work"
done
tab=$(printf '\t')
while IFS=$tab read -r number point policies first last folders <&3; do
    [ "$number" = "$task" ] || continue
    ! may_go_on || rectangle "$point" "$policies" "$first" "$last" "$folders"
done 3<"$state/plan"
[ -z "$stopped" ] || exit 143
