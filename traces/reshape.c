/* traces/reshape.c -- GPUs, run times and span drawn or stretched; everything else of a job stays. */
#include "traces/reshape.h"

#include <math.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/rng.h"

const Param workload_params[] = {
    NUMBERS_PARAM("gpu_choices", "1,2,4,8,16,32", 1, 1e6, "GPUs of a job with model.gpus=uniform, each as likely"),
    CHOICE_PARAM("durations", "trace", "trace|lognormal", "run times: the trace's, or lognormal"),
    NUMBER_PARAM("duration_median_s", "480", 1e-6, 1e9, "median of lognormal run times, seconds"),
    NUMBER_PARAM("duration_mean_s", "1800", 1e-6, 1e9, "their mean before they are clamped, seconds"),
    NUMBER_PARAM("duration_min_s", "30", 0, 1e9, "shorter ones are set to this, seconds"),
    NUMBER_PARAM("duration_max_s", "86400", 0, 1e9, "longer ones are set to this, seconds"),
    CHOICE_PARAM("span", "trace", "trace|scaled",
                 "first to last submission: the trace's, or span_h * (jobs / span_jobs) ^ span_power"),
    NUMBER_PARAM("span_h", "36", 0, 1e7, "span of span_jobs jobs, hours"),
    NUMBER_PARAM("span_jobs", "155", 1, 1e9, "jobs that arrive within span_h"),
    NUMBER_PARAM("span_power", "0.3333333333333333", 0, 10, "how the span grows with the number of jobs"),
    {0},
};

enum { MOST_CHOICES = 64 };

static bool is(const Params *params, const char *group, const char *name, const char *choice)
{
    return strcmp(params_text(params, group, name), choice) == 0;
}

static uint64_t name_of(const JobSpec *job)
{
    return hash_text(HASH_START, job->name);
}

static bool draw_gpus(JobSpec job[], int n, const Params *params, uint64_t seed, Err *err)
{
    double choice[MOST_CHOICES + 1];
    int n_choices = params_numbers(params, "workload", "gpu_choices", choice, MOST_CHOICES + 1);
    if (n_choices > MOST_CHOICES)
        return err_set(err, ERR_USAGE, "workload.gpu_choices: more than %d numbers", MOST_CHOICES);
    for (int i = 0; i < n_choices; i++)
        if (choice[i] != floor(choice[i]))
            return err_set(err, ERR_USAGE, "workload.gpu_choices: %g is no whole number", choice[i]);
    for (int i = 0; i < n; i++) {
        job[i].n_gpus = (int32_t)choice[(int)(n_choices * rng_fraction(seed, "gpus", name_of(&job[i])))];
        job[i].replicas = job[i].partitions = 0;
    }
    return true;
}

/* ln X is normal: the median is exp(μ), the mean exp(μ + σ²/2). */
static bool draw_durations(JobSpec job[], int n, const Params *params, uint64_t seed, Err *err)
{
    double median = params_number(params, "workload", "duration_median_s");
    double mean = params_number(params, "workload", "duration_mean_s");
    double least = params_number(params, "workload", "duration_min_s");
    double most = params_number(params, "workload", "duration_max_s");
    if (mean < median)
        return err_set(err, ERR_USAGE,
                       "workload.duration_mean_s: %g is below the median, %g: no lognormal law has that", mean, median);
    if (least > most)
        return err_set(err, ERR_USAGE, "workload.duration_min_s: %g is more than duration_max_s, %g", least, most);
    double sigma = sqrt(2 * log(mean / median));
    for (int i = 0; i < n; i++) {
        double seconds = median * exp(sigma * rng_normal(seed, "duration", name_of(&job[i])));
        job[i].duration = time_from_seconds(fmax(least, fmin(most, seconds)));
    }
    return true;
}

/* The order stays: a larger distance never becomes a smaller one. */
static bool stretch(JobSpec job[], int n, const Params *params, double *factor, Err *err)
{
    double hours = params_number(params, "workload", "span_h");
    double ratio = n / params_number(params, "workload", "span_jobs");
    double span = hours * 3600e6 * pow(ratio, params_number(params, "workload", "span_power"));
    SimTime first = job[0].submit, last = job[n - 1].submit;
    if (first == last) return true; /* nothing to stretch */
    if (span > (double)(TIME_LIMIT - first))
        return err_set(err, ERR_USAGE, "workload.span_h: %d jobs would arrive until after 10^12 s", n);
    *factor = span / (double)(last - first);
    for (int i = 0; i < n; i++) job[i].submit = first + llrint((double)(job[i].submit - first) * *factor);
    return true;
}

bool reshape_draws(const Params *params)
{
    return is(params, "model", "gpus", "uniform") || is(params, "workload", "durations", "lognormal");
}

bool reshape_workload(const Workload *from, const Params *params, uint64_t seed, Arena *arena, Workload *to, Err *err)
{
    bool gpus = is(params, "model", "gpus", "uniform"), span = is(params, "workload", "span", "scaled");
    bool durations = is(params, "workload", "durations", "lognormal");
    *to = *from;
    if (!from->n || !(gpus || durations || span)) return true;

    JobSpec *job = NEW_ARRAY(arena, JobSpec, from->n);
    double factor = 1;
    memcpy(job, from->job, (size_t)from->n * sizeof *job);
    if ((gpus && !draw_gpus(job, from->n, params, seed, err)) ||
        (durations && !draw_durations(job, from->n, params, seed, err)) ||
        (span && !stretch(job, from->n, params, &factor, err)))
        return false;
    to->job = job;
    to->arrival_scale *= factor;
    return true;
}
