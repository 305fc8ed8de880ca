#!/bin/sh
# scripts/bench.sh -- time and memory of whole runs, reading and writing included: a measurement, not a test.
set -eu

case ${1-} in
-h | --help)
    cat <<TEXT
usage: sh scripts/bench.sh

Prints a table: jobs, events, seconds, events a second and peak memory of one run each.  With the Philly log in
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

# measure TITLE TRACE POLICY OPTION...
measure()
{
    title=$1
    trace=$2
    policy=$3
    shift 3
    /usr/bin/time -f '%e %M' -o "$work/time" ./mlfs-sim run "$trace" -p "$policy" -o "$work/out" -q "$@" >/dev/null
    read -r seconds kib <"$work/time"
    jobs=$(sed -n 's/.*"submitted": *\([0-9]*\).*/\1/p' "$work/out/$policy/summary.json")
    events=$(sed -n 's/.*"events": *\([0-9]*\).*/\1/p' "$work/out/$policy/overhead.json")
    awk -v title="$title" -v policy="$policy" -v jobs="$jobs" -v events="$events" -v seconds="$seconds" -v kib="$kib" 'BEGIN {
        printf "| %-28s | %-10s | %7d | %8d | %7.2f | %9d | %8.1f |\n", title, policy, jobs, events, seconds, events / (seconds + (seconds == 0)), kib / 1024 }'
}

echo "| trace and cluster            | policy     |    jobs |   events | seconds |  events/s | peak MiB |"
echo "|------------------------------|------------|--------:|---------:|--------:|----------:|---------:|"
for policy in $(./mlfs-sim list policies | awk '/^[^ ]/ { print $1 }'); do
    measure "Philly, 2,474 GPUs" "$philly" "$policy" -c philly
done
measure "Philly, 2,474 GPUs, load 4" "$philly" fifo -c philly --load 4
for policy in fifo fit srtf tiresias-l; do
    measure "philly82k, 480 GPUs" "$contended" "$policy" -c 60x8
    measure "philly82k, 480 GPUs, count" "$contended" "$policy" -c 60x8 --set place.mode=count
done
