/* tests/unit_agent.c -- learning: what must not change does not, what must be learnt is, on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "rl/agent.h"
#include "rl/credit.h"
#include "rl/rlkeys.h"

enum { FEATURES = 5, CANDIDATES = 6, ROLLOUTS = 4 };

static const MlpShape shape = {3, {FEATURES, 12, 7, 1}};

static AgentRule rule_of(double rate)
{
    return (AgentRule){
        .imitate_rate = rate, .imitate_batch = 64, .smoothing = .05, .rate = rate, .longest_gradient = 1};
}

/* Decisions of 2 to 6 candidates; the teacher takes the legal one with the greatest first feature. */
static DecisionLog taught_log(Arena *arena, int n, uint64_t id)
{
    DecisionLog log = decision_log(arena, FEATURES);
    Rng rng;
    rng_open(&rng, 1, "test teacher", id);
    for (int d = 0; d < n; d++) {
        float x[CANDIDATES * FEATURES];
        bool legal[CANDIDATES];
        int candidates = 2 + (int)rng_below(&rng, CANDIDATES - 1), best = (int)rng_below(&rng, candidates);
        for (int i = 0; i < candidates * FEATURES; i++) x[i] = (float)(2 * rng_uniform(&rng) - 1);
        for (int i = 0; i < candidates; i++) legal[i] = i == best || rng_uniform(&rng) < .7;
        for (int i = 0; i < candidates; i++)
            if (legal[i] && x[i * FEATURES] > x[best * FEATURES]) best = i;
        decision_add(&log, candidates, x, legal, best, d);
    }
    return log;
}

/* What stays is as it was, and in its order. */
static void a_thinned_log_keeps_each_third_tick(void **state)
{
    (void)state;
    Arena arena = {0};
    DecisionLog all = taught_log(&arena, 50, 1), log = taught_log(&arena, 50, 1);
    decision_log_thin(&log, 3);
    assert_int_equal(log.n, 17);
    for (int i = 0; i < log.n; i++) {
        const Decision *d = &log.decision[i], *was = &all.decision[3 * i];
        assert_int_equal(d->tick, 3 * i);
        assert_true(d->n == was->n && d->chosen == was->chosen);
        size_t size = (size_t)d->n * FEATURES * sizeof(float);
        assert_memory_equal(log.feature + d->first * FEATURES, all.feature + was->first * FEATURES, size);
        assert_memory_equal(log.legal + d->first, all.legal + was->first, (size_t)d->n);
        assert_int_equal(d->first + d->n, i + 1 < log.n ? log.decision[i + 1].first : log.n_rows);
    }
    decision_log_thin(&log, 100);
    assert_true(log.n == 1 && log.n_rows == log.decision[0].n);
    arena_free(&arena);
}

/* ---- imitation ---- */

static void imitation_learns_what_it_did_not_see(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    AgentRule rule = rule_of(3e-3);
    Agent agent = agent_open(&arena, &rule, shape, KERNEL_REFERENCE, 1, 1);
    DecisionLog seen = taught_log(&arena, 3000, 0), held_out = taught_log(&arena, 500, 1);
    double agreement[40];
    AgentProgress progress, before = agent_compare(&agent, &held_out);
    int n = 0;
    while (n < 40 && !credit_is_learnt(agreement, n)) {
        assert_true(agent_imitate(&agent, &seen, n, &progress, &err));
        assert_int_equal(progress.n, 3000);
        agreement[n++] = agent_compare(&agent, &held_out).agreement;
    }
    if (!(before.agreement < .7 && agreement[n - 1] > .95 && n < 40))
        fail_msg("agreement %g, after %d epochs %g", before.agreement, n, agreement[n - 1]);
    assert_int_equal(agent.adam.step, 47 * n); /* ceil(3000/64) */
    arena_free(&arena);
}

static void imitation_is_over_when_agreement_rests(void **state)
{
    (void)state;
    static const double a[] = {.5, .6, .7, .8, .804, .8049, .8049}, b[] = {.5, .6, .7, .705}, c[] = {.7, .6, .6, .6};
    for (int n = 0; n < 7; n++) assert_false(credit_is_learnt(a, n)); /* from .7 to .8049 in three */
    assert_true(credit_is_learnt(a, 7));                              /* from .8 to .8049 */
    assert_false(credit_is_learnt(b, 4));
    assert_true(credit_is_learnt(c, 4)); /* it fell */
}

/* ---- credit ---- */

static void returns_by_hand(void **state)
{
    (void)state;
    static const double reward[] = {1, 2, 3, 4, 5};
    double g[3];
    credit_returns(reward, 3, .5, 3, g);
    assert_true(g[0] == 1 + 1 + .75 && g[1] == 2 + 1.5 + 1 && g[2] == 3 + 2 + 1.25);
}

/* Two rollouts, two ticks: G = (1 5; 3 1), b = (2 3), G - b = (-1 2; 1 -2), s = sqrt(10/4). */
static void advantages_by_hand(void **state)
{
    (void)state;
    static const double returns[] = {1, 5, 3, 1}, difference[] = {-1, 2, 1, -2};
    double a[4], s = sqrt(2.5);
    assert_true(fabs(credit_advantages(returns, 2, 2, a) - s) < 1e-15);
    for (int i = 0; i < 4; i++) assert_true(fabs(a[i] - difference[i] / (s + 1e-8)) < 1e-15);
}

static void rewards_have_settled(void **state)
{
    (void)state;
    double reward[60];
    for (int i = 0; i < 60; i++) reward[i] = i < 20 ? 1 : i < 40 ? 2 : 2.0199;
    assert_false(credit_is_settled(reward, 39));
    assert_false(credit_is_settled(reward, 40));
    assert_true(credit_is_settled(reward, 60));
    for (int i = 40; i < 60; i++) reward[i] = 2.0201;
    assert_false(credit_is_settled(reward, 60));
    for (int i = 40; i < 60; i++) reward[i] = -2;
    assert_false(credit_is_settled(reward, 60));
    for (int i = 20; i < 40; i++) reward[i] = -2.01;
    assert_true(credit_is_settled(reward, 60));
}

/* ---- REINFORCE ---- */

/* The rollouts' decisions with the advantages that their returns give. */
static void rollouts(Arena *arena, DecisionLog log[ROLLOUTS], bool equal_rewards)
{
    enum { TICKS = 30 };
    static double returns[ROLLOUTS * TICKS], advantage[ROLLOUTS * TICKS];
    for (int i = 0; i < ROLLOUTS; i++) {
        log[i] = taught_log(arena, TICKS, (uint64_t)i);
        for (int t = 0; t < TICKS; t++)
            returns[i * TICKS + t] =
                equal_rewards ? 100. / (t + 3) : rng_fraction(3, "test returns", (uint64_t)(i * TICKS + t));
    }
    credit_advantages(returns, ROLLOUTS, TICKS, advantage);
    for (int i = 0; i < ROLLOUTS; i++)
        for (int d = 0; d < log[i].n; d++)
            log[i].decision[d].advantage = advantage[i * TICKS + log[i].decision[d].tick];
}

/* Rollouts that ended equally well have exactly nothing to say, with 100 Adam steps as with one. */
static void equal_rollouts_have_no_gradient(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    AgentRule rule = rule_of(1e-2);
    Agent agent = agent_open(&arena, &rule, shape, KERNEL_OPENBLAS, 7, 1), untouched;
    untouched = agent_open(&arena, &rule, shape, KERNEL_OPENBLAS, 7, 1);
    DecisionLog log[ROLLOUTS];
    AgentProgress progress;
    rollouts(&arena, log, true);
    for (int i = 0; i < 100; i++) {
        assert_true(agent_reinforce(&agent, log, ROLLOUTS, 0, &progress, &err));
        assert_true(progress.loss == 0);
        for (int k = 0; k < agent.net.n_parameters; k++) assert_true(agent.gradient[k] == 0);
    }
    assert_memory_equal(agent.net.parameter, untouched.net.parameter,
                        (size_t)agent.net.n_parameters * sizeof *agent.net.parameter);
    arena_free(&arena);
}

/* With a weight on it the entropy alone is left, and rises to that of even odds. */
static void constant_rewards_leave_finite_weights(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    AgentRule rule = rule_of(1e-2);
    Agent agent = agent_open(&arena, &rule, shape, KERNEL_OPENBLAS, 7, 1);
    DecisionLog logs[ROLLOUTS];
    AgentProgress first, last;
    rollouts(&arena, logs, true);
    assert_true(agent_reinforce(&agent, logs, ROLLOUTS, .1, &first, &err));
    for (int i = 0; i < 500; i++) assert_true(agent_reinforce(&agent, logs, ROLLOUTS, .1, &last, &err));
    for (int k = 0; k < agent.net.n_parameters; k++) assert_true(isfinite(agent.net.parameter[k]));
    double even = 0;
    for (int i = 0; i < ROLLOUTS; i++)
        for (int d = 0; d < logs[i].n; d++) {
            int n_legal = 0;
            for (int k = 0; k < logs[i].decision[d].n; k++) n_legal += logs[i].legal[logs[i].decision[d].first + k];
            if (n_legal > 1) even += log((double)n_legal);
        }
    even /= (double)last.n;
    if (!(first.entropy < .99 * even && last.entropy > .999 * even && last.entropy < even * (1 + 1e-12)))
        fail_msg("entropy %g, then %g of %g", first.entropy, last.entropy, even);
    arena_free(&arena);
}

static void nothing_decided_nothing_learnt(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    AgentRule rule = rule_of(1e-2);
    Agent agent = agent_open(&arena, &rule, shape, KERNEL_OPENBLAS, 7, 1);
    DecisionLog log[2] = {decision_log(&arena, FEATURES), decision_log(&arena, FEATURES)};
    AgentProgress progress;
    assert_true(agent_reinforce(&agent, log, 2, .1, &progress, &err));
    assert_int_equal(agent.adam.step, 0);
    assert_int_equal(progress.n, 0);
    arena_free(&arena);
}

/* One of the decisions has an advantage that is no number; one of the weights is no number. */
static void non_finite_stops_with_the_step(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    AgentRule rule = rule_of(1e-2);
    Agent agent = agent_open(&arena, &rule, shape, KERNEL_OPENBLAS, 7, 2);
    DecisionLog log[ROLLOUTS];
    AgentProgress progress;
    rollouts(&arena, log, false);
    for (int i = 0; i < 16; i++) assert_true(agent_reinforce(&agent, log, ROLLOUTS, .1, &progress, &err));
    double kept = agent.net.parameter[3];
    log[2].decision[5].advantage = (double)NAN;
    assert_false(agent_reinforce(&agent, log, ROLLOUTS, .1, &progress, &err));
    assert_string_equal(err.text, "training step 17: the loss is not finite");
    assert_true(agent.net.parameter[3] == kept && agent.adam.step == 16);

    err = (Err){0};
    log[2].decision[5].advantage = 1e200; /* finite, but the length of its gradient is not */
    assert_false(agent_reinforce(&agent, log, ROLLOUTS, .1, &progress, &err));
    assert_string_equal(err.text, "training step 17: the gradient is not finite");
    assert_true(agent.net.parameter[3] == kept && agent.adam.step == 16);

    err = (Err){0};
    agent.net.parameter[3] = (double)INFINITY;
    DecisionLog teacher = taught_log(&arena, 100, 0);
    assert_false(agent_imitate(&agent, &teacher, 0, &progress, &err));
    assert_string_equal(err.text, "training step 17: the loss is not finite");
    arena_free(&arena);
}

static void a_long_gradient_is_shortened(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Adam long_one = adam_open(&arena, 2), short_one = adam_open(&arena, 2);
    double g[] = {30, -40}, h[] = {.6, -.8}, p[] = {1, 1}, q[] = {1, 1}; /* of length 50 and 1 */
    assert_true(adam_step(&long_one, .1, 1, g, p, &err) && adam_step(&short_one, .1, 0, h, q, &err));
    assert_true(fabs(long_one.mean[0] - .06) < 1e-15 && fabs(long_one.square[1] - .00064) < 1e-15);
    assert_true(fabs(p[0] - q[0]) < 1e-12 && fabs(p[0] - .9) < 1e-8); /* the first step is `rate` long in each */
    arena_free(&arena);
}

/* Ten steps of Adam on p^2/2 from 1 with rate .1, as an independent program (25 lines of Python) has it. */
static void adam_by_hand(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Adam adam = adam_open(&arena, 1);
    double p = 1;
    for (int i = 0; i < 10; i++) {
        double g = p;
        assert_true(adam_step(&adam, .1, 0, &g, &p, &err));
    }
    if (!(fabs(p - 0.07624916061975462) < 1e-13)) fail_msg("%.17g", p);
    arena_free(&arena);
}

static void the_entropy_weight_falls(void **state)
{
    (void)state;
    AgentRule rule = {.entropy_first = .1, .entropy_last = .001, .iterations = 100};
    assert_true(agent_entropy_weight(&rule, 0) == .1 && agent_entropy_weight(&rule, 99) == .001);
    assert_true(fabs(agent_entropy_weight(&rule, 33) - .067) < 1e-15 && agent_entropy_weight(&rule, 500) == .001);
    rule.iterations = 1;
    assert_true(agent_entropy_weight(&rule, 0) == .001);
}

static void the_keys_are_read(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Params params = {.arena = &arena};
    params_add(&params, "rl", rl_params);
    AgentRule rule = agent_rule(&params);
    assert_true(rule.imitate_rate == 1e-3 && rule.imitate_batch == 256 && rule.smoothing == .05);
    assert_true(rule.rate == 3e-3 && rule.entropy_first == .005 && rule.entropy_last == .0005);
    assert_true(rule.longest_gradient == 1 && rule.iterations == params_integer(&params, "rl", "iterations"));
    Kernel kernel;
    assert_true(kernel_choose(&params, &kernel, &err) && kernel == KERNEL_OPENBLAS);
    assert_true(params_set(&params, "rl.blas", "reference", &err));
    assert_true(kernel_choose(&params, &kernel, &err) && kernel == KERNEL_REFERENCE);
    arena_free(&arena);
}

/* ---- the same bytes ---- */

static void train_a_little(Arena *arena, Kernel kernel, int n_threads, uint64_t seed, double **parameter, int *n)
{
    Err err = {0};
    AgentRule rule = rule_of(1e-2);
    Agent agent = agent_open(arena, &rule, shape, kernel, seed, n_threads);
    DecisionLog log[ROLLOUTS], teacher = taught_log(arena, 700, 9);
    AgentProgress progress;
    for (int epoch = 0; epoch < 2; epoch++) assert_true(agent_imitate(&agent, &teacher, epoch, &progress, &err));
    agent_forget_steps(&agent);
    rollouts(arena, log, false);
    for (int i = 0; i < 5; i++) assert_true(agent_reinforce(&agent, log, ROLLOUTS, .1, &progress, &err));
    *parameter = agent.net.parameter;
    *n = agent.net.n_parameters;
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        Arena arena = {0};
        double *one, *many;
        int n;
        train_a_little(&arena, (Kernel)kernel, 1, 4, &one, &n);
        for (int n_threads = 1; n_threads <= 4; n_threads++) {
            train_a_little(&arena, (Kernel)kernel, n_threads, 4, &many, &n);
            assert_memory_equal(one, many, (size_t)n * sizeof *one);
        }
        train_a_little(&arena, (Kernel)kernel, 1, 5, &many, &n);
        assert_memory_not_equal(one, many, (size_t)n * sizeof *one);
        arena_free(&arena);
    }
}

/* What the reference kernel learns, written down once: the same on every machine. */
static void the_reference_learns_these_bits(void **state)
{
    (void)state;
    Arena arena = {0};
    double *parameter;
    int n;
    train_a_little(&arena, KERNEL_REFERENCE, 2, 4, &parameter, &n);
    uint64_t hash = 0;
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &parameter[i], sizeof bits);
        hash = hash * 31 + bits;
    }
    if (hash != 0xcfdf27d8ca9e5cb8) fail_msg("hash 0x%llx", (unsigned long long)hash);
    arena_free(&arena);
}

/* ---- users.md U69: one GPU, jobs of 100 s and 10 s at time 0; with the short one first the mean JCT is 60, else 105
 * ----
 *
 * Ticks of 10 s.  The reward is the JCT term of eq. 7 over the jobs that end in (t, t + 10], min(2, 60/JCT): with the
 * short job first it ends in the first tick, JCT 10, worth 2, and the long one in the 11th, JCT 110, worth 60/110;
 * otherwise 60/100 in the 10th and 60/110 in the 11th.  Which job stands first among the candidates is drawn.
 */
enum { TOY_FEATURES = 40, TOY_TICKS = 12, TOY_ROLLOUTS = 8, TOY_EPISODES = 200 };

static void toy_candidates(float x[2 * TOY_FEATURES], int short_at)
{
    memset(x, 0, 2 * TOY_FEATURES * sizeof *x);
    x[short_at * TOY_FEATURES] = .1f;
    x[(1 - short_at) * TOY_FEATURES] = 1;
    x[1] = x[TOY_FEATURES + 1] = 1; /* both wait */
}

static double toy_return(bool short_first)
{
    double reward[TOY_TICKS] = {0}, g;
    reward[short_first ? 0 : 9] += short_first ? 2 : .6;
    reward[10] += 60. / 110;
    credit_returns(reward, 1, .95, TOY_TICKS, &g);
    return g;
}

static bool toy_runs_the_short_first(Chooser *chooser)
{
    float x[2 * TOY_FEATURES];
    for (int short_at = 0; short_at < 2; short_at++) {
        toy_candidates(x, short_at);
        if (chooser_choose(chooser, 2, x, NULL, NULL) != short_at) return false;
    }
    return true;
}

static void toy_iteration(Agent *agent, Chooser *chooser, Arena *arena, int iteration)
{
    DecisionLog log[TOY_ROLLOUTS];
    double returns[TOY_ROLLOUTS], advantage[TOY_ROLLOUTS];
    AgentProgress progress;
    Err err = {0};
    for (int i = 0; i < TOY_ROLLOUTS; i++) {
        float x[2 * TOY_FEATURES];
        Rng rng;
        rng_open(&rng, agent->seed, "toy", (uint64_t)(iteration * TOY_ROLLOUTS + i));
        int short_at = (int)rng_below(&rng, 2);
        toy_candidates(x, short_at);
        int chosen = chooser_choose(chooser, 2, x, NULL, &rng);
        log[i] = decision_log(arena, TOY_FEATURES);
        decision_add(&log[i], 2, x, NULL, chosen, 0);
        returns[i] = toy_return(chosen == short_at);
    }
    credit_advantages(returns, TOY_ROLLOUTS, 1, advantage);
    for (int i = 0; i < TOY_ROLLOUTS; i++) log[i].decision[0].advantage = advantage[i];
    if (!agent_reinforce(agent, log, TOY_ROLLOUTS, .01, &progress, &err)) fail_msg("%s", err.text);
}

static void u69_the_short_job_first(void **state)
{
    (void)state;
    assert_true(fabs(toy_return(true) - (2 + pow(.95, 10) * 60 / 110)) < 1e-14);
    assert_true(fabs(toy_return(false) - (pow(.95, 9) * .6 + pow(.95, 10) * 60 / 110)) < 1e-14);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Arena arena = {0};
        AgentRule rule = rule_of(1e-3);
        Agent agent = agent_open(&arena, &rule, (MlpShape){3, {TOY_FEATURES, 64, 32, 1}}, KERNEL_REFERENCE, seed, 1);
        Chooser greedy = chooser(&arena, &agent.net);
        for (int i = 0; i < TOY_EPISODES / TOY_ROLLOUTS; i++) toy_iteration(&agent, &greedy, &arena, i);
        if (!toy_runs_the_short_first(&greedy)) fail_msg("seed %d: the long job first", (int)seed);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thinned_log_keeps_each_third_tick),
        cmocka_unit_test(imitation_learns_what_it_did_not_see),
        cmocka_unit_test(imitation_is_over_when_agreement_rests),
        cmocka_unit_test(returns_by_hand),
        cmocka_unit_test(advantages_by_hand),
        cmocka_unit_test(rewards_have_settled),
        cmocka_unit_test(equal_rollouts_have_no_gradient),
        cmocka_unit_test(constant_rewards_leave_finite_weights),
        cmocka_unit_test(nothing_decided_nothing_learnt),
        cmocka_unit_test(non_finite_stops_with_the_step),
        cmocka_unit_test(a_long_gradient_is_shortened),
        cmocka_unit_test(adam_by_hand),
        cmocka_unit_test(the_entropy_weight_falls),
        cmocka_unit_test(the_keys_are_read),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(the_reference_learns_these_bits),
        cmocka_unit_test(u69_the_short_job_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
