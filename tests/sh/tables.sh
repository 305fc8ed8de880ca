#!/bin/sh
# tests/sh/tables.sh -- the tables of results/ are made by their commands, here at a reduced size and compared in shape.
set -eu
. "$(dirname "$0")/../tap.sh"

# Tables are looked at, not figures, on which gnuplot would spend most of the time.
mkdir undrawn
printf '#!/bin/sh\n' >undrawn/gnuplot
chmod +x undrawn/gnuplot
PATH=$WORK/undrawn:$PATH
# Both are compared at the numbers of jobs that are run here.
"$MLFS" generate --jobs 900 --as philly -s 5 -o log.json -q

# Columns, and rows without what was measured: figure, metric, jobs, the paper's values.
ablations_shape() { grep -E '^\|[^|]*\|[^|]*\| (jobs|---|155|310) \||^\|---' "$1" | awk -F'|' -v OFS='|' '/^\| [0-9]/ { $5 = $6 = $7 = "" } 1'; }
ablations() { sh "$ROOT/scripts/ablations.sh" log.json 2 155,310 ablations >ablations.md; }
ok tables_ablations ablations
ablations_shape "$ROOT/results/ablations.md" >wanted
ablations_shape ablations.md >found
is tables_ablations_rows 22 "$(wc -l <wanted)"
ok tables_ablations_shape cmp wanted found
is tables_ablations_values 20 "$(grep -cE '^\|.*\| [0-9.e+-]+ \| [0-9.e+-]+ \| [-+][0-9.e+-]+ ± [0-9.e+-]+ \|' ablations.md)"

# Headings, columns, policies in their order.
comparison_shape() # FILE: the parts with 155 jobs and with philly at load 1, GPUs exclusive
{
    awk '/^## GPUs shared/ { exit } /^##+ / { on = / 155 jobs|load 1,/ } on' "$1" | sed 's/, seeds.*//; s/^\([a-z][a-z-]*\) .*[0-9]%$/\1/' | sed '/^policy/s/  */ /g; /^ .*vs/s/.*vs/vs/'
}
comparison() { sh "$ROOT/scripts/comparison.sh" log.json 2 155 comparison >comparison.md; }
ok tables_comparison comparison
comparison_shape "$ROOT/results/comparison.md" >wanted
comparison_shape comparison.md >found
is tables_comparison_policies 24 "$(grep -c '^[a-z-]*$' wanted)"
ok tables_comparison_shape cmp wanted found
is tables_comparison_taus 2 "$(grep -cE '^\| 155 \|( -?[01]\.[0-9]+ \|){6}$' comparison.md)"
is tables_comparison_halves 2 "$(grep -c '^## GPUs' comparison.md)"
finish
