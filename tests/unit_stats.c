/* tests/unit_stats.c -- percentiles by the linear rule, exact means, the digit sort. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/arena.h"
#include "sim/base/rng.h"
#include "sim/base/simtime.h"
#include "sim/report/stats.h"

static Distribution seconds(Arena *arena, const int64_t value[], int n)
{
    int64_t *time = NEW_ARRAY(arena, int64_t, n + 1);
    for (int i = 0; i < n; i++) time[i] = value[i] * TIME_SECOND;
    return distribution_of_integers(time, n, TIME_SECOND, NEW_ARRAY(arena, int64_t, n + 1));
}

/* The numbers are those of numpy.percentile(..., method="linear"). */
static void u45_percentiles_are_linear(void **state)
{
    (void)state;
    Arena arena = {0};
    int64_t hundred[100];
    for (int i = 0; i < 100; i++) hundred[i] = 100 - i; /* order is no matter */
    Distribution d = seconds(&arena, hundred, 100);
    assert_int_equal(d.n, 100);
    assert_true(d.p99 == 99.01 && d.p50 == 50.5 && d.mean == 50.5 && d.max == 100);
    assert_true(d.p90 == 90.1 && d.p95 == 95.05 && d.p999 == 99.901);

    d = seconds(&arena, (int64_t[]){40, 10, 30, 20}, 4);
    assert_true(d.p50 == 25 && d.p99 == 39.7 && d.mean == 25);

    d = seconds(&arena, (int64_t[]){7}, 1);
    assert_true(d.n == 1 && d.mean == 7 && d.p50 == 7 && d.p90 == 7 && d.p95 == 7 && d.p99 == 7 && d.p999 == 7 &&
                d.max == 7);

    d = seconds(&arena, NULL, 0);
    assert_true(d.n == 0 && isnan(d.mean) && isnan(d.p50) && isnan(d.p99) && isnan(d.p999) && isnan(d.max));
    arena_free(&arena);
}

static void u45_ratios_follow_the_same_rule(void **state)
{
    (void)state;
    double value[] = {2.5, 1, 4, 1.25}, spare[4];
    Distribution d = distribution_of_ratios(value, 4, spare);
    assert_true(d.n == 4 && d.mean == 8.75 / 4 && d.p50 == 1.875 && d.max == 4);
    assert_true(value[0] == 1 && value[1] == 1.25 && value[2] == 2.5 && value[3] == 4);
    assert_true(fabs(d.p99 - (2.5 + 1.5 * 0.97)) < 1e-12);
    d = distribution_of_ratios(value, 0, spare);
    assert_true(d.n == 0 && isnan(d.mean) && isnan(d.max));
}

/* 2^53 + 1 microseconds is no double: a sum of doubles would lose it and depend on the order. */
static void means_are_of_exact_sums(void **state)
{
    (void)state;
    int64_t odd = ((int64_t)1 << 53) + 1;
    int64_t one[] = {odd, odd, odd, 3}, other[] = {3, odd, odd, odd}, spare[4];
    Distribution a = distribution_of_integers(one, 4, 1, spare);
    Distribution b = distribution_of_integers(other, 4, 1, spare);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.mean == 0x1.8p+52 + 2); /* (3 (2^53 + 1) + 3) / 4 = 3 x 2^51 + 1.5, rounded to even */
    assert_true(a.max == 0x1p+53);
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void digits_sort_as_comparing_does(void **state)
{
    (void)state;
    Rng rng;
    rng_open(&rng, 1, "test", 0);
    for (int shift = 1; shift < 64; shift += 5) {
        enum { N = 1000 };
        int64_t value[N], expected[N], spare[N];
        for (int i = 0; i < N; i++) expected[i] = value[i] = (int64_t)(rng_bits(&rng) >> shift);
        value[7] = expected[7] = 0;
        value[8] = expected[8] = INT64_MAX;
        qsort(expected, N, sizeof *expected, by_value);
        distribution_of_integers(value, N, 1, spare);
        assert_memory_equal(value, expected, sizeof value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u45_percentiles_are_linear),
        cmocka_unit_test(u45_ratios_follow_the_same_rule),
        cmocka_unit_test(means_are_of_exact_sums),
        cmocka_unit_test(digits_sort_as_comparing_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
