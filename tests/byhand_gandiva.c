/* tests/byhand_gandiva.c -- Gandiva worked out on paper: turns, packing and its undoing, width. */
#include "tests/gandivaworld.h"

/* ---- turns ---- */

/* a has its slice, 0-60; then b joins and has 60-120, at no cost as it starts; a 120.5-180, b 180.5-240, a 240.5-300, b
 * 300.5-301: 60 + 59.5 + .5 s.  The GPU idles until the tick at 360; a, who has had 179, runs from 360.5 on.  fifo runs
 * one after the other; las gives b the GPU as well, but by preemption, and each return costs 30 s. */
static void two_jobs_take_turns(void **state)
{
    (void)state;
    const char *jobs = "a,0,1,600 / b,0,1,120";
    World w;
    open_world(&w, "1x1", jobs, 900, "gandiva.pack=0");
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-781.5, b 60-301");
    assert_true(w.result.job[0].preemptions == 0 && w.result.outcome[0].restart == 3 * TIME_SECOND / 2);
    world_close(&w);
    static const char *const neighbours[] = {"fifo", "las"};
    for (int i = 0; i < 2; i++) {
        open_world(&w, "1x1", jobs, 900, NULL);
        world_run(&w, neighbours[i]);
        if (i == 0) world_expect(&w, "a 0-600, b 600-720");
        if (i == 1) assert_true(w.result.job[0].preemptions + w.result.job[1].preemptions > 0);
        world_close(&w);
    }
}

/* Three would be higher than two.  y, z and v join when the first slices are over.  y has 60-120 and 180.5-210.5; c
 * waits on until a, who goes on at the tick at 240, has had another slice, and joins at 300.  d wants two GPUs, and
 * nobody of its width is there to be stacked on. */
static void height_is_limited_and_the_head_blocks(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x3", "a,0,1,600 / b,0,1,600 / x,0,1,600 / y,0,1,90 / z,0,1,90 / v,0,1,600 / c,60,1,60 / d,60,2,60",
               900, "gandiva.pack=0");
    world_run(&w, "gandiva");
    const Job *job = w.result.job;
    for (int i = 0; i < 6; i++) assert_true(job[i].first_started == (i < 3 ? 0 : 60) * TIME_SECOND);
    assert_true(job[6].first_started == 300 * TIME_SECOND && job[7].first_started > job[6].ended);
    world_close(&w);
    open_world(&w, "1x3", "a,0,1,600 / b,0,1,600", 900, "gandiva.height=1");
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-600, b 0-600"); /* there is room */
    world_close(&w);
    open_world(&w, "1x1", "a,0,1,600 / b,0,1,600", 900, "gandiva.height=1");
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-600, b 600-1200");
    world_close(&w);
}

/* A gang switches as a whole and nobody of another width is stacked on it: b waits although a's GPUs are under
 * height 2. */
static void only_like_widths_are_stacked(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x2", "a,0,2,120 / b,0,1,60", 900, NULL);
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-120, b 120-180");
    world_close(&w);
    open_world(&w, "1x2", "a,0,2,120 / b,0,2,60", 900, "gandiva.pack=0");
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-180.5, b 60-120"); /* a again from 120.5 on */
    world_close(&w);
}

/* ---- packing ---- */

/* a 0-60, b 60-120: both have been seen alone, and from 120 on they are side by side, the half second first.  Demands
 * of .4 run at 1.2 - .27 x .8 = .984: at 180 the paces add up to 1.968, more than the 59.5/60 of turns.  Both lack 540
 * s. */
static void packing_pays_and_stays(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x1", "a,0,1,600 / b,0,1,600", 400, NULL);
    world_run(&w, "gandiva");
    expect_end(&w, 1, 120.5 + 540 / .984);
    expect_end(&w, 0, 120.5 + 540 / .984);
    world_close(&w);
}

/* The same with three cores for tasks that want three each: side by side both run at .984/2, which adds up to .984 <
 * .99167.  At 180 that is undone: each has got 59.5 x .492 = 29.274 s by it.  a goes on in its slice until 240; b, from
 * 240.5 on, lacks 120 - 60 - 29.274 and ends within its slice; a has the rest from the tick at 300 on. */
static void packing_is_undone_when_it_loses(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x1", "a,0,1,240 / b,0,1,120", 400, NULL);
    ServerClass small = w.cluster.class_of[0];
    small.cores = 3;
    w.cluster.class_of = &small;
    world_run(&w, "gandiva");
    expect_end(&w, 1, 240.5 + 60 - 59.5 * .492);
    expect_end(&w, 0, 300.5 + 240 - 60 - 59.5 * .492 - 60);
    world_close(&w);
}

static int n_resumed;
static void count_resumed(void *self, const Happening *h)
{
    (void)self;
    n_resumed += h->kind == HAPPENS_RESUME;
}

/* Undone, it is not tried again: from then on one resumes at each tick, never two. */
static void a_lost_pack_is_not_tried_again(void **state)
{
    (void)state;
    static const Observer counter = {.name = "counter", .on_happening = count_resumed};
    World w;
    open_world(&w, "1x1", "a,0,1,6000 / b,0,1,6000", 400, NULL);
    ServerClass small = w.cluster.class_of[0];
    small.cores = 3;
    w.cluster.class_of = &small;
    w.also = (Watcher){&counter, NULL};
    w.horizon = 3000 * TIME_SECOND;
    n_resumed = 0;
    world_run(&w, "gandiva");
    /* at 120 a, and b for the try, at 180 nobody, then one each minute from 240 to 3000 */
    assert_int_equal(n_resumed, 2 + 47);
    world_close(&w);
}

/* Memory for one big model a GPU: nothing is ever packed, and who is paused leaves it to others.  a 0-60, b 60-120, a
 * 120.5-180, b 180.5-240, a 240.5-241, and b's last half second after the tick at 300. */
static void packing_needs_memory(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x1", "a,0,1,120 / b,0,1,120", 400, NULL);
    ServerClass small = w.cluster.class_of[0];
    small.gpu_memory_mib = 16384;
    w.cluster.class_of = &small;
    for (int i = 0; i < 2; i++) models(&w)[i].family = &families[FAMILY_TRANSFORMER];
    world_run(&w, "gandiva");
    world_expect(&w, "a 0-241, b 60-301");
    world_close(&w);
}

/* GPU memory for two of three.  a 0-60, b 60-120, c 120-180, a again 180.5-210.5, its end.  b and c have been seen
 * alone and now there is room for both: from 240 on they are side by side, the half second first, and lack 540 s each.
 */
static void who_has_been_seen_is_not_forgotten(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x1", "a,0,1,90 / b,0,1,600 / c,0,1,600", 400, "gandiva.height=3");
    ServerClass small = w.cluster.class_of[0];
    small.gpu_memory_mib = 2 * jobmodel_need(&models(&w)[0], 0).gpu_memory_mib;
    w.cluster.class_of = &small;
    world_run(&w, "gandiva");
    expect_end(&w, 0, 210.5);
    expect_end(&w, 1, 240.5 + 540 / .984);
    expect_end(&w, 2, 240.5 + 540 / .984);
    world_close(&w);
}

/* ---- width ---- */

/* x and y have two of four GPUs until 300, so that g starts with two of its four replicas, at half its speed.  At 600
 * GPUs have been free for five minutes: both others join, a stall of 30 s.  z wants a GPU at 720 and gets one back; it
 * is free again at 780 and g whole at 1080.  Done: 300 at 600, 390 at 720, 390 + 330 x .75 = 637.5 at 1080. */
static void a_job_starts_narrow_and_grows(void **state)
{
    (void)state;
    World w;
    const char *jobs = "x,0,1,300 / y,0,1,300 / g,0,4,1000 / z,700,1,60";
    open_world(&w, "1x4", jobs, 500, "gandiva.grow=1");
    shape(&models(&w)[2], 4, 1, TOPOLOGY_RING, 10);
    world_run(&w, "gandiva");
    world_expect(&w, "x 0-300, y 0-300, g 0-1472.5, z 720-780");
    world_close(&w);
    open_world(&w, "1x4", jobs, 500, NULL);
    shape(&models(&w)[2], 4, 1, TOPOLOGY_RING, 10);
    world_run(&w, "gandiva");
    world_expect(&w, "x 0-300, y 0-300, g 300-1300, z 1320-1380");
    world_close(&w);
}

/* Host memory for four tasks, three of them x, y and z: two GPUs are free, and room for one. */
static void a_narrow_job_needs_memory_too(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x5", "x,0,1,300 / y,0,1,300 / z,0,1,300 / g,0,4,1000", 500, "gandiva.grow=1");
    ServerClass small = w.cluster.class_of[0];
    small.memory_mib = 4 * jobmodel_need(&models(&w)[0], 0).memory_mib;
    w.cluster.class_of = &small;
    shape(&models(&w)[3], 4, 1, TOPOLOGY_RING, 10);
    world_run(&w, "gandiva");
    world_expect(&w, "x 0-300, y 0-300, z 0-300, g 300-1300");
    world_close(&w);
}

/* ---- what holds for all ---- */

/* Many jobs of one GPU on a few: over whole rounds each gets its half of the GPU less the switches, from its first
 * slice to its end; decisions fall at once, so that no end is late. */
static void turns_are_fair(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        char text[2000];
        size_t used = 0;
        Rng rng;
        rng_open(&rng, seed, "turns", 0);
        for (int i = 0; i < 40; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, 20 * i,
                                     i % 8 ? 1 : 2, 1 + (int)rng_below(&rng, 900));
        World w;
        open_world(&w, "1x4", text, 900, "gandiva.pack=0 gandiva.migrate=0 run.tick=0");
        world_run(&w, "gandiva");
        bool slower = false;
        for (int i = 0; i < w.result.n; i++) {
            const Job *job = &w.result.job[i];
            double alone = time_seconds(w.workload.job[i].duration);
            double took = time_seconds(job->ended - job->first_started);
            int slices = (int)ceil(alone / 59.5);
            assert_true(took <= slices * 120 + 1e-6); /* its slices, and as many of another's */
            assert_true(took >= alone);
            slower |= took > 1.5 * alone;
        }
        assert_true(slower);
        world_close(&w);
    }
}

static void a_switch_longer_than_the_slice_is_told(void **state)
{
    (void)state;
    World w;
    open_world(&w, "1x1", "a,0,1,1000 / b,0,1,1000", 900, "cost.switch=90 gandiva.pack=0");
    assert_false(world_try(&w, policy_find("gandiva")));
    assert_non_null(
        strstr(w.err.text, "livelock, jobs are stopped, moved and started again before they have done any"));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_take_turns),
        cmocka_unit_test(height_is_limited_and_the_head_blocks),
        cmocka_unit_test(only_like_widths_are_stacked),
        cmocka_unit_test(packing_pays_and_stays),
        cmocka_unit_test(packing_is_undone_when_it_loses),
        cmocka_unit_test(a_lost_pack_is_not_tried_again),
        cmocka_unit_test(packing_needs_memory),
        cmocka_unit_test(who_has_been_seen_is_not_forgotten),
        cmocka_unit_test(a_job_starts_narrow_and_grows),
        cmocka_unit_test(a_narrow_job_needs_memory_too),
        cmocka_unit_test(turns_are_fair),
        cmocka_unit_test(a_switch_longer_than_the_slice_is_told),
    };
    return cmocka_run_group_tests_name("gandiva by hand", tests, NULL, NULL);
}
