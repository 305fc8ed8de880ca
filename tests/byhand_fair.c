/* tests/byhand_fair.c -- borg in small worlds whose outcome is worked out beside each. */
#include "tests/scripted.h"
#include "tests/starts.h"

/* ---- turns ---- */

/* b waits from 10 on, so turns are taken at 40: b has run 0 s, a 40.  b ends at 60, a runs its last 60 s.  las takes
 * the turn when b comes, fifo never. */
static void jobs_take_turns_each_quantum(void **state)
{
    (void)state;
    const char *jobs = "a,0,1,100 / b,10,1,20";
    play("1x1", "borg", "borg.quantum_s=30", jobs, "a 0-120, b 40-60");
    play("1x1", "las", NULL, jobs, "a 0-120, b 10-30");
    play("1x1", "fifo", NULL, jobs, "a 0-100, b 100-120");
    /* auto is 5 minutes, or five ticks: b waits since 10, turns at 310 are late. With ticks of 5 s it is first seen
     * at 10, turns at 35: b runs until 55. */
    play("1x1", "borg", NULL, jobs, "a 0-100, b 100-120");
    play("1x1", "borg", "run.tick=5", jobs, "a 0-120, b 35-55");
}

/* Turns at 30 (b: 0 < 30), at 60 (both have 30: b stays), at 90 (a: 30 < 60), at 120 (a 60, b 60: a stays), at 150 (b
 * 60 < 90); b's last 10 s end at 160 and a's last 10 at 170. */
static void a_turn_goes_to_one_with_less_not_to_an_equal(void **state)
{
    (void)state;
    play("1x1", "borg", "borg.quantum_s=30", "a,0,1,100 / b,0,1,70", "a 0-170, b 30-160");
}

/* The clock of turns starts when somebody waits: b ends at 20, and c, which comes at 50, waits a whole quantum. */
static void the_clock_starts_anew_when_nobody_waits(void **state)
{
    (void)state;
    play("1x1", "borg", "borg.quantum_s=30", "a,0,1,15 / b,10,1,5 / d,45,1,100 / c,50,1,10",
         "a 0-15, b 15-20, d 45-155, c 80-90");
}

/* Four GPUs.  At 0 a (3) and b (1) start, w (4) does not fit.  Turns at 30: w has 0, the others 30, so both make way.
 * At 50 w has ended: both go on. */
static void a_wide_gang_gets_its_turn(void **state)
{
    (void)state;
    play("1x4", "borg", "borg.quantum_s=30", "a,0,3,100 / b,0,1,60 / w,0,4,20", "a 0-120, b 0-80, w 30-50");
    play("1x4", "fit", NULL, "a,0,3,100 / b,0,1,60 / w,0,4,20", "a 0-100, b 0-60, w 100-120");
}

/* At 40 a has run 40, b 20 and c waits with 0; the one that has run most makes way, and comes back at 50. */
static void who_has_run_most_makes_way(void **state)
{
    (void)state;
    play("1x2", "borg", "borg.quantum_s=20", "a,0,1,100 / x,0,1,20 / b,20,1,100 / c,20,1,10",
         "a 0-110, x 0-20, b 20-120, c 40-50");
}

/* ---- dominant shares ---- */

/* One GPU, all shares 0 when it is free: users take turns, a first because it came first, then b, c, a. */
static void users_take_turns(void **state)
{
    (void)state;
    const char *jobs = "a1,0,1,10 / a2,0,1,10 / a3,0,1,10 / b1,1,1,10 / c1,2,1,10";
    play_owned("1x1", "borg", "borg.fair_entity=user", jobs, "a1 0-10, a2 30-40, a3 40-50, b1 10-20, c1 20-30");
    play_owned("1x1", "borg", "borg.fair_entity=vc", jobs, "a1 0-10, a2 30-40, a3 40-50, b1 10-20, c1 20-30");
    play_owned("1x1", "fifo", NULL, jobs, "a1 0-10, a2 10-20, a3 20-30, b1 30-40, c1 40-50");
}

/* Four GPUs.  a holds three until 100, b one until 10, when a's next and two of b's wait: b's share is 0, then 1/4; a's
 * is 3/4 and so its job comes last although it came first. */
static void the_smallest_dominant_share_is_next(void **state)
{
    (void)state;
    const char *jobs = "a1,0,3,100 / b1,0,1,10 / a2,1,1,10 / b2,2,1,10 / b3,3,1,10";
    play_owned("1x4", "borg", "borg.fair_entity=user", jobs, "a1 0-100, b1 0-10, a2 30-40, b2 10-20, b3 20-30");
    play_owned("1x4", "fit", NULL, jobs, "a1 0-100, b1 0-10, a2 10-20, b2 20-30, b3 30-40");
}

/* The first of a's queue does not fit beside r; with skip=1 nothing behind it is tried. */
static void some_of_a_queue_are_tried(void **state)
{
    (void)state;
    const char *jobs = "r1,0,2,50 / a1,1,4,10 / a2,2,1,10";
    play_owned("1x4", "borg", "borg.fair_entity=user", jobs, "r1 0-50, a1 50-60, a2 2-12");
    play_owned("1x4", "borg", "borg.fair_entity=user borg.skip=1", jobs, "r1 0-50, a1 50-60, a2 60-70");
}

/* ---- bands ---- */

/* A world with an inside in which job i is as urgent as the i-th digit says. */
static void open_urgent(World *w, const char *cluster, const char *jobs, const char *urgency)
{
    inside(w, cluster, jobs);
    world_set(w, "cost.resume=30");
    world_set(w, "borg.quantum_s=100000");
    JobModel *m = models_of(w);
    demand(w, 500);
    for (int i = 0; i < w->workload.n; i++) {
        shape(&m[i], w->workload.job[i].n_gpus, 1, TOPOLOGY_RING, 100);
        m[i].volumes = (Volumes){0};
        m[i].urgency = urgency[i] - '0';
    }
}

static void play_urgent(const char *setting, const char *jobs, const char *urgency, const char *expected)
{
    World w;
    open_urgent(&w, "1x4", jobs, urgency);
    world_settings(&w, setting);
    world_run(&w, "borg");
    world_expect(&w, expected);
    world_close(&w);
}

/* u is above 8 and pushes a out at 60; a has 540 s left, and from 360 on 30 s to resume.  An urgency of 8 is not above
 * it, and without preemption u waits: the band then only puts it before b, which came first. */
static void the_upper_band_pushes_out_the_lower(void **state)
{
    (void)state;
    const char *jobs = "a,0,4,600 / b,30,4,60 / u,60,4,300";
    for (int entity = 0; entity < 2; entity++) {
        const char *fair[2] = {"borg.fair_entity=job", "borg.fair_entity=user"};
        char waits[100];
        snprintf(waits, sizeof waits, "%s borg.preempt=0", fair[entity]);
        /* Then b, which has run less, goes before a; by user it is their order of submission. */
        play_urgent(fair[entity], jobs, "159",
                    entity ? "a 0-930, b 960-1020, u 60-360" : "a 0-990, b 360-420, u 60-360");
        play_urgent(fair[entity], jobs, "158", "a 0-600, b 600-660, u 660-960");
        play_urgent(waits, jobs, "159", "a 0-600, b 900-960, u 600-900");
        play_urgent(fair[entity], jobs, "999", "a 0-600, b 600-660, u 660-960"); /* never one of its own band */
    }
}

/* u wants two GPUs.  The least urgent go first, a and then, of b and c, the later one: c, which started at 60.  Both
 * come back at 420 and have 300 - 120 and 300 - 60 s left. */
static void the_least_urgent_and_the_latest_go_first(void **state)
{
    (void)state;
    play_urgent(NULL, "d,0,1,600 / b,0,1,600 / a,0,1,300 / c,60,1,300 / u,120,2,300", "72129",
                "d 0-600, b 0-600, a 0-630, c 60-690, u 120-420");
}

/* u wants five of four GPUs less one that t, of its own band, holds: nobody has to go for nothing. */
static void nobody_goes_for_nothing(void **state)
{
    (void)state;
    play_urgent(NULL, "t,0,1,600 / a,0,3,600 / u,60,4,60", "919", "t 0-600, a 0-600, u 600-660");
}

/* With turns of a minute and 300 s to resume two jobs on one GPU would change places for ever. */
static void turns_shorter_than_a_restart_end_with_a_message(void **state)
{
    (void)state;
    World w;
    open_urgent(&w, "1x1", "a,0,1,6000 / b,0,1,6000", "11");
    world_set(&w, "cost.resume=300");
    world_set(&w, "borg.quantum_s=60");
    assert_false(world_try(&w, policy_find("borg")));
    assert_non_null(strstr(w.err.text, "livelock"));
    world_close(&w);
}

/* With place.share=.9 two tasks of .35 share a GPU, a third does not.  u, of the upper band, pushes out what it takes:
 * of a and b, alike in all else, the later.  When it has gone c, which has run less than b, is first; b has 540 s left
 * and 30 to resume.  At .7 nobody slows the other down. */
static void shared_gpus_have_room_for_two(void **state)
{
    (void)state;
    World w;
    open_urgent(&w, "1x1", "a,0,1,600 / b,0,1,600 / c,0,1,60 / u,60,1,300", "1119");
    demand(&w, 350);
    world_set(&w, "place.share=0.9");
    world_run(&w, "borg");
    world_expect(&w, "a 0-600, b 0-990, c 360-420, u 60-360");
    world_close(&w);
}

/* ---- where ---- */

/* A server of two GPUs and one of eight.  a takes five of the eight.  b, two GPUs, would open the small server by best
 * fit; borg keeps that empty. */
static void an_empty_server_is_not_opened(void **state)
{
    (void)state;
    static const ServerClass classes[] = {{.n_gpus = 2}, {.n_gpus = 8}};
    static const ServerSpec servers[] = {{0, -1}, {1, -1}};
    static const char *const settings_of[] = {"borg.new_server=0.5", "borg.new_server=0", "borg.score=fit",
                                              "place.mode=count"};
    static const GpuId expected[] = {7, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        World w;
        Starts starts = {0};
        world_open(&w, "1x1");
        w.cluster = (ClusterSpec){
            .name = "two", .class_of = classes, .n_classes = 2, .server = servers, .n_servers = 2, .n_gpus = 10};
        world_set(&w, settings_of[i]);
        world_jobs(&w, i < 3 ? "a,0,5,100 / b,1,2,100" : "b,1,2,100 / a,1,5,100");
        w.also = (Watcher){&starts_observer, &starts};
        world_run(&w, "borg");
        assert_int_equal(starts.gpu[i < 3 ? 1 : 0][0], expected[i]);
        world_close(&w);
    }
}

/* Servers of 4 GPUs and 8 cores.  a's two tasks, of one core each, are on server 0: 1/2 of its GPUs and 3/4 of its
 * cores are free, unevenly by 1/4.  b's two, of three each, are on server 1: 1/2 and 1/4 free, unevenly by 1/4 as well.
 * c's task of one core leaves 1/4 and 5/8 on server 0, by 3/8; on server 1 1/4 and 1/8, by 1/8.  Best fit would tie and
 * take server 0. */
static void what_is_used_up_evenly_strands_least(void **state)
{
    (void)state;
    static const ServerClass classes[] = {{.n_gpus = 4, .cores = 8}};
    static const ServerSpec servers[] = {{0, -1}, {0, -1}};
    static const char *const policy[] = {"borg", "fifo"};
    for (int i = 0; i < 2; i++) {
        World w;
        Starts starts = {0};
        inside(&w, "2x4", "a,0,2,1000 / x,0,2,60 / b,0,2,1000 / c,120,1,1000");
        w.cluster = (ClusterSpec){
            .name = "two", .class_of = classes, .n_classes = 1, .server = servers, .n_servers = 2, .n_gpus = 8};
        JobModel *m = models_of(&w);
        demand(&w, 500);
        for (int k = 0; k < 4; k++) {
            shape(&m[k], w.workload.job[k].n_gpus, 1, TOPOLOGY_RING, 100);
            m[k].volumes = (Volumes){0};
        }
        m[0].family = m[1].family = m[3].family = &families[FAMILY_MLP];
        w.also = (Watcher){&starts_observer, &starts};
        world_run(&w, policy[i]);
        assert_int_equal(starts.gpu[2][0], 4);
        assert_int_equal(starts.gpu[3][0], i ? 2 : 6);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_take_turns_each_quantum),
        cmocka_unit_test(a_turn_goes_to_one_with_less_not_to_an_equal),
        cmocka_unit_test(the_clock_starts_anew_when_nobody_waits),
        cmocka_unit_test(a_wide_gang_gets_its_turn),
        cmocka_unit_test(who_has_run_most_makes_way),
        cmocka_unit_test(users_take_turns),
        cmocka_unit_test(the_smallest_dominant_share_is_next),
        cmocka_unit_test(some_of_a_queue_are_tried),
        cmocka_unit_test(the_upper_band_pushes_out_the_lower),
        cmocka_unit_test(the_least_urgent_and_the_latest_go_first),
        cmocka_unit_test(nobody_goes_for_nothing),
        cmocka_unit_test(turns_shorter_than_a_restart_end_with_a_message),
        cmocka_unit_test(shared_gpus_have_room_for_two),
        cmocka_unit_test(an_empty_server_is_not_opened),
        cmocka_unit_test(what_is_used_up_evenly_strands_least),
    };
    return cmocka_run_group_tests_name("byhand_fair", tests, NULL, NULL);
}
