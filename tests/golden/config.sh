# Configuration files: what they may say, what wins, and what is refused.
printf 'job_id,submit_s,n_gpus,duration_s\na,0,1,10\nb,1,1,20\nc,2,1,5\n' >t.csv
try()
{
    echo "--- $1 $2"
    echo "--- $1 $2" >&2
    printf '%s' "$1" >c.json
    status=0
    "$MLFS" run $2 --config c.json || status=$?
    echo "exit $status"
}
try '{"trace": "t.csv", "cluster": "1x1", "policy": ["fifo", "srtf"], "seed": 7, "srtf.hold_s": 0}' ''
try '{"trace": "absent.csv", "cluster": "1x1", "policy": "srtf", "parameters": {"run": {"tick": 60}}}' 't.csv -p sjf'
try '{"cluster": "1x1", "strict": true, "horizon": 4, "quiet": true}' t.csv
try '{"cluster": "1x1", "polcy": "srtf"}' t.csv
try '{"cluster": "1x1", "run.tik": 60}' t.csv
try '{"cluster": "1x1", "parameters": {"run.tick": "soon"}}' t.csv
try '{"cluster": "1x1", "parameters": 5}' t.csv
try '{"cluster": "1x1", "seed": 1.5}' t.csv
try '{"cluster": "1x1", "seed": 1, "seed": 2}' t.csv
try '{"cluster": "1x1", "strict": 1}' t.csv
try '{"cluster": {"gpus": 3}}' t.csv
try '{"cluster": "1x1", "config": "d.json"}' t.csv
try '{"cluster": "1x1",
 "seed": }' t.csv
try '["cluster"]' t.csv
try '' t.csv
