#!/bin/sh
# scripts/check-floors.sh -- includes go down, never up; prints every line that crosses a border.
#
# usage: sh scripts/check-floors.sh [ROOT]
# Besides the floors: includes name the file from the root, sim/engine/truth.h stays inside sim/engine, inside rl/ only
# features.c looks at the engine, policies do not touch the true job table, file names are unique.
# shellcheck disable=SC2016,SC2086 # awk's dollars are awk's; lists of words are meant to split
set -eu
cd "${1:-$(dirname "$0")/..}"

list() { find . -name build -prune -o -name '*.[ch]' -print | sed 's|^\./||' | sort; }

list | xargs awk '
    BEGIN {
        floors = split("sim/base sim/model traces sim/engine rl policies sim/report sim/cli tests", name, " ")
        for (i = 1; i <= floors; i++) floor[name[i]] = i
    }
    function folder(path) { match(path, /^(sim\/)?[^\/]*/); return substr(path, RSTART, RLENGTH) }
    function wrong(why) { print FILENAME ":" FNR ": " why ": " $0; bad = 1 }
    FNR == 1 { here = folder(FILENAME); if (!(here in floor)) wrong("no such floor") }
    FNR == 1 && index($0, "/* " FILENAME " -- ") != 1 { wrong("the first line must be \"/* " FILENAME " -- one clause\"") }
    /^#include "/ {
        split($0, part, "\""); to = part[2]; there = folder(to)
        if (!(there in floor)) wrong("not from the root")
        else if (floor[there] > floor[here]) wrong(here " includes from above")
        if (to == "sim/engine/truth.h" && here != "sim/engine") wrong("the truth is for the engine")
        if (here == "rl" && there == "sim/engine" && FILENAME != "rl/features.c") wrong("only rl/features.c looks at the engine")
    }
    here == "policies" && /JobSpec/ { wrong("policies do not see the true job table") }
    END { exit bad }'

twice=$(find . -name .git -prune -o -name build -prune -o -path ./results/runs -prune -o -type f -print | sed 's|.*/||' | grep -vx 'README\.md' | sort | uniq -d)
if [ -n "$twice" ]; then
    printf 'two files have this name: %s\n' $twice
    exit 1
fi
