/* tests/unit_ranktest.c -- the examples of R's help pages for wilcox.test and cor.test, with R's answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/report/ranktest.h"

static bool near(double found, double wanted, double within)
{
    return fabs(found - wanted) <= within;
}

/* Hollander and Wolfe (1973), p. 29: depression before and after a tranquilliser. */
static void wilcoxon_of_pairs(void **state)
{
    (void)state;
    Arena arena = {0};
    const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    RankTest t = ranktest_wilcoxon(after, before, 9, &arena);
    assert_true(t.statistic == 40 && near(t.p, 0.03906, 5e-6)); /* 20 / 512 */
    RankTest back = ranktest_wilcoxon(before, after, 9, &arena);
    assert_true(back.statistic == 5 && back.p == t.p);

    /* A tie in size and a pair without a difference: ranks 1.5 1.5 3 4, V = 1.5 + 3 + 4; mean 5, variance 7.5 - 6 / 48;
     * (3.5 - 0.5) / sqrt(7.375) = 1.10469, of which the normal distribution leaves 0.2693 on both sides. */
    t = ranktest_wilcoxon((double[]){0, 1, 0, 0, 7}, (double[]){1, 0, 2, 3, 7}, 5, &arena);
    assert_true(t.statistic == 8.5 && near(t.p, 0.26929, 5e-5));
    assert_true(isnan(ranktest_wilcoxon((double[]){1, 2}, (double[]){1, 2}, 2, &arena).p));
    arena_free(&arena);
}

/* Hollander and Wolfe (1973), p. 69: permeability of a membrane at term and before. */
static void mann_whitney(void **state)
{
    (void)state;
    Arena arena = {0};
    const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    RankTest t = ranktest_mann_whitney(y, 5, x, 10, &arena);
    assert_true(t.statistic == 35 && near(t.p, 0.2544, 5e-5)); /* one-sided 0.1272 */
    t = ranktest_mann_whitney(x, 10, y, 5, &arena);
    assert_true(t.statistic == 15 && near(t.p, 0.2544, 5e-5));

    double low[50], high[50]; /* wholly apart: 2 / (100 over 50), far below what a sum of large counts could tell */
    for (int i = 0; i < 50; i++) low[i] = i, high[i] = 100 + i;
    t = ranktest_mann_whitney(low, 50, high, 50, &arena);
    assert_true(t.statistic == 2500 && near(t.p * 1.0089134454556415e29 / 2, 1, 1e-9));
    assert_true(isnan(ranktest_mann_whitney(low, 0, high, 3, &arena).p));
    arena_free(&arena);
}

/* Hollander and Wolfe (1973), p. 187: lightness of tuna and its quality, tau 0.4444444. */
static void kendall(void **state)
{
    (void)state;
    const double x[] = {44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1};
    const double y[] = {2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8};
    assert_true(near(ranktest_kendall(x, y, 9), 4.0 / 9, 1e-12));
    assert_true(ranktest_kendall(x, x, 9) == 1);
    /* One tie: 2 pairs alike, 0 unlike, of 2 that differ in the first list and 3 in the second. */
    assert_true(near(ranktest_kendall((double[]){1, 1, 2}, (double[]){1, 2, 3}, 3), 2 / sqrt(6), 1e-12));
    assert_true(isnan(ranktest_kendall((double[]){1, 1}, (double[]){1, 2}, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilcoxon_of_pairs),
        cmocka_unit_test(mann_whitney),
        cmocka_unit_test(kendall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
