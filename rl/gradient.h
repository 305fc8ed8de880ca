/* rl/gradient.h -- loss and gradient of a batch of decisions, in parts, on threads and processes. */
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

/* Memory that is used again from batch to batch: fresh pages would cost more than the sums. */
typedef struct BatchRoom {
    Arena *arena;
    int n_threads;
    struct ThreadRoom *thread; /* [n_threads] */
    double *gradient;          /* (part_room, n_parameters) */
    BatchSum *sum;             /* [part_room] */
    int part_room;
} BatchRoom;

BatchRoom batch_room(Arena *arena, const MlpShape *shape, int n_threads);

/* Sums over parts in their order, so that the number of threads and processes does not show: each process reads only
 * the parts that ranks_owns gives it.  `gradient` [net->n_parameters] becomes the sum of the decisions' gradients;
 * NULL: only the figures. */
BatchSum batch_gradient(BatchRoom *room, const Mlp *net, const Loss *loss, const BatchPart part[], int n_parts,
                        double *gradient);

#endif
