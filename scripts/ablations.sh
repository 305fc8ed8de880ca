#!/bin/sh
# scripts/ablations.sh -- what each part of MLF-H and MLF-C is worth: the MLFS paper's figures 6 to 9, on our model.
set -eu

usage() {
    cat <<TEXT
usage: sh scripts/ablations.sh TRACE [SEEDS [JOBS [DIR]]]

Replays TRACE (the Philly log) under preset paper-real with 155 to 1860 jobs and SEEDS seeds (default 10), with and
without urgency, deadlines, traffic, migration and load control, and prints a Markdown table: the mean with and without,
the mean of the paired differences with its 95 % interval over the seeds, and what the paper's figures show.
Runs are kept in DIR (default results/runs/ablations) and not repeated.  About a minute and a half on two cores.  JOBS,
such as 155,310, takes these numbers of jobs only.
TEXT
}
case ${1-} in
-h | --help | "") usage; [ $# -gt 0 ] && exit 0; exit 2 ;;
esac
trace=$1 seeds=${2:-10}
all_jobs=$(echo "${3:-155,310,620,1240,1860}" | tr ',' ' ')
here=$(cd "$(dirname "$0")/.." && pwd)
out=${4:-$here/results/runs/ablations}

run() # JOBS NAME POLICY [KEY=VALUE]: all seeds of one variant, unless they are there
{
    [ ! -e "$out/$1/$2/$3/seed-$seeds/summary.json" ] || return 0
    "$here/mlfs-sim" run "$trace" --preset paper-real --sample "$1" --seeds "1:$seeds" -p "$3" -o "$out/$1/$2" -q ${4:+--set "$4"} >/dev/null
}

# One number of a run: the mean completion time in minutes, or a key of summary.json.
figure() # FOLDER KEY
{
    case $2 in
    jct) awk '/"jct_s":/ { seen = 1 } seen && /"mean":/ { gsub(/[^0-9.eE+-]/, "", $2); print $2 / 60; exit }' "$1/summary.json" ;;
    *) awk -v key="\"$2\":" '$1 == key { gsub(/[^0-9.eE+-]/, "", $2); print $2; exit }' "$1/summary.json" ;;
    esac
}

row() # FIGURE LABEL KEY SCALE JOBS WITH WITHOUT PAPER
{
    for seed in $(seq "$seeds"); do
        echo "$(figure "$out/$5/$6/seed-$seed" "$3") $(figure "$out/$5/$7/seed-$seed" "$3")"
    done | awk -v figure="$1" -v label="$2" -v scale="$4" -v jobs="$5" -v paper="$8" '
        $1 != "" && $2 != "" && $1 != "null" { n++; a = $1 * scale; b = $2 * scale; with += a; without += b; d = a - b; sum += d; squares += d * d }
        END { # Student t, 97.5 %, for 1 to 30 degrees of freedom
            split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145 2.131 2.120 2.110 2.101 2.093 2.086 2.080 2.074 2.069 2.064 2.060 2.056 2.052 2.048 2.045 2.042", t, " ")
            mean = sum / n; if (mean < 1e-12 && mean > -1e-12) mean = 0; # sums of decimals
            sd = n > 1 ? sqrt((squares - n * mean * mean) / (n - 1)) : 0
            half = n > 1 ? t[n - 1 < 30 ? n - 1 : 30] * sd / sqrt(n) : 0
            printf "| %s | %s | %d | %.4g | %.4g | %+.3g ± %.2g | %s |\n", figure, label, jobs, with / n, without / n, mean, half, paper
        }'
}

echo "| figure | metric | jobs | with | without | difference, paired | paper: with, without |"
echo "|---|---|---|---|---|---|---|"
for jobs in $all_jobs; do
    run "$jobs" full mlf-h
    run "$jobs" control mlf-h-c
    run "$jobs" urgency mlf-h mlf_h.urgency=0
    run "$jobs" deadline mlf-h mlf_h.deadline=0
    run "$jobs" bandwidth mlf-h mlf_h.bandwidth=0
    run "$jobs" migrate mlf-h mlf_h.migrate=0
done
paper() # LIST JOBS: the paper's pair for this load
{
    echo "$1" | cut -d';' -f"$(echo "155 310 620 1240 1860" | tr ' ' '\n' | grep -nx "$2" | cut -d: -f1)"
}
rows() # FIGURE LABEL KEY SCALE WITH WITHOUT PAPER
{
    for jobs in $all_jobs; do row "$1" "$2" "$3" "$4" "$jobs" "$5" "$6" "$(paper "$7" "$jobs")"; done
}
rows 6 "urgent jobs: deadline met (urgency)" deadline_met_urgent 1 full/mlf-h urgency/mlf-h ".952, .778;.961, .770;.952, .752;.943, .743;.917, .709"
rows 6 "deadline met (deadlines)" deadline_met 1 full/mlf-h deadline/mlf-h ".943, .830;.943, .787;.935, .778;.917, .770;.917, .717"
rows 7 "bandwidth, TB (traffic)" bandwidth_bytes 1e-12 full/mlf-h bandwidth/mlf-h "32, 42;80, 100;114, 164;161, 212;215, 286"
rows 7 "mean JCT, min (traffic)" jct 1 full/mlf-h bandwidth/mlf-h "30.2, 36.3;32.9, 41.7;41.7, 51.9;51.2, 59.3;60.0, 70.8"
rows 8 "bandwidth, TB (migration)" bandwidth_bytes 1e-12 full/mlf-h migrate/mlf-h "26.5, 23.9;63.3, 56.9;91.3, 81.9;130.2, 117.3;181.6, 163.5"
rows 8 "overloads (migration)" overloads 1 full/mlf-h migrate/mlf-h "33, 52;79, 202;114, 364;163, 412;217, 585"
rows 8 "mean accuracy (migration)" accuracy_mean 1 full/mlf-h migrate/mlf-h ".937, .853;.929, .828;.937, .811;.937, .819;.920, .803"
rows 8 "mean JCT, min (migration)" jct 1 full/mlf-h migrate/mlf-h "29.8, 42.4;33.2, 46.6;42.4, 58.4;50.8, 71.0;60.1, 83.6"
rows 9 "accuracy met (load control)" accuracy_met 1 control/mlf-h-c full/mlf-h ".990, .899;.990, .860;.969, .829;.969, .809;.960, .779"
rows 9 "mean JCT, min (load control)" jct 1 control/mlf-h-c full/mlf-h "30.0, 42;33.9, 49;38.1, 57;40.9, 62.9;43.9, 73.9"
