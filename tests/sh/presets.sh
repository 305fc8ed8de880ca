#!/bin/sh
# tests/sh/presets.sh -- presets with an inside: they run as they stand, and what they report adds up.
set -eu
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

sample=$ROOT/traces/samples/philly-2k.csv
policies=fifo,easy,srtf,tiresias
summary() { jq -r "$2" "$1/summary.json"; } # FOLDER FILTER

"$MLFS" run "$sample" --preset philly -c 16x8 -p "$policies" -o philly -q --strict >table
"$MLFS" run "$sample" --preset paper-real --sample 310 -p "$policies" -o real -q --strict >>table
"$MLFS" run "$sample" --preset paper-sim --jobs 0:600 -p "$policies" -o sim -q --strict >>table
ok "the table has columns for what is modelled" grep -q "deadline met  accuracy met  bandwidth" table
ok "a preset brings its cluster" test "$(jq -r .cluster.name real/srtf/run.json sim/srtf/run.json | tr '\n' ' ')" = "p3 philly "

# of("NAME") is that column of jobs.csv in an awk program; sums up to 2^53 are exact.
for_jobs() # FOLDER PROGRAM
{
    awk -F, "NR == 1 { for (i = 1; i <= NF; i++) column[\$i] = i; next } function of(name) { return \$column[name] } $2" \
        "$1/jobs.csv"
}

check_run() # FOLDER
{
    bytes=$(for_jobs "$1" '{ sum += of("bytes_moved") } END { printf "%.0f", sum }')
    is "$1: bytes of the jobs are the bandwidth" "$(summary "$1" .bandwidth_bytes)" "$bytes"
    ok "$1: no job waits longer than it is there" \
        for_jobs "$1" 'of("state") == "completed" && of("wait_s") > of("jct_s") { exit 1 }'
    ok "$1: no epoch is lost to a preemption" \
        for_jobs "$1" 'of("state") == "completed" && !of("stop_reason") && of("epochs_done") != of("epochs_max") { exit 1 }'
    ok "$1: no job is more than twice as fast as ideal" \
        for_jobs "$1" 'of("state") == "completed" && of("service_s") < 0.5 * of("ideal_s") - 1e-5 { exit 1 }'
    ok "$1: a deadline is met by those who end by then" \
        for_jobs "$1" 'of("state") == "completed" && (of("jct_s") <= of("deadline_s")) != of("deadline_met") { exit 1 }'
    ok "$1: an accuracy is met by those who reach it by then" \
        for_jobs "$1" '(of("accuracy_at_deadline") >= of("accuracy_required")) != of("accuracy_met") { exit 1 }'
    is "$1: GPU time by use is the GPU time held" true "$(summary "$1" "
        (.gpu_allocation * .span_s * $2) as \$held | .gpu_seconds |
        .idle_held == 0 and (.useful + .restart - \$held | fabs) < 1e-9 * \$held")"
    is "$1: use is less than what is held" true "$(summary "$1" '.gpu_utilisation > 0 and .gpu_utilisation < .gpu_allocation')"
}
for policy in fifo srtf; do
    check_run philly/$policy 128
    check_run real/$policy 80
    check_run sim/$policy 2474
done
is "preempted jobs pay for coming back" true "$(summary real/srtf '.preemptions > 0 and .gpu_seconds.restart > 0')"
is "nobody pays for nothing" true "$(summary real/fifo '.preemptions == 0 and .gpu_seconds.restart == 0')"

"$MLFS" run "$sample" --preset philly -c 12x64 --jobs 0:300 -p fifo -o roomy -q >table
is "jobs that fit one server send nothing" 0 "$(summary roomy/fifo .bandwidth_bytes)"

# Whatever the policy, the inside of a job is the same.
inside='{ print of("job_id"), of("model"), of("replicas"), of("partitions"), of("ideal_s"), of("epochs_max"), of("deadline_s"), of("accuracy_required") }'
for_jobs real/fifo "$inside" >first
for_jobs real/tiresias "$inside" >second
ok "jobs are the same under every policy" cmp first second

"$MLFS" run "$sample" --preset paper-real --sample 310 -p srtf -o truth --oracle -q >table
is "an oracle is told" "true true" "$(jq .oracle truth/srtf/run.json truth/srtf/summary.json | tr '\n' ' ' | sed 's/ $//')"
is "and only then" "false false" "$(jq .oracle real/srtf/run.json real/srtf/summary.json | tr '\n' ' ' | sed 's/ $//')"
"$MLFS" run --config real/srtf/run.json -o again -q >table
rm real/srtf/overhead.json again/srtf/overhead.json
for d in real again; do
    jq 'del(.command)' $d/srtf/run.json >rest
    mv rest $d/srtf/run.json
done
ok "--config run.json repeats it, byte for byte" diff -r real/srtf again/srtf

# Preset plain knows nothing of all this: no key of the inside changes a byte of what it writes.
"$MLFS" run "$sample" -c 16x8 -p "$policies" -o plain -q >table
"$MLFS" run "$sample" -c 16x8 -p "$policies" -o plain-set -q --set cost.resume=99 --set cost.move_base=99 --set fail.mtbf=1 \
    --set fail.straggler=.5 --set physics.overlap_ring=0 --set model.schedule=pipeline --set model.demand=varying >other
ok "plain: keys of the inside change no byte of the table" cmp table other
for policy in fifo easy srtf tiresias; do
    rm plain/$policy/overhead.json plain-set/$policy/overhead.json plain/$policy/run.json plain-set/$policy/run.json
done
ok "plain: nor of the files" diff -r plain plain-set
finish
