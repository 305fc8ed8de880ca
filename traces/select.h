/* traces/select.h -- which jobs of a trace are replayed, and how densely they arrive. */
#ifndef TRACES_SELECT_H
#define TRACES_SELECT_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/model/workload.h"

typedef struct Selection {          /* applied in this order */
    SimTime window_from, window_to; /* window_from <= submit < window_to, trace clock; TIME_NEVER as window_from: all */
    int64_t first, last;            /* positions in submit order, half open; last = INT64_MAX: to the end */
    int64_t sample;                 /* that many jobs, seeded, order kept; 0: all */
    double load;                    /* floor(load) copies of each job and one more with the probability of the rest */
    double arrival_scale;           /* submit = first + (submit - first) * scale, rounded to the microsecond */
} Selection;

#define SELECT_ALL                                                                                                     \
    ((Selection){.window_from = TIME_NEVER, .window_to = TIME_NEVER, .last = INT64_MAX, .load = 1, .arrival_scale = 1})

/* No job left, or a sample larger than the table: false, err tells. */
bool select_jobs(const Workload *from, const Selection *selection, uint64_t seed, Arena *arena, Workload *to, Err *err);

#endif
