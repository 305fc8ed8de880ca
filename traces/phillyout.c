/* traces/phillyout.c -- attempts drawn and written, four blanks a level. */
#include "traces/phillyout.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/rng.h"
#include "traces/calibration.h"

enum { MOST_ATTEMPTS = 8, GPUS_A_SERVER = 8, N_MACHINES = 552 };

typedef struct Attempt {
    SimTime start, end;
} Attempt;

/* Share of jobs with several attempts, by size and outcome: the log's share of the size is kept exactly, split over the
 * outcomes in the ratio the log has over all sizes. */
static double chance_of_retry(int bucket, bool passed)
{
    double pass = pass_share[bucket];
    double mean = pass * retry_share_pass + (1 - pass) * retry_share_not_pass;
    return retry_share[bucket] * (passed ? retry_share_pass : retry_share_not_pass) / mean;
}

static int by_time(const void *a, const void *b)
{
    const SimTime *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Beyond the second one the log's figures do not say how many attempts there are: each further one is as likely as not.
 */
static int draw_attempts(const JobSpec *job, Rng *rng, Attempt attempt[MOST_ATTEMPTS])
{
    int bucket = bucket_of(job->n_gpus), n = 1;
    SimTime at = job->submit + (SimTime)knot_at(wait_s[bucket], rng_uniform(rng)) * TIME_SECOND;
    if (job->duration && rng_uniform(rng) < chance_of_retry(bucket, strcmp(job->status, "Pass") == 0)) {
        n = 2;
        while (n < MOST_ATTEMPTS && rng_uniform(rng) < 0.5) n++;
    }
    SimTime cut[MOST_ATTEMPTS + 1] = {0}; /* run time attained before each attempt, and at the end */
    for (int i = 1; i < n; i++) cut[i] = rng_below(rng, job->duration / TIME_SECOND + 1) * TIME_SECOND;
    cut[n] = job->duration;
    qsort(cut, (size_t)n, sizeof *cut, by_time);
    for (int i = 0; i < n; i++) {
        if (i) at += (SimTime)quantile_at(&requeue_gap_s, rng_uniform(rng)) * TIME_SECOND;
        attempt[i].start = at;
        attempt[i].end = at += cut[i + 1] - cut[i];
    }
    return n;
}

static void write_date(Out *out, const char *before, SimTime time, const char *after)
{
    char text[TIME_TEXT];
    MUST(time % TIME_SECOND == 0);
    time_format_date(time, text);
    out_text(out, before);
    out_text(out, text);
    out_text(out, after);
}

/* Whole servers as long as there are GPUs for them, the rest on one more. */
static void write_detail(Out *out, int n_gpus, Rng *rng)
{
    int machine = (int)rng_below(rng, N_MACHINES);
    for (int left = n_gpus; left > 0; left -= GPUS_A_SERVER, machine++) {
        int here = left < GPUS_A_SERVER ? left : GPUS_A_SERVER, first = (int)rng_below(rng, GPUS_A_SERVER - here + 1);
        out_text(out, left == n_gpus ? "" : ",\n");
        out_text(out, "                    {\n                        \"ip\": \"m");
        out_int(out, machine % N_MACHINES + 1);
        out_text(out, "\",\n                        \"gpus\": [\n");
        for (int g = 0; g < here; g++) {
            out_text(out, "                            \"gpu");
            out_int(out, first + g);
            out_text(out, g + 1 < here ? "\",\n" : "\"\n");
        }
        out_text(out, "                        ]\n                    }");
    }
}

static void write_job(Out *out, const JobSpec *job, Rng *rng)
{
    Attempt attempt[MOST_ATTEMPTS];
    MUST(job->status && job->vc);
    int n = draw_attempts(job, rng, attempt);
    out_text(out, "    {\n        \"status\": \"");
    out_text(out, job->status);
    out_text(out, "\",\n        \"vc\": \"");
    out_text(out, job->vc);
    out_text(out, "\",\n        \"jobid\": \"");
    out_text(out, job->name);
    out_text(out, "\",\n        \"attempts\": [\n");
    for (int i = 0; i < n; i++) {
        write_date(out, "            {\n                \"start_time\": \"", attempt[i].start, "\",\n");
        write_date(out, "                \"end_time\": \"", attempt[i].end, "\",\n                \"detail\": [\n");
        write_detail(out, job->n_gpus, rng);
        out_text(out, i + 1 < n ? "\n                ]\n            },\n" : "\n                ]\n            }\n");
    }
    write_date(out, "        ],\n        \"submitted_time\": \"", job->submit, "\",\n");
    out_text(out, "        \"user\": \"unknown\"\n    }");
}

void philly_write(Out *out, const Workload *workload, uint64_t seed)
{
    out_text(out, "[\n");
    for (int i = 0; i < workload->n && !out_failed(out); i++) {
        Rng rng;
        rng_open(&rng, seed, "attempts", (uint64_t)i);
        if (i) out_text(out, ",\n");
        write_job(out, &workload->job[i], &rng);
    }
    out_text(out, "\n]\n");
}
