# Every column and key: deadlines, two virtual clusters, a job too wide, a zero-second job, a cut at the horizon.
. "$ROOT/tests/replay.sh"
columns=job_id,submit_s,n_gpus,duration_s,user,vc,status,model,deadline_s
printf 'research,1\nproduct,1\n' >vc
replay small easy 2x4 'a,100,3,40,ann,research,Pass,resnet50,50 / b,105,4,60.5,bob,research,Failed,,70 / c,106,1,20,cid,research,Pass,bert, / d,107,2,0,dee,product,Pass,,1 / e,110,5,10,eve,product,Killed,, / f,150,2,1000,fay,product,Pass,gpt2,10' --set cluster.vc=vc --horizon 120
cat small/easy/jobs.csv small/easy/summary.json
