/* sim/model/curve.h -- the true learning curve of a job, and what an observer sees of it.
 *
 * With e the epochs done, a real number (half an epoch counts):
 *     accuracy(e) = A − (A − A0) / (1 + (κe)^δ)            SHAPE_MMF, the Morgan-Mercer-Flodin growth curve
 *     accuracy(e) = A − (A − A0)·exp(−κe)                  SHAPE_EXPONENTIAL
 *     loss(e)     = l_∞ + (l_0 − l_∞)·(A − accuracy(e))/(A − A0)
 * Observers see accuracy and loss at whole epochs only, with normal noise that is a function of (job, epoch) and of
 * nothing else: whatever order or policy, epoch 7 of a job looks the same.  Everything is O(1) and without memory.
 */
#ifndef SIM_MODEL_CURVE_H
#define SIM_MODEL_CURVE_H

#include "sim/model/family.h"

typedef struct Curve {
    uint64_t key;                /* of the job: names the noise of each epoch */
    double ceiling, start;       /* A and A0, 0 <= A0 < A <= 1 */
    double rate, shape;          /* κ > 0 per epoch; δ > 0 */
    double noise;                /* σ_n of the accuracy */
    double loss_start, loss_end; /* l_0 > l_∞ >= 0 */
    double overfit_from;         /* e_o: from here on the loss rises; INFINITY: never */
    CurveShape form;
} Curve;

/* The curve of one job of this family: A·U[.97,1.03] (at most .995), κ·exp(N(0,.25²)), δ·U[.9,1.1], l_∞ = U[.05,.4],
 * l_0 = ln(#classes), all named by `key`.  With `overfit`, e_o = U[.7,1.2]·epochs. */
Curve curve_draw(const Family *family, uint64_t key, int epochs, bool overfit);

/* The truth, for metrics: noise-free, never falling in `epochs` >= 0. */
double curve_accuracy(const Curve *curve, double epochs);

/* The noise-free validation loss; past e_o it is loss(e_o)·(1 + .002·(e − e_o)). */
double curve_loss(const Curve *curve, double epochs);

/* The least e with accuracy(e) >= this, 0 if it starts there, INFINITY if it never gets there. */
double curve_epochs_to(const Curve *curve, double accuracy);

/* What is observed when epoch 1, 2, ... ends: both from the same noise ξ, the accuracy kept in [0, 1] and the loss not
 * below 0. */
double curve_observed_accuracy(const Curve *curve, int epoch);
double curve_observed_loss(const Curve *curve, int epoch);

#endif
