/* tests/unit_mlf.c -- the parts of MLF-H and MLF-C by themselves: priorities, distances, the choice of a task to move.
 */
#include "tests/scripted.h"

#include "policies/mlf_h.h"

static void near(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-9) fail_msg("expected %.10f, found %.10f", wanted, found);
}

static const PriorityRule paper = {
    .alpha = .3,
    .gamma = .8,
    .gamma_d = .3,
    .gamma_r = .3,
    .gamma_w = .35,
    .urgency = true,
    .loss_share = .3,
    .unit = 3600 * TIME_SECOND,
    .floor = 60 * TIME_SECOND,
};
#define HOURS(n) ((SimTime)((n)*3600 * 1e6))

/* ---- priorities ---- */

/* 18.1: L = 5, I = 4, reductions .5, .3, .2: rho = .2; a chain of four equal parts: P0_ML = 5 x 1/4 x .2 x .25 = .0625,
 * P_ML = .0625, .0625 + .8 x .0625 = .1125, .1525, .1845 from the sink up; d - t = 2 h, r = 1 h, w = .5 h: P0_C = .15 +
 * .3 + .175 = .625, P_C = .625, 1.125, 1.525, 1.845; P of the root = .3 x .1845 + .7 x 1.845 = 1.34685. */
static void vector_18_1(void **state)
{
    (void)state;
    LossTrend trend = {0};
    static const double losses[] = {1.5, 1.2, 1.0};
    for (int i = 0; i < 3; i++) loss_trend_add(&trend, 1, 2, losses[i]);
    near(loss_trend_ratio(&trend), .2);
    double learning = priority_learning(&paper, 5, trend.epochs, loss_trend_ratio(&trend));
    near(learning * .25, .0625);
    double computation = priority_computation(&paper, HOURS(2), HOURS(1), HOURS(.5));
    near(computation, .625);

    double ml[4], c[4];
    TaskGraph chain = taskgraph_make(&families[FAMILY_MLP], 4, 4, TOPOLOGY_RING);
    taskgraph_priorities(&chain, &families[FAMILY_MLP], paper.gamma, CHILDREN_SUM, ml, c);
    static const double p_ml[] = {.1845, .1525, .1125, .0625}, p_c[] = {1.845, 1.525, 1.125, .625};
    for (int k = 0; k < 4; k++) {
        near(learning * ml[k], p_ml[k]);
        near(computation * c[k], p_c[k]);
    }
    near(paper.alpha * learning * ml[0] + (1 - paper.alpha) * computation * c[0], 1.34685);
}

/* The first two epochs say nothing; a loss that rises reduces nothing; one that never fell has no ratio. */
static void guards_of_rho(void **state)
{
    (void)state;
    LossTrend t = {0};
    near(loss_trend_ratio(&t), 1);
    loss_trend_add(&t, 1, 2, 1.8);
    near(loss_trend_ratio(&t), 1);
    loss_trend_add(&t, 1, 2, 1.9);
    near(loss_trend_ratio(&t), 0);
    loss_trend_add(&t, 1, 2, 1.1);
    near(loss_trend_ratio(&t), .8); /* .8 of .2 + .8 */
    t = (LossTrend){0};
    loss_trend_add(&t, 1, 2, 3);
    loss_trend_add(&t, 1, 2, 4);
    near(loss_trend_ratio(&t), 0);
    t = (LossTrend){0}; /* smoothed: 2 to 1, then .3 x .5 + .7 x 1 = .85 */
    loss_trend_add(&t, .3, 2, 1);
    loss_trend_add(&t, .3, 2, .5);
    near(loss_trend_ratio(&t), .15 / 1.15);
}

/* Times below a tick count as one: .3 / (1/60) = 18; a missed deadline counts nothing, or that. */
static void guards_of_times(void **state)
{
    (void)state;
    PriorityRule rule = paper;
    near(priority_computation(&rule, HOURS(2), 0, 0), .15 + 18);
    near(priority_computation(&rule, 1, HOURS(1), 0), 18 + .3);
    near(priority_computation(&rule, 0, HOURS(1), 0), .3);
    near(priority_computation(&rule, -HOURS(5), HOURS(1), 0), .3);
    rule.cap_late = true;
    near(priority_computation(&rule, -HOURS(5), HOURS(1), 0), 18.3);
    rule.unit = 60 * TIME_SECOND; /* in minutes: .3 / 120 + .3 / 60 + .35 x 30 */
    near(priority_computation(&rule, HOURS(2), HOURS(1), HOURS(.5)), .0025 + .005 + 10.5);
    rule = paper;
    near(priority_learning(&rule, 8, 0, 1), 8);
    rule.urgency = false;
    near(priority_learning(&rule, 8, 1, .5), .25);
}

/* ---- a look through a run ---- */

/* Runs what the test wants to see at each decision, then lets everybody start who can. */
typedef struct Probe {
    void (*look)(Sched *s, void *state);
} Probe;
static Probe probe;
static int n_looks;

static void probe_schedule(Sched *s, void *state)
{
    probe.look(s, state);
    n_looks++;
    EACH_JOB (id, sched_waiting(s)) place_start(s, (PlaceMode){PLACE_PACKED, 0}, sched_job(s, id));
}

static void look_through(World *w, void (*look)(Sched *s, void *state))
{
    Policy policy = {.name = "probe", .state_size = sizeof(MlfH), .schedule = probe_schedule};
    probe.look = look;
    n_looks = 0;
    if (!world_try(w, &policy)) fail_msg("%s", w->err.text);
    assert_true(n_looks > 0);
}

/* The largest of a job is that of its tasks one by one; a server's is the largest; the recursion of eq. 3 and 5, done
 * here task by task, gives the same, also with deadlines of their own. */
static void check_priorities(Sched *s, void *state)
{
    Priorities *p = &((MlfH *)state)->priorities;
    if (!p->size) priorities_open(p, s);
    EACH_JOB (id, sched_live(s)) {
        const Job *job = sched_job(s, id);
        const TaskGraph *g = job->graph;
        double priority[64], ml[64], c[64], largest = 0;
        priorities_of_tasks(p, s, job, priority);
        int done = sched_epochs_done(s, job);
        double smooth = 0, sum = 0, last = 0;
        for (int e = 1; e <= done; e++) {
            double loss = sched_observed_loss(s, job, e), before = e == 1 ? log(job->family->n_classes) : smooth;
            smooth = e == 1 ? loss : .3 * loss + .7 * smooth;
            last = fmax(0, before - smooth);
            sum += last;
        }
        double rho = done < 2 ? 1 : sum > 1e-12 ? last / sum : 0;
        double hour = 3600e6, now = (double)sched_now(s);
        double slack = ((double)job->deadline - now) / hour, rest = (double)job_remaining(job, sched_now(s)) / hour;
        double wait = job->state == JOB_WAITING ? (now - (double)job->waits_since) / hour : 0;
        double below = (double)job->estimate / job->epochs / g->stages / hour;
        for (int k = taskgraph_n_gpu_tasks(g) - 1; k >= 0; k--) {
            TaskRange children = taskgraph_children(g, k);
            double left = slack - (p->rule.task_deadline ? below * (g->stages - 1 - task_stage(g, k)) : 0);
            double own = .3 / fmax(rest, 1 / 60.) + .35 * wait + (left > 0 ? .3 / fmax(left, 1 / 60.) : 0);
            ml[k] = job->urgency / (done + 1) * rho * taskgraph_share(g, job->family, k);
            c[k] = own;
            for (int i = children.first; i < children.first + children.n; i++) {
                ml[k] += .8 * ml[i];
                c[k] += .8 * c[i];
            }
            double wanted = .3 * ml[k] + .7 * c[k];
            if (fabs(priority[k] - wanted) > 1e-9 * wanted) fail_msg("task %d: %.9g, not %.9g", k, priority[k], wanted);
            assert_true(fabs(priority_of_task(p, s, job, k) - priority[k]) <= 1e-12 * wanted);
            largest = fmax(largest, priority[k]);
        }
        assert_true(fabs(priority_of_job(p, s, job) - largest) <= 1e-12 * largest);
        if (g->has_server) {
            assert_true(priority[job->n_tasks - 1] == largest);
            assert_true(fabs(priority_of_task(p, s, job, job->n_tasks - 1) - largest) <= 1e-12 * largest);
        }
    }
}

static void priorities_by_the_definition(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        World w;
        inside(&w, "2x8",
               "a,0,1,3000 / b,0,8,2000 / c,60,16,4000 / d,60,4,600 / e,300,8,500 / f,400,16,900 / g,500,2,7000 / "
               "h,900,8,60");
        world_set(&w, own ? "mlf_h.task_deadline=1" : "mlf_h.task_deadline=0");
        models_of(&w);
        look_through(&w, check_priorities);
        world_close(&w);
    }
}

static SimTime unit_wanted;
static void check_unit(Sched *s, void *state)
{
    Priorities *p = &((MlfH *)state)->priorities;
    if (!p->size) priorities_open(p, s);
    assert_true(p->rule.unit == unit_wanted);
}

static void units_of_time(void **state)
{
    (void)state;
    static const char *const units[] = {"h", "min", "s"};
    for (int i = 0; i < 3; i++) {
        World w;
        inside(&w, "1x1", "a,0,1,60");
        world_set(&w, arena_format(&w.arena, "mlf_h.unit=%s", units[i]));
        models_of(&w);
        unit_wanted = (i == 0 ? 3600 : i == 1 ? 60 : 1) * TIME_SECOND;
        look_through(&w, check_unit);
        world_close(&w);
    }
}

/* d_k is the job's less what is below it: of a chain of two stages with an epoch of 1 h, half an hour for the first. */
static void check_task_deadlines(Sched *s, void *state)
{
    Priorities *p = &((MlfH *)state)->priorities;
    if (sched_now(s)) return;
    priorities_open(p, s);
    double priority[2];
    priorities_of_tasks(p, s, sched_job(s, 0), priority);
    double below = .3 / 4 + .3 / 2, above = .3 / 3.5 + .3 / 2 + .8 * below;
    near(priority[1],
         .3 * p->rule.gamma * 0 + .3 * 3 * taskgraph_share(sched_job(s, 0)->graph, &families[0], 1) + .7 * below);
    assert_true(priority[0] > .7 * above); /* and what it has of the shares below */
    near(priority[0] - .3 * 3 *
                           (taskgraph_share(sched_job(s, 0)->graph, &families[0], 0) +
                            .8 * taskgraph_share(sched_job(s, 0)->graph, &families[0], 1)),
         .7 * above);
}

static void deadlines_of_tasks(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x2", "a,0,2,7200");
    world_set(&w, "mlf_h.task_deadline=1");
    JobModel *m = models_of(&w);
    shape(m, 1, 2, TOPOLOGY_RING, 2);
    m->deadline = HOURS(4);
    m->estimate = HOURS(2);
    m->urgency = 3;
    look_through(&w, check_task_deadlines);
    world_close(&w);
}

/* ---- hosts ---- */

/* 18.7: U1 = (.5, .4, .3, .2), U2 = (.2, .6, .3, .5), c = (.5, 0): ideal (.2, .4, .3, .2, .5), distances .3 and .61644.
 */
static void vector_18_7(void **state)
{
    (void)state;
    double gpu[HOST_BLOCK] = {.5, .2}, cpu[HOST_BLOCK] = {.4, .6}, memory[HOST_BLOCK] = {.3, .3};
    double network[HOST_BLOCK] = {.2, .5}, distance[HOST_BLOCK], shut[HOST_BLOCK] = {0};
    for (int i = 2; i < HOST_BLOCK; i++) shut[i] = HUGE_VAL; /* no host */
    Milli limit[HOST_BLOCK] = {0};
    Host host[2] = {{0}};
    HostBlock block = {.stale = true};
    Place place = {.hosts = {.n = 2,
                             .threshold = .9,
                             .host = host,
                             .block = &block,
                             .n_blocks = 1,
                             .shut = shut,
                             .limit_gpu = limit,
                             .limit_cores = limit,
                             .limit_nic = {shut, shut},
                             .use = {gpu, cpu, memory, network},
                             .distance = distance,
                             .ideal_stale = {true, true, true, true}}};
    hosts_settle(&place.hosts);
    hosts_measured_block(&place.hosts, 0);
    static const double ideal[] = {.2, .4, .3, .2};
    for (int m = 0; m < N_USES; m++) near(place.hosts.ideal[m], ideal[m]);
    near(sqrt(place_distance(&place, 0, .5, .5)), .3);
    near(sqrt(place_distance(&place, 1, 0, .5)), sqrt(.38));
    assert_true(fabs(sqrt(.38) - .61644) < 5e-6);
    /* RIAL weighs by 1 - u: .5 x .3; .4 x .2 and .5 x .3 */
    place.hosts.rial = block.stale = true;
    hosts_settle(&place.hosts);
    hosts_measured_block(&place.hosts, 0);
    near(place.hosts.distance[0], .15 * .15);
    near(place.hosts.distance[1], .08 * .08 + .15 * .15);
    near(hosts_rial_weight(&place.hosts, .95), 1 / .05);
    near(hosts_rial_weight(&place.hosts, 1.7), 1 / .01);
    /* a closed one stands for nothing */
    host[0].closed = true;
    shut[0] = HUGE_VAL;
    block.stale = true;
    place.hosts.rial = false;
    for (int m = 0; m < N_USES; m++) place.hosts.ideal_stale[m] = true;
    hosts_settle(&place.hosts);
    hosts_measured_block(&place.hosts, 0);
    assert_true(isinf(place.hosts.distance[0]) && place.hosts.distance[1] == 0);
}

/* ---- the task to move ---- */

/* GPU overloaded: the ideal is (.5, .1, .1, 0, 0).  Squared distances, in rising order of priority: A (.5, .3, .1, 0,
 * 1) .04 + 1, B (.2, .1, .2, .1, 0) .09 + .01 + .01, C (.4, .2, .1, 0, .25) .01 + .01 + .0625. */
static void the_ideal_virtual_task(void **state)
{
    (void)state;
    static const double uses[3][N_USES + 1] = {{.5, .3, .1, 0, 1}, {.2, .1, .2, .1, 0}, {.4, .2, .1, 0, .25}};
    static const bool all[] = {true, true, true}, without_c[] = {true, true, false};
    static const bool over[N_USES] = {[USE_GPU] = true};
    assert_int_equal(overload_nearest(uses, all, 3, 3, over, true, NULL), 2);
    assert_int_equal(overload_nearest(uses, all, 3, 2, over, true, NULL), 1); /* the first two only */
    assert_int_equal(overload_nearest(uses, without_c, 3, 3, over, true, NULL), 1);
    assert_int_equal(overload_nearest(uses, all, 3, 1, over, true, NULL), 0);
    assert_int_equal(overload_nearest(uses, all, 3, 3, over, false, NULL), 2); /* traffic aside: .04, .11, .02 */
    static const double heavy[N_USES] = {10, 10, 1, 1}; /* GPU and CPU ten times: 4 + 1, 9.02, 2 + .0625 */
    assert_int_equal(overload_nearest(uses, all, 3, 3, over, true, heavy), 2);
}

/* ---- what found no room ---- */

/* Of three kinds and all sizes of gangs: the bars say what the list says, also when it is full. */
static void bars_are_drawn_as_the_list_says(void **state)
{
    (void)state;
    static const TaskNeed kinds[] = {{1, 100, 10}, {2, 50, 10}, {2, 100, 20}};
    Rng rng;
    rng_open(&rng, 1, "refusals", 0);
    int n_covered = 0, n_asked = 0;
    for (int trial = 0; trial < 60; trial++) {
        Arena arena = {0};
        Refusals r;
        refusals_open(&r, &arena, trial % 5, true);
        const NoRoom *behind = NEW(&arena, NoRoom);
        for (int i = 0; i < MOST_REFUSALS + 20; i++) {
            NoRoom refusal = {.n = 1 + (int)rng_below(&rng, BAR_SIZES + 6),
                              .gpu = (Milli)rng_below(&rng, 1000),
                              .need = kinds[rng_below(&rng, 3)],
                              .final = rng_below(&rng, 40) == 0};
            int kind = (int)rng_below(&rng, 3);
            NoRoom asks = {
                .n = 1 + (int)rng_below(&rng, BAR_SIZES + 6), .gpu = (Milli)rng_below(&rng, 1000), .need = kinds[kind]};
            bool covered = refusals_cover(&r, &asks);
            assert_true(covered == refusals_cover_gang(&r, asks.n, asks.gpu, kind, &asks.need));
            n_covered += covered;
            n_asked++;
            refusals_note(&r, refusal);
        }
        assert_int_equal(r.n, MOST_REFUSALS);
        assert_true(behind->n == 0 && behind->gpu == 0 && !behind->final);
        refusals_forget(&r);
        assert_false(refusals_cover_gang(&r, BAR_SIZES, 1000, 0, &kinds[0]));
        arena_free(&arena);
    }
    assert_true(n_covered > n_asked / 10 && n_covered < n_asked * 9 / 10);
}

/* ---- no gang that has room is passed over ---- */

static void mlf_h_plain_round(Sched *s, void *state)
{
    MlfH *me = state;
    if (!me->waiter) mlf_h_open(me, s);
    static const TaskNeed none = {-1, -1, -1};
    me->place.slots.n_kinds = SLOT_KINDS; /* all kinds unknown: nothing is ruled out by counting */
    for (int k = 0; k < SLOT_KINDS; k++) me->place.slots.kind[k] = none;
    mlf_h_round(me, s);
}

static void draw_world(World *w, uint64_t seed, const char *cluster)
{
    char jobs[4000] = "";
    size_t used = 0;
    Rng rng;
    rng_open(&rng, seed, "unit_mlf", 0);
    int submit = 0;
    for (int i = 0; i < 60; i++) {
        submit += (int)rng_below(&rng, 120);
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, submit,
                                 1 << rng_below(&rng, 4), 60 + (int)rng_below(&rng, 3000));
    }
    w->seed = seed;
    world_open(w, cluster);
    w->seed = seed;
    world_set(w, "run.tick=60");
    world_jobs(w, jobs);
    models_of(w);
}

static void counting_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        World a, b;
        const char *cluster = seed % 2 ? "p3" : "4x2";
        draw_world(&a, seed, cluster);
        draw_world(&b, seed, cluster);
        world_run(&a, "mlf-h");
        Policy uncounted = {.name = "mlf-h", .state_size = sizeof(MlfH), .schedule = mlf_h_plain_round};
        if (!world_try(&b, &uncounted)) fail_msg("%s", b.err.text);
        for (int i = 0; i < a.result.n; i++) {
            assert_int_equal(a.result.job[i].first_started, b.result.job[i].first_started);
            assert_int_equal(a.result.job[i].ended, b.result.job[i].ended);
        }
        assert_true(a.result.job[a.result.n - 1].first_started > a.result.job[a.result.n - 1].submit || seed % 2);
        world_close(&a);
        world_close(&b);
    }
}

/* ---- looking is not touching ---- */

static void mlf_h_curious_round(Sched *s, void *state)
{
    MlfH *me = state;
    if (!me->waiter) mlf_h_open(me, s);
    EACH_JOB (id, sched_live(s)) assert_true(sched_epochs_done(s, sched_job(s, id)) >= 0);
    mlf_h_round(me, s);
}

/* To the last bit: progress is added up where rates change, not where somebody asks. */
static void looking_changes_nothing(void **state)
{
    (void)state;
    int n_within = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        World a, b;
        draw_world(&a, seed, "p3");
        draw_world(&b, seed, "p3");
        a.horizon = b.horizon = 1777 * TIME_SECOND;
        world_run(&a, "mlf-h");
        Policy curious = {.name = "mlf-h", .state_size = sizeof(MlfH), .schedule = mlf_h_curious_round};
        if (!world_try(&b, &curious)) fail_msg("%s", b.err.text);
        for (int i = 0; i < a.result.n; i++) {
            assert_int_equal(a.result.job[i].ended, b.result.job[i].ended);
            if (a.result.job[i].first_started == TIME_NEVER) continue;
            assert_true(a.result.outcome[i].epochs_done == b.result.outcome[i].epochs_done);
            n_within += a.result.job[i].ended == TIME_NEVER;
        }
        world_close(&a);
        world_close(&b);
    }
    assert_true(n_within > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_18_1),
        cmocka_unit_test(guards_of_rho),
        cmocka_unit_test(guards_of_times),
        cmocka_unit_test(priorities_by_the_definition),
        cmocka_unit_test(units_of_time),
        cmocka_unit_test(deadlines_of_tasks),
        cmocka_unit_test(vector_18_7),
        cmocka_unit_test(the_ideal_virtual_task),
        cmocka_unit_test(bars_are_drawn_as_the_list_says),
        cmocka_unit_test(counting_changes_nothing),
        cmocka_unit_test(looking_changes_nothing),
    };
    return cmocka_run_group_tests_name("mlf", tests, NULL, NULL);
}
