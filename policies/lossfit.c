/* policies/lossfit.c -- two tables of shapes, one linear solve each. */
#include "policies/lossfit.h"

#include <math.h>

#include "sim/base/err.h"

void loss_observe(LossHistory *history, double loss)
{
    int n = history->n_epochs++;
    MUST(isfinite(loss));
    if (n > 0) history->largest = fmax(history->largest, fabs(loss - history->seen[(n - 1) % LOSS_WINDOW]));
    history->seen[n % LOSS_WINDOW] = loss;
}

static double seen_at(const LossHistory *history, int epoch)
{
    return history->seen[(epoch - 1) % LOSS_WINDOW];
}

/* ---- the tables ---- */

enum { MIXTURES = 4 };

/* Half-way points of 1/4, 1/4 x 2^.6, ... 128 epochs, so that .25, 2, 16 and 128 are among them, and how much of the
 * way there is linear: all, 2/3, 1/3, nothing. */
static void sublinear_shape(int s, double *linear, double *square)
{
    int place = s / MIXTURES, mixture = s % MIXTURES;
    double half = .25 * exp2(.6 * place), share = 1 - (double)mixture / (MIXTURES - 1);
    *linear = share / half;
    *square = (1 - share) / (half * half);
}

/* From a loss that needs hundreds of epochs to one that is done at once. */
static double linear_rate(int s)
{
    return .004 * exp2((double)s / 7);
}

static void basis_of(int family, double k, double g[SHAPES])
{
    for (int s = 0; s < SHAPES; s++) {
        double linear, square;
        sublinear_shape(s, &linear, &square);
        g[s] = family == LOSS_LINEAR ? exp(-linear_rate(s) * k) : 1 / (1 + linear * k + square * k * k);
    }
}

void losstable_open(LossTable *table, Arena *arena, double decay)
{
    MUST(decay > 0 && decay <= 1);
    *table = (LossTable){.arena = arena, .decay = decay};
}

static void need_rows(LossTable *table, int n_epochs)
{
    int n_rows = n_epochs + 1, capacity = table->capacity;
    if (n_rows <= table->n_rows) return;
    while (capacity < n_rows) capacity = capacity ? 2 * capacity : 128;
    for (int f = 0; f < N_LOSS_FAMILIES; f++)
        table->row[f] = shape_rows(table->arena, table->row[f], table->n_rows, n_rows, capacity, SHAPES, basis_of, f);
    table->n_rows = n_rows;
    table->capacity = capacity;
}

/* ---- fits ---- */

/* Losses fall, what shapefit.h fits rises: y is the loss with the other sign. */
static void gather(ShapeData *data, const LossHistory *history, double decay)
{
    int n = history->n_epochs < LOSS_WINDOW ? history->n_epochs : LOSS_WINDOW;
    double weight = 1;
    data->n = 0;
    data->w = data->wy = data->wyy = 0;
    for (int epoch = history->n_epochs; data->n < n; epoch--, weight *= decay)
        shape_point(data, epoch - 1, epoch, -seen_at(history, epoch), weight);
}

static bool fit_table(LossFit *fit, const LossTable *table, const ShapeData *data, LossFamily family)
{
    ShapeSums sums;
    ShapeLine best = {.error = (double)INFINITY};
    int shape = 0;
    shape_gather(table->row[family], data, &sums);
    for (int s = 0; s < SHAPES; s++) {
        ShapeLine line = shape_line(data, sums.g[s], sums.gg[s], sums.gy[s], 0);
        if (line.error < best.error) best = line, shape = s;
    }
    *fit = (LossFit){.family = family, .scale = best.a, .d = -best.c, .error = best.error};
    if (family == LOSS_SUBLINEAR) sublinear_shape(shape, &fit->linear, &fit->square);
    if (family == LOSS_LINEAR) fit->rate = linear_rate(shape);
    return best.a > 0;
}

static bool can_fit(const LossHistory *history)
{
    return history->n_epochs >= LOSS_LEAST_EPOCHS && history->n_epochs <= LOSS_MOST_EPOCHS;
}

bool loss_fit_family(LossFit *fit, LossTable *table, const LossHistory *history, LossFamily family)
{
    ShapeData data;
    if (!can_fit(history)) return false;
    need_rows(table, history->n_epochs);
    gather(&data, history, table->decay);
    return fit_table(fit, table, &data, family);
}

bool loss_fit(LossFit *fit, LossTable *table, const LossHistory *history)
{
    ShapeData data;
    LossFit other;
    if (!can_fit(history)) return false;
    need_rows(table, history->n_epochs);
    gather(&data, history, table->decay);
    bool falls = fit_table(fit, table, &data, LOSS_SUBLINEAR);
    if (fit_table(&other, table, &data, LOSS_LINEAR) && (!falls || other.error < fit->error)) {
        *fit = other;
        falls = true;
    }
    return falls;
}

double loss_predict(const LossFit *fit, double k)
{
    double g = fit->family == LOSS_LINEAR ? exp(-fit->rate * k) : 1 / (1 + fit->linear * k + fit->square * k * k);
    return fit->d + fit->scale * g;
}

void loss_track_fit(LossTrack *track, LossTable *table)
{
    int n = track->history.n_epochs;
    if (5 * n < 6 * track->tried_at || n == track->tried_at) return;
    track->tried_at = n;
    track->fitted = loss_fit(&track->fit, table, &track->history);
}

double loss_track_fall(const LossTrack *track, double k, double more)
{
    const LossHistory *history = &track->history;
    int n = history->n_epochs;
    if (track->fitted) return loss_predict(&track->fit, k) - loss_predict(&track->fit, k + more);
    return n < 2 ? 0 : fmax(0, seen_at(history, n - 1) - seen_at(history, n)) * more;
}
