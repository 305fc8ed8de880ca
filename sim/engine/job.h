/* sim/engine/job.h -- a job as one run knows it: what a scheduler may see. */
#ifndef SIM_ENGINE_JOB_H
#define SIM_ENGINE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/simtime.h"
#include "sim/model/cluster.h"
#include "sim/model/jobmodel.h"
#include "sim/model/workload.h"

typedef enum {
    JOB_FUTURE,        /* not submitted yet */
    JOB_WAITING,       /* submitted, holds nothing */
    JOB_RUNNING,       /* holds its GPUs */
    JOB_PAUSED,        /* keeps its places and host memory; GPU memory and load are others' to use */
    JOB_DONE,          /* ended, by itself or stopped */
    JOB_UNSCHEDULABLE, /* needs more than its pool has */
} JobState;

typedef struct Job {
    JobId id;     /* order of submission */
    uint64_t key; /* of its name in the trace: names streams of its own, whatever else is in the table */
    JobState state;
    int32_t n_gpus;
    int32_t n_tasks; /* GPUs that sched_start wants: one task each */
    SimTime submit;
    SimTime deadline; /* the instant; TIME_NEVER: none */
    SimTime estimate; /* predicted running time from start to end on n_gpus, with what is known at submission */
    SimTime started;  /* its latest start; TIME_NEVER: none yet */
    SimTime first_started;
    SimTime ended;           /* TIME_NEVER while it lives */
    SimTime attained;        /* running time up to its latest start: see job_attained */
    const char *model;       /* NULL: the trace does not say */
    const char *user;        /* NULL, as vc: the trace does not say */
    const char *vc;          /* as a label; its servers, if it has its own, are its pool */
    const char *stop_reason; /* NULL: ran to its end */
    GpuId first_gpu;         /* head of the list of GPUs held, -1: none; see sched_gpus */
    uint32_t epoch;          /* changes at each start, preemption and end: tells stale events */
    int32_t preemptions, migrations, failures;
    StopOption effective; /* the user's stop option, or what the policy relaxed it to: see sched_relax */
    int32_t pool;         /* index of its virtual cluster, -1: unlisted */

    /* Inside the job; absent in preset `plain` (graph is NULL). */
    const Family *family;
    const TaskGraph *graph;
    const Volumes *volumes;
    int32_t epochs; /* I_max */
    int32_t rounds; /* of communication in each */
    StopOption stop, stop_limit;
    double urgency, accuracy_required;
    double progress; /* share of the work done at `paced` ... */
    double pace;     /* ... and more of it per microsecond since */
    SimTime paced;
    SimTime waits_since; /* since when none of its tasks runs; TIME_NEVER: one does */
} Job;

/* One of the numbers by which a policy judges a job, for `run --explain`. */
typedef struct Term {
    const char *name; /* with its unit: "remaining_s" */
    double value;
} Term;
enum { MOST_TERMS = 8 };

static inline bool job_is_live(const Job *job)
{
    return job->state == JOB_WAITING || job->state == JOB_RUNNING || job->state == JOB_PAUSED;
}

/* Running time attained up to now. */
static inline SimTime job_attained(const Job *job, SimTime now)
{
    return job->attained + (job->state == JOB_RUNNING ? now - job->started : 0);
}

/* Share of the job's work done by now, 0 .. 1; not kept in `plain`. */
static inline double job_progress(const Job *job, SimTime now)
{
    double share = job->progress + job->pace * (double)(now - job->paced);
    return share < 1 ? share : 1;
}

/* Running time still needed on ideal GPUs, as predicted; 0 once it has run longer than that. */
static inline SimTime job_remaining(const Job *job, SimTime now)
{
    if (job->graph) return (SimTime)((double)job->estimate * (1 - job_progress(job, now)));
    SimTime rest = job->estimate - job_attained(job, now);
    return rest > 0 ? rest : 0;
}

#endif
