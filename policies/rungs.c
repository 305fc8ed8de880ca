/* policies/rungs.c -- milestones, and a running quantile for each and each family. */
#include "policies/rungs.h"

#include <math.h>

#include "sim/base/err.h"

void rungs_open(Rungs *rungs, int grace, double factor)
{
    MUST(grace >= 1 && factor >= 2);
    rungs->n = 0;
    for (double at = grace; rungs->n < MOST_RUNGS && at < 1e9; at *= factor)
        rungs->milestone[rungs->n++] = (int)lround(at);
    for (int f = 0; f < N_FAMILIES; f++)
        for (int i = 0; i < rungs->n; i++) {
            rungs->seen[f][i] = (gsl_rstat_quantile_workspace){.p = 1 - 1 / factor};
            gsl_rstat_quantile_reset(&rungs->seen[f][i]);
        }
}

int rungs_at(const Rungs *rungs, int epoch)
{
    for (int i = 0; i < rungs->n && rungs->milestone[i] <= epoch; i++)
        if (rungs->milestone[i] == epoch) return i;
    return -1;
}

void rungs_add(Rungs *rungs, const Family *family, int rung, double accuracy)
{
    gsl_rstat_quantile_add(accuracy, &rungs->seen[family - families][rung]);
}

bool rungs_below(Rungs *rungs, const Family *family, int rung, double accuracy)
{
    gsl_rstat_quantile_workspace *seen = &rungs->seen[family - families][rung];
    return seen->n >= 2 && accuracy < gsl_rstat_quantile_get(seen);
}
