/* traces/reshape.h -- a trace's jobs in another world: what the presets paper-real and paper-sim do to a workload.
 *
 * The MLFS paper keeps the order and the relative spacing of Philly's arrivals, but its GPU counts, run times and
 * makespans cannot be the log's (docs/model.md).  Keys that are all off by default:
 *     model.gpus=uniform            n_gpus is one of workload.gpu_choices, each as likely
 *     workload.durations=lognormal  by median and mean, then clamped to a range
 *     workload.span=scaled          arrivals stretched so that N jobs arrive within span_h · (N / span_jobs)^span_power
 * Draws are named by (seed, job name): a job's new size does not depend on what else is replayed.  (That only passed
 * jobs are replayed is trace.status=pass, when the trace is read.)
 */
#ifndef TRACES_RESHAPE_H
#define TRACES_RESHAPE_H

#include "sim/base/params.h"
#include "sim/model/workload.h"

extern const Param workload_params[]; /* keys workload.* */

/* Whether the outcome depends on the seed. */
bool reshape_draws(const Params *params);

/* After select_jobs, whose N counts.  Reads groups `workload` and `model`; with all three off *to shares the table of
 * `from`.  False: err tells of keys that contradict each other, or of a time too large for the clock.  What a trace
 * says of replicas and partitions is dropped where the GPUs are drawn anew: it was said of another gang. */
bool reshape_workload(const Workload *from, const Params *params, uint64_t seed, Arena *arena, Workload *to, Err *err);

#endif
