#!/bin/sh
# scripts/quickstart.sh -- from a fresh machine to a table and a figure: install, build, replay, draw.
set -eu

case ${1-} in
-h | --help)
    cat <<TEXT
usage: sh scripts/quickstart.sh

Installs missing packages, builds ./mlfs-sim, replays the bundled trace under six policies, prints how they compare
and draws the distribution of job completion times.  Results: results/runs/quickstart/.
TEXT
    exit 0
    ;;
esac
cd "$(dirname "$0")/.."
out=results/runs/quickstart

sh scripts/install-deps.sh --build
echo "building ./mlfs-sim"
mkdir -p build
make -j"$(nproc)" >build/make.log 2>&1 || { cat build/make.log; exit 1; }
./mlfs-sim run traces/samples/philly-2k.csv -c 16x8 -p fifo,random,fit,sjf,srtf,tiresias-g -o $out
./mlfs-sim plot $out -o $out
echo
echo "figure: $(pwd)/$out/jct_cdf.png"
