/* sim/model/workload.h -- the job table: what a trace says, read-only once built, shared by all runs and threads.
 *
 * This holds the truth, run times included.  Policies never see it: their window is `Job` in sim/engine/sched.h.
 * Fields that a trace lacks stay absent: NULL, TIME_NEVER, NaN or 0 as said at each.
 */
#ifndef SIM_MODEL_WORKLOAD_H
#define SIM_MODEL_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/simtime.h"

enum { MOST_JOBS_OF_TRACE = 100000000 }; /* records, and jobs after copying; more is refused */

typedef int32_t JobId; /* position in submit order, ties in file order: 0 .. n-1 */

typedef struct JobSpec {
    const char *name;         /* job_id of the trace; unique */
    const char *user;         /* NULL: absent; these four are interned: equal texts are equal pointers */
    const char *vc;           /* virtual cluster; NULL: absent */
    const char *status;       /* as the trace spells it: Pass, Failed, Killed, ...; NULL: absent */
    const char *model;        /* model family or network name; NULL: absent */
    SimTime submit;           /* trace clock */
    SimTime duration;         /* running time on its n_gpus, >= 0 */
    SimTime waited;           /* recorded start − submit, as the log has it; TIME_NEVER: absent */
    SimTime deadline;         /* relative to submit; TIME_NEVER: absent */
    double urgency;           /* NaN: absent */
    double accuracy_required; /* [0, 1]; NaN: absent */
    int32_t n_gpus;           /* >= 1 */
    int32_t epochs;           /* 0: absent */
    int32_t replicas;         /* data-parallel replicas D; 0: absent */
    int32_t partitions;       /* model partitions M; 0: absent */
    int32_t n_failed; /* attempts that failed before the last one, as replayed; 0 unless trace.attempts=replay */
    const SimTime *failed_at; /* [n_failed]: running time, all attempts together, at which each failed, rising */
    const char *stop_option;  /* absent (NULL), "epochs", "optstop" or "accuracy", as written */
} JobSpec;

/* Why a record is no usable job.  names: skip_reason_name. */
typedef enum {
    SKIP_NO_ATTEMPT,    /* never got GPUs: the GPU count is unknown */
    SKIP_STILL_RUNNING, /* its (last) end is missing */
    SKIP_NO_START,      /* its start is missing */
    SKIP_NO_SUBMIT,     /* its submission is missing */
    SKIP_NEVER_STARTED, /* cancelled while it waited */
    SKIP_CENSORED,      /* ends before it starts */
    SKIP_CPU_ONLY,      /* asks for no GPU */
    SKIP_STATUS,        /* left out by trace.status */
    SKIP_BAD_FIELDS,    /* wrong number of fields      | from here on malformed: */
    SKIP_BAD_SYNTAX,    /* not CSV, not JSON           | skipped only with       */
    SKIP_BAD_NUMBER,    /* no number, or out of range  | trace.lenient=1,        */
    SKIP_MISSING_VALUE, /* a needed value is empty     | an error otherwise      */
    SKIP_DUPLICATE,     /* job_id seen before          |                         */
    N_SKIP_REASONS
} SkipReason;
const char *skip_reason_name(SkipReason reason); /* "no_attempt", ... */

typedef struct TraceCounts {
    int64_t read; /* = usable + the sum of skipped */
    int64_t usable;
    int64_t skipped[N_SKIP_REASONS];
    int64_t partial;      /* usable, but not all of its attempts were complete */
    int64_t out_of_order; /* records that came before an earlier submission */
} TraceCounts;

typedef struct Workload {
    const JobSpec *job; /* [n], in order of submit, ties in file order */
    int n;
    TraceCounts counts;
    const char *source;         /* path as given, "-" for standard input */
    const char *format;         /* reader's name */
    char sha256[65];            /* of the file's bytes as stored, in hexadecimal */
    const char *notice;         /* one line worth telling the user (ignored columns), or NULL */
    bool calendar;              /* times count from 1970-01-01 UTC */
    double load, arrival_scale; /* factors already applied; 1 = as traced */
} Workload;

/* Sum of gpus x duration, in GPU-microseconds. */
WideTime workload_gpu_time(const Workload *workload);

/* Hash of everything in the jobs that a run depends on, 16 hexadecimal digits: equal jobs, equal hash. */
void workload_hash(const Workload *workload, char text[17]);

#endif
