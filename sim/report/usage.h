/* sim/report/usage.h -- what happened over time, few enough points to look at.
 *
 * A timeline has a row per decision, up to millions.  Here it is cut into equal stretches and averaged over each, so
 * that nothing is lost but detail: the area under a curve is that of the timeline.
 */
#ifndef SIM_REPORT_USAGE_H
#define SIM_REPORT_USAGE_H

#include "sim/report/runset.h"

typedef struct Usage {
    SimTime from, stretch; /* since the first row of the timeline; stretch i begins at from + i * stretch */
    double *busy_gpus;     /* [n], means over the stretch */
    double *waiting_jobs;
    double *running_jobs;
    double gpus;
    int n;
} Usage;

/* Of timeline.csv in `n` stretches; usage->n is 0 when nothing took any time. */
bool usage_read(const FoundRun *run, int n, Usage *usage, Arena *arena, Err *err);

#endif
