#!/bin/sh
# tests/sh/paperfigures.sh -- every figure of the MLFS paper is made by its command, here at a reduced size and compared in shape.
set -eu
. "$(dirname "$0")/../tap.sh"

"$MLFS" generate --jobs 500 --as philly -s 5 -o log.json -q
policies=mlf-h,tiresias,borg,slaq,hypersched
# All is drawn once, at the second command; elsewhere tables are looked at and gnuplot would take most of the time.
mkdir undrawn
printf '#!/bin/sh\n' >undrawn/gnuplot
chmod +x undrawn/gnuplot
quick() { PATH=$WORK/undrawn:$PATH sh "$ROOT/scripts/paper.sh" "$@"; }
ok paper_figures_4_and_6_to_9 quick log.json 4 6 7 8 9 -o out --loads 155,310 --seeds 1:2 --policies "$policies"
ok paper_figure_5 sh "$ROOT/scripts/paper.sh" log.json 5 -o out --loads 0.5,1 --seeds 1:2 --policies "$policies" --jobs 150
is paper_runs "$((5 * 2 * 2 + 5 * 2 * 2 + 5 * 2 * 2))" "$(find out/runs/paper -name summary.json | wc -l)"
is paper_columns "figure,panel,load,policy,paper,median,p1,p99,seeds,tau" "$(head -n 1 out/paper/paper.csv)"

ours() { awk -F, -v figure="$1" 'NR > 1 && $1 == figure && $9 > 0' out/paper/paper.csv | cut -d, -f "$2" | sort -u | paste -sd ' ' -; }
for figure in 4 5; do
    also=$([ $figure = 5 ] || echo "mlf-h-c ") # of figure 9, with which it shares its runs
    is "paper_policies_$figure" "borg hypersched mlf-h ${also}slaq tiresias" "$(ours $figure 4)"
    is "paper_panels_$figure" "b c d e f g h" "$(ours $figure 2)"
    is "paper_seeds_$figure" 2 "$(ours $figure 9)"
    ok "paper_figure_$figure" [ -s out/paper/fig${figure}a.png ]
done
is paper_loads_4 "155 310" "$(ours 4 3)"
is paper_loads_5 "0.5 1" "$(ours 5 3)"
for panel in 6a 6b 7a 7b 8a 8b 8c 8d 9a 9b; do
    ok "paper_panel_$panel" [ -s out/paper/fig$panel.png ]
done
for figure in 6 7 8 9; do
    is "paper_sides_$figure" "with without" "$(ours $figure 4)"
    is "paper_loads_$figure" "155 310" "$(ours $figure 3)"
done

# Again: nothing is run, the same table.
cp out/paper/paper.csv before.csv
find out/runs/paper -name run.json -exec stat -c '%n %i' {} + | sort >before
ok paper_again quick log.json 4 6 7 8 9 -o out --loads 155,310 --seeds 1:2 --policies "$policies" -- -j 1
find out/runs/paper -name run.json -exec stat -c '%n %i' {} + | sort >after
ok paper_again_does_nothing cmp before after
ok paper_again_table cmp before.csv out/paper/paper.csv

status=0
quick log.json 4 -o few --loads 155 --seeds 1:1 --policies fifo,nosuch >said 2>&1 || status=$?
is paper_absent_policy 0 $status
ok paper_absent_policy_is_named grep -q "has no policy nosuch; left out" said

# Trained policies take the model that is given; what is no model is said, and its policies are left out.
small="--preset paper-real --sample 60 --set rl.iterations=0 --set rl.first_part=0.2 --set rl.imitate_epochs=1"
# shellcheck disable=SC2086 # a list of options is meant to split
for policy in mlf-rl rl; do "$MLFS" train log.json -q --policy $policy -o $policy.model $small; done
ok paper_trained quick log.json 4 -o trained --loads 155 --seeds 1:1 --policies mlf-h,mlfs,mlf-rl,rl \
    --model mlf-rl.model --rl-model rl.model
is paper_trained_policies "mlf-h mlf-rl mlfs rl" \
    "$(awk -F, '$1 == 4 && $9 > 0 { print $4 }' trained/paper/paper.csv | sort -u | paste -sd ' ' -)"
is paper_trained_model '"mlf-rl.model"' "$(jq -c '.parameters["mlf_rl.model"]' trained/runs/paper/*/mlfs/seed-1/run.json)"
status=0
sh "$ROOT/scripts/paper.sh" log.json 4 -o trained --loads 155 --seeds 1:1 --policies mlfs --model log.json >said 2>&1 || status=$?
is paper_no_model 2 $status
ok paper_no_model_is_named grep -q "^paper.sh: mlfs is left out: log.json" said
status=0
sh "$ROOT/scripts/paper.sh" log.json 3 >said 2>&1 || status=$?
is paper_no_such_figure 2 $status
finish
