/* sim/cli/tracein.h -- the trace a command was given, read with the parameters in force. */
#ifndef SIM_CLI_TRACEIN_H
#define SIM_CLI_TRACEIN_H

#include "sim/base/params.h"
#include "sim/cli/selecting.h"

typedef struct TraceIn {
    Params params;
    Selecting selecting;
    uint64_t seed;
    Workload whole; /* nothing selected yet */
} TraceIn;

/* The first operand.  What the reader skipped is told on stderr, but for -q. */
bool trace_in_read(const Invocation *inv, TraceIn *in, Err *err);

#endif
