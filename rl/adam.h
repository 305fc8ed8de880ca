/* rl/adam.h -- the optimiser: Adam (Kingma and Ba 2015) behind a limit on the gradient's length. */
#ifndef RL_ADAM_H
#define RL_ADAM_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"

typedef struct Adam {
    int n;          /* parameters */
    int64_t step;   /* steps done */
    double *mean;   /* [n], of the gradient ... */
    double *square; /* [n], ... and of its square, each decaying */
} Adam;

Adam adam_open(Arena *arena, int n);
void adam_forget(Adam *adam); /* as new */

/* One step down the gradient, which is first shortened to `longest` (0: as it is).  False: it is not
 * finite; err tells the number of the step, and nothing has changed. */
bool adam_step(Adam *adam, double rate, double longest, double gradient[], double parameter[], Err *err);

#endif
