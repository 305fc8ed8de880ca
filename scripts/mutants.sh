#!/bin/sh
# scripts/mutants.sh -- do the tests notice a wrong operator?  Flips some, one at a time, and runs the fast tests on each.
#
# A mutant is one comparison, logical or arithmetic operator of sim/engine, sim/model or policies turned into its
# neighbour (< and <=, == and !=, && and ||, + and -, * and /, += and -=).  Which ones is drawn by the seed.  Lines of
# MUST, whose tests are all the others, of preprocessor and comments are left out.  All happens in a copy of the tree, in
# build/mutants; only the changed file is compiled anew, into a shared library that the tests load.  A mutant is killed
# by the first test that fails, crashes or takes five times its usual time.  Asked are the tests that run the line, as
# gcov counts: first those that name its file, the quick ones first, golden cases last.
#
# What is done is kept.  The command goes on where it was stopped, and begins anew when a source of the floors has
# changed.  When tests have, those that survived are tried again, by these tests; who was killed stays so.
#
# Those known to change nothing that can be observed are in tests/mutants/equivalent, each with its reason.
set -eu

usage()
{
    cat <<TEXT
usage: sh scripts/mutants.sh [-n MUTANTS] [-s SEED] [-l]

  -n N   how many operators to flip (300), of about 4,800
  -s S   the seed that chooses them (1)
  -l     only tell what is known so far
Takes 6 minutes to prepare and then about 12 seconds for each mutant, on one core that others use too: an hour and
a quarter for 300.
Exit status 1 if less than 85 % of those not listed as equivalent are killed.
TEXT
}

n=300 seed=1 only_list=
while getopts n:s:lh option; do
    case $option in
    n) n=$OPTARG ;;
    s) seed=$OPTARG ;;
    l) only_list=yes ;;
    h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
    esac
done
cd "$(dirname "$0")/.."
root=$(pwd)
home=$root/build/mutants
tree=$home/tree
floors='sim/engine sim/model policies'
left_out='shrinking theory unit_plot unit_paper unit_phillyout unit_compare unit_generate replaylog faults'
golden='sample_table inside small_events small_files'

# ---- the copy, and everything built once ----
mkdir -p "$home"
state=$(find sim traces rl policies -name '*.[ch]' -exec cksum {} + | sort -k 3 | cksum)
if [ "$(cat "$home/state" 2>/dev/null)" != "$state" ]; then
    [ -z "$only_list" ] || { echo "mutants.sh: the sources have changed since the last run" >&2; exit 2; }
    rm -rf "$home"
    mkdir -p "$tree" "$home/lib" "$home/tests"
    make -s build/release-gcc/figures.c build/release-gcc/models.c build/release-gcc/pageparts.c
    tar cf - --exclude=.git --exclude=./build --exclude=./mlfs-sim --exclude=./results/runs . | tar xf - -C "$tree"
    cp build/release-gcc/figures.c build/release-gcc/models.c build/release-gcc/pageparts.c "$tree"
    cp -r "$tree" "$home/before"
    sed -i '1i #define MLFS_COMMIT "mutant"' "$tree/sim/cli/commit.c"
fi
cd "$tree"
packages='gsl libcjson zlib nettle libzstd openblas'
# shellcheck disable=SC2086 # lists of words are meant to split, here and below
flags="-std=c11 -O1 -w -Werror=implicit-function-declaration -ffp-contract=off -fPIC -I. -D_GNU_SOURCE $(pkg-config --cflags $packages)"
# shellcheck disable=SC2086
libraries="$(pkg-config --libs libcjson zlib nettle libzstd) -lgsl -lopenblas -lm -lpthread"

compile() # FILE.c OBJECT
{
    # shellcheck disable=SC2086
    ${CC:-gcc} $flags -c -o "$2" "$1"
}
object() { echo "$home/objects/$(echo "$1" | tr / +).o"; }
link_library() # [OBJECT MUTANT]: with the mutant in its place
{
    objects=$(ls "$home"/objects/*.o)
    [ $# -eq 0 ] || objects="$(echo "$objects" | grep -vxF "$1") $2"
    # shellcheck disable=SC2086
    ${CC:-gcc} -shared -Wl,-z,defs -o "$home/lib/libmlfs.so" $objects $libraries
}

# The same way of running a test before and after: what fails with nothing flipped stops it all.
passes() # TEST SECONDS
{
    # shellcheck disable=SC3045 # every shell here has them
    (ulimit -t "$2" && ulimit -v 6000000 && ulimit -c 0 && timeout $(($2 * 10)) "$home/tests/$1") >"$home/log" 2>&1 </dev/null
}

children_seconds() { awk -F '[ms ]+' 'NR == 2 { print $1 * 60 + $2 + $3 * 60 + $4 }' "$home/clock"; }

if [ ! -e "$home/state" ]; then
    mkdir -p "$home/objects"
    find sim traces rl policies figures.c models.c pageparts.c -name '*.c' ! -path sim/cli/main.c ! -path rl/ranks_mpi.c | sort |
        while read -r file; do compile "$file" "$(object "$file")"; done
    link_library
    compile sim/cli/main.c "$home/main.o"
    # shellcheck disable=SC2086
    ${CC:-gcc} -o "$home/mlfs-sim" "$home/main.o" -L"$home/lib" -lmlfs -Wl,-rpath,"$home/lib" $libraries
    mkdir -p "$home/counted/lib"
    cp "$home"/objects/*.o "$home/counted"
    for floor in $floors; do ls "$floor"/*.c; done | while read -r file; do
        # shellcheck disable=SC2086
        ${CC:-gcc} $flags --coverage -c -o "$home/counted/$(echo "$file" | tr / +).o" "$file"
    done
    # shellcheck disable=SC2086
    ${CC:-gcc} -shared --coverage -o "$home/counted/lib/libmlfs.so" "$home"/counted/*.o $libraries
    # shellcheck disable=SC2016 # an awk program
    for floor in $floors; do ls "$floor"/*.c; done | xargs awk '
        function flip(op, to) { flips[op] = to }
        BEGIN {
            flip("<", "<="); flip("<=", "<"); flip(">", ">="); flip(">=", ">"); flip("==", "!="); flip("!=", "==")
            flip("&&", "||"); flip("||", "&&"); flip("+", "-"); flip("-", "+"); flip("*", "/"); flip("/", "*")
            flip("+=", "-="); flip("-=", "+=")
        }
        FNR == 1 { comment = 0 }
        {
            code = $0
            # What is no code becomes dots, of the same length.
            out = ""
            text = 0
            for (i = 1; i <= length(code); i++) {
                two = substr(code, i, 2)
                c = substr(code, i, 1)
                if (comment) {
                    if (two == "*/") { comment = 0; out = out ".."; i++ } else out = out "."
                } else if (text) {
                    if (c == "\\") { out = out ".."; i++ } else { if (c == text) text = 0; out = out "." }
                } else if (two == "/*") { comment = 1; out = out ".."; i++ }
                else if (c == "\"" || c == "\047") { text = c; out = out "." }
                else out = out c
            }
            if (out ~ /^#/ || out ~ /MUST\(/) next
            for (i = 2; i < length(out); i++)
                if (substr(out, i, 1) == " ") {
                    rest = substr(out, i + 1)
                    if (!match(rest, /^[-+*\/<>=!&|]+ /)) continue
                    op = substr(rest, 1, RLENGTH - 1)
                    if (op in flips) print FILENAME, FNR, i + 1, op, flips[op]
                }
        }' >"$home/sites"
    echo "$state" >"$home/state"
fi

# ---- the tests: built, timed, and asked which lines they run, again when they have changed ----
replace() # FILE PATTERN <LINES: they take the place of those that have it
{
    { grep -v -e "$2" "$home/$1" || :; cat; } >"$home/$1.new"
    mv "$home/$1.new" "$home/$1"
}

learn() # TEST PRINT
{
    times >"$home/clock" # here, as a subshell has children of its own
    before=$(children_seconds)
    passes "$1" 100 || { echo "mutants.sh: $1 fails before anything was flipped" >&2; tail "$home/log" >&2; exit 2; }
    times >"$home/clock"
    seconds=$(awk -v a="$before" -v b="$(children_seconds)" 'BEGIN { print int(b - a) + 1 }')
    find "$home/counted" -name '*.gcda' -exec rm {} +
    (export LD_LIBRARY_PATH="$home/counted/lib" && passes "$1" $((20 * seconds))) ||
        { echo "mutants.sh: $1 fails where lines are counted" >&2; tail "$home/log" >&2; exit 2; }
    find "$home/counted" -name '*.gcda' -exec gcov -t {} + 2>/dev/null |
        awk -F : -v test="$1" '/^ *-: *0:Source:/ { file = $4 } $1 ~ /^ *[1-9]/ { print file, $2 + 0, test }' | replace reached " $1\$"
    echo "$1 $seconds" | replace times "^$1 "
    echo "$1 $2" | replace prints "^$1 "
}

if [ -z "$only_list" ]; then
    link_library
    rm -rf tests
    cp -r "$root/tests" .
    touch "$home/reached" "$home/times" "$home/prints"
    for file in tests/*.c; do
        name=$(basename "$file" .c)
        case " $left_out " in *" $name "*) continue ;; esac
        case $name in fuzz_* | bench_*) continue ;; esac
        print=$(cat tests/*.h "$file" | cksum | tr ' ' -)
        grep -qxF "$name $print" "$home/prints" && continue
        compile "$file" "$home/test.o"
        # shellcheck disable=SC2086
        ${CC:-gcc} -o "$home/tests/$name" "$home/test.o" -L"$home/lib" -lmlfs -Wl,-rpath,"$home/lib" $libraries -lcmocka
        learn "$name" "$print"
    done
    for name in $golden; do
        print=$(cat tests/replay.sh tests/golden/"$name".* | cksum | tr ' ' -)
        grep -qxF "golden_$name $print" "$home/prints" && continue
        printf '#!/bin/sh\nMLFS=%s exec sh tests/golden.sh %s\n' "$home/mlfs-sim" "$name" >"$home/tests/golden_$name"
        chmod +x "$home/tests/golden_$name"
        learn "golden_$name" "$print"
    done
fi

# ---- which ones ----
# Park and Miller numbers: the same on every awk.
awk -v seed="$seed" 'BEGIN { x = seed * 7919 % 2147483646 + 1; for (i = 0; i < 10; i++) x = x * 16807 % 2147483647 }
    { x = x * 16807 % 2147483647; printf "%010d %s\n", x, $0 }' "$home/sites" | sort | head -n "$n" | cut -d ' ' -f 2- >"$home/sample.$seed.$n"
touch "$home/results"

mutate() # LINE COLUMN OPERATOR OTHER <FILE
{
    awk -v line="$1" -v column="$2" -v op="$3" -v other="$4" '
        NR == line { $0 = substr($0, 1, column - 1) other substr($0, column + length(op)) }
        { print }'
}

# Tests that run a line within three of this one, as the parts of one statement count as one line, each with its limit
# of CPU seconds, in the order in which they are likely to notice.  Where no line counts, say in a table, all of them.
# Without those that this mutant has passed before.
tests_for() # FILE LINE MUTANT
{
    awk -v file="$1" -v line="$2" '$1 == file && $2 - line <= 3 && line - $2 <= 3 { print $3 }' "$home/reached" | sort -u >"$home/asked"
    [ -s "$home/asked" ] || cut -d ' ' -f 1 "$home/times" >"$home/asked"
    stem=$(basename "$1" .c)
    while read -r test seconds; do
        grep -qx "$test" "$home/asked" || continue
        grep -qxF "$(grep "^$test " "$home/prints") $3" "$home/passed" && continue
        rank=3
        case $test in
        golden_*) rank=4 ;;
        *)
            if grep -q -e "\"$(echo "$stem" | tr _ -)\"" -e "/$stem\.h" "tests/$test.c"; then
                rank=1
            elif grep -q -e "${stem%%_*}" "tests/$test.c"; then
                rank=2
            fi
            ;;
        esac
        echo "$rank $seconds $test"
    done <"$home/times" | sort -n -k 2 | sort -s -n -k 1,1 | awk '{ print $3, 5 * $2 }'
}

killer_of() # MUTANT <TESTS: prints the test that fails, or nothing
{
    while read -r test limit; do
        if ! passes "$test" "$limit"; then
            cp "$home/log" "$home/killed.log"
            echo "$test"
            break
        fi
        echo "$(grep "^$test " "$home/prints") $1" >>"$home/passed"
    done
}

try() # FILE LINE COLUMN OPERATOR OTHER: prints what became of it; nothing: it survived before and no test is new
{
    tests_for "$1" "$2" "$*" >"$home/tests_for"
    [ -s "$home/tests_for" ] || return 0
    original=$(object "$1")
    mutate "$2" "$3" "$4" "$5" <"$home/before/$1" >"$1"
    if ! compile "$1" "$home/mutant.o" 2>/dev/null; then
        verdict=broken
    elif cmp -s "$original" "$home/mutant.o"; then
        verdict=same
    else
        link_library "$original" "$home/mutant.o"
        verdict=$(killer_of "$*" <"$home/tests_for")
        verdict=${verdict:-survived}
    fi
    cp "$home/before/$1" "$1"
    echo "$verdict"
}

verdict_of() # MUTANT: the latest
{
    awk -v key="$1" '{ v = $1; sub(/^[^ ]* /, ""); if ($0 == key) last = v } END { print last }' "$home/results"
}

listed() # FILE LINE COLUMN OPERATOR OTHER: whether the equivalent ones have this line, as it is after the flip
{
    flipped=$(mutate "$2" "$3" "$4" "$5" <"$home/before/$1" | sed -n "$2{s/^ *//;p;}")
    grep -qF "$1: $flipped  # " "$root/tests/mutants/equivalent" 2>/dev/null
}

touch "$home/passed"
[ -n "$only_list" ] || while read -r file line column op other; do
    mutant="$file $line $column $op $other"
    case $(verdict_of "$mutant") in
    '') ;;
    survived) listed "$file" "$line" "$column" "$op" "$other" && continue ;;
    *) continue ;;
    esac
    verdict=$(try "$file" "$line" "$column" "$op" "$other")
    [ -n "$verdict" ] || continue
    echo "$verdict $mutant" >>"$home/results"
    echo "$verdict $file:$line:$column $op -> $other"
done <"$home/sample.$seed.$n"

# ---- the account ----
killed=0 survived=0 equivalent=0 same=0 broken=0
echo
while read -r file line column op other; do
    case $(verdict_of "$file $line $column $op $other") in
    '') ;;
    broken) broken=$((broken + 1)) ;;
    same) same=$((same + 1)) ;;
    survived)
        if listed "$file" "$line" "$column" "$op" "$other"; then
            equivalent=$((equivalent + 1))
        else
            survived=$((survived + 1))
            echo "survived: $file:$line:$column $op -> $other: $(sed -n "$line{s/^ *//;p;}" "$home/before/$file")"
        fi
        ;;
    *) killed=$((killed + 1)) ;;
    esac
done <"$home/sample.$seed.$n"
tried=$((killed + survived + equivalent))
echo "$tried mutants tried ($same more compiled to the same code, $broken to none): $killed killed, $equivalent listed as equivalent, $survived survived"
[ $((killed + survived)) -gt 0 ] || exit 1
awk -v k=$killed -v s=$survived 'BEGIN { printf "%.1f %% of those that are not equivalent were killed\n", 100 * k / (k + s); exit k < .85 * (k + s) }'
