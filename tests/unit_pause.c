/* tests/unit_pause.c -- time slicing by pause and resume, and what may be relaxed; worked out on paper. */
#include "tests/scripted.h"

/* Jobs 0 and 1 take turns on GPU 0, a minute each. */
static void slice_schedule(Sched *s, void *state)
{
    (void)state;
    JobId turn = (JobId)(sched_now(s) / (60 * TIME_SECOND) % 2);
    const Job *own = sched_job(s, turn), *other = sched_job(s, 1 - turn);
    if (!job_is_live(own)) own = other;
    if (other != own && other->state == JOB_RUNNING) assert_int_equal(sched_pause(s, other->id), ASK_GRANTED);
    if (own->state == JOB_PAUSED) assert_int_equal(sched_resume(s, own->id), ASK_GRANTED);
    if (own->state == JOB_WAITING) assert_int_equal(sched_start(s, own->id, (GpuId[]){0}, 1), ASK_GRANTED);
    sched_wake_at(s, sched_now(s) + 60 * TIME_SECOND);
}

/* a runs 0-60, 120.5-180 and 240.5-241, b 60-120, 180.5-240 and, its turn being due at the tick after a's end,
 * 300.5-301: each switch back costs half a second; the first start of each costs nothing. */
static void two_jobs_take_turns(void **state)
{
    (void)state;
    static const Policy slicer = {.name = "slicer", .schedule = slice_schedule};
    World w;
    inside(&w, "1x1", "a,0,1,120 / b,0,1,120");
    models_of(&w);
    if (!world_try(&w, &slicer)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-241, b 60-301");
    assert_true(w.result.job[0].attained == (60 + 60 + 1) * TIME_SECOND); /* paused is waiting, the switch is not */
    assert_true(w.result.outcome[0].restart == TIME_SECOND);
    assert_int_equal(w.result.job[0].preemptions, 0);
    world_close(&w);
}

/* A switch that takes longer than the slice: nobody does any work ever again, and the run says so. */
static void a_switch_longer_than_the_slice(void **state)
{
    (void)state;
    static const Policy slicer = {.name = "slicer", .schedule = slice_schedule};
    World w;
    inside(&w, "1x1", "a,0,1,120 / b,0,1,120");
    world_set(&w, "cost.switch=90");
    models_of(&w);
    assert_false(world_try(&w, &slicer));
    assert_string_equal(w.err.text,
                        "policy slicer at 86520 s: livelock, jobs are stopped, moved and started again before "
                        "they have done any work: 2 live jobs ('a', 'b')");
    world_close(&w);
}

/* A server has memory for four tasks of a big model: paused, a job leaves its GPU memory to others, who may be in the
 * way when it wants to go on. */
static void crowd_schedule(Sched *s, void *state)
{
    (void)state;
    const Job *a = sched_job(s, 0), *b = sched_job(s, 1);
    if (a->state != JOB_WAITING) return;
    assert_int_equal(sched_pause(s, 0), ASK_NOT_RUNNING);
    assert_int_equal(sched_start(s, 0, (GpuId[]){0}, 1), ASK_GRANTED);
    assert_int_equal(sched_resume(s, 0), ASK_NOT_PAUSED);
    assert_int_equal(sched_start(s, 1, (GpuId[]){0}, 1), ASK_NO_ROOM); /* 11.9 + 11.9 of 16 GB */
    assert_int_equal(sched_pause(s, 0), ASK_GRANTED);
    assert_int_equal(sched_gpu_load(s, 0)->memory_mib, 0);
    assert_int_equal(sched_gpu_load(s, 0)->n_tasks, 1); /* it keeps its place */
    assert_int_equal(sched_start(s, 1, (GpuId[]){0}, 1), ASK_GRANTED);
    assert_int_equal(sched_resume(s, 0), ASK_NO_ROOM);
    assert_int_equal(sched_preempt(s, 0), ASK_GRANTED); /* gives its place back */
    assert_int_equal(sched_start(s, 0, (GpuId[]){1}, 1), ASK_GRANTED);
    assert_int_equal(b->state, JOB_RUNNING);
    assert_int_equal(sched_relax(s, 0, STOP_OPTSTOP), ASK_GRANTED);
    assert_int_equal(a->effective, STOP_OPTSTOP);
    assert_int_equal(sched_relax(s, 0, STOP_ACCURACY), ASK_NOT_PERMITTED);
    assert_int_equal(sched_relax(s, 1, STOP_EPOCHS), ASK_NOT_PERMITTED); /* stricter on the GPU than its user wants */
}

static void memory_and_permissions(void **state)
{
    (void)state;
    static const Policy crowd = {.name = "crowd", .schedule = crowd_schedule};
    World w;
    inside(&w, "p3", "a,0,1,100 / b,0,1,100");
    JobModel *m = models_of(&w);
    for (int i = 0; i < 2; i++) m[i].family = &families[FAMILY_TRANSFORMER];
    m[0].stop = STOP_EPOCHS, m[0].stop_limit = STOP_OPTSTOP;
    m[1].stop = STOP_OPTSTOP, m[1].stop_limit = STOP_ACCURACY;
    w.lax = true;
    if (!world_try(&w, &crowd)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-130, b 0-100"); /* a was preempted: it resumes for 30 s */
    assert_int_equal(w.result.refusals, 6);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs_take_turns),
        cmocka_unit_test(a_switch_longer_than_the_slice),
        cmocka_unit_test(memory_and_permissions),
    };
    return cmocka_run_group_tests_name("pause", tests, NULL, NULL);
}
