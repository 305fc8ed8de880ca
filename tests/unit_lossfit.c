/* tests/unit_lossfit.c -- loss curves: what is kept, fits with a known answer, borders, GSL's fit beside ours, falls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>

#include "policies/lossfit.h"
#include "tests/curves.h"

typedef struct Bench {
    Arena arena;
    LossTable table;
} Bench;

static void bench_open(Bench *b, double decay)
{
    *b = (Bench){0};
    losstable_open(&b->table, &b->arena, decay);
}

static double sublinear(double a, double b, double c, double d, double k)
{
    return 1 / (a * k * k + b * k + c) + d;
}

/* ---- history ---- */

static void the_latest_epochs_are_kept(void **state)
{
    (void)state;
    LossHistory h = {0};
    for (int e = 1; e <= LOSS_WINDOW + 2; e++) loss_observe(&h, e == 5 ? 3 : 9 - .01 * e);
    assert_int_equal(h.n_epochs, LOSS_WINDOW + 2);
    assert_near(h.seen[0], 9 - .01 * (LOSS_WINDOW + 1), 1e-12);
    assert_near(h.seen[1], 9 - .01 * (LOSS_WINDOW + 2), 1e-12);
    assert_near(h.seen[2], 9 - .01 * 3, 1e-12);
    assert_near(h.largest, 5.96, 1e-12); /* from 8.96 to 3; back up to 8.94 is less */
}

/* ---- fits ---- */

/* A curve of the table is found exactly, from the newest 48 of 60 epochs too, whatever the weights; the other family
 * does worse. */
static void curves_of_the_table_are_found(void **state)
{
    (void)state;
    for (int decay = 0; decay < 2; decay++) {
        Bench b;
        bench_open(&b, decay ? .8 : 1);
        for (int half = 0; half < 4; half++) /* of 1/4, 2, 16 and 128 epochs, with all of it linear or nothing */
            for (int square = 0; square < 2; square++)
                for (int n = 12; n <= 60; n += 24) {
                    double h = .25 * pow(8, half), scale = 1.9, d = .3;
                    double a = square ? 1 / (h * h * scale) : 0, c = 1 / scale, slope = square ? 0 : 1 / (h * scale);
                    LossHistory history = {0};
                    LossFit fit;
                    for (int k = 1; k <= n; k++) loss_observe(&history, sublinear(a, slope, c, d, k));
                    assert_true(loss_fit(&fit, &b.table, &history));
                    assert_int_equal(fit.family, LOSS_SUBLINEAR);
                    assert_near(fit.d, d, 1e-6);
                    assert_near(fit.scale, scale, 1e-4);
                    assert_near(fit.linear, square ? 0 : 1 / h, 1e-9);
                    assert_near(fit.square, square ? 1 / (h * h) : 0, 1e-9);
                    assert_near(loss_predict(&fit, 100), sublinear(a, slope, c, d, 100), 1e-7);
                }
        for (int octave = 0; octave < 8; octave++) { /* rates of .004, .008, ... .512 */
            LossHistory history = {0};
            LossFit fit;
            double rate = .004 * pow(2, octave);
            for (int k = 1; k <= 20; k++) loss_observe(&history, .2 + 2 * exp(-rate * k));
            assert_true(loss_fit(&fit, &b.table, &history));
            assert_int_equal(fit.family, LOSS_LINEAR);
            assert_near(fit.rate, rate, 1e-9);
            assert_near(fit.d, .2, 1e-4);
            assert_near(fit.scale, 2, 1e-4);
            assert_near(loss_predict(&fit, 40), .2 + 2 * exp(-rate * 40), 1e-7);
        }
        arena_free(&b.arena);
    }
}

/* A line a g + d: the least squares by trying a fine grid, with d at its border in the second. */
static void a_loss_does_not_end_below_zero(void **state)
{
    (void)state;
    static const double d_true[] = {.2, -.3};
    for (int t = 0; t < 2; t++) {
        LossHistory history = {0};
        LossFit fit;
        Bench b;
        double seen[8], best = (double)INFINITY, best_d = -1;
        bench_open(&b, .9);
        for (int k = 1; k <= 8; k++) loss_observe(&history, seen[k - 1] = d_true[t] + 1.5 * exp(-.128 * k));
        assert_true(loss_fit_family(&fit, &b.table, &history, LOSS_LINEAR));
        assert_true(fit.d >= 0 && fit.scale > 0);
        for (int di = 0; di <= 100; di++)
            for (int ai = 0; ai <= 300; ai++) {
                double d = .005 * di, a = .01 * ai, error = 0;
                for (int k = 1; k <= 8; k++) error += pow(.9, 8 - k) * pow(seen[k - 1] - d - a * exp(-fit.rate * k), 2);
                if (error < best) best = error, best_d = d;
            }
        assert_near(fit.d, best_d, .006);
        assert_true(fit.error <= best + 1e-12);
        if (t) assert_true(fit.d == 0);
        arena_free(&b.arena);
    }
}

/* ---- GSL's Levenberg-Marquardt on the same family, data and weights, from our fit on ---- */

typedef struct Problem {
    const double *y;
    int n, first; /* epochs first .. first + n - 1 */
    LossFamily family;
} Problem;

/* Logarithms keep a, b, c, the scale and the rate positive, a square the loss it ends at. */
static double member(LossFamily family, const gsl_vector *x, double k)
{
    double e0 = exp(gsl_vector_get(x, 0)), e1 = exp(gsl_vector_get(x, 1)), root = gsl_vector_get(x, 2);
    if (family == LOSS_LINEAR) return e0 * exp(-e1 * k) + root * root;
    return sublinear(exp(gsl_vector_get(x, 3)), e1, e0, root * root, k);
}

static int residuals(const gsl_vector *x, void *problem, gsl_vector *f)
{
    const Problem *p = problem;
    for (int i = 0; i < p->n; i++)
        gsl_vector_set(f, (size_t)i, member(p->family, x, p->first + i) - p->y[p->first + i - 1]);
    return GSL_SUCCESS;
}

/* The weighted sum of squares that it ends with; what it predicts at two epochs. */
static double fit_by_gsl(const LossFit *start, const double y[], int n_epochs, double decay, const double at[2],
                         double predicted[2])
{
    int first = n_epochs > LOSS_WINDOW ? n_epochs - LOSS_WINDOW + 1 : 1, n = n_epochs - first + 1;
    size_t p = start->family == LOSS_LINEAR ? 3 : 4;
    Problem problem = {y, n, first, start->family};
    gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, (size_t)n, p);
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .n = (size_t)n, .p = p, .params = &problem};
    gsl_vector *x = gsl_vector_alloc(p), *w = gsl_vector_alloc((size_t)n);
    if (start->family == LOSS_LINEAR) {
        gsl_vector_set(x, 0, log(start->scale));
        gsl_vector_set(x, 1, log(start->rate));
    } else {
        gsl_vector_set(x, 0, -log(start->scale));
        gsl_vector_set(x, 1, log(start->linear / start->scale + 1e-6));
        gsl_vector_set(x, 3, log(start->square / start->scale + 1e-6));
    }
    gsl_vector_set(x, 2, sqrt(start->d) + 1e-3);
    for (int i = 0; i < n; i++) gsl_vector_set(w, (size_t)i, pow(decay, n - 1 - i));
    gsl_multifit_nlinear_winit(x, w, &fdf, work);
    int why;
    gsl_multifit_nlinear_driver(300, 1e-10, 1e-10, 0, NULL, NULL, &why, work);
    double error;
    gsl_blas_ddot(gsl_multifit_nlinear_residual(work), gsl_multifit_nlinear_residual(work), &error);
    for (int i = 0; i < 2; i++) predicted[i] = member(start->family, gsl_multifit_nlinear_position(work), at[i]);
    gsl_vector_free(x);
    gsl_vector_free(w);
    gsl_multifit_nlinear_free(work);
    return error;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Losses of the five model families with their noise, from 5 to 80 epochs: between the shapes of the table there is
 * little that the iterative solver could still gain, and the two agree on the ten epochs ahead. */
static void gsl_hardly_does_better(void **state)
{
    (void)state;
    enum { CURVES = 300 };
    double ratio[CURVES], apart[CURVES], of_truth[CURVES], mean = 0;
    int m = 0;
    Bench b;
    bench_open(&b, .9);
    gsl_set_error_handler_off();
    for (int i = 0; i < CURVES; i++) {
        TrueCurve curve;
        LossHistory history = {0};
        LossFit fit;
        double y[80], predicted[2];
        true_curve_open(&curve, i % N_CURVE_MODELS, (uint64_t)i);
        int n = 5 + i * 75 / CURVES;
        for (int k = 1; k <= n; k++) loss_observe(&history, y[k - 1] = loss_at(&curve, seen_accuracy(&curve, k)));
        double at[2] = {n, n + 10};
        if (!loss_fit(&fit, &b.table, &history)) continue; /* it has ended, and the noise rises */
        double error = fit_by_gsl(&fit, y, n, .9, at, predicted);
        ratio[m] = sqrt(fit.error / error);
        apart[m] = fabs(loss_predict(&fit, n + 10) - predicted[1]);
        double truth = loss_at(&curve, true_accuracy(&curve, n + 10));
        of_truth[m] = fabs(loss_predict(&fit, n + 10) - truth) / truth;
        mean += of_truth[m++];
    }
    qsort(ratio, (size_t)m, sizeof *ratio, by_value);
    qsort(apart, (size_t)m, sizeof *apart, by_value);
    qsort(of_truth, (size_t)m, sizeof *of_truth, by_value);
    print_message("%d fits; residuals, ours to GSL's: median %.4f, 95 %% %.4f, most %.4f\n"
                  "ten epochs ahead, ours from GSL's: median %.4f, 95 %% %.4f; ours from the truth, relative: mean "
                  "%.4f, median %.4f, 95 %% %.4f\n",
                  m, ratio[m / 2], ratio[m * 95 / 100], ratio[m - 1], apart[m / 2], apart[m * 95 / 100], mean / m,
                  of_truth[m / 2], of_truth[m * 95 / 100]);
    assert_true(m > CURVES * 9 / 10 && ratio[0] > .98); /* GSL started from ours */
    assert_true(ratio[m / 2] < 1.01 && ratio[m * 95 / 100] < 1.4);
    assert_true(apart[m / 2] < .003 && apart[m * 95 / 100] < .05);
    assert_true(of_truth[m / 2] < .05); /* SLAQ's claim */
    arena_free(&b.arena);
}

/* ---- falls ---- */

static void refits_when_a_fifth_has_come(void **state)
{
    (void)state;
    static const int expected[] = {3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 48, 58};
    Bench b;
    LossTrack track = {0};
    int n_fits = 0;
    bench_open(&b, .9);
    for (int e = 1; e <= 60; e++) {
        loss_observe(&track.history, .3 + 2 / (1 + .25 * e) + (e % 2 ? .01 : -.01));
        int before = track.tried_at;
        loss_track_fit(&track, &b.table);
        if (track.tried_at == before || e < LOSS_LEAST_EPOCHS) continue;
        assert_int_equal(track.tried_at, e);
        assert_int_equal(e, expected[n_fits++]);
    }
    assert_int_equal(n_fits, (int)(sizeof expected / sizeof *expected));
    arena_free(&b.arena);
}

static void without_a_fit_it_goes_on_as_before(void **state)
{
    (void)state;
    Bench b;
    LossTrack few = {0}, rising = {0}, level = {0}, late = {0};
    bench_open(&b, .9);
    loss_observe(&few.history, 2);
    assert_true(loss_track_fall(&few, 1, 5) == 0); /* one epoch says nothing */
    loss_observe(&few.history, 1.5);
    loss_track_fit(&few, &b.table);
    assert_near(loss_track_fall(&few, 2, 3), 1.5, 1e-12); /* three times .5 */
    for (int e = 1; e <= 10; e++) {
        loss_observe(&rising.history, e == 10 ? 1.85 : 1 + .1 * e);
        loss_observe(&level.history, .7);
    }
    loss_track_fit(&rising, &b.table);
    loss_track_fit(&level, &b.table);
    assert_near(loss_track_fall(&rising, 10, 2), .1, 1e-9); /* from 1.9 to 1.85, twice */
    assert_false(rising.fitted);
    assert_true(loss_track_fall(&level, 10, 2) == 0);
    late.history.n_epochs = LOSS_MOST_EPOCHS; /* beyond the table */
    for (int e = 0; e < 2; e++) loss_observe(&late.history, 1 - .25 * e);
    loss_track_fit(&late, &b.table);
    assert_near(loss_track_fall(&late, 20000, 2), .5, 1e-12);
    assert_int_equal(b.table.n_rows, 11);
    arena_free(&b.arena);
}

/* What one replica more gains in a given time, as a loss falls from k to k + w per replica: less with each, as long as
 * the curve bends upwards, for which a fall is also less the later it is.  b^2 >= a c is where a sublinear curve does
 * so from its start. */
static void gains_fall_with_width(void **state)
{
    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        LossTrack track = {.fitted = true, .tried_at = 1 << 30, .fit = {.scale = 2, .d = .1}};
        LossFit *fit = &track.fit;
        if (shape == 0) fit->family = LOSS_LINEAR, fit->rate = .05;
        if (shape == 1) fit->linear = .5;
        if (shape == 2) fit->linear = .2, fit->square = .04;
        for (double k = 0; k < 50; k += 7)
            for (double per = .01; per < 4; per *= 3) {
                double before = (double)INFINITY;
                for (int w = 1; w <= 32; w++) {
                    double gain = loss_track_fall(&track, k, per * w) - loss_track_fall(&track, k, per * (w - 1));
                    assert_true(gain > 0 && gain <= before * (1 + 1e-9));
                    assert_true(loss_track_fall(&track, k + 1, per * w) < loss_track_fall(&track, k, per * w));
                    before = gain;
                }
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_epochs_are_kept),     cmocka_unit_test(curves_of_the_table_are_found),
        cmocka_unit_test(a_loss_does_not_end_below_zero), cmocka_unit_test(gsl_hardly_does_better),
        cmocka_unit_test(refits_when_a_fifth_has_come),   cmocka_unit_test(without_a_fit_it_goes_on_as_before),
        cmocka_unit_test(gains_fall_with_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
