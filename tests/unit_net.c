/* tests/unit_net.c -- the net by differences: every layer and both whole losses, by either kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_every_layer),
        cmocka_unit_test(the_gradient_of_imitation),
        cmocka_unit_test(the_gradient_of_reinforce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
