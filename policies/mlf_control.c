/* policies/mlf_control.c -- watching accuracies, and the load that decides by which option they are judged. */
#include "policies/mlf_control.h"

#include <math.h>
#include <string.h>

const Param mlf_c_params[] = {
    NUMBER_PARAM("h_s", "0.9", 0, 1000, "overload degree of the cluster beyond which training ends earlier"),
    CHOICE_PARAM("oc", "norm", "norm|paper", "overload degree: mean length of utilisations over its root of 4, or not"),
    CHOICE_PARAM("optstop", "curve", "curve|best", "OptStop: extrapolate the accuracy, or the 37 % rule on the loss"),
    {0},
};

static bool is(const Sched *s, const char *name, const char *choice)
{
    return strcmp(params_text(sched_params(s), "mlf_c", name), choice) == 0;
}

void mlf_control_open(MlfControl *c, Sched *s)
{
    *c = (MlfControl){
        .rule = optstop_rule(sched_params(s), is(s, "optstop", "best") ? OPTSTOP_BEST : OPTSTOP_CURVE),
        .h_s = params_number(sched_params(s), "mlf_c", "h_s"),
        .paper_oc = is(s, "oc", "paper"),
        .job = NEW_ARRAY(sched_memory(s), Watched *, sched_live(s)->size),
    };
    curvetable_open(&c->table, sched_memory(s), c->rule.families);
}

/* The option that holds for a job. */
static StopOption option_of(const MlfControl *c, const Job *job)
{
    return c->overloaded && job->stop_limit > job->stop ? job->stop_limit : job->stop;
}

/* OptStop has no room for more; a job of more epochs runs them, or ends at its accuracy. */
static bool optstop_can(const Job *job)
{
    return job->epochs <= CURVE_MOST_EPOCHS;
}

static Watched *watched_of(MlfControl *c, Sched *s, const Job *job)
{
    Watched *w = c->job[job->id];
    if (w) return w;
    w = c->free;
    if (w)
        c->free = w->next_free;
    else
        w = NEW(sched_memory(s), Watched);
    *w = (Watched){.verdict = OPTSTOP_GO_ON};
    if (optstop_can(job)) optstop_open(&w->optstop, &c->rule, job->epochs, job->accuracy_required);
    return c->job[job->id] = w;
}

/* Stops it if it has reached its end. */
static void judge(const MlfControl *c, Sched *s, const Job *job, const Watched *w)
{
    StopOption option = option_of(c, job);
    const char *reason = NULL;
    if (option == STOP_ACCURACY && w->accuracy.value >= job->accuracy_required)
        reason = "accuracy";
    else if (option != STOP_EPOCHS && w->verdict == OPTSTOP_HOPELESS)
        reason = "hopeless";
    else if (option == STOP_OPTSTOP && w->verdict != OPTSTOP_GO_ON)
        reason = "optstop";
    if (!reason) return;
    if (option != job->stop) sched_relax(s, job->id, option);
    sched_stop(s, job->id, reason);
}

void mlf_control_epoch(MlfControl *c, Sched *s, const Job *job)
{
    if (job->stop == STOP_EPOCHS && job->stop_limit == STOP_EPOCHS) return;
    Watched *w = watched_of(c, s, job);
    StopOption option = option_of(c, job);
    bool asks = option == STOP_OPTSTOP || (option == STOP_ACCURACY && c->rule.kill_hopeless);
    for (int done = sched_epochs_done(s, job); w->epochs < done;) {
        int epoch = ++w->epochs;
        double loss = sched_observed_loss(s, job, epoch), accuracy = sched_observed_accuracy(s, job, epoch);
        ewma_add(&w->accuracy, c->rule.accuracy_share, accuracy);
        w->verdict = OPTSTOP_GO_ON;
        if (!optstop_can(job)) continue;
        if (asks)
            w->verdict = optstop_observe(&w->optstop, &c->table, loss, accuracy);
        else
            optstop_note(&w->optstop, loss, accuracy);
    }
    judge(c, s, job, w);
}

void mlf_control_end(MlfControl *c, const Job *job)
{
    Watched *w = c->job[job->id];
    if (!w) return;
    c->job[job->id] = NULL;
    w->next_free = c->free;
    c->free = w;
}

void mlf_control_waiting(MlfControl *c, Sched *s)
{
    EACH_JOB (id, sched_waiting(s)) {
        Watched *w = c->job[id];
        if (!w) continue; /* it has not run */
        judge(c, s, sched_job(s, id), w);
    }
}

void mlf_control_look(MlfControl *c, Sched *s, const Hosts *hosts)
{
    c->overloaded = sched_waiting(s)->n > 0;
    if (!c->overloaded) c->overloaded = hosts_overload_degree(hosts) > c->h_s * (c->paper_oc ? 1 : sqrt(N_USES));
}
