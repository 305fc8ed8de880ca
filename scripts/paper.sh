#!/bin/sh
# scripts/paper.sh -- the MLFS paper's figures from nothing: runs, panels beside the paper's own, one table of all values.
set -eu

usage()
{
    cat <<TEXT
usage: sh scripts/paper.sh TRACE FIGURE... [options]

Makes figures of the MLFS paper from TRACE, the Philly log (cluster_job_log, plain or packed).  Needs ./mlfs-sim.

  FIGURE   runs                                                                   processor time
  4        155 to 1860 jobs on 80 GPUs, ten policies, ten seeds: 500              39 s for the 350 of the seven policies
                                                                                  that were not trained; mlf-rl, mlfs: 69 s
  5        58,663 jobs x 0.5, 1 and 2 on 2,474 GPUs, ten policies, three seeds: 90  one seed of these seven: 454 s at load
                                                                                  0.5; of mlf-h 26 s, at load 1 90 s; load 2
                                                                                  was not measured
  6        155 to 1860 jobs, with and without urgency or deadlines, ten seeds: 150  6 to 9 together 51 s, after 4
  7        without bandwidth: 100        8   without migration: 100       9   with load control: 100
  all      4 to 9

  -o DIR           runs go to DIR/runs/paper and stay, figures and paper.csv to DIR/paper [results]
  --full           figure 5 with ten seeds and loads up to 4
  --loads LIST     other loads (figure 5) or numbers of jobs (the others), with commas between
  --seeds A:B      other seeds
  --policies LIST  other policies in figures 4 and 5
  --model FILE     trained model for mlf-rl and mlfs, as \`mlfs-sim train\` writes it [the one that the program has]
  --rl-model FILE  the same for rl
  --jobs N         figure 5 with N jobs drawn from the trace, which is no longer the paper's figure: to see that it works
  -- OPTIONS       the rest is for scripts/sweep.sh, such as --on slurm --wait

Finished runs are skipped.  Policies that this mlfs-sim does not have, or has no trained model for, are named and left out.  Runs
with two different models are not drawn together: use another -o for another model.  With runs that failed the figures are drawn
without them and the exit status is 1.
TEXT
}

fail() { echo "paper.sh: $1" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
program=${MLFS:-${here%/*}/mlfs-sim}
trace='' figures='' dir=${here%/*}/results full='' loads='' seeds='' jobs='' model='' rl_model=''
policies=mlfs,mlf-rl,mlf-h,graphene,tiresias,hypersched,rl,gandiva,borg,slaq
[ $# -gt 0 ] || { usage >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in -o | --loads | --seeds | --policies | --jobs | --model | --rl-model) [ $# -gt 1 ] || fail "$1: needs a value" ;; esac
    case $1 in
    -h | --help) usage; exit 0 ;;
    -o) dir=$2; shift ;;
    --full) full=1 ;;
    --loads) loads=$2; shift ;;
    --seeds) seeds=$2; shift ;;
    --policies) policies=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --model) model=$2; shift ;;
    --rl-model) rl_model=$2; shift ;;
    --) shift; break ;;
    -*) fail "unknown option '$1'" ;;
    *)
        if [ -z "$trace" ]; then trace=$1
        else
            case $1 in
            all) figures="4 5 6 7 8 9" ;;
            [4-9]) figures="$figures $1" ;;
            *) fail "figure '$1': there are 4, 5, 6, 7, 8, 9 and all" ;;
            esac
        fi
        ;;
    esac
    shift
done
[ -n "$figures" ] || fail "which figures? there are 4, 5, 6, 7, 8, 9 and all"
[ -r "$trace" ] || fail "$trace: this trace cannot be read"
[ -x "$program" ] || fail "$program: not there; run make first"

for file in "$model" "$rl_model"; do
    [ -z "$file" ] || [ -r "$file" ] || fail "$file: this model cannot be read"
done
setting_of() # POLICY: KEY=VALUE of the model that was given for it
{
    case $1 in
    mlf-rl | mlfs) [ -z "$model" ] || printf %s "mlf_rl.model=$model" ;;
    rl) [ -z "$rl_model" ] || printf %s "rl.model=$rl_model" ;;
    esac
}

# A policy that learnt shows with one job whether there is a model for it.
tried=$(mktemp -d)
trap 'rm -rf "$tried"' EXIT
tries() # POLICY
{
    set -- "$1" "$(setting_of "$1")"
    printf 'job_id,submit_s,n_gpus,duration_s,status\na,0,1,1,Pass\n' |
        "$program" run - --preset paper-real -p "$1" ${2:+--set "$2"} -o "$tried/runs" -q >"$tried/said" 2>&1
}

# tiresias is another name of tiresias-g.
known=$("$program" list policies | awk '/^[^ ]/ { printf "%s,", $1 } END { print "tiresias" }')
wanted='' learnt='' absent=''
for policy in $(printf %s "$policies" | tr ',' ' '); do
    case ,$known, in
    *,"$policy",*) ;;
    *) absent="$absent $policy"; continue ;;
    esac
    case $policy in
    mlf-rl | mlfs | rl)
        if ! tries "$policy"; then
            echo "paper.sh: $policy is left out: $(sed 's/^mlfs-sim: //' "$tried/said" | tail -n 1)" >&2
            continue
        fi
        ;;
    esac
    if [ -z "$(setting_of "$policy")" ]; then wanted=${wanted:+$wanted,}$policy; else learnt="$learnt $policy"; fi
done
[ -z "$absent" ] || echo "paper.sh: this mlfs-sim has no policy$absent; left out" >&2
[ -n "$wanted$learnt" ] || fail "no policy is left"

runs=$dir/runs/paper
mkdir -p "$runs" "$dir/paper"
real() # NAME POLICIES [KEY=VALUE]: a grid of figures 4 and 6 to 9
{
    cat >"$runs/$1.grid" <<TEXT
trace   $trace
preset  paper-real
policy  $2
sample  ${loads:-155, 310, 620, 1240, 1860}
seeds   ${seeds:-1:10}
${3:+set     $3}
TEXT
}
simulated() # NAME POLICIES [KEY=VALUE]: a grid of figure 5
{
    if [ -n "$full" ]; then all_loads="0.5, 1, 2, 3, 4" all_seeds=1:10; else all_loads="0.5, 1, 2" all_seeds=1:3; fi
    cat >"$runs/$1.grid" <<TEXT
trace   $trace
preset  paper-sim
policy  $2
load    ${loads:-$all_loads}
seeds   ${seeds:-$all_seeds}
${jobs:+sample  $jobs}
${3:+set     $3}
TEXT
}
all_policies() # real|simulated NAME: a grid for most of them, one for each with a model that was given
{
    if [ -n "$wanted" ]; then "$1" "$2" "$wanted"; grids="$grids $2"; fi
    for policy in $learnt; do
        "$1" "$2-$policy" "$policy" "$(setting_of "$policy")"
        grids="$grids $2-$policy"
    done
}
grids=' '
for figure in $figures; do
    case $figure in
    4) all_policies real fig4 ;;
    5) all_policies simulated fig5 ;;
    6)
        real whole mlf-h
        real urgency mlf-h mlf_h.urgency=0
        real deadline mlf-h mlf_h.deadline=0
        grids="$grids whole urgency deadline"
        ;;
    7) real whole mlf-h; real bandwidth mlf-h mlf_h.bandwidth=0; grids="$grids whole bandwidth" ;;
    8) real whole mlf-h; real migrate mlf-h mlf_h.migrate=0; grids="$grids whole migrate" ;;
    9) real whole mlf-h; real control mlf-h-c; grids="$grids whole control" ;;
    esac
done
for grid in $grids; do set -- "$runs/$grid.grid" "$@"; done
status=0
MLFS=$program sh "$here/sweep.sh" -o "$runs" "$@" || status=$?
[ "$status" -le 1 ] || exit "$status"
"$program" plot --paper "$runs" -o "$dir/paper"
exit "$status"
