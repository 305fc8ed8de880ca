/* traces/arrivals.h -- when the jobs of a generated trace are submitted. */
#ifndef TRACES_ARRIVALS_H
#define TRACES_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/simtime.h"

typedef enum {
    ARRIVALS_PHILLY,  /* days, hours and bursts as in the log, counted from 1970, whole seconds */
    ARRIVALS_POISSON, /* counted from 0, to the microsecond */
    ARRIVALS_REGULAR, /* likewise, the first at 0 */
} ArrivalLaw;

typedef struct Arrivals {
    ArrivalLaw law;
    double rate; /* jobs a second; for ARRIVALS_PHILLY times the log's own density */
} Arrivals;

/* "philly", "philly:X" (X times as dense), "poisson:RATE", "det:RATE" (RATE jobs a second); false: err tells. */
bool arrivals_parse(const char *text, Arrivals *arrivals, Err *err);

/* Sorted.  Times past the clock's limit: false, err tells. */
bool arrivals_draw(const Arrivals *arrivals, uint64_t seed, SimTime at[], int n, Err *err);

#endif
