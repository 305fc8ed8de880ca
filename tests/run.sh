#!/bin/sh
# tests/run.sh -- runs test programs, two at a time, and counts their cases: last line "N passed, N failed".
#
# usage: sh tests/run.sh PROGRAM...
# A program is a cmocka test or a shell script; either prints TAP.  SCRIPT@BINARY tests another build of mlfs-sim.
# A crash, a hang (TEST_TIMEOUT seconds) and a case that was planned but not reported each count as a failure.  Logs
# stay in build/test-logs until the next run.
set -eu
cd "$(dirname "$0")/.."

one() # PROGRAM: runs it; its log, its counts and its failures go to files of its own
{
    log=$LOGS/$(echo "$1" | tr '/' '+')
    case $1 in
    *.sh) set -- "$1" sh "$1" ;;
    *.sh@*) set -- "$1" env MLFS="$(pwd)/${1#*@}" sh "${1%@*}" ;;
    *) set -- "$1" "./$1" ;;
    esac
    program=$1
    shift
    began=$(date +%s)
    status=0
    CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 "${TEST_TIMEOUT:-900}" "$@" >"$log.log" 2>&1 </dev/null || status=$?
    awk -v program="$program" -v status="$status" -v seconds=$(($(date +%s) - began)) -v counts="$log.counts" '
        /^(not )?ok [0-9]+.*# SKIP/ { skipped++; sub(/^.*# SKIP /, ""); skip[skipped] = $0; showing = 0; last = ""; next }
        /^ok [0-9]/                 { passed++; showing = 0; last = ""; next }
        /^not ok [0-9]/             { failed++; showing = 1; fault = fault $0 last "\n"; last = ""; next }
        /^1\.\.[0-9]+$/             { planned += substr($0, 4); showing = 0; next }
        /^skipped: /                { note[++notes] = $0; next }
        showing                     { fault = fault $0 "\n" }
        !showing                    { last = last "\n" $0; if (length(last) > 4000) last = substr(last, length(last) - 3999) }
        END {
            reported = passed + failed + skipped
            odd = ""
            if (status == 124 || status == 137) odd = "was stopped after its time"
            else if (status >= 128) odd = "was ended by signal " status - 128
            else if (status != 0 && failed == 0) odd = "ended with status " status
            else if (planned != reported || reported == 0) odd = "planned " planned + 0 " cases and reported " reported
            if (odd != "") { failed++; fault = fault program " " odd ":" last "\n" }
            printf "%-44s %5d passed %3d failed %3d skipped %5d s\n", program, passed, failed, skipped, seconds
            for (i = 1; i <= skipped; i++) printf "    skipped: %s\n", skip[i]
            for (i = 1; i <= notes; i++) printf "    %s\n", note[i]
            if (fault != "") printf "%s", fault
            print passed + 0, failed + 0, skipped + 0 >counts
        }' "$log.log"
}

if [ "${1-}" = --one ]; then
    one "$2"
    exit 0
fi
[ $# -gt 0 ] || { echo "usage: sh tests/run.sh PROGRAM..." >&2; exit 2; }
LOGS=$(pwd)/build/test-logs
export LOGS
rm -rf "$LOGS"
mkdir -p "$LOGS"
printf '%s\n' "$@" | xargs -P "${TEST_JOBS:-2}" -I '{}' sh tests/run.sh --one '{}'
cat "$LOGS"/*.counts | awk -v programs=$# -v summary="$LOGS/summary" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        if (NR != programs) { failed += programs - NR; print programs - NR " test programs left no result" }
        if (skipped) print skipped " skipped (counted as neither)"
        print passed + 0 " passed, " failed + 0 " failed" >summary
    }'
cat "$LOGS/summary"
grep -q ' 0 failed$' "$LOGS/summary"
