#!/bin/sh
# tests/sh/scale.sh -- what must not grow: memory per job, files opened, events and rounds per job.
set -eu
. "$(dirname "$0")/../tap.sh"

# ---- u61: a file is opened once, not for every row ----
"$MLFS" generate --jobs 10000 -o ten.csv -q
if strace -f -o opens -e trace=open,openat,openat2,creat "$MLFS" run ten.csv -c philly -p fifo -o ten --events ten.events -q >/dev/null 2>err
then
    ok "u61_files_opened: $(grep -c open opens) for 10,000 jobs" [ "$(grep -c open opens)" -lt 100 ]
else
    skip "u61_files_opened" "strace cannot trace here"
fi

# ---- u59: memory is linear in the jobs ----
peak() # JOBS: KiB
{
    "$MLFS" generate --jobs "$1" -o big.csv -q
    /usr/bin/time -f %M -o peak "$MLFS" run big.csv -c philly -p fifo -o big -q >/dev/null
    cat peak
}
small=$(peak 117325)
rounds_small=$(jq .rounds big/fifo/overhead.json)
large=$(peak 469300)
rounds_large=$(jq .rounds big/fifo/overhead.json)
ok "u59_memory_of_117325_jobs: $small KiB" [ "$small" -lt $((117325 + 200 * 1024)) ]
ok "u59_memory_of_469300_jobs: $large KiB" [ "$large" -lt $((469300 + 200 * 1024)) ]
ok "u59_memory_ratio" [ $((large * 10)) -le $((small * 45)) ]
ok "u61_rounds_grow_with_the_jobs: $rounds_small, $rounds_large" [ "$rounds_large" -le $((rounds_small * 9 / 2)) ]
finish
