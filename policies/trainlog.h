/* policies/trainlog.h -- how a training went: a row a step, as CSV. */
#ifndef POLICIES_TRAINLOG_H
#define POLICIES_TRAINLOG_H

#include "sim/base/arena.h"
#include "sim/base/err.h"

typedef enum {
    TRAIN_PHASE, /* 0: imitation, a row an epoch; 1: REINFORCE, a row an iteration */
    TRAIN_STEP,  /* in its phase, from 0 */
    TRAIN_LOSS,
    TRAIN_ENTROPY,
    TRAIN_AGREEMENT, /* held out; of REINFORCE: favourites among what was drawn */
    TRAIN_DECISIONS,
    TRAIN_REWARD,  /* mean over ticks and rollouts; NaN in imitation, as the next four */
    TRAIN_TEACHER, /* what MLF-H gets on the same jobs */
    TRAIN_SPREAD,  /* standard deviation of returns about the baseline */
    TRAIN_LOAD,
    TRAIN_START_S, /* of its segment */
    TRAIN_CHECK,   /* reward on the check segments less MLF-H's; NaN: not looked at */
    N_TRAIN_COLUMNS
} TrainColumn;

typedef struct TrainLog {
    Arena *arena;
    double (*row)[N_TRAIN_COLUMNS]; /* [n] */
    int n, room;
} TrainLog;

/* The new row, with NaN in it but for phase and step. */
double *trainlog_add(TrainLog *log, int phase, int step);
bool trainlog_write(const TrainLog *log, const char *path, Arena *scratch, Err *err);

#endif
