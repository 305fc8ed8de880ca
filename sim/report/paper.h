/* sim/report/paper.h -- the figures of the MLFS paper beside ours, from a folder of runs.
 *
 * Which figure a run belongs to is read from its run.json, not from its folder's name: the preset (paper-real: figure 4
 * and the ablations 6 to 9, paper-sim: figure 5), the number of jobs or the load, the policy, and which part of MLF-H
 * is switched off.  Runs of other presets are passed over.  The paper's values were read off its figures
 * (scripts/figures/paper_*.csv); its bars are medians over ten runs, and so are ours over the seeds that are there.
 */
#ifndef SIM_REPORT_PAPER_H
#define SIM_REPORT_PAPER_H

#include "sim/report/plot.h"

/* Whose values stand side by side: one policy (or "with" and "without") at one load of one panel. */
typedef struct PaperValue {
    int figure;
    const char *panel; /* "b" */
    double load;       /* jobs in figures 4 and 6 to 9, the load in figure 5 */
    const char *policy;
    double paper; /* NaN: not in the paper */
    double *ours; /* [n_ours], a value per seed */
    int n_ours, room;
} PaperValue;

typedef struct PaperTable {
    PaperValue *value; /* [n], the paper's in its order, then what only we have */
    int n, room;
    const RunSet *set;
    Arena *arena;
} PaperTable;

bool paper_gather(PaperTable *table, const RunSet *set, Arena *arena, Err *err);

/* What the paper calls this policy here; whether a whole run belongs to that figure at that load. */
const char *paper_policy(const char *policy);
bool paper_is_at(const FoundRun *run, int figure, double load, Arena *arena, Err *err);

double paper_median(const PaperValue *value, Arena *arena); /* of ours */

/* fig4a.. fig9b, those for which there are runs, and paper.csv with every value and Kendall's tau of each order. */
bool plot_paper(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err);

#endif
