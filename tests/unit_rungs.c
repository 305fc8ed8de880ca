/* tests/unit_rungs.c -- milestones and cutoffs of rungs; keys made of scores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <float.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "policies/ranking.h"
#include "policies/rungs.h"

static void milestones_are_powers(void **state)
{
    (void)state;
    Rungs rungs;
    rungs_open(&rungs, 1, 4);
    assert_int_equal(rungs.milestone[0], 1);
    assert_int_equal(rungs.milestone[3], 64);
    assert_int_equal(rungs_at(&rungs, 16), 2);
    assert_int_equal(rungs_at(&rungs, 17), -1);
    assert_int_equal(rungs_at(&rungs, 1 << 26), 13);
    rungs_open(&rungs, 5, 2.5);
    assert_int_equal(rungs_at(&rungs, 5), 0);
    assert_int_equal(rungs_at(&rungs, 1), -1);
    assert_int_equal(rungs.milestone[1], 13); /* of 12.5 */
}

/* Of .1, .2, .3, .4 the quantile 3/4 is .325, a quarter of the way from .3 to .4; families do not mix. */
static void few_are_exact(void **state)
{
    (void)state;
    static const double seen[] = {.3, .1, .4, .2};
    const Family *family = &families[FAMILY_LSTM];
    Rungs rungs;
    rungs_open(&rungs, 1, 4);
    rungs_add(&rungs, family, 1, seen[0]);
    assert_false(rungs_below(&rungs, family, 1, 0)); /* one is not enough */
    for (int i = 1; i < 4; i++) rungs_add(&rungs, family, 1, seen[i]);
    assert_true(rungs_below(&rungs, family, 1, .3249));
    assert_false(rungs_below(&rungs, family, 1, .3251));
    assert_false(rungs_below(&rungs, family, 0, 0));
    assert_false(rungs_below(&rungs, &families[FAMILY_SVM], 1, 0));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The running estimate against the quantile of all. */
static void many_are_near(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static double all[MANY];
    Rungs rungs;
    Rng rng;
    rungs_open(&rungs, 1, 4);
    rng_open(&rng, 1, "rungs", 0);
    for (int i = 0; i < MANY; i++) {
        all[i] = 1 - pow(rng_uniform(&rng), 2);
        rungs_add(&rungs, &families[FAMILY_MLP], 2, all[i]);
    }
    qsort(all, MANY, sizeof *all, by_value);
    double quantile = gsl_stats_quantile_from_sorted_data(all, 1, MANY, .75);
    assert_true(rungs_below(&rungs, &families[FAMILY_MLP], 2, quantile - .005));
    assert_false(rungs_below(&rungs, &families[FAMILY_MLP], 2, quantile + .005));
}

static void larger_scores_come_first(void **state)
{
    (void)state;
    static const double score[] = {0,       0x1p-1074, DBL_MIN, 1e-300, 1e-9, .4999999, .5,
                                   .500001, .999999,   1,       1.2,    2,    1e20,     DBL_MAX};
    for (size_t i = 0; i + 1 < sizeof score / sizeof *score; i++)
        assert_true(rank_by_score(score[i]) > rank_by_score(score[i + 1]));
    assert_true(rank_by_score(0) < RANK_SCORES && rank_by_score(DBL_MAX) >= 0);
    assert_true(rank_by_score(.3) == rank_by_score(.3 * (1 + 1e-11)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(milestones_are_powers),
        cmocka_unit_test(few_are_exact),
        cmocka_unit_test(many_are_near),
        cmocka_unit_test(larger_scores_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
