/* traces/phillyout.h -- a generated job table in the schema of Philly's cluster_job_log.
 *
 * The log's fields, order and indentation, so that the reader of the real file can be tried at its full scale.  What
 * the job table does not hold is drawn as in the log: the wait before the first attempt, how many attempts a job took,
 * the gaps between them, machines and GPU numbers.  The attempts' run times add up to the job's.
 */
#ifndef TRACES_PHILLYOUT_H
#define TRACES_PHILLYOUT_H

#include "sim/base/out.h"
#include "sim/model/workload.h"

/* Every job has a status and a virtual cluster, and its times are whole seconds since 1970 (MUST). */
void philly_write(Out *out, const Workload *workload, uint64_t seed);

#endif
