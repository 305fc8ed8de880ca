/* sim/engine/observer.h -- watching a run without being able to change it: event logs, timelines, checks in tests. */
#ifndef SIM_ENGINE_OBSERVER_H
#define SIM_ENGINE_OBSERVER_H

#include "sim/engine/job.h"

typedef enum {
    HAPPENS_END,
    HAPPENS_STOP,
    HAPPENS_ARRIVE,
    HAPPENS_UNSCHEDULABLE,
    HAPPENS_START,
    HAPPENS_PREEMPT,
    HAPPENS_PLACE, /* of one task, as the next two */
    HAPPENS_EVICT,
    HAPPENS_MIGRATE,
    HAPPENS_FAIL,
    HAPPENS_PAUSE,
    HAPPENS_RESUME,
    HAPPENS_DUPLICATE, /* of one task: a copy of it is made, ... */
    HAPPENS_DROP,      /* ... and given up; when the job leaves its GPUs, its copies go without saying */
} HappenKind;
const char *happen_name(HappenKind kind); /* "end", "stop", "arrive", "unschedulable", "start", "preempt", ... */

typedef struct Happening {
    SimTime at;
    HappenKind kind;
    const Job *job;
    int task;          /* -1: the job as a whole */
    const GpuId *gpus; /* [n_gpus] taken or given, in the order of its tasks; from and to of a migration; NULL: none */
    int n_gpus;
    SimTime stalled; /* the job's tasks hold their GPUs but do not compute until then; a time past: they do */
} Happening;

/* The state after a round of decisions, kept up by the engine as it goes. */
typedef struct Census {
    SimTime at;
    int64_t gpus_total, gpus_busy;
    int64_t jobs_running, jobs_waiting, jobs_done, jobs_submitted; /* done: ended or stopped */
    int64_t tasks_waiting;                                         /* GPUs asked for by waiting jobs */
    int64_t bytes_moved;                                           /* -1 in `plain` */
    double load_mean;                                              /* NaN in `plain`: a load is not modelled there */
    int64_t servers_overloaded;                                    /* -1 in `plain` */
} Census;

typedef struct Refusal {
    SimTime at;
    const char *request; /* "start", "migration", ... */
    JobId job;           /* may be none of the table's */
    const char *reason;  /* ask_name */
} Refusal;

typedef struct Observer {
    const char *name;
    void (*on_happening)(void *self, const Happening *happening);
    void (*on_round)(void *self, const Census *census, const Cluster *cluster); /* after each instant's decisions */
    void (*on_refusal)(void *self, const Refusal *refusal);
    /* Before on_round, while SimConfig.explained lives: the policy's terms for it, [n_terms]. */
    void (*on_terms)(void *self, const Term term[], int n_terms);
} Observer;

typedef struct Watcher {
    const Observer *type;
    void *self;
} Watcher;

#endif
