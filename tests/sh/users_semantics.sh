#!/bin/sh
# tests/sh/users_semantics.sh -- what users of simulators ran into: when jobs start and end, and what is counted.
set -eu
. "$(dirname "$0")/../tap.sh"
. "$ROOT/tests/replay.sh"

id=u21_makespan_from_first_submit
ok "$id" replay u21 fifo 1x2 'a,1000,2,50 / b,1010,2,30'
summary_is u21/fifo .makespan_s 80 .jct_s.mean 60

id=u23_oversize_job
ok "$id" replay u23 fifo 1x4 'a,0,1,10 / big,1,5,10 / c,2,1,10'
cells_are u23/fifo 'state jct_s' a 'completed 10' big 'unschedulable ' c 'completed 10'
summary_is u23/fifo .jobs.unschedulable 1 .jobs.completed 2

id=u25_nothing_completes
ok "$id" replay u25 fifo 1x1 'a,0,1,10'
keys='[paths | map(tostring) | join(".")] | join(" ")'
summary u25/fifo "$keys" >keys.whole
ok "$id horizon" again u25 fifo 1x1 --horizon 5
summary_is u25/fifo .jobs.submitted 1 .jobs.completed 0 .jobs.running 1 .jobs.queued 0 .jct_s.n 0 .jct_s.mean null .jct_s.p99 null
is "$id keys" "$(cat keys.whole)" "$(summary u25/fifo "$keys")"

id=u27_runs_until_the_last_job
ok "$id" replay u27 fifo 1x2 'a,0,1,10 / b,2,1,1000'
cells_are u27/fifo 'state end_s' a 'completed 10' b 'completed 1002'
summary_is u27/fifo .makespan_s 1002

id=u29_end_then_arrival_then_one_decision
ok "$id" replay u29 fifo 1x4 'a,0,4,10 / b,10,4,10' --events u29.events
cells_are u29/fifo 'start_s wait_s jct_s' b '10 0 10'
is "$id log" 'end a arrive b start b ' "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $column["time_s"] == 10 { printf "%s %s ", $column["event"], $column["job_id"] }' u29.events)"

id=u31_zero_duration
ok "$id" replay u31 fifo 1x1 'z,5,1,0 / a,5,1,10'
cells_are u31/fifo 'start_s end_s jct_s' z '5 5 0' a '5 15 10'
summary_is u31/fifo .jobs.completed 2 .jct_s.mean 5
ok "$id behind" replay u31b fifo 1x1 'a,0,1,10 / z,3,1,0'
cells_are u31b/fifo 'jct_s' z 7

id=u33_preemption_gives_everything_back
ok "$id" replay u33 srtf 1x2 'L,0,2,100 / s,10,1,20 / m,40,2,15'
cells_are u33/srtf 'end_s preemptions wait_s' L '135 2 35' s '30 0 0' m '55 0 0'
is "$id mean" 56.6667 "$(summary u33/srtf .jct_s.mean | xargs printf %.4f)"
# A thousand preemptions: short job k runs from 10 + 30 k for 20 s, and L needs 100,000 s of the rest.
short=$(awk 'BEGIN { for (k = 0; k < 1000; k++) printf " / s%d,%d,1,20", k, 10 + 30 * k }')
ok "$id 1000" replay u33b srtf 1x2 "L,0,2,100000$short"
cells_are u33b/srtf 'end_s preemptions wait_s' L '120000 1000 20000'
for run in u33 u33b; do
    is "$id $run GPUs held at the end" 0 "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } END { print $c["gpus_busy"] }' $run/srtf/timeline.csv)"
done

id=u35_gangs_hold_all_or_nothing
ok "$id" replay u35 fifo 1x8 'a,0,6,10 / b,0,6,10'
cells_are u35/fifo 'start_s end_s' a '0 10' b '10 20'
summary_is u35/fifo .makespan_s 20 .gpu_allocation 0.75
is "$id busy" '0 6' "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { print $c["gpus_busy"] }' u35/fifo/timeline.csv | sort -nu | xargs)"

id=u37_head_of_line_and_starvation
ok "$id" replay u37 fifo,fit 1x4 's0,0,1,10 / big,1,4,10 / s1,2,1,10 / s2,9,1,10 / s3,17,1,10'
cells_are u37/fifo start_s big 10
cells_are u37/fit 'start_s wait_s' big '27 26'
summary_is u37/fifo .jct_s.mean 18.2 .makespan_s 30
summary_is u37/fit .jct_s.mean 15.2 .makespan_s 37 .wait_s.max 26

id=u39_overload_is_told
ok "$id" replay u39 fifo 1x1 'a,0,1,100 / b,1,1,100 / c,2,1,100 / d,3,1,100'
cells_are u39/fifo jct_s a 100 b 199 c 298 d 397
summary_is u39/fifo .jct_s.mean 248.5 .makespan_s 400 .backlog_gpu_s 397
is "$id load" 133.3 "$(summary u39/fifo .offered_load | xargs printf %.1f)"
ok "$id warning" grep -qi 'offered load' u39.err

id=u41_warm_up_and_cool_down
rows='w0,0,1,100 / m1,50,1,10 / m2,60,1,10 / c1,70,1,10'
ok "$id all" replay u41 fifo 1x1 "$rows"
summary_is u41/fifo .jct_s.mean 70 .jobs.measured 4
ok "$id by index" again u41 fifo 1x1 --measure 1:3
summary_is u41/fifo .jct_s.mean 60 .jobs.measured 2 .jobs.completed 4
ok "$id by time" again u41 fifo 1x1 --measure @50:
summary_is u41/fifo .jct_s.mean 60 .jobs.measured 3 .jobs.completed 4

finish
