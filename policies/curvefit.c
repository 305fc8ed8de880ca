/* policies/curvefit.c -- the best shape of each family by linear least squares (shapefit.h), then the weights. */
#include "policies/curvefit.h"

#include <math.h>
#include <string.h>

#include "policies/nnls.h"
#include "policies/shapefit.h"
#include "sim/base/err.h"

_Static_assert((int)SHAPES == (int)CURVE_SHAPES && (int)SHAPE_POINTS >= (int)CURVE_BLOCKS, "one table serves both");

/* ---- what was seen ---- */

/* The last epoch of a block. */
static int block_end(int block)
{
    if (block < CURVE_SINGLES) return block + 1;
    int octave = (block - CURVE_SINGLES) / CURVE_PER_OCTAVE, place = (block - CURVE_SINGLES) % CURVE_PER_OCTAVE;
    int start = CURVE_SINGLES << octave;
    return start + start / CURVE_PER_OCTAVE * (place + 1);
}

void curve_observe(CurveHistory *history, double y)
{
    MUST(history->n_epochs < CURVE_MOST_EPOCHS && isfinite(y));
    int last = history->n_blocks - 1;
    if (last < 0 || block_end(last) == history->n_epochs) history->mean[last = history->n_blocks++] = 0;
    int start = last ? block_end(last - 1) : 0;
    history->n_epochs++;
    history->mean[last] += (y - history->mean[last]) / (history->n_epochs - start);
}

/* ---- the table ---- */

void curvetable_open(CurveTable *table, Arena *arena, unsigned families)
{
    MUST(families && !(families & ~(unsigned)CURVE_ALL));
    *table = (CurveTable){.arena = arena, .families = families};
}

static void basis_of(int family, double x, double basis[CURVE_SHAPES])
{
    curve_basis((CurveFamily)family, x, basis);
}

static void need_rows(CurveTable *table, int n_epochs)
{
    int n_rows = n_epochs + 1, capacity = table->capacity;
    if (n_rows <= table->n_rows) return;
    while (capacity < n_rows) capacity = capacity ? 2 * capacity : 128;
    for (int f = 0; f < N_CURVE_FAMILIES; f++)
        if (table->families >> f & 1)
            table->row[f] = shape_rows(table->arena, table->row[f], table->n_rows, n_rows, capacity,
                                       curve_n_shapes((CurveFamily)f), basis_of, f);
    table->n_rows = n_rows;
    table->capacity = capacity;
}

/* ---- the data of one fit ---- */

static void gather(ShapeData *data, const CurveHistory *history)
{
    double ratio = pow(10, 1.0 / history->n_epochs), recency = 1;
    data->n = 0;
    data->w = data->wy = data->wyy = 0;
    for (int b = 0, epoch = 0; b < history->n_blocks; b++) {
        int first = epoch, end = block_end(b) < history->n_epochs ? block_end(b) : history->n_epochs;
        double weight = 0;
        for (; epoch < end; epoch++, recency *= ratio) weight += recency;
        shape_point(data, first, end, history->mean[b], weight);
    }
}

/* The mean of the basis over block b. */
static void block_basis(const CurveTable *table, CurveFamily family, const ShapeData *data, int b, double mean[])
{
    int n = curve_n_shapes(family);
    const double *low = table->row[family] + data->first[b] * n, *high = table->row[family] + data->last[b] * n;
    double share = 1.0 / (data->last[b] - data->first[b]);
    for (int s = 0; s < n; s++) mean[s] = (high[s] - low[s]) * share;
}

/* ---- families with a table of shapes ---- */

static void gather_moments(const CurveTable *table, CurveFamily family, const ShapeData *data, ShapeSums *sum)
{
    int n = curve_n_shapes(family);
    double g[CURVE_SHAPES];
    if (n == SHAPES) {
        shape_gather(table->row[family], data, sum);
        return;
    }
    memset(sum, 0, sizeof *sum);
    for (int b = 0; b < data->n; b++) {
        block_basis(table, family, data, b, g);
        for (int s = 0; s < n; s++) {
            sum->g[s] += data->weight[b] * g[s];
            sum->gg[s] += data->weight[b] * g[s] * g[s];
            sum->gy[s] += data->weight[b] * g[s] * data->y[b];
        }
    }
}

/* y = a g with 0 <= a <= 1. */
static ShapeLine fit_scale(const ShapeData *data, double gg, double gy)
{
    double a = fmin(fmax(gy / gg, 0), 1);
    return (ShapeLine){0, a, data->wyy - 2 * a * gy + a * a * gg};
}

/* Picks the shape with the least error; y[b] becomes the family's value over each block.  Between the shapes there is
 * little to gain: descending on from the best one fits closer but predicts no better (tests/unit_curvefit.c). */
static void fit_table(const CurveTable *table, CurveFamily family, const ShapeData *data, double parameter[],
                      double y[])
{
    ShapeSums sum;
    ShapeLine best = {.error = (double)INFINITY};
    int shape = 0, n = curve_n_shapes(family);
    bool offset = curve_kind(family) == CURVE_OFFSET;
    gather_moments(table, family, data, &sum);
    for (int s = 0; s < n; s++) {
        ShapeLine line =
            offset ? shape_line(data, sum.g[s], sum.gg[s], sum.gy[s], 1) : fit_scale(data, sum.gg[s], sum.gy[s]);
        if (line.error < best.error) best = line, shape = s;
    }
    curve_parameters(family, shape, best.c, best.a, parameter);
    const double *rows = table->row[family] + shape;
    for (int b = 0; b < data->n; b++) {
        double g = (rows[data->last[b] * n] - rows[data->first[b] * n]) / (data->last[b] - data->first[b]);
        y[b] = offset ? best.c - best.a * g : best.a * g;
    }
}

/* ---- families that are linear after a transformation of y ---- */

/* ln y = p0 + p1 / x + p2 ln x, or e^y = p0 ln x + p1.  Weights times the slope of the inverse squared, so that it is
 * errors of y that are small; observations of 0 or less say nothing about ln y. */
static bool fit_transformed(const CurveTable *table, CurveFamily family, const ShapeData *data, double p[], double y[])
{
    bool log_scale = curve_kind(family) == CURVE_LOG;
    int n = log_scale ? 3 : 2;
    double gram[9] = {0}, rhs[3] = {0}, column[CURVE_SHAPES];
    for (int b = 0; b < data->n; b++) {
        double value = data->y[b], basis[3] = {1};
        if (log_scale && value <= 0) continue;
        block_basis(table, family, data, b, column);
        // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a linear family has n - 1 shapes
        for (int i = 1; i < n; i++) basis[i] = column[i - 1];
        double weight = data->weight[b] * (log_scale ? value * value : exp(-2 * value));
        double target = log_scale ? log(value) : exp(value);
        for (int i = 0; i < n; i++) {
            rhs[i] += weight * basis[i] * target;
            for (int j = 0; j < n; j++) gram[i * n + j] += weight * basis[i] * basis[j];
        }
    }
    if (!cholesky_solve(n, gram, rhs, p)) return false;
    for (int b = 0; b < data->n; b++) {
        block_basis(table, family, data, b, column);
        y[b] = log_scale ? exp(p[0] + p[1] * column[0] + p[2] * column[1]) : log(p[0] + p[1] * column[0]);
        if (!isfinite(y[b])) return false;
    }
    if (!log_scale) { /* the paper's order: a ln x + b */
        double b = p[0];
        p[0] = p[1];
        p[1] = b;
    }
    return true;
}

/* ---- the combination ---- */

static bool makes_sense(CurveFamily family, const double parameter[], double x_limit)
{
    double early = curve_value(family, parameter, 2), late = curve_value(family, parameter, x_limit);
    return late >= 0 && late <= 1 && late >= early - 1e-9; /* false for NAN too */
}

/* Weights by non-negative least squares of y on the families' values y_of[], normalised. */
static void weigh(CurveFit *fit, const ShapeData *data, double y_of[][CURVE_BLOCKS])
{
    CurveFamily family[N_CURVE_FAMILIES] = {0};
    double gram[NNLS_MOST * NNLS_MOST], rhs[NNLS_MOST], x[NNLS_MOST], total = 0;
    int n = 0;
    for (int f = 0; f < N_CURVE_FAMILIES; f++)
        if (fit->valid >> f & 1) family[n++] = (CurveFamily)f;
    for (int i = 0; i < n; i++) {
        const double *u = y_of[family[i]];
        rhs[i] = 0;
        for (int b = 0; b < data->n; b++) rhs[i] += data->weight[b] * u[b] * data->y[b];
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int b = 0; b < data->n; b++) sum += data->weight[b] * u[b] * y_of[family[j]][b];
            gram[i * n + j] = gram[j * n + i] = sum;
        }
    }
    nnls_solve(n, gram, rhs, x);
    for (int i = 0; i < n; i++) total += x[i];
    for (int i = 0; i < n; i++) /* all zero: nothing but zeros was observed, and every family says so */
        fit->weight[family[i]] = total > 0 ? x[i] / total : 1.0 / n;
}

/* The sd of one observation: block means vary by sigma^2 / epochs; four numbers were fitted. */
static double residual_sd(const CurveFit *fit, const ShapeData *data, double y_of[][CURVE_BLOCKS])
{
    double sum = 0;
    for (int b = 0; b < data->n; b++) {
        double residual = data->y[b];
        for (int f = 0; f < N_CURVE_FAMILIES; f++)
            if (fit->weight[f] > 0) residual -= fit->weight[f] * y_of[f][b];
        sum += residual * residual * (data->last[b] - data->first[b]);
    }
    return sqrt(sum / (data->n - CURVE_PARAMETERS));
}

bool curve_fit(CurveFit *fit, CurveTable *table, const CurveHistory *history, double x_limit)
{
    ShapeData data;
    double y_of[N_CURVE_FAMILIES][CURVE_BLOCKS];
    if (history->n_epochs < CURVE_LEAST_EPOCHS) return false;
    need_rows(table, history->n_epochs);
    gather(&data, history);
    *fit = (CurveFit){.n_epochs = history->n_epochs};
    for (int f = 0; f < N_CURVE_FAMILIES; f++) {
        CurveFamily family = (CurveFamily)f;
        if (!(table->families >> f & 1)) continue;
        if (curve_kind(family) == CURVE_OFFSET || curve_kind(family) == CURVE_SCALE)
            fit_table(table, family, &data, fit->parameter[f], y_of[f]);
        else if (!fit_transformed(table, family, &data, fit->parameter[f], y_of[f]))
            continue;
        if (makes_sense(family, fit->parameter[f], x_limit)) fit->valid |= 1u << f;
    }
    if (!fit->valid) return false;
    weigh(fit, &data, y_of);
    fit->sigma = residual_sd(fit, &data, y_of);
    return true;
}

double curve_predict(const CurveFit *fit, double x)
{
    double y = 0;
    for (int f = 0; f < N_CURVE_FAMILIES; f++)
        if (fit->weight[f] > 0) y += fit->weight[f] * curve_value((CurveFamily)f, fit->parameter[f], x);
    return y;
}

double curve_spread(const CurveFit *fit, double x)
{
    double y = curve_predict(fit, x), variance = fit->sigma * fit->sigma;
    for (int f = 0; f < N_CURVE_FAMILIES; f++)
        if (fit->weight[f] > 0) {
            double apart = curve_value((CurveFamily)f, fit->parameter[f], x) - y;
            variance += fit->weight[f] * apart * apart;
        }
    return sqrt(variance);
}

double curve_confidence(const CurveFit *fit, double x, double target)
{
    double above = curve_predict(fit, x) - target, spread = curve_spread(fit, x);
    if (spread > 0) return 0.5 * erfc(-above / spread / sqrt(2));
    return above > 0 ? 1 : 0;
}

const CurveFit *curve_watch(CurveWatch *watch, CurveTable *table, double x_limit)
{
    int n = watch->history.n_epochs;
    if (n >= CURVE_LEAST_EPOCHS && 5 * n >= 6 * watch->tried_at) {
        watch->tried_at = n;
        watch->fitted = curve_fit(&watch->fit, table, &watch->history, x_limit);
    }
    return watch->fitted ? &watch->fit : NULL;
}
