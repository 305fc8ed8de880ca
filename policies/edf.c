/* policies/edf.c -- earliest deadline first, with preemption.
 *
 * Each round: walk the live jobs in order of their deadline, ties in order of submission, and grant GPUs, skipping what
 * does not fit; running jobs that got nothing make way.  A job without a deadline comes last.  On one machine the order
 * meets all deadlines if any order can (Liu and Layland 1973).
 *
 * Knows:   deadlines.
 * Ignores: run times: a job that is late already still goes first.
 */
#include "policies/ranking.h"

static int64_t edf_key(const Sched *s, const void *state, const Job *job)
{
    (void)s, (void)state;
    return job->deadline;
}

static void edf_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void edf_on_arrive(Sched *s, void *state, const Job *job)
{
    ranking_arrive(state, job, edf_key(s, state, job));
}

static void edf_schedule(Sched *s, void *state)
{
    ranking_preempt(state, s, edf_key, state);
}

static int edf_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    (void)state;
    if (job->deadline == TIME_NEVER) return 0;
    term[0] = (Term){"slack_s", time_seconds(job->deadline - sched_now(s))};
    return 1;
}

const Policy policy_edf = {
    .name = "edf",
    .summary = "earliest deadline first, preemptive",
    .state_size = sizeof(Ranking),
    .init = edf_init,
    .on_arrive = edf_on_arrive,
    .schedule = edf_schedule,
    .terms = edf_terms,
};
