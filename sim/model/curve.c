/* sim/model/curve.c -- the Morgan-Mercer-Flodin curve, its loss, and noise named by epoch. */
#include "sim/model/curve.h"

#include <math.h>

#include "sim/base/err.h"
#include "sim/base/number.h"
#include "sim/base/rng.h"

#define HIGHEST_CEILING .995 /* no network gets everything right */
#define OVERFIT_SLOPE   .002 /* rise of the loss per epoch, relative to where it turned */

static double between(double low, double high, uint64_t key, const char *what)
{
    return low + (high - low) * rng_fraction(key, what, 0);
}

Curve curve_draw(const Family *family, uint64_t key, int epochs, bool overfit)
{
    double ceiling = family->ceiling * between(.97, 1.03, key, "ceiling");
    return (Curve){
        .key = key,
        .ceiling = number_min(ceiling, HIGHEST_CEILING),
        .start = family->start,
        .rate = family->rate * exp(.25 * rng_normal(key, "rate", 0)),
        .shape = family->shape * between(.9, 1.1, key, "shape"),
        .noise = family->noise,
        .loss_start = log(family->n_classes), /* what guessing costs */
        .loss_end = between(.05, .4, key, "loss"),
        .overfit_from = overfit ? epochs * between(.7, 1.2, key, "overfit") : (double)INFINITY,
        .form = family->curve,
    };
}

double curve_accuracy(const Curve *c, double epochs)
{
    MUST(epochs >= 0);
    double x = c->rate * epochs;
    double left = c->form == SHAPE_EXPONENTIAL ? exp(-x) : 1 / (1 + pow(x, c->shape));
    return c->ceiling - (c->ceiling - c->start) * left;
}

/* Loss per accuracy. */
static double slope(const Curve *c)
{
    return (c->loss_start - c->loss_end) / (c->ceiling - c->start);
}

double curve_loss(const Curve *c, double epochs)
{
    double turned = number_min(epochs, c->overfit_from);
    double loss = c->loss_end + slope(c) * (c->ceiling - curve_accuracy(c, turned));
    return epochs > turned ? loss * (1 + OVERFIT_SLOPE * (epochs - turned)) : loss;
}

double curve_epochs_to(const Curve *c, double accuracy)
{
    if (accuracy <= c->start) return 0;
    if (accuracy >= c->ceiling) return (double)INFINITY;
    double ratio = (c->ceiling - c->start) / (c->ceiling - accuracy);
    return (c->form == SHAPE_EXPONENTIAL ? log(ratio) : pow(ratio - 1, 1 / c->shape)) / c->rate;
}

static double noise_at(const Curve *c, int epoch)
{
    MUST(epoch >= 1);
    return c->noise * rng_normal(c->key, "noise", (uint64_t)epoch);
}

double curve_observed_accuracy(const Curve *c, int epoch)
{
    return number_min(1, number_max(0, curve_accuracy(c, epoch) + noise_at(c, epoch)));
}

double curve_observed_loss(const Curve *c, int epoch)
{
    return number_max(0, curve_loss(c, epoch) - slope(c) * noise_at(c, epoch));
}
