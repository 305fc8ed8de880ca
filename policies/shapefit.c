/* policies/shapefit.c -- the sums, and the closed form. */
#include "policies/shapefit.h"

#include <math.h>
#include <string.h>

void shape_point(ShapeData *data, int first, int last, double y, double weight)
{
    int i = data->n++;
    data->first[i] = first;
    data->last[i] = last;
    data->y[i] = y;
    data->weight[i] = weight;
    data->w += weight;
    data->wy += weight * y;
    data->wyy += weight * y * y;
}

double *shape_rows(Arena *arena, double *rows, int n_rows, int wanted, int capacity, int n_shapes, ShapeBasis basis,
                   int family)
{
    double g[SHAPES] = {0};
    rows = arena_resize(arena, rows, (size_t)n_rows, (size_t)capacity, (size_t)n_shapes * sizeof *rows);
    for (int m = n_rows; m < wanted; m++) {
        double *row = rows + m * n_shapes;
        if (m > 0) basis(family, m, g);
        for (int s = 0; s < n_shapes; s++) row[s] = m > 0 ? row[s - n_shapes] + g[s] : 0;
    }
    return rows;
}

/* All at once: with the count known and nothing shared the compiler does two or more a step. */
static void add_point(const double *restrict low, const double *restrict high, double share, double weight, double y,
                      ShapeSums *restrict sums)
{
    for (int s = 0; s < SHAPES; s++) {
        double g = (high[s] - low[s]) * share, wg = weight * g;
        sums->g[s] += wg;
        sums->gg[s] += wg * g;
        sums->gy[s] += wg * y;
    }
}

void shape_gather(const double *rows, const ShapeData *data, ShapeSums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (int b = 0; b < data->n; b++) {
        const double *low = rows + data->first[b] * SHAPES, *high = rows + data->last[b] * SHAPES;
        add_point(low, high, 1.0 / (data->last[b] - data->first[b]), data->weight[b], data->y[b], sums);
    }
}

ShapeLine shape_line(const ShapeData *data, double g, double gg, double gy, double most)
{
    double variance = gg - g * g / data->w, covariance = gy - g * data->wy / data->w;
    double flat = data->wyy - data->wy * data->wy / data->w; /* the error of y = its mean */
    if (variance > 1e-12 * gg && covariance <= 0) {
        double a = -covariance / variance, c = (data->wy + a * g) / data->w;
        if (c <= most) return (ShapeLine){c, a, flat - covariance * covariance / variance};
    }
    double mean = fmin(data->wy / data->w, most), a = fmax(0, (most * g - gy) / gg);
    ShapeLine level = {mean, 0, data->wyy - 2 * mean * data->wy + mean * mean * data->w};
    double top = data->wyy - 2 * most * data->wy + most * most * data->w; /* the error of y = most */
    ShapeLine full = {most, a, top - 2 * a * (most * g - gy) + a * a * gg};
    return full.error < level.error ? full : level;
}
