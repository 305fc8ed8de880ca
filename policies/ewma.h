/* policies/ewma.h -- the exponentially weighted moving average of observed accuracies and losses.
 *
 * s_1 = y_1, s_n = share y_n + (1 - share) s_{n-1}.
 */
#ifndef POLICIES_EWMA_H
#define POLICIES_EWMA_H

#include <stdbool.h>

/* Of acc_now: a job that stopped at its first noisy value above what is required would fall short half the time. */
#define EWMA_SHARE 0.3

typedef struct Ewma {
    bool begun;
    double value; /* while !begun: 0 */
} Ewma;

static inline double ewma_add(Ewma *average, double share, double y)
{
    average->value = average->begun ? share * y + (1 - share) * average->value : y;
    average->begun = true;
    return average->value;
}

#endif
