/* sim/engine/failures.c -- breaking, repairing and slowing servers. */
#include "sim/engine/failures.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/engine/physics.h"

const Param fail_params[] = {
    NUMBER_PARAM("mtbf", "0", 0, 1e9, "mean hours between failures of a server; 0: none fails"),
    NUMBER_PARAM("mttr", "4", 1e-6, 1e9, "mean hours until it is repaired"),
    TEXT_PARAM("checkpoint", "epoch",
               "what a failure leaves: epoch (the last whole epoch), none, or seconds of running between checkpoints"),
    NUMBER_PARAM("straggler", "0", 0, 0.99, "share of time for which a server is slow; 0: never"),
    NUMBER_PARAM("straggler_factor", "2", 1, 1000, "times slower it is then"),
    NUMBER_PARAM("straggler_s", "600", 1e-6, 1e9, "mean seconds of a slow spell"),
    {0},
};

static void push(Engine *e, EventKind kind, ServerId server, Rng *rng, double mean_s)
{
    double wait = gsl_ran_exponential(&rng->gsl, mean_s);
    event_push(
        &e->queue,
        (Event){.at = time_add(e->now, time_from_seconds(number_min(wait, 1e12))), .kind = kind, .subject = server});
}

static double slow_gap(const Failures *f)
{
    return f->slow_s * (1 - f->slow_share) / f->slow_share;
}

static bool read_checkpoint(Engine *e, Failures *f, const char *text)
{
    f->checkpoint = CHECKPOINT_EPOCH;
    if (strcmp(text, "epoch") == 0) return true;
    f->checkpoint = CHECKPOINT_NONE;
    if (strcmp(text, "none") == 0) return true;
    f->checkpoint = CHECKPOINT_PERIOD;
    double seconds;
    if (!text_to_double(text, strlen(text), &seconds) || seconds < 1e-6)
        return err_set(e->err, ERR_USAGE, "fail.checkpoint: expected epoch, none or seconds, not '%s'", text);
    f->period_us = seconds * 1e6;
    return true;
}

void failures_open(Engine *e)
{
    const Params *params = e->config->params;
    Failures f = {
        .mtbf_s = params_number(params, "fail", "mtbf") * 3600,
        .mttr_s = params_number(params, "fail", "mttr") * 3600,
        .slow_share = params_number(params, "fail", "straggler"),
        .slow_factor = params_number(params, "fail", "straggler_factor"),
        .slow_s = params_number(params, "fail", "straggler_s"),
    };
    if (!read_checkpoint(e, &f, params_text(params, "fail", "checkpoint"))) return;
    e->failures = NEW(e->arena, Failures);
    f.server = NEW_ARRAY(e->arena, ServerFate, e->cluster.spec->n_servers);
    *e->failures = f;
    MUST(!e->config->n_outages || f.mtbf_s <= 0);
    for (int i = 0; i < e->config->n_outages; i++) {
        const Outage *outage = &e->config->outage[i];
        MUST(e->cluster.server[outage->server].pool >= 0 && outage->lasts > 0);
        event_push(&e->queue, (Event){outage->at, EVENT_BREAK, (uint32_t)i + 1, outage->server, 0});
    }
    for (ServerId s = 0; s < e->cluster.spec->n_servers; s++) {
        ServerFate *fate = &f.server[s];
        if (e->cluster.server[s].pool < 0) continue; /* of no virtual cluster */
        rng_open(&fate->breaks, e->config->seed, "server failure", (uint64_t)s);
        rng_open(&fate->slows, e->config->seed, "straggler", (uint64_t)s);
        if (f.mtbf_s > 0) push(e, EVENT_BREAK, s, &fate->breaks, f.mtbf_s);
        if (f.slow_share > 0) push(e, EVENT_SLOW, s, &fate->slows, slow_gap(&f));
    }
}

/* The progress, in microseconds of ideal running time, that a failure leaves of `done`. */
static double saved_of(const Failures *f, const Run *run, double done)
{
    double unit = run->work / run->model->epochs;
    if (f->checkpoint == CHECKPOINT_PERIOD) unit = f->period_us;
    if (f->checkpoint == CHECKPOINT_NONE || unit <= 0) return 0;
    return number_min(done, floor(done / unit * (1 + 1e-12)) * unit);
}

void failures_break(Engine *e, const Event *event)
{
    ServerId id = event->subject;
    Physics *p = e->physics;
    Server *server = &e->cluster.server[id];
    ServerFate *fate = &e->failures->server[id];
    Sched *s = &e->sched[server->pool];

    for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++)
        while (p->gpu[g].task) {
            const Task *task = p->gpu[g].task;
            Run *run = p->run[task->job];
            if (task->is_copy) { /* the job has the task itself */
                copies_drop(e, &e->job[run->id], task->index);
                continue;
            }
            physics_integrate(e, run);
            run->done = saved_of(e->failures, run, run->done);
            engine_fail(e, s, &e->job[run->id]);
        }
    while (p->server[id].servers) { /* parameter servers of jobs that have no task here */
        Run *run = p->run[p->server[id].servers->job];
        physics_integrate(e, run);
        run->done = saved_of(e->failures, run, run->done);
        engine_fail(e, s, &e->job[run->id]);
    }
    fate->down = true;
    for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++)
        cluster_take(&e->cluster, g, GPU_BROKEN);
    e->cluster.pool[server->pool].n_broken += server->n_gpus;
    e->cluster.n_broken += server->n_gpus;
    if (!event->epoch)
        push(e, EVENT_REPAIR, id, &fate->breaks, e->failures->mttr_s);
    else
        event_push(&e->queue, (Event){.at = time_add(e->now, e->config->outage[event->epoch - 1].lasts),
                                      .kind = EVENT_REPAIR,
                                      .subject = id,
                                      .epoch = event->epoch});
}

void failures_repair(Engine *e, const Event *event)
{
    ServerId id = event->subject;
    Server *server = &e->cluster.server[id];
    ServerFate *fate = &e->failures->server[id];
    fate->down = false;
    for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++)
        cluster_give(&e->cluster, g, GPU_BROKEN);
    e->cluster.pool[server->pool].n_broken -= server->n_gpus;
    e->cluster.n_broken -= server->n_gpus;
    if (!event->epoch) push(e, EVENT_BREAK, id, &fate->breaks, e->failures->mtbf_s);
}

void failures_slow(Engine *e, ServerId id)
{
    ServerFate *fate = &e->failures->server[id];
    fate->slow = !fate->slow;
    physics_mark_server(e->physics, id);
    push(e, EVENT_SLOW, id, &fate->slows, fate->slow ? e->failures->slow_s : slow_gap(e->failures));
}
