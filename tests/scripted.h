/* tests/scripted.h -- worlds with physics, their jobs' insides set by hand, under a policy that does what it is told.
 */
#ifndef TESTS_SCRIPTED_H
#define TESTS_SCRIPTED_H

#include "tests/world.h"

/* Decisions each minute, demands that stay. */
static inline void inside(World *w, const char *cluster, const char *jobs)
{
    world_open(w, cluster);
    world_set(w, "run.tick=60");
    world_set(w, "model.demand=constant");
    world_jobs(w, jobs);
}

/* The models of its jobs, to be changed. */
static inline JobModel *models_of(World *w)
{
    JobModels *models = NEW(&w->arena, JobModels);
    if (!jobmodels_build(&w->workload, &w->params, w->seed, &w->arena, models, &w->err)) fail_msg("%s", w->err.text);
    w->models = models;
    return (JobModel *)(uintptr_t)models->job;
}

/* Every GPU task wants so many thousandths of a GPU. */
static inline void demand(World *w, double thousandths)
{
    JobModels *models = (JobModels *)(uintptr_t)w->models;
    models->uniform_base = true;
    models->base_low = models->base_high = thousandths / 1000;
}

/* A job of D replicas in a chain of M: one epoch of epoch_s seconds has ten rounds. */
static inline void shape(JobModel *m, int replicas, int partitions, Topology topology, int epochs)
{
    m->graph = taskgraph_make(&families[FAMILY_ALEXNET], replicas * partitions, partitions, topology);
    m->family = &families[FAMILY_ALEXNET];
    m->topology = topology;
    m->rounds = 10;
    m->epochs = epochs;
}

typedef enum { DO_PLACE, DO_EVICT, DO_MIGRATE, DO_PREEMPT, DO_DUPLICATE, DO_DROP } Deed;

typedef struct Step {
    int64_t at; /* seconds: a tick */
    Deed deed;
    JobId job;
    int task;
    GpuId gpu;
} Step;

typedef struct Script {
    const Step *step; /* [n] in order of time; Policy has no room for a test's own data */
    int n;
    void (*look)(Sched *s); /* after the steps of each decision; NULL: not wanted */
} Script;
static Script script;

static void script_schedule(Sched *s, void *state)
{
    (void)state;
    SimTime next = TIME_NEVER;
    for (int i = 0; i < script.n; i++) {
        const Step *p = &script.step[i];
        SimTime at = p->at * TIME_SECOND;
        if (at > sched_now(s) && at < next) next = at;
        if (at != sched_now(s)) continue;
        switch (p->deed) {
        case DO_PLACE: sched_place(s, p->job, p->task, p->gpu); break;
        case DO_EVICT: sched_evict(s, p->job, p->task); break;
        case DO_MIGRATE: sched_migrate(s, p->job, p->task, p->gpu); break;
        case DO_PREEMPT: sched_preempt(s, p->job); break;
        case DO_DUPLICATE: sched_duplicate(s, p->job, p->task, p->gpu); break;
        case DO_DROP: sched_drop(s, p->job, p->task); break;
        }
    }
    if (script.look) script.look(s);
    sched_wake_at(s, next);
}
static const Policy scripted = {.name = "scripted", .state_size = 1, .schedule = script_schedule};

/* Runs it; what the script asks for must be granted. */
static inline void follow(World *w, const Step step[], int n)
{
    script.step = step;
    script.n = n;
    if (!world_try(w, &scripted)) fail_msg("%s", w->err.text);
}
#define FOLLOW(w, ...) follow(w, (const Step[]){__VA_ARGS__}, (int)(sizeof((const Step[]){__VA_ARGS__}) / sizeof(Step)))

static inline double ended(const World *w, int job)
{
    return time_seconds(w->result.job[job].ended);
}

#endif
