/* sim/model/jobset.h -- a set of job ids that is walked in submit order.
 *
 * Three levels of bits: putting in, taking out and finding the next member cost a few instructions however many jobs
 * there are, so a policy can look at the head of a queue of thousands for free.
 */
#ifndef SIM_MODEL_JOBSET_H
#define SIM_MODEL_JOBSET_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/model/workload.h"

typedef struct JobSet {
    uint64_t *bit[3]; /* bit[0]: one a job; bit[k+1]: one a word of bit[k] that is not zero */
    int n_words[3];
    int size; /* ids are 0 .. size-1 */
    int n;    /* members */
} JobSet;

JobSet jobset_make(Arena *arena, int size);
void jobset_put(JobSet *set, JobId id);  /* must not be in */
void jobset_take(JobSet *set, JobId id); /* must be in */
bool jobset_has(const JobSet *set, JobId id);
JobId jobset_next(const JobSet *set, JobId from); /* smallest member >= from, or -1 */

/* for each member in submit order; taking out the current member inside is fine */
#define EACH_JOB(id, set) for (JobId id = jobset_next((set), 0); (id) >= 0; (id) = jobset_next((set), (id) + 1))

#endif
