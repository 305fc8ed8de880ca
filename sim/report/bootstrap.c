/* sim/report/bootstrap.c -- draws as counts of each pair; quantiles of a draw by walking the sorted pairs.
 *
 * A draw is never sorted: the values are sorted once, and how often each was drawn tells where the ranks lie.
 */
#include "sim/report/bootstrap.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "sim/base/err.h"

enum { MOST_STATISTICS = 8 };

/* One side of the pairs, in ascending order. */
typedef struct Side {
    double *sorted;
    size_t *pair; /* whose value that is */
} Side;

/* The two neighbours of each quantile among n sorted values, as ranks in ascending order. */
typedef struct Ranks {
    int64_t rank[2 * MOST_STATISTICS];
    int place[2 * MOST_STATISTICS]; /* which neighbour of which quantile it is */
    int n;
} Ranks;

static double mean_of(const double value[], int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += value[i];
    return sum / (double)n;
}

double statistic_of(Statistic statistic, const double value[], int64_t n, Arena *scratch)
{
    if (n == 0) return (double)NAN;
    if (statistic == STATISTIC_MEAN) return mean_of(value, n);
    double *sorted = NEW_ARRAY(scratch, double, n);
    memcpy(sorted, value, (size_t)n * sizeof *sorted);
    gsl_sort(sorted, 1, (size_t)n);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, (size_t)n, statistic / 1000.0);
}

static Side side_of(const double value[], int64_t n, Arena *scratch)
{
    Side side = {NEW_ARRAY(scratch, double, n), NEW_ARRAY(scratch, size_t, n)};
    gsl_sort_index(side.pair, value, 1, (size_t)n);
    for (int64_t i = 0; i < n; i++) side.sorted[i] = value[side.pair[i]];
    return side;
}

static Ranks ranks_of(const Statistic statistic[], int n_statistics, int64_t n)
{
    Ranks ranks = {.n = 0};
    for (int s = 0; s < n_statistics; s++) {
        if (statistic[s] == STATISTIC_MEAN) continue;
        int64_t below = (n - 1) * statistic[s] / 1000;
        for (int k = 0; k < 2; k++) {
            int64_t rank = below + k < n ? below + k : n - 1;
            int at = ranks.n++;
            for (; at > 0 && ranks.rank[at - 1] > rank; at--) {
                ranks.rank[at] = ranks.rank[at - 1];
                ranks.place[at] = ranks.place[at - 1];
            }
            ranks.rank[at] = rank;
            ranks.place[at] = 2 * s + k;
        }
    }
    return ranks;
}

static void find_neighbours(const Side *side, const uint32_t drawn[], const Ranks *ranks, double neighbour[])
{
    int64_t below = 0;
    for (int64_t i = 0, r = 0; r < ranks->n; i++) {
        below += drawn[side->pair[i]];
        for (; r < ranks->n && ranks->rank[r] < below; r++) neighbour[ranks->place[r]] = side->sorted[i];
    }
}

static double quantile(Statistic thousandths, const double neighbour[2], int64_t n)
{
    double beyond = (double)((n - 1) * thousandths % 1000) / 1000;
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every rank finds its neighbour
    return neighbour[0] + beyond * (neighbour[1] - neighbour[0]);
}

void bootstrap_difference(const double base[], const double other[], int64_t n, const Statistic statistic[],
                          int n_statistics, int resamples, Rng *rng, Difference difference[], Arena *scratch)
{
    MUST(n >= 1 && resamples >= 2 && n_statistics <= MOST_STATISTICS);
    for (int s = 0; s < n_statistics; s++) {
        Difference *d = &difference[s];
        d->base = statistic_of(statistic[s], base, n, scratch);
        d->other = statistic_of(statistic[s], other, n, scratch);
        d->difference = d->other - d->base;
        d->low = d->high = (double)NAN;
    }
    if (n == 1) return;

    Side side[2] = {side_of(base, n, scratch), side_of(other, n, scratch)};
    Ranks ranks = ranks_of(statistic, n_statistics, n);
    uint32_t *drawn = NEW_ARRAY(scratch, uint32_t, n);
    double *found[MOST_STATISTICS];
    for (int s = 0; s < n_statistics; s++) found[s] = NEW_ARRAY(scratch, double, resamples);
    for (int r = 0; r < resamples; r++) {
        memset(drawn, 0, (size_t)n * sizeof *drawn);
        double sum = 0, neighbour[2][2 * MOST_STATISTICS];
        for (int64_t i = 0; i < n; i++) {
            int64_t pair = rng_below(rng, n);
            drawn[pair]++;
            sum += other[pair] - base[pair];
        }
        if (ranks.n)
            for (int k = 0; k < 2; k++) find_neighbours(&side[k], drawn, &ranks, neighbour[k]);
        for (int s = 0; s < n_statistics; s++)
            found[s][r] = statistic[s] == STATISTIC_MEAN ? sum / (double)n
                                                         : quantile(statistic[s], &neighbour[1][2 * s], n) -
                                                               quantile(statistic[s], &neighbour[0][2 * s], n);
    }
    for (int s = 0; s < n_statistics; s++) {
        gsl_sort(found[s], 1, (size_t)resamples);
        difference[s].low = gsl_stats_quantile_from_sorted_data(found[s], 1, (size_t)resamples, 0.025);
        difference[s].high = gsl_stats_quantile_from_sorted_data(found[s], 1, (size_t)resamples, 0.975);
    }
}
