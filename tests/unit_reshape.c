/* tests/unit_reshape.c -- GPUs, run times and arrivals of the paper's presets. */
#include <math.h>

#include "sim/model/jobmodel.h"
#include "tests/testing.h"
#include "traces/reshape.h"
#include "traces/select.h"

#define HOUR (3600 * TIME_SECOND)

enum { N = 6000 };

static int by_time(const void *a, const void *b)
{
    const SimTime *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) fail_msg("%.12g, expected %.12g +- %g", value, expected, within);
}

/* N jobs "j0", "j1", ... at the squares 0, 1, 4, 9, ... seconds. */
static void open_jobs(Reading *r, int n)
{
    char *text = malloc((size_t)n * 60 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "job_id,submit_s,n_gpus,duration_s,partitions,epochs\n");
    for (int i = 0; i < n; i++) used += (size_t)sprintf(text + used, "j%d,%lld,3,77.25,3,9\n", i, (long long)i * i);
    reads(r, "", "t.csv", text);
    free(text);
    params_add(&r->params, "model", model_params);
    params_add(&r->params, "workload", workload_params);
}

static void set(Reading *r, const char *pair)
{
    if (!params_set_pair(&r->params, pair, &r->err)) fail_msg("%s", r->err.text);
}

static Workload reshaped(Reading *r, const Workload *from, uint64_t seed)
{
    Workload to;
    if (!reshape_workload(from, &r->params, seed, &r->arena, &to, &r->err)) fail_msg("%s", r->err.text);
    assert_int_equal(to.n, from->n);
    assert_memory_equal(&to.counts, &from->counts, sizeof to.counts);
    return to;
}

static void refused(const char *pairs, const char *words)
{
    Reading r;
    Workload to;
    open_jobs(&r, 3);
    for (const char *s = pairs; *s;) {
        size_t n = strcspn(s, " ");
        set(&r, arena_copy_text(&r.arena, s, n));
        s += n + (s[n] == ' ');
    }
    assert_false(reshape_workload(&r.workload, &r.params, 1, &r.arena, &to, &r.err));
    assert_int_equal(r.err.kind, ERR_USAGE);
    if (!strstr(r.err.text, words)) fail_msg("expected \"%s\" in \"%s\"", words, r.err.text);
    reading_close(&r);
}

static void nothing_changes_unasked(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, 10);
    assert_ptr_equal(reshaped(&r, &r.workload, 1).job, r.workload.job);
    reading_close(&r);
}

static void gpus_are_uniform(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, N);
    set(&r, "model.gpus=uniform");
    Workload w = reshaped(&r, &r.workload, 1);
    int count[33] = {0};
    for (int i = 0; i < N; i++) {
        assert_in_range(w.job[i].n_gpus, 1, 32);
        count[w.job[i].n_gpus]++;
        assert_true(w.job[i].partitions == 0 && w.job[i].replicas == 0); /* 3 parts were said of 3 GPUs */
        assert_true(w.job[i].epochs == 9 && w.job[i].submit == r.workload.job[i].submit);
        assert_int_equal(w.job[i].duration, 77250000);
    }
    int sum = 0;
    for (int g = 1; g <= 32; g *= 2) {
        assert_in_range(count[g], 1000 - 116, 1000 + 116); /* four standard deviations */
        sum += count[g];
    }
    assert_int_equal(sum, N);
    assert_int_equal(r.workload.job[5].n_gpus, 3); /* the source is left alone */
    assert_int_equal(r.workload.job[5].partitions, 3);

    set(&r, "workload.gpu_choices=5");
    w = reshaped(&r, &r.workload, 1);
    for (int i = 0; i < N; i++) assert_int_equal(w.job[i].n_gpus, 5);
    reading_close(&r);
}

/* Median 480 s and σ = √(2 ln(mean/median)); the mean before clamping is 1800 s, as the law's. */
static void durations_are_lognormal(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, N);
    set(&r, "workload.durations=lognormal");
    Workload w = reshaped(&r, &r.workload, 1);
    int low = 0, high = 0;
    double mean = 0, square = 0;
    SimTime sorted[N];
    for (int i = 0; i < N; i++) {
        SimTime d = sorted[i] = w.job[i].duration;
        assert_in_range(d, 30 * TIME_SECOND, 24 * HOUR);
        low += d == 30 * TIME_SECOND;
        high += d == 24 * HOUR;
        double z = log((double)d / 480e6);
        mean += z / N;
        square += z * z / N;
        assert_true(w.job[i].n_gpus == 3 && w.job[i].partitions == 3);
    }
    qsort(sorted, N, sizeof *sorted, by_time);
    assert_near((double)sorted[N / 2] / 1e6, 480, 480 * .11); /* 4·1.2533·1.626/√6000 in the logarithm */
    /* σ = 1.62589: below 30 s with probability Φ(−ln 16 / σ) = .04407, above a day Φ(−ln 180 / σ) = .0007. */
    assert_near((double)low / N, .0441, .0107);
    assert_in_range(high, 0, 13);
    set(&r, "workload.duration_min_s=0");
    set(&r, "workload.duration_max_s=1e9");
    w = reshaped(&r, &r.workload, 1);
    mean = square = 0;
    for (int i = 0; i < N; i++) {
        double z = log((double)w.job[i].duration / 480e6);
        mean += z / N;
        square += z * z / N;
    }
    assert_near(mean, 0, .084); /* 4σ/√n */
    assert_near(sqrt(square), 1.6258879666, .06);
    set(&r, "workload.duration_mean_s=480"); /* no spread is a law, too */
    w = reshaped(&r, &r.workload, 1);
    assert_int_equal(w.job[17].duration, 480 * TIME_SECOND);
    reading_close(&r);
}

/* Wide jobs run as long as narrow ones: four standard errors, 1/√n each. */
static void gpus_and_durations_are_unrelated(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, N);
    set(&r, "model.gpus=uniform");
    set(&r, "workload.durations=lognormal");
    Workload w = reshaped(&r, &r.workload, 1);
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < N; i++) {
        double g = log(w.job[i].n_gpus), d = log((double)w.job[i].duration);
        x += g / N;
        y += d / N;
        xx += g * g / N;
        yy += d * d / N;
        xy += g * d / N;
    }
    assert_near((xy - x * y) / sqrt((xx - x * x) * (yy - y * y)), 0, 4 / sqrt(N));
    reading_close(&r);
}

static void arrivals_are_stretched_to_their_span(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, 2000);
    set(&r, "workload.span=scaled");
    Workload w = reshaped(&r, &r.workload, 1);
    /* 36 h · (2000/155)^(1/3) = 84.4374806 h */
    double span = (double)(w.job[1999].submit - w.job[0].submit) / (double)HOUR;
    assert_near(span, 84.4374806027358, 1e-9);
    for (int i = 1; i < 2000; i++) { /* relative spacing: squares */
        assert_true(w.job[i - 1].submit <= w.job[i].submit);
        assert_near((double)w.job[i].submit / (double)w.job[1999].submit, i * i / (1999. * 1999), 1e-11);
    }
    assert_near(w.arrival_scale, 84.4374806027358 * 3600 / (1999. * 1999), 1e-9);

    /* The preset paper-sim: 63 h · (1000/58663)^.8, where N counts the jobs that are left. */
    Selection s = SELECT_ALL;
    Workload thousand;
    s.last = 1000;
    assert_true(select_jobs(&r.workload, &s, 1, &r.arena, &thousand, &r.err));
    set(&r, "workload.span_h=63");
    set(&r, "workload.span_jobs=58663");
    set(&r, "workload.span_power=0.8");
    w = reshaped(&r, &thousand, 1);
    assert_near((double)(w.job[999].submit - w.job[0].submit) / (double)HOUR, 2.424650433484025, 1e-9);
    reading_close(&r);
}

static void simultaneous_jobs_stay_so(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, 1);
    set(&r, "workload.span=scaled");
    Workload w = reshaped(&r, &r.workload, 1);
    assert_true(w.job[0].submit == 0 && w.arrival_scale == 1);
    reading_close(&r);
}

static void sizes_are_named_by_job(void **state)
{
    (void)state;
    Reading r;
    open_jobs(&r, 1000);
    set(&r, "model.gpus=uniform");
    set(&r, "workload.durations=lognormal");
    Selection s = SELECT_ALL;
    Workload few;
    s.first = 500;
    s.sample = 100;
    assert_true(select_jobs(&r.workload, &s, 9, &r.arena, &few, &r.err));
    Workload w = reshaped(&r, &r.workload, 1), p = reshaped(&r, &few, 1), other = reshaped(&r, &few, 2);
    int same = 0;
    for (int k = 0; k < 100; k++) {
        int i = atoi(p.job[k].name + 1);
        assert_int_equal(p.job[k].n_gpus, w.job[i].n_gpus);
        assert_int_equal(p.job[k].duration, w.job[i].duration);
        same += p.job[k].duration == other.job[k].duration;
    }
    assert_in_range(same, 0, 20); /* both clamped to the same least */
    reading_close(&r);
}

static void contradictions_are_told(void **state)
{
    (void)state;
    refused("model.gpus=uniform workload.gpu_choices=1,2.5", "workload.gpu_choices: 2.5 is no whole number");
    refused("workload.durations=lognormal workload.duration_mean_s=100", "100 is below the median, 480");
    refused("workload.durations=lognormal workload.duration_min_s=90000", "90000 is more than duration_max_s, 86400");
    refused("workload.span=scaled workload.span_h=1e7 workload.span_jobs=1 workload.span_power=9",
            "workload.span_h: 3 jobs would arrive until after 10^12 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_unasked),
        cmocka_unit_test(gpus_are_uniform),
        cmocka_unit_test(durations_are_lognormal),
        cmocka_unit_test(gpus_and_durations_are_unrelated),
        cmocka_unit_test(arrivals_are_stretched_to_their_span),
        cmocka_unit_test(simultaneous_jobs_stay_so),
        cmocka_unit_test(sizes_are_named_by_job),
        cmocka_unit_test(contradictions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
