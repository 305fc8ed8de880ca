/* sim/cli/runplan.h -- policies x seeds as a list of runs over one trace, carried out on several threads.
 *
 * The list is in the order of the policies given, seeds rising within each.  Runs share the job table wherever it
 * does not depend on the seed.  When one fails the others are finished all the same; a policy's folder
 * appears once all its runs went well.
 */
#ifndef SIM_CLI_RUNPLAN_H
#define SIM_CLI_RUNPLAN_H

#include <pthread.h>

#include "sim/cli/choice.h"
#include "sim/cli/progress.h"
#include "sim/cli/runcheckpoint.h"
#include "sim/cli/runoptions.h"
#include "sim/model/jobmodel.h"
#include "sim/report/outdir.h"

typedef struct PolicyFolder { /* DIR/POLICY */
    const Choice *choice;
    OutDir dir;
    int n_left; /* runs that are not over */
    int n_written;
    bool failed;
} PolicyFolder;

/* The jobs of one selection, reshaped and with their inside: made when the first run needs them, freed after the last.
 */
typedef struct JobTable {
    pthread_mutex_t lock;
    uint64_t seed;
    bool made;
    int n_left; /* runs that will still need it */
    Arena arena;
    Workload jobs;
    bool has_inside; /* run.physics */
    JobModels models;
    char hash[17]; /* of these jobs on the plan's cluster */
    Measure measure;
    const JobSpec *explained; /* NULL: none */
    Err err;
} JobTable;

typedef struct PlannedRun {
    PolicyFolder *policy;
    JobTable *table;
    uint64_t seed;
    const char *subfolder; /* "/seed-N" or "" */
    const char *events;    /* NULL: not wanted */
    const char *timeline;  /* NULL: not wanted */

    /* Filled as it is carried out. */
    bool written; /* its files are in the policy's folder */
    int n_late;   /* jobs that did not start when the log did, for a policy that means them to */
    Metrics metrics;
    Err err;
} PlannedRun;

typedef struct RunPlan {
    Arena *arena; /* not for the threads */
    const Invocation *inv;
    const RunOptions *options;
    const Workload *trace; /* all of it */
    const ClusterSpec *cluster;
    const Params *params;

    PolicyFolder *policy; /* [n_policies] */
    int n_policies;
    JobTable *table; /* [n_tables]: one, or one a seed */
    int n_tables;
    PlannedRun *run; /* [n_runs], policy by policy */
    int n_runs;

    RunCheckpoint *checkpoint; /* NULL: none are written */
    struct Running *running;   /* the run that goes on, where there are checkpoints */

    pthread_mutex_t lock; /* for what follows and the PolicyFolders */
    int n_taken;
    Progress progress;
} RunPlan;

/* Fills in the lists of a plan whose first members are set.  Close it whatever comes. */
bool run_plan_open(RunPlan *plan, const Choice choice[], int n_choices, Err *err);
void run_plan_close(RunPlan *plan);

/* The run's job table, made if need be (false: err tells); every run that took one gives it back. */
bool job_table_take(JobTable *table, const RunPlan *plan, Err *err);
void job_table_give(JobTable *table);

/* Carries out all runs.  False: err has the failure of the first run, in the plan's order, that failed. */
bool run_plan_execute(RunPlan *plan, Err *err);

/* The same in a later process, which has the plan's memory back: goes on with the run that was going on. */
bool run_plan_continue(RunPlan *plan, Err *err);

#endif
