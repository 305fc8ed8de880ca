/* tests/unit_features.c -- the 40 numbers of a candidate, worked out by hand for one task of one job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "rl/features.h"
#include "sim/engine/task.h"

enum { HOUR = 3600 };

/* An AlexNet of 2 replicas in chains of 4 with a parameter server: 9 tasks on 5 levels. */
typedef struct Scene {
    TaskGraph graph;
    Job job;
    Task task;
    FeatureWorld world;
    FeatureJob facts;
    float row[N_FEATURES];
} Scene;

static void set_up(Scene *s)
{
    memset(s, 0, sizeof *s);
    s->graph = taskgraph_make(&families[FAMILY_ALEXNET], 8, 4, TOPOLOGY_SERVER);
    s->job = (Job){.state = JOB_WAITING,
                   .n_gpus = 8,
                   .n_tasks = 9,
                   .family = &families[FAMILY_ALEXNET],
                   .graph = &s->graph,
                   .epochs = 20,
                   .deadline = 16 * HOUR * TIME_SECOND,
                   .estimate = 10 * HOUR * TIME_SECOND,
                   .progress = .25,
                   .attained = 3 * HOUR * TIME_SECOND,
                   .started = TIME_NEVER,
                   .waits_since = 9 * HOUR * TIME_SECOND,
                   .urgency = 7,
                   .accuracy_required = .8};
    s->task = (Task){.index = 1, .gpu = -1, .demand = 650, .need = {.cores = 4, .memory_mib = 8192}};
    s->world = (FeatureWorld){.now = 10 * HOUR * TIME_SECOND, .overload = .4, .cores = 32, .memory_mib = 65536};
    s->facts = (FeatureJob){.loss_ratio = .3, .accuracy = .55, .epochs_done = 5};
    for (int i = 0; i < N_FEATURES; i++) s->row[i] = -9; /* whoever writes what is not his shows */
}

static void expect(const Scene *s, Feature which, double value)
{
    if (fabs((double)s->row[which] - value) > 1e-6)
        fail_msg("%d: %g, expected %g", which, (double)s->row[which], value);
}

static void a_task_and_its_job(void **state)
{
    (void)state;
    Scene s;
    set_up(&s);
    assert_int_equal(N_FEATURES, 40);
    features_of_task(s.row, &s.world, &s.job, &s.task, &s.facts);
    expect(&s, F_QUEUED, 1);
    expect(&s, F_WAIT, log(1 + 1.0) / 8); /* since 9 h, now 10 h */
    expect(&s, F_RUN, log(1 + 3.0) / 8);
    expect(&s, F_ASKS_GPU, .65);
    expect(&s, F_ASKS_CPU, 4.0 / 32);
    expect(&s, F_ASKS_MEMORY, 8192.0 / 65536);
    expect(&s, F_SHARE, (2.5 + 5.1) / (1.2 + 2.5 + 5.1 + 3.4 + 144 + 64 + 15.6)); /* layers 2 and 3 of eight */
    expect(&s, F_DEPTH, 3.0 / 5);       /* two stages and the server are below it */
    expect(&s, F_DESCENDANTS, 3.0 / 9); /* one task each */
    for (int f = 0; f < N_FAMILIES; f++) expect(&s, (Feature)(F_FAMILY + f), f == FAMILY_ALEXNET);
    expect(&s, F_URGENCY, .7);
    expect(&s, F_SLACK, 6.0 / 24);
    expect(&s, F_PROGRESS, 5.0 / 20);
    expect(&s, F_EPOCH, 1.0 / 6);
    expect(&s, F_LOSS_RATIO, .3);
    expect(&s, F_REMAINING, log(1 + 7.5) / 8);
    expect(&s, F_REPLICAS, log2(3) / 8);
    expect(&s, F_PARTITIONS, log2(5) / 8);
    expect(&s, F_ACCURACY_GAP, .25);
    for (int i = F_HOST_GPU; i < N_FEATURES; i++) expect(&s, (Feature)i, -9); /* not its part */
}

static void a_parameter_server(void **state)
{
    (void)state;
    Scene s;
    set_up(&s);
    s.task.index = 8;
    features_of_task(s.row, &s.world, &s.job, &s.task, &s.facts);
    expect(&s, F_ASKS_GPU, 0);
    expect(&s, F_SHARE, 1);
    expect(&s, F_DEPTH, 0);
    expect(&s, F_DESCENDANTS, 0);
}

/* The baseline `rl` must not see them. */
static void plain_hides_learning(void **state)
{
    (void)state;
    Scene s;
    set_up(&s);
    s.world.plain = true;
    features_of_task(s.row, &s.world, &s.job, &s.task, &s.facts);
    static const Feature hidden[] = {F_URGENCY, F_PROGRESS, F_EPOCH, F_LOSS_RATIO, F_ACCURACY_GAP};
    for (int i = 0; i < 5; i++) expect(&s, hidden[i], 0);
    expect(&s, F_REMAINING, log(1 + 7.5) / 8);
}

static void hosts_queue_and_stop(void **state)
{
    (void)state;
    Scene s;
    set_up(&s);
    FeatureHost host = {.use = {.5, .25, .75, 1.5},
                        .least_gpu = .3,
                        .tasks = 8,
                        .n_gpus = 4,
                        .network_more = .2,
                        .traffic = .6,
                        .degradation = .01,
                        .distance = 1.2,
                        .same_rack = true};
    features_of_world(s.row, &s.world, STEP_MOVE, 53);
    expect(&s, F_OVERLOAD, .4);
    expect(&s, F_QUEUE_LENGTH, log(54) / 12);
    expect(&s, F_STEP, 1);
    features_of_host(s.row, &host);
    const double use[] = {.5, .25, .75, 1}; /* clipped */
    for (int m = 0; m < 4; m++) expect(&s, (Feature)(F_HOST_GPU + m), use[m]);
    expect(&s, F_LEAST_GPU, .3);
    expect(&s, F_HOST_TASKS, 8.0 / 32);
    expect(&s, F_TRAFFIC, .6);
    expect(&s, F_DEGRADATION, .01);
    expect(&s, F_SAME_RACK, 1);
    expect(&s, F_ASKS_NETWORK, .2);
    expect(&s, F_DISTANCE, .6);
    expect(&s, F_IS_QUEUE, 0);
    expect(&s, F_IS_STOP, 0);
    for (int stop = 0; stop < 2; stop++) {
        if (stop)
            features_of_stop(s.row);
        else
            features_of_queue(s.row);
        for (int i = F_HOST_GPU; i <= F_SAME_RACK; i++) expect(&s, (Feature)i, 0);
        expect(&s, F_DISTANCE, 0);
        expect(&s, F_ASKS_NETWORK, 0);
        expect(&s, F_IS_QUEUE, !stop);
        expect(&s, F_IS_STOP, stop);
    }
}

/* Whatever the values, a whole row is within [-1, 1]. */
static void rows_are_clipped(void **state)
{
    (void)state;
    Scene s;
    set_up(&s);
    s.job.deadline = -1000 * HOUR * TIME_SECOND;
    s.job.estimate = 1000000 * (HOUR * TIME_SECOND);
    s.job.urgency = 99;
    s.task.demand = 5000;
    s.task.need = (TaskNeed){.cores = 99, .memory_mib = 1 << 30};
    s.facts.accuracy = -7;
    s.world.overload = 3;
    FeatureHost host = {.use = {9, 9, 9, 9}, .least_gpu = 9, .tasks = 999, .n_gpus = 1, .traffic = 9, .distance = 9};
    features_of_world(s.row, &s.world, STEP_SELECT, 1 << 30);
    features_of_task(s.row, &s.world, &s.job, &s.task, &s.facts);
    features_of_host(s.row, &host);
    for (int i = 0; i < N_FEATURES; i++) assert_true(s.row[i] >= -1 && s.row[i] <= 1);
    expect(&s, F_SLACK, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_and_its_job),   cmocka_unit_test(a_parameter_server),
        cmocka_unit_test(plain_hides_learning), cmocka_unit_test(hosts_queue_and_stop),
        cmocka_unit_test(rows_are_clipped),
    };
    return cmocka_run_group_tests_name("features", tests, NULL, NULL);
}
