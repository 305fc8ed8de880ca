/* sim/engine/engine.h -- the state of one run, shared by the files of this folder only. */
#ifndef SIM_ENGINE_ENGINE_H
#define SIM_ENGINE_ENGINE_H

#include "sim/engine/event.h"
#include "sim/engine/sim.h"

typedef struct Engine Engine;
struct Physics;
struct Failures;

/* One policy over one pool: the whole cluster, or one virtual cluster with a queue of its own. */
struct Sched {
    Engine *engine;
    int pool;
    void *state; /* the policy's */
    Rng rng;
    JobSet live, waiting, running, paused;
    SimTime alarm;     /* sched_wake_at; TIME_NEVER: none */
    bool touched;      /* something happened to it since its last decision */
    ServerId *changed; /* servers whose books changed since the last audit, [n_changed] */
    int n_changed;
};

struct Engine {
    const SimConfig *config;
    const char *group; /* of the policy's keys */
    Arena *arena;      /* lives as long as the result */
    Arena scratch;     /* emptied after each hook */
    Err *err;

    Cluster cluster;
    Job *job;        /* [n]; what fate knows stays in config->workload */
    GpuId *next_gpu; /* [n_gpus]: the GPUs a job holds are a list from job->first_gpu, -1 ends it */
    GpuId *gpu_list; /* [n_gpus]: room to spell such a list out for observers */
    Sched *sched;    /* [cluster.n_pools] */

    SimTime now, tick;
    SimTime decide_at; /* with ticks: the next one that can matter; TIME_NEVER: none */
    JobId next_arrival;
    EventQueue queue;
    int n_stale; /* events in the queue whose job has moved on */

    Census census;
    int64_t n_refused, n_granted; /* requests */
    int rounds_here;              /* decisions at this instant since a job arrived, ended or started anew */
    int idle_rounds;              /* decisions since something arrived, ended or was running */
    int barren_rounds;            /* decisions that changed something, since a job did any work or came or ended */
    SimResult *result;
    struct Failures *failures;      /* failures.h; NULL: not in this preset */
    struct Physics *physics;        /* physics.h; NULL in preset `plain` */
    int64_t overloads, moved_bytes; /* of moves between servers */
};

/* The run loop, engine.c; false: err tells. */
bool engine_run(Engine *engine);

/* Views: border.c.  Requests: requests.c.  Books against the jobs: audit.c. */
void audit_full(const Engine *engine);
void audit_note(Engine *engine, Sched *s, GpuId gpu); /* its server has changed */
void audit_changed(Engine *engine);                   /* only the servers touched since the last audit */

/* For requests in other files: what it asks about, and what comes of it. */
Job *request_job(Sched *s, JobId id);                             /* live and its own, or NULL */
Ask request_check_task(const Sched *s, const Job *job, int task); /* why it cannot be asked about, or ASK_GRANTED */
bool request_is_own_gpu(const Sched *s, GpuId gpu);
Ask request_answer(Sched *s, const char *request, JobId id, Ask ask); /* counts it; strict: a refusal ends the run */

SimTime engine_tick_from(const Engine *engine, SimTime at); /* the first tick from then on; run.tick=0: then */
/* What becomes of a job: changes.c; engine_fail, which calls a policy's hook, engine.c. */
int engine_gpus(const Engine *engine, const Job *job, GpuId gpus[]); /* it holds; returns how many */
void engine_begin(Engine *engine, Sched *s, Job *job);               /* it holds its first GPUs: running */
void engine_tell(Engine *engine, HappenKind kind, const Job *job);   /* to the watchers */
void engine_tell_task(Engine *engine, HappenKind kind, const Job *job, int task, GpuId from, GpuId to); /* -1: none */
void engine_release(Engine *engine, Job *job);           /* gives all its GPUs back; it no longer runs */
void engine_requeue(Engine *engine, Sched *s, Job *job); /* running to waiting, its progress kept */
void engine_fail(Engine *engine, Sched *s, Job *job);    /* it loses its GPUs to a failure and waits again */
void engine_end(Engine *engine, Job *job, const char *stop_reason);

/* True running time; only this folder asks. */
SimTime engine_duration(const Engine *engine, const Job *job);

#endif
