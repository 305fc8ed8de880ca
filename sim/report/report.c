/* sim/report/report.c -- all files of a run, in the order that leaves the summary for last. */
#include "sim/report/report.h"

#include <string.h>

const Param out_params[] = {
    CHOICE_PARAM("origin", "trace", "trace|first",
                 "times in outputs: the trace's own clock, or since the first submission"),
    {0},
};

SimTime out_origin(const Params *params, const Workload *workload)
{
    bool first = strcmp(params_text(params, "out", "origin"), "first") == 0;
    return first && workload->n ? workload->job[0].submit : 0;
}

bool report_run(const RunReport *report, const char *folder, Arena *scratch, Err *err)
{
    return write_jobs_csv(report, arena_format(scratch, "%s/jobs.csv", folder), scratch, err) &&
           write_overhead_json(report, arena_format(scratch, "%s/overhead.json", folder), scratch, err) &&
           write_run_json(report, arena_format(scratch, "%s/run.json", folder), scratch, err) &&
           write_summary_json(report, arena_format(scratch, "%s/summary.json", folder), scratch, err);
}
