/* tests/unit_optstop.c -- stopping rules: the vectors, every branch by hand, and the published rule with its whole
 * list.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policies/optstop.h"
#include "tests/curves.h"

/* The rule with `settings`, KEY=VALUE separated by blanks; `variant=best` is what mlf_c.optstop chooses. */
static OptStopRule rule_of(const char *settings)
{
    Arena arena = {0};
    Params params = {.arena = &arena};
    Err err = {0};
    OptStopVariant variant = OPTSTOP_CURVE;
    params_add(&params, "optstop", optstop_params);
    for (const char *s = settings; *s;) {
        size_t n = strcspn(s, " ");
        bool best = strncmp(s, "variant=best", n) == 0;
        variant = best ? OPTSTOP_BEST : variant;
        const char *pair = arena_format(&arena, "optstop.%.*s", (int)n, s);
        if (!best && !params_set_pair(&params, pair, &err)) fail_msg("%s", err.text);
        s += n + (s[n] == ' ');
    }
    OptStopRule rule = optstop_rule(&params, variant);
    arena_free(&arena);
    return rule;
}

static void the_defaults(void **state)
{
    (void)state;
    OptStopRule rule = rule_of("");
    assert_int_equal(rule.variant, OPTSTOP_CURVE);
    assert_true(rule.accuracy_share == EWMA_SHARE && rule.enough == .99 && rule.confidence == .95);
    assert_true(!rule.kill_hopeless && rule.watch_share == .37 && rule.smooth == .3 && rule.least_epochs == 3);
    assert_int_equal(rule.families, CURVE_FAST);
    rule = rule_of("variant=best domhan_set=all kill_hopeless=1");
    assert_true(rule.variant == OPTSTOP_BEST && rule.families == CURVE_ALL && rule.kill_hopeless);
}

/* 20.3(21): s1 = .5, s2 = .3 x .7 + .7 x .5 = .56, s3 = .3 x .6 + .7 x .56 = .572 */
static void accuracy_now_is_smoothed(void **state)
{
    (void)state;
    OptStopRule rule = rule_of("variant=best");
    OptStop stop;
    optstop_open(&stop, &rule, 20, 0);
    static const double seen[] = {.5, .7, .6}, expected[] = {.5, .56, .572};
    for (int i = 0; i < 3; i++) {
        optstop_observe(&stop, NULL, 1, seen[i]);
        assert_true(fabs(stop.accuracy.value - expected[i]) < 1e-15);
    }
}

/* ---- best: the 37 % rule ---- */

/* The first epoch (from 1) whose verdict is not to go on, or 0; *verdict is that verdict. */
static int first_stop(const OptStopRule *rule, const double loss[], int n, int epochs_max, OptStopVerdict *verdict)
{
    OptStop stop;
    optstop_open(&stop, rule, epochs_max, 0);
    for (int i = 0; i < n; i++)
        if ((*verdict = optstop_observe(&stop, NULL, loss[i], .5))) return i + 1;
    return 0;
}

static void v18_5_the_37_percent_rule(void **state)
{
    (void)state;
    static const double loss[] = {1.41, 1.0, .8, .70, .66, .68, .64, .65, .63, .66, .62, .61, .60, .61, .62, .63};
    OptStopRule rule = rule_of("variant=best smooth=0");
    OptStopVerdict verdict;
    assert_int_equal(first_stop(&rule, loss, 16, 16, &verdict), 11); /* pivot 4, 6 > floor(.37 x 11) = 4, .62 < .63 */
    assert_int_equal(verdict, OPTSTOP_ENOUGH);
    assert_int_equal(first_stop(&rule, loss, 16, 12, &verdict), 9); /* 4 > floor(.37 x 7) = 2, .63 < .64 */
    assert_int_equal(verdict, OPTSTOP_ENOUGH);
    assert_int_equal(first_stop(&rule, loss, 16, 30, &verdict), 0); /* floor(.37 x 25) = 9: until epoch 14 it watches */
}

static void each_branch_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        int epochs_max, stops;
        OptStopVerdict verdict;
        int n;
        double loss[14];
    } kase[] = {
        /* it only falls, or is level: the quick drop never ends */
        {"smooth=0", 10, 0, OPTSTOP_GO_ON, 8, {9, 8, 7, 6, 6, 5, 5, 4}},
        /* six rises in a row are too many, five are not */
        {"smooth=0", 30, 9, OPTSTOP_OVERFITTING, 9, {9, 8, 7, 7.1, 7.2, 7.3, 7.4, 7.5, 7.6}},
        {"smooth=0", 30, 0, OPTSTOP_GO_ON, 9, {9, 8, 7, 7.1, 7.2, 7.3, 7.4, 7.5, 7.5}},
        /* minima 7, then 7.2: the rise after 7.2 shows it */
        {"smooth=0", 30, 6, OPTSTOP_OVERFITTING, 6, {9, 8, 7, 8, 7.2, 7.3}},
        /* minima 7 and 6, then 6.5 < 7: the last is compared with the first, not with the one before */
        {"smooth=0", 30, 0, OPTSTOP_GO_ON, 8, {9, 7, 8, 6, 7, 6.5, 6.6, 6.6}},
        /* equal minima are no overfitting */
        {"smooth=0", 30, 0, OPTSTOP_GO_ON, 6, {9, 7, 8, 7, 8, 7.5}},
        /* a level stretch has no minimum: 7 7 is below its neighbours, but not strictly */
        {"smooth=0", 30, 0, OPTSTOP_GO_ON, 7, {9, 6, 8, 7, 7, 8, 8}},
        /* the rise at epoch 2 comes too early to end the quick drop, the one at epoch 4 does: pivot 2, 37 % of 7 is 2,
         * epoch 6 is the third after the pivot and below 4 */
        {"smooth=0", 10, 6, OPTSTOP_ENOUGH, 6, {5, 6, 4, 4.5, 4.2, 3.9}},
        /* the same with the literal rule: pivot 0, 37 % of 9 is 3, epoch 6 the fifth after it */
        {"smooth=0 least_epochs=2", 10, 6, OPTSTOP_ENOUGH, 6, {5, 6, 4, 4.5, 4.2, 3.9}},
        /* no watching: the first loss below the pivot's */
        {"smooth=0 watch_share=0", 10, 5, OPTSTOP_ENOUGH, 5, {9, 7, 8, 7.5, 6}},
        /* all watching: never */
        {"smooth=0 watch_share=1", 6, 0, OPTSTOP_GO_ON, 6, {9, 7, 8, 7.5, 6, 5}},
        /* smoothed by half: 8 6 6.5 6.25 5.125; raw losses would stop one epoch earlier (watch_share=0) */
        {"smooth=0.5 watch_share=0", 20, 5, OPTSTOP_ENOUGH, 5, {8, 4, 7, 6, 4}},
        {"smooth=0 watch_share=0", 20, 0, OPTSTOP_GO_ON, 5, {8, 4, 7, 6, 4}},
    };
    for (size_t k = 0; k < sizeof kase / sizeof *kase; k++) {
        Arena arena = {0};
        OptStopRule rule = rule_of(arena_format(&arena, "variant=best %s", kase[k].settings));
        OptStopVerdict verdict = OPTSTOP_GO_ON;
        int stops = first_stop(&rule, kase[k].loss, kase[k].n, kase[k].epochs_max, &verdict);
        if (stops != kase[k].stops || verdict != kase[k].verdict)
            fail_msg("case %d stops at %d with verdict %d", (int)k, stops, (int)verdict);
        arena_free(&arena);
    }
}

/* The published rule with its whole list of losses, searched anew each epoch. */
typedef struct {
    LossPhase phase;
    int pivot;
    double min_loss;
} Naive;

static OptStopVerdict naive_observe(Naive *me, const OptStopRule *rule, const double loss[], int n, int epochs_max)
{
    if (me->phase == LOSS_OVERFITTING) return OPTSTOP_OVERFITTING;
    if (n < 2) return OPTSTOP_GO_ON;
    if (me->phase == LOSS_QUICK_DROP && n >= rule->least_epochs && loss[n - 2] - loss[n - 1] < 0) {
        me->phase = LOSS_FLUCTUATION;
        me->pivot = n - 2;
        me->min_loss = loss[n - 2];
    }
    if (me->phase != LOSS_FLUCTUATION) return OPTSTOP_GO_ON;
    int first = -1, last = -1, n_local = 0, rises = 0;
    for (int i = 1; i <= n - 2; i++)
        if (loss[i] < loss[i - 1] && loss[i] < loss[i + 1]) {
            if (first < 0) first = i;
            last = i;
            n_local++;
        }
    for (int i = n - 1; i > 0 && loss[i] > loss[i - 1]; i--) rises++;
    if ((n_local > 1 && loss[last] > loss[first]) || rises > 5) {
        me->phase = LOSS_OVERFITTING;
        return OPTSTOP_OVERFITTING;
    }
    int samples = n - me->pivot - 1, n_future = epochs_max - me->pivot - 1;
    if (samples > (int)floor(rule->watch_share * n_future)) {
        if (loss[n - 1] >= me->min_loss) return OPTSTOP_GO_ON;
        me->min_loss = loss[n - 1];
        return OPTSTOP_ENOUGH;
    }
    me->min_loss = fmin(me->min_loss, loss[n - 1]);
    return OPTSTOP_GO_ON;
}

/* Verdicts at every epoch, beyond the first stop too, on curves that fall, wander, level off and rise again. */
static void equals_the_published_rule(void **state)
{
    (void)state;
    int count[4] = {0}, went_on = 0;
    for (uint64_t id = 0; id < 20000; id++) {
        Rng rng;
        rng_open(&rng, 1, "optstop", id);
        OptStopRule rule = rule_of("variant=best");
        rule.smooth = id % 4 == 0 ? .3 : 0;
        rule.least_epochs = 2 + (int)rng_below(&rng, 3);
        int epochs_max = 2 + (int)rng_below(&rng, 60);
        double noise = exp(-1 - 6 * rng_uniform(&rng)), drop = .02 + .5 * rng_uniform(&rng);
        double climb = rng_below(&rng, 3) == 0 ? .02 * rng_uniform(&rng) : 0;
        double step = rng_below(&rng, 2) == 0 ? .05 : 0; /* rounded losses have ties */
        double loss[64], smoothed = 0;
        OptStop stop;
        Naive naive = {0};
        optstop_open(&stop, &rule, epochs_max, 0);
        for (int n = 1; n <= epochs_max; n++) {
            double y = 2 * exp(-drop * n) + climb * n + gsl_ran_gaussian(&rng.gsl, noise);
            if (step > 0) y = step * round(y / step);
            smoothed = rule.smooth > 0 && n > 1 ? .3 * y + .7 * smoothed : y;
            loss[n - 1] = smoothed;
            OptStopVerdict expected = naive_observe(&naive, &rule, loss, n, epochs_max);
            OptStopVerdict verdict = optstop_observe(&stop, NULL, y, .5);
            if (verdict != expected)
                fail_msg("sequence %d, epoch %d: %d, not %d", (int)id, n, (int)verdict, (int)expected);
            count[verdict]++;
            went_on += verdict == OPTSTOP_ENOUGH && n < epochs_max;
        }
    }
    assert_true(count[OPTSTOP_GO_ON] > 10000 && count[OPTSTOP_ENOUGH] > 1000 && count[OPTSTOP_OVERFITTING] > 1000);
    assert_true(count[OPTSTOP_HOPELESS] == 0 && went_on > 1000);
}

/* ---- curve: extrapolation ---- */

/* y = .8 - .6 / (1 + x / 2)... is MMF with delta 1; it reaches .99 of its value at epoch 100 where the rest is small.
 */
static double hyperbola(int epoch)
{
    return .8 - .6 / (1 + epoch / 2.0);
}

static void curve_stops_when_it_is_enough(void **state)
{
    (void)state;
    Arena arena = {0};
    CurveTable table;
    OptStopRule rule = rule_of("");
    OptStop stop;
    curvetable_open(&table, &arena, rule.families);
    optstop_open(&stop, &rule, 100, 0);
    double at_the_end = hyperbola(100), average = hyperbola(1);
    int stopped = 0, expected = 0;
    for (int e = 1; e <= 100 && !(stopped && expected); e++) {
        if (e > 1) average = .3 * hyperbola(e) + .7 * average;
        if (!expected && average >= .99 * at_the_end) expected = e;
        OptStopVerdict verdict = optstop_observe(&stop, &table, 1, hyperbola(e));
        if (!stopped && verdict) {
            assert_int_equal(verdict, OPTSTOP_ENOUGH);
            stopped = e;
        }
    }
    assert_true(expected > 20 && abs(stopped - expected) <= 3); /* without noise the prediction is nearly exact */
    arena_free(&arena);
}

/* The curve ends at .788: .9 is out of reach, .7 is not; and nobody is called hopeless unasked. */
static void hopeless_only_if_asked_and_sure(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        double required;
        OptStopVerdict expected;
    } kase[] = {
        {"kill_hopeless=1", .9, OPTSTOP_HOPELESS},
        {"kill_hopeless=1", .7, OPTSTOP_GO_ON},
        {"kill_hopeless=1", 0, OPTSTOP_GO_ON},
        {"kill_hopeless=0", .9, OPTSTOP_GO_ON},
        {"kill_hopeless=1 domhan_set=all", .9, OPTSTOP_HOPELESS},
    };
    for (size_t k = 0; k < sizeof kase / sizeof *kase; k++) {
        Arena arena = {0};
        CurveTable table;
        OptStopRule rule = rule_of(kase[k].settings);
        OptStop stop;
        OptStopVerdict verdict = OPTSTOP_GO_ON;
        curvetable_open(&table, &arena, rule.families);
        optstop_open(&stop, &rule, 100, kase[k].required);
        for (int e = 1; e <= 20 && !verdict; e++) verdict = optstop_observe(&stop, &table, 1, hyperbola(e));
        assert_int_equal(verdict, kase[k].expected);
        arena_free(&arena);
    }
}

static void confidence_decides(void **state)
{
    (void)state;
    Arena arena = {0};
    CurveTable table;
    OptStopRule rule = rule_of("kill_hopeless=1");
    int n_hopeless = 0, n_unsure = 0, n_fine = 0;
    curvetable_open(&table, &arena, rule.families);
    for (uint64_t id = 0; id < 50; id++) {
        OptStop stop;
        TrueCurve curve;
        true_curve_open(&curve, (int)(id % N_CURVE_MODELS), id);
        double required = true_accuracy(&curve, curve.n_epochs) + .02;
        optstop_open(&stop, &rule, curve.n_epochs, required);
        for (int e = 1; e <= curve.n_epochs; e++) {
            OptStopVerdict verdict = optstop_observe(&stop, &table, 1, seen_accuracy(&curve, e));
            const CurveFit *fit = &stop.watch.curve.fit;
            double reach = stop.watch.curve.fitted ? curve_confidence(fit, curve.n_epochs, required) : 1;
            assert_true((verdict == OPTSTOP_HOPELESS) == (reach < .05));
            if (reach < .05)
                n_hopeless++;
            else if (reach < .5)
                n_unsure++;
            else
                n_fine++;
        }
    }
    assert_true(n_hopeless > 100 && n_unsure > 100 && n_fine > 100);
    arena_free(&arena);
}

static void no_verdict_without_a_fit(void **state)
{
    (void)state;
    Arena arena = {0};
    CurveTable table;
    OptStopRule rule = rule_of("");
    OptStop stop;
    curvetable_open(&table, &arena, rule.families);
    optstop_open(&stop, &rule, 50, 0);
    for (int e = 1; e < CURVE_LEAST_EPOCHS; e++) assert_false(optstop_observe(&stop, &table, 1, .7));
    assert_int_equal(optstop_observe(&stop, &table, 1, .7), OPTSTOP_ENOUGH); /* level: nothing more to come */
    arena_free(&arena);
}

/* ---- what it saves and what it costs ---- */

/* The table of docs/policies.md: epochs run and accuracy kept, relative to a run to the last epoch. */
static void savings_on_known_curves(void **state)
{
    (void)state;
    static const char *const variant[] = {"", "variant=best", "variant=best smooth=0"};
    enum { N = 300 };
    Arena arena = {0};
    for (int v = 0; v < 3; v++) {
        OptStopRule rule = rule_of(variant[v]);
        CurveTable table;
        curvetable_open(&table, &arena, rule.families);
        for (int m = 0; m < N_CURVE_MODELS; m++) {
            double epochs = 0, kept = 0, least = 1;
            int n_stopped = 0, n_overfitting = 0;
            OptStopVerdict verdict;
            for (uint64_t id = 0; id < N; id++) {
                TrueCurve curve;
                OptStop stop;
                true_curve_open(&curve, m, id);
                optstop_open(&stop, &rule, curve.n_epochs, 0);
                int e = 0;
                do {
                    double accuracy = seen_accuracy(&curve, ++e);
                    verdict = optstop_observe(&stop, &table, loss_at(&curve, accuracy), accuracy);
                } while (!verdict && e < curve.n_epochs);
                double share = true_accuracy(&curve, e) / true_accuracy(&curve, curve.n_epochs);
                n_stopped += e < curve.n_epochs;
                n_overfitting += verdict == OPTSTOP_OVERFITTING && e < curve.n_epochs;
                epochs += (double)e / curve.n_epochs / N;
                kept += share / N;
                least = fmin(least, share);
            }
            printf("# | %s | `%s` | %.0f %% | %.0f %% | %.0f %% | %.1f %% | %.1f %% |\n", curve_model[m].name,
                   variant[v], 100.0 * n_stopped / N, 100.0 * n_overfitting / N, 100 * epochs, 100 * kept, 100 * least);
            if (v == 0) assert_true(kept > .96 && epochs < .9);
            assert_true(kept > .8 && kept <= 1 && epochs <= 1);
        }
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults),
        cmocka_unit_test(accuracy_now_is_smoothed),
        cmocka_unit_test(v18_5_the_37_percent_rule),
        cmocka_unit_test(each_branch_by_hand),
        cmocka_unit_test(equals_the_published_rule),
        cmocka_unit_test(curve_stops_when_it_is_enough),
        cmocka_unit_test(hopeless_only_if_asked_and_sure),
        cmocka_unit_test(confidence_decides),
        cmocka_unit_test(no_verdict_without_a_fit),
        cmocka_unit_test(savings_on_known_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
