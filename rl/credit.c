/* rl/credit.c -- returns by the sum itself: a running one would carry its rounding from tick to tick. */
#include "rl/credit.h"

#include <math.h>

void credit_returns(const double reward[], int n, double discount, int window, double returns[])
{
    for (int t = 0; t < n; t++) {
        double sum = 0;
        for (int i = window - 1; i >= 0; i--) sum = sum * discount + reward[t + i];
        returns[t] = sum;
    }
}

double credit_advantages(const double *returns, int n_rollouts, int n_ticks, double *advantage)
{
    double squares = 0;
    for (int t = 0; t < n_ticks; t++) {
        double first = returns[t], sum = 0; /* differences from the first: equal returns have exactly their mean */
        for (int i = 0; i < n_rollouts; i++) sum += returns[i * n_ticks + t] - first;
        for (int i = 0; i < n_rollouts; i++) {
            double a = returns[i * n_ticks + t] - first - sum / n_rollouts;
            advantage[i * n_ticks + t] = a;
            squares += a * a;
        }
    }
    double deviation = sqrt(squares / ((double)n_rollouts * n_ticks)); /* their mean is 0 */
    for (int i = 0; i < n_rollouts * n_ticks; i++) advantage[i] /= deviation + 1e-8;
    return deviation;
}

static double mean(const double v[], int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    return sum / n;
}

bool credit_is_settled(const double reward[], int n)
{
    enum { SPAN = 20 };
    if (n < 2 * SPAN) return false;
    double before = mean(reward + n - 2 * SPAN, SPAN), last = mean(reward + n - SPAN, SPAN);
    return fabs(last - before) <= .01 * fabs(before);
}

bool credit_is_learnt(const double agreement[], int n_epochs)
{
    enum { SPAN = 3 };
    return n_epochs > SPAN && agreement[n_epochs - 1] - agreement[n_epochs - 1 - SPAN] < .005;
}
