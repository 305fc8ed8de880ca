/* sim/cli/runoptions.h -- the options of `run`, read and checked; what depends on the trace is settled once it is
 * there.
 */
#ifndef SIM_CLI_RUNOPTIONS_H
#define SIM_CLI_RUNOPTIONS_H

#include "sim/cli/selecting.h"
#include "sim/report/metrics.h"

typedef struct RunOptions {
    const char *trace;    /* path, "-" */
    const char *format;   /* NULL: told by content */
    const char *policies; /* comma list */
    const char *cluster;
    const char *preset;
    int64_t first_seed, last_seed;
    bool seeds; /* --seeds was given: results go one folder deeper */
    Selecting selecting;
    const char *measure; /* as typed; NULL: all jobs */
    SimTime horizon;     /* TIME_NEVER: none */
    bool strict, oracle;
    int threads;
    const char *out;               /* folder */
    const char *events, *timeline; /* NULL: not wanted */
    SimTime checkpoint;            /* between two; TIME_NEVER: none */
    bool resume;
    const char *explain; /* id of a job; NULL: the table is printed */
    bool quiet, verbose;
} RunOptions;

extern const Option run_option_table[];

bool run_options_read(const Invocation *inv, RunOptions *options, Err *err);

/* Which jobs of the table are measured; a date needs a trace that has dates. */
bool run_options_measure(const RunOptions *options, const Workload *workload, Measure *measure, Err *err);

#endif
