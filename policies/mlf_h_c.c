/* policies/mlf_h_c.c -- MLF-H with load control: MLF-H and MLF-C of MLFS (CoNEXT 2020) together.
 *
 * Rounds are MLF-H's (mlf_h.c).  Around them training ends early where users permit it (mlf_control.h).
 *
 * Knows:   what MLF-H knows, and the accuracies observed so far.
 * Ignores: true run times and curves.
 */
#include "policies/mlf_control.h"
#include "policies/mlf_h.h"

typedef struct MlfHC {
    MlfH h;
    MlfControl control;
} MlfHC;

static void mlf_h_c_init(Sched *s, void *state)
{
    MlfHC *me = state;
    mlf_h_open(&me->h, s);
    mlf_control_open(&me->control, s);
}

static void mlf_h_c_on_epoch(Sched *s, void *state, const Job *job)
{
    MlfHC *me = state;
    mlf_control_epoch(&me->control, s, job);
}

static void mlf_h_c_on_end(Sched *s, void *state, const Job *job)
{
    MlfHC *me = state;
    (void)s;
    mlf_control_end(&me->control, job);
}

static void mlf_h_c_schedule(Sched *s, void *state)
{
    MlfHC *me = state;
    mlf_control_waiting(&me->control, s);
    mlf_h_round(&me->h, s);
    mlf_control_look(&me->control, s, &me->h.place.hosts);
}

const Policy policy_mlf_h_c = {
    .name = "mlf-h-c",
    .summary = "mlf-h with load control: under load, training ends where users permit",
    .group = "mlf_c",
    .needs = NEEDS_INSIDE,
    .state_size = sizeof(MlfHC),
    .params = mlf_c_params,
    .init = mlf_h_c_init,
    .on_epoch = mlf_h_c_on_epoch,
    .on_end = mlf_h_c_on_end,
    .schedule = mlf_h_c_schedule,
    .terms = mlf_h_terms,
};
