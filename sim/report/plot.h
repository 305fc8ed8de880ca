/* sim/report/plot.h -- figures of finished runs, drawn by gnuplot from the runs' own files.
 *
 * Beside each picture lie its data and the gnuplot script that draws it, to be edited.
 */
#ifndef SIM_REPORT_PLOT_H
#define SIM_REPORT_PLOT_H

#include "sim/report/runset.h"

/* A step of a cumulative distribution: this share of the jobs took no longer than that. */
typedef struct CdfStep {
    SimTime at;
    double share;
} CdfStep;

/* The steps of n sorted times, ties merged, the last share exactly 1; room for n.  Returns how many. */
int64_t cdf_steps(const SimTime sorted[], int64_t n, CdfStep step[]);

/* Keeps at most `most` of them: the first, the last, and those that move the curve visibly on a logarithmic axis.  What
 * is kept is unchanged.  Returns how many. */
int64_t cdf_thin(CdfStep step[], int64_t n, int64_t most);

/* DIR/jct_cdf.{dat,gp,png,svg}: the share of jobs completed within a time, a curve per policy; the seeds of a policy
 * are pooled.  Where gnuplot is missing or fails the data and the script stay. */
bool plot_jct_cdf(const RunSet *set, const char *dir, Arena *arena, Err *err);

#endif
