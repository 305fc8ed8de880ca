/* tests/byhand_gandiva_moves.c -- where Gandiva's jobs go, and what it moves to bring tasks together. */
#include "tests/gandivaworld.h"

static GpuId started_on[16][8];
static void note_start(void *self, const Happening *h)
{
    (void)self;
    for (int i = 0; h->kind == HAPPENS_START && i < h->n_gpus; i++) started_on[h->job->id][i] = h->gpus[i];
}

/* ---- where ---- */

/* Host memory for exactly two tasks: both start at once, and a third waits though there is a GPU for it. */
static void host_memory_may_be_filled(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x3", "a,0,1,600 / b,0,1,600 / c,0,1,600", 900, "gandiva.height=1");
    ServerClass small = w.cluster.class_of[0];
    small.memory_mib = 2 * jobmodel_need(&models(&w)[0], 0).memory_mib;
    w.cluster.class_of = &small;
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-600, b 0-600, c 600-1200");
    world_close(&w);
}

/* Servers of four.  Gandiva keeps servers to one width: a on 0, b on 1, c beside a, d beside b, e, of three, on 2; f,
 * of one, on 0 again.  fifo packs: b beside a, c too, d on 1, f beside e. */
static void servers_keep_to_one_width(void **state)
{
    (void)state;
    static const Observer noter = {.name = "noter", .on_happening = note_start};
    static const struct {
        const char *policy;
        GpuId first[6];
    } cases[] = {{"gandiva", {0, 4, 1, 6, 8, 2}}, {"fifo", {0, 1, 3, 4, 8, 11}}};
    for (int i = 0; i < 2; i++) {
        World w;
        open_world(&w, "3x4", "a,0,1,600 / b,0,2,600 / c,0,1,600 / d,0,2,600 / e,0,3,600 / f,0,1,600", 500, NULL);
        w.also = (Watcher){&noter, NULL};
        world_run(&w, cases[i].policy);
        for (int k = 0; k < 6; k++) assert_int_equal(started_on[k][0], cases[i].first[k]);
        world_close(&w);
    }
}

/* ---- moves ---- */

/* c has GPU 1 until 150, seen at 180.  a 0-60 on GPU 0, b stacked there 60-120, a 120.5-180.  Then b, who came last,
 * moves to GPU 1: alone it gains as much as it has run, 60 s, against a stall of 5 s and 933.2 MB at 12 GB/s.  It was
 * b's turn, so a, paused and resumed, pays half a second. */
static void a_free_gpu_ends_turns(void **state)
{
    (void)state;
    World w;
    const char *jobs = "a,0,1,600 / c,0,1,150 / b,0,1,600";
    open_world(&w, "1x2", jobs, 900, "gandiva.pack=0");
    world_run(&w, "gandiva");
    assert_int_equal(w.result.migrations, 1);
    expect_end(&w, 2, 185 + .9332 / 12 + 600 - 60);
    expect_end(&w, 0, 180.5 + 600 - 119.5);
    world_close(&w);
    /* a move that takes longer than either has run does not pay */
    open_world(&w, "1x2", jobs, 900, "gandiva.pack=0 cost.move_base=10000");
    world_run(&w, "gandiva");
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
    open_world(&w, "1x2", jobs, 900, "gandiva.pack=0 gandiva.migrate=0");
    world_run(&w, "gandiva");
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
}

/* x1, x2 on server 0, y on server 1; g, of two tasks, waits until x1 ends and then has GPUs 0 and 3: 300 MB over its
 * edge, twice a round, take 10 s (.00001 + .6/12) inside, s such that this is half of a second, and 10 s (.000015 +
 * .6/10) across: an epoch of 1.1 s in place of 1.  When y ends, before the tick at 300, g has run 180 s and would have
 * gained 18 s in them: its first task, 200 MB + 3 x 8.8/235.8 of 244.4 MB, moves beside the other. */
static double scattered(World *w, const char *keys, int64_t edge_bytes)
{
    open_world(w, "2x2", "x1,0,1,100 / x2,0,1,3000 / y,0,1,250 / g,60,2,1000", 500, keys);
    models(w)[3].epochs = 1000;
    models(w)[3].volumes = (Volumes){.edge_bytes = edge_bytes};
    world_run(w, "gandiva");
    double s = .5 / (10 * (.00001 + .6 / 12));
    return .5 + 10 * s * (.000015 + .6 / 10);
}

static void tasks_come_closer_where_it_pays(void **state)
{
    (void)state;
    World w;
    double across = scattered(&w, "gandiva.gain=0.05", 300000000);
    assert_true(w.result.job[3].first_started == 120 * TIME_SECOND);
    assert_int_equal(w.result.migrations, 1);
    double stall = 5 + (200e6 + 3 * 244.4e6 * 8.8 / 235.8) / 10e9;
    expect_end(&w, 3, 300 + stall + 1000 - 180 / across);
    world_close(&w);

    scattered(&w, "gandiva.gain=0.2", 300000000); /* a tenth is not enough */
    assert_int_equal(w.result.migrations, 0);
    expect_end(&w, 3, 120 + 1000 * across);
    world_close(&w);
    scattered(&w, "gandiva.gain=0.05 cost.move_base=20", 300000000); /* 18 s are less than 20 */
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
    scattered(&w, "gandiva.gain=0.05 cost.move_base=17.99", 300000000); /* nor than that and the .0228 of copying */
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
    scattered(&w, "gandiva.gain=0", 0); /* all that could be saved is 5 us of latency, ten times a second */
    assert_int_equal(w.result.migrations, 0);
    expect_end(&w, 3, 1120.05);
    world_close(&w);
}

/* p1 and p2 on server 0, q on 1, u, v, w on 2; when p2 has ended g has its GPUs 2 and 3, and 7 and 11 elsewhere.  When
 * v and w end no server has room for g, but p1 finds room on server 2: it makes way, and g comes together on server 0.
 */
static void another_makes_way(void **state)
{
    (void)state;
    World w;
    for (int talks = 0; talks < 2; talks++) {
        open_world(&w, "3x4",
                   "p1,0,2,9000 / p2,0,2,100 / q,0,3,9000 / u,0,1,9000 / v,0,1,1000 / w,0,1,1000 / g,60,4,3000", 500,
                   "gandiva.gain=0.05");
        models(&w)[6].epochs = 3000;
        models(&w)[6].volumes = (Volumes){.edge_bytes = talks ? 300000000 : 0};
        world_run(&w, "gandiva");
        assert_int_equal(w.result.job[0].migrations, talks ? 2 : 0);
        assert_int_equal(w.result.job[6].migrations, talks ? 2 : 0);
        assert_int_equal(w.result.migrations, talks ? 4 : 0);
        world_close(&w);
    }
}

/* Servers of five: p1 and p2 on 0, q on 1, r on 2, e and s on 3; g has a GPU of 0, one of 1, two of 2.  p2 ends at 100:
 * three of g's four would have room on 0, and five when e's end at 1000 lets p1 make way to 3.  p1 moves by two tasks,
 * g by three. */
static void more_room_than_is_wanted(void **state)
{
    (void)state;
    static const Observer noter = {.name = "noter", .on_happening = note_start};
    World w;
    open_world(&w, "4x5", "p1,0,2,9000 / p2,0,2,100 / q,0,4,9000 / r,0,3,9000 / e,0,2,1000 / s,0,3,9000 / g,60,4,3000",
               500, "gandiva.gain=0.05");
    models(&w)[6].epochs = 3000;
    models(&w)[6].volumes = (Volumes){.edge_bytes = 300000000};
    w.also = (Watcher){&noter, NULL};
    world_run(&w, "gandiva");
    assert_int_equal(started_on[4][0], 15);
    assert_int_equal(w.result.job[6].first_started, 60 * TIME_SECOND);
    assert_int_equal(w.result.job[0].migrations, 2);
    assert_int_equal(w.result.job[6].migrations, 3);
    assert_int_equal(w.result.migrations, 5);
    assert_true(ended(&w, 0) < 9000 + 10); /* with nobody beside it */
    world_close(&w);
}

/* a and b leave g three GPUs of server 0 and one of server 1, beside p, who has one of each, and c, who ends at 1060.
 * Then p would find room on server 1 and leave server 0 to g, but a job that is scattered itself makes no way. */
static void who_is_scattered_makes_no_way(void **state)
{
    (void)state;
    World w;
    open_world(&w, "2x4", "a,0,3,100 / b,0,3,100 / p,0,2,9000 / g,60,4,3000 / c,60,2,940", 500, "gandiva.gain=0.01");
    models(&w)[3].epochs = 3000;
    models(&w)[3].volumes = (Volumes){.edge_bytes = 300000000};
    world_run(&w, "gandiva");
    assert_true(w.result.job[3].first_started == 120 * TIME_SECOND && w.result.migrations == 0);
    world_close(&w);
}

/* Servers of six: k and c on 0, b and d on 1, a on 2; p, of four replicas, finds two GPUs there and starts with two of
 * them.  g then has a's four GPUs and c's.  When b ends there would be room for all of p on server 1, and on 2 for g;
 * but a narrow job makes no way. */
static void who_is_narrow_makes_no_way(void **state)
{
    (void)state;
    World w;
    open_world(&w, "3x6", "k,0,5,9000 / b,0,4,1000 / a,0,4,100 / c,0,1,100 / d,0,2,9000 / p,0,4,9000 / g,60,5,3000",
               500, "gandiva.gain=0.01 gandiva.height=1 gandiva.grow=1 gandiva.grow_idle_s=100000");
    shape(&models(&w)[5], 4, 1, TOPOLOGY_RING, 10);
    models(&w)[6].epochs = 3000;
    models(&w)[6].volumes = (Volumes){.edge_bytes = 300000000};
    world_run(&w, "gandiva");
    assert_true(w.result.job[5].first_started == 0 && w.result.job[6].first_started == 120 * TIME_SECOND);
    assert_int_equal(w.result.migrations, 0);
    world_close(&w);
}

/* A virtual cluster of two servers: e and f on 0, a, x and b on 1; g has two GPUs of each when e and b have ended. When
 * x ends there are three for it on server 1, and four on server 2, which is empty and another's: it stays. */
static void the_neighbours_servers_are_not_there(void **state)
{
    (void)state;
    static const VcSpec vcs[] = {{"ours", 2}, {"theirs", 1}};
    World w;
    open_world(&w, "3x4", "e,0,2,100 / a,0,1,9000 / x,0,1,1000 / f,0,2,9000 / b,0,2,100 / g,60,4,3000", 500,
               "gandiva.gain=0.01");
    w.cluster.vc = vcs;
    w.cluster.n_vcs = 2;
    JobSpec *job = (JobSpec *)(uintptr_t)w.workload.job;
    for (int i = 0; i < 6; i++) job[i].vc = "ours";
    models(&w)[5].epochs = 3000;
    models(&w)[5].volumes = (Volumes){.edge_bytes = 300000000};
    world_run(&w, "gandiva");
    assert_true(w.result.job[5].first_started == 120 * TIME_SECOND && w.result.migrations == 0);
    world_close(&w);
}

/* a has server 0, x and y server 1, z and u server 2; b is stacked on a's GPUs, 60-120.  When x and z have ended it has
 * a GPU of each of their servers, two moves.  y ends at 250: b could come together, but has moved within cooldown_s. */
static void who_moved_stays_for_a_while(void **state)
{
    (void)state;
    for (int cools = 0; cools < 2; cools++) {
        World w;
        open_world(&w, "3x2", "a,0,2,9000 / x,0,1,100 / y,0,1,250 / z,0,1,100 / u,0,1,9000 / b,60,2,3000", 900,
                   cools ? "gandiva.pack=0 gandiva.gain=0.05"
                         : "gandiva.pack=0 gandiva.gain=0.05 gandiva.cooldown_s=60");
        models(&w)[5].epochs = 3000;
        models(&w)[5].volumes = (Volumes){.edge_bytes = 300000000};
        world_run(&w, "gandiva");
        assert_int_equal(w.result.job[5].migrations, cools ? 2 : 3);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_memory_may_be_filled),
        cmocka_unit_test(servers_keep_to_one_width),
        cmocka_unit_test(a_free_gpu_ends_turns),
        cmocka_unit_test(tasks_come_closer_where_it_pays),
        cmocka_unit_test(another_makes_way),
        cmocka_unit_test(more_room_than_is_wanted),
        cmocka_unit_test(who_is_scattered_makes_no_way),
        cmocka_unit_test(who_is_narrow_makes_no_way),
        cmocka_unit_test(the_neighbours_servers_are_not_there),
        cmocka_unit_test(who_moved_stays_for_a_while),
    };
    return cmocka_run_group_tests_name("gandiva moves by hand", tests, NULL, NULL);
}
