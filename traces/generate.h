/* traces/generate.h -- synthetic traces: like Philly's, or those of queueing theory.
 *
 * Every quantity of a job comes from a stream of its own named by (seed, quantity, position), so that asking for more
 * jobs, or for another law of one quantity, leaves everything else as it was.
 */
#ifndef TRACES_GENERATE_H
#define TRACES_GENERATE_H

#include "sim/model/workload.h"
#include "traces/arrivals.h"

typedef enum {
    SIZES_PHILLY,      /* by GPUs and outcome as in the log, whole seconds; brings status and virtual cluster along */
    SIZES_EXPONENTIAL, /* these are to the microsecond */
    SIZES_FIXED,
    SIZES_LOGNORMAL,
    SIZES_PARETO,
} SizeLaw;

typedef struct Sizes {
    SizeLaw law;
    double a, b; /* mean | the size | median, mean | shape, smallest; seconds */
} Sizes;

enum { GPUS_PHILLY = 0 };

typedef struct GenerateOptions {
    int jobs;
    uint64_t seed;
    Arrivals arrivals;
    Sizes sizes;
    int gpus; /* of every job, or GPUS_PHILLY: as in the log */
} GenerateOptions;

enum { MOST_JOBS = 10000000 };

/* "philly", "exp:MEAN", "det:X", "lognormal:MEDIAN,MEAN", "pareto:SHAPE,SMALLEST" in seconds; false: err tells. */
bool sizes_parse(const char *text, Sizes *sizes, Err *err);

/* "philly" or a number; NULL: as in the log if the sizes are, else 1. */
bool gpus_parse(const char *text, const Sizes *sizes, int *gpus, Err *err);

/* The job table, straight into memory.  False: a time too large for the clock. */
bool generate_workload(const GenerateOptions *options, Arena *arena, Workload *workload, Err *err);

#endif
