/* tests/unit_curvefit.c -- learning curves: what is kept, fits with a known answer, borders, confidence, when to refit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/curvefit.h"
#include "tests/curves.h"

/* ---- history ---- */

static void history_is_means_over_blocks(void **state)
{
    (void)state;
    CurveHistory h = {0};
    for (int e = 1; e <= 41; e++) curve_observe(&h, e * e);
    assert_int_equal(h.n_epochs, 41);
    assert_int_equal(h.n_blocks, 16 + 8 + 3); /* 1..16 alone, eight pairs to 32, 33-36, 37-40, 41 */
    assert_true(h.mean[15] == 256);
    assert_near(h.mean[16], (17 * 17 + 18 * 18) / 2.0, 1e-9);
    assert_near(h.mean[23], (31 * 31 + 32 * 32) / 2.0, 1e-9);
    assert_near(h.mean[24], (33 * 33 + 34 * 34 + 35 * 35 + 36 * 36) / 4.0, 1e-9);
    assert_near(h.mean[26], 41 * 41, 1e-9);
}

static void the_longest_history_fits(void **state)
{
    (void)state;
    CurveHistory h = {0};
    for (int e = 1; e <= CURVE_MOST_EPOCHS; e++) curve_observe(&h, .9 - .6 * pow(e, -.5));
    assert_int_equal(h.n_blocks, CURVE_BLOCKS);
    Arena arena = {0};
    CurveTable table;
    CurveFit fit;
    curvetable_open(&table, &arena, CURVE_FAST);
    assert_true(curve_fit(&fit, &table, &h, 20000));
    assert_near(curve_predict(&fit, 20000), .9 - .6 * pow(20000, -.5), .0005);
    arena_free(&arena);
}

/* ---- fits ---- */

/* A curve of the table's own is found exactly, through pairs and fours of epochs too, and told from its neighbours. */
static void curves_of_the_table_are_found(void **state)
{
    (void)state;
    double y[60], p[CURVE_PARAMETERS], basis[CURVE_SHAPES];
    for (int f = 0; f < N_CURVE_FAMILIES; f++) {
        CurveFamily family = (CurveFamily)f;
        if (curve_kind(family) == CURVE_LOG || curve_kind(family) == CURVE_EXP) continue;
        int n_shapes = curve_n_shapes(family);
        for (int s = n_shapes / 3; s < n_shapes; s += 7) {
            curve_parameters(family, s, curve_kind(family) == CURVE_OFFSET ? .83 : 0, .57, p);
            for (int n = 12; n <= 60; n += 24) {
                for (int i = 0; i < n; i++) y[i] = curve_value(family, p, i + 1);
                curve_basis(family, n, basis);
                if (y[n - 1] - y[0] < .1 || basis[s] < 1e-6) continue; /* over before, or not begun: nothing to tell */
                CurveFit fit;
                assert_true(fit_values(&fit, 1u << f, y, n, 200));
                assert_true(fit.weight[f] == 1 && fit.valid == 1u << f);
                assert_near(curve_predict(&fit, 200), curve_value(family, p, 200), 1e-6);
                assert_true(curve_spread(&fit, 200) < 1e-6);
            }
        }
    }
}

static double weighted_error(CurveFamily family, const double p[], const double y[9])
{
    double error = 0;
    for (int i = 0; i < 9; i++) error += pow(10, i / 9.0) * pow(y[i] - curve_value(family, p, i + 1), 2);
    return error;
}

/* Of y = a g with a at most 1: no shape and no a of a grid is better than what is found, also where data stand so high
 * that a is at its border. */
static void scales_end_at_one(void **state)
{
    (void)state;
    static const CurveFamily scaled[] = {CURVE_HILL3, CURVE_LOG_POWER};
    static const double data[3][9] = {{.2, .5, .8, .9, .97, .99, 1, 1, 1},
                                      {.7, .9, .96, .99, 1, .98, 1, 1, 1},
                                      {.1, .2, .4, .55, .75, .85, .97, 1.01, 1.02}};
    for (int f = 0; f < 2; f++)
        for (int d = 0; d < 3; d++) {
            CurveFit fit;
            double best = 1e9, p[CURVE_PARAMETERS];
            assert_true(fit_values(&fit, 1U << scaled[f], data[d], 9, 100));
            for (int shape = 0; shape < curve_n_shapes(scaled[f]); shape++)
                for (int a = 0; a <= 1000; a++) {
                    curve_parameters(scaled[f], shape, 0, a / 1000.0, p);
                    best = fmin(best, weighted_error(scaled[f], p, data[d]));
                }
            assert_true(weighted_error(scaled[f], fit.parameter[scaled[f]], data[d]) <= best + 1e-12);
        }
}

static void families_without_a_table_are_found(void **state)
{
    (void)state;
    double y[14], vapor[] = {-.3, -1.1, .021, 0}, loglog[] = {.2, 1.3, 0, 0};
    CurveFit fit;
    for (int i = 0; i < 14; i++) y[i] = curve_value(CURVE_VAPOR_PRESSURE, vapor, i + 1);
    assert_true(fit_values(&fit, 1 << CURVE_VAPOR_PRESSURE, y, 14, 100));
    for (int i = 0; i < 3; i++) assert_near(fit.parameter[CURVE_VAPOR_PRESSURE][i], vapor[i], 1e-9);
    for (int i = 0; i < 14; i++) y[i] = curve_value(CURVE_LOG_LOG_LINEAR, loglog, i + 1);
    assert_true(fit_values(&fit, 1 << CURVE_LOG_LOG_LINEAR, y, 14, 100));
    for (int i = 0; i < 2; i++) assert_near(fit.parameter[CURVE_LOG_LOG_LINEAR][i], loglog[i], 1e-9);
    assert_false(fit_values(&fit, 1 << CURVE_LOG_LOG_LINEAR, y, 14, 1e9)); /* above 1 by then: no accuracy */
}

/* Of ilog2, which has one shape, the best c <= 1 and a >= 0 by trying a fine grid of both. */
static void borders_are_kept(void **state)
{
    (void)state;
    static const double curve[][2] = {{1.3, .6}, {.8, .43}, {.5, -.2}, {1.1, .02}};
    for (size_t k = 0; k < sizeof curve / sizeof *curve; k++) {
        double y[9], best = (double)INFINITY, best_c = 0, best_a = 0;
        Rng rng;
        rng_open(&rng, 1, "borders", k);
        for (int i = 0; i < 9; i++) y[i] = curve[k][0] - curve[k][1] / log(i + 2) + gsl_ran_gaussian(&rng.gsl, .01);
        for (int ci = 0; ci <= 1000; ci++)
            for (int ai = 0; ai <= 1000; ai++) {
                double c = ci / 1000.0, a = ai / 1000.0, error = 0;
                for (int i = 0; i < 9; i++) error += pow(10, i / 9.0) * pow(y[i] - c + a / log(i + 2), 2);
                if (error < best) best = error, best_c = c, best_a = a;
            }
        CurveFit fit;
        assert_true(fit_values(&fit, 1 << CURVE_ILOG2, y, 9, 50));
        const double *p = fit.parameter[CURVE_ILOG2];
        assert_near(p[0], best_c, .0021);
        assert_near(p[1], best_a, .0021);
        assert_true(p[0] <= 1 && p[1] >= 0);
        double error = 0;
        for (int i = 0; i < 9; i++) error += pow(10, i / 9.0) * pow(y[i] - p[0] + p[1] / log(i + 2), 2);
        assert_true(error <= best);
    }
}

static void odd_curves(void **state)
{
    (void)state;
    double zero[8] = {0}, one[8], falling[8], weight = 0, mean = 0;
    for (int i = 0; i < 8; i++) {
        one[i] = 1;
        falling[i] = .9 - .05 * i;
        weight += pow(10, i / 8.0);
        mean += pow(10, i / 8.0) * falling[i];
    }
    CurveFit fit;
    assert_false(fit_values(&fit, CURVE_ALL, one, CURVE_LEAST_EPOCHS - 1, 50));
    assert_true(fit_values(&fit, CURVE_ALL, zero, 8, 50));
    assert_near(curve_predict(&fit, 50), 0, 1e-12);
    assert_true(curve_confidence(&fit, 50, .1) < 1e-12 && curve_confidence(&fit, 50, -.1) > 1 - 1e-12);
    assert_true(fit_values(&fit, CURVE_ALL, one, 8, 50));
    assert_near(curve_predict(&fit, 50), 1, 1e-9);
    assert_true(fit_values(&fit, CURVE_FAST, falling, 8, 50)); /* families only rise: flat at the weighted mean */
    assert_near(curve_predict(&fit, 50), mean / weight, 1e-9);
    assert_near(curve_predict(&fit, 3), mean / weight, 1e-9);
}

static void confidence_is_normal(void **state)
{
    (void)state;
    CurveFit fit = {.sigma = .03, .weight = {[CURVE_POW3] = .25, [CURVE_ILOG2] = .75}};
    fit.parameter[CURVE_POW3][0] = .9; /* a = 0: both are level */
    fit.parameter[CURVE_ILOG2][0] = .82;
    double spread = sqrt(.03 * .03 + .25 * .06 * .06 + .75 * .02 * .02); /* about .84 */
    assert_near(curve_predict(&fit, 70), .84, 1e-15);
    assert_near(curve_spread(&fit, 70), spread, 1e-15);
    assert_near(curve_confidence(&fit, 70, .84), .5, 1e-12);
    assert_near(curve_confidence(&fit, 70, .84 - 1.6448536269514722 * spread), .95, 1e-12);
    assert_near(curve_confidence(&fit, 70, .84 + 2.3263478740408408 * spread), .01, 1e-12);
}

static void weights_sum_to_one(void **state)
{
    (void)state;
    for (uint64_t id = 0; id < 200; id++) {
        TrueCurve curve;
        double y[40], total = 0;
        true_curve_open(&curve, (int)(id % N_CURVE_MODELS), id);
        int n = 5 + (int)(id % 36);
        for (int i = 0; i < n; i++) y[i] = seen_accuracy(&curve, i + 1);
        CurveFit fit;
        assert_true(fit_values(&fit, id % 2 ? CURVE_ALL : CURVE_FAST, y, n, 100));
        for (int f = 0; f < N_CURVE_FAMILIES; f++) {
            assert_true(fit.weight[f] >= 0 && (fit.weight[f] == 0 || fit.valid >> f & 1));
            total += fit.weight[f];
        }
        assert_near(total, 1, 1e-12);
        assert_true(curve_predict(&fit, 100) >= 0 && curve_predict(&fit, 100) <= 1);
        assert_true(curve_predict(&fit, 100) >= curve_predict(&fit, 2) - 1e-9);
    }
}

/* ---- a watched curve ---- */

static void refits_when_a_fifth_has_come(void **state)
{
    (void)state;
    static const int expected[] = {5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48, 58};
    Arena arena = {0};
    CurveTable table;
    CurveWatch watch = {0};
    TrueCurve curve;
    int n_fits = 0;
    curvetable_open(&table, &arena, CURVE_FAST);
    true_curve_open(&curve, 0, 3);
    for (int e = 1; e <= 60; e++) {
        curve_observe(&watch.history, seen_accuracy(&curve, e));
        const CurveFit *fit = curve_watch(&watch, &table, 90);
        if (e < CURVE_LEAST_EPOCHS) {
            assert_null(fit);
            continue;
        }
        assert_non_null(fit);
        if (fit->n_epochs == e) {
            CurveFit fresh;
            assert_int_equal(e, expected[n_fits++]);
            assert_true(curve_fit(&fresh, &table, &watch.history, 90));
            assert_true(curve_predict(&fresh, 90) == curve_predict(fit, 90));
        }
    }
    assert_int_equal(n_fits, (int)(sizeof expected / sizeof *expected));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_means_over_blocks),
        cmocka_unit_test(the_longest_history_fits),
        cmocka_unit_test(curves_of_the_table_are_found),
        cmocka_unit_test(scales_end_at_one),
        cmocka_unit_test(families_without_a_table_are_found),
        cmocka_unit_test(borders_are_kept),
        cmocka_unit_test(odd_curves),
        cmocka_unit_test(confidence_is_normal),
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(refits_when_a_fifth_has_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
