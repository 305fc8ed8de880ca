/* policies/las.c -- least attained service first: who has run least runs next, with preemption.
 *
 * Blind to sizes, as Tiresias is, but continuous: the order is by the running time attained, ties as in srtf.  Decided
 * at arrivals, ends and ticks only; between them a job keeps its GPUs although others may have overtaken it, so without
 * ticks there is no thrashing and no time slicing either (Nuyens and Wierman 2008 survey the ideal discipline).
 *
 * Knows:   how long each job has run.
 * Ignores: run times, deadlines, GPU counts.
 */
#include "policies/ranking.h"

static int64_t las_key(const Sched *s, const void *state, const Job *job)
{
    (void)state;
    return job_attained(job, sched_now(s));
}

static void las_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void las_on_arrive(Sched *s, void *state, const Job *job)
{
    ranking_arrive(state, job, las_key(s, state, job));
}

static void las_schedule(Sched *s, void *state)
{
    ranking_preempt(state, s, las_key, state);
    if (sched_tick(s) && sched_waiting(s)->n) /* attained times change without events: look again at the next tick */
        sched_wake_at(s, sched_now(s) + sched_tick(s));
}

static int las_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    (void)state;
    term[0] = (Term){"attained_s", time_seconds(job_attained(job, sched_now(s)))};
    return 1;
}

const Policy policy_las = {
    .name = "las",
    .summary = "least attained running time first, preemptive",
    .state_size = sizeof(Ranking),
    .init = las_init,
    .on_arrive = las_on_arrive,
    .schedule = las_schedule,
    .terms = las_terms,
};
