/* sim/report/ranktest.h -- tests that look at ranks only, and how alike two orders are; GSL has none of them.
 *
 * p values are two-sided.  Without ties and up to 50 values (each side) they are exact, by counting; otherwise from the
 * normal approximation with corrections for ties and continuity, as R's wilcox.test does it.
 */
#ifndef SIM_REPORT_RANKTEST_H
#define SIM_REPORT_RANKTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct RankTest {
    double statistic; /* V: sum of the ranks of positive differences; U: pairs in which the second is larger */
    double p;         /* NaN: nothing to test */
} RankTest;

/* Wilcoxon's signed-rank test of paired values: are differences second - first as often up as down?  Pairs without a
 * difference are left out. */
RankTest ranktest_wilcoxon(const double first[], const double second[], int64_t n, Arena *scratch);

/* The test of Mann and Whitney, of two samples that need not be paired. */
RankTest ranktest_mann_whitney(const double first[], int64_t n_first, const double second[], int64_t n_second,
                               Arena *scratch);

/* Kendall's tau-b of n values in two lists: 1 the same order, -1 the opposite one; NaN where one list is all ties. */
double ranktest_kendall(const double first[], const double second[], int n);

#endif
