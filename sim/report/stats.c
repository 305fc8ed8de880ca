/* sim/report/stats.c -- sorting by digits, exact sums, percentiles by the linear rule. */
#include "sim/report/stats.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/simtime.h"

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

/* Whole numbers >= 0 and doubles >= 0 are both in the order of their bits. */
static uint64_t word_at(const char *words, int64_t i)
{
    uint64_t word;
    memcpy(&word, words + i * 8, 8);
    return word;
}

/* Least digit first: a few passes over words that are seldom longer than 43 bits, where comparing would take seventeen
 * for a hundred thousand jobs. */
static void sort_words(void *value, int64_t n, void *spare)
{
    uint64_t all = 0;
    for (int64_t i = 0; i < n; i++) all |= word_at(value, i);
    MUST(all <= INT64_MAX);
    char *from = value, *to = spare;
    for (int shift = 0; shift < 64 && all >> shift; shift += DIGIT_BITS) {
        int64_t start[N_DIGITS] = {0}, sum = 0;
        for (int64_t i = 0; i < n; i++) start[(word_at(from, i) >> shift) % N_DIGITS]++;
        for (int digit = 0; digit < N_DIGITS; digit++) {
            int64_t count = start[digit];
            start[digit] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++) {
            uint64_t word = word_at(from, i);
            memcpy(to + start[(word >> shift) % N_DIGITS]++ * 8, &word, 8);
        }
        char *filled = to;
        to = from;
        from = filled;
    }
    if (from != value) memcpy(value, from, (size_t)n * 8);
}

void sort_integers(int64_t value[], int64_t n, void *spare)
{
    sort_words(value, n, spare);
}

/* Computed in thousandths of the values. */
double quantile_of_integers(const int64_t sorted[], int64_t n, int thousandths, int64_t per_unit)
{
    int64_t position = (n - 1) * thousandths, below = position / 1000, beyond = position % 1000;
    WideTime value = (WideTime)sorted[below] * 1000;
    if (beyond) value += (WideTime)(sorted[below + 1] - sorted[below]) * beyond;
    return (double)value / ((double)per_unit * 1000);
}

static Distribution nothing(void)
{
    const double none = (double)NAN;
    return (Distribution){0, none, none, none, none, none, none, none};
}

Distribution distribution_of_integers(int64_t value[], int64_t n, int64_t per_unit, void *spare)
{
    if (n == 0) return nothing();
    WideTime sum = 0;
    for (int64_t i = 0; i < n; i++) sum += value[i];
    sort_words(value, n, spare);
    return (Distribution){
        .n = n,
        .mean = (double)sum / ((double)per_unit * (double)n),
        .p50 = quantile_of_integers(value, n, 500, per_unit),
        .p90 = quantile_of_integers(value, n, 900, per_unit),
        .p95 = quantile_of_integers(value, n, 950, per_unit),
        .p99 = quantile_of_integers(value, n, 990, per_unit),
        .p999 = quantile_of_integers(value, n, 999, per_unit),
        .max = (double)value[n - 1] / (double)per_unit,
    };
}

Distribution distribution_of_ratios(double value[], int64_t n, void *spare)
{
    if (n == 0) return nothing();
    sort_words(value, n, spare);
    double sum = 0; /* from the smallest up */
    for (int64_t i = 0; i < n; i++) sum += value[i];
    return (Distribution){
        .n = n,
        .mean = sum / (double)n,
        .p50 = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)n, 0.5),
        .p90 = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)n, 0.9),
        .p95 = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)n, 0.95),
        .p99 = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)n, 0.99),
        .p999 = gsl_stats_quantile_from_sorted_data(value, 1, (size_t)n, 0.999),
        .max = value[n - 1],
    };
}
