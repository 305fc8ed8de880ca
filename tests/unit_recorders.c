/* tests/unit_recorders.c -- what a run writes down while it goes, on real runs of small worlds. */
#include "tests/scripted.h"

#include "sim/base/json.h"
#include "sim/report/metrics.h"
#include "sim/report/recorders.h"
#include "tests/tempfolder.h"

static const char *at(World *w, const char *name)
{
    return arena_format(&w->arena, "%s/%s", folder, name);
}

static char *content(World *w, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = NEW_ARRAY(&w->arena, char, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* Runs the world with all three recorders, into events.csv, timeline.csv and tracks.json. */
static void record_under(World *w, const Policy *policy)
{
    EventLog *events = event_log_open(&w->arena, at(w, "events.csv"), &w->workload, &w->cluster, 0, &w->err);
    Timeline *timeline = timeline_open(&w->arena, at(w, "timeline.csv"), 0, &w->err);
    GpuTracks *tracks = gpu_tracks_open(&w->arena, at(w, "tracks.json"), &w->workload, &w->cluster, 0, &w->err);
    assert_true(events && timeline && tracks);
    Watcher watchers[] = {
        {&event_log_observer, events}, {&timeline_observer, timeline}, {&gpu_tracks_observer, tracks}};
    SimConfig config = {.workload = &w->workload,
                        .cluster = &w->cluster,
                        .policy = policy,
                        .params = &w->params,
                        .models = w->models,
                        .seed = w->seed,
                        .horizon = w->horizon,
                        .strict = true,
                        .watcher = watchers,
                        .n_watchers = 3};
    if (!sim_run(&config, &w->arena, &w->result, &w->err)) fail_msg("%s", w->err.text);
    assert_true(event_log_close(events, &w->err) && timeline_close(timeline, &w->err) &&
                gpu_tracks_close(tracks, w->result.stopped_at, &w->err));
}

static void record(World *w, const char *policy)
{
    record_under(w, policy_find(policy));
}

static void u29_finish_arrive_start(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,4,10 / b,10,4,10");
    record(&w, "fifo");
    assert_string_equal(content(&w, at(&w, "events.csv")), "time_s,event,job_id,n_gpus,gpus\n"
                                                           "0,arrive,a,4,\n"
                                                           "0,start,a,4,0:0 0:1 0:2 0:3\n"
                                                           "10,end,a,4,0:0 0:1 0:2 0:3\n"
                                                           "10,arrive,b,4,\n"
                                                           "10,start,b,4,0:0 0:1 0:2 0:3\n"
                                                           "20,end,b,4,0:0 0:1 0:2 0:3\n");
    /* Half-open intervals: one row an instant, never a moment at which both hold the GPUs. */
    assert_non_null(
        strstr(content(&w, at(&w, "timeline.csv")), "\n0,4,4,1,0,0,0,,,\n10,4,4,1,0,1,0,,,\n20,0,4,0,0,2,0,,,\n"));
    arena_free(&w.arena);
}

static void u51_ten_tenths(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x1");
    world_jobs(&w, "j0,0,1,0.1 / j1,0,1,0.1 / j2,0,1,0.1 / j3,0,1,0.1 / j4,0,1,0.1 / "
                   "j5,0,1,0.1 / j6,0,1,0.1 / j7,0,1,0.1 / j8,0,1,0.1 / j9,0,1,0.1");
    record(&w, "fifo");
    const char *events = content(&w, at(&w, "events.csv"));
    assert_int_equal(count(events, ",start,"), 10);
    assert_int_equal(count(events, ",end,"), 10);
    for (int i = 0; i < 10; i++) {
        char line[64];
        snprintf(line, sizeof line, i < 9 ? "\n0.%d,end,j%d," : "\n%d,end,j%d,", i < 9 ? i + 1 : 1, i);
        assert_non_null(strstr(events, line));
    }
    Metrics m = metrics_of(&w.result, &w.workload, &w.cluster, MEASURE_ALL, &w.arena);
    assert_true(m.jct.mean == 0.55 && m.makespan == TIME_SECOND);
    arena_free(&w.arena);
}

/* Instants at which only bytes went on leave no row, but the last bytes of a run that was cut do. */
static void a_row_is_a_change(void **state)
{
    (void)state;
    World w;
    world_open(&w, "1x4");
    Timeline *timeline = timeline_open(&w.arena, at(&w, "timeline.csv"), 0, &w.err);
    Census census = {.gpus_total = 4, .gpus_busy = 2, .jobs_running = 1, .load_mean = .5};
    static const int64_t moved[] = {0, 10, 20, 30, 40};
    for (int i = 0; i < 5; i++) {
        census.at = i * TIME_SECOND;
        census.bytes_moved = moved[i];
        if (i == 2) census.jobs_waiting = 1;
        timeline_observer.on_round(timeline, &census, NULL);
    }
    assert_true(timeline_close(timeline, &w.err));
    assert_non_null(strstr(content(&w, at(&w, "timeline.csv")), "bytes_moved\n"
                                                                "0,2,4,1,0,0,0,0.5,0,0\n"
                                                                "2,2,4,1,1,0,0,0.5,0,20\n"
                                                                "4,2,4,1,1,0,0,0.5,0,40\n"));
    arena_free(&w.arena);
}

/* Steps of the timeline, summed up, are the GPU-time held; so are the slices, and those of one GPU never overlap. */
static void timeline_and_tracks_add_up(void **state)
{
    (void)state;
    World w;
    world_open(&w, "2x2");
    world_jobs(&w, "a,0,1,7.5 / b,1,3,4 / \"c,2,1,1 / d,2,2,3.25 / e,9,4,1 / f,9,1,0 / g,30,2,100");
    w.horizon = 35 * TIME_SECOND;
    record(&w, "srtf");
    assert_true(w.result.cut);
    assert_true(w.result.preemptions > 0);

    WideTime area = 0;
    SimTime before = 0;
    int64_t busy = 0;
    char *rest = NULL, *row = strtok_r(content(&w, at(&w, "timeline.csv")), "\n", &rest);
    while ((row = strtok_r(NULL, "\n", &rest))) {
        SimTime now;
        size_t length = strcspn(row, ",");
        assert_true(time_parse_seconds(row, length, &now));
        assert_true(now > before || (now == 0 && before == 0));
        area += (WideTime)(now - before) * busy;
        before = now;
        busy = strtol(row + length + 1, NULL, 10);
    }
    area += (WideTime)(w.result.stopped_at - before) * busy;
    assert_true(area == w.result.gpu_time);

    cJSON *json = cJSON_Parse(content(&w, at(&w, "tracks.json")));
    assert_non_null(json);
    WideTime slices = 0;
    SimTime free_from[4] = {0};
    const cJSON *event;
    bool saw_cut = false;
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(json, "traceEvents"))
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(event, "ph")->valuestring, "X") != 0) continue;
        int gpu = cJSON_GetObjectItemCaseSensitive(event, "tid")->valueint;
        SimTime from = (SimTime)cJSON_GetObjectItemCaseSensitive(event, "ts")->valuedouble;
        SimTime length = (SimTime)cJSON_GetObjectItemCaseSensitive(event, "dur")->valuedouble;
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(event, "pid")->valueint, gpu / 2);
        assert_true(from >= free_from[gpu]);
        free_from[gpu] = from + length;
        slices += length;
        const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args");
        const char *how = cJSON_GetObjectItemCaseSensitive(args, "left by")->valuestring;
        saw_cut |= strcmp(how, "end of the run") == 0;
    }
    cJSON_Delete(json);
    assert_true(slices == w.result.gpu_time && saw_cut);
    arena_free(&w.arena);
}

/* A cluster that no policy may leave idle: exactly 1, first submission not at 0. */
static void u43_never_above_one(void **state)
{
    (void)state;
    EACH_PLAIN_POLICY (p) {
        World w;
        world_open(&w, "2x2");
        world_jobs(&w, "a,5,4,3 / b,5,4,3 / c,5,4,3 / d,11,2,3 / e,11,2,3");
        record(&w, (*p)->name);
        Metrics m = metrics_of(&w.result, &w.workload, &w.cluster, MEASURE_ALL, &w.arena);
        assert_true(m.gpu_allocation == 1 && m.span == 12 * TIME_SECOND);
        assert_true(m.useful == (WideTime)48 * TIME_SECOND);
        arena_free(&w.arena);
    }
}

/* One line for each slice of tracks.json: "tid name from-until", seconds. */
static const char *slices_of(World *w)
{
    const char *text = "";
    cJSON *json = cJSON_Parse(content(w, at(w, "tracks.json")));
    const cJSON *event;
    assert_non_null(json);
    cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(json, "traceEvents"))
    {
        if (strcmp(cJSON_GetObjectItemCaseSensitive(event, "ph")->valuestring, "X") != 0) continue;
        char from[TIME_TEXT], until[TIME_TEXT];
        SimTime start = (SimTime)cJSON_GetObjectItemCaseSensitive(event, "ts")->valuedouble;
        time_format(start, from);
        time_format(start + (SimTime)cJSON_GetObjectItemCaseSensitive(event, "dur")->valuedouble, until);
        text =
            arena_format(&w->arena, "%s%d %s %s-%s\n", text, cJSON_GetObjectItemCaseSensitive(event, "tid")->valueint,
                         cJSON_GetObjectItemCaseSensitive(event, "name")->valuestring, from, until);
    }
    cJSON_Delete(json);
    return text;
}

/* a's two tasks are placed a minute apart; b comes as a guest on GPU 0, has a track of its own there (0 + 3 GPUs), and
 * moves to the other server at 120, for 5.09332 s (see byhand_physics.c).  a is preempted at 180 and resumes at 240, on
 * GPUs 0 and 1, for 30 s; within them, at 240, nothing more happens.  a has done its 300 s at 60 .. 180 and 270 .. 450,
 * undisturbed as 30 % and 30 % of a GPU leave room. */
static void tasks_moves_and_stalls_are_drawn(void **state)
{
    (void)state;
    World w;
    inside(&w, "2x2", "a,0,2,300 / b,60,1,300");
    JobModel *m = models_of(&w);
    shape(&m[0], 1, 2, TOPOLOGY_RING, 10);
    shape(&m[1], 1, 1, TOPOLOGY_RING, 10);
    demand(&w, 300);
    static const Step steps[] = {{0, DO_PLACE, 0, 0, 0},     {60, DO_PLACE, 0, 1, 1},    {60, DO_PLACE, 1, 0, 0},
                                 {120, DO_MIGRATE, 1, 0, 2}, {180, DO_PREEMPT, 0, 0, 0}, {240, DO_PLACE, 0, 0, 0},
                                 {240, DO_PLACE, 0, 1, 1}};
    script = (Script){steps, 7, NULL};
    record_under(&w, &scripted);
    assert_string_equal(content(&w, at(&w, "events.csv")), "time_s,event,job_id,n_gpus,gpus\n"
                                                           "0,arrive,a,2,\n"
                                                           "0,place,a,2,0:0\n"
                                                           "60,arrive,b,1,\n"
                                                           "60,place,a,2,0:1\n"
                                                           "60,place,b,1,0:0\n"
                                                           "120,migrate,b,1,0:0 1:0\n"
                                                           "180,preempt,a,2,0:0 0:1\n"
                                                           "240,place,a,2,0:0\n"
                                                           "240,place,a,2,0:1\n"
                                                           "365.09332,end,b,1,1:0\n"
                                                           "450,end,a,2,0:0 0:1\n");
    assert_string_equal(slices_of(&w), "4 b 60-120\n"
                                       "0 a 0-180\n"
                                       "1 a 60-180\n"
                                       "2 b 120-365.09332\n"
                                       "2 stall 120-125.09332\n"
                                       "0 a 240-450\n"
                                       "0 stall 240-270\n"
                                       "1 a 240-450\n"
                                       "1 stall 240-270\n");
    assert_int_equal(count(content(&w, at(&w, "tracks.json")), "GPU 0, task 2"), 1);
    /* Bytes so far, at the end: b's 933.2 MB. */
    const char *timeline = content(&w, at(&w, "timeline.csv"));
    assert_non_null(strstr(timeline, "\n60,2,4,2,0,0,0,0.225,0,0\n"));
    assert_non_null(strstr(timeline, "\n450,0,4,0,0,2,0,0,0,933200000\n"));
    arena_free(&w.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u29_finish_arrive_start), cmocka_unit_test(u51_ten_tenths),
        cmocka_unit_test(a_row_is_a_change),       cmocka_unit_test(timeline_and_tracks_add_up),
        cmocka_unit_test(u43_never_above_one),     cmocka_unit_test(tasks_moves_and_stalls_are_drawn),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
