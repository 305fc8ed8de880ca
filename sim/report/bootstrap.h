/* sim/report/bootstrap.h -- how far a difference between paired values would move with other draws of the pairs.
 *
 * The percentile bootstrap (Efron 1979): pairs are drawn with replacement as many as there are, the difference of the
 * two statistics is taken of each draw, and the interval reaches from the 2.5th to the 97.5th percentile of those
 * differences.  One draw serves all statistics.  Seeded, so the same values give the same interval.
 */
#ifndef SIM_REPORT_BOOTSTRAP_H
#define SIM_REPORT_BOOTSTRAP_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/rng.h"

/* The mean, or a quantile in thousandths by the rule of stats.h. */
typedef int Statistic;
#define STATISTIC_MEAN (-1)

/* Of values in any order. */
double statistic_of(Statistic statistic, const double value[], int64_t n, Arena *scratch);

typedef struct Difference {
    double base, other, difference; /* of the values as they are: other - base */
    double low, high;               /* NaN: a single pair tells nothing of others */
} Difference;

/* base[i] and other[i] are a pair; n >= 1, no NaN, quantiles in ascending order behind the mean. */
void bootstrap_difference(const double base[], const double other[], int64_t n, const Statistic statistic[],
                          int n_statistics, int resamples, Rng *rng, Difference difference[], Arena *scratch);

#endif
