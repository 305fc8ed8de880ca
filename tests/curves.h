/* tests/curves.h -- learning curves to extrapolate: five model families, each job its own jitter, noise at each epoch.
 *
 * A - (A - A0) / (1 + (kappa e)^delta) or, for SVM, A - (A - A0) exp(-e / tau); A x U[.97, 1.03] up to .995, kappa x
 * LogN(0, .25), delta x U[.9, 1.1].  The constants are those that fit validation curves of real trainings.
 */
#ifndef TESTS_CURVES_H
#define TESTS_CURVES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>

#include "policies/curvefit.h"
#include "sim/base/rng.h"

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g within %g", a, b, tolerance);
}

typedef struct CurveModel {
    const char *name;
    double a, a0, kappa, delta, noise;
    int least_epochs, most_epochs;
} CurveModel;

static const CurveModel curve_model[] = {
    {"AlexNet", .90, .25, .25, 1.4, .010, 40, 100}, {"ResNet", .95, .10, .58, 1.24, .008, 50, 150},
    {"MLP", .97, .10, 1.2, 1.5, .003, 15, 60},      {"LSTM", .90, .125, .15, 1.85, .012, 30, 100},
    {"SVM", .92, .50, 1 / 3.0, 0, .003, 10, 40}, /* delta 0: exponential */
};
enum { N_CURVE_MODELS = 5 };

typedef struct TrueCurve {
    CurveModel model; /* after jitter */
    int n_epochs;
    Rng noise;
} TrueCurve;

static inline void true_curve_open(TrueCurve *curve, int model, uint64_t id)
{
    Rng rng;
    const CurveModel *m = &curve_model[model];
    rng_open(&rng, 1, m->name, id);
    rng_open(&curve->noise, 1, "noise", id);
    curve->model = *m;
    curve->model.a = fmin(.995, m->a * (.97 + .06 * rng_uniform(&rng)));
    curve->model.kappa *= exp(gsl_ran_gaussian(&rng.gsl, .25));
    curve->model.delta *= .9 + .2 * rng_uniform(&rng);
    curve->n_epochs = m->least_epochs + (int)rng_below(&rng, m->most_epochs - m->least_epochs + 1);
}

static inline double true_accuracy(const TrueCurve *curve, double epoch)
{
    const CurveModel *m = &curve->model;
    double rest = m->delta > 0 ? 1 / (1 + pow(m->kappa * epoch, m->delta)) : exp(-m->kappa * epoch);
    return m->a - (m->a - m->a0) * rest;
}

static inline double seen_accuracy(TrueCurve *curve, int epoch)
{
    return true_accuracy(curve, epoch) + gsl_ran_gaussian(&curve->noise.gsl, curve->model.noise);
}

/* From ln 10 down to .2 as the accuracy goes from A0 to A. */
static inline double loss_at(const TrueCurve *curve, double accuracy)
{
    return .2 + (log(10) - .2) * (curve->model.a - accuracy) / (curve->model.a - curve->model.a0);
}

/* A fit of n values in a table of its own. */
static inline bool fit_values(CurveFit *fit, unsigned families, const double y[], int n, double x_limit)
{
    Arena arena = {0};
    CurveTable table;
    CurveHistory h = {0};
    curvetable_open(&table, &arena, families);
    for (int i = 0; i < n; i++) curve_observe(&h, y[i]);
    bool good = curve_fit(fit, &table, &h, x_limit);
    arena_free(&arena);
    return good;
}

#endif
