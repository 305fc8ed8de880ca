/* tests/byhand_mlf.c -- MLF-H and MLF-C in small worlds whose outcome is worked out beside each; random ones that end.
 *
 * All tasks ask for the same share of a GPU, set by hand; jobs have no traffic unless it is given.
 */
#include "tests/randommlf.h"

#include "policies/mlf_h.h"
#include "policies/optstop.h"

/* ---- where ---- */

/* a (1 GPU) goes to server 0, on a tie the lowest.  b's first task goes to server 1, which is empty: the ideal.  Now
 * both use .5/4 of their GPUs: by that alone the second task goes to server 0, by its traffic to its peer. */
static void a_task_goes_where_its_peers_are(void **state)
{
    (void)state;
    for (int bandwidth = 0; bandwidth < 2; bandwidth++) {
        World w;
        Starts starts = {0};
        JobModel *m = open_chains(&w, "2x4", "a,0,1,1000 / b,60,2,1000", 500);
        m[1].volumes = (Volumes){.edge_bytes = 1000};
        world_set(&w, bandwidth ? "mlf_h.bandwidth=1" : "mlf_h.bandwidth=0");
        w.also = (Watcher){&starts_observer, &starts};
        world_run(&w, "mlf-h");
        assert_int_equal(starts.gpu[0][0], 0);
        assert_int_equal(starts.gpu[1][0], 4);
        assert_int_equal(starts.gpu[1][1], bandwidth ? 5 : 1);
        world_close(&w);
    }
}

/* Tasks of .35: two fit on a GPU, .7 of .9, a third does not.  Short ones first: e, a, and of the equal ones b and c;
 * d when e ends.  f(.7) = 1: sharing costs nothing. */
static void gpus_are_shared_up_to_h_r(void **state)
{
    (void)state;
    World w;
    open_chains(&w, "1x2", "a,0,1,600 / b,0,1,900 / c,0,1,900 / d,0,1,900 / e,0,1,300", 350);
    world_run(&w, "mlf-h");
    world_expect(&w, "a 0-600, b 0-900, c 0-900, d 300-1200, e 0-300");
    world_close(&w);
}

/* 16 tasks of .45 on nine GPUs: two on each of the first seven, one on the last two, which are in another rack than
 * each other.  x's first task joins the one on server 7; the other could only go to server 8, and the network cannot
 * carry what they exchange.  That is no reason to refuse y, who asks for as much but exchanges nothing. */
static void the_network_is_to_blame(void **state)
{
    (void)state;
    char jobs[600] = "";
    size_t used = 0;
    for (int i = 0; i < 16; i++) used += (size_t)snprintf(jobs + used, sizeof jobs - used, "f%d,0,1,9000 / ", i);
    snprintf(jobs + used, sizeof jobs - used, "x,60,2,600 / y,60,2,600");
    World w;
    Starts starts = {0};
    JobModel *m = open_chains(&w, "9x1", jobs, 450);
    ServerSpec server[9];
    for (int i = 0; i < 9; i++) server[i] = (ServerSpec){.rack = i / 8};
    w.cluster.server = server;
    m[16].volumes = (Volumes){.edge_bytes = 100000000000};
    m[16].urgency = 9;
    w.also = (Watcher){&starts_observer, &starts};
    world_run(&w, "mlf-h");
    const Job *x = &w.result.job[16], *y = &w.result.job[17];
    assert_true(y->first_started == 60 * TIME_SECOND && x->first_started >= y->ended);
    assert_int_equal(starts.gpu[17][0] + starts.gpu[17][1], 7 + 8);
    world_close(&w);
}

/* A task of .95 alone is above h_r = .9; it runs on an empty GPU all the same, one on each, and nobody joins it: the
 * short ones first. */
static void a_task_above_h_r_gets_an_empty_gpu(void **state)
{
    (void)state;
    World w;
    open_chains(&w, "1x2", "a,0,1,600 / b,0,1,900 / c,0,1,300", 950);
    world_run(&w, "mlf-h");
    world_expect(&w, "a 0-600, b 300-1200, c 0-300");
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
}

/* Eight tasks of .95 on four GPUs do not fit by h_r, but nobody else is there: two on each GPU. */
static void an_empty_cluster_takes_any_job(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x4", "a,0,4,1000");
    world_set(&w, "mlf_h.h_r=0.1");
    JobModel *m = models_of(&w);
    demand(&w, 950);
    shape(&m[0], 4, 1, TOPOLOGY_SERVER, 100); /* with a server of parameters */
    world_run(&w, "mlf-h");
    assert_true(w.result.job[0].first_started == 0 && w.result.job[0].state == JOB_DONE);
    world_close(&w);
}

/* ---- in which order ---- */

/* One GPU, tasks of .6: one at a time.  At 600 both b and c wait, b 9 minutes and c 8; L = 1 and 9 add .3 x L x S = .3
 * and 2.7, waiting .7 x .35 x .15 and .133.  Without urgency the longer wait wins, as all else is equal. */
static void urgency_decides(void **state)
{
    (void)state;
    for (int urgency = 0; urgency < 2; urgency++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,600 / b,60,1,900 / c,120,1,900", 600);
        for (int i = 0; i < 3; i++) m[i].deadline = 100000 * TIME_SECOND;
        m[2].urgency = 9;
        world_set(&w, urgency ? "mlf_h.urgency=1" : "mlf_h.urgency=0");
        world_run(&w, "mlf-h");
        world_expect(&w, urgency ? "b 1500-2400, c 600-1500" : "b 600-1500, c 1500-2400");
        world_close(&w);
    }
}

/* The same with deadlines: c's is an hour and a half after its submission, (5400 - 480) s = 1.367 h away at 600, so it
 * gains .3 / 1.367 = .22; b's is 100 h away: .003.  b's longer wait is .35 / 60 = .006. */
static void the_deadline_decides(void **state)
{
    (void)state;
    for (int deadline = 0; deadline < 2; deadline++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,600 / b,60,1,900 / c,120,1,900", 600);
        m[1].deadline = 360000 * TIME_SECOND;
        m[2].deadline = 5400 * TIME_SECOND;
        world_set(&w, deadline ? "mlf_h.deadline=1" : "mlf_h.deadline=0");
        world_run(&w, "mlf-h");
        world_expect(&w, deadline ? "b 1500-2400, c 600-1500" : "b 600-1500, c 1500-2400");
        world_close(&w);
    }
}

/* Remaining time: .3 / r favours the short one, .3 / .25 h against .3 / .5 h; alpha = 1 leaves it out, and the tie goes
 * to who came first. */
static void remaining_time_decides(void **state)
{
    (void)state;
    for (int alpha = 0; alpha < 2; alpha++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,600 / b,60,1,1800 / c,60,1,900", 600);
        for (int i = 0; i < 3; i++) m[i].deadline = 360000 * TIME_SECOND;
        world_set(&w, alpha ? "mlf_h.alpha=1" : "mlf_h.alpha=0.3");
        world_run(&w, "mlf-h");
        world_expect(&w, alpha ? "b 600-2400, c 2400-3300" : "b 1500-3300, c 600-1500");
        world_close(&w);
    }
}

/* A job of two tasks waits for both; a narrow one behind it does not wait for it, unless it has waited for
 * reserve_h. */
static void a_reservation_holds_back_those_behind(void **state)
{
    (void)state;
    for (int reserve = 0; reserve < 2; reserve++) {
        World w;
        JobModel *m = open_chains(&w, "1x2", "a,0,1,3600 / big,60,2,600 / b,1800,1,7200", 950);
        m[1].urgency = 9;
        if (reserve) world_set(&w, "mlf_h.reserve_h=0.25");
        world_run(&w, "mlf-h");
        world_expect(&w, reserve ? "a 0-3600, big 3600-4200, b 4200-11400" : "a 0-3600, big 9000-9600, b 1800-9000");
        world_close(&w);
    }
}

/* ---- moves ---- */

/* Puts all tasks on GPU 0 at first, then does as MLF-H would; keeps an eye on moves. */
typedef struct Crowd {
    MlfH h;
    SimTime moved[MOST][MOST];
} Crowd;
static bool crowded;

static void crowd_schedule(Sched *s, void *state)
{
    Crowd *me = state;
    if (!me->h.waiter) {
        mlf_h_open(&me->h, s);
        for (int i = 0; i < MOST * MOST; i++) me->moved[i / MOST][i % MOST] = TIME_NEVER;
    }
    if (crowded && sched_now(s) == 0) {
        EACH_JOB (id, sched_waiting(s))
            for (int k = 0; k < sched_job(s, id)->n_tasks; k++) sched_place(s, id, k, 0);
        return;
    }
    mlf_h_round(&me->h, s);
    EACH_JOB (id, sched_running(s)) {
        const Job *job = sched_job(s, id);
        const Task *tasks = sched_tasks(s, job);
        for (int k = 0; k < job->n_tasks; k++) {
            SimTime *last = &me->moved[id][k];
            if (tasks[k].moved == *last) continue;
            if (*last != TIME_NEVER) assert_true(tasks[k].moved - *last >= me->h.overload.cooldown);
            *last = tasks[k].moved;
        }
    }
}
static const Policy crowd = {.name = "mlf-h", .state_size = sizeof(Crowd), .schedule = crowd_schedule};

/* Three tasks of .35 on one of two GPUs, 1.05 > .9: the one with the lowest priority goes, the other two stay at .7. It
 * stalls for 5 s and the copying of .2 GB and three times its 244.4 MB of parameters within the server, .9332 GB / 12
 * GB/s = .0778 s; in the first minute all three ran at f(1.05) = .9165, .0835 x 60 = 5.01 s lost. */
static void an_overloaded_gpu_sheds_the_lowest(void **state)
{
    (void)state;
    for (int lowest = 0; lowest < 3; lowest++) {
        World w;
        JobModel *m = open_chains(&w, "1x2", "a,0,1,6000 / b,0,1,6000 / c,0,1,6000", 350);
        for (int i = 0; i < 3; i++) m[i].urgency = i == lowest ? 1 : 5 + i;
        crowded = true;
        if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
        assert_int_equal(w.result.migrations, 1);
        for (int i = 0; i < 3; i++) {
            double wanted = 6005.01 + (i == lowest ? 5.0778 : 0);
            if (fabs(ended(&w, i) - wanted) > .001) fail_msg("job %d: %.4f, not %.4f", i, ended(&w, i), wanted);
            assert_int_equal(w.result.job[i].migrations, i == lowest);
        }
        world_close(&w);
    }
}

/* Every task is a candidate: a, of 3 cores and 8 GiB, and the two of b, of 1 core and 4 GiB, which exchange something.
 * All ask for .35 of the GPU.  The ideal one has 1 core of 32, 4 GiB of 244 and no traffic inside: a is (2/32)^2 +
 * (4/244)^2 = .0042 away, b's tasks, whose traffic is all inside, are 1. */
static void the_task_to_move_is_near_the_ideal(void **state)
{
    (void)state;
    World w;
    JobModel *m = open_chains(&w, "1x2", "a,0,1,6000 / b,0,2,6000", 350);
    ServerClass host = w.cluster.class_of[0];
    host.cores = 32;
    host.memory_mib = 244 * 1024;
    w.cluster.class_of = &host;
    m[1].family = &families[FAMILY_MLP];
    m[1].volumes = (Volumes){.edge_bytes = 1000};
    world_set(&w, "mlf_h.p_s=1");
    crowded = true;
    if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
    assert_int_equal(w.result.job[0].migrations, 1);
    assert_int_equal(w.result.job[1].migrations, 0);
    world_close(&w);
}

/* Without migration they stay; nor does a lone task above h_r move, nor several of one job. */
static void some_overloads_stay(void **state)
{
    (void)state;
    World w;
    open_chains(&w, "1x2", "a,0,1,600 / b,0,1,600 / c,0,1,600", 400);
    world_set(&w, "mlf_h.migrate=0");
    crowded = true;
    if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
    assert_int_equal(w.result.migrations, 0);
    assert_true(fabs(ended(&w, 0) - 600 / .876) < .001);
    world_close(&w);
    open_chains(&w, "1x2", "a,0,1,600", 950);
    if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
}

/* A task to move that finds no host: both GPUs are full.  It stays; or its job waits again, or it alone. */
static void a_mover_without_a_host(void **state)
{
    (void)state;
    static const char *const modes[] = {"undo", "job", "task"};
    for (int mode = 0; mode < 3; mode++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,600 / b,0,1,600 / c,0,1,600", 400);
        m[0].urgency = m[1].urgency = 9;
        world_set(&w, arena_format(&w.arena, "mlf_h.requeue=%s", modes[mode]));
        crowded = true;
        if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
        assert_int_equal(w.result.migrations, 0);
        assert_int_equal(w.result.job[2].preemptions, mode > 0);
        assert_true(mode == 0 ? ended(&w, 2) < 700 : ended(&w, 2) > 1100);
        world_close(&w);
    }
}

/* ---- parts of jobs ---- */

/* One GPU of two is L's until 3000.  A wants both: with gang=task it takes the other at 60 and holds it, without
 * computing, for five ticks; then B, which waits from 120 on, gets it at 360, and A starts when both are free. */
static void a_holder_gives_back(void **state)
{
    (void)state;
    for (int task = 0; task < 2; task++) {
        World w;
        JobModel *m = open_chains(&w, "1x2", "L,0,1,3000 / A,60,2,600 / B,120,1,600", 950);
        m[1].urgency = 9;
        world_set(&w, task ? "model.gang=task" : "model.gang=job");
        world_run(&w, "mlf-h");
        assert_int_equal(world_job(&w, "B")->first_started, (task ? 360 : 120) * TIME_SECOND);
        assert_int_equal(world_job(&w, "A")->started, 3000 * TIME_SECOND);
        assert_int_equal(world_job(&w, "A")->first_started, (task ? 60 : 3000) * TIME_SECOND);
        assert_int_equal(world_job(&w, "A")->preemptions, task);
        if (task) assert_true(w.result.outcome[1].idle == 300 * TIME_SECOND);
        world_close(&w);
    }
}

/* Two replicas of one task, one GPU taken until 600: with gang=replica the first runs alone, at half the speed, from 0,
 * has done 300 of its 600 s when the second joins, and both need the other 300: less a little, as one replica has
 * nobody to synchronise with, 2 x .00001 s of latency ten times an epoch x .7. */
static void a_replica_starts_alone(void **state)
{
    (void)state;
    World w;
    JobModel *m = open_chains(&w, "1x2", "L,0,1,600 / A,0,2,600", 950);
    shape(&m[1], 2, 1, TOPOLOGY_RING, 100);
    m[0].urgency = 9;
    world_set(&w, "model.gang=replica");
    world_run(&w, "mlf-h");
    assert_true(world_job(&w, "A")->first_started == 0 && fabs(ended(&w, 1) - 900) < .01);
    world_close(&w);
}

/* ---- load control ---- */

/* The epoch at which the smoothed accuracy is first enough; 0: never. */
static int epoch_enough(const JobModel *m)
{
    double smooth = 0;
    for (int e = 1; e < m->epochs; e++) {
        double y = curve_observed_accuracy(&m->curve, e);
        smooth = e == 1 ? y : .3 * y + .7 * smooth;
        if (smooth >= m->accuracy_required) return e;
    }
    return 0;
}

/* 100 epochs of 10 s.  Who asked for it stops when the accuracy is reached; who only permits it, when somebody waits as
 * well: b does from 60 on, so that a has the later option from the round at 60 on. */
static void training_ends_at_the_accuracy(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* asked for; permitted and nobody waits; permitted and somebody does */
        World w;
        JobModel *m = open_chains(&w, "1x1", kind == 2 ? "a,0,1,1000 / b,60,1,1000" : "a,0,1,1000", 950);
        m[0].stop = kind ? STOP_EPOCHS : STOP_ACCURACY;
        m[0].stop_limit = STOP_ACCURACY;
        int e = epoch_enough(&m[0]);
        assert_true(e > 6 && e < 90);
        world_run(&w, "mlf-h-c");
        const Job *a = &w.result.job[0];
        if (kind == 1) {
            world_expect(&w, "a 0-1000");
            assert_null(a->stop_reason);
        } else {
            assert_int_equal(a->ended, e * 10 * TIME_SECOND);
            assert_string_equal(a->stop_reason, "accuracy");
            assert_int_equal(a->effective, STOP_ACCURACY);
            assert_true(fabs(w.result.outcome[0].epochs_done - e) < 1e-6);
        }
        world_close(&w);
    }
}

/* The same with OptStop: at the epoch at which it says so when told the same. */
static void training_ends_by_optstop(void **state)
{
    (void)state;
    for (int best = 0; best < 2; best++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,1000", 950);
        m[0].stop = m[0].stop_limit = STOP_OPTSTOP;
        world_set(&w, best ? "mlf_c.optstop=best" : "mlf_c.optstop=curve");
        OptStopRule rule = optstop_rule(&w.params, best ? OPTSTOP_BEST : OPTSTOP_CURVE);
        CurveTable table;
        OptStop stop;
        curvetable_open(&table, &w.arena, rule.families);
        optstop_open(&stop, &rule, 100, m[0].accuracy_required);
        int e = 1;
        while (e < 100 && optstop_observe(&stop, &table, curve_observed_loss(&m[0].curve, e),
                                          curve_observed_accuracy(&m[0].curve, e)) == OPTSTOP_GO_ON)
            e++;
        world_run(&w, "mlf-h-c");
        const Job *a = &w.result.job[0];
        assert_int_equal(a->ended, e * 10 * TIME_SECOND);
        if (e < 100) assert_string_equal(a->stop_reason, "optstop");
        assert_true(best || e < 100); /* the case is worth something */
        world_close(&w);
    }
}

/* A cluster whose servers are in use beyond h_s is overloaded though nobody waits: .95 of a GPU and nothing else known,
 * .95 / 2 = .475. */
static void load_alone_is_overload(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        World w;
        JobModel *m = open_chains(&w, "1x1", "a,0,1,1000", 950);
        m[0].stop_limit = STOP_ACCURACY;
        world_set(&w, over ? "mlf_c.h_s=0.47" : "mlf_c.h_s=0.48");
        world_run(&w, "mlf-h-c");
        assert_int_equal(w.result.job[0].ended, (over ? epoch_enough(&m[0]) : 100) * 10 * TIME_SECOND);
        world_close(&w);
    }
}

/* ---- every job ends ---- */

static void every_job_ends(void **state)
{
    (void)state;
    int64_t moves = 0, stops = 0;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int gang = 0; gang < 3; gang++)
            for (int control = 0; control < 2; control++) {
                World w;
                open_random(&w, seed, gang);
                const Policy *policy = policy_find(control ? "mlf-h-c" : "mlf-h");
                if (!world_try(&w, policy)) fail_msg("seed %d, gang %d: %s", (int)seed, gang, w.err.text);
                for (int i = 0; i < w.result.n; i++) {
                    assert_int_equal(w.result.job[i].state, JOB_DONE);
                    stops += w.result.job[i].stop_reason != NULL;
                }
                moves += w.result.migrations;
                world_close(&w);
            }
    assert_true(moves > 100 && stops > 500); /* they are worth something */
}

/* Under demands that vary much, no task moves again within the cool-down (crowd_schedule looks). */
static void no_task_goes_back_and_forth(void **state)
{
    (void)state;
    int64_t moves = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        World w;
        open_random(&w, seed, 0);
        world_set(&w, "model.demand=varying");
        world_set(&w, "model.demand_sd=0.5");
        world_set(&w, "run.tick=60");
        JobModels *models = (JobModels *)(uintptr_t)w.models;
        jobmodels_build(&w.workload, &w.params, w.seed, &w.arena, models, &w.err);
        crowded = false;
        if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
        moves += w.result.migrations;
        world_close(&w);
    }
    assert_true(moves > 100);
}

static void a_run_repeats(void **state)
{
    (void)state;
    for (int gang = 0; gang < 3; gang++) {
        World a, b;
        open_random(&a, 7, gang);
        open_random(&b, 7, gang);
        world_run(&a, "mlf-h-c");
        world_run(&b, "mlf-h-c");
        for (int i = 0; i < a.result.n; i++) assert_int_equal(a.result.job[i].ended, b.result.job[i].ended);
        world_close(&a);
        world_close(&b);
    }
}

/* In `plain` jobs have no inside. */
static void plain_is_refused(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    world_jobs(&w, "a,0,1,10");
    assert_false(world_try(&w, policy_find("mlf-h")));
    assert_int_equal(w.err.kind, ERR_USAGE);
    assert_string_equal(w.err.text,
                        "policy 'mlf-h' looks inside jobs, and in preset plain they have none; try --preset philly");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_goes_where_its_peers_are),
        cmocka_unit_test(gpus_are_shared_up_to_h_r),
        cmocka_unit_test(the_network_is_to_blame),
        cmocka_unit_test(a_task_above_h_r_gets_an_empty_gpu),
        cmocka_unit_test(an_empty_cluster_takes_any_job),
        cmocka_unit_test(urgency_decides),
        cmocka_unit_test(the_deadline_decides),
        cmocka_unit_test(remaining_time_decides),
        cmocka_unit_test(a_reservation_holds_back_those_behind),
        cmocka_unit_test(an_overloaded_gpu_sheds_the_lowest),
        cmocka_unit_test(the_task_to_move_is_near_the_ideal),
        cmocka_unit_test(some_overloads_stay),
        cmocka_unit_test(a_mover_without_a_host),
        cmocka_unit_test(a_holder_gives_back),
        cmocka_unit_test(a_replica_starts_alone),
        cmocka_unit_test(training_ends_at_the_accuracy),
        cmocka_unit_test(training_ends_by_optstop),
        cmocka_unit_test(load_alone_is_overload),
        cmocka_unit_test(every_job_ends),
        cmocka_unit_test(no_task_goes_back_and_forth),
        cmocka_unit_test(a_run_repeats),
        cmocka_unit_test(plain_is_refused),
    };
    return cmocka_run_group_tests_name("mlf by hand", tests, NULL, NULL);
}
