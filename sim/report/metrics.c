/* sim/report/metrics.c -- one pass over the jobs, then ratios of exact sums. */
#include "sim/report/metrics.h"

#include <math.h>

#define HUNDRED_MINUTES (100 * TIME_MINUTE)

static const struct {
    const char *gpus;
    int32_t most;
} size_classes[N_SIZE_CLASSES] = {{"1", 1}, {"2-4", 4}, {"5-8", 8}, {"9+", INT32_MAX}};

/* The first job submitted at `when` or later. */
static int first_from(const Workload *workload, SimTime when)
{
    int low = 0, high = workload->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (workload->job[middle].submit < when)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Measure measure_by_submit(const Workload *workload, SimTime from, SimTime to)
{
    return (Measure){first_from(workload, from), first_from(workload, to)};
}

const char *report_state_name(ReportState state)
{
    static const char *const names[N_REPORT_STATES] = {
        [STATE_COMPLETED] = "completed",         [STATE_RUNNING] = "running",         [STATE_QUEUED] = "queued",
        [STATE_UNSCHEDULABLE] = "unschedulable", [STATE_NOT_ARRIVED] = "not_arrived",
    };
    return names[state];
}

static ReportState state_of(const Job *job)
{
    switch (job->state) {
    case JOB_DONE: return STATE_COMPLETED;
    case JOB_RUNNING: return STATE_RUNNING;
    case JOB_WAITING: return STATE_QUEUED;
    case JOB_UNSCHEDULABLE: return STATE_UNSCHEDULABLE;
    case JOB_FUTURE: break;
    }
    return STATE_NOT_ARRIVED;
}

JobFigures job_figures(const JobSpec *spec, const Job *job, SimTime stopped_at)
{
    JobFigures f = {
        .state = state_of(job),
        .jct = TIME_NEVER,
        .wait_first = TIME_NEVER,
        .wait = TIME_NEVER,
        .service = TIME_NEVER,
        .has_deadline = spec->deadline != TIME_NEVER,
    };
    if (f.state == STATE_UNSCHEDULABLE || f.state == STATE_NOT_ARRIVED) return f;

    SimTime left = f.state == STATE_COMPLETED ? job->ended : stopped_at;
    f.service = job_attained(job, stopped_at);
    f.wait = left - job->submit - f.service;
    MUST(f.service >= 0 && f.wait >= 0);
    if (job->first_started != TIME_NEVER) f.wait_first = job->first_started - job->submit;
    if (f.state == STATE_COMPLETED) {
        f.jct = job->ended - job->submit;
        f.deadline_met = f.has_deadline && f.jct <= spec->deadline;
    }
    return f;
}

static int size_class_of(int32_t n_gpus)
{
    int class = 0;
    while (n_gpus > size_classes[class].most) class ++;
    return class;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static void count_jobs(Metrics *m, const SimResult *result, const Workload *workload, Measure measure)
{
    int64_t n_jct = 0, n_below = 0, n_deadlines = 0, n_met = 0;
    struct {
        WideTime jct, wait;
        int64_t n_wait;
    } sum[N_SIZE_CLASSES] = {0};

    for (int i = 0; i < workload->n; i++) {
        const Job *job = &result->job[i];
        JobFigures f = job_figures(&workload->job[i], job, result->stopped_at);
        m->state[f.state]++;
        m->stopped_early += f.state == STATE_COMPLETED && job->stop_reason;
        if (i < measure.first || i >= measure.last) continue;

        int class = size_class_of(job->n_gpus);
        m->measured++;
        m->by_size[class].measured++;
        if (f.jct != TIME_NEVER) {
            n_jct++;
            n_below += f.jct <= HUNDRED_MINUTES;
            m->by_size[class].completed++;
            sum[class].jct += f.jct;
        }
        if (f.wait != TIME_NEVER) {
            sum[class].n_wait++;
            sum[class].wait += f.wait;
        }
        n_deadlines += f.has_deadline;
        n_met += f.deadline_met;
    }
    m->jct_below_100min = ratio((double)n_below, (double)n_jct);
    m->deadline_met = ratio((double)n_met, (double)n_deadlines);
    for (int c = 0; c < N_SIZE_CLASSES; c++) {
        SizeClass *size = &m->by_size[c];
        size->gpus = size_classes[c].gpus;
        size->jct_mean_s = ratio((double)sum[c].jct, (double)size->completed * 1e6);
        size->wait_mean_s = ratio((double)sum[c].wait, (double)sum[c].n_wait * 1e6);
    }
}

typedef SimTime (*Figure)(const JobFigures *figures);

static SimTime jct_of(const JobFigures *f)
{
    return f->jct;
}

static SimTime wait_of(const JobFigures *f)
{
    return f->wait;
}

static SimTime wait_first_of(const JobFigures *f)
{
    return f->wait_first;
}

/* The measured jobs, and room for one number of each, twice. */
typedef struct Measured {
    const SimResult *result;
    const JobSpec *spec;
    int first, last;
    int64_t *value;
    void *spare;
} Measured;

static Distribution times_of(const Measured *m, Figure figure)
{
    int64_t n = 0;
    for (int i = m->first; i < m->last; i++) {
        JobFigures f = job_figures(&m->spec[i], &m->result->job[i], m->result->stopped_at);
        SimTime time = figure(&f);
        if (time != TIME_NEVER) m->value[n++] = time;
    }
    return distribution_of_integers(m->value, n, TIME_SECOND, m->spare);
}

static Distribution slowdowns_of(const Measured *m)
{
    int64_t n = 0;
    double *quotient = m->spare;
    for (int i = m->first; i < m->last; i++) {
        JobFigures f = job_figures(&m->spec[i], &m->result->job[i], m->result->stopped_at);
        if (f.jct != TIME_NEVER && f.service > 0) quotient[n++] = (double)f.jct / (double)f.service;
    }
    return distribution_of_ratios(quotient, n, m->value);
}

/* A pass over the jobs for each distribution costs less than memory for all of them at once. */
static void spread_jobs(Metrics *metrics, const SimResult *result, const Workload *workload, Measure measure,
                        Arena *scratch)
{
    Measured m = {
        .result = result,
        .spec = workload->job,
        .first = measure.first,
        .last = measure.last < workload->n ? measure.last : workload->n,
        .value = NEW_ARRAY(scratch, int64_t, workload->n + 1),
        .spare = NEW_ARRAY(scratch, int64_t, workload->n + 1),
    };
    metrics->jct = times_of(&m, jct_of);
    metrics->wait = times_of(&m, wait_of);
    metrics->wait_first = times_of(&m, wait_first_of);
    metrics->slowdown = slowdowns_of(&m);
}

Metrics metrics_of(const SimResult *result, const Workload *workload, const ClusterSpec *cluster, Measure measure,
                   Arena *scratch)
{
    MUST(result->n == workload->n);
    Metrics m = {
        .submitted = workload->n,
        .makespan = TIME_NEVER,
        .span = TIME_NEVER,
        .preemptions = result->preemptions,
        .migrations = result->migrations,
        .refusals = result->refusals,
        .gpu_time = result->gpu_time,
        .backlog = result->stopped_at >= result->last_submit ? result->backlog : -1,
        .oracle = result->oracle,
    };
    count_jobs(&m, result, workload, measure);
    spread_jobs(&m, result, workload, measure, scratch);

    if (result->last_end != TIME_NEVER) m.makespan = result->last_end - result->first_submit;
    if (result->cut || !result->complete)
        m.span = result->stopped_at - result->first_submit;
    else
        m.span = m.makespan;
    m.gpu_allocation = m.span == TIME_NEVER
                           ? (double)NAN
                           : ratio((double)result->gpu_time, (double)((WideTime)cluster->n_gpus * m.span));
    MUST(isnan(m.gpu_allocation) || (m.gpu_allocation >= 0 && m.gpu_allocation <= 1));
    m.offered_load = ratio((double)workload_gpu_time(workload),
                           (double)((WideTime)cluster->n_gpus * (result->last_submit - result->first_submit)));
    return m;
}
