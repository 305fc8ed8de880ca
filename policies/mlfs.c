/* policies/mlfs.c -- MLFS: MLF-RL once its net has learnt, MLF-H until then, and load control around both.
 *
 * Wang, Liu, Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020.  mlfs.switch=loaded (the
 * default) has learnt before: rounds are MLF-RL's from the start.  `converged` begins with nothing: rounds are MLF-H's,
 * their decisions are kept, and every `learn_s` of simulated time the net goes through them once, imitating; when the
 * agreement on decisions held out has stopped rising MLF-RL takes over.  `epoch:N` takes over after N such epochs.
 * Training ends early where users permit it (mlf_control.h).
 *
 * PAPER: nothing is said of how a running cluster learns beyond imitation; policy gradient wants the same arrivals
 * several times over, which only a simulator has (`mlfs-sim train`).
 *
 * Knows:   what MLF-RL and MLF-C know.
 * Ignores: true run times and curves.
 */
#include <string.h>

#include "policies/mlf_control.h"
#include "policies/mlf_model.h"
#include "policies/mlf_rl.h"
#include "rl/credit.h"
#include "sim/base/text.h"

enum {
    MOST_LESSONS = 8192, /* decisions kept */
    LEAST_LESSONS = 256, /* before an epoch is worth it */
    MOST_EPOCHS = 1000,
    HELD_OUT = 10, /* of so many ticks one */
};

static const Param mlfs_params[] = {
    TEXT_PARAM("switch", "loaded", "from MLF-H to MLF-RL: loaded (at once), converged, or epoch:N of learning"),
    NUMBER_PARAM("learn_s", "3600", 1, 1e9, "simulated seconds between epochs of learning"),
    {0},
};

typedef struct Learning { /* while MLF-H decides */
    Agent agent;
    DecisionLog lessons, held_out;
    int switch_after; /* epochs; 0: when it has converged */
    int n_epochs;
    double agreement[MOST_EPOCHS];
    SimTime every, next;
} Learning;

typedef struct Mlfs {
    MlfRl rl;
    MlfControl control;
    Learning *learning; /* NULL: MLF-RL decides */
} Mlfs;

static void begin_learning(Mlfs *me, Sched *s, int switch_after)
{
    Arena *a = sched_memory(s);
    const Params *params = sched_params(s);
    AgentRule rule = agent_rule(params);
    Kernel kernel;
    Err err = {0};
    mlf_choose_open(&me->rl.choose, s, false);
    if (!kernel_choose(params, &kernel, &err)) {
        sched_fail_as(s, &err);
        return;
    }
    Learning *l = me->learning = NEW(a, Learning);
    l->agent =
        agent_open(a, &rule, mlf_model_head("mlf-rl").shape, kernel, (uint64_t)params_integer(params, "rl", "seed"), 1);
    l->lessons = decision_log(a, N_FEATURES);
    l->held_out = decision_log(a, N_FEATURES);
    l->switch_after = switch_after;
    l->every = time_from_seconds(sched_number(s, "learn_s"));
    l->next = sched_now(s) + l->every;
}

static void mlfs_init(Sched *s, void *state)
{
    Mlfs *me = state;
    const char *when = sched_text(s, "switch");
    int64_t n = 0;
    mlf_control_open(&me->control, s);
    if (strcmp(when, "loaded") == 0)
        mlf_rl_open(&me->rl, s, "mlf-rl", "mlf_rl", false);
    else if (strcmp(when, "converged") == 0 ||
             (text_starts(when, "epoch:") && text_to_int(when + 6, strlen(when + 6), 1, MOST_EPOCHS, &n)))
        begin_learning(me, s, (int)n);
    else
        sched_fail(s, "mlfs.switch=%s: expected loaded, converged or epoch:N, N from 1 to %d", when, MOST_EPOCHS);
}

/* One epoch; true: that was the last. */
static bool learn(Learning *l, Sched *s)
{
    AgentProgress progress;
    Err err = {0};
    if (!agent_imitate(&l->agent, &l->lessons, l->n_epochs, &progress, &err)) {
        sched_fail_as(s, &err);
        return false;
    }
    l->agreement[l->n_epochs++] = agent_compare(&l->agent, &l->held_out).agreement;
    if (l->switch_after || l->n_epochs == MOST_EPOCHS) return l->n_epochs >= l->switch_after;
    return credit_is_learnt(l->agreement, l->n_epochs);
}

static void take_over(Mlfs *me, Sched *s)
{
    me->rl.net = me->learning->agent.net;
    me->rl.chooser = chooser(sched_memory(s), &me->rl.net);
    me->rl.choose.net = &me->rl.chooser;
    me->rl.choose.log = NULL;
    me->rl.choose.mode = CHOOSE_BEST;
    me->learning = NULL;
}

static void go_to_school(Mlfs *me, Sched *s)
{
    Learning *l = me->learning;
    SimTime now = sched_now(s);
    if (now >= l->next && l->lessons.n >= LEAST_LESSONS && l->held_out.n) {
        l->next = now + l->every;
        if (learn(l, s)) {
            take_over(me, s);
            return;
        }
    }
    DecisionLog *log = now / me->rl.choose.h.place.tick % HELD_OUT ? &l->lessons : &l->held_out;
    me->rl.choose.log = log->n < MOST_LESSONS ? log : NULL;
}

static void mlfs_on_epoch(Sched *s, void *state, const Job *job)
{
    Mlfs *me = state;
    mlf_control_epoch(&me->control, s, job);
}

static void mlfs_on_end(Sched *s, void *state, const Job *job)
{
    Mlfs *me = state;
    (void)s;
    mlf_control_end(&me->control, job);
}

static void mlfs_schedule(Sched *s, void *state)
{
    Mlfs *me = state;
    mlf_control_waiting(&me->control, s);
    if (me->learning) go_to_school(me, s);
    mlf_choose_round(&me->rl.choose, s);
    mlf_control_look(&me->control, s, &me->rl.choose.h.place.hosts);
}

const Policy policy_mlfs = {
    .name = "mlfs",
    .summary = "mlf-rl with load control; may begin as mlf-h and learn from it",
    .needs = NEEDS_INSIDE | NEEDS_MODEL_FILE,
    .state_size = sizeof(Mlfs),
    .params = mlfs_params,
    .init = mlfs_init,
    .on_epoch = mlfs_on_epoch,
    .on_end = mlfs_on_end,
    .schedule = mlfs_schedule,
};
