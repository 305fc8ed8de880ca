/* tests/byhand.c -- scenarios worked out on paper; for every policy at least one that tells it from fifo and from its
 * nearest neighbour.  Jobs are typed as name,submit,GPUs,duration (then a relative deadline), in seconds.  Cases named
 * uNN come from bug reports about other simulators. */
#include "tests/world.h"

/* ---- order of events ---- */

static void u17_shifted_times_change_nothing(void **state)
{
    (void)state;
    play("1x2", "fifo", NULL, "1,0,2,50 / 2,10,2,30", "1 0-50, 2 50-80");
    play("1x2", "fifo", NULL, "1,39600,2,50 / 2,39610,2,30", "1 39600-39650, 2 39650-39680");
}

static void u23_an_oversize_job_is_refused_and_blocks_nobody(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,1,10 / big,1,5,10 / c,2,1,10");
    world_run(&w, "fifo");
    world_expect(&w, "a 0-10, big ?-?, c 2-12");
    assert_int_equal(world_job(&w, "big")->state, JOB_UNSCHEDULABLE);
    world_close(&w);
}

static void u25_a_horizon_leaves_a_job_running(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    w.horizon = 5 * TIME_SECOND;
    world_jobs(&w, "a,0,1,10");
    world_run(&w, "fifo");
    world_expect(&w, "a 0-?");
    assert_int_equal(world_job(&w, "a")->state, JOB_RUNNING);
    assert_true(w.result.cut && w.result.complete && w.result.stopped_at == 5 * TIME_SECOND);
    assert_true(w.result.gpu_time == 5 * TIME_SECOND); /* held time is clipped to the horizon */
    world_close(&w);
}

/* What happens at the horizon itself is handled, decisions included; nothing after it. */
static void the_instant_of_the_horizon_is_handled(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    w.horizon = 10 * TIME_SECOND;
    world_jobs(&w, "a,0,1,10 / b,0,1,5 / c,10,1,0 / d,11,1,1");
    world_run(&w, "fifo");
    world_expect(&w, "a 0-10, b 10-?, c ?-?, d ?-?");
    assert_int_equal(world_job(&w, "c")->state, JOB_WAITING);
    assert_int_equal(world_job(&w, "d")->state, JOB_FUTURE);
    world_close(&w);
}

/* A horizon behind the last end cuts nothing: the span stays that of the jobs. */
static void a_late_horizon_cuts_nothing(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    w.horizon = 1000 * TIME_SECOND;
    world_jobs(&w, "a,0,1,10");
    world_run(&w, "fifo");
    assert_false(w.result.cut);
    assert_true(w.result.stopped_at == 10 * TIME_SECOND);
    world_close(&w);
}

static void u27_the_run_goes_on_until_every_job_ended(void **state)
{
    (void)state;
    play("1x2", "fifo", NULL, "a,0,1,10 / b,2,1,1000", "a 0-10, b 2-1002");
}

typedef struct {
    char text[400];
} Log;

static void log_happening(void *self, const Happening *h)
{
    Log *log = self;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s%lld %s %d", used ? ", " : "",
             (long long)(h->at / TIME_SECOND), happen_name(h->kind), h->job->id);
}

static void u29_ends_before_arrivals_before_one_decision(void **state)
{
    (void)state;
    static const Observer logger = {.name = "log", .on_happening = log_happening};
    World w;
    Log log = {""};
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,4,10 / b,10,4,10");
    SimConfig config = {
        .workload = &w.workload,
        .cluster = &w.cluster,
        .policy = &policy_fifo,
        .params = &w.params,
        .horizon = TIME_NEVER,
        .strict = true,
        .audit = true,
        .watcher = &(Watcher){&logger, &log},
        .n_watchers = 1,
    };
    assert_true(sim_run(&config, &w.arena, &w.result, &w.err));
    assert_string_equal(log.text, "0 arrive 0, 0 start 0, 10 end 0, 10 arrive 1, 10 start 1, 20 end 1");
    assert_int_equal(w.result.n_rounds, 3);
    world_close(&w);
}

static void u31_jobs_of_zero_seconds(void **state)
{
    (void)state;
    play("1x1", "fifo", NULL, "z,5,1,0 / a,5,1,10", "z 5-5, a 5-15");
    play("1x1", "fifo", NULL, "a,0,1,10 / z,3,1,0", "a 0-10, z 10-10"); /* JCT 7 */
    /* Three at one instant on one GPU: three decisions at that instant. */
    play("1x1", "srtf", NULL, "x,1,1,0 / y,1,1,0 / z,1,1,0", "x 1-1, y 1-1, z 1-1");
}

static void u35_gangs_hold_all_or_nothing(void **state)
{
    (void)state;
    play("1x8", "fifo", NULL, "a,0,6,10 / b,0,6,10", "a 0-10, b 10-20");
}

static void u37_skipping_starves_the_wide_job(void **state)
{
    (void)state;
    const char *jobs = "s0,0,1,10 / big,1,4,10 / s1,2,1,10 / s2,9,1,10 / s3,17,1,10";
    /* fifo: big waits for s0 only; all others wait for big. */
    play("1x4", "fifo", NULL, jobs, "s0 0-10, big 10-20, s1 20-30, s2 20-30, s3 20-30");
    /* fit: the narrow ones overlap until 27. */
    play("1x4", "fit", NULL, jobs, "s0 0-10, big 27-37, s1 2-12, s2 9-19, s3 17-27");
}

static void u39_backlog_at_the_last_arrival(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    world_jobs(&w, "a,0,1,100 / b,1,1,100 / c,2,1,100 / d,3,1,100");
    world_run(&w, "fifo");
    world_expect(&w, "a 0-100, b 100-200, c 200-300, d 300-400");
    assert_true(w.result.backlog == 397 * TIME_SECOND); /* 97 + 3 x 100 GPU-seconds */
    world_close(&w);
}

static void u43_held_time_is_exact(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,2,10 / b,20,4,5");
    world_run(&w, "fifo");
    assert_true(w.result.gpu_time == 40 * TIME_SECOND); /* 2 x 10 + 4 x 5, of 4 x 25: 0.40 */
    assert_true(w.result.last_end == 25 * TIME_SECOND);
    world_close(&w);
}

static void u51_tenths_of_a_second_do_not_drift(void **state)
{
    (void)state;
    World w;
    char jobs[400] = "", expected[400] = "";
    for (int i = 0; i < 10; i++) {
        char to[TIME_TEXT], from[TIME_TEXT];
        time_format(i * TIME_SECOND / 10, from);
        time_format((i + 1) * TIME_SECOND / 10, to);
        snprintf(jobs + strlen(jobs), sizeof jobs - strlen(jobs), "%sj%d,0,1,0.1", i ? " / " : "", i);
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%sj%d %s-%s", i ? ", " : "", i, from,
                 to);
    }
    world_open(&w, "1x1");
    world_jobs(&w, jobs);
    world_run(&w, "fifo");
    world_expect(&w, expected);
    assert_int_equal(w.result.n_events, 20); /* ten arrivals, ten ends */
    world_close(&w);
}

static void u53_past_32_bits(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x2474");
    world_jobs(&w, "a,0,2474,1000000");
    world_run(&w, "fifo");
    assert_true(w.result.gpu_time == (WideTime)2474000000 * TIME_SECOND);
    world_close(&w);
    play("1x1", "fifo", NULL, "b,0,1,3000000000", "b 0-3000000000");
}

static void u55_ties_keep_file_order(void **state)
{
    (void)state;
    play("1x2", "fifo", NULL, "a,0,2,30 / b,0,2,20 / c,0,2,10", "a 0-30, b 30-50, c 50-60");
}

/* Ends are exact, decisions fall on first submission + k x 60: b, there since 5, and c, since 100, start at 65 and 125.
 */
static void ticks_hold_decisions_back_but_not_ends(void **state)
{
    (void)state;
    play("1x2", "fifo", "run.tick=60", "a,5,2,30 / b,10,2,40 / c,100,1,7.5", "a 5-35, b 65-105, c 125-132.5");
}

/* las with ticks time-slices: at each tick the one with less time attained runs, ties as they stood. */
static void las_slices_at_ticks(void **state)
{
    (void)state;
    /* t=0: a first.  60: b has 0 against 60.  120: 60 each, a was behind b in the order: b, b stays until 180: b has
     * 120, a 60: a runs.  240: a has 120 as b: a went up from before: the order is a, b; a stays until its end at 270
     * (150 run); the next tick after that is 300: b has 120 of 150 and ends at 330. */
    play("1x1", "las", "run.tick=60", "a,0,1,150 / b,0,1,150", "a 0-270, b 60-330");
}

/* ---- policies ---- */

/* After r, 4 GPUs: w (3) is first in the queue, n (2) is smaller, k (1) too. */
static void sjf_against_fifo_fit_and_srtf(void **state)
{
    (void)state;
    play("1x1", "sjf", NULL, "a,0,1,10 / b,1,1,20 / c,2,1,5", "a 0-10, b 15-35, c 10-15");
    play("1x1", "fifo", NULL, "a,0,1,10 / b,1,1,20 / c,2,1,5", "a 0-10, b 10-30, c 30-35");
    play("1x1", "srtf", NULL, "a,0,1,10 / b,1,1,20 / c,2,1,5", "a 0-15, b 15-35, c 2-7"); /* 8 left of a at 2 */
    /* It blocks at its head: w is shortest and does not fit beside r, so n waits although it would. */
    play("1x4", "sjf", NULL, "r,0,2,10 / w,1,4,5 / n,2,1,20", "r 0-10, w 10-15, n 15-35");
    play("1x4", "fit", NULL, "r,0,2,10 / w,1,4,5 / n,2,1,20", "r 0-10, w 22-27, n 2-22");
}

static void smallest_with_and_without_preemption(void **state)
{
    (void)state;
    /* At 10 n1 needs one GPU and wide loses its four (3 are not enough); at 15 n2 starts as well; both have gone at 30
     * and wide, which ran 10 of its 100 s, ends at 30 + 90. */
    const char *jobs = "wide,0,4,100 / n1,10,1,20 / n2,15,1,10";
    play("1x4", "smallest", NULL, jobs, "wide 0-120, n1 10-30, n2 15-25");
    play("1x4", "smallest", "smallest.preempt=0", jobs, "wide 0-100, n1 100-120, n2 100-110");
    /* Without preemption it still differs from fit: n goes before w, which then has 2 of the 3 GPUs it wants. */
    const char *queue = "r,0,4,10 / w,1,3,10 / n,2,2,10";
    play("1x4", "smallest", "smallest.preempt=0", queue, "r 0-10, w 20-30, n 10-20");
    play("1x4", "fit", NULL, queue, "r 0-10, w 10-20, n 20-30");
}

static void u33_srtf_preempts_and_leaks_nothing(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x2");
    world_jobs(&w, "L,0,2,100 / s,10,1,20 / m,40,2,15");
    world_run(&w, "srtf");
    /* L runs 0-10, waits for s until 30, runs 30-40, waits for m until 55, has run 20: ends at 55 + 80. */
    world_expect(&w, "L 0-135, s 10-30, m 40-55");
    assert_int_equal(world_job(&w, "L")->preemptions, 2);
    assert_true(fabs(world_mean_jct(&w) - 170.0 / 3) < 1e-9);
    world_close(&w);

    /* And a thousand times: each short job of 1 s pushes L out once. */
    world_open(&w, "1x2");
    JobSpec *job = NEW_ARRAY(&w.arena, JobSpec, 1001);
    for (int i = 0; i <= 1000; i++)
        job[i] = (JobSpec){.name = arena_format(&w.arena, "j%d", i),
                           .submit = 10 * i * TIME_SECOND,
                           .n_gpus = i ? 1 : 2,
                           .duration = (i ? 1 : 20000) * TIME_SECOND,
                           .deadline = TIME_NEVER};
    w.workload = (Workload){.job = job, .n = 1001};
    world_run(&w, "srtf");
    world_expect(&w, "j0 0-21000, j1 10-11, j1000 10000-10001");
    assert_int_equal(w.result.job[0].preemptions, 1000);
    world_close(&w);
}

/* A job that came down to a tie lands behind the one that was shorter before; a newcomer lands behind both. */
static void srtf_ties_keep_the_order_before(void **state)
{
    (void)state;
    /* At 4, b (6 s) arrives and a has 6 left: a stays.  Then at 5 c (5 s) arrives, a has 5 left: a stays as well. */
    play("1x1", "srtf", NULL, "a,0,1,10 / b,4,1,6 / c,5,1,5", "a 0-10, b 15-21, c 10-15");
    /* w (2 GPUs, 5 s) waits from 0 behind a (1 GPU, 3 s) and beside l (1 GPU, 4 s) ...: all as counted by remaining
     * time: a 0-3, l 0-4, w needs both GPUs: 4-9.  At 5 t (4 s) arrives and ties with w's 4 s left: w stays. */
    play("1x2", "srtf", NULL, "a,0,1,3 / w,0,2,5 / l,0,1,4 / t,5,1,4", "a 0-3, w 4-9, l 0-4, t 9-13");
}

static void srtf_hold_protects_a_started_job(void **state)
{
    (void)state;
    const char *jobs = "a,0,1,100 / b,5,1,10";
    play("1x1", "srtf", NULL, jobs, "a 0-110, b 5-15");
    /* Until 30 a is held; then b's 10 s beat the 70 that are left: b 30-40, a ends at 40 + 70. */
    play("1x1", "srtf", "srtf.hold_s=30", jobs, "a 0-110, b 30-40");
}

static void srsf_counts_gpus_where_srtf_does_not(void **state)
{
    (void)state;
    /* a: 10 s on 4 GPUs, 40 GPU-s; b: 20 s on 1, 20 GPU-s. */
    play("1x4", "srtf", NULL, "a,0,4,10 / b,0,1,20", "a 0-10, b 10-30");
    play("1x4", "srsf", NULL, "a,0,4,10 / b,0,1,20", "a 20-30, b 0-20");
    play("1x4", "fifo", NULL, "b,0,1,20 / a,0,4,10", "b 0-20, a 20-30");
}

static void las_runs_the_newcomer_and_knows_no_lengths(void **state)
{
    (void)state;
    play("1x1", "las", NULL, "a,0,1,30 / b,10,1,5", "a 0-35, b 10-15");
    play("1x1", "fifo", NULL, "a,0,1,30 / b,10,1,5", "a 0-30, b 30-35");
    /* b is longer than what is left of a: srtf lets a end, las does not. */
    play("1x1", "srtf", NULL, "a,0,1,30 / b,25,1,20", "a 0-30, b 30-50");
    play("1x1", "las", NULL, "a,0,1,30 / b,25,1,20", "a 0-50, b 25-45");
}

static void edf_preempts_and_puts_no_deadline_last(void **state)
{
    (void)state;
    /* Deadlines at 100, 16 and none: b pushes a out at 1; c, shortest and latest to matter, comes last. */
    play("1x1", "edf", NULL, "a,0,1,10,100 / b,1,1,10,15 / c,1,1,2", "a 0-20, b 1-11, c 20-22");
    play("1x1", "srtf", NULL, "a,0,1,10,100 / b,1,1,10,15 / c,1,1,2", "a 0-12, b 12-22, c 1-3");
}

/* The published example: A holds 6 of 8 GPUs until 100; the head B wants 8, so the shadow time is 100 with 0 extra.
 * D (2 GPUs, 120 s) would delay B; C (2 GPUs, 100 s) ends in time and starts. */
static void easy_backfills_what_delays_nobody(void **state)
{
    (void)state;
    const char *jobs = "A,0,6,100 / B,0,8,50 / D,0,2,120 / C,0,2,100";
    play("1x8", "easy", NULL, jobs, "A 0-100, B 100-150, D 150-270, C 0-100");
    play("1x8", "fifo", NULL, jobs, "A 0-100, B 100-150, D 150-270, C 150-250");
    play("1x8", "fit", NULL, jobs, "A 0-100, B 200-250, D 0-120, C 100-200");
    /* With 10 GPUs two are left over at 100 beside B: D may start and run past the shadow time, but only one such job
     * may: E would take the same two. */
    play("1x10", "easy", NULL, "A,0,6,100 / B,0,8,50 / D,0,2,120 / E,0,2,120",
         "A 0-100, B 100-150, D 0-120, E 120-240");
}

static void random_follows_the_drawn_order(void **state)
{
    (void)state;
    World w;
    int orders[2] = {0}; /* seeds that put b first, c first */
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world_open(&w, "1x1");
        w.seed = seed;
        world_jobs(&w, "a,0,1,10 / b,1,1,10 / c,2,1,10");
        world_run(&w, "random");
        uint64_t b = world_job(&w, "b")->key, c = world_job(&w, "c")->key;
        bool b_first = rng_hash(seed, "random order", b) >> 1 < rng_hash(seed, "random order", c) >> 1;
        world_expect(&w, b_first ? "a 0-10, b 10-20, c 20-30" : "a 0-10, b 20-30, c 10-20");
        orders[b_first ? 0 : 1]++;
        world_close(&w);
    }
    assert_true(orders[0] >= 4 && orders[1] >= 4); /* a fair coin gives fewer than 4 of 20 once in 400 */
}

/* One GPU, two queues, limit 10 s.  a runs from 0.  b comes at 5 into the same queue behind it.  At 10 a is demoted: b
 * runs until 20, where it is demoted behind a: a runs its other 90 s until 110, then b its 10. */
static void tiresias_l_demotes(void **state)
{
    (void)state;
    const char *jobs = "a,0,1,100 / b,5,1,20";
    play("1x1", "tiresias-l", "tiresias.thresholds=10 tiresias.promote=0", jobs, "a 0-110, b 10-120");
    play("1x1", "las", NULL, jobs, "a 0-120, b 5-25");
    play("1x1", "fifo", NULL, jobs, "a 0-100, b 100-120");
    /* On GPU-time two GPUs reach the limit at 5; b, on one, at 15, and then stands behind a.  On time a has until 10.
     */
    const char *wide = "a,0,2,100 / b,2,1,20";
    play("1x2", "tiresias-l", "tiresias.thresholds=10 tiresias.promote=0", wide, "a 0-110, b 5-120");
    play("1x2", "tiresias-l", "tiresias.thresholds=10 tiresias.promote=0 tiresias.service=time", wide,
         "a 0-110, b 10-120");
}

/* Limits 50 and 100 GPU-s, decisions each minute.  By 60 a has attained 2 x 60 = 120, past both limits, and goes to
 * queue 2 at once; b runs from 60, has attained 60 by 120 and goes to queue 1: still ahead of a, which fits again at
 * 300. */
static void tiresias_passes_two_limits_between_ticks(void **state)
{
    (void)state;
    play("1x2", "tiresias-l", "run.tick=60 tiresias.thresholds=50,100 tiresias.promote=0", "a,0,2,200 / b,30,1,200",
         "a 0-320, b 60-440");
}

/* a attains 10 by 10, is demoted and waits while short jobs of 10 s keep queue 0 busy.  With promote=2 it has waited
 * 2 x 10 s at 30: back to queue 0, at its tail, behind e, which waits there since 25; d (20-30) has just ended. */
static void tiresias_l_promotes_who_waits_too_long(void **state)
{
    (void)state;
    const char *jobs = "a,0,1,40 / c,5,1,10 / d,15,1,10 / e,25,1,10 / f,32,1,10 / g,36,1,10";
    play("1x1", "tiresias-l", "tiresias.thresholds=10 tiresias.promote=0", jobs,
         "a 0-90, c 10-20, d 20-30, e 30-40, f 40-50, g 50-60");
    /* 30: queue 0 is e, a.  40: e ends, a runs with its service forgotten, until 50: demoted; f and g follow; a again
     * from 70 (it would be promoted after 20 s more, at 70 exactly, alone by then): 20 s are left. */
    play("1x1", "tiresias-l", "tiresias.thresholds=10 tiresias.promote=2", jobs,
         "a 0-90, c 10-20, d 20-30, e 30-40, f 50-60, g 60-70");
}

/* Two GPUs, limit 3250 GPU-s.  At 1000 b arrives and a has run 1000 s on 2 GPUs, 2000 GPU-s.  It reaches 3250 after 625
 * s more, at 1625.  The released simulator adds floor((3250 - 1000) / 2) = 1125: it mixes seconds with GPU-seconds and
 * demotes at 2125, when a has attained 4250. */
static void tiresias_compat_demotes_too_late(void **state)
{
    (void)state;
    const char *jobs = "a,0,2,4000 / b,1000,1,10";
    play("1x2", "tiresias-l", NULL, jobs, "a 0-4010, b 1625-1635");
    play("1x2", "tiresias-l", "tiresias.compat=1", jobs, "a 0-4010, b 2125-2135");
    play("1x2", "tiresias-l", "tiresias.compat=1 tiresias.service=time", jobs, "a 0-4010, b 3250-3260");
}

/* All in queue 0 (limit 1000).  s teaches that jobs take 10 s.  At 25, when c comes, a has run 15 s, more than any job
 * seen: its index is 0 and b, with 1/10, takes over; at 35 c does. */
static void tiresias_g_prefers_who_is_likely_to_end(void **state)
{
    (void)state;
    const char *jobs = "s,0,1,10 / a,0,1,50 / b,12,1,10 / c,25,1,5";
    play("1x1", "tiresias-g", "tiresias.thresholds=1000 tiresias.promote=0", jobs, "s 0-10, a 10-75, b 25-35, c 35-40");
    play("1x1", "tiresias-l", "tiresias.thresholds=1000 tiresias.promote=0", jobs, "s 0-10, a 10-60, b 60-70, c 70-75");
}

/* Limit 10, promote=1, and s teaches that jobs take 4 s.  p runs 4-14, is demoted, makes way for q and is due up at 24,
 * when q has run its 10 s and w arrives.  It starts again as one that never ran: its index is w's, 1/4, not the 0 of a
 * job that has run 10 s, and it came first.  At 34 the same happens to q, with 2 s left; p runs its last 10 s from 37.
 */
static void tiresias_g_forgets_what_a_promoted_job_ran(void **state)
{
    (void)state;
    const char *jobs = "s,0,1,4 / p,1,1,30 / q,5,1,12 / w,24,1,1";
    play("1x1", "tiresias-g", "tiresias.thresholds=10 tiresias.promote=1", jobs, "s 0-4, p 4-47, q 14-36, w 36-37");
}

/* ---- placement ---- */

/* Two servers of four.  a and b take two GPUs of one server each in `consolidate`; c wants four in one piece. */
static void only_consolidate_refuses_a_shape(void **state)
{
    (void)state;
    const char *jobs = "a,0,3,10 / b,0,3,20 / c,1,2,5";
    play("2x4", "fifo", "place.mode=packed", jobs, "a 0-10, b 0-20, c 1-6");
    play("2x4", "fifo", "place.mode=count", jobs, "a 0-10, b 0-20, c 1-6");
    play("2x4", "fifo", "place.mode=random", jobs, "a 0-10, b 0-20, c 1-6");
    play("2x4", "fifo", "place.mode=consolidate", jobs, "a 0-10, b 0-20, c 10-15");
}

static void consolidate_wants_servers_of_one_size(void **state)
{
    (void)state;
    World w;
    world_open(&w, "philly");
    world_set(&w, "place.mode=consolidate");
    world_jobs(&w, "a,0,1,10");
    assert_false(world_try(&w, &policy_fifo));
    assert_int_equal(w.err.kind, ERR_USAGE);
    assert_non_null(strstr(w.err.text, "mixes sizes"));
    world_close(&w);
}

/* Four GPUs.  The log started b before a although a came first, and c (3 GPUs) at 13 when both still run: two GPUs are
 * free from 23, four from 38.  The log puts d's start before its submission, at which it starts. */
static void replay_starts_when_the_log_did(void **state)
{
    (void)state;
    static const SimTime waited[] = {8, 1, 9, -3};
    World w;
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,2,30 / b,2,2,20 / c,4,3,10 / d,50,1,5");
    JobSpec *job = (JobSpec *)(uintptr_t)w.workload.job;
    for (int i = 0; i < w.workload.n; i++) job[i].waited = waited[i] * TIME_SECOND;
    world_run(&w, "replay");
    world_expect(&w, "a 8-38, b 3-23, c 38-48, d 50-55");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u17_shifted_times_change_nothing),
        cmocka_unit_test(u23_an_oversize_job_is_refused_and_blocks_nobody),
        cmocka_unit_test(u25_a_horizon_leaves_a_job_running),
        cmocka_unit_test(the_instant_of_the_horizon_is_handled),
        cmocka_unit_test(a_late_horizon_cuts_nothing),
        cmocka_unit_test(u27_the_run_goes_on_until_every_job_ended),
        cmocka_unit_test(u29_ends_before_arrivals_before_one_decision),
        cmocka_unit_test(u31_jobs_of_zero_seconds),
        cmocka_unit_test(u35_gangs_hold_all_or_nothing),
        cmocka_unit_test(u37_skipping_starves_the_wide_job),
        cmocka_unit_test(u39_backlog_at_the_last_arrival),
        cmocka_unit_test(u43_held_time_is_exact),
        cmocka_unit_test(u51_tenths_of_a_second_do_not_drift),
        cmocka_unit_test(u53_past_32_bits),
        cmocka_unit_test(u55_ties_keep_file_order),
        cmocka_unit_test(ticks_hold_decisions_back_but_not_ends),
        cmocka_unit_test(las_slices_at_ticks),
        cmocka_unit_test(sjf_against_fifo_fit_and_srtf),
        cmocka_unit_test(smallest_with_and_without_preemption),
        cmocka_unit_test(u33_srtf_preempts_and_leaks_nothing),
        cmocka_unit_test(srtf_ties_keep_the_order_before),
        cmocka_unit_test(srtf_hold_protects_a_started_job),
        cmocka_unit_test(srsf_counts_gpus_where_srtf_does_not),
        cmocka_unit_test(las_runs_the_newcomer_and_knows_no_lengths),
        cmocka_unit_test(edf_preempts_and_puts_no_deadline_last),
        cmocka_unit_test(easy_backfills_what_delays_nobody),
        cmocka_unit_test(random_follows_the_drawn_order),
        cmocka_unit_test(replay_starts_when_the_log_did),
        cmocka_unit_test(tiresias_l_demotes),
        cmocka_unit_test(tiresias_passes_two_limits_between_ticks),
        cmocka_unit_test(tiresias_l_promotes_who_waits_too_long),
        cmocka_unit_test(tiresias_compat_demotes_too_late),
        cmocka_unit_test(tiresias_g_prefers_who_is_likely_to_end),
        cmocka_unit_test(tiresias_g_forgets_what_a_promoted_job_ran),
        cmocka_unit_test(only_consolidate_refuses_a_shape),
        cmocka_unit_test(consolidate_wants_servers_of_one_size),
    };
    return cmocka_run_group_tests_name("byhand", tests, NULL, NULL);
}
