/* policies/mlf_ragged.c -- a list of jobs, looked through once a round. */
#include "policies/mlf_ragged.h"

void ragged_open(Ragged *ragged, Sched *s, SimTime hold_max)
{
    int n_jobs = sched_live(s)->size;
    *ragged = (Ragged){.hold_max = hold_max,
                       .hold_since = NEW_ARRAY(sched_memory(s), SimTime, n_jobs),
                       .as_gang = NEW_ARRAY(sched_memory(s), bool, n_jobs)};
}

static bool is_whole(const Sched *s, const Job *job)
{
    const Task *tasks = sched_tasks(s, job);
    for (int k = 0; k < job->n_tasks; k++)
        if (tasks[k].gpu < 0) return false;
    return true;
}

static bool computes(const Sched *s, const Job *job)
{
    if (job->graph->has_server && sched_tasks(s, job)[job->n_tasks - 1].gpu < 0) return false;
    return sched_width(s, job) > 0;
}

void ragged_note(Ragged *ragged, Sched *s, const Job *job)
{
    if (job->state != JOB_RUNNING || is_whole(s, job)) return;
    for (int i = ragged->n - 1; i >= 0; i--)
        if (ragged->job[i] == job->id) return;
    if (ragged->n == ragged->room) {
        int larger = ragged->room ? 2 * ragged->room : 16;
        ragged->job = arena_grow(sched_memory(s), ragged->job, (size_t)ragged->n, (size_t)larger, sizeof *ragged->job);
        ragged->room = larger;
    }
    ragged->hold_since[job->id] = computes(s, job) ? TIME_NEVER : sched_now(s);
    ragged->job[ragged->n++] = job->id;
}

void ragged_review(Ragged *ragged, Sched *s)
{
    int n = 0;
    for (int i = 0; i < ragged->n; i++) {
        const Job *job = sched_job(s, ragged->job[i]);
        if (job->state != JOB_RUNNING || is_whole(s, job)) continue;
        SimTime *since = &ragged->hold_since[job->id];
        if (computes(s, job))
            *since = TIME_NEVER;
        else if (*since == TIME_NEVER)
            *since = sched_now(s);
        if (*since != TIME_NEVER && sched_now(s) - *since >= ragged->hold_max) {
            sched_preempt(s, job->id);
            ragged->as_gang[job->id] = true;
            continue;
        }
        ragged->job[n++] = job->id;
    }
    ragged->n = n;
}

SimTime ragged_alarm(const Ragged *ragged)
{
    SimTime alarm = TIME_NEVER;
    for (int i = 0; i < ragged->n; i++) {
        SimTime since = ragged->hold_since[ragged->job[i]];
        if (since != TIME_NEVER && time_add(since, ragged->hold_max) < alarm) alarm = time_add(since, ragged->hold_max);
    }
    return alarm;
}
