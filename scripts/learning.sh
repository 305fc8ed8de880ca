#!/bin/sh
# scripts/learning.sh -- what MLF-RL learns: five training seeds, the cold start, and models taken elsewhere.
set -eu

usage() {
    cat <<TEXT
usage: sh scripts/learning.sh TRACE [PART [SIZE]]

PART  seeds     five training seeds on paper-real with 620 and with 1860 jobs and on philly at load 1.3: trained on the first half of
                the jobs, judged by the second; all five objectives of eq. 7 for mlf-h, mlf-h-c, mlf-rl, mlfs and rl
      cold      reward against the share of MLF-H's run that is imitated, without policy gradient (paper-real, 1860 jobs)
      transfer  a model trained on AlexNet and ResNet jobs, run on jobs of which most are Transformers: as it is, after as
                many iterations there, and trained there from the start (paper-real, 1860 jobs)
      all       the three (default)
SIZE  full      as the results in results/learning.md: seeds about 9 CPU hours (most of it philly), cold 15 minutes, transfer 5 hours
      small     two seeds, 155 jobs, four iterations: a minute, to see that it works

TRACE is the Philly log.  Prints Markdown tables.  Models, curves and runs are kept in results/runs/learning and not made again.
TEXT
}
case ${1-} in
-h | --help | "") usage; [ $# -gt 0 ] && exit 0; exit 2 ;;
esac
trace=$1 part=${2:-all} size=${3:-full}
case $part in seeds | cold | transfer | all) ;; *) usage >&2; exit 2 ;; esac
case $size in
full) seeds="1 2 3 4 5" cases="paper-real:620 paper-real:1860 philly:1.3" wide=1860 shares="0.02 0.05 0.1 0.2 0.5 1" effort= ;;
small) seeds="1 2" cases="paper-real:155" wide=155 shares="0.3 1" effort="--set rl.iterations=4 --set rl.check=2 --set rl.check_segments=2 --set rl.rollouts=4" ;;
*) usage >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd)
mlfs=${MLFS:-$here/mlfs-sim}
out=${LEARNING_OUT:-$here/results/runs/learning}
mkdir -p "$out"

# The options that make the jobs of a case.
jobs_of() # PRESET:JOBS_OR_LOAD
{
    case $1 in
    philly:*) echo "--preset philly --load ${1#*:}" ;;
    *) echo "--preset ${1%:*} --sample ${1#*:}" ;;
    esac
}

train() # MODEL OPTION...: unless it is there; an interrupted training goes on
{
    model=$1
    shift
    [ ! -e "$model" ] || return 0
    mkdir -p "$(dirname "$model")"
    resume=
    [ ! -e "$model.checkpoint" ] || resume=--resume
    # shellcheck disable=SC2086 # lists of options are meant to split
    "$mlfs" train "$trace" -o "$model" $resume $effort "$@" 2>"$model.log" || { cat "$model.log" >&2; exit 1; }
}

run() # FOLDER POLICY OPTION...: unless it is there
{
    folder=$1 policy=$2
    shift 2
    [ -e "$folder/$policy/summary.json" ] || "$mlfs" run "$trace" -p "$policy" -o "$folder" -q "$@" >/dev/null
}

half_of() # JOBS_CSV: the first row of the second half
{
    awk 'END { print int((NR - 1) / 2) }' "$1"
}

judge() # JOBS_CSV...: the second half by scripts/objectives.awk
{
    awk -v from="$(half_of "$1")" -f "$here/scripts/objectives.awk" "$@"
}

# Lines "SEED POLICY JOBS G1 .. G5 REWARD" to a table of means and the seeds on which a policy is at least mlf-h.
table()
{
    awk '
        { key = $2; if (!(key in n)) order[++policies] = key; n[key]++
          for (i = 4; i <= 9; i++) sum[key, i] += $i
          reward[key, $1] = $9; seed[$1] }
        END {
            print "| policy | g1 | g2 | g3 | g4 | g5 | reward | at least mlf-h |"; print "|---|---|---|---|---|---|---|---|"
            for (p = 1; p <= policies; p++) {
                key = order[p]; line = "| `" key "` |"; wins = all = 0
                for (i = 4; i <= 9; i++) line = line sprintf(" %.4f |", sum[key, i] / n[key])
                for (s in seed) { all++; wins += reward[key, s] >= reward["mlf-h", s] }
                print line " " (key == "mlf-h" ? "" : wins " of " all) " |"
            }
        }'
}

seeds() {
    for case in $cases; do
        # shellcheck disable=SC2046 # lists of options are meant to split
        for seed in $seeds; do
            at=$out/seeds/$case/$seed
            train "$at/mlf-rl.model" $(jobs_of "$case") -s "$seed" --set rl.seed="$seed"
            train "$at/rl.model" $(jobs_of "$case") -s "$seed" --set rl.seed="$seed" -p rl
            run "$at/all" mlf-h $(jobs_of "$case") -s "$seed" # only to count the jobs
            half=$(half_of "$at/all/mlf-h/jobs.csv")
            for policy in mlf-h mlf-h-c mlf-rl mlfs rl; do
                run "$at" $policy $(jobs_of "$case") -s "$seed" --measure "$half:" --set mlf_rl.model="$at/mlf-rl.model" \
                    --set rl.model="$at/rl.model"
            done
        done
        printf '\n### %s\n\n' "$case"
        for seed in $seeds; do
            at=$out/seeds/$case/$seed
            judge "$at"/mlf-h/jobs.csv "$at"/mlf-h-c/jobs.csv "$at"/mlf-rl/jobs.csv "$at"/mlfs/jobs.csv "$at"/rl/jobs.csv |
                sed "s|.*/\\([^/]*\\)/jobs.csv|$seed \\1|"
        done | tee "$out/seeds/$case.txt" | table
        printf '\nmlf-rl against mlf-h, paired over the second half of the jobs, seed by seed:\n\n'
        for seed in $seeds; do
            at=$out/seeds/$case/$seed
            "$mlfs" compare "$at/mlf-h" "$at/mlf-rl" --metric jct_s,deadline_met,accuracy_met,bytes_moved -q | sed "s/^/    seed $seed  /"
        done
    done
}

cold() {
    printf '\n### Cold start: paper-real, %s jobs, imitation only\n\n| share of the training half that MLF-H ran | decisions imitated | agreement held out | reward | mlf-h |\n|---|---|---|---|---|\n' $wide
    run "$out/cold" mlf-h --preset paper-real --sample $wide
    for share in $shares; do
        at=$out/cold/$share
        train "$at/mlf-rl.model" --preset paper-real --sample $wide --set rl.first_part="$share" --set rl.iterations=0 --set rl.check=0
        run "$at" mlf-rl --preset paper-real --sample $wide --set mlf_rl.model="$at/mlf-rl.model"
        figures=$(awk -F, '$1 == "imitate" { d = $6; a = $5 } END { printf "%d | %.3f", d, a }' "$at/mlf-rl.model.csv")
        judge "$out/cold/mlf-h/jobs.csv" "$at/mlf-rl/jobs.csv" | awk -v share="$share" -v figures="$figures" '
            NR == 1 { teacher = $8 } NR == 2 { printf "| %s | %s | %.4f | %.4f |\n", share, figures, $8, teacher }'
    done
}

transfer() {
    cnn="--set model.families=alexnet,resnet" other="--set model.families=transformer,transformer,transformer,lstm"
    at=$out/transfer base="--preset paper-real --sample $wide"
    # shellcheck disable=SC2086 # lists of options are meant to split
    {
        train "$at/cnn.model" $base $cnn
        train "$at/tuned.model" $base $other --from "$at/cnn.model"
        train "$at/native.model" $base $other
        run "$at" mlf-h $base $other
        for model in cnn tuned native; do
            run "$at/$model" mlf-rl $base $other --set mlf_rl.model="$at/$model.model"
        done
    }
    printf '\n### Transfer: three in four jobs Transformers, paper-real, %s jobs\n\n' $wide
    judge "$at/mlf-h/jobs.csv" "$at/cnn/mlf-rl/jobs.csv" "$at/tuned/mlf-rl/jobs.csv" "$at/native/mlf-rl/jobs.csv" | awk '
        BEGIN { print "| model | g1 | g2 | g3 | g4 | g5 | reward |"; print "|---|---|---|---|---|---|---|"
                split("mlf-h, no model|trained on AlexNet and ResNet|the same, fine-tuned here|trained here", label, "|") }
        { printf "| %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f |\n", label[NR], $3, $4, $5, $6, $7, $8 }'
}

for each in seeds cold transfer; do
    if [ "$part" = all ] || [ "$part" = $each ]; then $each; fi
done
