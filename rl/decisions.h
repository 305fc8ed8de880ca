/* rl/decisions.h -- recorded decisions: candidates with their features, which of them were legal, which was chosen. */
#ifndef RL_DECISIONS_H
#define RL_DECISIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"

typedef struct Decision {
    int64_t first; /* row of its first candidate */
    int n;         /* candidates, 1 or more */
    int chosen;    /* 0 .. n-1, a legal one */
    int tick;      /* the caller's: which advantage is its own */
    double advantage;
    int job; /* the caller's as well, to be set after decision_add */
} Decision;

/* The decisions of one rollout or one imitated run, in the order in which they were taken. */
typedef struct DecisionLog {
    Arena *arena;
    int n_features;
    float *feature; /* (n_rows, n_features) */
    bool *legal;    /* [n_rows] */
    int64_t n_rows, row_room;
    Decision *decision; /* [n] */
    int n, room;
} DecisionLog;

DecisionLog decision_log(Arena *arena, int n_features);

/* `feature` is (n, n_features), `legal` [n] or NULL for all; both are copied. */
void decision_add(DecisionLog *log, int n, const float *feature, const bool *legal, int chosen, int tick);

/* Keeps the decisions of every `stride`-th tick. */
void decision_log_thin(DecisionLog *log, int stride);

void decision_log_clear(DecisionLog *log); /* no decisions, the room kept */

#endif
