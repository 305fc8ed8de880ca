/* tests/byhand_quality.c -- SLAQ and HyperSched, who judge jobs by their learning curves, in worlds worked out by hand;
 * random ones that end.
 *
 * All epochs take a minute, decisions fall each minute and resuming costs nothing unless it is said.  Nothing is noisy.
 * The loss after k epochs is .2 + 2 h / (h + k) with h = 2 unless it is said, so that from k to k + 1 epochs it falls
 * by 4 / ((2+k)(3+k)), and by the largest fall seen, that from 1 to 2, which is 4/12:
 *
 *     k             3   4   5   6   7   8   9  10  11  12  13  14
 *     (2+k)(3+k)   30  42  56  72  90 110 132 156 182 210 240 272        fall = 12 / that
 */
#include "tests/drawn.h"

enum { MOST = 64 };

/* A world of jobs of one replica cut into as many parts as they have GPUs. */
static JobModel *open_jobs(World *w, const char *cluster, const char *jobs)
{
    inside(w, cluster, jobs);
    world_set(w, "cost.resume=0");
    JobModel *m = models_of(w);
    for (int i = 0; i < w->workload.n; i++) {
        const JobSpec *job = &w->workload.job[i];
        shape(&m[i], 1, job->n_gpus, TOPOLOGY_RING, (int)(job->duration / TIME_MINUTE));
        m[i].volumes = (Volumes){0};
        m[i].stop = m[i].stop_limit = STOP_EPOCHS;
        m[i].estimate = job->duration;
        m[i].deadline = job->deadline == TIME_NEVER ? 1000000 * TIME_SECOND : job->deadline;
        m[i].curve = (Curve){.ceiling = .9,
                             .start = .1,
                             .rate = .5,
                             .shape = 1,
                             .loss_start = 2.2,
                             .loss_end = .2,
                             .overfit_from = (double)INFINITY,
                             .form = SHAPE_MMF};
    }
    return m;
}

/* ---- slaq ---- */

/* At 600 A has done 10 of its 13 epochs, and is expected to fall by 12/156 = .0769.  B is new: it comes first.  After
 * its third epoch, at 780, B stands at 12/30 = .4, and goes on until 1.2 x 12/((2+k)(3+k)) < 12/156, (2+k)(3+k) > 187:
 * k = 12, at 1320.  A now resumes; after two minutes, at 12 epochs, it stands at 1.2 x 12/210 against B's 12/210, and
 * ends at 1500; B has three epochs left.  With a hysteresis of 1, (2+k)(3+k) > 312, B ends first, at 15 epochs. fifo
 * lets A end, srtf too, as it needs 180 s and B 900; las has B catch up with A until 1200, then they take turns of a
 * minute, B first, and A's third ends at 1560.
 */
static void slaq_runs_who_learns_most(void **state)
{
    (void)state;
    static const char *const policies[] = {"slaq", "slaq", "fifo", "srtf", "las"};
    static const char *const expected[] = {"A 0-1500, B 600-1680", "A 0-1680, B 600-1500", "A 0-780, B 780-1680",
                                           "A 0-780, B 780-1680", "A 0-1560, B 600-1680"};
    for (int i = 0; i < 5; i++) {
        World w;
        open_jobs(&w, "1x1", "A,0,1,780 / B,600,1,900");
        if (i == 1) world_set(&w, "slaq.hysteresis=1");
        world_run(&w, policies[i]);
        world_expect(&w, expected[i]);
        world_close(&w);
    }
}

/* X holds two GPUs: its falls count half.  At 300 it has done 5 epochs, 12/56/2 = .107, and Y is new.  Y is known at
 * 480 and goes on until 14.4/((2+k)(3+k)) < .107, (2+k)(3+k) > 134.4: k = 10, at 900 (for the whole gang it would be
 * > 67.2: k = 6, at 660).  X goes on until 7.2/((2+k)(3+k)) < 12/156, > 93.6: k = 8, at 1080.  Y
 * until 14.4/((2+k)(3+k)) < 6/110, > 264: k = 14, its last, at 1320.  X has 12 epochs left. */
static void slaq_counts_by_gpu(void **state)
{
    (void)state;
    World w;
    open_jobs(&w, "1x2", "X,0,2,1200 / Y,300,1,840");
    world_run(&w, "slaq");
    world_expect(&w, "X 0-2040, Y 300-1320");
    assert_int_equal(world_job(&w, "X")->preemptions, 2);
    assert_int_equal(world_job(&w, "Y")->preemptions, 1);
    world_close(&w);
}

/* Three new jobs on one GPU: each is seen for three epochs before the next, in order of submission, however long that
 * takes: c's epochs are ten minutes.  At 2160 all are known: a and b stand at 12/30, and in their last minute at 12/272
 * = .044.  c, with h = .25, falls in a tenth of its fourth epoch by .1 x 1.25 x 2.25 / (3.25 x 3.35) = .026, so it
 * waits for both to end.  With explore=5 the turns take five epochs. */
static void slaq_looks_at_the_new_first(void **state)
{
    (void)state;
    for (int five = 0; five < 2; five++) {
        World w;
        JobModel *m = open_jobs(&w, "1x1", "a,0,1,900 / b,0,1,900 / c,0,1,9000");
        m[2].epochs = 15;
        m[2].curve.rate = 4;
        if (five) world_set(&w, "slaq.explore=5");
        world_run(&w, "slaq");
        assert_true(world_job(&w, "a")->first_started == 0);
        assert_true(world_job(&w, "b")->first_started == (five ? 300 : 180) * TIME_SECOND);
        assert_true(world_job(&w, "c")->first_started == (five ? 600 : 360) * TIME_SECOND);
        assert_int_equal(world_job(&w, "c")->preemptions, 1);
        assert_true(world_job(&w, "a")->ended < (1800 + 3000) * TIME_SECOND);
        assert_true(world_job(&w, "c")->ended == 10800 * TIME_SECOND); /* nothing is lost: 900 + 900 + 9000 */
        world_close(&w);
    }
}

/* A learns slowly, h = 16: at k it stands at 17 x 18 / ((16+k)(17+k)).  B is new at 600 and known at 780, at .4; A, at
 * 10, stands at .436 and resumes.  Safe for two minutes it goes on at 840, at .405, and at 900, at .377, gives way to
 * B, which is safe until 1020, then stands at 12/56 = .214; A's last epoch ends at 1080.  Safe for ten minutes, B goes
 * on until 1200, then A to its end at 1380. */
static void slaq_lets_who_started_run(void **state)
{
    (void)state;
    for (int ten = 0; ten < 2; ten++) {
        World w;
        JobModel *m = open_jobs(&w, "1x1", "A,0,1,780 / B,600,1,900");
        m[0].curve.rate = 1 / 16.0;
        if (ten) world_set(&w, "slaq.min_run_s=600");
        world_set(&w, "slaq.hysteresis=0");
        world_run(&w, "slaq");
        world_expect(&w, ten ? "A 0-1380, B 600-1680" : "A 0-1080, B 600-1680");
        world_close(&w);
    }
}

/* Jobs of four replicas, which run at w/4 of their speed with w of them.  A has done 10 of its 40 epochs at 600, when B
 * is new: one replica is for B to be looked at, three stay A's.  B's third epoch ends at 600 + 3 x 240 = 1320; A is at
 * 10 + 12 x 3/4 = 19.  In a minute B falls by 12 x / ((2+k)(2+k+x)) with x = w/4: k = 3 makes .114, .104, .095 and .087
 * for the first to the fourth, and A's first is worth .007: B has three, and A one, as nobody gets a second before
 * everybody has a first.  So it stays, as A's second, 3 / (21 x 21.5), is worth more than 1.2 times B's third, 3.6 /
 * ((k+2.5)(k+2.75)), only beyond k = 20, until 2640, when B is at 3 + 22 x 3/4 = 19.5 and two replicas do the rest
 * within the minute.  A, at 24.5, has two for the two minutes in which a change holds, then, at 25.5, all four for 14.5
 * minutes.
 */
static void slaq_elastic_goes_by_margins(void **state)
{
    (void)state;
    World w;
    JobModel *m = open_jobs(&w, "1x4", "A,0,4,2400 / B,600,4,1200");
    for (int i = 0; i < 2; i++) shape(&m[i], 4, 1, TOPOLOGY_RING, i ? 20 : 40);
    world_set(&w, "physics.overlap_ring=1");
    world_set(&w, "cost.resize=0");
    world_set(&w, "slaq.elastic=1");
    world_run(&w, "slaq");
    world_expect(&w, "A 0-3630, B 600-2700");
    assert_int_equal(world_job(&w, "A")->preemptions + world_job(&w, "B")->preemptions, 0);
    world_set(&w, "place.share=0.9");
    assert_false(world_try(&w, policy_find("slaq")));
    assert_int_equal(w.err.kind, ERR_USAGE);
    world_close(&w);
}

/* ---- hypersched ----
 *
 * The accuracy after k epochs is .9 - .8 h / (h + k).  Before there are five epochs to fit, m more of them are taken to
 * gain (.9 - accuracy) m / (3 + k + m). */

/* At 600 A has done 10 of its 100 epochs; B is new, and one new job goes first.  At 660 it has an epoch, stands at
 * .3667 and will end 540 s before its deadline at 2400: it gains .5333 x 19/23 = .44 in the 1740 s left, 2.5e-4 a
 * second.  A gains .8 x 2 x 90 / (12 x 102) = .118 in 99340 s.  So B goes on to its end.  slaq takes turns; fifo does
 * not look. */
static void hypersched_looks_at_deadlines(void **state)
{
    (void)state;
    static const char *const policies[] = {"hypersched", "fifo", "slaq"};
    static const char *const expected[] = {"A 0-7200, B 600-1800", "A 0-6000, B 6000-7200", "A 0-7200, B 600-2280"};
    for (int i = 0; i < 3; i++) {
        World w;
        open_jobs(&w, "1x1", "A,0,1,6000,100000 / B,600,1,1200,1800");
        world_run(&w, policies[i]);
        world_expect(&w, expected[i]);
        world_close(&w);
    }
}

/* B has learnt all there is in its first epoch and gains nothing before its deadline; A, with h = 16, gains
 * .8 x 16 x 90 / (26 x 116) = .38 in 6340 s.  B keeps the GPU for the two minutes for which it is safe, until 720; A
 * has 90 epochs left, B then 18.  edf runs B first.  If starting A again is taken to cost more time than it has left,
 * it does not displace B. */
static void hypersched_looks_at_gains(void **state)
{
    (void)state;
    static const char *const expected[] = {"A 0-6120, B 600-7200", "A 0-7200, B 600-1800", "A 0-7200, B 600-1800"};
    for (int i = 0; i < 3; i++) {
        World w;
        JobModel *m = open_jobs(&w, "1x1", "A,0,1,6000,7000 / B,600,1,1200,1800");
        m[0].curve.rate = 1 / 16.0;
        m[1].curve.rate = 1e9;
        if (i == 2) world_set(&w, "hypersched.overhead_s=7000");
        world_run(&w, i == 1 ? "edf" : "hypersched");
        world_expect(&w, expected[i]);
        world_close(&w);
    }
}

/* New jobs wait their turn behind those that are known (explore=0).  Q is at .9 after its first epoch and P at .5, and
 * both stay there.  Rungs are epochs 1, 2, 4, ..., half of the jobs are cut.  At 360 P, on the GPU since 240, passes
 * its second: the cutoff is .7, the middle of .9 and .5, and it has gained nothing.  It pauses, and the new job R runs
 * for its 300 s; P has 28 epochs left.  Without pauses R waits for the end of P.  If nobody came P would not have
 * stopped: paused, it has the GPU as long as nobody else wants it. */
static void hypersched_pauses_at_rungs(void **state)
{
    (void)state;
    static const char *const expected[] = {"Q 0-240, P 240-2340, R 360-660", "Q 0-240, P 240-2040, R 2040-2340",
                                           "Q 0-240, P 240-2040, R 3000-3300"};
    for (int i = 0; i < 3; i++) {
        World w;
        JobModel *m = open_jobs(
            &w, "1x1", i == 2 ? "Q,0,1,240 / P,0,1,1800 / R,3000,1,300" : "Q,0,1,240 / P,0,1,1800 / R,60,1,300");
        for (int k = 0; k < 2; k++) m[k].curve.rate = 1e9;
        m[1].curve.ceiling = .5;
        world_set(&w, "hypersched.explore=0");
        world_set(&w, "hypersched.factor=2");
        if (i == 1) world_set(&w, "hypersched.pause_gain=0");
        world_run(&w, "hypersched");
        world_expect(&w, expected[i]);
        assert_int_equal(world_job(&w, "P")->preemptions, i == 0);
        world_close(&w);
    }
}

/* Four known jobs on four GPUs until 1200; three new ones come at 600.  Up to half of the GPUs go to new jobs: u and v
 * start at once, and are known at 660, when x follows.  Up to 80 %: as two hold less than that, x is let in too.  None:
 * they wait until 1200. */
static void hypersched_samples_the_new(void **state)
{
    (void)state;
    static const char *const explore[] = {"0.5", "0.8", "0"};
    static const int64_t starts[] = {600, 600, 1200}, third[] = {660, 600, 1200};
    for (int i = 0; i < 3; i++) {
        World w;
        open_jobs(&w, "1x4",
                  "a,0,1,1200 / b,0,1,1200 / c,0,1,1200 / d,0,1,1200 / u,600,1,1200 / v,600,1,1200 / x,600,1,1200");
        world_set(&w, arena_format(&w.arena, "hypersched.explore=%s", explore[i]));
        world_run(&w, "hypersched");
        assert_true(world_job(&w, "u")->first_started == starts[i] * TIME_SECOND);
        assert_true(world_job(&w, "v")->first_started == starts[i] * TIME_SECOND);
        assert_true(world_job(&w, "x")->first_started == third[i] * TIME_SECOND);
        world_close(&w);
    }
}

/* Jobs of four replicas.  At 600 B is new and gets one of A's.  It has an epoch at 840: each of the two has one, the
 * more accurate one, A at 13 epochs, is first to get a second, then B is, and there is none left.  B has 9 epochs left,
 * 1080 s at half speed; A, at 13 + 9 = 22 by then, needs 78 minutes more.  A change that costs 780 s is half of the
 * 1560 s that B has left: 2 x (1 - .5) = 1 is not above 1.1, so B stays at one for its 9 x 240 s, and A at three: at
 * 3000 it is at 13 + 27 = 40. */
static void hypersched_elastic_shares_evenly(void **state)
{
    (void)state;
    for (int dear = 0; dear < 2; dear++) {
        World w;
        JobModel *m = open_jobs(&w, "1x4", "A,0,4,6000,100000 / B,600,4,600,1800");
        for (int i = 0; i < 2; i++) shape(&m[i], 4, 1, TOPOLOGY_RING, i ? 10 : 100);
        world_set(&w, "physics.overlap_ring=1");
        world_set(&w, "cost.resize=0");
        world_set(&w, "hypersched.elastic=1");
        if (dear) world_set(&w, "hypersched.overhead_s=780");
        world_run(&w, "hypersched");
        world_expect(&w, dear ? "A 0-6600, B 600-3000" : "A 0-6600, B 600-1920");
        world_close(&w);
    }
}

/* Past its deadline a job comes last: L's was at 300, so at 900 it makes way for N, whose is ahead, though N came later
 * and learns nothing; before it, L's gain keeps it there. */
static void hypersched_serves_the_late_last(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        World w;
        JobModel *m =
            open_jobs(&w, "1x1", late ? "L,0,1,1800,300 / N,900,1,600,90000" : "L,0,1,1800,3000 / N,900,1,600,90000");
        m[1].curve.rate = 1e9;
        world_set(&w, "hypersched.explore=0");
        world_run(&w, "hypersched");
        world_expect(&w, late ? "L 0-2400, N 900-1500" : "L 0-1800, N 1800-2400");
        world_close(&w);
    }
}

/* ---- in random worlds ---- */

static void open_random(World *w, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "byhand_quality settings", 0);
    open_drawn(w, seed, &rng);
    SET_DRAWN("run.tick", "60", "60", "0", "7.5");
    SET_DRAWN("model.demand", "varying", "constant");
    SET_DRAWN("place.mode", "packed", "count", "random", "consolidate");
    SET_DRAWN("cost.resume", "30", "0", "500");
    SET_DRAWN("hypersched.explore", "0.2", "0", "1");
    SET_DRAWN("hypersched.elastic", "0", "0", "1");
    SET_DRAWN("hypersched.resize", "0.1", "0", "2");
    SET_DRAWN("hypersched.min_run_s", "120", "0", "1000");
    SET_DRAWN("hypersched.factor", "4", "2", "3");
    SET_DRAWN("hypersched.pause_gain", "0.002", "1", "0");
    SET_DRAWN("hypersched.curves", "fast", "all");
    SET_DRAWN("slaq.hysteresis", "0.2", "0", "2");
    SET_DRAWN("slaq.min_run_s", "120", "0", "1000");
    SET_DRAWN("slaq.elastic", "0", "0", "1");
    SET_DRAWN("slaq.horizon_s", "60", "1", "10000");
    SET_DRAWN("slaq.decay", "0.9", "1", "0.5");
    draw_jobs(w, seed, "byhand_quality");
    models_of(w);
}

static void every_job_ends_and_runs_repeat(void **state)
{
    (void)state;
    static const char *const policies[] = {"slaq", "hypersched"};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        int64_t preemptions = 0;
        for (uint64_t seed = 1; seed <= 60; seed++) {
            World w;
            open_random(&w, seed);
            if (!world_try(&w, policy_find(policies[p])))
                fail_msg("%s, seed %d: %s", policies[p], (int)seed, w.err.text);
            SimResult first = w.result;
            for (int i = 0; i < first.n; i++)
                assert_int_equal(first.job[i].state,
                                 first.job[i].n_gpus > w.cluster.n_gpus ? JOB_UNSCHEDULABLE : JOB_DONE);
            assert_int_equal(first.refusals, 0);
            preemptions += first.preemptions;
            world_run(&w, policies[p]);
            for (int i = 0; i < first.n; i++) assert_true(first.job[i].ended == w.result.job[i].ended);
            world_close(&w);
        }
        assert_true(preemptions > 500);
    }
}

static void plain_is_refused(void **state)
{
    (void)state;
    static const char *const policies[] = {"slaq", "hypersched"};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++) {
        World w;
        world_open(&w, "1x1");
        world_jobs(&w, "a,0,1,10");
        assert_false(world_try(&w, policy_find(policies[p])));
        assert_int_equal(w.err.kind, ERR_USAGE);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slaq_runs_who_learns_most),
        cmocka_unit_test(slaq_counts_by_gpu),
        cmocka_unit_test(slaq_looks_at_the_new_first),
        cmocka_unit_test(slaq_lets_who_started_run),
        cmocka_unit_test(slaq_elastic_goes_by_margins),
        cmocka_unit_test(hypersched_looks_at_deadlines),
        cmocka_unit_test(hypersched_looks_at_gains),
        cmocka_unit_test(hypersched_pauses_at_rungs),
        cmocka_unit_test(hypersched_samples_the_new),
        cmocka_unit_test(hypersched_serves_the_late_last),
        cmocka_unit_test(hypersched_elastic_shares_evenly),
        cmocka_unit_test(every_job_ends_and_runs_repeat),
        cmocka_unit_test(plain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
