#!/bin/sh
# scripts/fuzz.sh -- fuzzes each reader for a minute, from the seeds in tests/corpus/; `make fuzz` builds what it needs.
#
# usage: sh scripts/fuzz.sh [SECONDS]
# New inputs collect in build/fuzz/NAME; one that breaks something is kept as build/fuzz/NAME-crash-*.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
for program in build/asan-clang/tests/fuzz_*; do
    case $program in
    *'*' | *.o | *.d) continue ;;
    esac
    name=$(basename "$program")
    mkdir -p "build/fuzz/$name"
    set -- "build/fuzz/$name"
    [ ! -d "tests/corpus/$name" ] || set -- "$@" "tests/corpus/$name"
    "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/$name-" "$@" \
        >"build/fuzz/$name.log" 2>&1 || { tail -n 40 "build/fuzz/$name.log"; echo "$name: found a fault"; exit 1; }
    tail -n 1 "build/fuzz/$name.log" | sed "s/^/$name: /"
done
