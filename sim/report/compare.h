/* sim/report/compare.h -- finished runs of the same jobs, job against job: what differs, by how much, how surely.
 *
 * The first group of runs is the base, every other one is compared with it.  Of one run each, the same job of both is a
 * pair, and intervals come from drawing jobs anew.  Jobs of one run wait for each other, so such an interval tells how
 * much hangs on which of these jobs one looks at, not what another week of jobs would bring.  That is told by seeds:
 * with several, a pair is the two runs of a seed, and intervals come from drawing seeds anew.
 */
#ifndef SIM_REPORT_COMPARE_H
#define SIM_REPORT_COMPARE_H

#include "sim/base/out.h"
#include "sim/report/bootstrap.h"
#include "sim/report/ranktest.h"
#include "sim/report/runset.h"

enum { MOST_OF_METRIC = 4 }; /* statistics */

typedef enum { UNIT_SECONDS, UNIT_SHARE, UNIT_BYTES, UNIT_PLAIN } MetricUnit;
typedef enum { NEITHER_BETTER, LOWER_BETTER, HIGHER_BETTER } MetricSense;

typedef struct CompareMetric {
    const char *name; /* a column of jobs.csv, or a key of summary.json */
    const char *title;
    MetricUnit unit;
    MetricSense sense;
    bool of_jobs;
    int n_statistics; /* 1 for a key of summary.json */
    Statistic statistic[MOST_OF_METRIC];
} CompareMetric;

extern const CompareMetric compare_metrics[]; /* ends with {0} */

typedef enum { TEST_NONE, TEST_WILCOXON, TEST_MANN_WHITNEY } CompareTest;
extern const char *const compare_test_names[]; /* ends with NULL */

typedef struct CompareOptions {
    const char *metrics; /* comma list of names; NULL: all that have a value */
    CompareTest test;
    int resamples;
    uint64_t seed;
} CompareOptions;

typedef struct OverSeeds {
    double median, p1, p99;
} OverSeeds;

/* One statistic of one metric of one group; NaN: no such value. */
typedef struct CompareRow {
    const RunGroup *group;
    const CompareMetric *metric;
    Statistic statistic;
    int64_t pairs, alone;  /* jobs with a value in both runs, in one only; summed over seeds; 0 of a summary's key */
    Difference difference; /* of a base row `other` alone: the value */
    double improvement;    /* |difference| / base */
    int better;            /* 1, 0; -1: equal, or neither direction is */
    OverSeeds seeds, base_seeds;
    RankTest test;
} CompareRow;

typedef struct Comparison {
    const RunGroup *group; /* [n_groups], the base first */
    int n_groups, n_seeds;
    int64_t left_out; /* runs without a partner of the same seed */
    CompareOptions options;
    CompareRow *row; /* [n], metric by metric, statistic by statistic, group by group */
    int n, room;
} Comparison;

/* False: fewer than two groups, other jobs or another cluster, an unknown metric, an unreadable file. */
bool compare_runs(const RunSet *set, CompareOptions options, Arena *arena, Comparison *comparison, Err *err);

const char *compare_statistic_name(const CompareRow *row); /* "mean", "p99", "value" */

void compare_write_text(Out *out, const Comparison *comparison, Arena *scratch);
void compare_write_csv(Out *out, const Comparison *comparison);
void compare_write_json(Out *out, const Comparison *comparison);

#endif
