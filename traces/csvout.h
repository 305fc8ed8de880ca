/* traces/csvout.h -- a job table as the native CSV. */
#ifndef TRACES_CSVOUT_H
#define TRACES_CSVOUT_H

#include "sim/base/out.h"
#include "sim/model/workload.h"

/* job_id,submit_s,n_gpus,duration_s and those optional columns in which some job has a value; every value reads back
 * as it was. */
void workload_write_csv(Out *out, const Workload *workload);

#endif
