/* tests/byhand_physics.c -- placements, moves and sharing worked out on paper, the arithmetic beside each.
 *
 * Clusters SxG: 12 GB/s and 10 us between GPUs of a server, 10 GB/s and 15 us between servers.
 */
#include "tests/scripted.h"

#define MB 1000000

static void near(double found, double wanted)
{
    if (fabs(found - wanted) > 2e-5) fail_msg("expected %.6f, found %.6f", wanted, found);
}

static int64_t bytes_so_far;
static void note_bytes(void *self, const Census *census, const Cluster *cluster)
{
    (void)self, (void)cluster;
    assert_true(census->bytes_moved >= bytes_so_far);
    bytes_so_far = census->bytes_moved;
}

/* The trace said 1000 s in 1000 epochs, so an epoch takes 1 s on the ideal placement: tasks 0 and 1 on one server, 2 on
 * the other.  An edge carries 2 x 60 MB a round: inside .00001 + .12/12 = .01001 s, across .000015 + .12/10 = .012015
 * s. Ten rounds: .22025 s of the second are communication, K = .77975 s compute.  With task 1 alone on server 1 both
 * edges cross: .77975 + 10 x 2 x .012015 = 1.02005 s an epoch; 2 x 120 MB x 10 rounds x 1000 epochs cross, half of that
 * on the ideal placement. */
static void a_chain_of_three_over_two_servers(void **state)
{
    (void)state;
    static const Observer noter = {.name = "noter", .on_round = note_bytes};
    for (int scattered = 0; scattered < 2; scattered++) {
        World w;
        inside(&w, "2x2", "a,0,3,1000");
        w.also = (Watcher){&noter, NULL};
        bytes_so_far = 0;
        JobModel *m = models_of(&w);
        shape(m, 1, 3, TOPOLOGY_RING, 1000);
        m->volumes = (Volumes){.edge_bytes = 60 * MB};
        FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, scattered ? 2 : 1},
               {0, DO_PLACE, 0, 2, scattered ? 1 : 2});
        near(ended(&w, 0), scattered ? 1020.05 : 1000);
        int64_t bytes = (scattered ? 2400LL : 1200LL) * MB * 1000;
        assert_true(llabs(w.result.outcome[0].far_bytes - bytes) < 10000); /* a clock tick at 2.4 GB/s */
        assert_true(llabs(bytes_so_far - bytes) < 10000);
        assert_true(w.result.outcome[0].epochs_done == 1000);
        world_close(&w);
    }
}

/* Four replicas in a ring, 100 MB, 0.7 of the synchronisation not hidden.  Ideal is one server: T_s = 2 x 3 x .00001 +
 * 2 x 3/4 x .1/12 = .01256 s, ten rounds x .7 = .08792 s, K = .91208 s.  Two and two: inside 2 x .00001 + .1/12 =
 * .00835333, between 2 x .000015 + .1/10 = .01003: T_s = .01838333, T = .91208 + 7 x .01838333 = 1.04076333 s.  Both
 * hops carry 2 x 3/4 x 100 MB a round. */
static void a_ring_over_two_servers(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x4", "a,0,4,1000");
    JobModel *m = models_of(&w);
    shape(m, 4, 1, TOPOLOGY_RING, 1000);
    m->volumes = (Volumes){.sync_bytes = 100 * MB};
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, 4}, {0, DO_PLACE, 0, 2, 1}, {0, DO_PLACE, 0, 3, 5});
    near(ended(&w, 0), 1000 * (.91208 + 7 * (.00002 + .1 / 12 + .00003 + .01)));
    assert_true(llabs(w.result.outcome[0].far_bytes - 2 * 150LL * MB * 10 * 1000) < 10000);
    world_close(&w);
}

/* Four tasks of 0.9/2, 1.3/2 and 2.2/4 of a GPU on one: f(.9) = .957, f(1.3) = .849, f(2.2) = 1.32/2.2 = .6. */
static void tasks_share_a_gpu(void **state)
{
    (void)state;
    static const struct {
        int n;
        double demand, speed;
    } cases[] = {{2, 450, .957}, {2, 650, .849}, {4, 550, .6}};
    for (size_t i = 0; i < 3; i++) {
        World w;
        inside(&w, "1x1", cases[i].n == 2 ? "a,0,1,600 / b,0,1,600" : "a,0,1,600 / b,0,1,600 / c,0,1,600 / d,0,1,600");
        models_of(&w);
        demand(&w, cases[i].demand);
        Step step[4];
        for (int k = 0; k < cases[i].n; k++) step[k] = (Step){0, DO_PLACE, k, 0, 0};
        follow(&w, step, cases[i].n);
        for (int k = 0; k < cases[i].n; k++) near(ended(&w, k), 600 / cases[i].speed);
        double use = fmin(1, cases[i].n * cases[i].demand / 1000); /* a GPU is no more than one GPU */
        near((double)w.result.busy_time / 1e9, use * 600 / cases[i].speed);
        world_close(&w);
    }
}

/* The second comes at 300: alone 300 s of work are done, then both run at .849 until the first has done its other 300
 * s, at 300 + 353.356890; by then the second has done 300 s as well, and does its last 300 s alone. */
static void a_guest_slows_its_host_only_while_it_is_there(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x1", "a,0,1,600 / b,300,1,600");
    models_of(&w);
    demand(&w, 650);
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {300, DO_PLACE, 1, 0, 0});
    near(ended(&w, 0), 300 + 300 / .849);
    near(ended(&w, 1), 300 + 300 / .849 + 300);
    world_close(&w);
}

/* AlexNet: 3 x 244.4 MB + 200 MB = 933.2 MB, at 10 GB/s .09332 s, and 5 s: a move at 240 s, in the third of ten epochs
 * of 100 s, ends at 245.09332, and nothing is lost. */
static void a_move_in_mid_epoch(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x1", "a,0,1,1000");
    shape(models_of(&w), 1, 1, TOPOLOGY_RING, 10);
    assert_int_equal(families[FAMILY_ALEXNET].parameter_bytes, 244400000);
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {240, DO_MIGRATE, 0, 0, 1});
    near(ended(&w, 0), 1005.09332);
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->epochs_done == 10 && o->move_bytes == 933200000 && o->far_bytes == 0);
    assert_true(o->restart == 5093320 && o->useful == 1000 * TIME_SECOND && o->idle == 0);
    assert_true(w.result.job[0].migrations == 1 && w.result.waiting_time == 0);
    world_close(&w);
}

/* Within a server the bytes are copied at 12 GB/s and none of them counts; a second move before the first is over
 * prolongs the stall: the job goes on when the latest move is through.  Both tasks hold 200 MB + 3 x their share of
 * 244.4 MB: layers 0, 1.2, 2.5, 5.1 of 235.8 MB together, and 3.4, 144, 64, 15.6. */
static void moves_at_one_instant_overlap(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x4", "a,0,2,1000");
    JobModel *m = models_of(&w);
    shape(m, 1, 2, TOPOLOGY_RING, 10);
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, 1}, {60, DO_MIGRATE, 0, 0, 2}, {60, DO_MIGRATE, 0, 1, 3});
    double second = 5 + (3 * 244.4e6 * (227 / 235.8) + 200e6) / 12e9;
    near(ended(&w, 0), 1000 + second);
    assert_true(w.result.outcome[0].move_bytes == 0 && w.result.migrations == 2);
    world_close(&w);
}

/* Stops its job when what it sees reaches what is required. */
static void stop_when_accurate(Sched *s, void *state, const Job *job)
{
    (void)state;
    if (sched_observed_accuracy(s, job, sched_epochs_done(s, job)) >= job->accuracy_required)
        sched_stop(s, job->id, "accuracy");
}

static void start_all(Sched *s, void *state)
{
    (void)state;
    EACH_JOB (id, sched_waiting(s))
        if (sched_pool(s)->n_free) place_start(s, (PlaceMode){PLACE_PACKED, 0}, sched_job(s, id));
}
static const Policy stopping = {
    .name = "stopping", .state_size = 1, .on_epoch = stop_when_accurate, .schedule = start_all};

/* 100 epochs of 10 s; without noise the required accuracy is reached in the middle of epoch 37, at 365 s, seen when it
 * ends, at 370 s, and the job stops there, between the ticks at 360 and 420; the next one starts at the latter.  The
 * deadline, at 200 s, came before: 20 epochs' accuracy counts. */
static void a_stop_by_accuracy_between_two_ticks(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x1", "a,0,1,1000 / b,0,1,1000");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) {
        shape(&m[i], 1, 1, TOPOLOGY_RING, 100);
        m[i].curve.noise = 0;
        m[i].accuracy_required = curve_accuracy(&m[i].curve, 36.5);
    }
    m[0].deadline = 200 * TIME_SECOND;
    if (!world_try(&w, &stopping)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-370, b 420-790");
    const JobOutcome *o = &w.result.outcome[0];
    near(o->epochs_done, 37);
    near(time_seconds(o->accurate_at), 365);
    near(o->accuracy_at_deadline, curve_accuracy(&m[0].curve, 20));
    near(o->accuracy_final, curve_accuracy(&m[0].curve, 37));
    assert_string_equal(w.result.job[0].stop_reason, "accuracy");
    world_close(&w);
}

static void child_is_idle(Sched *s)
{
    const GpuLoad *gpu = sched_gpu_load(s, 1);
    if (sched_now(s) == 0) assert_true(gpu->load == 600 && gpu->busy == 600 * 5 / 100 && gpu->n_active == 0);
}

/* The child's parent comes 60 s later: until then it holds a GPU, uses 5 % of what it asks for and does nothing; the
 * job is not waiting.  Then 1000 s.  Use: 60 x .03 + 1000 x 2 x .6. */
static void a_parent_that_is_not_placed(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x2", "a,0,2,1000");
    shape(models_of(&w), 1, 2, TOPOLOGY_RING, 10);
    demand(&w, 600);
    script.look = child_is_idle;
    FOLLOW(&w, {0, DO_PLACE, 0, 1, 1}, {60, DO_PLACE, 0, 0, 0});
    script.look = NULL;
    near(ended(&w, 0), 1060);
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->idle == 60 * TIME_SECOND && o->useful == 2000 * TIME_SECOND && o->restart == 0);
    assert_true(w.result.waiting_time == 0 && w.result.busy_time == (WideTime)(60 * 30 + 1000 * 1200) * TIME_SECOND);
    world_close(&w);
}

/* Evicted at 120 and placed elsewhere at 180: 60 s idle, 30 s of resume; evicting the last task makes the job wait. */
static void a_task_put_back_pays_a_resume(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x3", "a,0,2,1000");
    shape(models_of(&w), 1, 2, TOPOLOGY_RING, 10);
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, 1}, {120, DO_EVICT, 0, 1, 0}, {180, DO_PLACE, 0, 1, 2},
           {300, DO_EVICT, 0, 0, 0}, {300, DO_EVICT, 0, 1, 0}, {360, DO_PLACE, 0, 0, 0}, {360, DO_PLACE, 0, 1, 1});
    near(ended(&w, 0), 1000 + 60 + 30 + 60 + 30);
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->idle == 60 * TIME_SECOND && o->restart == 120 * TIME_SECOND && o->useful == 2000 * TIME_SECOND);
    assert_true(w.result.waiting_time == 60 * TIME_SECOND && w.result.preemptions == 1);
    world_close(&w);
}

/* One replica of two runs alone at half the pace (D/D' = 2) and needs no synchronisation: with K = .91208 s as above
 * but D = 2: T_s inside = 2 x .00001 + .1/12 = .00835333, ten rounds x .7 = .05847333, K = .94152667; alone 2 K =
 * 1.88305333 s an epoch, for 60 s; then the other one is there. */
static void half_the_replicas(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x2", "a,0,2,1000");
    JobModel *m = models_of(&w);
    shape(m, 2, 1, TOPOLOGY_RING, 1000);
    m->volumes = (Volumes){.sync_bytes = 100 * MB};
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {60, DO_PLACE, 0, 1, 1});
    double k = 1 - 7 * (.00002 + .1 / 12);
    near(ended(&w, 0), 60 + 1000 - 60 / (2 * k));
    world_close(&w);
}

/* Edges of 2 x 500 MB: ideal, inside, .00001 + 1/12 = .0833433 s; ten rounds take .833 s of a second, but communication
 * is at most half: s = .5/.8333433 scales it, K = .5 s.  Across servers T = .5 + 10 s (.000015 + 1/10) = 1.10009 s;
 * each job would send 10 GB in that, 9.09 GB/s, both 18.18 of a NIC's 10 GB/s: a share of .55 for each byte.  So both
 * run at T' = .5 + 10 s (.000015 + .1/.55005) until the shorter one, b, has done its 500 epochs; a does the rest at T.
 */
static void two_jobs_share_a_nic(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x2", "a,0,2,1000 / b,0,2,500");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) {
        shape(&m[i], 1, 2, TOPOLOGY_RING, i ? 500 : 1000);
        m[i].volumes = (Volumes){.edge_bytes = 500 * MB};
    }
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 0, 1, 2}, {0, DO_PLACE, 1, 0, 1}, {0, DO_PLACE, 1, 1, 3});
    double s = .5 / (10 * (.00001 + 1 / 12.0)), alone = .5 + 10 * s * (.000015 + .1);
    double share = 10 / (2 * 10 / alone), both = .5 + 10 * s * (.000015 + .1 / share);
    assert_true(fabs(share - .55) < 1e-4);
    near(ended(&w, 1), 500 * both);
    near(ended(&w, 0), 500 * both + 500 * alone);
    world_close(&w);
}

/* Four cores for two tasks that ask for three each: both at 4/6 of their pace, though on GPUs of their own, until the
 * first ends at 900 s having done 600; the other has done as much and goes on undisturbed. */
static void two_tasks_contend_for_cores(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x2", "a,0,1,600 / b,0,1,1000");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) shape(&m[i], 1, 1, TOPOLOGY_RING, 10);
    ServerClass small = w.cluster.class_of[0];
    small.cores = 4;
    w.cluster.class_of = &small;
    FOLLOW(&w, {0, DO_PLACE, 0, 0, 0}, {0, DO_PLACE, 1, 0, 1});
    near(ended(&w, 0), 900);
    near(ended(&w, 1), 1300);
    world_close(&w);
}

/* A task wants three cores.  Of three it uses all, 1, which is not more than 1; than .99 it is, once. */
static void at_the_limit_is_not_over_it(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        World w;
        inside(&w, "1x1", "a,0,1,600");
        world_set(&w, over ? "physics.overload=0.99" : "physics.overload=1");
        ServerClass small = w.cluster.class_of[0];
        small.cores = 3;
        w.cluster.class_of = &small;
        shape(models_of(&w), 1, 1, TOPOLOGY_RING, 10);
        FOLLOW(&w, {0, DO_PLACE, 0, 0, 0});
        assert_int_equal(w.result.overloads, over);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_three_over_two_servers),
        cmocka_unit_test(a_ring_over_two_servers),
        cmocka_unit_test(tasks_share_a_gpu),
        cmocka_unit_test(a_guest_slows_its_host_only_while_it_is_there),
        cmocka_unit_test(a_move_in_mid_epoch),
        cmocka_unit_test(moves_at_one_instant_overlap),
        cmocka_unit_test(a_stop_by_accuracy_between_two_ticks),
        cmocka_unit_test(a_parent_that_is_not_placed),
        cmocka_unit_test(a_task_put_back_pays_a_resume),
        cmocka_unit_test(half_the_replicas),
        cmocka_unit_test(two_jobs_share_a_nic),
        cmocka_unit_test(two_tasks_contend_for_cores),
        cmocka_unit_test(at_the_limit_is_not_over_it),
    };
    return cmocka_run_group_tests_name("physics by hand", tests, NULL, NULL);
}
