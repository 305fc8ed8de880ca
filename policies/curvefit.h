/* policies/curvefit.h -- where a learning curve is going: weighted families fitted to the accuracies seen so far.
 *
 * After Domhan, Springenberg and Hutter (IJCAI 2015): every family of curvefamilies.h is fitted by least squares with
 * recency weights 10^(i/n), the fits that make sense are combined with weights w >= 0 that sum to 1, and
 *
 *     y(x) = sum w_k f_k(x),    spread^2 = sigma^2 + sum w_k (f_k(x) - y(x))^2,    P(y > t) = Phi((y - t) / spread)
 *
 * PAPER: the families are fitted by Levenberg-Marquardt and the posterior is sampled by MCMC for seconds a curve.  Here
 * a family's shape comes from a table of 64, best first, its other two numbers from a linear solve within 0 <= a,
 * c <= 1 (accuracy is no more than 1), and the weights from non-negative least squares.  No start points, no iteration
 * that might not converge, and some microseconds a curve.
 *
 * Nothing here knows jobs: numbers in, numbers out.
 */
#ifndef POLICIES_CURVEFIT_H
#define POLICIES_CURVEFIT_H

#include <stdbool.h>

#include "policies/curvefamilies.h"
#include "sim/base/arena.h"

/* What was observed, in bounded space: the first 16 epochs one by one, later ones as means over blocks of which eight
 * make up a doubling of the epoch, so that none is longer than an eighth of its distance from the start.  Zeroed, it is
 * empty. */
enum { CURVE_SINGLES = 16, CURVE_PER_OCTAVE = 8, CURVE_BLOCKS = 96, CURVE_MOST_EPOCHS = 16384 };

typedef struct CurveHistory {
    int n_epochs;
    int n_blocks; /* the last may still be filling */
    double mean[CURVE_BLOCKS];
} CurveHistory;

void curve_observe(CurveHistory *history, double y); /* the next epoch; at most CURVE_MOST_EPOCHS */

/* Sums of each family's basis over the epochs 1 .. m, made as longer histories ask for them: half a KiB for an epoch
 * and a family of 64 shapes.  Any number of curves share one; one thread at a time. */
typedef struct CurveTable {
    Arena *arena;
    unsigned families; /* bits 1 << CurveFamily */
    int n_rows, capacity;
    double *row[N_CURVE_FAMILIES]; /* [n_rows][n_shapes] */
} CurveTable;

void curvetable_open(CurveTable *table, Arena *arena, unsigned families);

typedef struct CurveFit {
    int n_epochs;   /* it was made from */
    double sigma;   /* of one observation about the curve */
    unsigned valid; /* families whose fit makes sense */
    double weight[N_CURVE_FAMILIES];
    double parameter[N_CURVE_FAMILIES][CURVE_PARAMETERS];
} CurveFit;

/* Fewer observations would leave the families of four parameters nothing to be wrong about. */
enum { CURVE_LEAST_EPOCHS = 5 };

/* Fits what is seen, to be asked for values up to epoch `x_limit`.  A family is kept if it stays within 0 .. 1 there
 * and is not below its value at epoch 2.  False: too few epochs, or no family fits. */
bool curve_fit(CurveFit *fit, CurveTable *table, const CurveHistory *history, double x_limit);

double curve_predict(const CurveFit *fit, double x);
double curve_spread(const CurveFit *fit, double x);                    /* sd of an observation at epoch x */
double curve_confidence(const CurveFit *fit, double x, double target); /* P(y(x) > target) */

/* A curve that is watched: refitted when a prediction is asked for and the epochs grew by a fifth since the last. */
typedef struct CurveWatch {
    CurveHistory history;
    bool fitted;
    int tried_at; /* epochs at the last attempt */
    CurveFit fit;
} CurveWatch;

/* The fit to use now, or NULL while there is none. */
const CurveFit *curve_watch(CurveWatch *watch, CurveTable *table, double x_limit);

#endif
