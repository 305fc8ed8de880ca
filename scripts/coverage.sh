#!/bin/sh
# scripts/coverage.sh -- which lines and branches of sim, traces, policies and rl the tests reach: for `make coverage`.
#
# Runs the C tests and the quick scripts with the build of MODE=coverage and counts in what gcov says.  A branch counts
# as reached if it was taken at least once; those of MUST are left out, as the tests must not reach them.  The lines that
# no test reached are in build/coverage/unreached.  Exit status 1 below 90 % of lines or 80 % of branches.
set -eu
cd "$(dirname "$0")/.."
objects=build/coverage-gcc
left_out='theory smallworlds unit_plot unit_paper'

if [ "${1-}" != --count ]; then
    find $objects -name '*.gcda' -delete
    programs=
    for source in tests/*.c; do
        name=$(basename "$source" .c)
        case " $left_out " in *" $name "*) continue ;; esac
        [ ! -x "$objects/tests/$name" ] || programs="$programs $objects/tests/$name"
    done
    # shellcheck disable=SC2086 # a list
    MLFS=$(pwd)/$objects/mlfs-sim sh tests/run.sh tests/golden.sh tests/sh/badinput.sh tests/sh/cli.sh tests/sh/generate.sh \
        tests/sh/presets.sh tests/sh/report.sh tests/sh/training.sh tests/sh/gandiva.sh tests/sh/users_metrics.sh \
        tests/sh/users_semantics.sh tests/sh/users_traces.sh tests/sh/checkpoint.sh $programs || echo "coverage.sh: not all passed; counting all the same"
fi

rm -rf build/coverage
mkdir -p build/coverage
: >build/coverage/unreached
: >build/coverage/untaken
find $objects -name '*.gcno' ! -path '*/tests/*' | sort | while read -r notes; do
    source=${notes#"$objects"/}
    source=${source%.gcno}.c
    [ -e "$source" ] || continue
    gcov -b -c -p -o "$(dirname "$notes")" "$source" >/dev/null 2>&1 || true # from here, where it finds the source
    for listing in *.gcov; do [ ! -e "$listing" ] || mv -- "$listing" build/coverage; done
done
for listing in build/coverage/*.c.gcov; do
    source=$(basename "$listing" .gcov | tr '#' /)
    awk -v source="$source" '
        /^ *[-0-9#=*]+:/ {
            count = $0; sub(/:.*/, "", count); gsub(/[ *]/, "", count)
            rest = $0; sub(/^[^:]*:/, "", rest)
            number = rest; sub(/:.*/, "", number); gsub(/ /, "", number)
            text = rest; sub(/^[^:]*:/, "", text)
            if (number == 0) next
            must = text ~ /MUST\(/
            if (count == "-") next
            lines++
            if (count ~ /^[#=]/) { if (must) lines--; else print source ":" number ":" text >>"build/coverage/unreached" }
            else reached++
            next
        }
        /^branch/ && !must {
            branches++
            if ($0 !~ /never executed/ && $4 > 0) taken++
            else partial[number] = text
        }
        END {
            for (n in partial) print source ":" n ":" partial[n] >>"build/coverage/untaken"
            print source, reached + 0, lines + 0, taken + 0, branches + 0
        }' "$listing"
done >build/coverage/counts
sort -t : -k 1,1 -k 2,2n -o build/coverage/untaken build/coverage/untaken
awk '
    function percent(part, all) { return all ? 100 * part / all : 100 }
    function row(name) {
        printf "| %-28s | %6d | %6.1f | %8d | %6.1f |\n", name, lines[name], percent(reached[name], lines[name]), branches[name], \
            percent(taken[name], branches[name])
    }
    function add(name) { reached[name] += $2; lines[name] += $3; taken[name] += $4; branches[name] += $5 }
    {
        folder = $1
        if (!sub(/\/[^\/]*$/, "", folder)) next # made by the Makefile
        top = folder; sub(/\/.*/, "", top)
        add(folder); add("all")
        if (!(folder in seen)) { seen[folder] = 1; order[++n] = folder }
        if ($3 - $2 > 10) worst[++w] = sprintf("%5d lines unreached  %s", $3 - $2, $1)
    }
    END {
        print "| folder                       |  lines | %      | branches | %      |"
        print "|------------------------------|--------|--------|----------|--------|"
        for (i = 1; i <= n; i++) row(order[i])
        row("all")
        print ""
        for (i = 1; i <= w; i++) print worst[i] | "sort -rn | head -n 15"
        close("sort -rn | head -n 15")
        exit percent(reached["all"], lines["all"]) < 90 || percent(taken["all"], branches["all"]) < 80
    }' build/coverage/counts
