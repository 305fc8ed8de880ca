/* tests/unit_generate.c -- generated traces: repeatable, and distributed as the figures and the textbooks say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traces/calibration.h"
#include "traces/generate.h"

static GenerateOptions options_of(int jobs, uint64_t seed, const char *arrivals, const char *sizes)
{
    GenerateOptions options = {.jobs = jobs, .seed = seed};
    Err err = {0};
    assert_true(arrivals_parse(arrivals, &options.arrivals, &err));
    assert_true(sizes_parse(sizes, &options.sizes, &err));
    assert_true(gpus_parse(NULL, &options.sizes, &options.gpus, &err));
    return options;
}

static Workload made(Arena *arena, int jobs, uint64_t seed, const char *arrivals, const char *sizes)
{
    GenerateOptions options = options_of(jobs, seed, arrivals, sizes);
    Workload workload;
    Err err = {0};
    if (!generate_workload(&options, arena, &workload, &err)) fail_msg("%s", err.text);
    assert_int_equal(workload.n, jobs);
    return workload;
}

static void same_seed_same_jobs(void **state)
{
    (void)state;
    Arena arena = {0};
    static const char *const law[][2] = {{"philly", "philly"}, {"poisson:0.7", "lognormal:480,1800"}};
    for (int k = 0; k < 2; k++) {
        Workload first = made(&arena, 3000, 7, law[k][0], law[k][1]);
        Workload again = made(&arena, 3000, 7, law[k][0], law[k][1]);
        Workload other = made(&arena, 3000, 8, law[k][0], law[k][1]);
        char a[17], b[17], c[17];
        workload_hash(&first, a);
        workload_hash(&again, b);
        workload_hash(&other, c);
        assert_string_equal(a, b);
        assert_string_not_equal(a, c);
    }
    arena_free(&arena);
}

static void a_longer_trace_begins_like_a_shorter_one(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload longer = made(&arena, 9000, 3, "philly", "philly"), shorter = made(&arena, 4321, 3, "philly", "philly");
    longer.n = shorter.n;
    char a[17], b[17];
    workload_hash(&longer, a);
    workload_hash(&shorter, b);
    assert_string_equal(a, b);
    arena_free(&arena);
}

static void one_law_changed_leaves_the_rest(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload a = made(&arena, 500, 3, "philly", "philly"), b = made(&arena, 500, 3, "poisson:2", "philly");
    Workload c = made(&arena, 500, 3, "poisson:2", "exp:9");
    for (int i = 0; i < 500; i++) {
        assert_true(a.job[i].duration == b.job[i].duration && a.job[i].n_gpus == b.job[i].n_gpus);
        assert_ptr_equal(a.job[i].vc, b.job[i].vc); /* interned */
        assert_true(b.job[i].submit == c.job[i].submit);
        assert_int_equal(c.job[i].n_gpus, 1);
    }
    arena_free(&arena);
}

static void submissions_are_sorted_whole_seconds(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload w = made(&arena, 20000, 5, "philly:3", "philly");
    for (int i = 0; i < w.n; i++) {
        assert_true(w.job[i].submit % TIME_SECOND == 0 && w.job[i].duration % TIME_SECOND == 0);
        assert_true(i == 0 || w.job[i - 1].submit <= w.job[i].submit);
        assert_true(w.job[i].submit >= (SimTime)FIRST_DAY * 86400 * TIME_SECOND);
    }
    arena_free(&arena);
}

/* Ten weeks deal each of Saturday's, Sunday's and Monday's totals once, and all but one of the other weekdays'. */
static void days_are_the_logs_days(void **state)
{
    (void)state;
    enum { WEEKS = 10 };
    Arena arena = {0};
    Workload w = made(&arena, 100000, 11, "philly", "philly");
    int total[7 * WEEKS + 1] = {0};
    for (int i = 0; i < w.n; i++) {
        int64_t day = w.job[i].submit / (86400 * TIME_SECOND) - FIRST_DAY;
        if (day < 7 * WEEKS) total[day]++;
    }
    for (int weekday = 4; weekday < 7; weekday++) {
        int64_t ours = 0, logs = 0, our_squares = 0, log_squares = 0;
        for (int d = weekday; d < 7 * WEEKS; d += 7) {
            ours += total[d];
            logs += day_total[d];
            our_squares += (int64_t)total[d] * total[d];
            log_squares += (int64_t)day_total[d] * day_total[d];
        }
        assert_int_equal(ours, logs);
        assert_int_equal(our_squares, log_squares);
    }
    arena_free(&arena);
}

static int by_time(const void *a, const void *b)
{
    const SimTime *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* 200,000 draws: the share of run times up to the table's quantile q is q, within 5 standard deviations and what
 * rounding to seconds puts on one value. */
static void run_times_follow_the_tables(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload w = made(&arena, 200000, 2, "philly", "philly");
    for (int passed = 0; passed < 2; passed++)
        for (int bucket = 0; bucket < N_BUCKETS; bucket++) {
            SimTime *time = NEW_ARRAY(&arena, SimTime, w.n);
            int n = 0, in_bucket = 0;
            for (int i = 0; i < w.n; i++) {
                if (bucket_of(w.job[i].n_gpus) != bucket) continue;
                in_bucket++;
                if ((strcmp(w.job[i].status, "Pass") == 0) == (passed != 0)) time[n++] = w.job[i].duration;
            }
            double share = (double)n / in_bucket, expected = passed ? pass_share[bucket] : 1 - pass_share[bucket];
            assert_true(fabs(share - expected) < 5 * sqrt(expected * (1 - expected) / in_bucket));

            qsort(time, (size_t)n, sizeof *time, by_time);
            static const int at[] = {10, 25, 50, 75, 90, 99};
            for (int k = 0; k < 6; k++) {
                SimTime q = run_time_s[passed][bucket].at[at[k]] * TIME_SECOND;
                int below = 0, up_to = 0;
                for (int i = 0; i < n; i++) {
                    below += time[i] < q;
                    up_to += time[i] <= q;
                }
                double p = at[k] / 100.0, slack = 5 * sqrt(p * (1 - p) / n);
                assert_true((double)below / n <= p + slack && (double)up_to / n >= p - slack);
            }
            assert_true(time[n - 1] <= run_time_s[passed][bucket].at[100] * TIME_SECOND);
        }
    arena_free(&arena);
}

/* The log: 116,897 GPU-seconds and 35,595 s of running a job; Pass 74.7, Failed 15.7, Killed 9.6 % of jobs and 31.3,
 * 36.1, 32.6 % of GPU time. */
static void sums_are_the_logs(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload w = made(&arena, 400000, 6, "philly", "philly");
    static const char *const name[] = {"Pass", "Failed", "Killed"};
    static const double jobs_share[] = {0.747, 0.157, 0.096}, time_share[] = {0.313, 0.361, 0.326};
    double gpu_time = (double)workload_gpu_time(&w) / 1e6, run_time = 0;
    for (int i = 0; i < w.n; i++) run_time += time_seconds(w.job[i].duration);
    assert_true(fabs(gpu_time / w.n / 116897 - 1) < 0.04);
    assert_true(fabs(run_time / w.n / 35595 - 1) < 0.04);
    for (int s = 0; s < 3; s++) {
        double jobs = 0, time = 0;
        for (int i = 0; i < w.n; i++)
            if (strcmp(w.job[i].status, name[s]) == 0) {
                jobs++;
                time += time_seconds(w.job[i].duration) * w.job[i].n_gpus;
            }
        assert_true(fabs(jobs / w.n - jobs_share[s]) < 0.01);
        assert_true(fabs(time / gpu_time - time_share[s]) < 0.03);
    }
    arena_free(&arena);
}

/* A law's mean within 5 standard errors; its share below a point likewise. */
static void check_sizes(const char *law, double mean, double sd, double point, double share)
{
    enum { N = 200000 };
    Arena arena = {0};
    Workload w = made(&arena, N, 9, "det:1", law);
    double sum = 0, below = 0;
    for (int i = 0; i < N; i++) {
        sum += time_seconds(w.job[i].duration);
        below += time_seconds(w.job[i].duration) <= point;
    }
    assert_true(fabs(sum / N - mean) <= 5 * sd / sqrt(N));
    assert_true(fabs(below / N - share) <= 5 * sqrt(share * (1 - share) / N));
    arena_free(&arena);
}

static void theory_sizes_have_their_moments(void **state)
{
    (void)state;
    check_sizes("exp:2.385", 2.385, 2.385, 1.653156, 0.5); /* median: mean ln 2 */
    check_sizes("det:7.25", 7.25, 1e-9, 7.25, 1);
    check_sizes("lognormal:480,1800", 1800, 1800 * sqrt(14.0625 - 1), 480,
                0.5); /* variance: mean^2 ((1800/480)^2 - 1) */
    check_sizes("pareto:3.5,2", 2.8, 2.8 / sqrt(3.5 * 1.5), 2 * pow(2, 1 / 3.5), 0.5); /* median: MIN 2^(1/A) */
}

static void theory_arrivals_have_their_gaps(void **state)
{
    (void)state;
    enum { N = 200000 };
    Arena arena = {0};
    Workload poisson = made(&arena, N, 4, "poisson:0.4", "det:1"), regular = made(&arena, 4, 4, "det:0.3", "det:1");
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double gap = time_seconds(poisson.job[i].submit - (i ? poisson.job[i - 1].submit : 0));
        sum += gap;
        squares += gap * gap;
    }
    double mean = sum / N, cv = sqrt(squares / N - mean * mean) / mean;
    assert_true(fabs(mean - 2.5) < 5 * 2.5 / sqrt(N));
    assert_true(fabs(cv - 1) < 5 / sqrt(N)); /* the standard error of an exponential's CV is 1/sqrt(n) */
    static const SimTime at[] = {0, 3333333, 6666667, 10000000};
    for (int i = 0; i < 4; i++) assert_true(regular.job[i].submit == at[i]); /* no drift: the fourth at 10 s sharp */
    arena_free(&arena);
}

static void wrong_laws_are_refused(void **state)
{
    (void)state;
    static const char *const arrivals[] = {"",          "phily",      "philly:",   "philly:0", "poisson",  "poisson:-1",
                                           "poisson:x", "poisson:1x", "det:1e400", "det:0",    "POISSON:1"};
    static const char *const sizes[] = {"",        "exp",          "exp:",           "exp:0",    "exp:1,2",
                                        "det:-1",  "lognormal:10", "lognormal:10,9", "pareto:1", "pareto:1,2,3",
                                        "exp:nan", "pareto:,1",    "lognormal:1,",   "exp:1e13"};
    for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
        Arrivals law;
        Err err = {0};
        assert_false(arrivals_parse(arrivals[i], &law, &err));
        assert_int_equal(err.kind, ERR_USAGE);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Sizes law;
        Err err = {0};
        assert_false(sizes_parse(sizes[i], &law, &err));
        assert_int_equal(err.kind, ERR_USAGE);
    }
    Arena arena = {0};
    GenerateOptions options = options_of(1000, 1, "det:1", "pareto:0.01,1"); /* u^-100 */
    Workload workload;
    Err err = {0};
    assert_false(generate_workload(&options, &arena, &workload, &err));
    assert_non_null(strstr(err.text, "10^12"));
    options = options_of(1000, 1, "det:1e-9", "exp:1");
    err = (Err){0};
    assert_false(generate_workload(&options, &arena, &workload, &err));
    assert_non_null(strstr(err.text, "fit the clock"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_jobs),
        cmocka_unit_test(a_longer_trace_begins_like_a_shorter_one),
        cmocka_unit_test(one_law_changed_leaves_the_rest),
        cmocka_unit_test(submissions_are_sorted_whole_seconds),
        cmocka_unit_test(days_are_the_logs_days),
        cmocka_unit_test(run_times_follow_the_tables),
        cmocka_unit_test(sums_are_the_logs),
        cmocka_unit_test(theory_sizes_have_their_moments),
        cmocka_unit_test(theory_arrivals_have_their_gaps),
        cmocka_unit_test(wrong_laws_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
