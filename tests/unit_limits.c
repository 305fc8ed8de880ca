/* tests/unit_limits.c -- what docs/traces.md bounds is taken up to its bound and refused above it. */
#include "tests/testing.h"

#include "sim/model/clusterspec.h"
#include "sim/model/specbuilder.h"
#include "traces/select.h"
#include "traces/sink.h"

#define HEADER "job_id,submit_s,n_gpus,duration_s\n"

static char *repeated(Arena *arena, const char *before, const char *what, size_t n, const char *middle,
                      const char *after, const char *end)
{
    size_t room = strlen(before) + n * (strlen(what) + strlen(after)) + strlen(middle) + strlen(end) + 1;
    char *text = NEW_ARRAY(arena, char, room), *to = stpcpy(text, before);
    for (size_t i = 0; i < n; i++) to = stpcpy(to, what);
    to = stpcpy(to, middle);
    for (size_t i = 0; i < n; i++) to = stpcpy(to, after);
    stpcpy(to, end);
    return text;
}

/* Brackets in an ignored key of a job, which is one deep itself. */
static void nesting(void **state)
{
    (void)state;
    Arena arena = {0};
    static const char job[] = "[{\"jobid\":\"a\",\"submitted_time\":\"2017-10-07 01:00:00\",\"attempts\":["
                              "{\"start_time\":\"2017-10-07 01:00:00\",\"end_time\":\"2017-10-07 01:00:09\",\"detail\":"
                              "[{\"ip\":\"m\",\"gpus\":[\"g\"]}]}],\"more\":";
    Reading r;
    reads(&r, "", "log", repeated(&arena, job, "[", 63, "\"[[[[\"", "]", "}]"));
    assert_int_equal(r.workload.n, 1);
    reading_close(&r);
    refuses("", "log", repeated(&arena, job, "[", 64, "", "]", "}]"),
            "expected brackets nested 64 deep at most, found one more");
    refuses("", "log", repeated(&arena, job, "[", 200000, "", "", ""), "nested 64 deep at most");
    arena_free(&arena);
}

static bool reads_cluster(Arena *arena, const char *text, Err *err)
{
    *err = (Err){0};
    SpecBuilder builder = spec_builder(arena, "c");
    Source *source = source_open_bytes(arena, "c", text, strlen(text), err);
    bool good = cluster_spec_read_source(source, &builder, arena, err);
    source_close(source);
    return good;
}

static void nesting_of_a_cluster(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err;
    static const char servers[] = "{\"servers\":[{\"count\":1,\"gpus\":1}],\"more\":";
    assert_false(reads_cluster(&arena, repeated(&arena, servers, "[", 63, "", "]", "}"), &err));
    assert_non_null(strstr(err.text, "unknown key 'more'")); /* it was read */
    assert_false(reads_cluster(&arena, repeated(&arena, servers, "[", 64, "", "]", "}"), &err));
    assert_non_null(strstr(err.text, arena_format(&arena, "c:1:%zu: ", strlen(servers) + 64)));
    arena_free(&arena);
}

static void gpus_of_a_server(void **state)
{
    (void)state;
    Arena arena = {0};
    ClusterSpec spec;
    Err err = {0};
    assert_true(cluster_spec_read("2x4096", NULL, &arena, &spec, &err));
    assert_false(cluster_spec_read("2x4097", NULL, &arena, &spec, &err));
    assert_non_null(strstr(err.text, "G from 1 to 4096"));
    assert_true(reads_cluster(&arena, "m,4096,12GB\n", &err));
    assert_false(reads_cluster(&arena, "m,4097,12GB\n", &err));
    assert_non_null(strstr(err.text, "a number of GPUs from 1 to 4096, found '4097'"));
    assert_true(reads_cluster(&arena, "{\"servers\":[{\"count\":1,\"gpus\":4096}]}", &err));
    assert_false(reads_cluster(&arena, "{\"servers\":[{\"count\":1,\"gpus\":4097}]}", &err));
    assert_non_null(strstr(err.text, "a server has at most 4096"));
    arena_free(&arena);
}

static void times(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv", HEADER "a,1000000000000,1,1000000000000\n");
    assert_true(r.workload.job[0].submit == TIME_LIMIT && r.workload.job[0].duration == TIME_LIMIT);
    reading_close(&r);
    refuses("", "t.csv", HEADER "a,1000000000000.000001,1,1\n", "t.csv:2:3: ");
    refuses("", "t.csv", HEADER "a,0,1,1000000000000.000001\n", "t.csv:2:7: ");
    refuses("trace.unit=h", "t.csv", HEADER "a,0,1,277777778\n", "t.csv:2:7: ");
}

static void bytes_of_an_element(void **state)
{
    (void)state;
    Arena arena = {0};
    Reading r;
    static const char job[] = "[{\"jobid\":\"a\",\"attempts\":[],\"more\":\"";
    size_t fits = ((size_t)64 << 20) - strlen(job) - 2; /* with "} and without [; the NUL counts */
    assert_false(reading_bytes(&r, "", "log", repeated(&arena, job, "x", fits, "", "", "\"}]"),
                               strlen(job) + fits + 3)); /* it has no attempt */
    assert_non_null(strstr(r.err.text, "0 usable jobs (read=1 skipped=1: no_submit=1)"));
    reading_close(&r);
    refuses("", "log", repeated(&arena, job, "x", fits + 1, "", "", "\"}]"), "log:1:2: a job larger than 64 MiB");
    arena_free(&arena);
}

/* The bound itself would take minutes to reach, so that the sink has it as a number. */
static void records(void **state)
{
    (void)state;
    Reading r;
    Arena scratch = {0};
    reading_open(&r, "");
    TraceSink sink = sink_open(&r.params, "t.csv", &r.arena, &scratch);
    assert_int_equal(sink.most, 100000000);
    sink.most = 2;
    TraceRecord record = trace_record_at(7, 1);
    record.n_gpus = 1;
    for (int i = 0; i < 3; i++) {
        record.id = (TextSlice){&"abc"[i], 1};
        assert_int_equal(sink_record(&sink, &record, &r.err), i < 2);
    }
    assert_string_equal(r.err.text, "t.csv:7: more than 2 records");
    arena_free(&scratch);
    reading_close(&r);
}

static void copies(void **state)
{
    (void)state;
    enum { N = 10001 };
    Arena arena = {0};
    Err err = {0};
    JobSpec *job = NEW_ARRAY(&arena, JobSpec, N);
    for (int i = 0; i < N; i++) job[i] = (JobSpec){.name = "j", .n_gpus = 1};
    Workload from = {.job = job, .n = N, .load = 1, .arrival_scale = 1}, to;
    Selection s = SELECT_ALL;
    s.load = 9999.5;
    assert_false(select_jobs(&from, &s, 1, &arena, &to, &err));
    assert_string_equal(err.text, "load 9999.5: more than 100000000 jobs");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nesting), cmocka_unit_test(nesting_of_a_cluster), cmocka_unit_test(gpus_of_a_server),
        cmocka_unit_test(times),   cmocka_unit_test(bytes_of_an_element),  cmocka_unit_test(records),
        cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
