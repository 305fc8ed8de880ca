/* sim/report/stats.h -- what a list of values looks like: mean, percentiles, largest.
 *
 * The percentile rule is "linear", the default of numpy and of GSL: with the values sorted as x[0] .. x[n-1], the
 * q-quantile lies at position (n-1) q, on the straight line between its two neighbours.  Whole numbers are summed and
 * interpolated as whole numbers and divided once at the end, so that no result depends on the order of its input.
 */
#ifndef SIM_REPORT_STATS_H
#define SIM_REPORT_STATS_H

#include <stdint.h>

#include "sim/base/arena.h"

#define PERCENTILE_RULE "linear"

typedef struct Distribution {
    int64_t n;
    double mean, p50, p90, p95, p99, p999, max; /* NaN where n is 0 */
} Distribution;

/* Of n whole numbers >= 0, told in units of `per_unit` (microseconds in, per_unit 1000000: seconds out).  Sorts. */
Distribution distribution_of_integers(int64_t value[], int64_t n, int64_t per_unit, Arena *scratch);

/* Of n doubles >= 0, none of them NaN.  Sorts. */
Distribution distribution_of_ratios(double value[], int64_t n, Arena *scratch);

/* Sorts whole numbers >= 0. */
void sort_integers(int64_t value[], int64_t n, Arena *scratch);

#endif
