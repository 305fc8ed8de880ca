/* tests/unit_curvefamilies.c -- learning curves: formulas, tables of shapes, and the small solvers that fits need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/curvefamilies.h"
#include "policies/nnls.h"
#include "tests/curves.h"

/* ---- families ---- */

/* At x = 7 from the start points, worked out in Python from the paper's formulas. */
static void formulas_are_the_papers(void **state)
{
    (void)state;
    static const double expected[N_CURVE_FAMILIES] = {
        [CURVE_VAPOR_PRESSURE] = 0.545075556669,
        [CURVE_POW3] = 0.330020917544,
        [CURVE_LOG_LOG_LINEAR] = 1.080417818273,
        [CURVE_HILL3] = 0.500704732666,
        [CURVE_LOG_POWER] = 0.285767643077,
        [CURVE_POW4] = 0.315395774735,
        [CURVE_MMF] = 0.100001008418,
        [CURVE_EXP4] = 0.592925665419,
        [CURVE_JANOSCHEK] = 0.453189675125,
        [CURVE_WEIBULL] = 0.140563708056,
        [CURVE_ILOG2] = 0.573213710806,
    };
    for (int f = 0; f < N_CURVE_FAMILIES; f++)
        assert_near(curve_value((CurveFamily)f, curve_start((CurveFamily)f), 7), expected[f], 1e-11);
    assert_string_equal(curve_name(CURVE_MMF), "MMF");
}

static void v18_8_mmf_at_epoch_100(void **state)
{
    (void)state;
    assert_near(curve_value(CURVE_MMF, (double[]){.9096, .2122, .5777, 1.2387}, 100), .905, .001);
}

static void outside_their_domain_they_say_so(void **state)
{
    (void)state;
    assert_true(isnan(curve_value(CURVE_LOG_LOG_LINEAR, (double[]){-1, 1, 0, 0}, 3))); /* ln(1 - ln 3) */
    assert_true(isnan(curve_value(CURVE_LOG_LOG_LINEAR, (double[]){1, 0, 0, 0}, 1)));  /* ln(ln 1), of 0 exactly */
    assert_true(isnan(curve_value(CURVE_POW4, (double[]){.8, 1, -3, .1}, 2)));
    assert_near(curve_value(CURVE_EXP4, (double[]){.7, 1, 900, 1}, 1), .7 - exp(50), 1e7); /* exponents end at 50 */
    assert_near(curve_value(CURVE_LOG_POWER, (double[]){.8, 900, -1, 0}, 1), 0, 1e-20);
}

/* c - a g(x) with a shape of the table is the family's formula with the parameters that belong to it. */
static void tables_are_the_formulas(void **state)
{
    (void)state;
    double basis[CURVE_SHAPES], p[CURVE_PARAMETERS];
    for (int f = 0; f < N_CURVE_FAMILIES; f++) {
        CurveFamily family = (CurveFamily)f;
        if (curve_kind(family) == CURVE_LOG || curve_kind(family) == CURVE_EXP) continue;
        for (double x = 1; x < 3000; x = ceil(x * 1.7)) {
            assert_int_equal(curve_basis(family, x, basis), curve_n_shapes(family));
            for (int s = 0; s < curve_n_shapes(family); s++) {
                bool offset = curve_kind(family) == CURVE_OFFSET;
                curve_parameters(family, s, offset ? .93 : 0, .77, p);
                assert_near(curve_value(family, p, x), offset ? .93 - .77 * basis[s] : .77 * basis[s], 1e-12);
                assert_true(basis[s] >= 0 && basis[s] <= 1.5); /* 1.44 is 1 / ln 2 */
            }
        }
    }
}

static void some_families_are_one(void **state)
{
    (void)state;
    for (double x = 1; x < 300; x *= 1.6) {
        assert_near(curve_value(CURVE_LOG_POWER, (double[]){.8, log(4.2), -.7, 0}, x),
                    curve_value(CURVE_HILL3, (double[]){.8, .7, 4.2, 0}, x), 1e-14);
        assert_near(curve_value(CURVE_EXP4, (double[]){.9, .3, log(.7), .6}, x),
                    curve_value(CURVE_JANOSCHEK, (double[]){.9, .2, .3, .6}, x), 1e-14);
        assert_near(curve_value(CURVE_WEIBULL, (double[]){.9, .2, pow(.3, 1 / .6), .6}, x),
                    curve_value(CURVE_JANOSCHEK, (double[]){.9, .2, .3, .6}, x), 1e-14);
    }
}

/* ---- non-negative least squares ---- */

/* The conditions of Karush, Kuhn and Tucker, which only the solution meets: x >= 0; gradient 0 where x > 0; none
 * positive where x = 0. */
static void nnls_meets_the_conditions(void **state)
{
    (void)state;
    Rng rng;
    int n_zero = 0, n_positive = 0;
    rng_open(&rng, 1, "nnls", 0);
    for (int problem = 0; problem < 3000; problem++) {
        int n = 1 + (int)rng_below(&rng, 11), m = n + 3;
        double a[14][11], y[14], gram[NNLS_MOST * NNLS_MOST] = {0}, rhs[NNLS_MOST] = {0}, x[NNLS_MOST];
        for (int i = 0; i < m; i++) {
            y[i] = gsl_ran_gaussian(&rng.gsl, 1) + .5;
            for (int j = 0; j < n; j++) a[i][j] = gsl_ran_gaussian(&rng.gsl, 1) + 1;
        }
        if (n > 3 && problem % 3 == 0) /* a copy of a column */
            for (int i = 0; i < m; i++) a[i][3] = a[i][1];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                rhs[j] += a[i][j] * y[i];
                for (int k = 0; k < n; k++) gram[j * n + k] += a[i][j] * a[i][k];
            }
        nnls_solve(n, gram, rhs, x);
        for (int j = 0; j < n; j++) {
            double gradient = rhs[j];
            for (int k = 0; k < n; k++) gradient -= gram[j * n + k] * x[k];
            assert_true(x[j] >= 0);
            if (x[j] > 0)
                assert_near(gradient, 0, 1e-8), n_positive++;
            else
                assert_true(gradient <= 1e-8), n_zero++;
        }
        if (n > 3 && problem % 3 == 0) assert_true(x[1] == 0 || x[3] == 0);
    }
    assert_true(n_zero > 1000 && n_positive > 1000);
}

static void cholesky_refuses_the_singular(void **state)
{
    (void)state;
    double x[2];
    assert_true(cholesky_solve(2, (double[]){4, 2, 2, 3}, (double[]){8, 8}, x)); /* 4 + 4 = 8, 2 + 6 = 8 */
    assert_near(x[0], 1, 1e-15);
    assert_near(x[1], 2, 1e-15);
    assert_false(cholesky_solve(2, (double[]){1, 2, 2, 4}, (double[]){1, 2}, x));
    assert_false(cholesky_solve(2, (double[]){0, 0, 0, 0}, (double[]){0, 0}, x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_the_papers),
        cmocka_unit_test(v18_8_mmf_at_epoch_100),
        cmocka_unit_test(outside_their_domain_they_say_so),
        cmocka_unit_test(tables_are_the_formulas),
        cmocka_unit_test(some_families_are_one),
        cmocka_unit_test(nnls_meets_the_conditions),
        cmocka_unit_test(cholesky_refuses_the_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
