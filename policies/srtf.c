/* policies/srtf.c -- shortest remaining time first, with preemption.
 *
 * Each round: put all live jobs in order of the running time they still need, walk down that order and grant GPUs
 * until the cluster is full, skipping jobs too wide for what is left.  Running jobs that were not granted make way;
 * waiting jobs that were granted start.  On one machine this order minimises the mean completion time
 * (Schrage 1968); with gangs it is a strong heuristic.
 *
 * Knows:   the predicted remaining time of every job, never the true one.
 * Ignores: deadlines, urgency, placement quality.
 */
#include "policies/ranking.h"

typedef struct {
    Ranking ranking;
    SimTime hold; /* leave a job alone this long after it starts */
} Srtf;

static const Param srtf_params[] = {
    NUMBER_PARAM("hold_s", "0", 0, 1e9, "seconds a started job is safe from preemption"),
    {0},
};

static void srtf_init(Sched *s, void *state)
{
    Srtf *me = state;
    ranking_init(&me->ranking, s);
    me->hold = time_from_seconds(sched_number(s, "hold_s"));
}

static bool is_held(const Srtf *me, const Job *job, SimTime now)
{
    return job->state == JOB_RUNNING && now - job->started < me->hold;
}

static int64_t srtf_key(const Sched *s, const void *state, const Job *job)
{
    return is_held(state, job, sched_now(s)) ? -1 : job_remaining(job, sched_now(s));
}

static void srtf_on_arrive(Sched *s, void *state, const Job *job)
{
    Srtf *me = state;
    ranking_arrive(&me->ranking, job, srtf_key(s, state, job));
}

static void srtf_schedule(Sched *s, void *state)
{
    Srtf *me = state;
    ranking_preempt(&me->ranking, s, srtf_key, state);
    sched_wake_at(s, ranking_release(s, me->hold));
}

static int srtf_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    term[0] = (Term){"remaining_s", time_seconds(job_remaining(job, sched_now(s)))};
    term[1] = (Term){"held", is_held(state, job, sched_now(s))};
    return 2;
}

const Policy policy_srtf = {
    .name = "srtf",
    .summary = "shortest remaining time first, preemptive",
    .state_size = sizeof(Srtf),
    .params = srtf_params,
    .init = srtf_init,
    .on_arrive = srtf_on_arrive,
    .schedule = srtf_schedule,
    .terms = srtf_terms,
};
