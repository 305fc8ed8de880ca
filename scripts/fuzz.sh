#!/bin/sh
# scripts/fuzz.sh -- fuzzes each reader, from the seeds in tests/corpus/: a test program, for `make fuzz` and `make ci`.
#
# FUZZ_SECONDS (60) is the time for each.  New inputs collect in build/fuzz/NAME; one that breaks something is kept as
# build/fuzz/NAME-crash-*.
set -eu
. "$(dirname "$0")/../tests/tap.sh"
cd "$ROOT"
seconds=${FUZZ_SECONDS:-60}

fuzz() # NAME
{
    mkdir -p "build/fuzz/$1"
    "build/asan-clang/tests/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -dict="tests/corpus/$1.dict" -artifact_prefix="build/fuzz/$1-" "build/fuzz/$1" "tests/corpus/$1" >"$WORK/fuzz.log" 2>&1 ||
        { tail -n 60 "$WORK/fuzz.log"; return 1; }
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$WORK/fuzz.log")" >>"$WORK/executions"
}

for source in tests/fuzz_*.c; do
    name=$(basename "$source" .c)
    ok "$name: $seconds s" fuzz "$name"
done
echo "# executions: $(paste -sd, "$WORK/executions")"
finish
