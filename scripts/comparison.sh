#!/bin/sh
# scripts/comparison.sh -- all policies on the same jobs, each as its own paper places gangs and all with shared GPUs.
set -eu

usage() {
    cat <<TEXT
usage: sh scripts/comparison.sh TRACE [SEEDS [JOBS [DIR]]]

Replays TRACE (the Philly log) under every policy that needs no training: preset paper-real with 155 to 1860 jobs over
SEEDS seeds (default 10), preset philly at loads 1 and 1.3 over three seeds (no more than SEEDS), and at load 2, which
is permanent overload, with one.  Everything is done twice: GPUs exclusive as in most policies' own papers, and shared
up to a demand of 0.9 (place.share), as MLF-H always does, so that what an order is worth and what sharing is worth can
be told apart.  Prints a Markdown page with the tables, and how far the orders agree with those of the MLFS paper's
figure 4 (Kendall's tau).  Runs are kept in DIR (default results/runs/comparison) and not repeated.  About an hour on
two cores.  JOBS, such as 155,310, takes these numbers of jobs only.
TEXT
}
case ${1-} in
-h | --help | "") usage; [ $# -gt 0 ] && exit 0; exit 2 ;;
esac
trace=$1 seeds=${2:-10}
all_jobs=$(echo "${3:-155,310,620,1240,1860}" | tr ',' ' ')
here=$(cd "$(dirname "$0")/.." && pwd)
out=${4:-$here/results/runs/comparison}
policies=fifo,fit,srtf,tiresias,gandiva,slaq,borg,graphene,tetris,hypersched,mlf-h,mlf-h-c

# A table once, kept beside its runs.
table() # FOLDER ARGUMENTS
{
    folder=$1
    shift
    if [ ! -e "$folder/table.txt" ]; then
        mkdir -p "$folder"
        "$here/mlfs-sim" run "$trace" -q -p "$policies" -o "$folder" "$@" >"$folder/table.tmp"
        mv "$folder/table.tmp" "$folder/table.txt"
    fi
    printf '```\n'
    cat "$folder/table.txt"
    printf '```\n'
}

taus() # FOLDER: of figure 4, a row per load
{
    "$here/mlfs-sim" plot --paper "$1" -o "$1/figures" >/dev/null 2>&1
    awk -F, '
        NR > 1 && $1 == 4 && $10 != "" { tau[$3, $2] = $10; loads[$3] }
        END {
            print "| jobs | JCT | deadlines | waiting | accuracy | accuracy met | bandwidth |\n|---|---|---|---|---|---|---|"
            n = split("155 310 620 1240 1860", load, " ")
            for (i = 1; i <= n; i++) {
                if (!(load[i] in loads)) continue
                line = "| " load[i]
                for (p = 2; p <= 7; p++) line = line " | " sprintf("%.2f", tau[load[i], substr("abcdefg", p, 1)])
                print line " |"
            }
        }' "$1/figures/paper.csv"
}

few=3
[ "$seeds" -ge 3 ] || few=$seeds
for share in 0 0.9; do
    [ $share = 0 ] && printf '## GPUs exclusive (place.share=0)\n\n' || printf '\n## GPUs shared up to a demand of %s (place.share)\n\n' $share
    for jobs in $all_jobs; do
        printf '### paper-real, %d jobs, seeds 1 to %d\n' "$jobs" "$seeds"
        table "$out/share-$share/real/$jobs" --preset paper-real --sample "$jobs" --seeds "1:$seeds" --set place.share=$share
    done
    printf "### Order of the policies against the MLFS paper's figure 4: Kendall's tau\n"
    taus "$out/share-$share/real"
    for load in 1 1.3; do
        printf '### philly, load %s, seeds 1 to %d\n' $load "$few"
        table "$out/share-$share/philly/$load" --preset philly --load $load --seeds "1:$few" --set place.share=$share
    done
    printf '### philly, load 2, seed 1\n'
    table "$out/share-$share/philly/2" --preset philly --load 2 --set place.share=$share
done
