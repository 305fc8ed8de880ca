/* rl/softmax.c -- log-sum-exp against the greatest legal score, so that no legal log-probability is infinite. */
#include "rl/softmax.h"

#include <math.h>

#include "rl/portable.h"
#include "sim/base/err.h"

static bool is_legal(double log_p)
{
    return log_p != (double)-INFINITY;
}

int softmax_log(const double score[], const bool legal[], int n, double log_p[])
{
    int best = softmax_best(score, legal, n), n_legal = 0;
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (!legal || legal[i]) {
            sum += portable_exp(score[i] - score[best]);
            n_legal++;
        }
    double log_sum = portable_log(sum); /* one legal: log 1, exactly 0 */
    for (int i = 0; i < n; i++) log_p[i] = !legal || legal[i] ? score[i] - score[best] - log_sum : (double)-INFINITY;
    return n_legal;
}

int softmax_sample(const double log_p[], int n, Rng *rng)
{
    int last = -1;
    for (int i = 0; i < n; i++)
        if (is_legal(log_p[i])) last = i;
    if (last < 0) return -1;
    double left = rng_uniform(rng);
    for (int i = 0; i < last; i++) {
        double p = portable_exp(log_p[i]);
        if (left < p) return i;
        left -= p;
    }
    return last;
}

int softmax_best(const double score[], const bool legal[], int n)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if ((!legal || legal[i]) && (best < 0 || score[i] > score[best])) best = i;
    return best;
}

double softmax_entropy(const double log_p[], int n)
{
    double entropy = 0;
    for (int i = 0; i < n; i++)
        if (is_legal(log_p[i])) entropy -= portable_exp(log_p[i]) * log_p[i];
    return entropy;
}

double softmax_imitation(const double log_p[], int n, int chosen, double smoothing, double dscore[])
{
    int n_legal = 0;
    for (int i = 0; i < n; i++) n_legal += is_legal(log_p[i]);
    MUST(chosen >= 0 && chosen < n && is_legal(log_p[chosen]));
    double loss = 0;
    for (int i = 0; i < n; i++) {
        dscore[i] = 0;
        if (!is_legal(log_p[i])) continue;
        double target = smoothing / n_legal + (i == chosen ? 1 - smoothing : 0);
        loss -= target * log_p[i];
        dscore[i] = portable_exp(log_p[i]) - target;
    }
    return loss;
}

double softmax_reinforce(const double log_p[], int n, int chosen, double advantage, double entropy_weight,
                         double dscore[])
{
    MUST(chosen >= 0 && chosen < n && is_legal(log_p[chosen]));
    double entropy = softmax_entropy(log_p, n);
    for (int i = 0; i < n; i++) {
        dscore[i] = 0;
        if (!is_legal(log_p[i])) continue;
        double p = portable_exp(log_p[i]);
        dscore[i] = advantage * (p - (i == chosen)) + entropy_weight * p * (log_p[i] + entropy);
    }
    return -advantage * log_p[chosen] - entropy_weight * entropy;
}
