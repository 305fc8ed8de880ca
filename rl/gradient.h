/* rl/gradient.h -- loss and gradient of a batch of decisions, in parts, on threads. */
#ifndef RL_GRADIENT_H
#define RL_GRADIENT_H

#include "rl/decisions.h"
#include "rl/mlp.h"

typedef enum { LOSS_IMITATION, LOSS_REINFORCE } LossKind;

typedef struct Loss {
    LossKind kind;
    double smoothing;      /* imitation */
    double entropy_weight; /* REINFORCE */
} Loss;

/* Decisions that are summed up by one thread, in this order. */
typedef struct BatchPart {
    const DecisionLog *log;
    const int *order; /* [n] indices into log->decision; NULL: from `first` on */
    int first, n;
} BatchPart;

typedef struct BatchSum { /* over the decisions */
    double loss, entropy;
    int64_t n_agreeing; /* the best candidate is the chosen one */
    int64_t n;
} BatchSum;

/* Sums over parts in their order, so that the number of threads does not show.  `gradient` [net->n_parameters] becomes
 * the sum of the decisions' gradients; NULL: only the figures. */
BatchSum batch_gradient(const Mlp *net, const Loss *loss, const BatchPart part[], int n_parts, int n_threads,
                        double *gradient);

#endif
