/* policies/srsf.c -- shortest remaining service first: remaining time x GPUs, with preemption.
 *
 * As srtf, but a job counts by the GPU-time it still needs (Tiresias' simulator calls it shortest-gpu): a wide job must
 * be short to come first.
 *
 * Knows:   the predicted remaining time of every job.
 * Ignores: deadlines, urgency, placement quality.
 */
#include "policies/ranking.h"

static int64_t srsf_key(const Sched *s, const void *state, const Job *job)
{
    (void)state;
    int64_t service;
    if (__builtin_mul_overflow(job_remaining(job, sched_now(s)), job->n_gpus, &service)) return INT64_MAX;
    return service;
}

static void srsf_init(Sched *s, void *state)
{
    ranking_init(state, s);
}

static void srsf_on_arrive(Sched *s, void *state, const Job *job)
{
    ranking_arrive(state, job, srsf_key(s, state, job));
}

static void srsf_schedule(Sched *s, void *state)
{
    ranking_preempt(state, s, srsf_key, state);
}

static int srsf_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    term[0] = (Term){"remaining_gpu_s", time_seconds(srsf_key(s, state, job))};
    return 1;
}

const Policy policy_srsf = {
    .name = "srsf",
    .summary = "shortest remaining time x GPUs first, preemptive",
    .state_size = sizeof(Ranking),
    .init = srsf_init,
    .on_arrive = srsf_on_arrive,
    .schedule = srsf_schedule,
    .terms = srsf_terms,
};
