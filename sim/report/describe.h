/* sim/report/describe.h -- what is in a trace, in numbers and as a page of text. */
#ifndef SIM_REPORT_DESCRIBE_H
#define SIM_REPORT_DESCRIBE_H

#include "sim/base/out.h"
#include "sim/model/workload.h"
#include "sim/report/stats.h"

typedef struct Tally { /* jobs that have one thing in common */
    const char *name;
    int64_t jobs;
    WideTime gpu_time; /* GPU-microseconds */
} Tally;

typedef struct Tallies {
    Tally *row;
    int n;
} Tallies;

typedef struct RunTimes { /* of the jobs of one size */
    WideTime gpu_time;
    Distribution seconds;
    double p25_s, p75_s; /* NaN without jobs */
} RunTimes;
enum { N_RUN_TIMES = 5 }; /* 1, 2 to 4, 5 to 8, more than 8 GPUs; all */

typedef struct Description {
    Tallies gpus;   /* by GPU count, ascending */
    Tallies status; /* most jobs first, as the rest; empty where the trace does not say */
    Tallies vc, model;
    int64_t users; /* different ones; 0: the trace does not say */
    RunTimes run_time[N_RUN_TIMES];
    double gpus_mean;
    WideTime gpu_time;
    SimTime first, last;                 /* submissions */
    double gap_mean_s, gap_cv, gap_zero; /* between neighbouring submissions; zero: share of them; NaN: too few jobs */
    int64_t days;                        /* from the first to the last, counted from the clock's zero (UTC dates) */
    double day_mean, day_median;
    int64_t day_max;
    double offered_gpus; /* GPU time / (last - first); NaN if that is 0 */
    int64_t peak_gpus;   /* the most GPUs in use at once if no job ever waited */
} Description;

/* Of one job or more. */
Description describe_workload(const Workload *workload, Arena *arena);
void description_write(Out *out, const Description *description, const Workload *workload);

#endif
