/* sim/engine/sched.h -- the border between a policy and the engine: look at const, ask to change.
 *
 * Adding a policy takes three steps: copy policies/fifo.c and write its header comment first (what it does, the
 * citation, what it knows, what it ignores); add one line to policies/policies.h; `make test`, whose conformance suite
 * then has it already.  The same struct can be loaded from a shared object: docs/policies.md.
 *
 * Life: init, then any number of on_arrive, on_end and schedule, then fini.  The engine handles every event of one
 * instant, then calls schedule once.  With virtual clusters a policy runs once for each, with its own state, and sees
 * only its own jobs and servers.  Pointers to jobs stay valid as long as the run, others until the hook returns.
 */
#ifndef SIM_ENGINE_SCHED_H
#define SIM_ENGINE_SCHED_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/params.h"
#include "sim/base/rng.h"
#include "sim/engine/job.h"
#include "sim/engine/task.h"
#include "sim/model/cluster.h"
#include "sim/model/jobset.h"

typedef struct Sched Sched;

enum {                       /* Policy.needs */
       NEEDS_TRUTH = 1,      /* sched_truth; the summary then says "oracle" */
       NEEDS_MODEL_FILE = 2, /* chooses by a net that was trained: left out of `--policy all` */
       NEEDS_INSIDE = 4,     /* it looks inside jobs: refused in preset `plain`, and left out of its `all` */
       NEEDS_STARTS = 8, /* sched_recorded_start: every job of the trace must have one; left out of `--policy all` */
};

typedef struct Policy {
    const char *name;    /* as typed: --policy srtf */
    const char *summary; /* one line for `mlfs-sim list` */
    const char *group;   /* of its keys; NULL: the name, with _ for - */
    unsigned needs;
    size_t state_size;   /* zeroed bytes, owned by the engine */
    const Param *params; /* ends with {0}; NULL: none */

    void (*init)(Sched *s, void *state);
    void (*on_arrive)(Sched *s, void *state, const Job *job); /* it is waiting now; again after a failure */
    void (*on_epoch)(Sched *s, void *state, const Job *job);  /* it has done another epoch; never in preset `plain` */
    void (*on_end)(Sched *s, void *state, const Job *job);    /* its GPUs are free; see sched_stop */
    void (*schedule)(Sched *s, void *state);                  /* the only required hook */
    void (*fini)(Sched *s, void *state);

    /* How it judges a live job now: fills in the terms, returns how many.  Must change nothing that it goes by. */
    int (*terms)(Sched *s, void *state, const Job *job, Term term[MOST_TERMS]);
} Policy;

/* The group of its keys, made in `arena` where it is not the policy's own text. */
const char *policy_group(const Policy *policy, Arena *arena);

/* A shared object given as `--policy ./mine.so` exports `const Policy mlfs_policy` and `const int mlfs_policy_abi`. */
enum { POLICY_ABI = 1 };

/* ---- look ---- */
SimTime sched_now(const Sched *s);
SimTime sched_tick(const Sched *s);             /* run.tick; 0: decisions fall after every instant with an event */
const Pool *sched_pool(const Sched *s);         /* the servers this policy may use */
const Cluster *sched_cluster(const Sched *s);   /* all servers */
const JobSet *sched_live(const Sched *s);       /* waiting and running, in submit order */
const JobSet *sched_waiting(const Sched *s);    /* in submit order */
const JobSet *sched_paused(const Sched *s);     /* in submit order; in metrics they count as waiting */
const JobSet *sched_running(const Sched *s);    /* in submit order */
const Job *sched_job(const Sched *s, JobId id); /* NULL: not submitted yet, or not of this policy's VC */
int sched_gpus(const Sched *s, const Job *job, GpuId gpus[]); /* the GPUs it holds, [n_gpus]; returns how many */

/* The inside of jobs, GPUs and servers; with physics only (sched_has_inside), NULL or zeros in preset `plain`. */
bool sched_has_inside(const Sched *s);
const Task *sched_tasks(const Sched *s, const Job *job);                /* [n_tasks]; of a live job */
bool sched_replica_placed(const Sched *s, const Job *job, int replica); /* all its tasks are; of a live job */
int sched_width(const Sched *s, const Job *job);                        /* how many replicas are: D' of D */
int sched_epochs_done(const Sched *s, const Job *job);
double sched_observed_loss(const Sched *s, const Job *job, int epoch); /* of epochs 1 .. done, noisy */
double sched_observed_accuracy(const Sched *s, const Job *job, int epoch);
double sched_accuracy_error(const Sched *s, const Job *job); /* of its accuracy predictor: add to a prediction */
const GpuLoad *sched_gpu_load(const Sched *s, GpuId gpu);
const ServerLoad *sched_server_load(const Sched *s, ServerId server);
Utilisation sched_utilisation(const Sched *s, ServerId server);
const Network *sched_network(const Sched *s);
bool sched_has_room(const Sched *s, const Job *job, int task, GpuId gpu); /* memory for it, on GPU and host */
double sched_move_bytes(const Sched *s, const Job *job, int task);        /* a migration or a copy would carry */
double sched_slowness(const Sched *s, ServerId server);   /* times slower all on it is now: 1 but in a slow spell */
const Task *sched_copies(const Sched *s, const Job *job); /* [n_gpus], gpu of -1: that task has none; NULL: none has */

const Params *sched_params(const Sched *s);            /* every key in force */
double sched_number(const Sched *s, const char *name); /* this policy's own keys */
const char *sched_text(const Sched *s, const char *name);
bool sched_is(const Sched *s, const char *name, const char *choice);

Rng *sched_rng(Sched *s);            /* the policy's own stream, named by (seed, policy, VC) */
void *sched_given(const Sched *s);   /* what SimConfig.given is: of whoever runs a policy that is not in the list */
uint64_t sched_seed(const Sched *s); /* for streams named by job: rng_hash(sched_seed(s), "purpose", job->key) */
Arena *sched_scratch(Sched *s);      /* emptied after each hook */
Arena *sched_memory(Sched *s);       /* lives as long as the run */
SimTime sched_truth(const Sched *s, const Job *job); /* true running time; for NEEDS_TRUTH only */

SimTime sched_recorded_start(const Sched *s, const Job *job); /* as the trace has it; for NEEDS_STARTS only */

/* Ends the run with a sentence and exit status 2: a key that only makes sense with another, a file that cannot be read.
 */
void sched_fail(Sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sched_fail_as(Sched *s, const Err *why); /* with a failure told already, its kind included */

/* ---- ask ---- checked, atomic, effective at once; a refusal changes nothing and is counted */
typedef enum {
    ASK_GRANTED,
    ASK_NO_SUCH_JOB, /* no live job of this policy's VC */
    ASK_NOT_WAITING,
    ASK_NOT_RUNNING,
    ASK_WRONG_COUNT, /* not as many GPUs as the job has tasks */
    ASK_NO_SUCH_GPU, /* outside the policy's pool */
    ASK_SAME_GPU,    /* one GPU twice */
    ASK_NO_ROOM,     /* a GPU is held by another job */
    ASK_NO_INSIDE,   /* a task is asked about in preset `plain` */
    ASK_NO_SUCH_TASK,
    ASK_NOT_WHOLE,    /* some of its tasks, or of that replica's, are not placed */
    ASK_NOT_NARROW,   /* all its replicas are placed already */
    ASK_LAST_REPLICA, /* nothing would be left running */
    ASK_SAME_SERVER,  /* a copy beside its task */
    ASK_HAS_COPY,
    ASK_NO_COPY,
    ASK_NOT_PAUSED,
    ASK_NOT_PERMITTED, /* the user does not allow this stop option */
    ASK_NO_REASON,     /* a stop without one */
    ASK_OFF_TICK,      /* from a hook that runs between two ticks; there a job can be stopped or relaxed, no more */
    ASK_PAST,          /* an alarm before now */
} Ask;
const char *ask_name(Ask ask);

Ask sched_start(Sched *s, JobId job, const GpuId gpus[], int n); /* all or none */
Ask sched_preempt(Sched *s, JobId job);                          /* back to waiting; progress is kept */

/* Elastic width (physics only): a job may run with fewer replicas than it asked for, never with more, at about that
 * share of its speed.  gpus[] has M = job->graph->partitions of them for each replica, replica by replica; at a start
 * the parameter server's, if there is one, comes last.  Nothing is lost; a change while it runs stalls it
 * (cost.resize).
 */
Ask sched_start_narrow(Sched *s, JobId job, int replicas, const GpuId gpus[], int n); /* the first so many of them */
Ask sched_widen(Sched *s, JobId job, const GpuId gpus[], int n);                      /* its first absent replica */
Ask sched_narrow(Sched *s, JobId job, int replica); /* gives a replica back; not the last one that runs */

Ask sched_place(Sched *s, JobId job, int task, GpuId gpu);   /* one waiting task; physics only, as the next two */
Ask sched_evict(Sched *s, JobId job, int task);              /* one running task, back to waiting */
Ask sched_migrate(Sched *s, JobId job, int task, GpuId gpu); /* the whole job stalls while it moves; may be paused */

/* A copy of a placed GPU task on another server, for when its own is slow: it computes once the state has arrived
 * there, the job does not wait for that, and whichever of the two is faster counts.  It goes when its task or job
 * leaves. */
Ask sched_duplicate(Sched *s, JobId job, int task, GpuId gpu);
Ask sched_drop(Sched *s, JobId job, int task); /* its copy */

Ask sched_pause(Sched *s, JobId job);                    /* a running job, if its replicas are whole */
Ask sched_resume(Sched *s, JobId job);                   /* where it is, if its GPUs have memory for it */
Ask sched_relax(Sched *s, JobId job, StopOption option); /* a later option than the user's, if permitted */
Ask sched_stop(Sched *s, JobId job,
               const char *reason); /* ends it early, on_end before it returns; `reason` must outlive the run */

/* Asks for a decision at `when` even if nothing happens then (with run.tick > 0: at the first tick from then on). There
 * is one alarm: asking again moves it, TIME_NEVER takes it back, and it is off once it rang. */
Ask sched_wake_at(Sched *s, SimTime when);

#endif
