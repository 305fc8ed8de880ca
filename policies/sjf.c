/* policies/sjf.c -- shortest job first, without preemption.
 *
 * Each round: start waiting jobs in order of their predicted run time (ties in order of submission) until the first one
 * that does not fit: like fifo it blocks at its head, so that a wide short job is not starved by narrow ones.
 *
 * Knows:   the predicted run time of every job.
 * Ignores: deadlines, GPU counts, what is running.
 */
#include "policies/ranking.h"

static void sjf_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void sjf_on_arrive(Sched *s, void *state, const Job *job)
{
    (void)s;
    ranking_arrive(state, job, job->estimate);
}

static void sjf_schedule(Sched *s, void *state)
{
    ranking_fill(state, s, true);
}

static int sjf_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    (void)s, (void)state;
    term[0] = (Term){"estimate_s", time_seconds(job->estimate)};
    return 1;
}

const Policy policy_sjf = {
    .name = "sjf",
    .summary = "shortest job first; blocks at the first that does not fit",
    .state_size = sizeof(Ranking),
    .init = sjf_init,
    .on_arrive = sjf_on_arrive,
    .schedule = sjf_schedule,
    .terms = sjf_terms,
};
