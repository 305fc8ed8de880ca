/* sim/report/runset.h -- finished runs, found again by their run.json.
 *
 * A RUN operand is a folder with run.json, or one above such folders; those are taken in name order.  Hidden folders,
 * where runs that are not finished lie, are passed over.
 */
#ifndef SIM_REPORT_RUNSET_H
#define SIM_REPORT_RUNSET_H

#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/simtime.h"

typedef struct FoundRun {
    const char *folder;
    const char *policy;
    const char *workload_hash;
    const char *group;                   /* the folder of the policy: runs that differ in the seed only share it */
    int64_t measure_first, measure_last; /* rows of jobs.csv that are measured */
    int64_t seed;                        /* -1: not told */
    uint64_t device, inode;              /* of its run.json: two ways to one folder */
    bool complete;
} FoundRun;

typedef struct RunSet {
    FoundRun *run; /* [n], operand by operand */
    int n, capacity;
} RunSet;

/* Adds the runs of one operand that are not there yet.  False: none there, or a run.json that is none. */
bool runset_add(RunSet *set, const char *operand, Arena *arena, Err *err);

/* The runs of one policy, which differ in their seeds. */
typedef struct RunGroup {
    const char *folder; /* what they share */
    const char *policy;
    const char *title;  /* the policy, with what tells its folder from others' where that is not enough */
    int *run;           /* [n], numbers in the set */
    int n, same_policy; /* how many groups of this policy came before */
} RunGroup;

/* In the order of the runs; *n of them. */
RunGroup *runset_groups(const RunSet *set, int *n, Arena *arena);

const char *run_file(const FoundRun *run, const char *name, Arena *arena); /* FOLDER/name */
bool run_measures(const FoundRun *run, int64_t row);                       /* this row of jobs.csv */

/* The completion times of the measured jobs that completed, sorted; *n of them.  NULL: err tells. */
SimTime *run_read_jcts(const FoundRun *run, Arena *arena, int64_t *n, Err *err);

#endif
