/* policies/random.c -- in an order drawn once for each job, skipping jobs that do not fit.
 *
 * A sanity check: a policy that thinks should not lose to it.  A job's place in the order is drawn from the stream
 * (seed, "random order", the job's name), so it is the same in every selection, at every load and on every thread.
 *
 * Knows:   nothing but how many GPUs a job wants.
 */
#include "policies/ranking.h"

static void random_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void random_on_arrive(Sched *s, void *state, const Job *job)
{
    uint64_t draw = rng_hash(sched_seed(s), "random order", job->key);
    ranking_arrive(state, job, (int64_t)(draw >> 1));
}

static void random_schedule(Sched *s, void *state)
{
    ranking_fill(state, s, false);
}

const Policy policy_random = {
    .name = "random",
    .summary = "an order drawn once per job; skips what does not fit",
    .state_size = sizeof(Ranking),
    .init = random_init,
    .on_arrive = random_on_arrive,
    .schedule = random_schedule,
};
