/* rl/credit.h -- what a decision is worth: discounted returns against the mean over rollouts of the same arrivals. */
#ifndef RL_CREDIT_H
#define RL_CREDIT_H

#include <stdbool.h>

/* The returns G_t = sum over i < window of discount^i reward[t + i], t = 0 .. n-1; `reward` has n + window - 1 of them
 * at least. */
void credit_returns(const double reward[], int n, double discount, int window, double returns[]);

/* Both are (n_rollouts, n_ticks).  A = (G - b) / (s + 1e-8) with b_t the mean over the rollouts at the same tick and s
 * the standard deviation of G - b over all of them; exactly 0 where all rollouts agree.  Returns s: with 0 there is
 * nothing to learn from, and the caller may say so. */
double credit_advantages(const double *returns, int n_rollouts, int n_ticks, double *advantage);

/* Has the reward of the iterations so far come to rest: the mean of the last 20 within 1 % of that of the 20 before? */
bool credit_is_settled(const double reward[], int n);

/* Has imitation: the held-out agreement (0 .. 1) after each epoch rose less than half a point in the last three? */
bool credit_is_learnt(const double agreement[], int n_epochs);

#endif
