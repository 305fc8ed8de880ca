/* policies/mlf_reward.h -- what a run was worth, tick by tick: the reward of MLF-RL (MLFS, CoNEXT'20, eq. 7).
 *
 *     r_t = sum over i of beta_i g_i, over the jobs that ended in (t, t + tick]; none ended: 0
 *     g1 = sum of min(2, JCT_ref/JCT)/n     g2 = deadlines met/n     g3 = min(2, B_ref/B) ended/n
 *     g4 = accuracies met/n                 g5 = sum of accuracies/n
 *
 * B is the mean of their training bytes between servers, an accuracy the one reached by the deadline.  JCT_ref, B_ref
 * and n, the mean number of jobs that end in a tick, are MLF-H's on the training half, fixed in the model.
 *
 * PAPER: there 1/mean JCT, counts, 1/bytes and a mean are added up as they are, which makes most of them vanish; and a
 * mean over the jobs that ended would reward idling.
 *
 * REWARD_LIVE, for the device placement of policy `rl`: -(mean number of live jobs in the tick)/(their mean by MLF-H),
 * whose sum falls as the mean completion time does (Decima's).
 */
#ifndef POLICIES_MLF_REWARD_H
#define POLICIES_MLF_REWARD_H

#include "rl/modelfile.h"
#include "sim/engine/sim.h"

enum { N_OBJECTIVES = 5 };

typedef enum { REWARD_MLFS, REWARD_LIVE } RewardKind;

typedef struct RewardRule {
    RewardKind kind;
    double beta[N_OBJECTIVES];
    double constant[N_MODEL_CONSTANTS];
} RewardRule;

/* The constants of a run; false: no job ended in it. */
bool reward_measure(const SimResult *result, SimTime tick, double constant[]); /* [N_MODEL_CONSTANTS] */

/* Of the first n ticks of a run. */
void reward_by_tick(const RewardRule *rule, const SimResult *result, SimTime tick, int n, double reward[],
                    Arena *scratch);

/* What each job [result->n] brought within the first n ticks: its share of their sum, B its own bytes; 0 if it did not
 * end in them.  REWARD_LIVE: what it cost while it lived. */
void reward_by_job(const RewardRule *rule, const SimResult *result, SimTime tick, int n, double reward[]);

#endif
