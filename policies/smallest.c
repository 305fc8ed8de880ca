/* policies/smallest.c -- fewest GPUs first (Tiresias' simulator calls it sjf).
 *
 * Each round: walk the jobs in order of their GPU count, ties in order of submission, and grant GPUs, skipping what
 * does not fit.  With smallest.preempt=1 (default) running jobs stand in that order too and make way for narrower ones;
 * with 0 a started job stays.
 *
 * Knows:   how many GPUs a job wants.
 * Ignores: run times, deadlines.
 */
#include "policies/ranking.h"

typedef struct {
    Ranking ranking;
    bool preempts;
} Smallest;

static const Param smallest_params[] = {
    CHOICE_PARAM("preempt", "1", "0|1", "1: narrower jobs push out running wider ones; 0: a started job stays"),
    {0},
};

static void smallest_init(Sched *s, void *state)
{
    Smallest *me = state;
    ranking_init(&me->ranking, s);
    me->preempts = sched_is(s, "preempt", "1");
}

static int64_t smallest_key(const Sched *s, const void *state, const Job *job)
{
    (void)s, (void)state;
    return job->n_gpus;
}

static void smallest_on_arrive(Sched *s, void *state, const Job *job)
{
    Smallest *me = state;
    ranking_arrive(&me->ranking, job, smallest_key(s, state, job));
}

static void smallest_schedule(Sched *s, void *state)
{
    Smallest *me = state;
    if (me->preempts)
        ranking_preempt(&me->ranking, s, smallest_key, state);
    else
        ranking_fill(&me->ranking, s, false);
}

static int smallest_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    (void)s, (void)state;
    term[0] = (Term){"n_gpus", job->n_gpus};
    return 1;
}

const Policy policy_smallest = {
    .name = "smallest",
    .summary = "fewest GPUs first, preemptive unless smallest.preempt=0",
    .state_size = sizeof(Smallest),
    .params = smallest_params,
    .init = smallest_init,
    .on_arrive = smallest_on_arrive,
    .schedule = smallest_schedule,
    .terms = smallest_terms,
};
