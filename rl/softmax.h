/* rl/softmax.h -- from the scores of a decision's candidates to probabilities, choices and gradients.
 *
 * `legal` says which of the n candidates may be chosen (NULL: all).  The probability of an illegal one is exactly 0,
 * its log-probability -infinity; of a single legal one they are exactly 1 and 0.  With none legal there is nothing to
 * choose
 * (-1) and nothing to learn.
 */
#ifndef RL_SOFTMAX_H
#define RL_SOFTMAX_H

#include <stdbool.h>

#include "sim/base/rng.h"

/* log_p becomes the logarithms of the probabilities; returns how many candidates are legal. */
int softmax_log(const double score[], const bool legal[], int n, double log_p[]);

/* One uniform number from the stream for each call with a legal candidate. */
int softmax_sample(const double log_p[], int n, Rng *rng);

/* The legal candidate of the greatest score, the first of equal ones. */
int softmax_best(const double score[], const bool legal[], int n);

double softmax_entropy(const double log_p[], int n);

/* The two losses of a decision, given its log-probabilities.  They return the loss and fill dscore, its derivatives
 * with respect to the scores: 0 for illegal candidates.
 *
 * Imitation: cross-entropy -sum q log p with the target q = (1 - smoothing) on the chosen candidate plus `smoothing`
 * spread over all legal ones. */
double softmax_imitation(const double log_p[], int n, int chosen, double smoothing, double dscore[]);

/* Policy gradient: -advantage log p(chosen) - entropy_weight x entropy. */
double softmax_reinforce(const double log_p[], int n, int chosen, double advantage, double entropy_weight,
                         double dscore[]);

#endif
