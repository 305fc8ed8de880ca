#!/bin/sh
# scripts/bench.sh -- time and memory of whole runs, reading and writing included: a measurement, not a test.
set -eu

case ${1-} in
-h | --help)
    cat <<TEXT
usage: sh scripts/bench.sh

Prints a table, a run a row: jobs, events, wall-clock and CPU seconds, events a CPU second, peak memory.  With the Philly log in
../shared/data the trace is the real one, else one that \`generate\` makes of the same size.
TEXT
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
shared=${MLFS_SHARED:-../shared}
work=$(mktemp -d "${TMPDIR:-/tmp}/mlfs-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

philly=$shared/data/philly/cluster_job_log.gz
if [ ! -e "$philly" ]; then
    echo "skipped: $philly is not here; a generated trace of 111,549 jobs takes its place"
    philly=$work/generated.json.gz
    ./mlfs-sim generate --jobs 111549 --as philly -o "$philly" -q
fi
contended=$shared/golden/workloads/philly82k.csv.gz
if [ ! -e "$contended" ]; then
    echo "skipped: $contended is not here; a generated trace of 82,247 jobs takes its place"
    contended=$work/generated.csv.gz
    ./mlfs-sim generate --jobs 82247 -o "$contended" -q
fi

echo 'job_id,submit_s,n_gpus,duration_s
a,0,1,1' >"$work/one.csv"

# figure FILE KEY: a whole number of a JSON file
figure() { sed -n "s/.*\"$2\":[[:space:]]*\([0-9]*\).*/\1/p" "$1"; }

# round_1000 FILE: "N ROUNDS MEAN US P99 US" of overhead.json, where about a thousand tasks waited
round_1000() { tr -d '\n\t' <"$1" | sed 's/.*"round_1000_us":{"n":\([0-9]*\),"mean":\([0-9.]*\),"p50":[0-9.]*,"p99":\([0-9.]*\),.*/\1 \2 \3/'; }

# measure TITLE TRACE POLICY OPTION...
measure()
{
    title=$1
    trace=$2
    policy=$3
    shift 3
    /usr/bin/time -f '%e %U %S %M' -o "$work/time" ./mlfs-sim run "$trace" -p "$policy" -o "$work/out" -q "$@" >/dev/null
    read -r seconds user system kib <"$work/time"
    events=$(figure "$work/out/$policy/overhead.json" events)
    awk -v seconds="$seconds" -v cpu="$user $system" -v events="$events" -v kib="$kib" \
        -v name="$(printf '| %-27s | %-10s | %7d' "$title" "$policy" "$(figure "$work/out/$policy/summary.json" submitted)")" 'BEGIN {
            split(cpu, part, " ")
            spent = part[1] + part[2]
            printf "%s | %8d | %7.2f | %7.2f | %9d | %8.1f |\n", name, events, seconds, spent, events / (spent + (spent == 0)), kib / 1024
        }'
}

echo "| trace and cluster           | policy     |    jobs |   events | seconds | CPU sec |  events/s | peak MiB |"
echo "|-----------------------------|------------|--------:|---------:|--------:|--------:|----------:|---------:|"
for policy in $(./mlfs-sim list policies | awk '/^[^ ]/ && $1 != "replay" { print $1 }'); do # that needs a log's starts
    if ./mlfs-sim run "$work/one.csv" -c 1x1 -p "$policy" -o "$work/one" -q >/dev/null 2>&1; then
        measure "Philly, 2,474 GPUs" "$philly" "$policy" -c philly
    else # it looks inside jobs, and `plain` has nothing there
        measure "Philly, preset philly" "$philly" "$policy" --preset philly
    fi
done
for policy in gandiva borg graphene tetris; do
    measure "Philly, preset philly" "$philly" "$policy" --preset philly
done
for policy in fifo srtf; do
    measure "Philly, preset philly" "$philly" "$policy" --preset philly
    measure "Philly, preset paper-sim" "$philly" "$policy" --preset paper-sim
done
# The whole log, thickened to the paper's 117,325 jobs, whatever their status.
measure "Philly, paper-sim, all jobs" "$philly" mlf-h --preset paper-sim --set trace.status=all --load 1.05178
crowded=$(round_1000 "$work/out/mlf-h/overhead.json")
measure "Philly, 2,474 GPUs, load 4" "$philly" fifo -c philly --load 4
for policy in fifo fit srtf tiresias-l; do
    measure "philly82k, 480 GPUs" "$contended" "$policy" -c 60x8
    measure "philly82k, 480 GPUs, count" "$contended" "$policy" -c 60x8 --set place.mode=count
done
echo "$crowded" | awk '{ printf "\nA round of mlf-h on 550 servers with 500 to 2,000 tasks waiting: %.2f ms on average, %.2f ms at the 99th percentile (%d rounds).\n", $2 / 1000, $3 / 1000, $1 }'
