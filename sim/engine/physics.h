/* sim/engine/physics.h -- what happens inside running jobs: loads, rates, progress.  For this folder only.
 *
 * Placements and stalls change loads at once; rates follow when physics_settle is called, once after everything that
 * happens at one instant.  Between instants rates are constant, so progress is exact and the cost is per change.
 */
#ifndef SIM_ENGINE_PHYSICS_H
#define SIM_ENGINE_PHYSICS_H

#include "sim/engine/engine.h"
#include "sim/engine/task.h"
#include "sim/model/speed.h"

typedef struct NicRate {
    ServerId server;
    int64_t bytes_per_s[N_NICS];
} NicRate;

/* A live job's inside. */
typedef struct Run {
    JobId id;
    const JobModel *model;
    Gang gang;
    int32_t n_tasks, n_placed;
    Task *task;       /* [n_tasks] */
    double work;      /* microseconds of ideal running time it needs in all */
    double done;      /* of them, at `updated` */
    double rate;      /* and more per microsecond since: 1 under the ideal placement */
    double enough;    /* of its work done where the required accuracy is reached; INFINITY: never */
    double ideal_s;   /* seconds of an epoch there, in the sequential schedule: what rates are relative to */
    double far_bytes; /* between servers per epoch under the present placement, ... */
    int64_t far_rate; /* ... which is so many a second, ... */
    WideTime far;     /* ... and so many millionths of a byte up to `updated` */
    SimTime updated;
    SimTime stalled;   /* nothing computes before: a resume, a move; a time in the past: nothing stalls it */
    bool dirty, moved; /* in the list of jobs to settle; its placement has changed */
    bool links_known;  /* `links` still holds: nothing moved, and no contention of its servers has changed */
    Epoch links;       /* where it is: its edges, room for n_tasks */
    int32_t attempt;   /* failed ones of the trace so far */
    int32_t pending;   /* events of its epoch in the queue */
    int32_t n_rates;
    NicRate *rates; /* [n_rates]: what it has put on NICs, room for n_tasks, and as many copies if it had any */
    int32_t n_copies;
    Task *copy; /* [n_tasks]: of its tasks, elsewhere; gpu of -1: none.  NULL: it never had one */
    struct Run *next_free;
} Run;

typedef struct Physics {
    const JobModels *models;
    Network network;
    IdealOrder ideal;
    GpuLoad *gpu;                /* [n_gpus] */
    ServerLoad *server;          /* [n_servers] */
    double (*nic_share)[N_NICS]; /* [n_servers] */
    double *cpu_slow;            /* [n_servers]: >= 1 */
    Run **run;                   /* [n_jobs]: NULL: not live */
    JobOutcome *outcome;         /* [n_jobs] */
    Run **dirty;                 /* [n_jobs] */
    int n_dirty;
    bool *server_dirty;
    ServerId *dirty_server; /* [n_servers] */
    int n_dirty_servers;
    bool *server_new; /* the same for servers that changed since the latest tick: whether they are overloaded now */
    ServerId *new_server;
    int n_new_servers;
    Run **free_runs; /* by number of tasks, [most_tasks + 1] */
    int most_tasks;
    SimTime unpause, resize;   /* stall of a job that was paused; of one whose width changes */
    SimTime resume, move_base; /* stall of a job that starts again; of one a task of which moves, ... */
    double move_bytes_per_s;   /* ... and the speed its state is copied at; 0: the link's */
    double overlap[2];         /* by Topology */
    double communication_max;
    double threshold;   /* of overload, as counted at ticks */
    uint32_t n_ticks;   /* so far */
    int64_t load, busy; /* sums over the GPUs: thousandths of one; of the latter at most a whole one each */
    int n_working;      /* jobs with a rate above 0 */
    int64_t far_rate;   /* the sum over the jobs, and what came of it so far */
    WideTime far;
    ServerId *spot_server; /* [most_tasks], of uses twice as many: room for one evaluation */
    GpuId *spot_gpu;
    double *spot_slow;
    NicUse *spot_use;
} Physics;

static inline bool run_is_server(const Run *run, int k)
{
    return task_is_server(&run->gang.graph, k);
}
static inline bool run_is_paused(const Run *run)
{
    return run->task[0].paused; /* all of them are, placed or not */
}
static inline double run_epoch_us(const Run *run)
{
    return run->work / run->model->epochs;
}

/* How many tasks of a replica are placed. */
static inline int run_replica_placed(const Run *run, int replica)
{
    int m = run->gang.graph.partitions, n = 0;
    for (int k = replica * m; k < (replica + 1) * m; k++) n += run->task[k].gpu >= 0;
    return n;
}

/* ---- inside.c: from arrival to end ---- */
Physics *inside_open(Engine *engine);
void inside_admit(Engine *engine, Job *job);  /* at arrival */
void inside_forget(Engine *engine, Job *job); /* it ended: outcome written, memory reused */
void inside_close(Engine *engine);            /* outcomes of the jobs that are still live */

/* ---- loads.c: where tasks are and what they weigh ---- */
bool loads_has_room(const Engine *engine, const Run *run, int k,
                    GpuId gpu); /* memory only: load may pass any threshold */
void loads_put(Engine *engine, Job *job, int k, GpuId gpu);
void loads_lift(Engine *engine, Job *job, int k);
void loads_put_copy(Engine *engine, Job *job, int k, GpuId gpu);
void loads_lift_copy(Engine *engine, Job *job, int k);
void loads_set_active(Physics *p, const Run *run, Task *task, bool active); /* it computes, or not */
void loads_mark_gpu(Physics *p, GpuId gpu);                                 /* settle all whose speed depends on it */
void loads_pause(Engine *engine, Job *job, bool paused);                    /* all its tasks, all of which are placed */
bool loads_can_resume(const Engine *engine, const Run *run);
void loads_tick(Engine *engine); /* demands of running tasks move on; overloads are counted */
Utilisation loads_utilisation(const Engine *engine, ServerId server);
void loads_audit(const Engine *engine);

/* ---- physics.c: rates and progress ---- */
void physics_mark(Physics *p, Run *run);               /* to be settled */
void physics_note_server(Physics *p, ServerId server); /* loads there have changed, contention has not */
void physics_mark_server(Physics *p, ServerId server); /* its contention may have changed */
void physics_settle(Engine *engine);                   /* rates and their events */
void physics_integrate(Engine *engine, Run *run);      /* progress up to now */
int physics_epochs_done(const Run *run, SimTime now);
void physics_suspend(Run *run); /* before its tasks are lifted: those that ran have to be resumed */
void physics_stall(Engine *engine, Job *job, SimTime until); /* a time that is here ends the stall */
void physics_epoch(Engine *engine, Job *job);                /* one has ended */
void physics_put_rates(Physics *p, const Run *run, int by);  /* on the NICs: +1, or -1 to take them off */
void physics_set_far_rate(Physics *p, Run *run, int64_t bytes_per_s);
void physics_advance(Engine *engine, SimTime dt); /* the clock moves on: integrals over the whole cluster */
void physics_census(Engine *engine);              /* load and bytes so far */

/* What moving a task copies: its parameters with the optimiser's two moments, and 0.2 GB (algorithms.md 15). */
int64_t physics_move_bytes(const Run *run, int k);
void physics_move(Engine *engine, Job *job, int k, GpuId from, GpuId to); /* stall and bytes, the task being there */
/* Counts the bytes of carrying task k from one GPU to another and returns when it is done. */
SimTime physics_carry(Engine *engine, Job *job, int k, GpuId from, GpuId to);

/* ---- copies.c: second places of tasks whose servers are slow ---- */
static inline bool run_has_copy(const Run *run, int k)
{
    return run->n_copies && k < run->gang.graph.replicas * run->gang.graph.partitions && run->copy[k].gpu >= 0;
}
void copies_drop(Engine *engine, Job *job, int k); /* the copy of task k, if it has one */
void copies_leave(Engine *engine, Job *job);       /* all of them, the job leaving its GPUs */
void copies_audit(const Engine *engine, const Run *run);

#endif
