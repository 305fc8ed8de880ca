/* tests/unit_share.c -- place.share: who may go where on paper, and what holds for every policy in random worlds. */
#include "tests/scripted.h"

#include "policies/placebook.h"

/* One-GPU jobs, or gangs of replicas that exchange nothing, each task wanting so many thousandths of a GPU. */
static void sharing(World *w, const char *cluster, const char *jobs, double thousandths)
{
    inside(w, cluster, jobs);
    world_set(w, "physics.overlap_ring=1");
    world_set(w, "place.share=0.9");
    JobModel *m = models_of(w);
    for (int i = 0; i < w->workload.n; i++) {
        shape(&m[i], w->workload.job[i].n_gpus, 1, TOPOLOGY_RING, 10);
        m[i].volumes = (Volumes){0};
        m[i].estimate = w->workload.job[i].duration;
    }
    demand(w, thousandths);
}

/* Two of .4 share a GPU at f(.8) = .984 of their speed, a third would make 1.2 and waits for the tick after their end
 * at 600/.984 = 609.756098. */
static void two_fit_and_three_do_not(void **state)
{
    (void)state;
    World w;
    sharing(&w, "1x1", "a,0,1,600 / b,0,1,600 / c,0,1,60", 400);
    world_run(&w, "fifo");
    world_expect(&w, "a 0-609.756098, b 0-609.756098, c 660-720");
    world_close(&w);
}

/* A demand of .95 shares with nobody, but an empty GPU always takes it. */
static void an_empty_gpu_takes_any_demand(void **state)
{
    (void)state;
    World w;
    sharing(&w, "1x1", "a,0,1,60 / b,0,1,60", 950);
    world_run(&w, "fit");
    world_expect(&w, "a 0-60, b 60-120");
    world_close(&w);
}

/* Of tasks of .04 there is room for 22, .88; the last of them finds the GPU nearly full, at .84. */
static void small_tasks_fill_a_gpu(void **state)
{
    (void)state;
    char jobs[400] = "";
    size_t used = 0;
    for (int i = 0; i < 23; i++)
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,0,1,600", i ? " / " : "", i);
    World w;
    sharing(&w, "1x1", jobs, 40);
    world_run(&w, "fit");
    for (int i = 0; i < 22; i++) assert_true(w.result.job[i].first_started == 0);
    assert_true(w.result.job[22].first_started >= w.result.job[0].ended);
    world_close(&w);
}

/* 100 jobs that were predicted to take a minute take ten: at each tick all have overrun, and head and back wait. */
static void many_overrun_at_once(void **state)
{
    (void)state;
    char jobs[2000] = "";
    size_t used = 0;
    for (int i = 0; i < 100; i++) used += (size_t)snprintf(jobs + used, sizeof jobs - used, "j%d,0,1,600 / ", i);
    snprintf(jobs + used, sizeof jobs - used, "head,60,100,100 / back,60,1,100");
    World w;
    inside(&w, "1x100", jobs);
    JobModel *m = models_of(&w);
    for (int i = 0; i < w.workload.n; i++) {
        shape(&m[i], w.workload.job[i].n_gpus, 1, TOPOLOGY_RING, 10);
        m[i].volumes = (Volumes){0};
        m[i].estimate = TIME_MINUTE;
    }
    world_run(&w, "easy");
    for (int i = 0; i < 100; i++) assert_true(w.result.job[i].ended == 600 * TIME_SECOND);
    assert_true(w.result.job[100].first_started == 600 * TIME_SECOND);
    assert_true(w.result.job[101].first_started > w.result.job[100].ended);
    world_close(&w);
}

static const GpuId *answer;

static void expect_gpus(Sched *s, PlaceKind kind, JobId job, const GpuId expected[])
{
    const Job *j = sched_job(s, job);
    answer = place_gang(s, (PlaceMode){kind, 900}, j);
    if (!expected) {
        assert_null(answer);
        return;
    }
    assert_non_null(answer);
    for (int i = 0; i < j->n_gpus; i++) assert_int_equal(answer[i], expected[i]);
}

/* Servers 0-1, 2-3, 4-5; .8 on GPU 0 and on 4, .4 on 1 and 2, so that there is room for .4 on 1, 2, 3 and 5. */
static void modes_schedule(Sched *s, void *state)
{
    (void)state;
    if (sched_now(s)) return;
    static const GpuId filled[] = {0, 0, 4, 4, 1, 2};
    for (JobId i = 0; i < 6; i++) assert_int_equal(sched_start(s, i, &filled[i], 1), ASK_GRANTED);
    expect_gpus(s, PLACE_PACKED, 6, (GpuId[]){3});       /* 3 and 5 are empty, and server 1 is less loaded */
    expect_gpus(s, PLACE_PACKED, 7, (GpuId[]){3, 5});    /* as long as there are enough empty ones */
    expect_gpus(s, PLACE_PACKED, 8, (GpuId[]){2, 3, 5}); /* whole server 1, and server 2 is less loaded than 0 */
    expect_gpus(s, PLACE_PACKED, 9, NULL);               /* each task on a GPU of its own */
    expect_gpus(s, PLACE_COUNT, 7, (GpuId[]){3, 5});
    expect_gpus(s, PLACE_COUNT, 8, (GpuId[]){1, 2, 3});
    expect_gpus(s, PLACE_FILL, 8, (GpuId[]){1, 3, 5}); /* servers with room for one first, then the emptier of 1 */
    expect_gpus(s, PLACE_CONSOLIDATE, 6, (GpuId[]){3});
    expect_gpus(s, PLACE_CONSOLIDATE, 7, (GpuId[]){2, 3}); /* all on one server, though one GPU is shared */
    expect_gpus(s, PLACE_CONSOLIDATE, 8, (GpuId[]){2, 3, 5});
    for (JobId i = 0; i < 10; i++) sched_stop(s, i, "seen");
}

static void each_mode_chooses_among_gpus_with_room(void **state)
{
    (void)state;
    static const Policy modes = {.name = "modes", .schedule = modes_schedule};
    World w;
    sharing(&w, "3x2",
            "a,0,1,9 / b,0,1,9 / c,0,1,9 / d,0,1,9 / e,0,1,9 / f,0,1,9 / one,0,1,9 / two,0,2,9 / three,0,3,9 "
            "/ five,0,5,9",
            400);
    if (!world_try(&w, &modes)) fail_msg("%s", w.err.text);
    world_close(&w);
}

/* Host memory for two tasks a server. */
static void walls_schedule(Sched *s, void *state)
{
    (void)state;
    for (JobId i = 4; i < 10; i++) { /* drawn GPUs, two of each server whatever comes first */
        const GpuId *gpus = place_gang(s, (PlaceMode){PLACE_RANDOM, 900}, sched_job(s, i));
        int n_first = 0;
        for (int k = 0; k < 4; k++) n_first += gpus[k] < 4;
        assert_int_equal(n_first, 2);
    }
    expect_gpus(s, PLACE_PACKED, 0, (GpuId[]){0, 1});
    expect_gpus(s, PLACE_PACKED, 1, (GpuId[]){0, 1, 4});
    assert_int_equal(sched_start(s, 0, (GpuId[]){0, 1}, 2), ASK_GRANTED);
    expect_gpus(s, PLACE_PACKED, 2, NULL); /* two more, not three */
    expect_gpus(s, PLACE_PACKED, 3, (GpuId[]){4, 5});
    for (JobId i = 0; i < 10; i++) sched_stop(s, i, "seen");
}

static void memory_is_a_wall(void **state)
{
    (void)state;
    static const Policy walls = {.name = "walls", .schedule = walls_schedule};
    World w;
    sharing(&w, "2x4",
            "a,0,2,9 / b,0,3,9 / c,0,3,9 / d,0,2,9 / e,0,4,9 / f,0,4,9 / g,0,4,9 / h,0,4,9 / i,0,4,9 / j,0,4,9", 100);
    assert_int_equal(families[FAMILY_ALEXNET].memory_mib, 8192);
    ServerClass small = w.cluster.class_of[0];
    small.memory_mib = 2 * 8192;
    w.cluster.class_of = &small;
    if (!world_try(&w, &walls)) fail_msg("%s", w.err.text);
    world_close(&w);
}

/* a and c share GPU 0, b and d GPU 1, each GPU at .8.  Short e has room nowhere, and is promised the first GPU of those
 * behind it.  In the order of what they have left a still fits beside it, c does not; b and d are in nobody's way.  e
 * is gone before the next tick. */
static void preemption_takes_what_it_needs_and_no_more(void **state)
{
    (void)state;
    World w;
    sharing(&w, "1x2", "a,0,1,6000 / b,0,1,6100 / c,0,1,6200 / d,0,1,6300 / e,60,1,50", 400);
    world_run(&w, "srtf");
    const Job *job = w.result.job;
    assert_true(job[4].first_started == 60 * TIME_SECOND);
    for (int i = 0; i < 5; i++) assert_int_equal(job[i].preemptions, i == 2);
    world_close(&w);
}

/* a and b2 go to GPU 0, b1 and x to GPU 1 (the least loaded, lowest first): both are at .8.  wide wants .4 of each, so
 * it waits for one end on each: a's, predicted for 600, and b1's, for 1200: the shadow time.  GPU 0 then has b2 and the
 * head, GPU 1 x and the head.  a ends at 600/.984 = 609.8, seen at 660: .4 are free on GPU 0 until the head comes.  s,
 * 300 s long, may use them; l, which would outlast the shadow time, may not. */
static void easy_reserves_on_shared_gpus(void **state)
{
    (void)state;
    World w;
    sharing(&w, "1x2",
            "a,0,1,600 / b1,0,1,1200 / b2,0,1,1800 / x,0,1,3000 / wide,60,2,600 / s,120,1,300 / l,120,1,6000", 400);
    world_run(&w, "easy");
    const Job *job = w.result.job;
    assert_true(job[5].first_started == 660 * TIME_SECOND);
    assert_true(job[4].first_started >= 1200 * TIME_SECOND && job[4].first_started <= 1260 * TIME_SECOND);
    assert_true(job[6].first_started > job[4].first_started);
    world_close(&w);
}

static void in_plain_nothing_shares(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    world_jobs(&w, "a,0,1,1");
    world_set(&w, "place.share=0.9");
    assert_false(world_try(&w, policy_find("fit")));
    assert_string_equal(w.err.text, "place.share: in preset plain nothing shares a GPU; try --preset philly");
    world_close(&w);
}

/* ---- every policy in random worlds ---- */

static const Policy *inner;

static bool may_be_passed_over(const char *mode)
{
    static const char *const heads[] = {"fifo", "easy", "sjf"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(inner->name, heads[i]) == 0) return true;
    return strcmp(mode, "consolidate") == 0;
}

/* GPUs on which every task of the job has room, by adding up the tasks that are there. */
static int count_room(Sched *s, const Job *job)
{
    const Cluster *c = sched_cluster(s);
    const Task *task = sched_tasks(s, job);
    int most = 0, n = 0;
    for (int k = 0; k < job->n_gpus; k++)
        if (task[k].demand > most) most = task[k].demand;
    most = (most + PLACE_STEP - 1) / PLACE_STEP * PLACE_STEP;
    for (ServerId i = 0; i < c->spec->n_servers; i++) {
        const ServerClass *class_of = &c->spec->class_of[c->spec->server[i].class_index];
        int here = 0, memory = sched_server_load(s, i)->memory_mib;
        for (GpuId g = c->server[i].first_gpu; g < c->server[i].first_gpu + c->server[i].n_gpus; g++) {
            int load = 0, used = 0;
            for (const Task *t = sched_gpu_load(s, g)->task; t; t = t->next_here) {
                load += t->demand;
                used += t->need.gpu_memory_mib;
            }
            bool fits = !class_of->gpu_memory_mib || used + task[0].need.gpu_memory_mib <= class_of->gpu_memory_mib;
            here += fits && (!load || load + most <= 900);
        }
        if (class_of->memory_mib) {
            int left =
                class_of->memory_mib - memory - (job->n_tasks > job->n_gpus ? task[job->n_gpus].need.memory_mib : 0);
            int by_memory = left < 0 ? 0 : left / task[0].need.memory_mib;
            if (here > by_memory) here = by_memory;
        }
        n += here;
    }
    return n;
}

static const char *scene_mode;
static int64_t n_shared; /* GPUs seen with two jobs */

static void checked_schedule(Sched *s, void *state)
{
    inner->schedule(s, state);
    const Cluster *c = sched_cluster(s);
    for (GpuId g = 0; g < c->spec->n_gpus; g++) {
        const GpuLoad *gpu = sched_gpu_load(s, g);
        if (gpu->n_tasks < 2) continue;
        n_shared++;
        assert_in_range(gpu->load, 1, 900);
        for (const Task *t = gpu->task; t; t = t->next_here)
            for (const Task *u = t->next_here; u; u = u->next_here) assert_true(t->job != u->job);
    }
    if (may_be_passed_over(scene_mode)) {
        JobId head = jobset_next(sched_waiting(s), 0);
        bool by_submission = strcmp(inner->name, "sjf") != 0 && strcmp(scene_mode, "consolidate") != 0;
        if (head >= 0 && by_submission) assert_true(count_room(s, sched_job(s, head)) < sched_job(s, head)->n_gpus);
        return;
    }
    EACH_JOB (id, sched_waiting(s)) {
        const Job *job = sched_job(s, id);
        if (count_room(s, job) >= job->n_gpus)
            fail_msg("%s, place.mode=%s: job %d waits for %d GPUs at %.0f and there is room", inner->name, scene_mode,
                     id, job->n_gpus, time_seconds(sched_now(s)));
    }
}

static void draw(World *w, uint64_t seed)
{
    char text[4000];
    size_t used = 0;
    Rng rng;
    rng_open(&rng, seed, "share", 0);
    int submit = 0;
    for (int i = 0; i < 40; i++) {
        submit += (int)rng_below(&rng, 90);
        used += (size_t)snprintf(text + used, sizeof text - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, submit,
                                 1 << rng_below(&rng, 5), 1 + (int)rng_below(&rng, rng_below(&rng, 4) ? 600 : 3000));
    }
    world_jobs(w, text);
}

static void nothing_waits_that_has_room(void **state)
{
    (void)state;
    static const char *const clusters[] = {"p3", "3x8"}, *const modes[] = {"packed", "count", "random", "consolidate"};
    static const char *const ticks[] = {"60", "0"};
    n_shared = 0;
    EACH_PLAIN_POLICY (p)
        for (int run = 0; run < 8; run++) {
            if (strcmp((*p)->name, "gandiva") == 0) continue; /* packs beyond it, by a rule of its own */
            inner = *p;
            scene_mode = modes[run % 4];
            Policy checked = *inner;
            checked.schedule = checked_schedule;
            SimTime ended[2] = {0};
            for (int again = 0; again < (run ? 1 : 2); again++) {
                World w;
                inside(&w, clusters[run % 2], "x,0,1,1");
                w.seed = (uint64_t)run;
                draw(&w, w.seed);
                world_set(&w, "place.share=0.9");
                world_set(&w, arena_format(&w.arena, "place.mode=%s", scene_mode));
                world_set(&w, arena_format(&w.arena, "run.tick=%s", ticks[run / 4]));
                if (run > 3) world_set(&w, "cost.resume=0"); /* each end of a stall is a decision */
                models_of(&w);
                if (run > 2) demand(&w, run * 80);
                if (!world_try(&w, &checked)) fail_msg("%s", w.err.text);
                for (int i = 0; i < w.result.n; i++) {
                    assert_int_equal(w.result.job[i].state, JOB_DONE);
                    ended[again] += w.result.job[i].ended;
                }
                assert_int_equal(w.result.refusals, 0);
                world_close(&w);
            }
            assert_true(run || ended[0] == ended[1]);
        }
    assert_true(n_shared > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_fit_and_three_do_not),
        cmocka_unit_test(many_overrun_at_once),
        cmocka_unit_test(small_tasks_fill_a_gpu),
        cmocka_unit_test(an_empty_gpu_takes_any_demand),
        cmocka_unit_test(each_mode_chooses_among_gpus_with_room),
        cmocka_unit_test(memory_is_a_wall),
        cmocka_unit_test(preemption_takes_what_it_needs_and_no_more),
        cmocka_unit_test(easy_reserves_on_shared_gpus),
        cmocka_unit_test(in_plain_nothing_shares),
        cmocka_unit_test(nothing_waits_that_has_room),
    };
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
