/* policies/training.h -- from a trace to a trained net: MLF-H imitated, then REINFORCE (docs/rl.md).
 *
 * Only the first half of the jobs is looked at.  MLF-H runs the first part of it: its results fix the constants of the
 * reward, its decisions are imitated until the agreement on those held out (one tick in ten) stops rising.  Then, again
 * and again: a piece of the half is replayed by many rollouts that differ only in what they draw, and one step of
 * policy gradient is taken; now and then the net's favourites are tried on longer pieces, and the net that did best
 * there is the result.  Equal inputs give an equal model, whatever the number of threads, and whether or not the
 * training was interrupted on the way.  Keys: group rl.
 */
#ifndef POLICIES_TRAINING_H
#define POLICIES_TRAINING_H

#include "policies/episode.h"

typedef struct TrainingSetup {
    const char *policy;   /* "mlf-rl" or "rl" */
    const Workload *jobs; /* both halves */
    const ClusterSpec *cluster;
    const Params *params;
    uint64_t seed; /* of the jobs */
    int n_threads;
    const char *path; /* of the model; PATH.csv is the learning curve, PATH.checkpoint what `resume` takes up again */
    bool resume;
    const char *from; /* a model whose net the training starts with, instead of imitating; NULL: none */

    void (*tell)(void *self, const char *line); /* after each step */
    bool (*go_on)(void *self);                  /* false: stop after this step, with a checkpoint */
    void *self;
} TrainingSetup;

/* False: err tells.  *finished is false if go_on stopped it. */
bool training_run(const TrainingSetup *setup, Arena *arena, bool *finished, Err *err);

#endif
