#!/bin/sh
# tests/sh/learningtables.sh -- the tables and pictures of results/learning.md are made by their command, here at a reduced size.
set -eu
. "$(dirname "$0")/../tap.sh"

"$MLFS" generate --jobs 900 --as philly -s 5 -o log.json -q
learning() { LEARNING_OUT=$PWD/runs sh "$ROOT/scripts/learning.sh" log.json all small >learning.md; }
ok learning_all_parts learning

# The columns of each table, and of its rows what is not a figure.
shape() { grep -E '^\| (policy|seed|share|model|`|mlf-h|trained|the same)' "$1" | sed 's/[-+]\{0,1\}[0-9][0-9.]*/N/g' | sort -u; }
shape "$ROOT/results/learning.md" >wanted
shape learning.md >found
is learning_rows 13 "$(wc -l <wanted | tr -d ' ')"
ok learning_shape cmp wanted found
is learning_seeds 2 "$(grep -cE '^\| [12] \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [-+][0-9.]+ \(' learning.md)"
is learning_shares 2 "$(grep -cE '^\| (0\.3|1) \| [0-9]+ \| [01]\.[0-9]+ \| [0-9.]+ \| [0-9.]+ \| [-+][0-9.]+ ± [0-9.]+ \|$' learning.md)"
if command -v gnuplot >/dev/null; then
    for picture in learning_cold learning_transfer; do
        is $picture PNG "$(head -c 4 runs/$picture.png | tail -c 3)"
    done
else
    skip learning_pictures "gnuplot is not here"
fi
finish
