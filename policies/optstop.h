/* policies/optstop.h -- has this job learnt what it will learn?  The stopping rules of MLF-C (MLFS, CoNEXT'20, 3.5).
 *
 * Told a job's validation loss and accuracy after each epoch, in O(1) and in bounded space, OptStop says whether to go
 * on.  Two variants, chosen by `mlf_c.optstop`:
 *
 * `curve`  Extrapolates the accuracy to the last epoch (curvefit.h).  ENOUGH once the accuracy now is within 1 % of it;
 *          HOPELESS, if asked for, once the accuracy required is out of reach with 95 % confidence.
 * `best`   The 37 % rule of the secretary problem on the loss, as in the authors' published code.  After the loss rises
 *          for the first time, 37 % of the epochs left are only watched; the first later one that is better than all of
 *          those is ENOUGH.  OVERFITTING if the last local minimum of the loss is above the first one, or the loss rose
 *          more than five times in a row.
 *
 * A verdict holds for the epoch it is given for: MLF-C may be told not to act on it, and the watch goes on.
 */
#ifndef POLICIES_OPTSTOP_H
#define POLICIES_OPTSTOP_H

#include "policies/curvefit.h"
#include "policies/ewma.h"
#include "sim/base/params.h"

extern const Param optstop_params[]; /* group "optstop" */

typedef enum { OPTSTOP_CURVE, OPTSTOP_BEST } OptStopVariant;

typedef struct OptStopRule { /* one for all jobs */
    OptStopVariant variant;
    double accuracy_share; /* weight of the newest accuracy in acc_now */
    double enough;         /* share of the predicted accuracy that is near enough */
    bool kill_hopeless;
    double confidence;
    double watch_share; /* of the epochs left that are only watched */
    double smooth;      /* weight of the newest loss; 0: losses as they come */
    int least_epochs;   /* before the quick drop may be over */
    unsigned families;  /* bits 1 << CurveFamily */
} OptStopRule;

OptStopRule optstop_rule(const Params *params, OptStopVariant variant);

typedef enum { OPTSTOP_GO_ON, OPTSTOP_ENOUGH, OPTSTOP_OVERFITTING, OPTSTOP_HOPELESS } OptStopVerdict;

/* The `best` variant's memory. */
typedef enum { LOSS_QUICK_DROP, LOSS_FLUCTUATION, LOSS_OVERFITTING } LossPhase;

typedef struct LossWatch {
    LossPhase phase;
    int pivot;      /* index, from 0, of the loss before the first rise */
    double best;    /* least loss among the watched epochs, then among all since */
    double last[2]; /* the loss and the one before */
    int n_minima;   /* local minima so far: below both neighbours ... */
    double first_minimum, last_minimum;
    int n_rises; /* in a row, up to now */
    Ewma smoothed;
} LossWatch;

typedef struct OptStop {
    const OptStopRule *rule;
    int epochs_max;
    double required; /* accuracy that makes a job hopeless if out of reach; 0: none */
    int n_epochs;
    Ewma accuracy; /* .value is acc_now */
    union {
        CurveWatch curve; /* OPTSTOP_CURVE */
        LossWatch loss;   /* OPTSTOP_BEST */
    } watch;
} OptStop;

/* `rule` must outlive it; 1 <= epochs_max <= CURVE_MOST_EPOCHS. */
void optstop_open(OptStop *stop, const OptStopRule *rule, int epochs_max, double required);

/* After each epoch, finite numbers.  A job that is both is HOPELESS rather than ENOUGH: the first also ends a job that
 * is to reach its required accuracy, the second one that is to reach what it can.
 * `table` was opened with the rule's
 * families; `best` has no use for it (NULL). */
OptStopVerdict optstop_observe(OptStop *stop, CurveTable *table, double loss, double accuracy);

/* The same where the verdict is not wanted: `curve` then fits nothing. */
void optstop_note(OptStop *stop, double loss, double accuracy);

#endif
