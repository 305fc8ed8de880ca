# Every policy in worlds with an inside: as the paper has it, shared and by other options, elastic, learning on the way,
# one that breaks, and virtual clusters; any change shows here, to the last bit of jobs and timelines.  What is right is
# the matter of the other tests.
world() # POLICIES OPTION...
{
    policies=$1
    shift
    "$MLFS" run "$ROOT/traces/samples/philly-2k.csv" -p "$policies" --preset paper-real -o out --strict \
        --set rl.blas=reference "$@" 2>err || cat err
    cksum out/*/jobs.csv out/*/timeline.csv
    rm -r out
}
order=fit,easy,smallest,srtf,edf,tiresias-l,borg,graphene,tetris
world all,mlf-rl,mlfs --sample 155 --seed 2 --load 3
world $order,gandiva,mlf-h,mlf-h-c,mlf-rl,mlfs --sample 155 --seed 3 --load 6 --set place.share=0.9 --set gandiva.grow=1 --set gandiva.grow_idle_s=60 \
    --set model.gang=replica --set model.schedule=pipeline --set mlf_h.rial=1 --set mlf_h.child_agg=mean --set mlf_h.requeue=job \
    --set mlf_c.optstop=best --set borg.fair_entity=user --set graphene.fair_queue=user --set graphene.server=align --set mlf_h.task_deadline=1
world slaq,hypersched --sample 155 --seed 3 --load 3 --set slaq.elastic=1 --set hypersched.elastic=1 --set hypersched.curves=all
world mlfs --sample 155 --seed 3 --load 3 --set mlfs.switch=epoch:5
world $order,gandiva,slaq,hypersched,mlf-h,mlf-h-c,mlf-rl,mlfs --sample 155 --seed 4 --load 3 --set run.tick=20 --set fail.mtbf=20 --set fail.mttr=1 \
    --set fail.straggler=0.1 --set fail.straggler_factor=3 --set mlf_h.replicas=1 --set model.gang=task --set mlf_h.requeue=task \
    --set model.demand_sd=0.5 --set mlf_h.wait=total --set mlf_h.remaining=paper --set mlf_h.late=cap --set place.mode=count \
    --set model.bytes=model --set model.overfit=1 --set mlf_h.reserve_h=0.5
printf '6214e9,7\n11cb48,5\n6c71a0,4\nb436b2,2\nee9e8c,2\n' >vcs
world $order,gandiva,slaq,hypersched,mlf-h,mlf-h-c,mlf-rl,mlfs --sample 155 --seed 5 --load 4 --set cluster.vc=vcs
