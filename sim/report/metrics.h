/* sim/report/metrics.h -- what a run amounts to: the numbers of summary.json, by the definitions of docs/output.md.
 *
 * Figures about jobs are over the measured ones; the others loaded the cluster all the same and count in the states,
 * the makespan and everything about GPUs.
 */
#ifndef SIM_REPORT_METRICS_H
#define SIM_REPORT_METRICS_H

#include <limits.h>

#include "sim/engine/sim.h"
#include "sim/report/fairness.h"
#include "sim/report/stats.h"

typedef struct Measure { /* jobs first <= id < last are measured */
    int first, last;
} Measure;

#define MEASURE_ALL ((Measure){0, INT_MAX})

/* Those submitted at from <= submit < to, in the trace's clock; TIME_NEVER as `to`: no end. */
Measure measure_by_submit(const Workload *workload, SimTime from, SimTime to);

typedef enum { STATE_COMPLETED, STATE_RUNNING, STATE_QUEUED, STATE_UNSCHEDULABLE, STATE_NOT_ARRIVED } ReportState;
enum { N_REPORT_STATES = STATE_NOT_ARRIVED + 1 };
const char *report_state_name(ReportState state); /* "completed", ... */

/* One job as the reports tell it; TIME_NEVER: no such value. */
typedef struct JobFigures {
    ReportState state;
    SimTime jct;        /* end - submit */
    SimTime wait_first; /* first start - submit */
    SimTime wait;       /* time in the system, up to the end of the run, with none of its tasks running */
    SimTime service;    /* sum of its running intervals up to the end of the run */
    bool has_deadline, deadline_met;
    bool has_accuracy, accuracy_met; /* a required one, by min(end, deadline) */
    double accuracy;                 /* reached by then; NaN where none is modelled */
    SimTime accurate;                /* from submission until the required one was reached */
} JobFigures;
JobFigures job_figures(const SimResult *result, JobId id);

/* Measured jobs of one size.  Every job is in exactly one class: the last one has no upper end. */
typedef struct SizeClass {
    const char *gpus; /* "1", "2-4", "5-8", "9+" */
    int64_t measured, completed;
    double jct_mean_s, wait_mean_s;
} SizeClass;
enum { N_SIZE_CLASSES = 4 };
int size_class_of(int64_t n_gpus);
const char *size_class_name(int class);

typedef struct Metrics { /* NaN, TIME_NEVER, -1: no such value */
    int64_t submitted, state[N_REPORT_STATES], stopped_early, measured;
    Distribution jct, wait, wait_first, slowdown, accurate; /* seconds but for slowdown */
    double jct_below_100min;                                /* share of the completed ones */
    SimTime makespan;
    double deadline_met, accuracy_mean, accuracy_met;
    double deadline_met_urgent; /* of the jobs whose urgency is above 8 of 10, as in the paper's figure 6 */
    int64_t bytes, move_bytes;  /* between servers: all, and by migration */
    double gpu_allocation, gpu_utilisation, offered_load;
    Fairness fairness;
    int64_t preemptions, migrations, overloads, refusals;
    WideTime useful, restart, idle; /* GPU-microseconds held: computing, stalled, waiting for the rest of the gang */
    WideTime backlog;               /* GPU-microseconds not yet done at the last arrival */
    SimTime span;                   /* of gpu_allocation */
    bool oracle;
    SizeClass by_size[N_SIZE_CLASSES];
} Metrics;

Metrics metrics_of(const SimResult *result, const Workload *workload, const ClusterSpec *cluster, Measure measure,
                   Arena *scratch);

#endif
