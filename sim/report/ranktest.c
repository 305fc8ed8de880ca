/* sim/report/ranktest.c -- average ranks, exact counts for small samples, the normal distribution for large ones. */
#include "sim/report/ranktest.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <math.h>

enum { MOST_EXACT = 50 };

/* Ranks from 1, equals sharing the mean of theirs; returns the sum of t^3 - t over groups of t equals. */
static double rank_values(const double value[], int64_t n, double rank[], Arena *scratch)
{
    size_t *order = NEW_ARRAY(scratch, size_t, n + 1);
    double ties = 0;
    gsl_sort_index(order, value, 1, (size_t)n);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && value[order[end]] == value[order[i]];) end++;
        for (int64_t k = i; k < end; k++) rank[order[k]] = (double)(i + 1 + end) / 2;
        double equals = (double)(end - i);
        ties += equals * equals * equals - equals;
    }
    return ties;
}

/* Twice the tail that the statistic lies in, moved half a step to the middle since it goes in steps. */
static double normal_p(double statistic, double mean, double variance)
{
    if (variance <= 0) return (double)NAN;
    double away = fmax(0, fabs(statistic - mean) - 0.5);
    return fmin(1, 2 * gsl_cdf_ugaussian_Q(away / sqrt(variance)));
}

/* Both distributions mirror themselves about their middle, so the nearer tail is counted, where the counts are small
 * and exact. */
static double two_sided(const double ways[], int64_t largest, double statistic, double all)
{
    double tail = 0;
    for (int64_t s = 0; (double)s <= fmin(statistic, (double)largest - statistic); s++) tail += ways[s];
    return fmin(1, 2 * tail / all);
}

/* In how many ways some of the ranks 1..n add up to each sum. */
static double exact_signed_rank(int64_t n, double statistic, Arena *scratch)
{
    int64_t largest = n * (n + 1) / 2;
    double *ways = NEW_ARRAY(scratch, double, largest + 1);
    ways[0] = 1;
    for (int64_t rank = 1; rank <= n; rank++)
        for (int64_t sum = largest; sum >= rank; sum--) ways[sum] += ways[sum - rank];
    return two_sided(ways, largest, statistic, ldexp(1, (int)n));
}

RankTest ranktest_wilcoxon(const double first[], const double second[], int64_t n, Arena *scratch)
{
    double *size = NEW_ARRAY(scratch, double, n + 1), *rank = NEW_ARRAY(scratch, double, n + 1);
    bool *up = NEW_ARRAY(scratch, bool, n + 1);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        double difference = second[i] - first[i];
        if (difference == 0) continue;
        up[m] = difference > 0;
        size[m++] = fabs(difference);
    }
    double ties = rank_values(size, m, rank, scratch), sum = 0, count = (double)m;
    for (int64_t i = 0; i < m; i++) sum += up[i] ? rank[i] : 0;
    if (m == 0) return (RankTest){0, (double)NAN};
    if (m <= MOST_EXACT && ties == 0 && m == n) return (RankTest){sum, exact_signed_rank(m, sum, scratch)};
    return (RankTest){sum,
                      normal_p(sum, count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24 - ties / 48)};
}

/* In how many orders of m and n values each number of inversions turns up: the coefficients of the Gaussian binomial,
 * a product of (1 - x^(n+i)) / (1 - x^i). */
static double exact_mann_whitney(int64_t m, int64_t n, double statistic, Arena *scratch)
{
    int64_t largest = m * n;
    double *ways = NEW_ARRAY(scratch, double, largest + 1);
    ways[0] = 1;
    for (int64_t i = 1; i <= m; i++) {
        for (int64_t u = largest; u >= n + i; u--) ways[u] -= ways[u - n - i];
        for (int64_t u = i; u <= largest; u++) ways[u] += ways[u - i];
    }
    return two_sided(ways, largest, statistic, gsl_sf_choose((unsigned)(m + n), (unsigned)m));
}

RankTest ranktest_mann_whitney(const double first[], int64_t n_first, const double second[], int64_t n_second,
                               Arena *scratch)
{
    int64_t n = n_first + n_second;
    if (n_first == 0 || n_second == 0) return (RankTest){0, (double)NAN};
    double *value = NEW_ARRAY(scratch, double, n), *rank = NEW_ARRAY(scratch, double, n), sum = 0;
    for (int64_t i = 0; i < n; i++) value[i] = i < n_first ? first[i] : second[i - n_first];
    double ties = rank_values(value, n, rank, scratch);
    for (int64_t i = n_first; i < n; i++) sum += rank[i];
    double a = (double)n_first, b = (double)n_second, u = sum - b * (b + 1) / 2;
    if (n_first <= MOST_EXACT && n_second <= MOST_EXACT && ties == 0)
        return (RankTest){u, exact_mann_whitney(n_first, n_second, u, scratch)};
    return (RankTest){u, normal_p(u, a * b / 2, a * b / 12 * ((a + b + 1) - ties / ((a + b) * (a + b - 1))))};
}

double ranktest_kendall(const double first[], const double second[], int n)
{
    double agree = 0, apart_first = 0, apart_second = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            int a = (first[i] > first[j]) - (first[i] < first[j]);
            int b = (second[i] > second[j]) - (second[i] < second[j]);
            agree += a * b;
            apart_first += a != 0;
            apart_second += b != 0;
        }
    return apart_first > 0 && apart_second > 0 ? agree / sqrt(apart_first * apart_second) : (double)NAN;
}
