#!/bin/sh
# scripts/memory.sh -- the program and some tests under valgrind, and the threads under ThreadSanitizer: a test program.
#
# For `make test-long`.  Valgrind sees reads of memory that was never written and leaks, which AddressSanitizer does not
# both; a checkpoint's memory is left out, as valgrind has its addresses.  ThreadSanitizer is built with MODE=tsan.
set -eu
. "$(dirname "$0")/../tests/tap.sh"
cd "$ROOT"
program=$ROOT/build/release-gcc/mlfs-sim # valgrind may not know what another compiler writes for debuggers
tests=${MLFS_VALGRIND:-unit_csv unit_philly unit_json unit_source unit_clusterspec unit_modelfile unit_metrics unit_engine unit_agent unit_mlf
    byhand byhand_physics byhand_gandiva byhand_fair byhand_packing byhand_quality unit_failures unit_pause unit_width}

checked() # COMMAND...
{
    valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        "$@" >"$WORK/valgrind" 2>&1 || { grep -E '^(==|\[  FAILED|\[  ERROR)' "$WORK/valgrind" | head -n 40; return 1; }
}

if command -v valgrind >/dev/null; then
    for test in $tests; do ok "valgrind_$test" checked "build/release-gcc/tests/$test"; done
    "$MLFS" generate --jobs 60 -s 2 --as philly -o "$WORK/t.json" -q
    ok "valgrind_plain" checked "$program" run "$WORK/t.json" -c 4x8 -p fifo,srtf,tiresias -o "$WORK/out" -q --events "$WORK/e.csv.gz"
    ok "valgrind_philly" checked "$program" run "$WORK/t.json" --preset philly -c 4x8 -p mlf-h,gandiva,slaq,graphene -o "$WORK/out" -q
    ok "valgrind_config" checked "$program" run "$WORK/t.json" --config "$WORK/out/mlf-h/run.json" -p fifo -o "$WORK/out" -q
    ok "valgrind_compare" checked "$program" compare "$WORK/out/fifo" "$WORK/out/srtf"
    ok "valgrind_report" checked "$program" report "$WORK/out" -o "$WORK/page.html" -q
else
    skip "valgrind" "it is not installed"
fi

tsan=build/tsan-gcc/mlfs-sim
if [ -x $tsan ]; then
    "$MLFS" generate --jobs 200 -s 2 --as philly -o "$WORK/t.json" -q
    TSAN_OPTIONS='halt_on_error=1 exitcode=9'
    export TSAN_OPTIONS
    ok "threads_plain" $tsan run "$WORK/t.json" -c 8x8 -p all -o "$WORK/two" -q -j 2
    ok "threads_seeds" $tsan run "$WORK/t.json" --preset paper-real --sample 60 -p fifo,srtf,mlf-h,gandiva -o "$WORK/seeds" -q -j 2 --seeds 1:3
    ok "threads_train" $tsan train "$WORK/t.json" --preset paper-real --sample 60 -p mlf-rl -o "$WORK/net.model" -q -j 2 \
        --set rl.iterations=2 --set rl.rollouts=4
else
    skip "threads" "not built; make MODE=tsan CC=gcc build/tsan-gcc/mlfs-sim"
fi
finish
