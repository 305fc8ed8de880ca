/* sim/cli/selecting.h -- the options that say which jobs of a trace a command is about. */
#ifndef SIM_CLI_SELECTING_H
#define SIM_CLI_SELECTING_H

#include "sim/cli/options.h"
#include "traces/select.h"

/* Rows for a command's table of options. */
#define SELECTING_OPTIONS                                                                                              \
    {"load",                                                                                                           \
     0,                                                                                                                \
     "X",                                                                                                              \
     "1",                                                                                                              \
     "how many copies of each job arrive, close together; a fraction is one more copy with that probability",          \
     false},                                                                                                           \
        {"arrival-scale", 0, "X", "1", "stretch (> 1) or press (< 1) the time between submissions", false},            \
        {"jobs", 0, "A:B", "all", "jobs A to B-1 in submit order, counted from 0; an end may be left out", false},     \
        {"sample", 0, "N", "all", "N jobs drawn with the seed", false},                                                \
        {"window", 0, "T0:T1", "all", "jobs with T0 <= submit < T1, in seconds of the trace or as UTC dates", false},  \
    {                                                                                                                  \
        "format", 0, "NAME", "told by content", "the trace's format; `mlfs-sim list formats` names them all", false    \
    }

typedef struct Selecting {
    Selection selection;
    bool dated; /* --window speaks of dates */
} Selecting;

bool selecting_read(const Invocation *inv, Selecting *selecting, Err *err);

/* An option speaks of dates and the trace has none: always false. */
bool tell_no_dates(const char *option, const Workload *workload, Err *err);

/* --window with a date needs a trace that has dates. */
bool selecting_check(const Selecting *selecting, const Workload *workload, Err *err);

#endif
