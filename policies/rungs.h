/* policies/rungs.h -- how good jobs of a kind were at milestones, and whether one is good enough: HyperSched's rungs.
 *
 * Milestones are grace, grace x factor, grace x factor^2, ... epochs (successive halving: Li et al., "A System for
 * Massively Parallel Hyperparameter Tuning", MLSys 2020).  Each keeps the quantile 1 - 1/factor of the accuracies seen
 * there, its cutoff, as a running estimate in constant space: GSL's, after Jain and Chlamtac (1985), exact up to four.
 */
#ifndef POLICIES_RUNGS_H
#define POLICIES_RUNGS_H

#include <stdbool.h>

#include <gsl/gsl_rstat.h>

#include "sim/model/family.h"

enum { MOST_RUNGS = 24 };

typedef struct Rungs {
    int n;
    int milestone[MOST_RUNGS];
    gsl_rstat_quantile_workspace seen[N_FAMILIES][MOST_RUNGS];
} Rungs;

void rungs_open(Rungs *rungs, int grace, double factor);
int rungs_at(const Rungs *rungs, int epoch); /* the rung that this epoch is, or -1 */
void rungs_add(Rungs *rungs, const Family *family, int rung, double accuracy);

/* An accuracy is below the cutoff of its rung; two have to be there. */
bool rungs_below(Rungs *rungs, const Family *family, int rung, double accuracy);

#endif
