/* tests/unit_net.c -- the net by differences: every layer and both whole losses, by either kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "rl/gradient.h"
#include "rl/portable.h"
#include "rl/softmax.h"
#include "sim/base/rng.h"

enum { FEATURES = 7, MOST_CANDIDATES = 9 };

static const MlpShape shapes[] = {
    {1, {FEATURES, 1}}, {2, {FEATURES, 5, 1}}, {3, {FEATURES, 11, 6, 1}}, {4, {FEATURES, 3, 8, 2, 1}}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- the net alone: loss = sum over outputs of c y, with c drawn ---- */

static double weighted(const Mlp *net, MlpPass *pass, const float *x, int rows, const double *c)
{
    const double *y = mlp_forward(net, pass, x, rows);
    double sum = 0;
    for (int i = 0; i < rows * net->shape.width[net->shape.n_layers]; i++) sum += c[i] * y[i];
    return sum;
}

/* Central differences of step h against g, relative to the greater of the two or to `least`.  With h = 1e-5 rounding
 * and the third derivative leave about 1e-7, and no sum of these nets is so near 0 that h would turn its sign. */
static double worst_error(double *parameter, const double *g, int n, double least, double (*loss)(void *),
                          void *context)
{
    double worst = 0, h = 1e-5;
    for (int i = 0; i < n; i++) {
        double kept = parameter[i];
        parameter[i] = kept + h;
        double up = loss(context);
        parameter[i] = kept - h;
        double down = loss(context);
        parameter[i] = kept;
        double d = (up - down) / (2 * h), error = fabs(d - g[i]) / fmax(least, fmax(fabs(d), fabs(g[i])));
        worst = fmax(worst, error);
    }
    return worst;
}

typedef struct NetCase {
    Mlp net;
    MlpPass pass;
    float *x;
    double *c;
    int rows;
} NetCase;

static double net_loss(void *context)
{
    NetCase *k = context;
    return weighted(&k->net, &k->pass, k->x, k->rows, k->c);
}

/* Biases too are away from 0, so that every kind of parameter is told apart. */
static void draw_all(Mlp *net, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "test net", 0);
    for (int i = 0; i < net->n_parameters; i++) net->parameter[i] = 1.4 * rng_uniform(&rng) - .7;
}

static void the_gradient_of_every_layer(void **state)
{
    (void)state;
    static const MlpShape shape = {3, {FEATURES, 11, 6, 2}};
    for (int kernel = 0; kernel < 2; kernel++)
        for (int rows = 1; rows <= 37; rows += 12) {
            Arena arena = {0};
            NetCase k = {.net = mlp_open(&arena, shape, (Kernel)kernel), .rows = rows};
            k.pass = mlp_pass(&arena, &shape);
            k.x = NEW_ARRAY(&arena, float, rows *FEATURES);
            k.c = NEW_ARRAY(&arena, double, rows * 2);
            Rng rng;
            rng_open(&rng, 5, "test rows", (uint64_t)rows);
            for (int i = 0; i < rows * FEATURES; i++) k.x[i] = (float)(2 * rng_uniform(&rng) - 1);
            for (int i = 0; i < rows * 2; i++) k.c[i] = 2 * rng_uniform(&rng) - 1;
            draw_all(&k.net, 3);
            double *g = NEW_ARRAY(&arena, double, k.net.n_parameters);
            net_loss(&k);
            mlp_backward(&k.net, &k.pass, k.c, g);
            int at = 0;
            for (int l = 0; l < shape.n_layers; l++) {
                int n = (shape.width[l] + 1) * shape.width[l + 1];
                double worst = worst_error(k.net.parameter + at, g + at, n, 1e-2, net_loss, &k);
                if (!(worst < 1e-6))
                    fail_msg("kernel %d, %d rows, layer %d: relative error %g", kernel, rows, l, worst);
                at += n;
            }
            assert_int_equal(at, k.net.n_parameters);
            arena_free(&arena);
        }
}

/* ---- the whole losses ---- */

typedef struct LossCase {
    Mlp net;
    Loss loss;
    DecisionLog log;
    BatchPart part[3];
    BatchRoom room;
} LossCase;

static double whole_loss(void *context)
{
    LossCase *k = context;
    return batch_gradient(&k->room, &k->net, &k->loss, k->part, 3, NULL).loss;
}

/* 40 decisions of 1 to 9 candidates, some of them illegal, with advantages of either sign. */
static DecisionLog drawn_log(Arena *arena)
{
    DecisionLog log = decision_log(arena, FEATURES);
    Rng rng;
    rng_open(&rng, 11, "test decisions", 0);
    for (int d = 0; d < 40; d++) {
        float x[MOST_CANDIDATES * FEATURES];
        bool legal[MOST_CANDIDATES];
        int n = 1 + (int)rng_below(&rng, MOST_CANDIDATES), chosen = (int)rng_below(&rng, n);
        for (int i = 0; i < n * FEATURES; i++) x[i] = (float)(2 * rng_uniform(&rng) - 1);
        for (int i = 0; i < n; i++) legal[i] = i == chosen || rng_uniform(&rng) < .8;
        decision_add(&log, n, x, d % 5 ? legal : NULL, chosen, d);
        log.decision[d].advantage = 4 * rng_uniform(&rng) - 2;
    }
    return log;
}

static LossCase loss_case(Arena *arena, MlpShape shape, Kernel kernel, Loss loss)
{
    LossCase k = {.net = mlp_open(arena, shape, kernel), .loss = loss, .log = drawn_log(arena)};
    k.room = batch_room(arena, &shape, 1);
    draw_all(&k.net, 17);
    return k;
}

static void check_whole(Loss loss)
{
    for (int kernel = 0; kernel < 2; kernel++)
        for (int s = 0; s < N_SHAPES; s++) {
            Arena arena = {0};
            LossCase k = loss_case(&arena, shapes[s], (Kernel)kernel, loss);
            for (int p = 0; p < 3; p++) k.part[p] = (BatchPart){&k.log, NULL, p * 14, p < 2 ? 14 : 12};
            double *g = NEW_ARRAY(&arena, double, k.net.n_parameters);
            BatchSum sum = batch_gradient(&k.room, &k.net, &k.loss, k.part, 3, g);
            assert_int_equal(sum.n, 40);
            assert_true(sum.loss == whole_loss(&k));
            double worst = worst_error(k.net.parameter, g, k.net.n_parameters, 1e-2, whole_loss, &k);
            if (!(worst < 1e-6)) fail_msg("kernel %d, shape %d: relative error %g", kernel, s, worst);
            arena_free(&arena);
        }
}

static void the_gradient_of_imitation(void **state)
{
    (void)state;
    check_whole((Loss){.kind = LOSS_IMITATION, .smoothing = .05});
    check_whole((Loss){.kind = LOSS_IMITATION});
}

static void the_gradient_of_reinforce(void **state)
{
    (void)state;
    check_whole((Loss){.kind = LOSS_REINFORCE});
    check_whole((Loss){.kind = LOSS_REINFORCE, .entropy_weight = .1});
}

/* ---- the kernels ---- */

/* (1 2; 3 4) (5 6; 7 8) = (19 22; 43 50), and with the first, the second or both stored the other way round. */
static void a_product_by_hand(void **state)
{
    (void)state;
    static const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    static const double wanted[4][4] = {
        {19, 22, 43, 50}, {26, 30, 38, 44}, {17, 23, 39, 53}, {23, 31, 34, 46}}; /* A B, A'B, AB', A'B' */
    for (int kernel = 0; kernel < 2; kernel++)
        for (unsigned turns = 0; turns < 4; turns++) {
            double c[] = {.5, .5, .5, .5};
            kernel_product((Kernel)kernel, turns | KERNEL_ADD, 2, 2, 2, a, b, c);
            for (int i = 0; i < 4; i++) assert_true(c[i] == wanted[turns][i] + .5);
            kernel_product((Kernel)kernel, turns, 2, 2, 2, a, b, c);
            assert_memory_equal(c, wanted[turns], sizeof c);
        }
}

static void the_kernels_agree(void **state)
{
    (void)state;
    Err err = {0};
    kernel_one_thread();
    if (!kernel_self_test(KERNEL_OPENBLAS, &err) || !kernel_self_test(KERNEL_REFERENCE, &err)) fail_msg("%s", err.text);
}

/* Every element in ascending order of the inner index, over more than one depth of its blocks: what any compiler makes
 * of the plain loops. */
static void the_reference_sums_in_order(void **state)
{
    (void)state;
    enum { M = 7, N = 6, DEPTH = 301 };
    static double a[M * DEPTH], b[DEPTH * N], c[M * N];
    Rng rng;
    rng_open(&rng, 23, "test product", 0);
    for (int i = 0; i < M * DEPTH; i++) a[i] = 2 * rng_uniform(&rng) - 1;
    for (int i = 0; i < DEPTH * N; i++) b[i] = 2 * rng_uniform(&rng) - 1;
    kernel_product(KERNEL_REFERENCE, 0, M, N, DEPTH, a, b, c);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            volatile double sum = 0;
            for (int p = 0; p < DEPTH; p++) sum += a[i * DEPTH + p] * b[p * N + j];
            assert_true(c[i * N + j] == sum);
        }
}

static void openblas_runs_one_thread(void **state)
{
    (void)state;
    kernel_one_thread();
    KernelFacts facts = kernel_facts(KERNEL_OPENBLAS);
    assert_int_equal(facts.threads, 1);
    assert_non_null(strstr(facts.build, "OpenBLAS"));
    assert_true(*facts.core);
    facts = kernel_facts(KERNEL_REFERENCE);
    assert_string_equal(facts.build, "reference");
    assert_null(facts.core);
}

/* Four threads multiply at once.  Without the lock that OpenBLAS' serial build needs about one product in ten thousand
 * is wrong, so that this test mostly fails. */
enum { BUSY_M = 256, BUSY_N = 64, BUSY_DEPTH = 40, BUSY_ROUNDS = 5000, BUSY_THREADS = 4 };

typedef struct Busy {
    double a[BUSY_M * BUSY_DEPTH], b[BUSY_DEPTH * BUSY_N], wanted[BUSY_M * BUSY_N];
    atomic_int n_wrong;
} Busy;

static void *multiply(void *context)
{
    Busy *busy = context;
    double *c = malloc(sizeof busy->wanted);
    MUST(c);
    for (int i = 0; i < BUSY_ROUNDS; i++) {
        kernel_product(KERNEL_OPENBLAS, 0, BUSY_M, BUSY_N, BUSY_DEPTH, busy->a, busy->b, c);
        if (memcmp(c, busy->wanted, sizeof busy->wanted) != 0) atomic_fetch_add(&busy->n_wrong, 1);
    }
    free(c);
    return NULL;
}

static void threads_multiply_at_once(void **state)
{
    (void)state;
    static Busy busy;
    for (int i = 0; i < BUSY_M * BUSY_DEPTH; i++) busy.a[i] = rng_fraction(1, "test a", (uint64_t)i);
    for (int i = 0; i < BUSY_DEPTH * BUSY_N; i++) busy.b[i] = rng_fraction(1, "test b", (uint64_t)i);
    kernel_one_thread();
    kernel_product(KERNEL_OPENBLAS, 0, BUSY_M, BUSY_N, BUSY_DEPTH, busy.a, busy.b, busy.wanted);
    pthread_t thread[BUSY_THREADS];
    for (int i = 0; i < BUSY_THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, multiply, &busy), 0);
    for (int i = 0; i < BUSY_THREADS; i++) pthread_join(thread[i], NULL);
    assert_int_equal(busy.n_wrong, 0);
}

/* ---- exp, log, powers ---- */

static void exp_and_log_are_near_the_truth(void **state)
{
    (void)state;
    double worst_exp = 0, worst_log = 0;
    for (int i = 0; i < 200000; i++) {
        double x = -700 + 1400 * rng_fraction(1, "test exp", (uint64_t)i);
        if (i & 1) x /= 1000; /* where probabilities live */
        worst_exp = fmax(worst_exp, fabs(portable_exp(x) / exp(x) - 1));
        double y = exp(x);
        if (i & 2) y = 1 + x / 1500; /* near 1, where logarithms cancel */
        worst_log = fmax(worst_log, fabs(portable_log(y) - log(y)) / fmax(fabs(log(y)), 1e-300));
    }
    if (worst_exp > 3e-16 || worst_log > 3e-16) fail_msg("relative errors %g, %g", worst_exp, worst_log);
    assert_true(portable_exp(0) == 1 && portable_log(1) == 0);
    assert_true(portable_exp((double)-INFINITY) == 0 && portable_exp(-800) == 0 && isinf(portable_exp(800)));
    assert_true(portable_log(0) == (double)-INFINITY && isinf(portable_log((double)INFINITY)) &&
                isnan(portable_log(-1)));
    assert_true(isnan(portable_exp((double)NAN)) && isnan(portable_log((double)NAN)));
    assert_true(portable_power(3, 5) == 243 && portable_power(.5, 0) == 1);
}

/* The bits themselves, written down once: on no machine may they differ. */
static void exp_and_log_have_these_bits(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int i = 0; i < 100000; i++) {
        double x = 40 * rng_fraction(2, "test bits", (uint64_t)i) - 20, v[] = {portable_exp(x), portable_log(x + 20)};
        uint64_t bits[2];
        memcpy(bits, v, sizeof bits);
        hash = (hash * 31 + bits[0]) * 31 + bits[1];
    }
    if (hash != 0xe3df0de130a455f0) fail_msg("hash 0x%llx", (unsigned long long)hash);
}

/* ---- softmax ---- */

/* users.md U71: scores 1000, 0, -1000 */
static void u71_masked_actions_are_never_chosen(void **state)
{
    (void)state;
    static const double score[] = {1000, 0, -1000};
    static const bool second[] = {false, true, false}, none[3] = {false};
    double log_p[3], d[3];
    Rng rng;
    rng_open(&rng, 71, "test softmax", 0);

    assert_int_equal(softmax_log(score, second, 3, log_p), 1);
    assert_true(log_p[1] == 0 && portable_exp(log_p[0]) == 0 && portable_exp(log_p[2]) == 0);
    assert_true(softmax_entropy(log_p, 3) == 0);
    for (int i = 0; i < 1000000; i++) assert_true(softmax_sample(log_p, 3, &rng) == 1);
    assert_int_equal(softmax_best(score, second, 3), 1);
    assert_true(softmax_reinforce(log_p, 3, 1, 7, .1, d) == 0 && d[0] == 0 && d[1] == 0 && d[2] == 0);
    assert_true(softmax_imitation(log_p, 3, 1, .05, d) == 0 && d[0] == 0 && d[2] == 0 && fabs(d[1]) < 1e-15);

    assert_int_equal(softmax_log(score, none, 3, log_p), 0);
    assert_int_equal(softmax_sample(log_p, 3, &rng), -1);
    assert_int_equal(softmax_best(score, none, 3), -1);
    assert_true(softmax_entropy(log_p, 3) == 0);

    assert_int_equal(softmax_log(score, NULL, 3, log_p), 3);
    assert_true(log_p[0] == 0 && log_p[1] == -1000 && log_p[2] == -2000);
    assert_true(isfinite(softmax_reinforce(log_p, 3, 2, 1, .1, d)) && isfinite(d[0]) && isfinite(d[1]) &&
                isfinite(d[2]));
}

/* Scores ln 1, ln 2, ln 3, ln 6 with the last illegal: 1/6, 2/6, 3/6.  Entropy = sum p ln(1/p) = 1.0114042647073518. */
static void softmax_by_hand(void **state)
{
    (void)state;
    double score[] = {0, log(2), log(3), log(6)}, log_p[4], d[4];
    static const bool legal[] = {true, true, true, false};
    softmax_log(score, legal, 4, log_p);
    for (int i = 0; i < 3; i++) assert_true(fabs(portable_exp(log_p[i]) - (i + 1) / 6.) < 1e-15);
    assert_true(fabs(softmax_entropy(log_p, 4) - 1.0114042647073518) < 1e-15);

    /* targets with smoothing .06: .02, .02, .96 */
    double loss = softmax_imitation(log_p, 4, 2, .06, d);
    assert_true(fabs(loss - (.02 * log(6) + .02 * log(3) + .96 * log(2))) < 1e-15);
    assert_true(fabs(d[0] - (1 / 6. - .02)) < 1e-15 && fabs(d[1] - (1 / 3. - .02)) < 1e-15);
    assert_true(fabs(d[2] - (.5 - .96)) < 1e-15 && d[3] == 0);

    assert_true(fabs(softmax_reinforce(log_p, 4, 0, -2, 0, d) - -2 * log(6)) < 1e-15);
    assert_true(fabs(d[0] - 5 / 3.) < 1e-15 && fabs(d[1] - -2 / 3.) < 1e-15 && fabs(d[2] - -1) < 1e-15 && d[3] == 0);
}

static void samples_have_their_frequencies(void **state)
{
    (void)state;
    enum { N = 600000 };
    double score[] = {0, log(2), 9, log(3)}, log_p[4];
    static const bool legal[] = {true, true, false, true};
    int seen[4] = {0};
    Rng rng;
    rng_open(&rng, 3, "test softmax", 1);
    softmax_log(score, legal, 4, log_p);
    for (int i = 0; i < N; i++) seen[softmax_sample(log_p, 4, &rng)]++;
    assert_int_equal(seen[2], 0);
    for (int i = 0; i < 4; i++) { /* 5 standard deviations of a binomial are 5 sqrt(600000/4) < 2000 */
        double wanted = legal[i] ? N * portable_exp(log_p[i]) : 0;
        assert_true(fabs(seen[i] - wanted) < 2000);
    }
}

static void ties_go_to_the_first(void **state)
{
    (void)state;
    static const double score[] = {3, 5, 4, 5};
    static const bool legal[] = {true, false, true, true};
    assert_int_equal(softmax_best(score, NULL, 4), 1);
    assert_int_equal(softmax_best(score, legal, 4), 3);
    static const double same[] = {2, 2, 2};
    assert_int_equal(softmax_best(same, NULL, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_every_layer),
        cmocka_unit_test(the_gradient_of_imitation),
        cmocka_unit_test(the_gradient_of_reinforce),
        cmocka_unit_test(a_product_by_hand),
        cmocka_unit_test(the_kernels_agree),
        cmocka_unit_test(the_reference_sums_in_order),
        cmocka_unit_test(openblas_runs_one_thread),
        cmocka_unit_test(threads_multiply_at_once),
        cmocka_unit_test(exp_and_log_are_near_the_truth),
        cmocka_unit_test(exp_and_log_have_these_bits),
        cmocka_unit_test(u71_masked_actions_are_never_chosen),
        cmocka_unit_test(softmax_by_hand),
        cmocka_unit_test(samples_have_their_frequencies),
        cmocka_unit_test(ties_go_to_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
