/* sim/engine/sim.h -- one run: value in, value out, no globals; many can run at once on threads over one job table. */
#ifndef SIM_ENGINE_SIM_H
#define SIM_ENGINE_SIM_H

#include "sim/base/err.h"
#include "sim/base/params.h"
#include "sim/engine/observer.h"
#include "sim/engine/sched.h"

/* Keys `run.*`; run.physics is for who makes the SimConfig: whether it has models. */
extern const Param run_params[];
extern const Param physics_params[], cost_params[],
    fail_params[]; /* groups physics, cost and fail; of no account in `plain` */

/* A server that is made to break, for tests of what breaking may do; a drawn one has its chances in fail.mtbf. */
typedef struct Outage {
    SimTime at;
    ServerId server;
    SimTime lasts;
} Outage;

typedef struct SimConfig {
    const Workload *workload;
    const ClusterSpec *cluster;
    const Policy *policy;
    void *given;             /* for the policy: sched_given; NULL: nothing */
    const Params *params;    /* with groups run, place and the policy's own */
    const JobModels *models; /* the inside of the jobs; NULL: preset `plain`, where a job is GPUs and seconds */
    uint64_t seed;
    SimTime horizon; /* from the first submission; TIME_NEVER: until every job has ended */
    bool strict;     /* a refused request ends the run */
    bool audit;      /* full audit after each round */
    const Watcher *watcher;
    int n_watchers;
    const Outage *outage; /* [n_outages]; only with models and fail.mtbf=0, and one after the other on a server */
    int n_outages;
    const JobSpec *explained; /* one of the workload's, whose terms watchers are told; NULL: none */

    /* Called now and then with the state so far (NULL: not wanted); false stops the run cleanly. */
    bool (*go_on)(void *self, const Census *census, int64_t n_events);
    void *go_on_self;
    bool time_rounds; /* measure each round's wall-clock time into SimResult.round_ns */
} SimConfig;

/* What came of a job's inside. */
typedef struct JobOutcome {
    double ideal_s;     /* running time under the ideal placement */
    double epochs_done; /* a real number */
    double epochs_at_deadline;
    double accuracy_final, accuracy_at_deadline; /* noise-free; 0 at the deadline if it had not run by then */
    SimTime accurate_at;                         /* when it reached the accuracy required; TIME_NEVER */
    int64_t far_bytes;                           /* training traffic between servers */
    int64_t move_bytes;                          /* migration traffic between servers */
    WideTime useful, restart, idle;              /* GPU-microseconds held: computing, stalled, waiting for the gang */
} JobOutcome;

typedef struct SimResult {
    const Job *job; /* [n], as each was left */
    int n;
    bool complete; /* false: stopped by go_on */
    bool oracle;   /* the policy was told true running times: it asked for them, or estimates are exact */
    SimTime first_submit, last_submit; /* over all jobs of the table */
    SimTime last_end;                  /* TIME_NEVER: nothing ended */
    SimTime stopped_at;                /* where the clock stood: last event, or the horizon when cut there */
    bool cut;                          /* ended at the horizon with work left */
    WideTime gpu_time;                 /* integral of GPUs held, GPU-microseconds */
    WideTime busy_time;                /* integral of the GPUs in use, thousandths of a GPU-microsecond; 0 in `plain` */
    WideTime live_time, waiting_time;  /* integrals of live and of waiting jobs, job-microseconds */
    WideTime backlog;                  /* GPU-microseconds of work not yet done at the last arrival */
    const JobOutcome *outcome;         /* [n], or NULL in `plain` */
    int64_t overloads;                 /* servers becoming overloaded, counted at ticks */
    int64_t n_events, n_rounds, preemptions, migrations, failures, refusals, copies;
    int64_t *round_ns;      /* [n_round_ns] wall-clock nanoseconds of each call of `schedule`, if asked for, ... */
    int32_t *round_waiting; /* ... and how many tasks waited before it */
    int64_t n_round_ns;
    struct Engine *engine; /* for sim_continue */
} SimResult;

/* Memory of the result comes from `arena`.  False: err tells (a policy broke a rule, livelock, deadlock, bad keys). */
bool sim_run(const SimConfig *config, Arena *arena, SimResult *result, Err *err);

/* Goes on with a run whose memory, with the config and the result, was saved in an image while an observer was told of
 * a round, and is back.  What it ends with is what sim_run would have. */
bool sim_continue(SimResult *result, Err *err);

#endif
