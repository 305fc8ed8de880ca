/* sim/engine/border.c -- what a policy may look at. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "sim/engine/failures.h"
#include "sim/engine/physics.h"

/* ---- look ---- */

SimTime sched_now(const Sched *s)
{
    return s->engine->now;
}
SimTime sched_tick(const Sched *s)
{
    return s->engine->tick;
}
const Pool *sched_pool(const Sched *s)
{
    return &s->engine->cluster.pool[s->pool];
}
const Cluster *sched_cluster(const Sched *s)
{
    return &s->engine->cluster;
}
const JobSet *sched_live(const Sched *s)
{
    return &s->live;
}
const JobSet *sched_waiting(const Sched *s)
{
    return &s->waiting;
}
const JobSet *sched_paused(const Sched *s)
{
    return &s->paused;
}

const JobSet *sched_running(const Sched *s)
{
    return &s->running;
}

const Job *sched_job(const Sched *s, JobId id)
{
    const Engine *e = s->engine;
    if (id < 0 || id >= e->next_arrival || e->job[id].pool != s->pool) return NULL;
    return &e->job[id];
}

int sched_gpus(const Sched *s, const Job *job, GpuId gpus[])
{
    return engine_gpus(s->engine, job, gpus);
}

bool sched_has_inside(const Sched *s)
{
    return s->engine->physics != NULL;
}

static Run *run_of(const Sched *s, const Job *job)
{
    Run *run = s->engine->physics ? s->engine->physics->run[job->id] : NULL;
    MUST(run); /* a live job, and a preset in which it has an inside */
    return run;
}

const Task *sched_tasks(const Sched *s, const Job *job)
{
    return run_of(s, job)->task;
}

bool sched_replica_placed(const Sched *s, const Job *job, int replica)
{
    return run_replica_placed(run_of(s, job), replica) == job->graph->partitions;
}

int sched_width(const Sched *s, const Job *job)
{
    int n = 0;
    for (int r = 0; r < job->graph->replicas; r++) n += sched_replica_placed(s, job, r);
    return n;
}

int sched_epochs_done(const Sched *s, const Job *job)
{
    return physics_epochs_done(run_of(s, job), s->engine->now);
}

double sched_observed_loss(const Sched *s, const Job *job, int epoch)
{
    MUST(epoch >= 1 && epoch <= sched_epochs_done(s, job));
    return curve_observed_loss(&run_of(s, job)->model->curve, epoch);
}

double sched_observed_accuracy(const Sched *s, const Job *job, int epoch)
{
    MUST(epoch >= 1 && epoch <= sched_epochs_done(s, job));
    return curve_observed_accuracy(&run_of(s, job)->model->curve, epoch);
}

double sched_accuracy_error(const Sched *s, const Job *job)
{
    return run_of(s, job)->model->accuracy_error;
}
const GpuLoad *sched_gpu_load(const Sched *s, GpuId gpu)
{
    return &s->engine->physics->gpu[gpu];
}
const ServerLoad *sched_server_load(const Sched *s, ServerId server)
{
    return &s->engine->physics->server[server];
}
Utilisation sched_utilisation(const Sched *s, ServerId server)
{
    return loads_utilisation(s->engine, server);
}
const Network *sched_network(const Sched *s)
{
    return &s->engine->physics->network;
}

bool sched_has_room(const Sched *s, const Job *job, int task, GpuId gpu)
{
    return loads_has_room(s->engine, run_of(s, job), task, gpu);
}

double sched_move_bytes(const Sched *s, const Job *job, int task)
{
    return (double)physics_move_bytes(run_of(s, job), task);
}

double sched_slowness(const Sched *s, ServerId server)
{
    return failures_slowness(s->engine, server);
}

const Task *sched_copies(const Sched *s, const Job *job)
{
    const Run *run = run_of(s, job);
    return run->n_copies ? run->copy : NULL;
}

const Params *sched_params(const Sched *s)
{
    return s->engine->config->params;
}

double sched_number(const Sched *s, const char *name)
{
    return params_number(sched_params(s), s->engine->group, name);
}

const char *sched_text(const Sched *s, const char *name)
{
    return params_text(sched_params(s), s->engine->group, name);
}

bool sched_is(const Sched *s, const char *name, const char *choice)
{
    return strcmp(sched_text(s, name), choice) == 0;
}

Rng *sched_rng(Sched *s)
{
    return &s->rng;
}
void *sched_given(const Sched *s)
{
    return s->engine->config->given;
}
uint64_t sched_seed(const Sched *s)
{
    return s->engine->config->seed;
}
Arena *sched_scratch(Sched *s)
{
    return &s->engine->scratch;
}
Arena *sched_memory(Sched *s)
{
    return s->engine->arena;
}

SimTime sched_truth(const Sched *s, const Job *job)
{
    MUST(s->engine->config->policy->needs & NEEDS_TRUTH);
    return engine_duration(s->engine, job);
}

SimTime sched_recorded_start(const Sched *s, const Job *job)
{
    MUST(s->engine->config->policy->needs & NEEDS_STARTS);
    return job->submit + s->engine->config->workload->job[job->id].waited;
}

void sched_fail_as(Sched *s, const Err *why)
{
    err_set(s->engine->err, why->kind, "%s", why->text);
}

void sched_fail(Sched *s, const char *format, ...)
{
    char text[sizeof s->engine->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(s->engine->err, ERR_USAGE, "%s", text);
}
