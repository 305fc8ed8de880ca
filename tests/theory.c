/* tests/theory.c -- mean completion times that queueing theory knows, against what the simulator says.
 *
 * Jobs of one GPU arrive at random (Poisson) and run one second in the mean.  A case runs REPLICATIONS independent
 * traces; the 99 % t-interval of their means must hold the theory's value, which is worked out here from its formula
 * and checked against the published table.  Each trace starts with an empty cluster and ends with one: jobs in its
 * first fifth (warm-up) and last tenth (who runs with fewer behind them than in the long run) are simulated but not
 * measured. Seeds are fixed, so a case passes always or never.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "tests/world.h"
#include "traces/generate.h"

enum { REPLICATIONS = 30, JOBS = 6000, WARM_UP = JOBS / 5, COOL_DOWN = JOBS / 10 };

/* ---- theory: mean time in the system, mean size 1 ---- */

/* Erlang's C: the probability that all c servers are busy, with a = arrival rate x mean size. */
static double erlang_c(int c, double a)
{
    double term = 1, sum = 0; /* term = a^k / k! */
    for (int k = 0; k < c; term *= a / ++k) sum += term;
    double all_busy = term * c / (c - a);
    return all_busy / (sum + all_busy);
}

static double mmc_fifo(int c, double rate)
{
    return 1 + erlang_c(c, rate) / (c - rate);
}

/* Pollaczek-Khinchine, one server. */
static double mg1_fifo(double rate, double mean_square)
{
    return 1 + rate * mean_square / (2 * (1 - rate));
}

/* Load of the jobs up to size x, exponential sizes. */
static double load_up_to(double rate, double x)
{
    return rate * (1 - exp(-x) * (1 + x));
}

/* Schrage and Miller (1966): density x waiting until first served, plus the time from there: 1 / (1 - load) for each
 * bit of size t that a job larger than t goes through. */
static double schrage_miller(double x, void *rate_of)
{
    double rate = *(double *)rate_of, idle = 1 - load_up_to(rate, x);
    double squares = 2 - exp(-x) * (x * x + 2 * x + 2) + x * x * exp(-x); /* of min(size, x) */
    return exp(-x) * (rate * squares / (2 * idle * idle) + 1 / idle);
}

static double mm1_srtf(double rate)
{
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    gsl_function f = {schrage_miller, &rate};
    double value, error;
    gsl_integration_qagiu(&f, 0, 1e-10, 1e-10, 1000, space, &value, &error);
    gsl_integration_workspace_free(space);
    return value;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.9g instead of %.9g", value, expected);
}

static void d2_2_the_formulas_give_the_table(void **state)
{
    (void)state;
    assert_near(mmc_fifo(1, 0.5), 2, 1e-12);
    assert_near(mmc_fifo(1, 0.8), 5, 1e-12);
    assert_near(erlang_c(4, 3.2), 0.596432, 5e-7);
    assert_near(mmc_fifo(4, 3.2), 1.745541, 5e-7);
    assert_near(erlang_c(8, 6.8), 0.572569, 5e-7);
    assert_near(mmc_fifo(8, 6.8), 1.477141, 5e-7);
    assert_near(mg1_fifo(0.5, 1), 1.5, 1e-12);
    assert_near(mg1_fifo(0.8, 1), 3, 1e-12);
    assert_near(mg1_fifo(0.8, 2), 5, 1e-12); /* exponential sizes: M/M/1 again */
    assert_near(mm1_srtf(0.5), 1.42537, 5e-6);
    assert_near(mm1_srtf(0.8), 2.35277, 5e-6);
}

/* ---- replications ---- */

typedef struct Model {
    const char *name;
    World base;
    Workload trace[REPLICATIONS];
} Model;

static Model *model_open(const char *cluster, double rate, const char *sizes)
{
    Model *m = calloc(1, sizeof *m);
    MUST(m);
    m->name = cluster;
    world_open(&m->base, cluster);
    m->base.unaudited = true; /* two audits a job would take most of the time; every other test has them */
    world_set(&m->base, "tiresias.thresholds=0.5,2"); /* of a mean of 1: jobs do change queues, ... */
    world_set(&m->base, "borg.quantum_s=0.5");        /* ... and take turns */
    GenerateOptions options = {.jobs = JOBS, .arrivals = {ARRIVALS_POISSON, rate}, .gpus = 1};
    if (!sizes_parse(sizes, &options.sizes, &m->base.err)) fail_msg("%s", m->base.err.text);
    for (int i = 0; i < REPLICATIONS; i++) {
        options.seed = (uint64_t)i + 1;
        if (!generate_workload(&options, &m->base.arena, &m->trace[i], &m->base.err)) fail_msg("%s", m->base.err.text);
    }
    return m;
}

static void model_close(Model *m)
{
    world_close(&m->base);
    free(m);
}

/* Runs one trace; `runs` holds the result until the next. */
static const Job *run_trace(Model *m, const Policy *policy, int trace, Arena *runs)
{
    World w = m->base;
    arena_reset(runs);
    w.arena = *runs;
    w.workload = m->trace[trace];
    w.seed = (uint64_t)trace + 1;
    if (!world_try(&w, policy)) fail_msg("%s", w.err.text);
    *runs = w.arena;
    return w.result.job;
}

static double mean_jct(const Job job[], int first, int last)
{
    WideTime sum = 0;
    for (int i = first; i < last; i++) sum += job[i].ended - job[i].submit;
    return (double)sum / 1e6 / (last - first);
}

static void expect_mean(Model *m, const Policy *policy, double theory)
{
    double sum = 0, squares = 0;
    Arena runs = {0};
    for (int i = 0; i < REPLICATIONS; i++) {
        double mean = mean_jct(run_trace(m, policy, i, &runs), WARM_UP, JOBS - COOL_DOWN);
        sum += mean;
        squares += mean * mean;
    }
    arena_free(&runs);
    double mean = sum / REPLICATIONS, variance = (squares - sum * mean) / (REPLICATIONS - 1);
    double half_width = gsl_cdf_tdist_Pinv(0.995, REPLICATIONS - 1) * sqrt(variance / REPLICATIONS);
    print_message("%-10s on %s: theory %.4f, measured %.4f +- %.4f\n", policy->name, m->name, theory, mean, half_width);
    if (!(fabs(mean - theory) <= half_width)) fail_msg("%s: the theory's value is outside the interval", policy->name);
    if (half_width > 0.1 * theory) fail_msg("%s: the interval is too wide to say anything", policy->name);
}

static void expect_mean_of(const char *cluster, double rate, const char *sizes, const char *policy, double theory)
{
    Model *m = model_open(cluster, rate, sizes);
    expect_mean(m, policy_find(policy), theory);
    model_close(m);
}

static void d2_2_md1_fifo(void **state)
{
    (void)state;
    expect_mean_of("1x1", 0.5, "det:1", "fifo", mg1_fifo(0.5, 1));
    expect_mean_of("1x1", 0.8, "det:1", "fifo", mg1_fifo(0.8, 1));
}

static void d2_2_mm1_srtf(void **state)
{
    (void)state;
    expect_mean_of("1x1", 0.5, "exp:1", "srtf", mm1_srtf(0.5));
    expect_mean_of("1x1", 0.8, "exp:1", "srtf", mm1_srtf(0.8));
}

static void mg1_lognormal_fifo(void **state)
{
    (void)state;
    double median = 0.6, mean_square = 1 / (median * median); /* mean 1: E[S^2] = exp(sigma^2) = (mean / median)^2 */
    expect_mean_of("1x1", 0.7, "lognormal:0.6,1", "fifo", mg1_fifo(0.7, mean_square));
}

/* Who sees no sizes and idles no GPU that could run has fifo's mean when sizes are exponential: what a job still needs
 * does not depend on what it got.  On jobs of one GPU that is every policy but these: easy sees sizes but has nothing
 * to backfill, smallest and edf see equals, tiresias-g sees the sizes of jobs that are gone. */
static bool is_blind(const Policy *policy)
{
    static const char *const seeing[] = {"sjf", "srtf", "srsf", "graphene"};
    for (size_t i = 0; i < sizeof seeing / sizeof *seeing; i++)
        if (strcmp(policy->name, seeing[i]) == 0) return false;
    return !(policy->needs & (NEEDS_TRUTH | NEEDS_STARTS));
}

static void expect_mean_of_all_blind(const char *cluster, double rate, double theory)
{
    Model *m = model_open(cluster, rate, "exp:1");
    EACH_PLAIN_POLICY (p)
        if (is_blind(*p)) expect_mean(m, *p, theory);
    model_close(m);
}

static void d2_2_mm1_at_half(void **state)
{
    (void)state;
    expect_mean_of("1x1", 0.5, "exp:1", "fifo", mmc_fifo(1, 0.5));
}

static void d2_2_mm1_at_four_fifths(void **state)
{
    (void)state;
    expect_mean_of_all_blind("1x1", 0.8, mmc_fifo(1, 0.8));
}

static void d2_2_mm4(void **state)
{
    (void)state;
    expect_mean_of_all_blind("1x4", 3.2, mmc_fifo(4, 3.2));
}

static void d2_2_mm8(void **state)
{
    (void)state;
    expect_mean_of_all_blind("1x8", 6.8, mmc_fifo(8, 6.8));
}

/* Not in the mean only: on each trace, whole. */
static void d2_3_srtf_is_optimal_on_one_gpu(void **state)
{
    (void)state;
    Arena runs = {0};
    Model *m = model_open("1x1", 0.8, "lognormal:0.6,1");
    for (int i = 0; i < 5; i++) {
        double best = mean_jct(run_trace(m, policy_find("srtf"), i, &runs), 0, JOBS);
        EACH_PLAIN_POLICY (p)
            if (!((*p)->needs & NEEDS_STARTS) && mean_jct(run_trace(m, *p, i, &runs), 0, JOBS) < best)
                fail_msg("%s beats srtf", (*p)->name);
    }
    arena_free(&runs);
    model_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d2_2_the_formulas_give_the_table),
        cmocka_unit_test(d2_2_mm1_at_half),
        cmocka_unit_test(d2_2_mm1_at_four_fifths),
        cmocka_unit_test(d2_2_mm4),
        cmocka_unit_test(d2_2_mm8),
        cmocka_unit_test(d2_2_md1_fifo),
        cmocka_unit_test(d2_2_mm1_srtf),
        cmocka_unit_test(mg1_lognormal_fifo),
        cmocka_unit_test(d2_3_srtf_is_optimal_on_one_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
