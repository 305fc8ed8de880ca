/* policies/curvefamilies.h -- the eleven learning-curve families of Domhan, Springenberg and Hutter (IJCAI 2015).
 *
 * A family says how accuracy may grow with the epoch x = 1, 2, ...  Each is written here a second way as well, linear
 * in two numbers once its shape is fixed, so that curvefit.c can search a table of shapes with linear algebra alone:
 *
 *     CURVE_OFFSET  y = c - a g(x)         g falls from at most 1 towards 0
 *     CURVE_SCALE   y = a g(x)             g rises towards 1
 *     CURVE_LOG     ln y = sum p_i g_i(x)  no shape: three fixed functions
 *     CURVE_EXP     e^y = a ln x + b       no shape
 *
 * Two sets are one function under several names: log power is Hill3 (kappa = e^b, eta = -c), and exp4 and Weibull are
 * Janoschek.  Their tables differ, so that together they are a finer one.
 */
#ifndef POLICIES_CURVEFAMILIES_H
#define POLICIES_CURVEFAMILIES_H

#include <stdbool.h>

typedef enum {
    CURVE_VAPOR_PRESSURE,
    CURVE_POW3,
    CURVE_LOG_LOG_LINEAR,
    CURVE_HILL3,
    CURVE_LOG_POWER,
    CURVE_POW4,
    CURVE_MMF,
    CURVE_EXP4,
    CURVE_JANOSCHEK,
    CURVE_WEIBULL,
    CURVE_ILOG2,
    N_CURVE_FAMILIES
} CurveFamily;

enum {
    CURVE_ALL = (1 << N_CURVE_FAMILIES) - 1,
    CURVE_FAST = 1 << CURVE_POW3 | 1 << CURVE_MMF | 1 << CURVE_JANOSCHEK | 1 << CURVE_ILOG2,
};

enum { CURVE_PARAMETERS = 4, CURVE_SHAPES = 64 };

typedef enum { CURVE_OFFSET, CURVE_SCALE, CURVE_LOG, CURVE_EXP } CurveKind;

const char *curve_name(CurveFamily family);
CurveKind curve_kind(CurveFamily family);

/* f(x) for x > 0, the parameters in the order of the paper; NAN outside the family's domain. */
double curve_value(CurveFamily family, const double parameter[CURVE_PARAMETERS], double x);

/* The paper's start point. */
const double *curve_start(CurveFamily family);

/* g at epoch x for each shape of the table; for CURVE_LOG and CURVE_EXP their functions beyond the constant.  Returns
 * how many, at most CURVE_SHAPES. */
int curve_basis(CurveFamily family, double x, double basis[CURVE_SHAPES]);
int curve_n_shapes(CurveFamily family);

/* The paper's parameters of c - a g, or of a g (c unused), with one shape of the table. */
void curve_parameters(CurveFamily family, int shape, double c, double a, double parameter[CURVE_PARAMETERS]);

#endif
