/* policies/mlf_rl.c -- MLF-RL: MLF-H's rounds, their choices made by a net that was trained for it.
 *
 * Wang, Liu, Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020, section 3.4.  What is
 * chosen, and among what, is in mlf_choose.h, what the net sees in rl/features.h, how it learns in docs/rl.md.  In a
 * run it learns nothing and draws nothing: it takes the candidate with the best score.
 *
 * Knows:   what MLF-H knows, and observed accuracies.
 * Ignores: true run times and curves.
 */
#include "policies/mlf_rl.h"

#include "policies/mlf_model.h"

const Param mlf_rl_params[] = {
    TEXT_PARAM("model", "", "file of the trained net, as `train` writes it; empty: the one that the program has"),
    {0},
};

void mlf_rl_open(MlfRl *me, Sched *s, const char *policy, const char *group, bool plain)
{
    mlf_choose_open(&me->choose, s, plain);
    if (!mlf_model_open(s, policy, group, &me->net)) return;
    me->chooser = chooser(sched_memory(s), &me->net);
    me->choose.net = &me->chooser;
    me->choose.mode = CHOOSE_BEST;
}

static void mlf_rl_init(Sched *s, void *state)
{
    mlf_rl_open(state, s, "mlf-rl", "mlf_rl", false);
}

static void mlf_rl_schedule(Sched *s, void *state)
{
    MlfRl *me = state;
    mlf_choose_round(&me->choose, s);
}

const Policy policy_mlf_rl = {
    .name = "mlf-rl",
    .summary = "mlf-h with its choices made by a trained net",
    .needs = NEEDS_INSIDE | NEEDS_MODEL_FILE,
    .state_size = sizeof(MlfRl),
    .params = mlf_rl_params,
    .init = mlf_rl_init,
    .schedule = mlf_rl_schedule,
};
