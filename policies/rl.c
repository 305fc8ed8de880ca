/* policies/rl.c -- device placement by reinforcement learning: the baseline that the MLFS paper calls RL.
 *
 * After Mirhoseini et al., "Device Placement Optimization with Reinforcement Learning", ICML 2017: a net maps the tasks
 * of a job to GPUs, trained by policy gradient for short completion times.  Jobs are taken in order of submission, each
 * that fits is placed task by task (or made to wait) as the net says; nothing is moved.  The net is that of MLF-RL
 * without what machine learning knows of a job: urgency, loss, accuracy and epochs.
 *
 * PAPER: the original reads one graph with a recurrent net and is trained for it alone; here one net serves all jobs.
 * A job keeps its own replicas and partitions.
 *
 * Knows:   predicted run times, deadlines, demands, volumes and loads.
 * Ignores: urgency, losses, accuracies; true run times.
 */
#include "policies/mlf_model.h"
#include "policies/mlf_rl.h"
#include "rl/rlkeys.h"

static void rl_init(Sched *s, void *state)
{
    MlfRl *me = state;
    mlf_rl_open(me, s, "rl", "rl", true);
}

static void rl_schedule(Sched *s, void *state)
{
    MlfRl *me = state;
    mlf_choose_round(&me->choose, s);
}

const Policy policy_rl = {
    .name = "rl",
    .summary = "device placement by a trained net, in order of submission",
    .needs = NEEDS_INSIDE | NEEDS_MODEL_FILE,
    .state_size = sizeof(MlfRl),
    .params = rl_params,
    .init = rl_init,
    .schedule = rl_schedule,
};
