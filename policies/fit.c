/* policies/fit.c -- first in, first out, skipping jobs that do not fit (Tiresias' simulator calls it fjf).
 *
 * Each round: walk the waiting jobs in order of submission and start every one for which there is room.  Nothing idles
 * that could run, but a stream of narrow jobs can starve a wide one: look at the largest wait in the summary.
 *
 * Knows:   the order of submission and how many GPUs a job wants.
 * Ignores: run times, deadlines, everything else.
 */
#include "policies/ranking.h"

static void fit_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void fit_on_arrive(Sched *s, void *state, const Job *job)
{
    (void)s;
    ranking_arrive(state, job, job->id);
}

static void fit_schedule(Sched *s, void *state)
{
    ranking_fill(state, s, false);
}

const Policy policy_fit = {
    .name = "fit",
    .summary = "first in, first out; skips what does not fit",
    .state_size = sizeof(Ranking),
    .init = fit_init,
    .on_arrive = fit_on_arrive,
    .schedule = fit_schedule,
};
