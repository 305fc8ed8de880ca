/* sim/model/jobmodel.h -- the inside of every job: what the trace says of it, and what is drawn where it is silent.
 *
 * A table beside Workload.job, built once for (workload, keys `model.*`, seed), read-only and shared by all runs and
 * threads.  Each attribute is drawn under a name made of (seed, the job's own name, the attribute), so that sampling,
 * load, order, policy and other keys leave it as it is.  A value that the trace gives wins over a draw.  The one
 * attribute that depends on other jobs is the width of the error of `estimate`: smaller once the same user has run a
 * job of that size before.
 *
 * This holds the truth: the engine decides what a policy may see.
 */
#ifndef SIM_MODEL_JOBMODEL_H
#define SIM_MODEL_JOBMODEL_H

#include "sim/base/err.h"
#include "sim/base/params.h"
#include "sim/model/curve.h"
#include "sim/model/taskgraph.h"
#include "sim/model/workload.h"

/* Where training may end, each stricter on the GPU's time than the one before: MLF-C may relax a job from its option
 * towards its limit. */
typedef enum { STOP_EPOCHS, STOP_OPTSTOP, STOP_ACCURACY } StopOption;

typedef struct JobModel {
    const Family *family;
    Curve curve; /* curve.key is the job's key under this seed: rng_hash(job.curve.key, purpose, id) for more draws */
    TaskGraph graph;
    Topology topology; /* of the synchronisation; matters if D >= 2 */
    Volumes volumes;   /* V_ww, V_ps, constant over the job's life */
    int64_t data_bytes;
    int32_t epochs;           /* I_max >= 1; an epoch takes duration/epochs under ideal placement */
    int32_t rounds;           /* n_c: communication rounds per epoch, for time and bytes alike */
    SimTime deadline;         /* relative to submission, from the exclusive run time; never TIME_NEVER */
    SimTime estimate;         /* predicted running time: the duration, times a lognormal error unless it is exact */
    double urgency;           /* L_J */
    double accuracy_required; /* a_req */
    double accuracy_error;    /* of this job's accuracy predictor: add it to a prediction */
    StopOption stop;
    StopOption stop_limit; /* the most relaxed option the user permits, >= stop */
} JobModel;

typedef struct JobModels {
    const JobModel *job; /* [n], by JobId */
    int n;
    bool exact;        /* model.estimate=exact: predictions are the truth */
    bool pipeline;     /* model.schedule=pipeline */
    bool varying;      /* model.demand=varying: advance the demand of running tasks, demand_step */
    bool uniform_base; /* model.demand_base=uniform: u0 from the range below whatever the family */
    double base_low, base_high;
    double demand_sd, demand_phi; /* of the AR(1) */
} JobModels;

extern const Param model_params[]; /* keys model.*; model.gang is read by policies */

/* False: err tells: a model name of no known family, replicas and partitions that do not make up the GPUs, bad keys.
 * Reads group `model` of params. */
bool jobmodels_build(const Workload *workload, const Params *params, uint64_t seed, Arena *arena, JobModels *models,
                     Err *err);

/* Host cores and memory, and GPU memory, of task k. */
typedef struct TaskNeed {
    int32_t cores, memory_mib, gpu_memory_mib;
} TaskNeed;
TaskNeed jobmodel_need(const JobModel *job, int k);

/* Parameters that task k holds: S_k of the network; all of it on a server. */
int64_t jobmodel_parameter_bytes(const JobModel *job, int k);

/* u0 of task k: its base GPU demand in thousandths of one GPU, 20 .. 1000; 0 for a server. */
int32_t jobmodel_base_demand(const JobModels *models, JobId job, int k);

/* One step of the task's relative demand x, an AR(1): x_0 from the stationary law, then φ·x + √(1−φ²)·sd·ξ_count.
 * `count` is the number of ticks the task has run, 0 at its first start (`x` is not read then); the result depends on
 * (job, task, count, x) only.  Its demand is then demand_now: u0·(1+x), rounded to thousandths, within 20 .. 1000. */
double jobmodel_demand_step(const JobModels *models, JobId job, int k, int64_t count, double x);
int32_t jobmodel_demand_now(int32_t base, double x);

#endif
