/* sim/report/report.h -- the files of one finished run.
 *
 * A run writes into the working folder of an OutDir: timeline.csv as it goes (sim/report/recorders.h), then report_run
 * the rest, summary.json last.  What each file says is docs/output.md.
 */
#ifndef SIM_REPORT_REPORT_H
#define SIM_REPORT_REPORT_H

#include "rl/kernel.h"
#include "sim/report/metrics.h"
#include "traces/select.h"

/* Keys `out.*`. */
extern const Param out_params[];

/* What to take from every time before it is written: 0, or the first submission under out.origin=first. */
SimTime out_origin(const Params *params, const Workload *workload);

/* Jobs and cluster in one hash, 16 hexadecimal digits: runs with the same one can be compared job by job. */
void report_hash_workload(const Workload *workload, const ClusterSpec *cluster, char text[17]);

typedef struct RunOption {
    const char *name;  /* "cluster", without dashes */
    const char *value; /* as typed; NULL: a flag */
} RunOption;

typedef struct RunReport {
    const char *const *command; /* [n_command] the command line */
    int n_command;
    const char *policy; /* as typed, or a plugin's own name */
    const SimConfig *config;
    const char *workload_hash; /* of report_hash_workload: once for all runs over it */
    const SimResult *result;
    const Metrics *metrics;
    const Selection *selection; /* what made config->workload of the trace */
    Measure measure;

    /* Every option in force that changes results, so that --config can repeat the run; not -o, -j, -q and their like:
     * equal runs write equal files. */
    const RunOption *option;
    int n_options;

    double seconds; /* wall clock of the simulation; these go to overhead.json only */
    int threads;
    KernelFacts blas; /* what multiplied for a net; build NULL: there was none */
} RunReport;

bool report_run(const RunReport *report, const char *folder, Arena *scratch, Err *err);

/* The files one by one, as report_run writes them. */
bool write_jobs_csv(const RunReport *report, const char *path, Arena *scratch, Err *err);
bool write_overhead_json(const RunReport *report, const char *path, Arena *scratch, Err *err);
bool write_run_json(const RunReport *report, const char *path, Arena *scratch, Err *err);
bool write_summary_json(const RunReport *report, const char *path, Arena *scratch, Err *err);

#endif
