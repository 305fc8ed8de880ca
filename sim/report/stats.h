/* sim/report/stats.h -- what a list of values looks like: mean, percentiles, largest.
 *
 * The percentile rule is "linear", the default of numpy and of GSL: with the values sorted as x[0] .. x[n-1], the
 * q-quantile lies at position (n-1) q, on the straight line between its two neighbours.  Whole numbers are summed and
 * interpolated as whole numbers and divided once at the end, so that no result depends on the order of its input.
 */
#ifndef SIM_REPORT_STATS_H
#define SIM_REPORT_STATS_H

#include <stdint.h>

#define PERCENTILE_RULE "linear"

typedef struct Distribution {
    int64_t n;
    double mean, p50, p90, p95, p99, p999, max; /* NaN where n is 0 */
} Distribution;

/* Both sort their values and need `spare` room for another n of them, to be used as often as you like: fresh memory
 * costs more than the sums.  Whole numbers are told in units of `per_unit` (microseconds in, per_unit 1000000: seconds
 * out). All values are >= 0, and none is NaN. */
Distribution distribution_of_integers(int64_t value[], int64_t n, int64_t per_unit, void *spare);
Distribution distribution_of_ratios(double value[], int64_t n, void *spare);
void sort_integers(int64_t value[], int64_t n, void *spare);

/* The quantile thousandths/1000 of n >= 1 sorted whole numbers, in the same units. */
double quantile_of_integers(const int64_t sorted[], int64_t n, int thousandths, int64_t per_unit);

#endif
