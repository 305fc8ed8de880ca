/* sim/engine/changes.c -- what becomes of a job, whoever brings it about, a request or an event; and telling watchers.
 */
#include "sim/engine/engine.h"
#include "sim/engine/physics.h"

const char *happen_name(HappenKind kind)
{
    static const char *const names[] = {"end",   "stop",    "arrive", "unschedulable", "start",  "preempt",   "place",
                                        "evict", "migrate", "fail",   "pause",         "resume", "duplicate", "drop"};
    return names[kind];
}

SimTime engine_duration(const Engine *e, const Job *job)
{
    return e->config->workload->job[job->id].duration;
}

static void tell(Engine *e, HappenKind kind, const Job *job, int task, const GpuId gpus[], int n_gpus)
{
    const Run *run = e->physics ? e->physics->run[job->id] : NULL;
    Happening h = {.at = e->now,
                   .kind = kind,
                   .job = job,
                   .task = task,
                   .gpus = n_gpus ? gpus : NULL,
                   .n_gpus = n_gpus,
                   .stalled = run ? run->stalled : e->now};
    for (int i = 0; i < e->config->n_watchers; i++) {
        const Watcher *w = &e->config->watcher[i];
        if (w->type->on_happening) w->type->on_happening(w->self, &h);
    }
}

void engine_tell(Engine *e, HappenKind kind, const Job *job)
{
    if (e->config->n_watchers) tell(e, kind, job, -1, e->gpu_list, engine_gpus(e, job, e->gpu_list));
}

void engine_tell_task(Engine *e, HappenKind kind, const Job *job, int task, GpuId from, GpuId to)
{
    GpuId gpus[2];
    int n = 0;
    if (from >= 0) gpus[n++] = from;
    if (to >= 0) gpus[n++] = to;
    if (e->config->n_watchers) tell(e, kind, job, task, gpus, n);
}

/* ---- what becomes of a job ---- */

int engine_gpus(const Engine *e, const Job *job, GpuId gpus[])
{
    int n = 0;
    if (e->physics) {
        const Run *run = e->physics->run[job->id];
        for (int k = 0; run && k < job->n_gpus; k++)
            if (run->task[k].gpu >= 0) gpus[n++] = run->task[k].gpu;
        return n;
    }
    for (GpuId g = job->first_gpu; g >= 0; g = e->next_gpu[g]) gpus[n++] = g;
    return n;
}

void engine_begin(Engine *e, Sched *s, Job *job)
{
    if (job->started != e->now) e->rounds_here = 0; /* a start is progress, the same job's next one is none */
    job->state = JOB_RUNNING;
    job->started = e->now;
    job->waits_since = TIME_NEVER;
    if (job->first_started == TIME_NEVER) job->first_started = e->now;
    jobset_take(&s->waiting, job->id);
    jobset_put(&s->running, job->id);
    e->census.jobs_waiting--;
    e->census.jobs_running++;
}

void engine_release(Engine *e, Job *job)
{
    Sched *s = &e->sched[job->pool];
    if (e->physics) {
        Run *run = e->physics->run[job->id];
        physics_integrate(e, run);
        copies_leave(e, job);
        for (int k = 0; k < job->n_tasks; k++)
            if (run->task[k].gpu >= 0) loads_lift(e, job, k);
    } else {
        for (GpuId g = job->first_gpu, next; g >= 0; g = next) {
            next = e->next_gpu[g];
            cluster_give(&e->cluster, g, job->id);
            audit_note(e, s, g);
        }
        job->epoch++;
    }
    job->first_gpu = -1;
    if (job->state == JOB_PAUSED) {
        jobset_take(&s->paused, job->id);
        e->census.jobs_waiting--;
    } else {
        job->attained += e->now - job->started;
        job->waits_since = e->now;
        jobset_take(&s->running, job->id);
        e->census.jobs_running--;
    }
    e->census.gpus_busy = cluster_busy(&e->cluster);
}

void engine_requeue(Engine *e, Sched *s, Job *job)
{
    Run *run = e->physics ? e->physics->run[job->id] : NULL;
    int n_held = run ? run->n_placed : job->n_tasks;
    if (run) physics_suspend(run);
    engine_release(e, job);
    job->state = JOB_WAITING;
    jobset_put(&s->waiting, job->id);
    e->census.jobs_waiting++;
    e->census.tasks_waiting += n_held;
}

void engine_end(Engine *e, Job *job, const char *stop_reason)
{
    Sched *s = &e->sched[job->pool];
    engine_tell(e, stop_reason ? HAPPENS_STOP : HAPPENS_END, job);
    if (job->state != JOB_WAITING) {
        if (e->physics) e->census.tasks_waiting -= job->n_tasks - e->physics->run[job->id]->n_placed;
        engine_release(e, job);
    } else {
        jobset_take(&s->waiting, job->id);
        e->census.jobs_waiting--;
        e->census.tasks_waiting -= job->n_tasks;
    }
    job->state = JOB_DONE;
    job->ended = e->now;
    job->stop_reason = stop_reason;
    jobset_take(&s->live, job->id);
    if (e->physics) inside_forget(e, job);
    e->census.jobs_done++;
    if (e->result->last_end == TIME_NEVER || e->now > e->result->last_end) e->result->last_end = e->now;
}
