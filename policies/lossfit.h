/* policies/lossfit.h -- where a training loss is going: the two families of SLAQ, fitted to the losses seen so far.
 *
 * After Zhang, Stafman, Or and Freedman (SoCC 2017), k the epochs done:
 *
 *     LOSS_SUBLINEAR   f(k) = 1 / (a k^2 + b k + c) + d      gradient descent and its kin
 *     LOSS_LINEAR      f(k) = mu^(k - b) + d                 linear and faster: quasi-Newton, expectation maximisation
 *
 * Both are fitted by least squares with weights decay^(n - i), the newest epoch n the heaviest, and the one with the
 * smaller weighted residual is taken.  A fit falls or is none: scale > 0, d >= 0.  Each is scale x g_s(k) + d for a
 * table of 64 shapes s, 16 half-way points (epochs at which scale is halved) x 4 mixtures of k and k^2, or 64 mu; the
 * two numbers left follow from a linear solve.
 *
 * PAPER: fitted by an iterative solver; there its weights and its start points are not told.
 */
#ifndef POLICIES_LOSSFIT_H
#define POLICIES_LOSSFIT_H

#include <stdbool.h>

#include "policies/shapefit.h"

/* Older epochs than the window do not count: under the default decay they would weigh less than a hundredth of the
 * newest. */
enum { LOSS_WINDOW = 48, LOSS_LEAST_EPOCHS = 3, LOSS_MOST_EPOCHS = 16384 };

typedef enum { LOSS_SUBLINEAR, LOSS_LINEAR, N_LOSS_FAMILIES } LossFamily;

/* Zeroed, it is empty. */
typedef struct LossHistory {
    int n_epochs;
    double seen[LOSS_WINDOW]; /* of epoch e at [(e - 1) % LOSS_WINDOW] */
    double largest;           /* change from one epoch to the next, either way */
} LossHistory;

void loss_observe(LossHistory *history, double loss); /* of the next epoch */

/* The rows of both families (shapefit.h), made as longer histories ask for them: a KiB an epoch.  Any number of jobs
 * share one. */
typedef struct LossTable {
    Arena *arena;
    double decay;
    int n_rows, capacity;
    double *row[N_LOSS_FAMILIES];
} LossTable;

void losstable_open(LossTable *table, Arena *arena, double decay);

typedef struct LossFit {
    LossFamily family;
    double scale, d;
    double linear, square; /* LOSS_SUBLINEAR: g = 1 / (1 + linear k + square k^2), so that c = 1/scale, b = linear c */
    double rate;           /* LOSS_LINEAR: g = exp(-rate k), so that mu = exp(-rate) */
    double error;          /* weighted sum of squares */
} LossFit;

/* The best fit of one family, or of the better of both; false: fewer than three epochs or more than the table takes, or
 * the losses do not fall. */
bool loss_fit_family(LossFit *fit, LossTable *table, const LossHistory *history, LossFamily family);
bool loss_fit(LossFit *fit, LossTable *table, const LossHistory *history);

double loss_predict(const LossFit *fit, double k);

/* A loss that is watched. */
typedef struct LossTrack {
    LossHistory history;
    bool fitted;
    int tried_at; /* epochs at the latest attempt */
    LossFit fit;
} LossTrack;

void loss_track_fit(LossTrack *track, LossTable *table); /* if its epochs grew by a fifth since the latest attempt */

/* How far it is expected to fall from k to k + more epochs, >= 0.  Without a fit it goes on as in the latest epoch. */
double loss_track_fall(const LossTrack *track, double k, double more);

#endif
