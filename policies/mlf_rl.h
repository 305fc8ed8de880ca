/* policies/mlf_rl.h -- MLF-RL with its net, for the policies that build on it. */
#ifndef POLICIES_MLF_RL_H
#define POLICIES_MLF_RL_H

#include "policies/mlf_choose.h"

extern const Param mlf_rl_params[]; /* group mlf_rl */

typedef struct MlfRl {
    MlfChoose choose;
    Mlp net;
    Chooser chooser;
} MlfRl;

/* `plain`: see mlf_choose_open.  With the model that `policy` reads from its group's key; a model that is missing or
 * broken fails the run. */
void mlf_rl_open(MlfRl *me, Sched *s, const char *policy, const char *group, bool plain);

#endif
