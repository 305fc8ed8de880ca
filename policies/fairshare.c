/* policies/fairshare.c -- queues as lists through the jobs, books in drf.h. */
#include "policies/fairshare.h"

#include <string.h>

#include "sim/base/err.h"

void fairshare_open(FairShare *fair, Sched *s)
{
    const Pool *pool = sched_pool(s);
    const ClusterSpec *spec = sched_cluster(s)->spec;
    int64_t capacity[DRF_RESOURCES] = {pool->n_gpus};
    for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) {
        const ServerClass *class_of = cluster_spec_class(spec, id);
        capacity[1] += class_of->cores;
        capacity[2] += class_of->memory_mib;
    }
    *fair =
        (FairShare){.names.arena = sched_memory(s), .job = NEW_ARRAY(sched_memory(s), FairJob, sched_live(s)->size)};
    drf_open(&fair->drf, sched_memory(s), capacity);
}

static void demand_of(Sched *s, const Job *job, int64_t demand[DRF_RESOURCES])
{
    memset(demand, 0, DRF_RESOURCES * sizeof *demand);
    demand[0] = job->n_gpus;
    if (!sched_has_inside(s)) return;
    const Task *tasks = sched_tasks(s, job);
    for (int k = 0; k < job->n_tasks; k++) {
        demand[1] += tasks[k].need.cores;
        demand[2] += tasks[k].need.memory_mib;
    }
}

static int entity_named(FairShare *fair, Sched *s, const char *name)
{
    bool is_new;
    if (!name) name = "";
    int entity = names_add(&fair->names, name, strlen(name), &is_new);
    if (!is_new) return entity;
    if (entity == fair->room) {
        int larger = fair->room ? 2 * fair->room : 16;
        fair->queue = arena_grow(sched_memory(s), fair->queue, (size_t)entity, (size_t)larger, sizeof *fair->queue);
        fair->room = larger;
    }
    fair->queue[entity] = (FairQueue){{-1, -1}, {-1, -1}};
    MUST(drf_add(&fair->drf) == entity);
    return entity;
}

void fairshare_wait(FairShare *fair, Sched *s, const Job *job, const char *name, Band band)
{
    FairJob *mine = &fair->job[job->id];
    if (mine->holds) fairshare_end(fair, job); /* it failed, or has made way */
    int entity = entity_named(fair, s, name);
    FairQueue *queue = &fair->queue[entity];
    JobId before = queue->last[band];
    while (before > job->id) before = fair->job[before].before;
    JobId next = before < 0 ? queue->first[band] : fair->job[before].next;
    *mine = (FairJob){.next = next, .before = before, .entity = entity, .band = band};
    *(before < 0 ? &queue->first[band] : &fair->job[before].next) = job->id;
    *(next < 0 ? &queue->last[band] : &fair->job[next].before) = job->id;
}

void fairshare_start(FairShare *fair, Sched *s, const Job *job)
{
    FairJob *mine = &fair->job[job->id];
    FairQueue *queue = &fair->queue[mine->entity];
    MUST(!mine->holds);
    *(mine->before < 0 ? &queue->first[mine->band] : &fair->job[mine->before].next) = mine->next;
    *(mine->next < 0 ? &queue->last[mine->band] : &fair->job[mine->next].before) = mine->before;
    demand_of(s, job, mine->demand);
    drf_launch(&fair->drf, mine->entity, mine->demand);
    mine->holds = true;
}

void fairshare_end(FairShare *fair, const Job *job)
{
    FairJob *mine = &fair->job[job->id];
    MUST(mine->holds);
    drf_release(&fair->drf, mine->entity, mine->demand);
    mine->holds = false;
}
