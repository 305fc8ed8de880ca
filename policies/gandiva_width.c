/* policies/gandiva_width.c -- grow-shrink: a job starts with the replicas for which GPUs are free and grows while the
 * cluster is idle.
 *
 * PAPER: Gandiva's jobs grow beyond what they asked for and shrink back to it.  Here nobody gets more than it asked
 * for, so a job that opts in starts narrow, grows up to its request, and shrinks back to the width it started with.
 */
#include "policies/gandiva.h"
#include "policies/place.h"

bool gandiva_start_narrow(Gandiva *me, Sched *s, const Job *job)
{
    if (!me->grows || job->graph->replicas < 2) return false;
    int m = job->graph->partitions, replicas = sched_pool(s)->n_free / m;
    if (!replicas) return false;
    if (replicas >= job->graph->replicas) replicas = job->graph->replicas - 1; /* as many GPUs, but no memory */
    int n = replicas * m;
    GpuId *gpus = NEW_ARRAY(sched_scratch(s), GpuId, n + 1);
    if (!place_packed(s, n, gpus) || !gandiva_has_memory(s, job, gpus, n)) return false;
    if (job->graph->has_server) gpus[n] = place_server(sched_cluster(s), gpus, n);
    if (sched_start_narrow(s, job->id, replicas, gpus, n + job->graph->has_server) != ASK_GRANTED) return false;
    gandiva_open(me, s, job, gpus, n)->narrow = true;
    me->job[job->id].start_width = replicas;
    return true;
}

/* Gives back the replica that came last. */
static void shrink_one(Gandiva *me, Sched *s, Slot *slot, const Job *job)
{
    int m = job->graph->partitions, last = slot->n_gpus / m - 1;
    MUST(sched_narrow(s, job->id, last) == ASK_GRANTED);
    slot->n_gpus -= m;
    slot->narrow = true;
    gandiva_book(me, s, slot->gpus + slot->n_gpus, m, job->n_gpus, -1);
}

/* Replicas that its job got since it started; 0: none, or it cannot give any back now. */
static int grown(const Gandiva *me, const Sched *s, const Slot *slot)
{
    if (slot->n_jobs != 1) return 0;
    const Job *job = sched_job(s, slot->job[0]);
    int start = me->job[job->id].start_width;
    return start && job->state == JOB_RUNNING ? slot->n_gpus / job->graph->partitions - start : 0;
}

void gandiva_shrink(Gandiva *me, Sched *s, int n)
{
    int spare = sched_pool(s)->n_free;
    if (!me->grows) return;
    for (int i = 0; i < me->n_slots; i++) {
        int more = grown(me, s, &me->slot[i]);
        if (more) spare += more * sched_job(s, me->slot[i].job[0])->graph->partitions;
    }
    if (spare < n) return; /* it would not be enough */
    for (int i = 0; i < me->n_slots; i++)
        while (grown(me, s, &me->slot[i]) && sched_pool(s)->n_free < n)
            shrink_one(me, s, &me->slot[i], sched_job(s, me->slot[i].job[0]));
}

void gandiva_grow(Gandiva *me, Sched *s)
{
    bool idle = !sched_waiting(s)->n && sched_pool(s)->n_free;
    if (!idle) me->idle_since = TIME_NEVER;
    if (!me->grows || !idle) return;
    if (me->idle_since == TIME_NEVER) me->idle_since = sched_now(s);
    if (sched_now(s) - me->idle_since < me->grow_idle) return;
    for (int i = 0; i < me->n_slots; i++) {
        Slot *slot = &me->slot[i];
        if (slot->n_jobs != 1 || !slot->narrow) continue;
        const Job *job = sched_job(s, slot->job[0]);
        int m = job->graph->partitions;
        while (slot->narrow && job->state == JOB_RUNNING && sched_pool(s)->n_free >= m) {
            GpuId *more = slot->gpus + slot->n_gpus;
            if (!place_packed(s, m, more) || !gandiva_has_memory(s, job, more, m)) break;
            if (sched_widen(s, job->id, more, m) != ASK_GRANTED) break;
            gandiva_book(me, s, more, m, job->n_gpus, 1);
            slot->n_gpus += m;
            slot->narrow = slot->n_gpus < job->n_gpus;
        }
    }
}
