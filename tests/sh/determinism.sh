#!/bin/sh
# tests/sh/determinism.sh -- equal inputs give equal bytes: runs, compilers, optimisation, threads, zone, locale, memory.
set -eu
. "$(dirname "$0")/../tap.sh"

policies=all
debug=$ROOT/build/debug-gcc/mlfs-sim
clang=$ROOT/build/release-clang/mlfs-sim
"$MLFS" generate --jobs 1500 -s 5 --as philly -o trace.json -q

# A preset decimal comma and a 12-hour zone away from UTC; the locale is compiled here, none has to be installed.
localedef -i de_DE -f UTF-8 "$WORK/de_DE.UTF-8" >/dev/null 2>&1 || :

replay() # NAME PROGRAM OPTION...
{
    name=$1
    program=$2
    shift 2
    mkdir -p "$name"
    (
        cd "$name"
        "$program" run ../trace.json -c 12x8 -p "$policies" -o out --arrival-scale 0.3 --load 1.5 --strict "$@" \
            >table 2>notices </dev/null
        {
            "$program" run ../trace.json -c 12x8 -p srtf -o one --events events.csv --tick 60 -q "$@"
            "$program" run ../trace.json --preset philly -c 12x8 -p "$policies" -o philly --arrival-scale 0.3 -q "$@" \
                --events tasks.csv --timeline tasks.json
            "$program" run ../trace.json --preset paper-real --sample 300 -p fifo,srtf -o paper --seeds 1:2 -q "$@"
        } >>table </dev/null
        "$program" describe ../trace.json >description
        "$program" generate --jobs 300 -o generated.csv -q
        "$program" convert ../trace.json -o converted.csv -q
    )
    # Only here may runs differ: wall-clock figures, and the command line as typed.
    find "$name" -name overhead.json -delete
    find "$name" -name run.json | while read -r file; do
        jq 'del(.command)' "$file" >"$file.rest"
        mv "$file.rest" "$file"
    done
}
same() { diff -r reference "$1"; }

replay reference "$MLFS" -j 1
policies_run=$(find reference/out -name jobs.csv | wc -l)
ok "every policy was run" [ "$policies_run" -ge 12 ]

replay again "$MLFS" -j 1
ok "u55 two runs" same again
replay threads "$MLFS" -j 2
ok "two threads" same threads
replay debug "$debug" -j 1
ok "-O0" same debug
replay clang "$clang" -j 1
ok "clang" same clang
TZ=America/Los_Angeles replay zone "$MLFS" -j 1
ok "another time zone" same zone
MALLOC_PERTURB_=165 replay poisoned "$MLFS" -j 1
ok "poisoned malloc" same poisoned
if [ "$(LOCPATH=$WORK LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ]; then
    LOCPATH=$WORK LC_ALL=de_DE.UTF-8 replay comma "$MLFS" -j 1
    ok "decimal comma" same comma
else
    skip "decimal comma" "the locale de_DE.UTF-8 cannot be made here (package locales)"
fi

# Everything in force is in run.json, so it repeats the run.
repeated()
{
    (cd again && "$MLFS" run ../trace.json --config one/srtf/run.json -o repeated -q >table2) || return 1
    diff -r -x overhead.json -x run.json again/one again/repeated
}
replay again "$MLFS" -j 1
ok "run.json as --config repeats the run" repeated
finish
