/* sim/report/plot.h -- figures of finished runs, drawn by gnuplot from the runs' own files.
 *
 * Beside each picture lie its data and the gnuplot script that draws it, to be edited.  The seeds of a policy are
 * pooled where jobs are counted; what happens over time is that of its first seed.
 */
#ifndef SIM_REPORT_PLOT_H
#define SIM_REPORT_PLOT_H

#include "sim/report/figure.h"

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

/* jct_cdf, jct_cdf_by_size, jct_cdf_by_vc, fairness: cumulative distributions.  False: err tells, drawing has stopped.
 */
bool plot_distributions(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err);

/* The distribution of completion times of one group, its seeds pooled; no points when no job completed. */
bool plot_jct_curve(const RunSet *set, const RunGroup *group, int series, FigureCurve *curve, Arena *arena, Err *err);

/* cluster_use: busy GPUs and waiting jobs over time. */
bool plot_cluster_use(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err);

/* training: a panel for each column and phase of learning curves that `train` wrote, over the steps. */
bool plot_training(const char *const path[], int n_paths, const char *dir, Drawn *drawn, Arena *arena, Err *err);

#endif
