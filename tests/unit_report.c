/* tests/unit_report.c -- the files of a run, on runs worked out by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/base/json.h"
#include "sim/report/outdir.h"
#include "sim/report/recorders.h"
#include "sim/report/report.h"
#include "tests/handmade.h"
#include "tests/tempfolder.h"

static const char *at(HandRun *run, const char *name)
{
    return arena_format(&run->arena, "%s/%s", folder, name);
}

static char *content(HandRun *run, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NEW_ARRAY(&run->arena, char, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Everything that report_run needs, around a hand-made run. */
typedef struct Around {
    SimConfig config;
    Params params;
    Selection selection;
    Metrics metrics;
    char hash[17];
    RunReport report;
} Around;

static void wrap(Around *a, HandRun *run, const char *origin)
{
    static const char *const command[] = {"mlfs-sim", "run", "hand.csv"};
    static const RunOption options[] = {{"trace", "hand.csv"}, {"cluster", "1x1"}, {"strict", NULL}};
    Err err = {0};
    *a = (Around){.params = {.arena = &run->arena}, .selection = SELECT_ALL};
    params_add(&a->params, "out", out_params);
    assert_true(params_set(&a->params, "out.origin", origin, &err));
    a->config = (SimConfig){.workload = &run->workload,
                            .cluster = &run->cluster,
                            .params = &a->params,
                            .seed = UINT64_MAX,
                            .horizon = TIME_NEVER};
    a->metrics = metrics_of(&run->result, &run->workload, &run->cluster, MEASURE_ALL, &run->arena);
    report_hash_workload(&run->workload, &run->cluster, a->hash);
    a->report = (RunReport){.workload_hash = a->hash,
                            .command = command,
                            .n_command = 3,
                            .policy = "fifo",
                            .config = &a->config,
                            .result = &run->result,
                            .metrics = &a->metrics,
                            .selection = &a->selection,
                            .measure = MEASURE_ALL,
                            .option = options,
                            .n_options = 3,
                            .seconds = 0.5,
                            .threads = 1};
}

#define HEADER                                                                                                         \
    "job_id,user,vc,status,model,n_gpus,replicas,partitions,submit_s,start_s,end_s,state,stop_reason,jct_s,"           \
    "wait_first_s,wait_s,service_s,ideal_s,preemptions,migrations,epochs_done,epochs_max,deadline_s,deadline_met,"     \
    "accuracy_required,accuracy_at_deadline,accuracy_final,accuracy_met,bytes_moved,fairness\n"

static void jobs_csv_has_a_row_for_every_state(void **state)
{
    (void)state;
    HandRun run;
    Around a;
    Err err = {0};
    hand_make(&run, 1, 4,
              (HandJob[]){{"a,1", 1000, 2, 50, 1000, 1050, 50},
                          {"b", 1010, 4, 30, 1050, -1, 0},
                          {"c", 1020, 4, 30, -1, -1, 20},
                          {"d", 1030, 9, 30, -1, -1, 0},
                          {"e", 1070, 1, 30, -1, -1, 0}},
              5, 1060);
    run.job[3].state = JOB_UNSCHEDULABLE;
    run.job[1].preemptions = 3;
    run.spec[0].user = "u\"x";
    run.spec[0].vc = "v 1";
    run.spec[0].status = "Pass";
    run.spec[0].model = "resnet";
    run.spec[0].epochs = 7;
    run.spec[0].replicas = 2;
    run.spec[0].partitions = 1;
    run.spec[0].accuracy_required = 0.1 + 0.2;
    run.spec[0].duration += 100000; /* 50.1 s */
    wrap(&a, &run, "trace");
    assert_true(write_jobs_csv(&a.report, at(&run, "jobs.csv"), &run.arena, &err));
    assert_string_equal(content(&run, at(&run, "jobs.csv")), HEADER
                        "\"a,1\",\"u\"\"x\",v 1,Pass,resnet,2,2,1,1000,1000,1050,completed,,50,0,0,50,50.1,0,0,,7,50,1,"
                        "0.30000000000000004,,,,,0.83166999334664\n" /* 50 / (50.1 x 2 x 2.4 / 4): a, b, c live 50, 40,
                                                                        30 s of a's 50 */
                        "b,,,,,4,,,1010,1050,,running,,,40,40,10,30,3,0,,,,,,,,,,\n"
                        "c,,,,,4,,,1020,,,queued,,,,40,0,30,0,0,,,20,0,,,,,,\n"
                        "d,,,,,9,,,1030,,,unschedulable,,,,,,30,0,0,,,,,,,,,,\n"
                        "e,,,,,1,,,1070,,,not_arrived,,,,,,30,0,0,,,,,,,,,,\n");

    wrap(&a, &run, "first");
    assert_true(write_jobs_csv(&a.report, at(&run, "first.csv"), &run.arena, &err));
    char *text = content(&run, at(&run, "first.csv"));
    assert_non_null(strstr(text, "\nb,,,,,4,,,10,50,,running,,,40,40,10,30,3,0,"));
    arena_free(&run.arena);
}

static cJSON *parsed(HandRun *run, const char *path)
{
    char *text = content(run, path);
    assert_non_null(text);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}

static const char *const summary_keys[] = {
    "jobs",
    "jct_s",
    "wait_s",
    "wait_first_s",
    "slowdown",
    "time_to_accuracy_s",
    "jct_below_100min",
    "makespan_s",
    "deadline_met",
    "accuracy_mean",
    "accuracy_met",
    "bandwidth_bytes",
    "migration_bytes",
    "gpu_allocation",
    "gpu_utilisation",
    "offered_load",
    "finish_time_fairness",
    "preemptions",
    "migrations",
    "overloads",
    "refusals",
    "gpu_seconds",
    "percentile_rule",
    "oracle",
    "backlog_gpu_s",
    "span_s",
    "deadline_met_urgent",
    "failures",
    "by_gpus",
    "complete",
    NULL,
};

static void check_keys(const cJSON *object, const char *const key[])
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        assert_non_null(*key);
        assert_string_equal(item->string, *key++);
    }
    assert_null(*key);
}

static const cJSON *get(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    assert_non_null(item);
    return item;
}

static void u25_summary_keys_never_change(void **state)
{
    (void)state;
    static const char *const job_keys[] = {"read",          "skipped",  "submitted", "completed",
                                           "stopped_early", "running",  "queued",    "unschedulable",
                                           "not_arrived",   "measured", NULL};
    static const char *const distribution_keys[] = {"n", "mean", "p50", "p90", "p95", "p99", "p999", "max", NULL};
    HandRun run;
    Around a;
    Err err = {0};
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, -1, 0}}, 1, 5);
    wrap(&a, &run, "trace");
    assert_true(write_summary_json(&a.report, at(&run, "summary.json"), &run.arena, &err));
    cJSON *json = parsed(&run, at(&run, "summary.json"));
    check_keys(json, summary_keys);
    check_keys(get(json, "jobs"), job_keys);
    assert_int_equal(get(get(json, "jobs"), "submitted")->valueint, 1);
    assert_int_equal(get(get(json, "jobs"), "running")->valueint, 1);
    assert_int_equal(get(get(json, "jobs"), "completed")->valueint, 0);
    static const char *const distributions[] = {"jct_s", "wait_s", "wait_first_s", "slowdown", "time_to_accuracy_s"};
    for (int i = 0; i < 5; i++) check_keys(get(json, distributions[i]), distribution_keys);
    assert_int_equal(get(get(json, "jct_s"), "n")->valueint, 0);
    assert_true(cJSON_IsNull(get(get(json, "jct_s"), "mean")) && cJSON_IsNull(get(get(json, "jct_s"), "p999")));
    assert_true(cJSON_IsNull(get(json, "makespan_s")) && cJSON_IsNull(get(json, "offered_load")));
    assert_true(cJSON_IsNull(get(json, "gpu_utilisation")) && cJSON_IsNull(get(json, "jct_below_100min")));
    cJSON_Delete(json);
    arena_free(&run.arena);
}

static void u53_large_sums_are_written_out(void **state)
{
    (void)state;
    HandRun run;
    Around a;
    Err err = {0};
    hand_make(&run, 1, 2474, (HandJob[]){{"a", 0, 2474, 1000000, 0, 1000000, 0}}, 1, -1);
    wrap(&a, &run, "trace");
    assert_true(write_summary_json(&a.report, at(&run, "summary.json"), &run.arena, &err));
    assert_non_null(strstr(content(&run, at(&run, "summary.json")), "\"useful\":\t2474000000,"));

    a.metrics.useful = (WideTime)9000000000000000000 * TIME_SECOND + 250000; /* no int64 of microseconds */
    assert_true(write_summary_json(&a.report, at(&run, "summary.json"), &run.arena, &err));
    assert_non_null(strstr(content(&run, at(&run, "summary.json")), "\"useful\":\t9000000000000000000.25,"));

    arena_free(&run.arena);
    hand_make(&run, 1, 1, (HandJob[]){{"b", 0, 1, 3000000000, 0, 3000000000, 0}}, 1, -1);
    wrap(&a, &run, "trace");
    assert_true(write_jobs_csv(&a.report, at(&run, "jobs.csv"), &run.arena, &err));
    assert_non_null(strstr(content(&run, at(&run, "jobs.csv")), "\nb,,,,,1,,,0,0,3000000000,completed,"));
    arena_free(&run.arena);
}

static void run_json_says_what_was_run(void **state)
{
    (void)state;
    HandRun run;
    Around a;
    Err err = {0};
    hand_make(&run, 2, 1, (HandJob[]){{"a", 0, 1, 10, 0, 10, 0}}, 1, -1);
    wrap(&a, &run, "trace");
    a.selection.first = 3;
    assert_true(write_run_json(&a.report, at(&run, "run.json"), &run.arena, &err));
    assert_non_null(strstr(content(&run, at(&run, "run.json")), "\"seed\":\t18446744073709551615,"));
    cJSON *json = parsed(&run, at(&run, "run.json"));
    assert_string_equal(get(json, "random_generator")->valuestring, "xoshiro256**");
    assert_true(cJSON_IsTrue(get(json, "complete")) && cJSON_IsFalse(get(json, "oracle")));
    assert_int_equal(strlen(get(json, "workload_hash")->valuestring), 16);
    assert_int_equal(strlen(get(get(json, "trace"), "sha256")->valuestring), 64);
    assert_string_equal(get(get(json, "options"), "cluster")->valuestring, "1x1");
    assert_true(cJSON_IsTrue(get(get(json, "options"), "strict")));
    assert_string_equal(get(get(json, "parameters"), "out.origin")->valuestring, "trace");
    assert_int_equal(get(get(json, "selection"), "first")->valueint, 3);
    assert_true(cJSON_IsNull(get(get(json, "selection"), "last")));
    assert_int_equal(get(get(json, "selection"), "measure_last")->valueint, 1);
    cJSON_Delete(json);

    /* Another cluster or another job is another workload. */
    char other[17];
    run.cluster.n_servers = 1;
    report_hash_workload(&run.workload, &run.cluster, other);
    assert_string_not_equal(other, a.hash);
    run.cluster.n_servers = 2;
    report_hash_workload(&run.workload, &run.cluster, other);
    assert_string_equal(other, a.hash);
    run.spec[0].duration++;
    report_hash_workload(&run.workload, &run.cluster, other);
    assert_string_not_equal(other, a.hash);
    arena_free(&run.arena);
}

static void overhead_json_tells_round_times(void **state)
{
    (void)state;
    HandRun run;
    Around a;
    Err err = {0};
    int64_t rounds[] = {3000, 1500, 1000, 500};
    int32_t waiting[] = {2001, 2000, 500, 499};
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, 10, 0}}, 1, -1);
    run.result.round_ns = rounds;
    run.result.round_waiting = waiting;
    run.result.n_round_ns = 4;
    run.result.n_events = 10;
    wrap(&a, &run, "trace");
    assert_true(write_overhead_json(&a.report, at(&run, "overhead.json"), &run.arena, &err));
    cJSON *json = parsed(&run, at(&run, "overhead.json"));
    const cJSON *round = get(json, "round_us");
    assert_true(get(round, "mean")->valuedouble == 1.5 && get(round, "p50")->valuedouble == 1.25);
    assert_true(get(round, "max")->valuedouble == 3 && get(json, "events_per_s")->valuedouble == 20);
    assert_true(get(json, "peak_memory_bytes")->valuedouble > 100000);
    assert_true(cJSON_IsNull(get(get(json, "blas"), "build")) && cJSON_IsNull(get(get(json, "blas"), "threads")));
    const cJSON *crowded = get(json, "round_1000_us"); /* the second and the third */
    assert_true(get(crowded, "n")->valueint == 2 && get(crowded, "mean")->valuedouble == 1.25);
    assert_true(get(crowded, "max")->valuedouble == 1.5);
    assert_int_equal(rounds[0], 3000); /* the result stays as it was */
    cJSON_Delete(json);
    arena_free(&run.arena);
}

static void timeline_has_one_row_an_instant(void **state)
{
    (void)state;
    HandRun run = {0};
    Err err = {0};
    Timeline *timeline = timeline_open(&run.arena, at(&run, "timeline.csv"), hand_time(100), &err);
    assert_non_null(timeline);
    Census c = {.at = hand_time(100), .gpus_total = 8, .gpus_busy = 2, .jobs_running = 1};
    c.load_mean = (double)NAN;
    c.servers_overloaded = -1;
    c.bytes_moved = -1;
    timeline_observer.on_round(timeline, &c, NULL);
    c.gpus_busy = 3; /* a second decision at the same instant */
    timeline_observer.on_round(timeline, &c, NULL);
    c.at = hand_time(102) + 500000;
    c.jobs_done = 1;
    c.jobs_waiting = 4;
    c.tasks_waiting = 9;
    c.load_mean = 0.5;
    c.servers_overloaded = 0;
    c.bytes_moved = 12;
    timeline_observer.on_round(timeline, &c, NULL);
    assert_false(exists(at(&run, "timeline.csv")));
    assert_true(timeline_close(timeline, &err));
    assert_string_equal(content(&run, at(&run, "timeline.csv")),
                        "time_s,gpus_busy,gpus_total,jobs_running,jobs_waiting,jobs_done,tasks_waiting,load_mean,"
                        "servers_overloaded,bytes_moved\n"
                        "0,3,8,1,0,0,0,,,\n"
                        "2.5,3,8,1,4,1,9,0.5,0,12\n");
    timeline_abandon(NULL);
    arena_free(&run.arena);
}

static void put_file(HandRun *run, const char *path, const char *text)
{
    Err err = {0};
    Out *out = out_open(&run->arena, path, &err);
    assert_non_null(out);
    out_text(out, text);
    assert_true(out_close(out, &err));
}

static void outdir_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    HandRun run = {0};
    OutDir out;
    Err err = {0};
    const char *dir = at(&run, "deep/er");

    assert_true(outdir_begin(&out, &run.arena, dir, "fifo", &err));
    put_file(&run, arena_format(&run.arena, "%s/run.json", out.working), "1");
    put_file(&run, arena_format(&run.arena, "%s/stale.txt", out.working), "1");
    assert_false(exists(at(&run, "deep/er/fifo")));
    assert_true(outdir_commit(&out, &err));
    assert_string_equal(content(&run, at(&run, "deep/er/fifo/run.json")), "1");

    /* The next one replaces it, its neighbour stays. */
    assert_true(outdir_begin(&out, &run.arena, dir, "srtf", &err));
    assert_true(outdir_commit(&out, &err));
    assert_true(outdir_begin(&out, &run.arena, dir, "fifo", &err));
    const char *working = out.working;
    put_file(&run, arena_format(&run.arena, "%s/run.json", out.working), "2");
    assert_true(outdir_commit(&out, &err));
    outdir_abandon(&out);
    assert_string_equal(content(&run, at(&run, "deep/er/fifo/run.json")), "2");
    assert_false(exists(at(&run, "deep/er/fifo/stale.txt")));
    assert_true(exists(at(&run, "deep/er/srtf")));
    assert_false(exists(working) || exists(out.old));

    /* One that failed leaves the earlier results. */
    assert_true(outdir_begin(&out, &run.arena, dir, "fifo", &err));
    put_file(&run, arena_format(&run.arena, "%s/run.json", out.working), "3");
    outdir_abandon(&out);
    assert_false(exists(working));
    assert_string_equal(content(&run, at(&run, "deep/er/fifo/run.json")), "2");
    arena_free(&run.arena);
}

static void outdir_refuses_what_is_not_ours(void **state)
{
    (void)state;
    HandRun run = {0};
    OutDir out;
    Err err = {0};
    assert_true(make_folders(at(&run, "src/rl"), &err));
    put_file(&run, at(&run, "src/rl/agent.c"), "int x;");
    assert_false(outdir_begin(&out, &run.arena, at(&run, "src"), "rl", &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_non_null(strstr(err.text, "src/rl"));
    outdir_abandon(&out);
    assert_true(exists(at(&run, "src/rl/agent.c")));

    err = (Err){0};
    assert_false(outdir_begin(&out, &run.arena, at(&run, "src/rl"), "agent.c", &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    err = (Err){0};
    assert_false(outdir_begin(&out, &run.arena, at(&run, "src/rl/agent.c"), "fifo", &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    err = (Err){0};
    assert_false(outdir_begin(&out, &run.arena, "/proc/nowhere", "fifo", &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    arena_free(&run.arena);
}

static void a_full_disk_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    HandRun run;
    Around a;
    Err err = {0};
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, 10, 0}}, 1, -1);
    wrap(&a, &run, "trace");
    assert_false(write_jobs_csv(&a.report, "/dev/full", &run.arena, &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    err = (Err){0};
    assert_false(report_run(&a.report, at(&run, "absent"), &run.arena, &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_true(make_folders(at(&run, "whole"), &(Err){0}));
    err = (Err){0};
    assert_true(report_run(&a.report, at(&run, "whole"), &run.arena, &err));
    assert_true(exists(at(&run, "whole/jobs.csv")) && exists(at(&run, "whole/overhead.json")) &&
                exists(at(&run, "whole/run.json")) && exists(at(&run, "whole/summary.json")));
    arena_free(&run.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_csv_has_a_row_for_every_state),     cmocka_unit_test(u25_summary_keys_never_change),
        cmocka_unit_test(u53_large_sums_are_written_out),         cmocka_unit_test(run_json_says_what_was_run),
        cmocka_unit_test(overhead_json_tells_round_times),        cmocka_unit_test(timeline_has_one_row_an_instant),
        cmocka_unit_test(outdir_appears_whole_or_not_at_all),     cmocka_unit_test(outdir_refuses_what_is_not_ours),
        cmocka_unit_test(a_full_disk_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
