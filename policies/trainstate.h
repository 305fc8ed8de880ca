/* policies/trainstate.h -- a training between its steps, shared by training.c, trainschool.c and trainfiles.c only. */
#ifndef POLICIES_TRAINSTATE_H
#define POLICIES_TRAINSTATE_H

#include "policies/training.h"
#include "policies/trainlog.h"
#include "rl/features.h"

enum { MOST_LOADS = 16 };

typedef struct Training {
    const TrainingSetup *setup;
    Arena *arena;
    Err *err;
    Workload half;
    Stage stage;
    RewardRule rule;
    bool plain;
    Agent agent;
    uint64_t seed; /* rl.seed */
    int warm, ticks, window, n_rollouts, check_every;
    double discount, selfish, load[MOST_LOADS];
    int n_loads;

    bool stopped; /* while it was taught: nothing is worth keeping yet */
    TrainLog log;
    int iteration;           /* of REINFORCE, the next */
    double memory, *average; /* [n_parameters]: of the nets so far, the older the less; it is what is tried and kept */
    double best_check;       /* -INFINITY: none yet */
    double *best;            /* [n_parameters]: the net that had it */

    Segment *check;        /* [n_checks] */
    double *check_teacher; /* [n_checks]: MLF-H's mean reward there */
    int n_checks;
    DecisionLog *record; /* [n_rollouts] */
    Arena *record_arena;
    double *reward; /* [n_rollouts + 1][warm + ticks + window] */
} Training;

double training_number(const Training *t, const char *name); /* of the keys rl.* */
int training_whole(const Training *t, const char *name);
void training_tell(const Training *t, const char *line);
bool training_may_go_on(const Training *t); /* one process decides for all */

/* ---- trainschool.c ---- */

/* Fixes the constants of the reward and goes through MLF-H's decisions.  The baseline `rl` has no teacher, and one that
 * starts with a net needs none. */
bool training_begin(Training *t);

/* ---- trainfiles.c ---- */
bool training_keep(Training *t);    /* PATH.checkpoint and PATH.csv */
bool training_take_up(Training *t); /* as the checkpoint has it */
bool training_finish(Training *t);  /* PATH and PATH.csv; no checkpoint any more */

#endif
