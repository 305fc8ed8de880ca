/* policies/trainschool.c -- the first phase: MLF-H runs, its results fix what rewards are measured by, its decisions
 * are imitated. */
#include "policies/trainstate.h"

#include <string.h>

#include "policies/mlf_model.h"
#include "rl/credit.h"

enum { HELD_OUT = 10, LEAST_EPOCHS = 10 };

static void copy_decision(DecisionLog *to, const DecisionLog *from, const Decision *d)
{
    decision_add(to, d->n, from->feature + d->first * from->n_features, from->legal + d->first, d->chosen, d->tick);
}

static void share_out(const DecisionLog *all, DecisionLog *lessons, DecisionLog *held_out)
{
    for (int i = 0; i < all->n; i++) {
        const Decision *d = &all->decision[i];
        copy_decision(d->tick % HELD_OUT ? lessons : held_out, all, d);
    }
}

static bool imitate(Training *t, const DecisionLog *lessons, const DecisionLog *held_out)
{
    int most = training_whole(t, "imitate_epochs");
    double *agreement = NEW_ARRAY(t->arena, double, most + 1);
    for (int epoch = 0; epoch < most; epoch++) {
        t->stopped = !training_may_go_on(t);
        if (t->stopped) break;
        AgentProgress learnt;
        if (!agent_imitate(&t->agent, lessons, epoch, &learnt, t->err)) return false;
        AgentProgress held = agent_compare(&t->agent, held_out);
        agreement[epoch] = held.agreement;
        double *row = trainlog_add(&t->log, 0, epoch);
        row[TRAIN_LOSS] = learnt.loss;
        row[TRAIN_ENTROPY] = learnt.entropy;
        row[TRAIN_AGREEMENT] = held.agreement;
        row[TRAIN_DECISIONS] = (double)learnt.n;
        training_tell(t, arena_format(t->arena, "imitation, epoch %d: %lld decisions, loss %.4f, agreement %.2f %%",
                                      epoch + 1, (long long)learnt.n, learnt.loss, 100 * held.agreement));
        if (epoch + 1 >= LEAST_EPOCHS && credit_is_learnt(agreement, epoch + 1)) break;
    }
    return true;
}

static bool run_teacher(Training *t, DecisionLog *record)
{
    Segment segment;
    Rollout rollout = {.segment = &segment,
                       .lesson = {.log = record, .recorded = INT32_MAX, .most = training_whole(t, "most_lessons")}};
    int n_jobs = (int)(training_number(t, "first_part") * t->half.n);
    bool good = segment_first(&segment, &t->stage, n_jobs > 1 ? n_jobs : 1, t->err) &&
                rollouts_run(&rollout, 1, &t->stage, &t->rule, 1, t->err);
    if (good && rollout.constant[MODEL_ENDED_PER_TICK] <= 0)
        good = err_set(t->err, ERR_DATA, "%s: no job of its first part ended, so there is nothing to learn from",
                       t->setup->jobs->source);
    memcpy(t->rule.constant, rollout.constant, sizeof t->rule.constant);
    segment_close(&segment);
    return good;
}

bool training_begin(Training *t)
{
    Arena arena = {0};
    DecisionLog all = decision_log(&arena, N_FEATURES), lessons = all, held_out = all;
    bool good = run_teacher(t, t->plain || t->setup->from ? NULL : &all);
    if (good && !t->plain && !t->setup->from) {
        share_out(&all, &lessons, &held_out);
        if (!lessons.n || !held_out.n)
            good = err_set(t->err, ERR_DATA, "%s: MLF-H has too little to decide in its first part to learn from",
                           t->setup->jobs->source);
        good = good && imitate(t, &lessons, &held_out);
    }
    if (good && t->setup->from) {
        Mlp net;
        good = mlf_model_read(t->setup->policy, t->setup->from, t->agent.net.kernel, t->arena, &net, t->err);
        if (good) memcpy(t->agent.net.parameter, net.parameter, (size_t)net.n_parameters * sizeof *net.parameter);
    }
    agent_forget_steps(&t->agent);
    memcpy(t->average, t->agent.net.parameter, (size_t)t->agent.net.n_parameters * sizeof *t->average);
    arena_free(&arena);
    return good;
}
