#!/bin/sh
# tests/sh/checkpoint.sh -- killed right after a checkpoint and gone on with --resume, a run ends with the same bytes.
set -eu
. "$(dirname "$0")/../tap.sh"

# A program that dies of SIGKILL the moment its checkpoint has its name.
cat >die.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
int rename(const char *from, const char *to)
{
    int (*really)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    int status = really(from, to);
    const char *slash = strrchr(to, '/');
    if (status == 0 && slash && strcmp(slash, "/checkpoint") == 0) raise(SIGKILL);
    return status;
}
C
cc -shared -fPIC -o die.so die.c -ldl

same() # POLICY WHOLE PIECES: every file but overhead.json, and run.json but for the command line
{
    for f in jobs.csv summary.json timeline.csv; do cmp "$2/$1/$f" "$3/$1/$f" || return 1; done
    jq 'del(.command)' "$2/$1/run.json" >"$WORK/one.json"
    jq 'del(.command)' "$3/$1/run.json" >"$WORK/two.json"
    cmp "$WORK/one.json" "$WORK/two.json"
}

in_pieces() # ARGUMENTS: runs until nothing kills it; $pieces says how often it was killed
{
    pieces=0
    while ! LD_PRELOAD=$WORK/die.so "$MLFS" run "$@" --resume >table 2>said; do
        pieces=$((pieces + 1))
        if grep -q mlfs-sim: said || [ $pieces -gt 150 ]; then
            sed 's/^/# /' said
            return 1
        fi
    done
}

# ---- every policy, at MLFS_POINTS points or more ----
points=${MLFS_POINTS:-3} # twenty in `make test-long`
"$MLFS" generate --jobs 150 --sizes exp:3600 --arrivals poisson:0.005 -s 7 -o t.csv -q
for preset in plain philly; do
    "$MLFS" run t.csv --preset "$preset" -c 6x8 -p all -o "whole-$preset" -q >/dev/null
    for folder in whole-"$preset"/*/; do
        policy=$(basename "$folder")
        span=$(jq --argjson n "$points" '.makespan_s / ($n * 1.2 + 2) | floor' "$folder/summary.json")
        pieces=0
        if in_pieces t.csv --preset "$preset" -c 6x8 -p "$policy" -o "pieces-$preset" -q --checkpoint "$span"; then
            ok "checkpoint_${preset}_$policy: killed $pieces times" same "$policy" "whole-$preset" "pieces-$preset"
            ok "checkpoint_${preset}_${policy}_often" [ $pieces -ge "$points" ]
        else
            ok "checkpoint_${preset}_$policy: $(cat said)" false
        fi
        ok "checkpoint_${preset}_${policy}_leaves_none" [ ! -e "pieces-$preset/$policy/checkpoint" ]
    done
done

# ---- several policies and seeds, with logs that lie elsewhere, one of them packed ----
set -- t.csv --preset philly -c 6x8 -p fifo,srtf,mlf-h --seeds 1:2 -q
"$MLFS" run "$@" -o whole --events whole.csv.gz --timeline whole.json >wanted
span=$(jq '.makespan_s / 4 | floor' whole/fifo/seed-1/summary.json)
in_pieces "$@" -o pieces --events pieces.csv.gz --timeline pieces.json --checkpoint "$span" || true
ok "checkpoint_several: killed $pieces times" [ $pieces -ge 12 ]
ok "checkpoint_several_table" cmp wanted table
for run in fifo/seed-1 fifo/seed-2 srtf/seed-1 srtf/seed-2 mlf-h/seed-1 mlf-h/seed-2; do
    ok "checkpoint_several_$run" same "$run" whole pieces
    name=$(echo "$run" | tr / -)
    ok "checkpoint_events_$name" cmp "whole-$name.csv.gz" "pieces-$name.csv.gz"
    ok "checkpoint_timeline_$name" cmp "whole-$name.json" "pieces-$name.json"
done

# ---- an interrupt leaves a partial result and a checkpoint to go on from ----
"$MLFS" generate --jobs 40000 -s 3 -o long.csv -q
"$MLFS" run long.csv -c philly -p srtf,las -o whole -q >wanted
"$MLFS" run long.csv -c philly -p srtf,las -o cut -q --checkpoint 1e9 >table &
sleep 0.3
kill -INT $! 2>/dev/null || true
status=0
wait $! || status=$?
if [ $status = 130 ]; then
    "$MLFS" run long.csv -c philly -p srtf,las -o cut -q --checkpoint 1e9 --resume >table
    ok "checkpoint_interrupt_table" cmp wanted table
    ok "checkpoint_interrupt_srtf" same srtf whole cut
    ok "checkpoint_interrupt_las" same las whole cut
else
    skip "checkpoint_interrupt" "the run was over before the signal came (status $status)"
fi

# ---- what cannot be gone on from is told in a sentence ----
LD_PRELOAD=$WORK/die.so "$MLFS" run t.csv -c 6x8 -o bad --checkpoint 3600 -q >/dev/null 2>&1 || true
refused() # NAME STATUS WORDS ARGUMENTS
{
    name=$1 wanted=$2 words=$3
    shift 3
    status=0
    "$MLFS" run "$@" >/dev/null 2>said || status=$?
    is "$name" "$wanted" "$status"
    ok "${name}_sentence: $(cat said)" grep -q "$words" said
}
cp bad/fifo/checkpoint good
refused checkpoint_other_command 2 "another command" t.csv -c 7x8 -o bad --checkpoint 3600 -q --resume
head -c 5000 good >bad/fifo/checkpoint
refused checkpoint_cut_short 3 "damaged or cut short" t.csv -c 6x8 -o bad --checkpoint 3600 -q --resume
{ head -c 9000 good; printf x; tail -c +9002 good; } >bad/fifo/checkpoint
refused checkpoint_flipped 3 "damaged or cut short" t.csv -c 6x8 -o bad --checkpoint 3600 -q --resume
echo "not a checkpoint, but long enough to be one if its first line were another, which it is not; and so on and on and on and so on and on" >bad/fifo/checkpoint
refused checkpoint_none 3 "no checkpoint" t.csv -c 6x8 -o bad --checkpoint 3600 -q --resume
cp good bad/fifo/checkpoint
cp "$(readlink -f "$MLFS")" other
printf x >>other
MLFS_BEFORE=$MLFS MLFS=$WORK/other
status=0
"$MLFS" run t.csv -c 6x8 -o bad --checkpoint 3600 -q --resume >/dev/null 2>said || status=$?
MLFS=$MLFS_BEFORE
is checkpoint_other_program 3 $status
ok "checkpoint_other_program_sentence: $(cat said)" grep -q "another build" said
refused checkpoint_resume_alone 2 "goes on from what --checkpoint" t.csv -c 6x8 -o bad --resume
refused checkpoint_zero 2 "more than 0" t.csv -c 6x8 -o bad --checkpoint 0
refused checkpoint_to_a_pipe 2 "no regular file" t.csv -c 6x8 -o bad --checkpoint 60 --events -
finish
