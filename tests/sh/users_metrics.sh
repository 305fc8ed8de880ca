#!/bin/sh
# tests/sh/users_metrics.sh -- what users of simulators ran into: figures, large and small numbers, repeated runs.
set -eu
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/replay.sh"

id=u43_allocation_is_time_weighted
ok "$id" replay u43 fifo 1x4 'a,0,2,10 / b,20,4,5'
summary_is u43/fifo .gpu_allocation 0.4 .gpu_seconds.useful 40 .makespan_s 25

id=u47_deadline_met_at_equality
columns=$columns,dl
ok "$id" replay u47 fifo 1x1 'a,0,1,100,100 / b,0,1,50,150 / c,0,1,25,100'
cells_are u47/fifo 'end_s deadline_s deadline_met' a '100 100 1' b '150 150 1' c '175 100 0'
is "$id share" 0.6667 "$(summary u47/fifo .deadline_met | xargs printf %.4f)"
ok "$id horizon" again u47 fifo 1x1 --horizon 160
cells_are u47/fifo 'state end_s deadline_met' c 'running  0'
is "$id share with one unfinished" 0.6667 "$(summary u47/fifo .deadline_met | xargs printf %.4f)"
columns=${columns%,dl}

id=u51_tenths_of_seconds
ok "$id" replay u51 fifo 1x1 "$(awk 'BEGIN { for (i = 0; i < 10; i++) printf "%sj%d,0,1,0.1", i ? " / " : "", i }')" --events u51.events
is "$id ends" '0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1' \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { print $c["end_s"] }' u51/fifo/jobs.csv | xargs)"
summary_is u51/fifo .jct_s.mean 0.55 .makespan_s 1
is "$id starts and ends" '10 10' "$(grep -c ',start,' u51.events) $(grep -c ',end,' u51.events)"

id=u53_large_numbers
ok "$id" replay u53a fifo philly 'a,0,2474,1000000'
summary_is u53a/fifo .gpu_seconds.useful 2474000000
ok "$id" replay u53b fifo 1x1 'b,0,1,3000000000'
cells_are u53b/fifo 'end_s jct_s' b '3000000000 3000000000'

id=u55_ties_in_file_order
ok "$id" replay u55 fifo 1x2 'a,0,2,30 / b,0,2,20 / c,0,2,10'
cells_are u55/fifo end_s a 30 b 50 c 60
is "$id mean" 46.6667 "$(summary u55/fifo .jct_s.mean | xargs printf %.4f)"

id=u57_seeds
rows=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "%sj%d,%d,%d,%d", i ? " / " : "", i, i % 3, 1 + i % 4, 10 + i }')
for run in first second; do
    ok "$id $run" replay u57 random 2x4 "$rows"
    mv u57 "u57-$run"
    ok "$id $run seed 7" again u57 random 2x4 -s 7
    mv u57 "u57-$run-7"
done
ok "$id seed 8" again u57 random 2x4 -s 8
ok "$id same without a seed" cmp u57-first/random/jobs.csv u57-second/random/jobs.csv
ok "$id same with seed 7" cmp u57-first-7/random/jobs.csv u57-second-7/random/jobs.csv
ok "$id seed 8 differs from 7" eval '! cmp -s u57/random/jobs.csv u57-first-7/random/jobs.csv'
is "$id run.json tells seed and generator" '1 xoshiro256**' "$(jq -r '"\(.seed) \(.random_generator)"' u57-first/random/run.json)"
is "$id run.json tells the seed given" '8 xoshiro256**' "$(jq -r '"\(.seed) \(.random_generator)"' u57/random/run.json)"
for seed in 7 7 8; do
    "$MLFS" generate --jobs 200 -s $seed -o "gen-$seed.csv" -q
    [ -e "gen-$seed-before.csv" ] || cp "gen-$seed.csv" "gen-$seed-before.csv"
done
ok "$id generate repeats" cmp gen-7.csv gen-7-before.csv
ok "$id generate differs by seed" eval '! cmp -s gen-7.csv gen-8.csv'

id=u75_arrival_scale
ok "$id 1" replay u75 fifo 1x1 'a,0,1,10 / b,1000,1,10'
summary_is u75/fifo .makespan_s 1010
ok "$id 0.01" again u75 fifo 1x1 --arrival-scale 0.01
cells_are u75/fifo submit_s b 10
summary_is u75/fifo .makespan_s 20
is "$id is told in run.json" 0.01 "$(jq .selection.arrival_scale u75/fifo/run.json)"

finish
