/* tests/unit_describe.c -- the statistics of a trace, worked out by hand; a page for the smallest of traces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/report/describe.h"
#include "tests/shared.h"
#include "traces/calibration.h"
#include "traces/generate.h"
#include "traces/reader.h"

static JobSpec job(SimTime submit_s, int n_gpus, SimTime duration_s, const char *status, const char *vc)
{
    return (JobSpec){.name = "j",
                     .submit = submit_s * TIME_SECOND,
                     .n_gpus = n_gpus,
                     .duration = duration_s * TIME_SECOND,
                     .deadline = TIME_NEVER,
                     .urgency = (double)NAN,
                     .accuracy_required = (double)NAN,
                     .status = status,
                     .vc = vc};
}

static Workload of(const JobSpec *jobs, int n)
{
    return (Workload){.job = jobs,
                      .n = n,
                      .counts = {.read = n + 3, .usable = n, .skipped = {[SKIP_NO_ATTEMPT] = 2, [SKIP_CPU_ONLY] = 1}},
                      .source = "hand",
                      .format = "csv",
                      .load = 1,
                      .arrival_scale = 1};
}

static void figures_worked_out_by_hand(void **state)
{
    (void)state;
    Arena arena = {0};
    const JobSpec jobs[] = {
        job(100, 1, 50, "Pass", "a"),      /* [100, 150) */
        job(100, 4, 20, "Pass", NULL),     /* [100, 120) */
        job(120, 2, 0, "Failed", "b"),     /* nothing */
        job(130, 16, 1000, "Killed", "b"), /* [130, 1130) */
        job(260000, 1, 10, "Pass", "b"),   /* day 3; nothing else runs */
    };
    Workload w = of(jobs, 5);
    Description d = describe_workload(&w, &arena);

    assert_int_equal((int64_t)(d.gpu_time / TIME_SECOND), 50 + 80 + 0 + 16000 + 10);
    assert_true(fabs(d.gpus_mean - 24 / 5.0) < 1e-12);
    assert_int_equal(d.peak_gpus, 17); /* at 130 the 4-GPU job is over, the first one is not */
    assert_true(fabs(d.offered_gpus - 16140 / 259900.0) < 1e-12);

    double mean = 259900 / 4.0, gaps[] = {0, 20, 10, 259870}, squares = 0;
    for (int i = 0; i < 4; i++) squares += (gaps[i] - mean) * (gaps[i] - mean);
    assert_true(fabs(d.gap_mean_s - 64975) < 1e-9);
    assert_true(fabs(d.gap_cv - sqrt(squares / 4) / mean) < 1e-12);
    assert_true(fabs(d.gap_zero - 0.25) < 1e-12);

    /* days 0 to 3 have 4, 0, 0, 1 jobs */
    assert_int_equal(d.days, 4);
    assert_int_equal(d.day_max, 4);
    assert_true(fabs(d.day_mean - 1.25) < 1e-12 && fabs(d.day_median - 0.5) < 1e-12);

    assert_int_equal(d.gpus.n, 4);
    static const char *const count[] = {"1", "2", "4", "16"};
    for (int i = 0; i < 4; i++) assert_string_equal(d.gpus.row[i].name, count[i]);
    assert_int_equal(d.gpus.row[0].jobs, 2);
    assert_int_equal((int64_t)(d.gpus.row[3].gpu_time / TIME_SECOND), 16000);

    assert_int_equal(d.vc.n, 2); /* most jobs first; the job without one is in neither */
    assert_string_equal(d.vc.row[0].name, "b");
    assert_int_equal(d.vc.row[0].jobs, 3);
    assert_int_equal(d.vc.row[1].jobs, 1);
    assert_int_equal(d.status.n, 3);
    assert_int_equal(d.model.n, 0);
    assert_int_equal(d.users, 0);

    static const int64_t sizes[] = {2, 2, 0, 1, 5};
    for (int k = 0; k < N_RUN_TIMES; k++) assert_int_equal(d.run_time[k].seconds.n, sizes[k]);
    assert_true(fabs(d.run_time[0].seconds.p50 - 30) < 1e-12 && fabs(d.run_time[0].p25_s - 20) < 1e-12);
    assert_true(isnan(d.run_time[2].p75_s));
    /* all: 0 10 20 50 1000 */
    assert_true(fabs(d.run_time[4].seconds.p50 - 20) < 1e-12 && fabs(d.run_time[4].p75_s - 50) < 1e-12);
    arena_free(&arena);
}

static void median_day_counts_the_empty_ones(void **state)
{
    (void)state;
    Arena arena = {0};
    const SimTime day = 86400;
    const JobSpec jobs[] = {job(0, 1, 1, NULL, NULL),       job(1, 1, 1, NULL, NULL),
                            job(day, 1, 1, NULL, NULL),     job(2 * day, 1, 1, NULL, NULL),
                            job(2 * day, 1, 1, NULL, NULL), job(2 * day, 1, 1, NULL, NULL),
                            job(4 * day, 1, 1, NULL, NULL)};
    /* of the first job, the first two, ...: 1 | 2 | 2 1 | 2 1 1 | 2 1 2 | 2 1 3 | 2 1 3 0 1 */
    static const double median[] = {1, 2, 1.5, 1, 2, 2, 1};
    for (int n = 1; n <= 7; n++) {
        Workload w = of(jobs, n);
        assert_true(fabs(describe_workload(&w, &arena).day_median - median[n - 1]) < 1e-12);
    }
    arena_free(&arena);
}

/* What description_write prints. */
static void printed(const Workload *w, Arena *arena, char *text, size_t room)
{
    char path[] = "/tmp/unit_describe_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Err err = {0};
    Out *out = out_open(arena, path, &err);
    assert_non_null(out);
    Description d = describe_workload(w, arena);
    description_write(out, &d, w);
    assert_true(out_close(out, &err));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    unlink(path);
}

static void the_page_of_one_job(void **state)
{
    (void)state;
    Arena arena = {0};
    const JobSpec one = job(1507000000, 2, 90, "Pass", "v");
    Workload w = of(&one, 1);
    w.calendar = true;
    char text[4000], hash[17];
    printed(&w, &arena, text, sizeof text);
    workload_hash(&w, hash);
    static const char *const lines[] = {
        "records       4 read, 1 usable, 2 skipped: no_attempt, 1 skipped: cpu_only\n",
        "arrivals      2017-10-03 03:06:40 to 2017-10-03 03:06:40, 0 s\n",
        "between them  one job only\n",
        "offered load  no figure: all jobs arrive at one instant\n",
        "peak          2 GPUs in use at once if no job ever waited\n",
        "2                      1    100.00 %     100.00 %\n",
        "2-4 GPUs           90.00     90.00     90.00     90.00     90.00     90.00     90.00     100.00 %\n",
        "v                      1    100.00 %     100.00 %\n",
    };
    assert_non_null(strstr(text, hash));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i])) fail_msg("no line \"%s\" in\n%s", lines[i], text);
    assert_null(strstr(text, "1 GPU ")); /* no row for a size that does not occur */
    assert_null(strstr(text, "nan"));
    arena_free(&arena);
}

/* The log's figures (data of 111,549 jobs, 3 October to 15 December for arrivals) against as many generated ones. */
static void a_generated_trace_looks_like_the_log(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    GenerateOptions options = {.jobs = 111549, .seed = 1, .arrivals = {ARRIVALS_PHILLY, 1}};
    Workload w;
    assert_true(generate_workload(&options, &arena, &w, &err));
    Description d = describe_workload(&w, &arena);

    static const struct {
        const char *name;
        double share;
    } gpus[] = {{"1", 0.8665}, {"2", 0.0226}, {"4", 0.0492}, {"8", 0.0512}, {"16", 0.0076}, {"32", 0.0019}};
    for (size_t k = 0; k < sizeof gpus / sizeof *gpus; k++) {
        double found = -1;
        for (int i = 0; i < d.gpus.n; i++)
            if (strcmp(d.gpus.row[i].name, gpus[k].name) == 0) found = (double)d.gpus.row[i].jobs / w.n;
        double p = gpus[k].share;
        assert_true(fabs(found - p) < 5 * sqrt(p * (1 - p) / w.n));
    }
    assert_true(fabs(d.gpus_mean / 1.742 - 1) < 0.02);

    static const struct {
        int bucket; /* N_BUCKETS: all */
        int64_t seconds;
        double share; /* of the log's jobs that run no longer */
    } quantile[] = {{0, 1198, 0.5}, {1, 1948, 0.5},  {2, 12567, 0.5}, {3, 8440, 0.5},   {4, 140, 0.25},
                    {4, 1321, 0.5}, {4, 5361, 0.75}, {4, 33474, 0.9}, {4, 755541, 0.99}};
    for (size_t k = 0; k < sizeof quantile / sizeof *quantile; k++) {
        int64_t n = 0, within = 0;
        for (int i = 0; i < w.n; i++)
            if (quantile[k].bucket == N_BUCKETS || bucket_of(w.job[i].n_gpus) == quantile[k].bucket) {
                n++;
                within += w.job[i].duration <= quantile[k].seconds * TIME_SECOND;
            }
        double p = quantile[k].share;
        assert_true(fabs((double)within / (double)n - p) < 5 * sqrt(p * (1 - p) / (double)n));
    }
    for (int k = 0; k < N_BUCKETS; k++) { /* and so the printed medians are near, the fewer jobs the less */
        static const double median[] = {1198, 1948, 12567, 8440}, slack[] = {0.03, 0.2, 0.12, 0.3};
        assert_true(fabs(d.run_time[k].seconds.p50 / median[k] - 1) < slack[k]);
    }
    assert_true(fabs(d.run_time[N_BUCKETS].seconds.mean / 35595 - 1) < 0.05);

    assert_true(d.gap_cv > 2.5 && d.gap_cv < 3.5);
    assert_true(d.gap_zero > 0.07 && d.gap_zero < 0.12);
    assert_true(fabs(d.gap_mean_s / 64.5 - 1) < 0.08);
    assert_true(fabs(d.day_mean / 1339 - 1) < 0.08 && fabs(d.day_median / 924 - 1) < 0.15);
    assert_int_equal(d.day_max, 4163);
    assert_true(fabs(d.offered_gpus / 1762 - 1) < 0.15);
    arena_free(&arena);
}

/* The log itself gives the figures that its description publishes. */
static void the_real_log_has_its_published_figures(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    Arena arena = {0};
    Err err = {0};
    Params params = {.arena = &arena};
    params_add(&params, "trace", trace_params);
    Workload w;
    if (!trace_read(shared_path("data/philly/cluster_job_log.gz"), NULL, &params, &arena, &w, &err))
        fail_msg("%s", err.text);
    Description d = describe_workload(&w, &arena);
    assert_int_equal(w.n, 111549);
    assert_int_equal(d.peak_gpus, 2796);
    assert_true(fabs(d.gpus_mean - 1.742) < 0.0005);
    static const double median[] = {1198, 1948, 12567, 8440, 1321};
    for (int k = 0; k < N_RUN_TIMES; k++) assert_true(fabs(d.run_time[k].seconds.p50 - median[k]) <= 0.5);
    const RunTimes *all = &d.run_time[N_RUN_TIMES - 1];
    assert_true(fabs(all->p25_s - 140) <= 0.5 && fabs(all->p75_s - 5361) <= 0.5);
    assert_true(fabs(all->seconds.p90 - 33474) <= 0.5 && fabs(all->seconds.p99 - 755541) <= 0.5);
    assert_true(fabs(all->seconds.mean - 35595) <= 0.5 && fabs(all->seconds.max - 5196151) <= 0.5);

    int first = 0, end = w.n; /* 3 October to 15 December */
    while (w.job[first].submit < 1506988800 * TIME_SECOND) first++;
    while (w.job[end - 1].submit >= 1513382400 * TIME_SECOND) end--;
    Workload dense = w;
    dense.job = w.job + first;
    dense.n = end - first;
    d = describe_workload(&dense, &arena);
    assert_true(fabs(d.day_mean - 1339) <= 0.5 && d.day_max == 4163);
    assert_true(fabs(d.gap_mean_s - 64.5) <= 0.05 && fabs(d.gap_cv - 2.96) <= 0.005 &&
                fabs(d.gap_zero - 0.092) <= 0.0005);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_worked_out_by_hand),
        cmocka_unit_test(median_day_counts_the_empty_ones),
        cmocka_unit_test(the_page_of_one_job),
        cmocka_unit_test(a_generated_trace_looks_like_the_log),
        cmocka_unit_test(the_real_log_has_its_published_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
