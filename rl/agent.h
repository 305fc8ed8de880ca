/* rl/agent.h -- a net that scores candidates, and its two ways of learning: imitation and REINFORCE.
 *
 * A decision set is scored as one batch by the one net, whose scores a masked softmax turns into probabilities.
 * Learning gives the same bytes whatever the number of threads: the gradient of a batch is computed in parts that
 * depend on the batch alone, and the parts are summed in their order.  (Williams 1992; Sutton et al. 2000.)
 */
#ifndef RL_AGENT_H
#define RL_AGENT_H

#include "rl/adam.h"
#include "rl/decisions.h"
#include "rl/gradient.h"
#include "rl/mlp.h"
#include "sim/base/params.h"
#include "sim/base/rng.h"

/* ---- choosing ---- */

/* A net in use by one thread: the net is shared, the room is not. */
typedef struct Chooser {
    const Mlp *net;
    Arena *arena;
    MlpPass pass;
    double *log_p;
    int room;
} Chooser;

Chooser chooser(Arena *arena, const Mlp *net);

/* One of the n candidates: drawn from the stream, or the best one if `rng` is NULL; -1 if none is legal.  `feature` is
 * (n, width[0]), `legal` [n] or NULL for all. */
int chooser_choose(Chooser *chooser, int n, const float *feature, const bool *legal, Rng *rng);

/* ---- learning ---- */

typedef struct AgentRule { /* keys of group "rl" */
    double imitate_rate;
    int imitate_batch; /* decisions */
    double smoothing;
    double rate;
    double entropy_first, entropy_last;
    double longest_gradient;
    int iterations;
} AgentRule;

AgentRule agent_rule(const Params *params);
double agent_entropy_weight(const AgentRule *rule,
                            int iteration); /* linear from the first to the last, then the last */

typedef struct Agent {
    AgentRule rule;
    uint64_t seed;
    Mlp net;
    Adam adam;
    BatchRoom room;
    double *gradient;
} Agent;

/* A net with weights drawn from the seed; memory from the arena, now and whenever more is needed. */
Agent agent_open(Arena *arena, const AgentRule *rule, MlpShape shape, Kernel kernel, uint64_t seed, int n_threads);

void agent_forget_steps(Agent *agent); /* Adam as new: between imitation and REINFORCE */

typedef struct AgentProgress {
    double loss;      /* mean over decisions, before the step (REINFORCE) or over the epoch's steps (imitation) */
    double entropy;   /* mean over decisions */
    double agreement; /* share of decisions in which the best candidate is the chosen one */
    int64_t n;        /* decisions */
} AgentProgress;

/* One pass over the decisions in an order drawn from (seed, epoch), a step every rule.imitate_batch of them.  False: a
 * loss or gradient is not finite, err tells the step. */
bool agent_imitate(Agent *agent, const DecisionLog *log, int epoch, AgentProgress *progress, Err *err);

/* The same figures without learning: for decisions held out. */
AgentProgress agent_compare(Agent *agent, const DecisionLog *log);

/* One step on all decisions of all logs, whose advantages are set: the loss is the mean over decisions.  Without any
 * decision nothing happens.  On many processes each needs only the logs that ranks_owns gives it. */
bool agent_reinforce(Agent *agent, const DecisionLog log[], int n_logs, double entropy_weight, AgentProgress *progress,
                     Err *err);

#endif
