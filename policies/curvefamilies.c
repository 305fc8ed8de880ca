/* policies/curvefamilies.c -- formulas, start points and tables of shapes, one row for each family. */
#include "policies/curvefamilies.h"

#include <math.h>

/* One parameter of a shape: `n` values from low to high in equal ratios.  A table is the product of two. */
typedef struct {
    int n;
    double low, high;
} Axis;

/* The ranges are wide around what validation curves of real trainings need, within the first some hundred epochs:
 * half-way points of a third of an epoch to some tens of epochs, exponents from nearly logarithmic to S-shaped. */
static const struct {
    const char *name;
    CurveKind kind;
    double start[CURVE_PARAMETERS];
    Axis axis[2];
} family_table[N_CURVE_FAMILIES] = {
    [CURVE_VAPOR_PRESSURE] = {"vapor pressure", CURVE_LOG, {-0.622, -0.470, 0.0423}, {{.n = 2}, {.n = 1}}},
    [CURVE_POW3] = {"pow3", CURVE_OFFSET, {0.84, 0.52, 0.01}, {{64, 0.01, 4}, {.n = 1}}}, /* alpha */
    [CURVE_LOG_LOG_LINEAR] = {"log log linear",
                              CURVE_EXP,
                              {1, 1},
                              {{.n = 1}, {.n = 1}}}, /* our start: the paper gives none */
    [CURVE_HILL3] = {"Hill3", CURVE_SCALE, {0.772, 0.586, 2.46}, {{8, 0.3, 3}, {8, 0.3, 30}}}, /* eta, kappa */
    [CURVE_LOG_POWER] = {"log power", CURVE_SCALE, {0.77, 2.98, -0.51}, {{8, 0.25, 2.5}, {8, 0.2, 40}}}, /* -c, e^b */
    [CURVE_POW4] = {"pow4", CURVE_OFFSET, {0.8, 200, 0, 0.1}, {{8, 0.1, 4}, {8, 0.25, 32}}},    /* alpha, b/a */
    [CURVE_MMF] = {"MMF", CURVE_OFFSET, {0.7, 0.1, 0.01, 5}, {{8, 0.5, 3}, {8, 0.025, 3}}},     /* delta, kappa */
    [CURVE_EXP4] = {"exp4", CURVE_OFFSET, {0.7, 0.8, -0.8, 0.3}, {{8, 0.25, 2}, {8, 0.02, 2}}}, /* alpha, a */
    [CURVE_JANOSCHEK] = {"Janoschek", CURVE_OFFSET, {0.73, 0.07, 0.355, 0.46}, {{8, 0.3, 2}, {8, 0.01, 2}}},
    [CURVE_WEIBULL] = {"Weibull", CURVE_OFFSET, {0.7, 0.1, 0.01, 1}, {{8, 0.4, 2.5}, {8, 0.02, 2}}}, /* delta, kappa */
    [CURVE_ILOG2] = {"ilog2", CURVE_OFFSET, {0.78, 0.43}, {{.n = 1}, {.n = 1}}},
};

const char *curve_name(CurveFamily family)
{
    return family_table[family].name;
}

CurveKind curve_kind(CurveFamily family)
{
    return family_table[family].kind;
}

const double *curve_start(CurveFamily family)
{
    return family_table[family].start;
}

int curve_n_shapes(CurveFamily family)
{
    return family_table[family].axis[0].n * family_table[family].axis[1].n;
}

static double axis_value(const Axis *axis, int i)
{
    return axis->n == 1 ? axis->low : axis->low * pow(axis->high / axis->low, (double)i / (axis->n - 1));
}

/* exp with its argument kept within what doubles hold comfortably. */
static double bounded_exp(double x)
{
    return exp(fmin(fmax(x, -50), 50));
}

double curve_value(CurveFamily family, const double p[CURVE_PARAMETERS], double x)
{
    switch (family) {
    case CURVE_VAPOR_PRESSURE: return bounded_exp(p[0] + p[1] / x + p[2] * log(x));
    case CURVE_POW3: return p[0] - p[1] * pow(x, -p[2]);
    case CURVE_LOG_LOG_LINEAR: {
        double inner = p[0] * log(x) + p[1];
        if (inner <= 0) return (double)NAN;
        return log(inner);
    }
    case CURVE_HILL3: return p[0] / (1 + pow(p[2] / x, p[1])); /* y_max, eta, kappa; divided by x^eta: no overflow */
    case CURVE_LOG_POWER: return p[0] / (1 + pow(x / bounded_exp(p[1]), p[2]));
    case CURVE_POW4: {
        double inner = p[1] * x + p[2];
        if (inner <= 0) return (double)NAN;
        return p[0] - pow(inner, -p[3]);
    }
    case CURVE_MMF: return p[0] - (p[0] - p[1]) / (1 + pow(p[2] * x, p[3]));
    case CURVE_EXP4: return p[0] - bounded_exp(p[2] - p[1] * pow(x, p[3]));
    case CURVE_JANOSCHEK: return p[0] - (p[0] - p[1]) * bounded_exp(-p[2] * pow(x, p[3]));
    case CURVE_WEIBULL: return p[0] - (p[0] - p[1]) * bounded_exp(-pow(p[2] * x, p[3]));
    case CURVE_ILOG2: return p[0] - p[1] / log(x + 1);
    case N_CURVE_FAMILIES: break;
    }
    return (double)NAN;
}

/* g for shape values u and v of the two axes. */
static double basis_value(CurveFamily family, double u, double v, double x)
{
    switch (family) {
    case CURVE_POW3: return pow(x, -u);
    case CURVE_HILL3:
    case CURVE_LOG_POWER: return 1 / (1 + pow(v / x, u));
    case CURVE_POW4: return pow((x + v) / (1 + v), -u); /* 1 at the first epoch */
    case CURVE_MMF: return 1 / (1 + pow(v * x, u));
    case CURVE_EXP4:
    case CURVE_JANOSCHEK: return bounded_exp(-v * pow(x, u));
    case CURVE_WEIBULL: return bounded_exp(-pow(v * x, u));
    case CURVE_ILOG2: return 1 / log(x + 1);
    case CURVE_LOG_LOG_LINEAR: return log(x);
    case CURVE_VAPOR_PRESSURE:
    case N_CURVE_FAMILIES: break;
    }
    return (double)NAN;
}

int curve_basis(CurveFamily family, double x, double basis[CURVE_SHAPES])
{
    const Axis *axis = family_table[family].axis;
    if (family == CURVE_VAPOR_PRESSURE) {
        basis[0] = 1 / x;
        basis[1] = log(x);
        return 2;
    }
    for (int i = 0; i < axis[0].n; i++) {
        double u = axis_value(&axis[0], i);
        for (int j = 0; j < axis[1].n; j++)
            basis[i * axis[1].n + j] = basis_value(family, u, axis_value(&axis[1], j), x);
    }
    return curve_n_shapes(family);
}

void curve_parameters(CurveFamily family, int shape, double c, double a, double p[CURVE_PARAMETERS])
{
    const Axis *axis = family_table[family].axis;
    double u = axis_value(&axis[0], shape / axis[1].n), v = axis_value(&axis[1], shape % axis[1].n);
    for (int i = 0; i < CURVE_PARAMETERS; i++) p[i] = 0;
    switch (family) {
    case CURVE_POW3: p[0] = c, p[1] = a, p[2] = u; break;
    case CURVE_HILL3: p[0] = a, p[1] = u, p[2] = v; break;
    case CURVE_LOG_POWER: p[0] = a, p[1] = log(v), p[2] = -u; break;
    case CURVE_POW4: /* a ((x + v) / (1 + v))^-u = (s (x + v))^-u */ {
        double s = pow(fmax(a, 1e-12), -1 / u) / (1 + v);
        p[0] = c, p[1] = s, p[2] = s * v, p[3] = u;
        break;
    }
    case CURVE_MMF:
    case CURVE_JANOSCHEK:
    case CURVE_WEIBULL: p[0] = c, p[1] = c - a, p[2] = v, p[3] = u; break;
    case CURVE_EXP4: p[0] = c, p[1] = v, p[2] = log(fmax(a, 1e-12)), p[3] = u; break;
    case CURVE_ILOG2: p[0] = c, p[1] = a; break;
    case CURVE_VAPOR_PRESSURE:
    case CURVE_LOG_LOG_LINEAR:
    case N_CURVE_FAMILIES: break;
    }
}
