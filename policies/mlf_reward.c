/* policies/mlf_reward.c -- from the jobs of a finished run to rewards. */
#include "policies/mlf_reward.h"

#include <math.h>
#include <string.h>

bool reward_measure(const SimResult *r, SimTime tick, double constant[])
{
    double jct_s = 0, bytes = 0;
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        if (r->job[i].state != JOB_DONE) continue;
        jct_s += time_seconds(r->job[i].ended - r->job[i].submit);
        bytes += (double)r->outcome[i].far_bytes;
        n++;
    }
    if (!n || r->last_end <= r->first_submit) return false;
    constant[MODEL_JCT_REF_S] = jct_s / n;
    constant[MODEL_BYTES_REF] = bytes / n;
    constant[MODEL_ENDED_PER_TICK] = n / ((double)(r->last_end - r->first_submit) / (double)tick);
    return true;
}

typedef struct TickSum { /* over the jobs that ended in it */
    int ended;
    double jct, deadlines, bytes, accurate, accuracy;
} TickSum;

static double at_most_2(double reference, double value)
{
    return value > 0 ? fmin(2, reference / value) : 2;
}

static void add_up(const RewardRule *rule, const SimResult *r, SimTime tick, int n, TickSum sum[])
{
    for (int i = 0; i < r->n; i++) {
        const Job *job = &r->job[i];
        const JobOutcome *outcome = &r->outcome[i];
        if (job->state != JOB_DONE) continue;
        SimTime at = (job->ended - r->first_submit + tick - 1) / tick - 1; /* ended in (t, t + tick] */
        if (at < 0) at = 0;
        if (at >= n) continue;
        TickSum *s = &sum[at];
        s->ended++;
        s->jct += at_most_2(rule->constant[MODEL_JCT_REF_S], time_seconds(job->ended - job->submit));
        s->deadlines += job->ended <= job->deadline;
        s->bytes += (double)outcome->far_bytes;
        s->accurate += outcome->accuracy_at_deadline >= job->accuracy_required;
        s->accuracy += outcome->accuracy_at_deadline;
    }
}

static double mlfs(const RewardRule *rule, const TickSum *s)
{
    if (!s->ended) return 0;
    double g[N_OBJECTIVES] = {s->jct, s->deadlines,
                              at_most_2(rule->constant[MODEL_BYTES_REF], s->bytes / s->ended) * s->ended, s->accurate,
                              s->accuracy};
    double sum = 0;
    for (int i = 0; i < N_OBJECTIVES; i++) sum += rule->beta[i] * g[i];
    return sum / rule->constant[MODEL_ENDED_PER_TICK];
}

/* Live time in each tick, in ticks; Little's law says how much of it there is under MLF-H. */
static void live(const RewardRule *rule, const SimResult *r, SimTime tick, int n, double reward[])
{
    double mean = rule->constant[MODEL_ENDED_PER_TICK] * rule->constant[MODEL_JCT_REF_S] / time_seconds(tick);
    for (int i = 0; i < r->n; i++) {
        const Job *job = &r->job[i];
        if (job->state == JOB_FUTURE || job->state == JOB_UNSCHEDULABLE) continue;
        SimTime from = job->submit - r->first_submit;
        SimTime to = (job->state == JOB_DONE ? job->ended : r->stopped_at) - r->first_submit;
        for (SimTime t = from / tick; t < n && t * tick < to; t++) {
            SimTime begin = from > t * tick ? from : t * tick, end = to < (t + 1) * tick ? to : (t + 1) * tick;
            reward[t] -= (double)(end - begin) / (double)tick / mean;
        }
    }
}

void reward_by_tick(const RewardRule *rule, const SimResult *result, SimTime tick, int n, double reward[],
                    Arena *scratch)
{
    memset(reward, 0, (size_t)n * sizeof *reward);
    if (rule->kind == REWARD_LIVE) {
        live(rule, result, tick, n, reward);
        return;
    }
    TickSum *sum = NEW_ARRAY(scratch, TickSum, n);
    add_up(rule, result, tick, n, sum);
    for (int t = 0; t < n; t++) reward[t] = mlfs(rule, &sum[t]);
}
