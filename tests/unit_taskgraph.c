/* tests/unit_taskgraph.c -- shapes, numbering, shares, volumes and the constants of eq. 3 and 5. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/model/taskgraph.h"

static void assert_near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) fail_msg("%.12g, expected %.12g", value, expected);
}

static void shapes(void **state)
{
    (void)state;
    const struct {
        int family, n_gpus, m, d_, m_, q, p;
    } cases[] = {
        {FAMILY_ALEXNET, 32, 0, 4, 8, 8, 1},
        {FAMILY_ALEXNET, 6, 0, 1, 6, 6, 1},
        {FAMILY_ALEXNET, 12, 0, 2, 6, 6, 1}, /* 8 does not divide 12 */
        {FAMILY_RESNET, 1, 0, 1, 1, 1, 1},
        {FAMILY_RESNET, 2, 0, 1, 2, 2, 1},
        {FAMILY_RESNET, 4, 0, 1, 4, 2, 2},
        {FAMILY_RESNET, 6, 0, 1, 6, 3, 2},
        {FAMILY_RESNET, 7, 0, 1, 7, 7, 1},
        {FAMILY_RESNET, 8, 0, 1, 8, 4, 2},
        {FAMILY_RESNET, 32, 0, 2, 16, 4, 4},
        {FAMILY_RESNET, 17, 0, 17, 1, 1, 1}, /* a prime above the limit: no cut */
        {FAMILY_RESNET, 32, 32, 1, 32, 8, 4},
        {FAMILY_MLP, 32, 0, 8, 4, 4, 1},
        {FAMILY_LSTM, 32, 0, 4, 8, 4, 2},
        {FAMILY_LSTM, 32, 2, 16, 2, 2, 1},
        {FAMILY_SVM, 32, 0, 32, 1, 1, 1},
        {FAMILY_SVM, 4, 2, 2, 2, 2, 1}, /* only because it is told to */
        {FAMILY_TRANSFORMER, 32, 0, 4, 8, 4, 2},
        {FAMILY_TRANSFORMER, 24, 0, 2, 12, 4, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TaskGraph g = taskgraph_make(&families[cases[i].family], cases[i].n_gpus, cases[i].m, TOPOLOGY_SERVER);
        if (g.replicas != cases[i].d_ || g.partitions != cases[i].m_ || g.stages != cases[i].q || g.width != cases[i].p)
            fail_msg("case %zu: D %d, M %d, Q %d, p %d", i, g.replicas, g.partitions, g.stages, g.width);
        assert_int_equal(taskgraph_n_gpu_tasks(&g), cases[i].n_gpus);
        assert_int_equal(taskgraph_n_tasks(&g), cases[i].n_gpus + (cases[i].d_ >= 2));
        TaskGraph ring = taskgraph_make(&families[cases[i].family], cases[i].n_gpus, cases[i].m, TOPOLOGY_RING);
        assert_false(ring.has_server);
    }
}

/* Two replicas of four stages of four parts: task 27 = 16 + 11 is part 3 of stage 2 of replica 1. */
static void tasks_are_numbered_by_replica_stage_part(void **state)
{
    (void)state;
    TaskGraph g = taskgraph_make(&families[FAMILY_RESNET], 32, 0, TOPOLOGY_SERVER);
    assert_true(task_replica(&g, 27) == 1 && task_stage(&g, 27) == 2 && task_part(&g, 27) == 3);
    assert_true(!task_is_server(&g, 31) && task_is_server(&g, 32));
    TaskRange children = taskgraph_children(&g, 27), parents = taskgraph_parents(&g, 27);
    assert_true(children.first == 28 && children.n == 4 && parents.first == 20 && parents.n == 4);
    assert_true(taskgraph_children(&g, 28).n == 0 && taskgraph_parents(&g, 19).n == 0);
}

static void shares(void **state)
{
    (void)state;
    const Family *alexnet = &families[FAMILY_ALEXNET];
    TaskGraph two = taskgraph_make(alexnet, 2, 0, TOPOLOGY_RING);
    assert_near(taskgraph_share(&two, alexnet, 0), 8.8 / 235.8, 1e-12); /* 0 + 1.2 + 2.5 + 5.1 */
    assert_near(taskgraph_share(&two, alexnet, 1), 227 / 235.8, 1e-12);
    TaskGraph three = taskgraph_make(alexnet, 6, 3, TOPOLOGY_RING); /* layers 0-1, 2-4, 5-7, in each replica */
    assert_near(taskgraph_share(&three, alexnet, 1), (2.5 + 5.1 + 3.4) / 235.8, 1e-12);
    assert_near(taskgraph_share(&three, alexnet, 4), (2.5 + 5.1 + 3.4) / 235.8, 1e-12);
    TaskGraph eight = taskgraph_make(alexnet, 8, 0, TOPOLOGY_RING);
    assert_true(taskgraph_share(&eight, alexnet, 0) == 0);
    TaskGraph layered = taskgraph_make(&families[FAMILY_RESNET], 16, 0, TOPOLOGY_RING);
    assert_true(taskgraph_share(&layered, &families[FAMILY_RESNET], 9) == 1. / 16);
    for (int family = 0; family < N_FAMILIES; family++)
        for (int m = 1; m <= 40; m++) { /* also more parts than layers */
            TaskGraph g = taskgraph_make(&families[family], 2 * m, m, TOPOLOGY_RING);
            double sum = 0;
            for (int k = 0; k < m; k++) sum += taskgraph_share(&g, &families[family], k);
            assert_near(sum, 1, 1e-12);
        }
}

/* Three parts, two replicas of a ring: 2·60 MB over each edge; 4·80/2 MB between the two last parts. */
static void volumes_of_a_small_job(void **state)
{
    (void)state;
    Volumes v = {60000000, 80000000};
    TaskGraph ring = taskgraph_make(&families[FAMILY_ALEXNET], 6, 3, TOPOLOGY_RING);
    assert_true(taskgraph_volume(&ring, &v, 0, 1) == 120e6 && taskgraph_volume(&ring, &v, 2, 1) == 120e6);
    assert_true(taskgraph_volume(&ring, &v, 0, 2) == 0 && taskgraph_volume(&ring, &v, 2, 3) == 0);
    assert_true(taskgraph_volume(&ring, &v, 2, 5) == 160e6 && taskgraph_volume(&ring, &v, 1, 4) == 0);
    assert_true(taskgraph_traffic(&ring, &v, 5) == 280e6);
    TaskGraph server = taskgraph_make(&families[FAMILY_ALEXNET], 6, 3, TOPOLOGY_SERVER);
    assert_true(taskgraph_volume(&server, &v, 2, 6) == 160e6 && taskgraph_volume(&server, &v, 6, 5) == 160e6);
    assert_true(taskgraph_volume(&server, &v, 2, 5) == 0 && taskgraph_volume(&server, &v, 6, 0) == 0);
    assert_true(taskgraph_traffic(&server, &v, 6) == 320e6);
    TaskGraph alone = taskgraph_make(&families[FAMILY_SVM], 1, 0, TOPOLOGY_SERVER);
    assert_true(taskgraph_traffic(&alone, &v, 0) == 0);
}

/* Over all pairs: edges 2·D·(Q−1)·p·V_ww, server 2·D·V_ps, ring 2·(D−1)·V_ps. */
static void volumes_add_up(void **state)
{
    (void)state;
    Volumes v = {51234567, 87654321};
    for (int family = 0; family < N_FAMILIES; family++)
        for (int n = 1; n <= 36; n++)
            for (int topology = TOPOLOGY_RING; topology <= TOPOLOGY_SERVER; topology++) {
                TaskGraph g = taskgraph_make(&families[family], n, 0, (Topology)topology);
                double sum = 0;
                for (int k = 0; k < taskgraph_n_tasks(&g); k++) {
                    double mine = 0;
                    for (int l = 0; l < taskgraph_n_tasks(&g); l++) {
                        assert_true(taskgraph_volume(&g, &v, k, l) == taskgraph_volume(&g, &v, l, k));
                        mine += taskgraph_volume(&g, &v, k, l);
                    }
                    assert_near(taskgraph_traffic(&g, &v, k), mine, 1e-9 * mine);
                    sum += mine / 2;
                }
                double edges = 2. * g.replicas * (g.stages - 1) * g.width * (double)v.edge_bytes;
                double sync = 2. * (g.has_server ? g.replicas : g.replicas - 1) * (double)v.sync_bytes;
                assert_near(sum, edges + sync, 1e-9 * sum);
            }
}

/* Worked by hand: L 5, I 4, loss reductions .5 .3 .2 so ρ = .2; d−t 2 h, r 1 h, w .5 h so P0_C = .15 + .3 + .175. */
static void priorities_of_a_chain(void **state)
{
    (void)state;
    const Family *mlp = &families[FAMILY_MLP];
    TaskGraph g = taskgraph_make(mlp, 4, 0, TOPOLOGY_RING);
    double ml[4], c[4], job_ml = 5 * (1. / 4) * (.2 / (.5 + .3 + .2)), job_c = .3 / 2 + .3 / 1 + .35 * .5;
    taskgraph_priorities(&g, mlp, .8, CHILDREN_SUM, ml, c);
    double want_ml[] = {.1845, .1525, .1125, .0625}, want_c[] = {1.845, 1.525, 1.125, .625};
    for (int k = 0; k < 4; k++) {
        assert_near(job_ml * ml[k], want_ml[k], 1e-12);
        assert_near(job_c * c[k], want_c[k], 1e-12);
    }
    assert_near(.3 * job_ml * ml[0] + .7 * job_c * c[0], 1.34685, 1e-12);
}

/* Four stages of four parts: sums grow by 4·.8, means and maxima by .8. */
static void priorities_of_layers(void **state)
{
    (void)state;
    const Family *resnet = &families[FAMILY_RESNET];
    TaskGraph g = taskgraph_make(resnet, 16, 0, TOPOLOGY_RING);
    double ml[16], c[16];
    double sum[] = {47.208, 14.44, 4.2, 1}, mean[] = {2.952, 2.44, 1.8, 1};
    for (int rule = CHILDREN_SUM; rule <= CHILDREN_MAX; rule++) {
        taskgraph_priorities(&g, resnet, .8, (ChildRule)rule, ml, c);
        for (int k = 0; k < 16; k++) {
            assert_near(c[k], (rule == CHILDREN_SUM ? sum : mean)[k / 4], 1e-12);
            assert_near(ml[k], c[k] / 16, 1e-12);
        }
    }
}

/* AlexNet in two: .8·227 + 8.8 parts in 235.8 for the first. */
static void priorities_follow_the_parameters(void **state)
{
    (void)state;
    const Family *alexnet = &families[FAMILY_ALEXNET];
    TaskGraph g = taskgraph_make(alexnet, 2, 0, TOPOLOGY_RING);
    double ml[2], c[2];
    taskgraph_priorities(&g, alexnet, .8, CHILDREN_MEAN, ml, c);
    assert_near(ml[1], 227 / 235.8, 1e-12);
    assert_near(ml[0], (8.8 + .8 * 227) / 235.8, 1e-12);
    taskgraph_priorities(&g, alexnet, 0, CHILDREN_SUM, ml, c);
    assert_near(ml[0], 8.8 / 235.8, 1e-12);
    assert_true(c[0] == 1 && c[1] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(tasks_are_numbered_by_replica_stage_part),
        cmocka_unit_test(shares),
        cmocka_unit_test(volumes_of_a_small_job),
        cmocka_unit_test(volumes_add_up),
        cmocka_unit_test(priorities_of_a_chain),
        cmocka_unit_test(priorities_of_layers),
        cmocka_unit_test(priorities_follow_the_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
