/* rl/adam.c -- decays .9 and .999, epsilon 1e-8. */
#include "rl/adam.h"

#include <math.h>
#include <string.h>

#include "rl/portable.h"

#define MEAN_DECAY   .9
#define SQUARE_DECAY .999
#define EPSILON      1e-8

Adam adam_open(Arena *arena, int n)
{
    return (Adam){.n = n, .mean = NEW_ARRAY(arena, double, n), .square = NEW_ARRAY(arena, double, n)};
}

static double length(const double v[], int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

bool adam_step(Adam *adam, double rate, double longest, double gradient[], double parameter[], Err *err)
{
    int64_t step = adam->step + 1;
    double norm = length(gradient, adam->n);
    if (!isfinite(norm))
        return err_set(err, ERR_DATA, "training step %lld: the gradient is not finite", (long long)step);
    double shorten = longest > 0 && norm > longest ? longest / norm : 1;
    double mean_scale = 1 / (1 - portable_power(MEAN_DECAY, step));
    double square_scale = 1 / (1 - portable_power(SQUARE_DECAY, step));
    for (int i = 0; i < adam->n; i++) {
        double g = gradient[i] * shorten;
        adam->mean[i] = MEAN_DECAY * adam->mean[i] + (1 - MEAN_DECAY) * g;
        adam->square[i] = SQUARE_DECAY * adam->square[i] + (1 - SQUARE_DECAY) * g * g;
        parameter[i] -= rate * (adam->mean[i] * mean_scale) / (sqrt(adam->square[i] * square_scale) + EPSILON);
    }
    adam->step = step;
    return true;
}

void adam_forget(Adam *adam)
{
    adam->step = 0;
    memset(adam->mean, 0, (size_t)adam->n * sizeof *adam->mean);
    memset(adam->square, 0, (size_t)adam->n * sizeof *adam->square);
}
