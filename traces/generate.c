/* traces/generate.c -- jobs by inverse transform.
 *
 * Jobs are independent of each other given their arrival: that a burst of the log often holds copies of one job is not
 * modelled.  Of the NotPass jobs the longer ones are rather killed than failed, such that the killed ones, 38 % by
 * number, use 47 % of their GPU time as in the log.
 */
#include "traces/generate.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "sim/base/rng.h"
#include "sim/base/text.h"
#include "traces/calibration.h"

#define LARGEST_SIZE time_seconds(TIME_LIMIT)
#define KILLED_TILT  0.2 /* between the share of killed among the longest and among the shortest */

/* One number or two, separated by a comma, each above 0. */
static bool parse_numbers(const char *text, const char *numbers, const char *expected, double *a, double *b, Err *err)
{
    size_t length = strcspn(numbers, ",");
    bool good = text_to_double(numbers, length, a) && *a > 0 && *a <= LARGEST_SIZE;
    if (b)
        good = good && numbers[length] == ',' &&
               text_to_double(numbers + length + 1, strlen(numbers + length + 1), b) && *b > 0 && *b <= LARGEST_SIZE;
    else
        good = good && !numbers[length];
    return good || err_set(err, ERR_USAGE, "%s: expected %s, above 0 and at most 10^12", text, expected);
}

bool sizes_parse(const char *text, Sizes *sizes, Err *err)
{
    *sizes = (Sizes){SIZES_PHILLY, 0, 0};
    if (strcmp(text, "philly") == 0) return true;
    if (text_starts(text, "exp:")) {
        sizes->law = SIZES_EXPONENTIAL;
        return parse_numbers(text, text + 4, "exp:MEAN in seconds", &sizes->a, NULL, err);
    }
    if (text_starts(text, "det:")) {
        sizes->law = SIZES_FIXED;
        return parse_numbers(text, text + 4, "det:X in seconds", &sizes->a, NULL, err);
    }
    if (text_starts(text, "lognormal:")) {
        sizes->law = SIZES_LOGNORMAL;
        if (!parse_numbers(text, text + 10, "lognormal:MEDIAN,MEAN in seconds", &sizes->a, &sizes->b, err))
            return false;
        return sizes->a <= sizes->b ||
               err_set(err, ERR_USAGE, "%s: the mean of a lognormal law is not below its median", text);
    }
    if (text_starts(text, "pareto:")) {
        sizes->law = SIZES_PARETO;
        return parse_numbers(text, text + 7, "pareto:SHAPE,SMALLEST, the latter in seconds", &sizes->a, &sizes->b, err);
    }
    return err_set(err, ERR_USAGE,
                   "%s: expected philly, exp:MEAN, det:X, lognormal:MEDIAN,MEAN or pareto:SHAPE,SMALLEST", text);
}

bool gpus_parse(const char *text, const Sizes *sizes, int *gpus, Err *err)
{
    int64_t number;
    *gpus = GPUS_PHILLY;
    if (!text) {
        *gpus = sizes->law == SIZES_PHILLY ? GPUS_PHILLY : 1;
        return true;
    }
    if (strcmp(text, "philly") == 0) return true;
    if (!text_to_int(text, strlen(text), 1, 1000000, &number))
        return err_set(err, ERR_USAGE, "%s: expected philly or a number of GPUs from 1 to 1000000", text);
    *gpus = (int)number;
    return true;
}

static int drawn_gpus(uint64_t seed, uint64_t id)
{
    Rng rng;
    rng_open(&rng, seed, "gpus", id);
    int sum = 0, i = 0;
    for (int k = 0; k < N_GPU_COUNTS; k++) sum += gpu_counts[k].jobs;
    for (int64_t u = rng_below(&rng, sum); u >= gpu_counts[i].jobs; i++) u -= gpu_counts[i].jobs;
    return gpu_counts[i].n_gpus;
}

static const char *drawn_vc(uint64_t seed, uint64_t id, int bucket)
{
    Rng rng;
    rng_open(&rng, seed, "vc", id);
    int sum = 0, i = 0;
    for (int k = 0; k < N_VC_SHARES; k++) sum += vc_shares[k].jobs[bucket];
    for (int64_t u = rng_below(&rng, sum); u >= vc_shares[i].jobs[bucket]; i++) u -= vc_shares[i].jobs[bucket];
    return vc_shares[i].name;
}

static void draw_philly(uint64_t seed, uint64_t id, JobSpec *job)
{
    static const char *const status_name[] = {"Pass", "Failed", "Killed"}; /* one address each: interned */
    int bucket = bucket_of(job->n_gpus);
    Rng rng;
    rng_open(&rng, seed, "status", id);
    bool passed = rng_uniform(&rng) < pass_share[bucket];
    double fate = rng_uniform(&rng);

    rng_open(&rng, seed, "size", id);
    double u = rng_uniform(&rng);
    bool failed = fate < FAILED_SHARE + KILLED_TILT * (0.5 - u);
    job->duration = (SimTime)(quantile_at(&run_time_s[passed][bucket], u) + 0.5) * TIME_SECOND;
    job->status = status_name[passed ? 0 : failed ? 1 : 2];
    job->vc = drawn_vc(seed, id, bucket);
}

static double drawn_seconds(const Sizes *sizes, uint64_t seed, uint64_t id)
{
    Rng rng;
    rng_open(&rng, seed, "size", id);
    switch (sizes->law) {
    case SIZES_EXPONENTIAL: return gsl_ran_exponential(&rng.gsl, sizes->a);
    case SIZES_LOGNORMAL: return gsl_ran_lognormal(&rng.gsl, log(sizes->a), sqrt(2 * log(sizes->b / sizes->a)));
    case SIZES_PARETO: return gsl_ran_pareto(&rng.gsl, sizes->a, sizes->b);
    case SIZES_FIXED: return sizes->a;
    case SIZES_PHILLY: break; /* whole seconds, from the tables */
    }
    MUST(sizes->law != SIZES_PHILLY);
    return 0;
}

bool generate_workload(const GenerateOptions *options, Arena *arena, Workload *workload, Err *err)
{
    int n = options->jobs;
    MUST(n >= 1 && n <= MOST_JOBS);
    Arena scratch = {0};
    SimTime *at = NEW_ARRAY(&scratch, SimTime, n);
    JobSpec *job = NEW_ARRAY(arena, JobSpec, n);
    bool good = arrivals_draw(&options->arrivals, options->seed, at, n, err);
    for (int i = 0; i < n && good; i++) {
        uint64_t id = (uint64_t)i;
        job[i] = (JobSpec){.submit = at[i],
                           .waited = TIME_NEVER,
                           .deadline = TIME_NEVER,
                           .urgency = (double)NAN,
                           .accuracy_required = (double)NAN,
                           .n_gpus = options->gpus ? options->gpus : drawn_gpus(options->seed, id)};
        if (options->sizes.law == SIZES_PHILLY) {
            job[i].name = arena_format(arena, "application_%lld_%04d", (long long)FIRST_DAY * 86400000, i + 1);
            draw_philly(options->seed, id, &job[i]);
            continue;
        }
        job[i].name = arena_format(arena, "%d", i + 1);
        double seconds = drawn_seconds(&options->sizes, options->seed, id);
        good = seconds <= LARGEST_SIZE ||
               err_set(err, ERR_USAGE, "job %d would run %g seconds, and the clock ends at 10^12", i + 1, seconds);
        if (good) job[i].duration = time_from_seconds(seconds);
    }
    arena_free(&scratch);
    *workload = (Workload){.job = job,
                           .n = n,
                           .counts = {.read = n, .usable = n},
                           .source = "generate",
                           .format = "generate",
                           .calendar = options->arrivals.law == ARRIVALS_PHILLY,
                           .load = 1,
                           .arrival_scale = 1};
    return good;
}
