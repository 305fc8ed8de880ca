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

/* The tick in which a job ended, (t, t + tick]; -1: none of the first n. */
static int tick_of_end(const SimResult *r, const Job *job, SimTime tick, int n)
{
    if (job->state != JOB_DONE) return -1;
    SimTime at = (job->ended - r->first_submit + tick - 1) / tick - 1;
    return at < 0 ? 0 : at < n ? (int)at : -1;
}

static void add_job(const RewardRule *rule, const SimResult *r, int i, TickSum *s)
{
    const Job *job = &r->job[i];
    const JobOutcome *outcome = &r->outcome[i];
    s->ended++;
    s->jct += at_most_2(rule->constant[MODEL_JCT_REF_S], time_seconds(job->ended - job->submit));
    s->deadlines += job->ended <= job->deadline;
    s->bytes += (double)outcome->far_bytes;
    s->accurate += outcome->accuracy_at_deadline >= job->accuracy_required;
    s->accuracy += outcome->accuracy_at_deadline;
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

/* Live time by Little's law under MLF-H, in ticks. */
static double mean_live(const RewardRule *rule, SimTime tick)
{
    return rule->constant[MODEL_ENDED_PER_TICK] * rule->constant[MODEL_JCT_REF_S] / time_seconds(tick);
}

/* Costs of the job's time in each of the first n ticks; returns their sum. */
static double add_live(const RewardRule *rule, const SimResult *r, const Job *job, SimTime tick, int n, double reward[])
{
    if (job->state == JOB_FUTURE || job->state == JOB_UNSCHEDULABLE) return 0;
    SimTime from = job->submit - r->first_submit;
    SimTime to = (job->state == JOB_DONE ? job->ended : r->stopped_at) - r->first_submit;
    double sum = 0;
    for (SimTime t = from / tick; t < n && t * tick < to; t++) {
        SimTime begin = from > t * tick ? from : t * tick, end = to < (t + 1) * tick ? to : (t + 1) * tick;
        double cost = (double)(end - begin) / (double)tick / mean_live(rule, tick);
        if (reward) reward[t] -= cost;
        sum -= cost;
    }
    return sum;
}

void reward_by_tick(const RewardRule *rule, const SimResult *result, SimTime tick, int n, double reward[],
                    Arena *scratch)
{
    memset(reward, 0, (size_t)n * sizeof *reward);
    if (rule->kind == REWARD_LIVE) {
        for (int i = 0; i < result->n; i++) add_live(rule, result, &result->job[i], tick, n, reward);
        return;
    }
    TickSum *sum = NEW_ARRAY(scratch, TickSum, n);
    for (int i = 0; i < result->n; i++) {
        int at = tick_of_end(result, &result->job[i], tick, n);
        if (at >= 0) add_job(rule, result, i, &sum[at]);
    }
    for (int t = 0; t < n; t++) reward[t] = mlfs(rule, &sum[t]);
}

void reward_by_job(const RewardRule *rule, const SimResult *result, SimTime tick, int n, double reward[])
{
    for (int i = 0; i < result->n; i++) {
        TickSum sum = {0};
        const Job *job = &result->job[i];
        if (rule->kind == REWARD_LIVE) {
            reward[i] = add_live(rule, result, job, tick, n, NULL);
            continue;
        }
        if (tick_of_end(result, job, tick, n) >= 0) add_job(rule, result, i, &sum);
        reward[i] = mlfs(rule, &sum);
    }
}
