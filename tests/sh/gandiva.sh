#!/bin/sh
# tests/sh/gandiva.sh -- Gandiva over preset paper-real: it moves jobs, and none to and fro.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

sample=$ROOT/traces/samples/philly-2k.csv

# returns EVENTS: how often a job puts a task on a server that one of its tasks left within the last half hour.
returns()
{
    awk -F, '$2 == "migrate" {
        split($5, gpu, "[ :]")
        from = $3 " " gpu[1]
        to = $3 " " gpu[3]
        if (from == to) next
        if (to in left && $1 > left[to] && $1 - left[to] < 1800) back++
        left[from] = $1
    } END { print back + 0 }' "$1"
}

for jobs in 155 310 620; do
    for seed in 1 2; do
        "$MLFS" run "$sample" --preset paper-real --sample "$jobs" -s "$seed" -p gandiva --strict -q -o results --events events.csv >table
        ok "no ping-pong, $jobs jobs, seed $seed" test "$(returns events.csv)" = 0
        cat events.csv >>all.csv
    done
done
ok "tasks move between servers" test "$(awk -F, '$2 == "migrate" { split($5, gpu, "[ :]"); n += gpu[1] != gpu[3] } END { print (n > 20) }' all.csv)" = 1
ok "jobs take turns" test "$(grep -c ',resume,' all.csv)" -gt 100
finish
