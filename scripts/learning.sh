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
SIZE  full      as the results in results/learning.md: seeds about 30 minutes of CPU time, cold 2, transfer 4
      small     two seeds, 155 jobs, four iterations: a minute, to see that it works

TRACE is the Philly log.  Prints Markdown tables; gnuplot draws learning_cold.png and learning_transfer.png into results/ (small: into
the folder of the runs).  Models, curves and runs are kept in results/runs/learning and not made again.
TEXT
}
case ${1-} in
-h | --help | "") usage; [ $# -gt 0 ] && exit 0; exit 2 ;;
esac
trace=$1 part=${2:-all} size=${3:-full}
case $part in seeds | cold | transfer | all) ;; *) usage >&2; exit 2 ;; esac
case $size in
full) seeds="1 2 3 4 5" cases="paper-real:620 paper-real:1860 philly:1.3" wide=1860 shares="0.02 0.05 0.1 0.2 0.5 1" least='' pictures=results ;;
small) seeds="1 2" cases="paper-real:155" wide=155 shares="0.3 1" pictures='' least="--set rl.iterations=4 --set rl.check=2 --set rl.check_segments=2 --set rl.rollouts=4" ;;
*) usage >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd)
mlfs=${MLFS:-$here/mlfs-sim}
out=${LEARNING_OUT:-$here/results/runs/learning}
pictures=${pictures:+$here/results}
pictures=${pictures:-$out}
mkdir -p "$out"

# The options that make the jobs of a case.
jobs_of() # PRESET:JOBS_OR_LOAD
{
    case $1 in
    philly:*) echo "--preset philly --load ${1#*:}" ;;
    *) echo "--preset ${1%:*} --sample ${1#*:}" ;;
    esac
}

# How it is trained, beside what is the default.  1860 jobs are more than the cluster can do: runs of a whole day differ by chance in more
# than a decision is worth, so pieces are as thin as those of 620 jobs and thinner, and the more of them.  The Philly cluster holds jobs that
# run for days, so that pieces need a day to fill it, and its log is busier in the second half.
effort_of() # PRESET:JOBS_OR_LOAD
{
    case $1 in
    philly:*) echo "--set rl.warm=1440 --set rl.loads=1,1.5,2 --set rl.first_part=1" ;;
    paper-real:1860) echo "--set rl.iterations=300 --set rl.check=60 --set rl.loads=0.15,0.25,0.35" ;;
    esac
    echo "$least"
}

# The baseline rl has fewer iterations where one is long, and fewer trials: its own reward, completion times, is plain to see.
effort_of_rl() # PRESET:JOBS_OR_LOAD
{
    effort_of "$1"
    case $1 in
    philly:*) echo "--set rl.iterations=40 --set rl.check_segments=8" ;;
    paper-real:1860) echo "--set rl.iterations=120 --set rl.check_segments=8" ;;
    esac
    echo "$least"
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
    "$mlfs" train "$trace" -o "$model" $resume "$@" 2>"$model.log" || { cat "$model.log" >&2; exit 1; }
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

# Lines of judge as "SEED POLICY ..." to a table of means and the seeds on which a policy is at least mlf-h.
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

# The same to a table of seeds: the reward of mlf-h, and what mlf-rl has more, with its interval over the jobs.
by_seed()
{
    echo "| seed | jobs | mlf-h | mlf-rl | difference, paired over jobs | |"
    echo "|---|---|---|---|---|---|"
    awk '
        $2 == "mlf-h" { teacher = $9 }
        $2 == "mlf-rl" {
            printf "| %s | %d | %.4f | %.4f | %+.4f (%+.4f to %+.4f) | %+.2f %% |\n", $1, $3, teacher, $9, $10, $10 - $11, $10 + $11,
                100 * ($9 / teacher - 1) }'
}

seeds() {
    for case in $cases; do
        # shellcheck disable=SC2046 # lists of options are meant to split
        for seed in $seeds; do
            at=$out/seeds/$case/$seed
            train "$at/mlf-rl.model" $(jobs_of "$case") -s "$seed" --set rl.seed="$seed" $(effort_of "$case")
            train "$at/rl.model" $(jobs_of "$case") -s "$seed" --set rl.seed="$seed" -p rl $(effort_of_rl "$case")
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
        printf '\n'
        by_seed <"$out/seeds/$case.txt"
        for seed in $seeds; do # single figures with their intervals, to be read there
            at=$out/seeds/$case/$seed
            "$mlfs" compare "$at/mlf-h" "$at/mlf-rl" --metric jct_s,deadline_met,accuracy_met,accuracy_at_deadline,bytes_moved -q >"$at/compare.txt"
        done
    done
}

picture() # FILE SETTINGS PLOT
{
    command -v gnuplot >/dev/null || { echo "learning.sh: no gnuplot: $1 is not drawn" >&2; return 0; }
    printf '%s\n' "load '$here/scripts/figures/style.gp'" "name = '${1%.png}'" 'eval picture(1, 800, 420)' "$2" "$3" | gnuplot
}

cold() {
    mkdir -p "$out/cold"
    printf '\n### Cold start: paper-real, %s jobs, imitation only, means over %s seeds\n\n' $wide "$(echo "$seeds" | wc -w)"
    echo "| share of the training half that MLF-H ran | decisions imitated | agreement held out | reward | mlf-h | difference and its standard error |"
    echo "|---|---|---|---|---|---|"
    for share in $shares; do
        for seed in $seeds; do
            at=$out/cold/$seed/$share jobs="--preset paper-real --sample $wide -s $seed"
            # shellcheck disable=SC2086 # lists of options are meant to split
            {
                train "$at/mlf-rl.model" $jobs --set rl.seed="$seed" --set rl.first_part="$share" --set rl.iterations=0 --set rl.check=0
                run "$out/cold/$seed" mlf-h $jobs
                run "$at" mlf-rl $jobs --set mlf_rl.model="$at/mlf-rl.model"
            }
            awk -F, '$1 == "imitate" { d = $6; a = $5 } END { printf "%d %s ", d, a }' "$at/mlf-rl.model.csv"
            judge "$out/cold/$seed/mlf-h/jobs.csv" "$at/mlf-rl/jobs.csv" | awk 'NR == 1 { teacher = $8 } NR == 2 { print $8, teacher }'
        done | awk -v share="$share" '
            { d += $1; a += $2; r += $3; t += $4; s += ($3 - $4) ^ 2 }
            END { m = (r - t) / NR
                  printf "| %s | %d | %.3f | %.4f | %.4f | %+.4f ± %.4f |\n", share, d / NR, a / NR, r / NR, t / NR, m, sqrt((s / NR - m * m) / (NR - 1)) }'
    done | tee "$out/cold/figures"
    picture "$pictures/learning_cold.png" 'set logscale x; set border 11; set xlabel "Decisions of MLF-H that were imitated"; set ylabel "Reward"; set y2label "Agreement held out"; set y2tics; set key bottom right; set datafile separator "|"' \
        "plot '$out/cold/figures' using 3:5 with linespoints ls style_of('mlf-rl', 1) title 'mlf-rl without policy gradient', '' using 3:6 with lines ls style_of('mlf-h', 1) title 'mlf-h', '' using 3:4 axes x1y2 with linespoints ls style_of('without', 1) title 'agreement (right)'"
}

transfer() {
    cnn="--set model.families=alexnet,resnet" other="--set model.families=transformer,transformer,transformer,lstm"
    at=$out/transfer base="--preset paper-real --sample $wide" effort=$(effort_of paper-real:1860)
    # shellcheck disable=SC2086 # lists of options are meant to split
    {
        train "$at/cnn.model" $base $cnn $effort
        train "$at/tuned.model" $base $other --from "$at/cnn.model" $effort
        train "$at/native.model" $base $other $effort
        run "$at" mlf-h $base $other
        for model in cnn tuned native; do
            run "$at/$model" mlf-rl $base $other --set mlf_rl.model="$at/$model.model"
        done
    }
    printf '\n### Transfer: three in four jobs Transformers, paper-real, %s jobs\n\n' $wide
    judge "$at/mlf-h/jobs.csv" "$at/cnn/mlf-rl/jobs.csv" "$at/tuned/mlf-rl/jobs.csv" "$at/native/mlf-rl/jobs.csv" >"$at/figures"
    awk '
        BEGIN { print "| model | g1 | g2 | g3 | g4 | g5 | reward | more than mlf-h, paired over jobs |"; print "|---|---|---|---|---|---|---|---|"
                split("mlf-h, no model|trained on AlexNet and ResNet|the same, fine-tuned here|trained here", label, "|") }
        { printf "| %s | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %s |\n", label[NR], $3, $4, $5, $6, $7, $8,
            NR == 1 ? "" : sprintf("%+.4f (%+.4f to %+.4f)", $9, $9 - $10, $9 + $10) }' "$at/figures"
    picture "$pictures/learning_transfer.png" 'set ylabel "Reward less that of mlf-h"; set xrange [0.5:3.5]; set boxwidth 0.5; set style fill solid; set xzeroaxis; set xtics ("trained on CNNs" 1, "and fine-tuned here" 2, "trained here" 3); unset key' \
        "plot '$at/figures' every ::1 using (\$0+1):9 with boxes ls style_of('mlf-rl', 1), '' every ::1 using (\$0+1):9:10 with yerrorbars ls style_of('fifo', 1)"
}

for each in seeds cold transfer; do
    if [ "$part" = all ] || [ "$part" = $each ]; then $each; fi
done
