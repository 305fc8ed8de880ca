/* policies/placeplan.c -- counting, or two books: one of those granted GPUs, one of everybody not yet denied them. */
#include "policies/placeplan.h"

PlacePlan plan_open(Sched *s, PlaceMode mode)
{
    PlacePlan plan = {.sched = s, .mode = mode, .spare = pool_working(sched_pool(s))};
    if (!mode.share) return plan;
    plan.granted = book_empty(s, mode);
    plan.all = book_open(s, mode);
    return plan;
}

bool plan_keep(PlacePlan *plan, const Job *job)
{
    if (!plan->mode.share) {
        if (job->n_gpus > plan->spare) return false;
        plan->spare -= job->n_gpus;
        return true;
    }
    bool stays = book_can_stay(plan->granted, job);
    book_add_running(stays ? plan->granted : plan->all, job, stays ? 1 : -1);
    return stays;
}

bool plan_grant(PlacePlan *plan, const Placer *placer, const Job *job)
{
    if (job->n_gpus > plan->spare) return false;
    if (!plan->mode.share) {
        plan->spare -= job->n_gpus;
        return true;
    }
    const GpuId *gpus = book_find(plan->all, placer, job);
    if (!gpus) gpus = book_find(plan->granted, placer, job);
    if (!gpus) return false;
    book_add(plan->all, job, gpus, 1, true);
    book_add(plan->granted, job, gpus, 1, true);
    if (plan->n_promises == plan->capacity) {
        int larger = plan->capacity ? plan->capacity * 2 : 16;
        plan->promise = arena_grow(sched_scratch(plan->sched), plan->promise, (size_t)plan->n_promises, (size_t)larger,
                                   sizeof *plan->promise);
        plan->capacity = larger;
    }
    plan->promise[plan->n_promises++] = (Promise){job->id, gpus};
    return true;
}

bool plan_start(PlacePlan *plan, const Placer *placer, const Job *job)
{
    if (!plan->mode.share) return place_start_by(plan->sched, placer, job);
    int i = 0;
    while (i < plan->n_promises && plan->promise[i].id != job->id) i++;
    MUST(i < plan->n_promises);
    return sched_start(plan->sched, job->id, plan->promise[i].gpus, job->n_tasks) == ASK_GRANTED;
}
