#!/bin/sh
# tests/sh/training.sh -- a small training gives the same net on any compiler, processor, number of threads and of processes.
set -eu
. "$(dirname "$0")/../tap.sh"

kernel=reference
train() # NAME COMMAND...: the net goes to NAME, its curve to NAME.csv
{
    name=$1
    shift
    "$@" "$ROOT/traces/samples/philly-2k.csv" -c 2x4 --preset philly -o "$name" -q --set rl.blas="$kernel" --set rl.iterations=4 \
        --set rl.rollouts=6 --set rl.imitate_epochs=2 --set rl.check=2 --set rl.check_segments=3 --set rl.check_ticks=100
}

same() # NAME COMMAND...: the bytes of the training before, which is called `one`
{
    train "$@" && cmp one "$1" && cmp one.csv "$1.csv"
}

ok "one thread" train one "$MLFS" train --threads 1
# shellcheck disable=SC2016 # awk's dollars are awk's
ok "it learns" awk -F, '$1 == "reinforce" && $6 > 0 && $9 > 0 { n++ } END { exit n < 2 }' one.csv
ok "two threads" same two "$MLFS" train --threads 2
ok "without optimisation" same debug "$ROOT/build/debug-gcc/mlfs-sim" train
ok "by clang" same clang "$ROOT/build/release-clang/mlfs-sim" train
ok "on a processor without fused multiply-add" same plain env \
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable "$MLFS" train

# 1, 2 and 4 processes, more than there are cores if need be.
ranked=$ROOT/build/release-gcc/mlfs-sim-mpi
if command -v mpirun >/dev/null && [ -e "$ranked" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for n in 1 2 4; do
        ok "processes: $n" same "ranks$n" mpirun --oversubscribe -n $n "$ranked" train --threads 1
    done
    ok "no mpirun is needed" same alone "$ranked" train
else
    skip "processes" "MPI (libopenmpi-dev, openmpi-bin) is not here"
fi

multiplier() # KERNEL ENVIRONMENT...: what overhead.json says of it
{
    name=$1
    shift
    env "$@" "$MLFS" run "$ROOT/traces/samples/philly-2k.csv" -c 2x4 --preset philly --sample 100 -p mlf-rl -o run -q \
        --set mlf_rl.model=one --set rl.blas="$name" >table || return 1
    jq -r '.blas | [.build, .core, .threads] | join("; ")' run/mlf-rl/overhead.json
}
is "overhead.json names the reference kernel" "reference; ; 1" "$(multiplier reference)"
is "overhead.json names OpenBLAS, its core type and one thread" "OpenBLAS 1" \
    "$(multiplier openblas OPENBLAS_NUM_THREADS=4 OMP_NUM_THREADS=4 | sed -n 's/^\(OpenBLAS\) [0-9].*; [A-Za-z0-9]*; /\1 /p')"

# The net that comes with the program: small, whole, and what is used when no other is named.
shipped() # NAME KEY POLICIES
{
    model=$ROOT/rl/models/$1.model
    [ "$(wc -c <"$model")" -lt 100000 ] && [ -s "$ROOT/rl/models/$1.csv" ] && [ -s "$ROOT/rl/models/$1.png" ] || return 1
    for named in "" "--set $2=$model"; do
        # shellcheck disable=SC2086 # two words or none
        "$MLFS" run "$ROOT/traces/samples/philly-2k.csv" -c 2x4 --preset paper-real --sample 100 -p "$3" -o "named${named:+1}" -q $named \
            --set rl.blas=reference >table || return 1
    done
    for policy in $(echo "$3" | tr , ' '); do cmp "named/$policy/jobs.csv" "named1/$policy/jobs.csv" || return 1; done
}
ok "the shipped net of mlf-rl and mlfs" shipped mlf-rl mlf_rl.model mlf-rl,mlfs

kernel=openblas
ok "by OpenBLAS" train one "$MLFS" train --threads 1
ok "by OpenBLAS on two threads, told to use four of its own" same four env OPENBLAS_NUM_THREADS=4 OMP_NUM_THREADS=4 "$MLFS" train \
    --threads 2
finish
