# What is wrong with a command line is one sentence on stderr and exit status 2.
try()
{
    echo "mlfs-sim $*"
    echo "mlfs-sim $*" >&2
    status=0
    "$MLFS" "$@" || status=$?
    echo "exit $status"
}
printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,10\n' >t.csv

try rum
try --versoin
try 7
try run
try run a.csv b.csv
try run t.csv
try run t.csv -c 1x1 --polcy srtf
try run t.csv -c 1x1 --se 3
try run t.csv -c 1x1 -Z
try run t.csv -c
try run t.csv -c 1x1 --strict=yes
try run t.csv -c 1x1 --preset plane
try run t.csv -c 1x1 --set
try run t.csv -c 1x1 --set run.tick
try run t.csv -c 1x1 --set run.tik=60
try run t.csv -c 1x1 --set nonsense.entirely=60
try run t.csv -c 1x1 --set run.tick=-1
try run t.csv -c 1x1 --set run.tick=soon
try run t.csv -c 1x1 --set place.mode=pakced
try run t.csv -c 1x1 --tick soon
try run t.csv -c 1x1 -s 1.5
try run t.csv -c 1x1 -s -1
try run t.csv -c 1x1 -s 99999999999999999999
try run t.csv -c 1x1 --seeds 5
try run t.csv -c 1x1 --seeds 5:1
try run t.csv -c 1x1 --jobs 5
try run t.csv -c 1x1 --jobs 7:5
try run t.csv -c 1x1 --sample 0
try run t.csv -c 1x1 --window 2017-10-03
try run t.csv -c 1x1 --window 2017-10-03:
try run t.csv -c 1x1 --measure @2017-10-03:
try run t.csv -c 1x1 --measure 1-2
try run t.csv -c 1x1 --load 0
try run t.csv -c 1x1 --load many
try run t.csv -c 1x1 --arrival-scale -1
try run t.csv -c 1x1 --horizon -1
try run t.csv -c 1x1 -j 0
try run t.csv -c 1x1 -p fifo,srtf,fifo
try run t.csv -c 1x1 -p fifo,,srtf
try run t.csv -c 1x1 -p ./absent.so
try run t.csv -c 1x1 -p fifo,srtf --events -
try run t.csv -c 1x1 --config absent.json
try list policy
try list policies fifo
try list params strf
try list params a b
try list --set run.tik=3
try list --preset plane
try describe t.csv --set run.tik=3
try generate --set run.tik=3
try plot t -o d --set run.tik=3
ls
