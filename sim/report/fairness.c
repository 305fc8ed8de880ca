/* sim/report/fairness.c -- the number of live jobs over time, integrated once for each virtual cluster. */
#include "sim/report/fairness.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    SimTime at;
    int32_t job;
    bool leaves;
} Change;

static int by_time(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->leaves != y->leaves) return x->leaves ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* live[j]: job-microseconds of its virtual cluster between its submission and its end. */
static void integrate(const Change change[], int n, const SimResult *result, int n_pools, WideTime live[],
                      Arena *scratch)
{
    WideTime *sum = NEW_ARRAY(scratch, WideTime, n_pools);
    SimTime *since = NEW_ARRAY(scratch, SimTime, n_pools);
    int64_t *count = NEW_ARRAY(scratch, int64_t, n_pools);
    for (int i = 0; i < n; i++) {
        const Change *c = &change[i];
        int pool = result->job[c->job].pool;
        sum[pool] += (WideTime)(c->at - since[pool]) * count[pool];
        since[pool] = c->at;
        count[pool] += c->leaves ? -1 : 1;
        live[c->job] = c->leaves ? sum[pool] - live[c->job] : sum[pool];
    }
}

Fairness fairness_of(const SimResult *result, const Workload *workload, const ClusterSpec *spec, int first, int last,
                     Arena *scratch)
{
    Cluster cluster = cluster_make(scratch, spec);
    Change *change = NEW_ARRAY(scratch, Change, 2 * (int64_t)result->n);
    WideTime *live = NEW_ARRAY(scratch, WideTime, result->n);
    int n = 0, n_values = 0, n_unfair = 0;
    for (int i = 0; i < result->n; i++) {
        const Job *job = &result->job[i];
        if (job->state == JOB_FUTURE || job->state == JOB_UNSCHEDULABLE) continue;
        change[n++] = (Change){job->submit, i, false};
        if (job->state == JOB_DONE) change[n++] = (Change){job->ended, i, true};
    }
    qsort(change, (size_t)n, sizeof *change, by_time);
    integrate(change, n, result, cluster.n_pools, live, scratch);

    double *rho = NEW_ARRAY(scratch, double, result->n + 1), sum = 0;
    Fairness fairness = {(double)NAN, (double)NAN, (double)NAN, rho};
    for (int i = 0; i < result->n; i++) {
        const Job *job = &result->job[i];
        rho[i] = (double)NAN;
        double ideal = result->outcome ? result->outcome[i].ideal_s : time_seconds(workload->job[i].duration);
        if (job->state != JOB_DONE || ideal <= 0) continue;
        SimTime jct = job->ended - job->submit;
        double n_live = jct ? (double)live[i] / (double)jct : 1;
        rho[i] = time_seconds(jct) / (ideal * fmax(1, job->n_gpus * n_live / cluster.pool[job->pool].n_gpus));
        if (i < first || i >= last) continue;
        fairness.max = fmax(fairness.max, rho[i]);
        sum += rho[i];
        n_values++;
        n_unfair += rho[i] > 1;
    }
    if (!n_values) return fairness;
    fairness.mean = sum / n_values;
    fairness.unfair = (double)n_unfair / n_values;
    return fairness;
}
