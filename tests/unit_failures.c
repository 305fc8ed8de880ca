/* tests/unit_failures.c -- attempts that fail as in the trace, servers that break and slow down; worked out on paper.
 */
#include "tests/scripted.h"

#include <gsl/gsl_randist.h>

/* The trace's first two attempts failed after 100 and 250 s of running: each time the job waits for the tick, resumes
 * for 30 s and goes on where it was.  0-100; 120, 150-300 (250 done); 300 is a tick: 330-380 (300 done). */
static void attempts_are_replayed(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x1", "a,0,1,300");
    models_of(&w);
    SimTime failed_at[] = {100 * TIME_SECOND, 250 * TIME_SECOND};
    JobSpec *job = (JobSpec *)(uintptr_t)w.workload.job;
    job->n_failed = 2;
    job->failed_at = failed_at;
    world_run(&w, "fifo");
    world_expect(&w, "a 0-380");
    assert_int_equal(w.result.job[0].failures, 2);
    assert_true(w.result.outcome[0].useful == 300 * TIME_SECOND);
    world_close(&w);
}

static SimTime next_tick(SimTime at)
{
    return (at + 60 * TIME_SECOND - 1) / (60 * TIME_SECOND) * (60 * TIME_SECOND);
}

/* One server that breaks about once in 1,000 s and is repaired in about 200: the job (10 epochs of 300 s) falls back to
 * its last whole epoch (or to nothing) each time, starts again at the first tick after the repair, and resumes for 30
 * s. */
static void servers_break(void **state)
{
    (void)state;
    static const char *const kept[] = {"fail.checkpoint=epoch", "fail.checkpoint=none", "fail.checkpoint=100"};
    for (int c = 0; c < 3; c++) {
        World w;
        inside(&w, "1x1", "a,0,1,3000");
        world_set(&w, "fail.mtbf=0.2777777777777778");
        world_set(&w, "fail.mttr=0.0555555555555556");
        world_set(&w, kept[c]);
        JobModel *m = models_of(&w);
        m->epochs = 10;
        if (c == 1) w.seed = 5;
        world_run(&w, "fifo");

        Rng rng;
        rng_open(&rng, w.seed, "server failure", 0);
        double unit = c == 0 ? 300e6 : c == 1 ? 1e18 : 100e6, done = 0;
        SimTime now = 0, starts = 0; /* when it computes again */
        int failures = 0;
        for (;;) {
            SimTime breaks = now + time_from_seconds(gsl_ran_exponential(&rng.gsl, 0.2777777777777778 * 3600));
            if (starts + (SimTime)ceil(3000e6 - done) <= breaks) break;
            if (breaks > starts) done += (double)(breaks - starts);
            done = floor(done / unit) * unit;
            SimTime repaired = breaks + time_from_seconds(gsl_ran_exponential(&rng.gsl, 0.0555555555555556 * 3600));
            bool held = breaks >= next_tick(now); /* else it broke while the job still waited for its tick */
            failures += held;
            now = repaired;
            starts = next_tick(repaired) + 30 * TIME_SECOND;
        }
        SimTime end = starts + (SimTime)ceil(3000e6 - done);
        assert_true(llabs(w.result.job[0].ended - end) <= 1);
        assert_int_equal(w.result.job[0].failures, failures);
        if (c == 0) assert_true(failures >= 2);
        world_close(&w);
    }
}

/* A chain of two over two servers of one GPU, 1,000 s in ten epochs.  Server 1 breaks for the first time at t, server 0
 * not before 5,000 s (such a seed is looked for): the job loses both GPUs and what it did since its last whole epoch,
 * t mod 100; server 0, which is whole, is free for b at once, that is at the next tick.  At the first tick after the
 * repair the job starts again, resumes for 30 s and does the rest; b has ended by then. */
static void a_server_that_fails(void **state)
{
    (void)state;
    World w;
    SimTime t, repaired;
    for (uint64_t seed = 1;; seed++) {
        inside(&w, "2x1", "a,0,2,1000 / b,60,1,50");
        world_set(&w, "fail.mtbf=1");
        world_set(&w, "fail.mttr=0.1");
        w.seed = seed;
        SimTime first[2], repair[2], second[2];
        for (int server = 0; server < 2; server++) {
            Rng rng;
            rng_open(&rng, seed, "server failure", (uint64_t)server);
            first[server] = time_from_seconds(gsl_ran_exponential(&rng.gsl, 3600));
            repair[server] = first[server] + time_from_seconds(gsl_ran_exponential(&rng.gsl, 360));
            second[server] = repair[server] + time_from_seconds(gsl_ran_exponential(&rng.gsl, 3600));
        }
        t = first[1], repaired = repair[1];
        bool fits = first[0] > 5000 * TIME_SECOND && second[1] > 5000 * TIME_SECOND && t > 200 * TIME_SECOND &&
                    t < 900 * TIME_SECOND && repaired - t > 200 * TIME_SECOND;
        if (fits) break;
        world_close(&w);
    }
    JobModel *m = models_of(&w);
    shape(&m[0], 1, 2, TOPOLOGY_RING, 10);
    shape(&m[1], 1, 1, TOPOLOGY_RING, 10);
    world_run(&w, "fit");
    SimTime kept = t / (100 * TIME_SECOND) * (100 * TIME_SECOND);
    SimTime end = next_tick(repaired) + 30 * TIME_SECOND + 1000 * TIME_SECOND - kept;
    assert_true(llabs(w.result.job[0].ended - end) <= 1);
    assert_true(w.result.job[1].first_started == next_tick(t) &&
                w.result.job[1].ended == next_tick(t) + 50 * TIME_SECOND);
    assert_true(w.result.job[0].failures == 1 && w.result.job[0].preemptions == 0);
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->epochs_done == 10 && o->restart == 60 * TIME_SECOND);              /* both GPUs for 30 s */
    assert_true(o->useful == 2 * (t + end - next_tick(repaired) - 30 * TIME_SECOND)); /* twice what was lost is in it */
    world_close(&w);
}

/* A server that is slow nine tenths of the time, by a factor of 4: a job of 100,000 s takes about 100,000 x 1/(.1 +
 * .9/4) = 307,692 s. */
static void stragglers_slow_down(void **state)
{
    (void)state;
    World w;
    inside(&w, "1x1", "a,0,1,100000");
    world_set(&w, "fail.straggler=0.9");
    world_set(&w, "fail.straggler_factor=4");
    world_set(&w, "fail.straggler_s=60");
    models_of(&w);
    world_run(&w, "fifo");
    double took = time_seconds(w.result.job[0].ended);
    assert_true(took > 295000 && took < 320000);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_are_replayed),
        cmocka_unit_test(servers_break),
        cmocka_unit_test(a_server_that_fails),
        cmocka_unit_test(stragglers_slow_down),
    };
    return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
