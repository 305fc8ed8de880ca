/* traces/calibration.h -- figures of the Microsoft Philly log, to which the generator draws.
 *
 * They were counted over 111,549 jobs of the log of 2017 (CC BY 4.0; Jeon et al., "Analysis of Large-Scale Multi-Tenant
 * GPU Clusters for DNN Training Workloads", USENIX ATC 2019): shares, daily totals and quantiles, no record of the log.
 * GPU counts fall in four buckets, those of the paper's figures: 1, 2 to 4, 5 to 8, more.
 */
#ifndef TRACES_CALIBRATION_H
#define TRACES_CALIBRATION_H

enum {
    N_BUCKETS = 4,
    N_GPU_COUNTS = 15,
    N_VC_SHARES = 15,
    N_DAYS = 74,
    N_BURST_KNOTS = 9,
    N_GAP_KNOTS = 12,
    N_PACE_KNOTS = 3,
    N_WAIT_KNOTS = 8
};

int bucket_of(int n_gpus);

typedef struct GpuCount {
    int n_gpus, jobs;
} GpuCount;
extern const GpuCount gpu_counts[N_GPU_COUNTS];

typedef struct VcShare {
    const char *name;
    int jobs[N_BUCKETS];
} VcShare;
extern const VcShare vc_shares[N_VC_SHARES]; /* of the jobs whose virtual cluster is known */

extern const double pass_share[N_BUCKETS]; /* of jobs that end with status Pass */
#define FAILED_SHARE 0.6206                /* of the others; the rest were killed */

/* Quantiles 0, 1, ... 100 %, joined by straight lines.  The last hundredth reaches far: there the line is bent, u^tail,
 * so that its mean is the log's. */
typedef struct Quantiles {
    int at[101];
    int tail;
} Quantiles;
double quantile_at(const Quantiles *table, double u); /* 0 <= u < 1 */

extern const Quantiles run_time_s[2][N_BUCKETS]; /* [passed][bucket] */

/* A curve through few points, from share 0 to share 1, joined by straight lines. */
typedef struct Knot {
    double share, value;
} Knot;
double knot_at(const Knot *knot, double u); /* 0 <= u < 1 */

/* Arrivals.  Totals of the 74 days from Tuesday, 3 October to Friday, 15 December 2017; hours are UTC. */
extern const int day_total[N_DAYS];
extern const int hour_share[24]; /* of 100,000 */
#define FIRST_DAY 17442          /* 2017-10-03, in days since 1970 */

/* Jobs come in bursts, one user's sweep.  These curves were fitted until gaps between arrivals had the log's quantiles,
 * coefficient of variation (2.96), share of zeros (9.2 %) and variance of counts in 10 s to 1 h; the sizes start from
 * runs of one virtual cluster with gaps below a minute. */
extern const Knot burst_size[N_BURST_KNOTS];
extern const Knot burst_gap_s[N_GAP_KNOTS];
extern const Knot burst_pace[N_PACE_KNOTS]; /* a burst's gaps are all that much longer or shorter */

/* Attempts.  Shares of jobs with more than one, by size and by how the job ended; the gap between two attempts; the
 * wait for the first one, in the largest virtual cluster. */
extern const double retry_share[N_BUCKETS];
extern const double retry_share_pass, retry_share_not_pass;
extern const Quantiles requeue_gap_s;
extern const Knot wait_s[N_BUCKETS][N_WAIT_KNOTS];

#endif
