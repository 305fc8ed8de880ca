/* sim/report/describe.c -- counting through a job table. */
#include "sim/report/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/names.h"
#include "traces/calibration.h"

static int by_jobs(const void *a, const void *b)
{
    const Tally *x = a, *y = b;
    if (x->jobs != y->jobs) return x->jobs > y->jobs ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const char *status_of(const JobSpec *job)
{
    return job->status;
}
static const char *vc_of(const JobSpec *job)
{
    return job->vc;
}
static const char *model_of(const JobSpec *job)
{
    return job->model;
}
static const char *user_of(const JobSpec *job)
{
    return job->user;
}

/* Jobs by a text they carry; those without one are left out. */
static Tallies tally(const Workload *workload, const char *(*text_of)(const JobSpec *job), Arena *arena)
{
    Names names = {.arena = arena};
    Tally *row = NULL;
    int room = 0;
    for (int i = 0; i < workload->n; i++) {
        const JobSpec *job = &workload->job[i];
        const char *text = text_of(job);
        if (!text) continue;
        bool is_new;
        int k = names_add(&names, text, strlen(text), &is_new);
        if (k == room) {
            row = arena_grow(arena, row, (size_t)room, (size_t)room * 2 + 16, sizeof *row);
            room = room * 2 + 16;
        }
        MUST(row);
        row[k].name = names.text[k];
        row[k].jobs++;
        row[k].gpu_time += (WideTime)job->duration * job->n_gpus;
    }
    if (row) qsort(row, (size_t)names.n, sizeof *row, by_jobs);
    return (Tallies){row, names.n};
}

typedef struct Step { /* of the number of GPUs in use */
    SimTime at;
    int32_t gpus;
} Step;

static int by_gpus(const void *a, const void *b)
{
    const Step *x = a, *y = b;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}
static int by_time(const void *a, const void *b)
{
    const Step *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static Tallies tally_gpus(const Workload *workload, Arena *arena)
{
    Step *job = NEW_ARRAY(arena, Step, workload->n); /* duration and size of each */
    int n = 0;
    for (int i = 0; i < workload->n; i++) job[i] = (Step){workload->job[i].duration, workload->job[i].n_gpus};
    qsort(job, (size_t)workload->n, sizeof *job, by_gpus);
    for (int i = 0; i < workload->n; i++) n += i == 0 || job[i - 1].gpus != job[i].gpus;
    Tally *row = NEW_ARRAY(arena, Tally, n);
    for (int i = 0, k = -1; i < workload->n; i++) {
        if (i == 0 || job[i - 1].gpus != job[i].gpus) row[++k].name = arena_format(arena, "%d", job[i].gpus);
        row[k].jobs++;
        row[k].gpu_time += (WideTime)job[i].at * job[i].gpus;
    }
    return (Tallies){row, n};
}

/* Intervals are half-open: what ends at an instant makes room for what begins there; a job of zero seconds uses
 * nothing.
 */
static int64_t peak(const Workload *workload, Arena *arena)
{
    Step *end = NEW_ARRAY(arena, Step, workload->n);
    for (int i = 0; i < workload->n; i++) {
        const JobSpec *job = &workload->job[i];
        end[i] = (Step){time_add(job->submit, job->duration), job->duration ? job->n_gpus : 0};
    }
    qsort(end, (size_t)workload->n, sizeof *end, by_time);
    int64_t now = 0, most = 0;
    for (int i = 0, ended = 0; i < workload->n; i++) {
        const JobSpec *job = &workload->job[i];
        for (; ended < workload->n && end[ended].at <= job->submit; ended++) now -= end[ended].gpus;
        /* A job of zero seconds may have been passed over already: it weighs nothing on either side. */
        now += job->duration ? job->n_gpus : 0;
        if (now > most) most = now;
    }
    return most;
}

static RunTimes run_times(const Workload *workload, int bucket, Arena *arena)
{
    int64_t *time = NEW_ARRAY(arena, int64_t, 2 * (size_t)workload->n), *spare = time + workload->n;
    int64_t n = 0;
    RunTimes row = {.p25_s = (double)NAN, .p75_s = (double)NAN};
    for (int i = 0; i < workload->n; i++) {
        const JobSpec *job = &workload->job[i];
        if (bucket < N_BUCKETS && bucket_of(job->n_gpus) != bucket) continue;
        time[n++] = job->duration;
        row.gpu_time += (WideTime)job->duration * job->n_gpus;
    }
    row.seconds = distribution_of_integers(time, n, TIME_SECOND, spare); /* sorts */
    if (n) row.p25_s = quantile_of_integers(time, n, 250, TIME_SECOND);
    if (n) row.p75_s = quantile_of_integers(time, n, 750, TIME_SECOND);
    return row;
}

static void describe_gaps(const Workload *workload, Description *d)
{
    int n = workload->n - 1;
    d->gap_mean_s = d->gap_cv = d->gap_zero = (double)NAN;
    if (n < 1) return;
    double mean = time_seconds(d->last - d->first) / n, squares = 0;
    int zero = 0;
    for (int i = 1; i <= n; i++) {
        SimTime gap = workload->job[i].submit - workload->job[i - 1].submit;
        double off = time_seconds(gap) - mean;
        squares += off * off;
        zero += gap == 0;
    }
    d->gap_mean_s = mean;
    d->gap_zero = (double)zero / n;
    if (mean > 0) d->gap_cv = sqrt(squares / n) / mean;
}

/* Days without a job count, but are not stored. */
static void describe_days(const Workload *workload, Arena *arena, Description *d)
{
    const SimTime day = 86400 * TIME_SECOND;
    int64_t *jobs = NEW_ARRAY(arena, int64_t, workload->n); /* of the days that have any */
    int64_t *spare = NEW_ARRAY(arena, int64_t, workload->n);
    int64_t n = 0;
    for (int i = 0; i < workload->n; i++) {
        if (i == 0 || workload->job[i].submit / day != workload->job[i - 1].submit / day) n++;
        jobs[n - 1]++;
    }
    d->days = d->last / day - d->first / day + 1;
    d->day_mean = (double)workload->n / (double)d->days;
    d->day_max = (int64_t)distribution_of_integers(jobs, n, 1, spare).max; /* sorts */
    int64_t empty = d->days - n, upper = d->days / 2 - empty, lower = (d->days - 1) / 2 - empty;
    d->day_median = (double)((upper < 0 ? 0 : jobs[upper]) + (lower < 0 ? 0 : jobs[lower])) / 2;
}

Description describe_workload(const Workload *workload, Arena *arena)
{
    MUST(workload->n >= 1);
    Description d = {
        .gpus = tally_gpus(workload, arena),
        .status = tally(workload, status_of, arena),
        .vc = tally(workload, vc_of, arena),
        .model = tally(workload, model_of, arena),
        .users = tally(workload, user_of, arena).n,
        .gpu_time = workload_gpu_time(workload),
        .first = workload->job[0].submit,
        .last = workload->job[workload->n - 1].submit,
        .peak_gpus = peak(workload, arena),
    };
    int64_t gpus = 0;
    for (int i = 0; i < workload->n; i++) gpus += workload->job[i].n_gpus;
    d.gpus_mean = (double)gpus / workload->n;
    for (int k = 0; k < N_RUN_TIMES; k++) d.run_time[k] = run_times(workload, k, arena);
    describe_gaps(workload, &d);
    describe_days(workload, arena, &d);
    d.offered_gpus = d.last > d.first ? (double)d.gpu_time / (double)(d.last - d.first) : (double)NAN;
    return d;
}
