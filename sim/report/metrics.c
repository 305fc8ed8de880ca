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
    case JOB_PAUSED:
    case JOB_WAITING: return STATE_QUEUED;
    case JOB_UNSCHEDULABLE: return STATE_UNSCHEDULABLE;
    case JOB_FUTURE: break;
    }
    return STATE_NOT_ARRIVED;
}

static void add_accuracy(JobFigures *f, const Job *job, const JobOutcome *outcome)
{
    f->accuracy = outcome->accuracy_at_deadline;
    f->has_accuracy = true;
    f->accuracy_met = f->accuracy >= job->accuracy_required;
    if (outcome->accurate_at != TIME_NEVER) f->accurate = outcome->accurate_at - job->submit;
}

JobFigures job_figures(const SimResult *result, JobId id)
{
    const Job *job = &result->job[id];
    JobFigures f = {
        .state = state_of(job),
        .jct = TIME_NEVER,
        .wait_first = TIME_NEVER,
        .wait = TIME_NEVER,
        .service = TIME_NEVER,
        .has_deadline = job->deadline != TIME_NEVER,
        .accuracy = (double)NAN,
        .accurate = TIME_NEVER,
    };
    if (result->outcome) add_accuracy(&f, job, &result->outcome[id]);
    if (f.state == STATE_UNSCHEDULABLE || f.state == STATE_NOT_ARRIVED) return f;

    SimTime left = f.state == STATE_COMPLETED ? job->ended : result->stopped_at;
    f.service = job_attained(job, result->stopped_at);
    f.wait = left - job->submit - f.service;
    MUST(f.service >= 0 && f.wait >= 0);
    if (job->first_started != TIME_NEVER) f.wait_first = job->first_started - job->submit;
    if (f.state == STATE_COMPLETED) {
        f.jct = job->ended - job->submit;
        f.deadline_met = f.has_deadline && job->ended <= job->deadline;
    }
    return f;
}

int size_class_of(int64_t n_gpus)
{
    int class = 0;
    while (n_gpus > size_classes[class].most) class ++;
    return class;
}

const char *size_class_name(int class)
{
    return size_classes[class].gpus;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

enum { URGENT = 8 };

static void count_jobs(Metrics *m, const SimResult *result, Measure measure)
{
    int64_t n_jct = 0, n_below = 0, n_deadlines = 0, n_met = 0, n_accuracies = 0, n_accurate = 0, n_urgent = 0,
            n_urgent_met = 0;
    double accuracy = 0;
    struct {
        WideTime jct, wait;
        int64_t n_wait;
    } sum[N_SIZE_CLASSES] = {0};

    for (int i = 0; i < result->n; i++) {
        const Job *job = &result->job[i];
        JobFigures f = job_figures(result, i);
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
        n_urgent += f.has_deadline && job->urgency > URGENT;
        n_urgent_met += f.deadline_met && job->urgency > URGENT;
        n_accuracies += f.has_accuracy;
        n_accurate += f.accuracy_met;
        accuracy += f.has_accuracy ? f.accuracy : 0;
    }
    m->jct_below_100min = ratio((double)n_below, (double)n_jct);
    m->deadline_met = ratio((double)n_met, (double)n_deadlines);
    m->deadline_met_urgent = ratio((double)n_urgent_met, (double)n_urgent);
    m->accuracy_mean = ratio(accuracy, (double)n_accuracies);
    m->accuracy_met = ratio((double)n_accurate, (double)n_accuracies);
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

static SimTime accurate_of(const JobFigures *f)
{
    return f->accurate;
}

/* The measured jobs, and room for one number of each, twice. */
typedef struct Measured {
    const SimResult *result;
    int first, last;
    int64_t *value;
    void *spare;
} Measured;

static Distribution times_of(const Measured *m, Figure figure)
{
    int64_t n = 0;
    for (int i = m->first; i < m->last; i++) {
        JobFigures f = job_figures(m->result, i);
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
        JobFigures f = job_figures(m->result, i);
        if (f.jct != TIME_NEVER && f.service > 0) quotient[n++] = (double)f.jct / (double)f.service;
    }
    return distribution_of_ratios(quotient, n, m->value);
}

/* A pass over the jobs for each distribution costs less than memory for all of them at once. */
static void spread_jobs(Metrics *metrics, const SimResult *result, Measure measure, Arena *scratch)
{
    Measured m = {
        .result = result,
        .first = measure.first,
        .last = measure.last < result->n ? measure.last : result->n,
        .value = NEW_ARRAY(scratch, int64_t, result->n + 1),
        .spare = NEW_ARRAY(scratch, int64_t, result->n + 1),
    };
    metrics->jct = times_of(&m, jct_of);
    metrics->wait = times_of(&m, wait_of);
    metrics->wait_first = times_of(&m, wait_first_of);
    metrics->slowdown = slowdowns_of(&m);
    metrics->accurate = times_of(&m, accurate_of);
}

/* What jobs did with the GPUs they held, and what they sent; all jobs, measured or not. */
static void add_outcomes(Metrics *m, const SimResult *result)
{
    m->useful = result->gpu_time; /* `plain`: restarting is free and nobody waits for his gang on GPUs */
    if (!result->outcome) return;
    m->useful = m->bytes = m->move_bytes = 0;
    m->overloads = result->overloads;
    for (int i = 0; i < result->n; i++) {
        const JobOutcome *o = &result->outcome[i];
        m->bytes += o->far_bytes + o->move_bytes;
        m->move_bytes += o->move_bytes;
        m->useful += o->useful;
        m->restart += o->restart;
        m->idle += o->idle;
    }
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
        .overloads = -1,
        .refusals = result->refusals,
        .bytes = -1,
        .move_bytes = -1,
        .backlog = result->stopped_at >= result->last_submit ? result->backlog : -1,
        .oracle = result->oracle,
    };
    count_jobs(&m, result, measure);
    spread_jobs(&m, result, measure, scratch);
    add_outcomes(&m, result);
    m.fairness = fairness_of(result, workload, cluster, measure.first, measure.last, scratch);

    if (result->last_end != TIME_NEVER) m.makespan = result->last_end - result->first_submit;
    if (result->cut || !result->complete)
        m.span = result->stopped_at - result->first_submit;
    else
        m.span = m.makespan;
    double offered = m.span == TIME_NEVER ? 0 : (double)((WideTime)cluster->n_gpus * m.span);
    m.gpu_allocation = ratio((double)result->gpu_time, offered);
    m.gpu_utilisation = result->outcome ? ratio((double)result->busy_time, offered * 1000) : (double)NAN;
    MUST(isnan(m.gpu_allocation) || (m.gpu_allocation >= 0 && m.gpu_allocation <= 1));
    MUST(isnan(m.gpu_utilisation) || (m.gpu_utilisation >= 0 && m.gpu_utilisation <= 1));
    m.offered_load = ratio((double)workload_gpu_time(workload),
                           (double)((WideTime)cluster->n_gpus * (result->last_submit - result->first_submit)));
    return m;
}
