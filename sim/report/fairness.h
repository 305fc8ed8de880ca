/* sim/report/fairness.h -- finish-time fairness: what sharing the cluster did to each job.
 *
 * For a job of n GPUs that completed, with N the mean number of live jobs over its time in the system (its virtual
 * cluster's, itself among them) and G the GPUs there,
 *     rho = completion time / (ideal running time x max(1, n N / G)):
 * on an isolated share of 1/N of the GPUs, G/N of them, it would run undisturbed if it asks for no more than that and
 * proportionally slower if it asks for more (Mahajan et al., Themis, NSDI 2020).  Above 1 the share would have been
 * better for it.
 */
#ifndef SIM_REPORT_FAIRNESS_H
#define SIM_REPORT_FAIRNESS_H

#include "sim/engine/sim.h"

typedef struct Fairness { /* NaN: no job has a value */
    double max, mean;
    double unfair;     /* share of the jobs with rho above 1 */
    const double *rho; /* of every job, NaN where it has none; in the scratch memory, so for as long as that lasts */
} Fairness;

/* Over the jobs first <= id < last that completed and had anything to do. */
Fairness fairness_of(const SimResult *result, const Workload *workload, const ClusterSpec *cluster, int first, int last,
                     Arena *scratch);

#endif
