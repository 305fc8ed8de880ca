#!/bin/sh
# tests/sh/users_traces.sh -- what users of simulators ran into: line ends, order, origin and provenance of traces.
set -eu
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/replay.sh"

id=u09_line_ends
printf 'job_id,submit_time,num_gpu,duration\r\n1,0,1,10\r\n2,0,1,20' >u09.csv
ok "$id CRLF, no last newline" again u09 fifo 1x1
mv u09 u09-crlf
printf 'job_id,submit_time,num_gpu,duration\n1,0,1,10\n2,0,1,20\n' >u09.csv
ok "$id LF" again u09 fifo 1x1
cells_are u09/fifo jct_s 1 10 2 30
summary_is u09/fifo .jct_s.mean 20
for file in jobs.csv summary.json timeline.csv; do
    ok "$id $file is the same" cmp u09/fifo/$file u09-crlf/fifo/$file
done

id=u15_unsorted_trace
ok "$id" replay u15 fifo 1x1 'x,20,1,10 / y,0,1,30 / w,10,1,5'
cells_are u15/fifo 'start_s end_s jct_s' y '0 30 30' w '30 35 25' x '35 45 25'
is "$id mean" 26.6667 "$(summary u15/fifo .jct_s.mean | xargs printf %.4f)"
summary_is u15/fifo .makespan_s 45
mv u15 u15-unsorted
ok "$id sorted" replay u15 fifo 1x1 'y,0,1,30 / w,10,1,5 / x,20,1,10'
ok "$id same jobs.csv" cmp u15/fifo/jobs.csv u15-unsorted/fifo/jobs.csv

id=u17_time_origin
ok "$id 0" replay u17a fifo 1x2 '1,0,2,50 / 2,10,2,30'
ok "$id 39600" replay u17b fifo 1x2 '1,39600,2,50 / 2,39610,2,30'
for run in u17a u17b; do
    cells_are $run/fifo jct_s 1 50 2 70
    summary_is $run/fifo .jct_s.mean 60 .makespan_s 80 .gpu_allocation 1
done
cells_are u17b/fifo 'submit_s end_s' 2 '39610 39680'

id=u67_nothing_to_replay
refused() # FILE PATTERN: exit status 3 and a sentence that says why
{
    status=0
    "$MLFS" run "$1" -c 1x1 -o u67 -q >out 2>err </dev/null || status=$?
    cat err
    [ "$status" -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "$2" err && [ ! -e u67/fifo/summary.json ]
}
echo job_id,submit_time,num_gpu,duration >header.csv
: >empty.csv
printf 'job_id,submit_time,num_gpu,duration\na,0,0,10\nb,0,0,10\n' >cpu.csv
ok "$id header only" refused header.csv '0 usable jobs (read=0'
ok "$id empty file" refused empty.csv empty.csv
ok "$id every row skipped" refused cpu.csv '0 usable jobs (read=2.*cpu_only=2'

id=u77_provenance
"$MLFS" generate --jobs 300 -s 3 --as philly -o raw.json -q
for run in one two; do
    mkdir $run
    (cd $run && "$MLFS" convert ../raw.json -o trace.csv -q)
done
(mkdir pass && cd pass && "$MLFS" convert ../raw.json -o trace.csv --set trace.status=pass -q)
ok "$id same bytes" diff -r one two
ok "$id the filter changes the manifest" eval '! cmp -s one/trace.csv.manifest.json pass/trace.csv.manifest.json'
is "$id the manifest names its source" "$(sha256sum raw.json | cut -d' ' -f1)" "$(jq -r '.. | .sha256? // empty' one/trace.csv.manifest.json)"
ok "$id the filter and its count are told" eval 'jq -e ".. | strings | select(. == \"pass\")" pass/trace.csv.manifest.json'
(cd pass && "$MLFS" run trace.csv -c 4x8 -o out -q >/dev/null)
is "$id a run carries the manifest of its trace" "$(jq -c . pass/trace.csv.manifest.json)" "$(jq -c .trace.manifest pass/out/fifo/run.json)"

finish
