/* tests/byhand_packing.c -- tetris and graphene in small worlds whose outcome is worked out beside each. */
#include "tests/scripted.h"
#include "tests/starts.h"

#include "policies/graphene_shapes.h"

/* ---- who ---- */

/* At 10 all four GPUs are free and n (2) or w (3) can have them: 2/4 x 4/4 against 3/4 x 4/4.  fit takes the first,
 * smallest the narrow one. */
static void the_gang_that_aligns_best_goes_first(void **state)
{
    (void)state;
    const char *jobs = "r,0,4,10 / n,1,2,10 / w,2,3,10";
    play_owned("1x4", "tetris", NULL, jobs, "r 0-10, n 20-30, w 10-20");
    play_owned("1x4", "graphene", "graphene.m_w=0", jobs, "r 0-10, n 20-30, w 10-20");
    play_owned("1x4", "fit", NULL, jobs, "r 0-10, n 10-20, w 20-30");
    play_owned("1x4", "fifo", NULL, jobs, "r 0-10, n 10-20, w 20-30");
}

/* a and b align alike; graphene prefers the shorter one, tetris the first.  srsf would too, but not where the wide gang
 * w has the more work left: 3/4 - .2 x (.5 + .75)/(20 + 33) x 33 = .594 against 2/4 - .2 x 1.25/53 x 20 = .406. */
static void graphene_adds_short_jobs_first(void **state)
{
    (void)state;
    const char *jobs = "r,0,4,10 / a,1,3,100 / b,2,3,10";
    play_owned("1x4", "graphene", NULL, jobs, "r 0-10, a 20-120, b 10-20");
    play_owned("1x4", "tetris", NULL, jobs, "r 0-10, a 10-110, b 110-120");
    jobs = "r,0,4,4 / n,1,2,10 / w,2,3,11";
    play_owned("1x4", "graphene", NULL, jobs, "r 0-4, n 15-25, w 4-15");
    play_owned("1x4", "srsf", NULL, jobs, "r 0-4, n 4-14, w 14-25");
    /* Four times the weight: .75 - .623 = .127 and .5 - .377 = .123: still w; five times: .75 - .778 and .5 - .472. */
    play_owned("1x4", "graphene", "graphene.m_w=0.8", jobs, "r 0-4, n 15-25, w 4-15");
    play_owned("1x4", "graphene", "graphene.m_w=1", jobs, "r 0-4, n 4-14, w 14-25");
}

/* At 60 one GPU is free on each of two servers.  p would have to talk across: .8 x 1/2 x 1/2 on each, against 1/2 x 1/2
 * of q.  tetris does not see that: both .25, the first goes first. */
static void talking_across_servers_counts_less(void **state)
{
    (void)state;
    const char *jobs = "r,0,1,1000 / f,0,1,60 / s,0,1,1000 / g,0,1,60 / p,50,2,10 / q,51,1,20";
    const char *alike = "graphene.m_w=0 graphene.kappa=1000";
    play_owned("2x2", "graphene", alike, jobs, "p 80-90, q 60-80");
    play_owned("2x2", "tetris", NULL, jobs, "p 60-70, q 70-90");
    play_owned("2x2", "graphene", "graphene.m_w=0 graphene.kappa=1000 graphene.rp=1", jobs, "p 60-70, q 70-90");
}

/* ---- bounded unfairness ---- */

/* Four GPUs, κ .5: 2 GPUs.  w of B wants all four, from 1 on; jobs of A take one each as it comes free, at 10, 20, 30
 * and 40, and with each B falls behind by half a GPU.  At 40 it is 2: only B's may start.  A's last of those ends at
 * 140: w runs until 150.  Without the bound A goes on at 110, ..., and again until all are through at 240. */
static void who_is_too_far_behind_is_next(void **state)
{
    (void)state;
    const char *jobs =
        "A1,0,1,10 / A2,0,1,20 / A3,0,1,30 / A4,0,1,40 / B,1,4,10 / "
        "Aa,2,1,100 / Ab,2,1,100 / Ac,2,1,100 / Ad,2,1,100 / Ae,2,1,100 / Af,2,1,100 / Ag,2,1,100 / Ah,2,1,100";
    play_owned("1x4", "graphene", "graphene.kappa=0.5", jobs,
               "B 140-150, Aa 10-110, Ad 40-140, Ae 150-250, Ah 150-250");
    play_owned("1x4", "graphene", "graphene.kappa=0.5 graphene.fair_queue=user", jobs,
               "B 140-150, Ae 150-250, Ah 150-250");
    play_owned("1x4", "graphene", "graphene.kappa=0.6", jobs,
               "B 210-220, Ad 40-140, Ae 110-210, Af 220-320, Ah 220-320");
    play_owned("1x4", "graphene", "graphene.kappa=1000", jobs, "B 240-250, Ad 40-140, Ae 110-210, Ah 140-240");
    play_owned("1x4", "tetris", NULL, jobs, "B 240-250, Ad 40-140, Ae 110-210, Ah 140-240");
}

/* A single claimant is never behind: the wide job waits for a gap of its size. */
static void alone_nobody_is_behind(void **state)
{
    (void)state;
    play_owned("1x2", "graphene", "graphene.kappa=0", "A1,0,1,10 / A2,0,1,20 / Aw,1,2,10 / A3,2,1,15 / A4,2,1,16",
               "A1 0-10, A2 0-20, Aw 36-46, A3 10-25, A4 20-36");
}

/* ---- where ---- */

/* r holds two GPUs of server 0.  n goes there too by best fit, to the empty server by alignment: 1/4 x 2/4 < 1/4 x 4/4.
 */
static void best_fit_or_alignment(void **state)
{
    (void)state;
    static const char *const policies[] = {"tetris", "graphene"};
    for (int p = 0; p < 2; p++)
        for (int align = 0; align < 2; align++) {
            World w;
            Starts starts = {0};
            world_open(&w, "2x4");
            world_set(&w, align ? "tetris.server=align" : "tetris.server=fit");
            world_set(&w, align ? "graphene.server=align" : "graphene.server=fit");
            world_jobs(&w, "r,0,2,1000 / n,1,1,1000");
            w.also = (Watcher){&starts_observer, &starts};
            world_run(&w, policies[p]);
            assert_int_equal(starts.gpu[1][0], align ? 4 : 2);
            world_close(&w);
        }
}

/* A world of data-parallel jobs of two families, by the digits: 3 cores a task or 1, on servers of so many cores. */
static JobModel *open_families(World *w, const char *cluster, int n_servers, int n_gpus, int cores, const char *jobs,
                               const char *family)
{
    ServerClass *class_of;
    inside(w, cluster, jobs);
    class_of = NEW(&w->arena, ServerClass);
    ServerSpec *server = NEW_ARRAY(&w->arena, ServerSpec, n_servers);
    for (int i = 0; i < n_servers; i++) server[i].rack = -1;
    *class_of = (ServerClass){.n_gpus = n_gpus, .cores = cores};
    w->cluster = (ClusterSpec){.name = "drawn",
                               .class_of = class_of,
                               .n_classes = 1,
                               .server = server,
                               .n_servers = n_servers,
                               .n_gpus = n_servers * n_gpus};
    JobModel *m = models_of(w);
    demand(w, 500);
    for (int i = 0; i < w->workload.n; i++) {
        shape(&m[i], w->workload.job[i].n_gpus, 1, TOPOLOGY_RING, 100);
        m[i].volumes = (Volumes){0};
        if (family[i] == '1') m[i].family = &families[FAMILY_MLP];
    }
    return m;
}

/* Of two servers with two free GPUs each, server 0 has 2 of 8 cores free and server 1 6 of 8: c's task aligns better
 * with server 1.  fifo, by best fit alone, takes the lower. */
static void equally_full_servers_differ_by_cores(void **state)
{
    (void)state;
    static const char *const policies[] = {"tetris", "graphene", "fifo"};
    for (int p = 0; p < 3; p++) {
        World w;
        Starts starts = {0};
        open_families(&w, "2x4", 2, 4, 8, "a,0,2,1000 / x,0,2,60 / b,0,2,1000 / c,120,1,1000", "3111");
        world_set(&w, "graphene.m_w=0");
        w.also = (Watcher){&starts_observer, &starts};
        world_run(&w, policies[p]);
        assert_int_equal(starts.gpu[2][0], 4);
        assert_int_equal(starts.gpu[3][0], p < 2 ? 6 : 2);
        world_close(&w);
    }
}

/* One GPU, 8 cores.  When r has gone, x with 3 cores aligns better, 1 + 3/8, than m with one, 1 + 1/8, which came
 * first. */
static void demanding_tasks_go_first(void **state)
{
    (void)state;
    World w;
    open_families(&w, "1x1", 1, 1, 8, "r,0,1,600 / m,60,1,600 / x,120,1,600", "113");
    world_run(&w, "tetris");
    world_expect(&w, "r 0-600, m 1200-1800, x 600-1200");
    world_close(&w);
}

/* Where jobs of tasks of .4 start on two servers of two GPUs, for each way to choose servers, shared or not. */
typedef struct Way {
    const char *share, *server;
} Way;
static const Way ways[] = {{"0.9", "fit"}, {"0.9", "align"}, {"0", "fit"}};

static void run_in_way(World *w, Starts *starts, const Way *way, const char *policy, const char *jobs,
                       const char *family)
{
    *starts = (Starts){0};
    open_families(w, "2x2", 2, 2, 0, jobs, family);
    demand(w, 400);
    world_settings(w, arena_format(&w->arena, "place.share=%s %s.server=%s", way->share, policy, way->server));
    w->also = (Watcher){&starts_observer, starts};
    world_run(w, policy);
}

static const char *const packers[] = {"tetris", "graphene"};

/* With r on server 0, n goes to the empty server 1 however servers are chosen and whether GPUs are shared or not:
 * nobody shares who need not. */
static void empty_gpus_go_first(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 3; i++) {
            World w;
            Starts starts;
            run_in_way(&w, &starts, &ways[i], packers[p], "r,0,2,1000 / n,60,1,1000", "33");
            assert_int_equal(starts.gpu[1][0], 2);
            world_close(&w);
        }
}

/* All four GPUs are in use when n comes, by tasks of .4.  With place.share=.9 there is room for its .4, .4 + .4 <= .9,
 * and of equal servers the first gets it; without sharing it waits. */
static void gpus_in_use_have_room_if_they_are_shared(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 3; i++) {
            World w;
            Starts starts;
            run_in_way(&w, &starts, &ways[i], packers[p], "r,0,2,1000 / q,1,2,1000 / n,60,1,1000", "333");
            bool shared = strcmp(ways[i].share, "0") != 0;
            bool at_once = w.result.job[2].first_started == 60 * TIME_SECOND;
            assert_int_equal(at_once, shared);
            if (at_once) assert_true(starts.gpu[2][0] < 2);
            world_close(&w);
        }
}

/* ---- the offline order ---- */

static void look_at_weights(Sched *s, void *state)
{
    (void)state;
    if (sched_waiting(s)->n == 0) return;
    const Job *job = sched_job(s, 0);
    Shapes shapes = {.ordered = true, .remote = .8, .step = .1};
    assert_int_equal(shapes_find(&shapes, s, job), 0); /* a new one, ... */
    assert_int_equal(shapes_find(&shapes, s, job), 0); /* ... and found again */
    const Shape *shape = &shapes.shape[0];
    static const double score[] = {1, .6, .8, .4}; /* r0: stage 0, stage 1; r1; mean .7 */
    for (int k = 0; k < 4; k++) assert_true(fabs(shape->weight[k] - score[k] / .7) < 1e-9);

    /* Replica 0 on server 0, replica 1 on server 1; so is the parameter server.  Of replica 0 the last stage talks to
     * server 1; of replica 1 no task talks elsewhere.  Each server gives 1/4 of a GPU x 4/4 a task. */
    static const GpuId gpus[] = {0, 1, 4, 5, 4};
    double first = (1 + .8 * .6) / .7 / 4, second = (.8 + .4) / .7 / 4;
    assert_true(fabs(shape_score(&shapes, s, shape, gpus) - (first + second) / 2) < 1e-9);
    static const GpuId together[] = {0, 1, 2, 3, 0};
    assert_true(fabs(shape_score(&shapes, s, shape, together) - 1) < 1e-9);

    shapes = (Shapes){.remote = 1};
    shapes_find(&shapes, s, job);
    for (int k = 0; k < 4; k++) assert_true(shapes.shape[0].weight[k] == 1);
    sched_start(s, 0, together, 5);
}

/* Two replicas in chains of two, and a parameter server: r0s0, r1s0, r0s1, r1s1, server; ranks 0, 2, 1, 3, 4 of 5 by
 * task. */
static void earlier_tasks_weigh_more(void **state)
{
    (void)state;
    static const Policy looker = {.name = "looker", .state_size = 1, .schedule = look_at_weights};
    World w;
    inside(&w, "2x4", "a,0,4,100");
    JobModel *m = models_of(&w);
    demand(&w, 500);
    shape(&m[0], 2, 2, TOPOLOGY_SERVER, 100);
    if (!world_try(&w, &looker)) fail_msg("%s", w.err.text);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gang_that_aligns_best_goes_first),
        cmocka_unit_test(graphene_adds_short_jobs_first),
        cmocka_unit_test(talking_across_servers_counts_less),
        cmocka_unit_test(who_is_too_far_behind_is_next),
        cmocka_unit_test(alone_nobody_is_behind),
        cmocka_unit_test(best_fit_or_alignment),
        cmocka_unit_test(equally_full_servers_differ_by_cores),
        cmocka_unit_test(demanding_tasks_go_first),
        cmocka_unit_test(empty_gpus_go_first),
        cmocka_unit_test(gpus_in_use_have_room_if_they_are_shared),
        cmocka_unit_test(earlier_tasks_weigh_more),
    };
    return cmocka_run_group_tests_name("byhand_packing", tests, NULL, NULL);
}
