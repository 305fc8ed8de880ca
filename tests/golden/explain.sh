# Why a job waited.  One server of 2 GPUs, two jobs of both GPUs: `long` (100 s, submitted at 0), `short` (10 s, at 30).
# Under fifo `short` waits 70 s for `long` to end; under srtf it has 10 s to go where `long` has 70, and takes its place.
printf 'job_id,submit_s,n_gpus,duration_s\nlong,0,2,100\nshort,30,2,10\n' >two.csv
"$MLFS" run two.csv -c 1x2 -p fifo,srtf -o out -q --explain short
"$MLFS" run two.csv -c 1x2 -p srtf -o out -q --explain long
"$MLFS" run two.csv -c 1x2 -p srtf -o out -q --explain shorts
