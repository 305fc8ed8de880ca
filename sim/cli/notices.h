/* sim/cli/notices.h -- what is worth telling on stderr and is no error (not with -q). */
#ifndef SIM_CLI_NOTICES_H
#define SIM_CLI_NOTICES_H

#include "sim/cli/runplan.h"
#include "sim/report/runset.h"

/* Records that were skipped, columns that were ignored: one line each, if there were any. */
void notice_trace(const Workload *trace, bool verbose);

/* One line on what is run with which seed and scales, and a warning when more work arrives than the cluster can do. */
void notice_plan(const RunPlan *plan);

/* Jobs that no run could ever start, once the runs are over. */
void notice_unschedulable(const RunPlan *plan);

/* Jobs that policy `replay` could not start when the log did. */
void notice_late(const RunPlan *plan);

/* Finished runs that are none: they were interrupted. */
void notice_interrupted(const RunSet *set);

#endif
