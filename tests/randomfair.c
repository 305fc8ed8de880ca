/* tests/randomfair.c -- borg, graphene and tetris in random worlds with an inside, their keys drawn: every job starts
 * and ends, nothing is refused, and a run repeats.
 *
 * Users, virtual clusters as labels, urgencies, failures of servers and stalls are in; every run is strict and audited.
 */
#include "tests/drawn.h"

enum { WORLDS = 60 };

/* Owners and urgencies for the jobs of draw_jobs. */
static void draw_owners(World *w, uint64_t seed)
{
    static const char *const who[] = {"ann", "bob", "cleo", NULL};
    JobSpec *job = (JobSpec *)(uintptr_t)w->workload.job;
    Rng rng;
    rng_open(&rng, seed, "randomfair owners", 0);
    for (int i = 0; i < w->workload.n; i++) {
        job[i].user = who[rng_below(&rng, 4)];
        job[i].vc = who[rng_below(&rng, 4)];
        if (rng_below(&rng, 3) == 0) job[i].urgency = 10;
    }
}

static void open_random(World *w, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "randomfair settings", 0);
    open_drawn(w, seed, &rng);
    SET_DRAWN("run.tick", "60", "60", "0", "7.5");
    SET_DRAWN("place.mode", "packed", "packed", "count", "consolidate", "random");
    SET_DRAWN("place.share", "0", "0", "0.9", "1.5");
    SET_DRAWN("model.demand", "varying", "constant");
    SET_DRAWN("cost.resume", "0", "10", "30");
    SET_DRAWN("fail.mtbf", "0", "0", "2");
    SET_DRAWN("fail.mttr", "0.2", "1");
    SET_DRAWN("borg.fair_entity", "job", "user", "vc");
    SET_DRAWN("borg.preempt", "1", "1", "0");
    SET_DRAWN("borg.quantum_s", "120", "300", "1000");
    SET_DRAWN("borg.skip", "1", "3", "10");
    SET_DRAWN("borg.score", "hybrid", "hybrid", "fit");
    SET_DRAWN("graphene.kappa", "0", "0.1", "0.5", "1000");
    SET_DRAWN("graphene.m_w", "0", "0.2", "2");
    SET_DRAWN("graphene.rp", "0", "0.8", "1");
    SET_DRAWN("graphene.fair_queue", "vc", "user");
    SET_DRAWN("graphene.server", "fit", "align");
    SET_DRAWN("tetris.server", "fit", "align");
    draw_jobs(w, seed, "randomfair");
    draw_owners(w, seed);
    models_of(w);
}

static void every_job_ends(void **state)
{
    (void)state;
    static const char *const names[] = {"borg", "graphene", "tetris"};
    int64_t preemptions[3] = {0}, failures = 0;
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        for (int p = 0; p < 3; p++) {
            World w;
            open_random(&w, seed);
            if (!world_try(&w, policy_find(names[p]))) fail_msg("%s, seed %d: %s", names[p], (int)seed, w.err.text);
            SimResult first = w.result;
            for (int i = 0; i < first.n; i++)
                if (first.job[i].state != JOB_DONE && first.job[i].state != JOB_UNSCHEDULABLE)
                    fail_msg("%s, seed %d: job %d did not end", names[p], (int)seed, i);
            preemptions[p] += first.preemptions;
            failures += first.failures;
            world_run(&w, names[p]);
            for (int i = 0; i < first.n; i++) assert_true(first.job[i].ended == w.result.job[i].ended);
            assert_true(first.n_events == w.result.n_events && first.gpu_time == w.result.gpu_time);
            world_close(&w);
        }
    assert_true(preemptions[0] > 500 && failures > 100); /* they are worth something */
    assert_true(preemptions[1] == 0 && preemptions[2] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_job_ends)};
    return cmocka_run_group_tests_name("randomfair", tests, NULL, NULL);
}
