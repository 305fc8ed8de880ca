/* tests/unit_width.c -- jobs that run with fewer replicas than they asked for; worked out on paper. */
#include "tests/scripted.h"

#include "sim/report/recorders.h"
#include "tests/tempfolder.h"

/* One job of four replicas of one task each whose exchange is hidden behind the compute: at D' of 4 replicas it runs at
 * D'/4 of its speed. */
static void four_replicas(World *w)
{
    inside(w, "1x4", "a,0,4,1000");
    world_set(w, "physics.overlap_ring=1");
    JobModel *m = models_of(w);
    shape(m, 4, 1, TOPOLOGY_RING, 1000);
    m->volumes = (Volumes){0};
}

static void breathe_schedule(Sched *s, void *state)
{
    (void)state;
    const Job *a = sched_job(s, 0);
    if (!job_is_live(a)) return;
    switch (sched_now(s) / TIME_SECOND) {
    case 0:
        assert_int_equal(sched_start_narrow(s, 0, 2, (GpuId[]){0, 1}, 2), ASK_GRANTED);
        assert_int_equal(sched_width(s, a), 2);
        break;
    case 120: assert_int_equal(sched_widen(s, 0, (GpuId[]){2}, 1), ASK_GRANTED); break;
    case 240:
        assert_int_equal(sched_width(s, a), 3);
        assert_int_equal(sched_narrow(s, 0, 0), ASK_GRANTED);
        assert_true(!sched_replica_placed(s, a, 0) && sched_replica_placed(s, a, 1) && sched_replica_placed(s, a, 2));
        assert_int_equal(sched_pool(s)->n_free, 2);
        break;
    case 360: assert_int_equal(sched_pause(s, 0), ASK_GRANTED); break;
    case 420: assert_int_equal(sched_resume(s, 0), ASK_GRANTED); break;
    case 480: /* first the replica that it gave back, then the one it never had */
        assert_int_equal(sched_widen(s, 0, (GpuId[]){3}, 1), ASK_GRANTED);
        assert_true(sched_replica_placed(s, a, 0) && !sched_replica_placed(s, a, 3));
        assert_int_equal(sched_widen(s, 0, (GpuId[]){0}, 1), ASK_GRANTED);
        assert_int_equal(sched_width(s, a), 4);
        break;
    }
    sched_wake_at(s, sched_now(s) + 60 * TIME_SECOND);
}
static const Policy breathe = {.name = "breathe", .schedule = breathe_schedule};

/* Done at 120: 60 (two of four).  A stall of 30 s, then three of four: 127.5 at 240.  A stall, then two: 172.5 at 360.
 * Paused until 420, half a second of switching: 202.25 at 480.  A stall, then all four: 797.75 s more from 510 on.
 * GPU seconds at work are the 4000 of a job that was never narrow, and stalls hold 3, 2, 2 (for .5 s) and 4 GPUs. */
static void a_job_breathes(void **state)
{
    (void)state;
    World w;
    four_replicas(&w);
    if (!world_try(&w, &breathe)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-1307.75");
    const JobOutcome *o = &w.result.outcome[0];
    assert_true(o->useful == 4000 * TIME_SECOND && o->restart == 271 * TIME_SECOND && o->idle == 0);
    assert_true(o->epochs_done == 1000 && w.result.waiting_time == 60 * TIME_SECOND);
    assert_true(w.result.gpu_time == (WideTime)(2 * 120 + 3 * 120 + 2 * 240 + 4 * 827) * TIME_SECOND + 3 * TIME_SECOND);
    assert_true(w.result.job[0].preemptions == 0 && w.result.refusals == 0);
    world_close(&w);
}

static char *content(World *w, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = NEW_ARRAY(&w->arena, char, 1 << 16);
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Its events name the GPUs that come and go, and each GPU's track is left and taken again with them: GPU 0 for
 * 0-240 and from 480 on, GPU 1 with a gap for the pause. */
static void events_and_tracks_follow_it(void **state)
{
    (void)state;
    World w;
    four_replicas(&w);
    const char *events = arena_format(&w.arena, "%s/events.csv", folder);
    const char *tracks = arena_format(&w.arena, "%s/tracks.json", folder);
    EventLog *log = event_log_open(&w.arena, events, &w.workload, &w.cluster, 0, &w.err);
    GpuTracks *gpus = gpu_tracks_open(&w.arena, tracks, &w.workload, &w.cluster, 0, &w.err);
    Watcher watchers[] = {{&event_log_observer, log}, {&gpu_tracks_observer, gpus}};
    SimConfig config = {.workload = &w.workload,
                        .cluster = &w.cluster,
                        .policy = &breathe,
                        .params = &w.params,
                        .models = w.models,
                        .horizon = TIME_NEVER,
                        .strict = true,
                        .watcher = watchers,
                        .n_watchers = 2};
    if (!sim_run(&config, &w.arena, &w.result, &w.err)) fail_msg("%s", w.err.text);
    assert_true(event_log_close(log, &w.err) && gpu_tracks_close(gpus, w.result.stopped_at, &w.err));
    assert_string_equal(content(&w, events), "time_s,event,job_id,n_gpus,gpus\n"
                                             "0,arrive,a,4,\n"
                                             "0,start,a,4,0:0 0:1\n"
                                             "120,place,a,4,0:2\n"
                                             "240,evict,a,4,0:0\n"
                                             "360,pause,a,4,0:1 0:2\n"
                                             "420,resume,a,4,0:1 0:2\n"
                                             "480,place,a,4,0:3\n"
                                             "480,place,a,4,0:0\n"
                                             "1307.75,end,a,4,0:3 0:1 0:2 0:0\n");
    const char *text = content(&w, tracks);
    static const char *const slices[] = {
        "\"tid\":0,\"ts\":0,\"dur\":240000000",         "\"tid\":0,\"ts\":480000000,\"dur\":827750000",
        "\"tid\":1,\"ts\":0,\"dur\":360000000",         "\"tid\":1,\"ts\":420000000,\"dur\":887750000",
        "\"tid\":2,\"ts\":120000000,\"dur\":240000000", "\"tid\":2,\"ts\":420000000,\"dur\":887750000",
        "\"tid\":3,\"ts\":480000000,\"dur\":827750000",
    };
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
        if (!strstr(text, slices[i])) fail_msg("no slice %s", slices[i]);
    world_close(&w);
}

/* A job of two replicas of two tasks and a parameter server, on six GPUs of which b has one. */
static void refuse_schedule(Sched *s, void *state)
{
    (void)state;
    const Job *a = sched_job(s, 0);
    if (a->state != JOB_WAITING) return;
    assert_int_equal(sched_start(s, 1, (GpuId[]){5}, 1), ASK_GRANTED);
    assert_int_equal(sched_start_narrow(s, 0, 0, NULL, 1), ASK_WRONG_COUNT);
    assert_int_equal(sched_start_narrow(s, 0, 3, (GpuId[]){0, 1, 2, 3, 4, 5, 0}, 7), ASK_WRONG_COUNT);
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0, 1}, 2), ASK_WRONG_COUNT); /* and the server? */
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0, 6, 0}, 3), ASK_NO_SUCH_GPU);
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0, 5, 0}, 3), ASK_NO_ROOM); /* two big models on a GPU */
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0, 1, 6}, 3), ASK_NO_SUCH_GPU);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){0, 1}, 2), ASK_NOT_RUNNING);
    assert_int_equal(sched_narrow(s, 0, 0), ASK_NOT_RUNNING);
    assert_int_equal(sched_pool(s)->n_free, 5); /* nothing of all this is left behind */
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0, 1, 0}, 3), ASK_GRANTED);
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){2, 3, 2}, 3), ASK_NOT_WAITING);
    assert_int_equal(sched_narrow(s, 0, 0), ASK_LAST_REPLICA);
    assert_int_equal(sched_narrow(s, 0, 1), ASK_NOT_WHOLE);
    assert_int_equal(sched_narrow(s, 0, 2), ASK_NO_SUCH_TASK);
    assert_int_equal(sched_narrow(s, 2, 0), ASK_NO_SUCH_JOB);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){2}, 1), ASK_WRONG_COUNT);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){2, 5}, 2), ASK_NO_ROOM);
    assert_int_equal(sched_pool(s)->n_free, 3);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){2, 3}, 2), ASK_GRANTED);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){4, 5}, 2), ASK_NOT_NARROW);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const Policy refuse = {.name = "refuse", .schedule = refuse_schedule};
    World w;
    inside(&w, "1x6", "a,0,4,1000 / b,0,1,1000");
    ServerClass small = w.cluster.class_of[0];
    small.gpu_memory_mib = 16384;
    w.cluster.class_of = &small;
    JobModel *m = models_of(&w);
    shape(m, 2, 2, TOPOLOGY_SERVER, 1000);
    m[0].volumes = (Volumes){0};
    m[0].family = m[1].family = &families[FAMILY_TRANSFORMER];
    w.lax = true;
    if (!world_try(&w, &refuse)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-1030, b 0-1000"); /* widened at once, it stalls all the same */
    assert_int_equal(w.result.refusals, 16);
    world_close(&w);
}

static void plain_schedule(Sched *s, void *state)
{
    (void)state;
    if (sched_job(s, 0)->state != JOB_WAITING) return;
    assert_int_equal(sched_start_narrow(s, 0, 1, (GpuId[]){0}, 1), ASK_NO_INSIDE);
    assert_int_equal(sched_start(s, 0, (GpuId[]){0, 1}, 2), ASK_GRANTED);
    assert_int_equal(sched_widen(s, 0, (GpuId[]){0}, 1), ASK_NO_INSIDE);
    assert_int_equal(sched_narrow(s, 0, 1), ASK_NO_INSIDE);
}

static void in_plain_all_is_refused(void **state)
{
    (void)state;
    static const Policy plain = {.name = "plain", .schedule = plain_schedule};
    World w;
    world_open(&w, "1x2");
    world_jobs(&w, "a,0,2,10");
    w.lax = true;
    if (!world_try(&w, &plain)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-10");
    assert_int_equal(w.result.refusals, 3);
    world_close(&w);
}

/* A paused task moves with its place and its host memory: GPU 1 is given up for GPU 3, where it goes on, having stalled
 * while it was paused; its files are copied within the server. */
static void move_schedule(Sched *s, void *state)
{
    (void)state;
    switch (sched_now(s) / TIME_SECOND) {
    case 0:
        assert_int_equal(sched_start_narrow(s, 0, 2, (GpuId[]){0, 1}, 2), ASK_GRANTED);
        assert_int_equal(sched_pause(s, 0), ASK_GRANTED);
        assert_int_equal(sched_place(s, 0, 2, 2), ASK_NOT_RUNNING);
        assert_int_equal(sched_evict(s, 0, 1), ASK_NOT_RUNNING);
        assert_int_equal(sched_widen(s, 0, (GpuId[]){2}, 1), ASK_NOT_RUNNING);
        assert_int_equal(sched_migrate(s, 0, 1, 3), ASK_GRANTED);
        assert_true(sched_gpu_load(s, 3)->load == 0 && sched_gpu_load(s, 3)->memory_mib == 0);
        assert_int_equal(sched_gpu_load(s, 3)->n_tasks, 1);
        assert_int_equal(sched_gpu_load(s, 1)->n_tasks, 0);
        break;
    case 60:
        assert_int_equal(sched_resume(s, 0), ASK_GRANTED);
        assert_true(sched_gpu_load(s, 3)->load > 0);
        break;
    case 120: /* preempted as it is, it starts again whole */
        assert_int_equal(sched_pause(s, 0), ASK_GRANTED);
        assert_int_equal(sched_preempt(s, 0), ASK_GRANTED);
        assert_int_equal(sched_start(s, 0, (GpuId[]){0, 1, 2, 3}, 4), ASK_GRANTED);
        break;
    }
    sched_wake_at(s, sched_now(s) + 60 * TIME_SECOND);
}

/* Done at 120: 59.5 s at half speed; then a resume of 30 s and the rest at full speed. */
static void a_paused_task_moves(void **state)
{
    (void)state;
    static const Policy move = {.name = "move", .schedule = move_schedule};
    World w;
    four_replicas(&w);
    w.lax = true;
    if (!world_try(&w, &move)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-1120.25");
    assert_int_equal(w.result.refusals, 3);
    assert_int_equal(w.result.migrations, 1);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_breathes),
        cmocka_unit_test(events_and_tracks_follow_it),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(in_plain_all_is_refused),
        cmocka_unit_test(a_paused_task_moves),
    };
    return cmocka_run_group_tests_name("width", tests, make_folder, remove_folder);
}
