/* tests/unit_philly.c -- Philly's job log: gaps, attempts, JSON in whole and in pieces. */
#include "tests/testing.h"

#include "tests/shared.h"

/* An attempt on n GPUs of one server, n < 10; the times already carry their quotes. */
#define ATTEMPT(start, end, gpus)                                                                                      \
    "{\"start_time\":" start ",\"end_time\":" end ",\"detail\":[{\"ip\":\"m1\",\"gpus\":[" gpus "]}]}"
#define JOB(id, submit, attempts)                                                                                      \
    "{\"status\":\"Pass\",\"vc\":\"v1\",\"jobid\":\"" id "\",\"user\":\"u\",\"submitted_time\":" submit                \
    ",\"attempts\":[" attempts "]}"
#define AT(time) "\"2017-10-07 " time "\""
#define ONE_GPU  "\"gpu0\""
#define GOOD(id) JOB(id, AT("01:00:00"), ATTEMPT(AT("01:00:10"), AT("01:10:10"), ONE_GPU))
#define MIDNIGHT 1507334400 /* date -ud 2017-10-07 +%s */

#define U01                                                                                                            \
    "[" GOOD("j1") ",\n " JOB("j2", AT("01:01:00"), "") ",\n " JOB(                                                    \
        "j3", AT("01:02:00"),                                                                                          \
        ATTEMPT(AT("01:03:00"), "null", ONE_GPU)) ",\n " JOB("j4", AT("01:04:00"),                                     \
                                                             ATTEMPT("\"None\"", AT("01:09:00"),                       \
                                                                     ONE_GPU)) ",\n " JOB("j5", "\"\"",                \
                                                                                          ATTEMPT(AT("01:03:00"),      \
                                                                                                  AT("01:04:00"),      \
                                                                                                  ONE_GPU)) "]"

static void u01_gaps_have_names(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "log", U01);
    const TraceCounts *c = &r.workload.counts;
    assert_int_equal(c->read, 5);
    assert_int_equal(c->usable, 1);
    assert_job(&r, 0, "j1", MIDNIGHT + 3600, 600, 1);
    assert_int_equal(c->skipped[SKIP_NO_ATTEMPT], 1);
    assert_int_equal(c->skipped[SKIP_STILL_RUNNING], 1);
    assert_int_equal(c->skipped[SKIP_NO_START], 1);
    assert_int_equal(c->skipped[SKIP_NO_SUBMIT], 1);
    assert_true(r.workload.calendar);
    assert_string_equal(r.workload.job[0].vc, "v1");
    reading_close(&r);
    refuses("trace.strict=1", "log", U01,
            "log: 4 records are no usable job (trace.strict=1): j2 (no_attempt), j3 (still_running), j4 (no_start), j5 "
            "(no_submit)");
}

static void u01_every_way_to_say_nothing(void **state)
{
    (void)state;
    const char *ends[] = {"null", "\"None\"", "\"\""};
    char text[2000];
    Reading r;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(text, sizeof text,
                 "[%s,{\"jobid\":\"a\",\"submitted_time\":%s,\"attempts\":[]},{\"jobid\":\"b\",\"submitted_time\":%s,"
                 "\"attempts\":null},{\"jobid\":\"c\",\"submitted_time\":\"2017-10-07 01:00:00\",\"attempts\":[{"
                 "\"start_time\":%s,\"end_time\":%s,\"detail\":[{\"gpus\":[\"g\"]}]}]},{\"jobid\":\"d\"}]",
                 GOOD("j1"), ends[i], ends[i], ends[i], ends[i]);
        reads(&r, "", "log", text);
        assert_int_equal(r.workload.counts.skipped[SKIP_NO_SUBMIT], 3);
        assert_int_equal(r.workload.counts.skipped[SKIP_NO_START], 1);
        reading_close(&r);
    }
    snprintf(text, sizeof text, "[%s,{\"submitted_time\":\"2017-10-07 01:00:00\",\"attempts\":[]}]", GOOD("j1"));
    refuses("", "log", text, "'jobid': expected a value, found none");
}

#define U13                                                                                                            \
    "[" JOB("j", AT("01:00:00"),                                                                                       \
            ATTEMPT(AT("01:00:00"), AT("01:10:00"), ONE_GPU) "," ATTEMPT(AT("01:11:00"), "\"None\"", ONE_GPU)) "]"

static void u13_attempts(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "log", U13);
    assert_job(&r, 0, "j", MIDNIGHT + 3600, 600, 1);
    assert_int_equal(r.workload.counts.partial, 1);
    reading_close(&r);
    refuses("trace.runtime=last", "log", U13, "0 usable jobs (read=1 skipped=1: still_running=1)");
    refuses("trace.runtime=span", "log", U13, "0 usable jobs (read=1 skipped=1: still_running=1)");
}

static void run_time_of_several_attempts(void **state)
{
    (void)state;
    /* 600 s on 2 GPUs, a gap, 300 s on 1 GPU that overlap the third attempt, 120 s; the second has no start. */
    const char *text = "[" JOB("j", AT("01:00:00"),                                       //
                               ATTEMPT(AT("01:00:10"), AT("01:10:10"), "\"a\",\"b\"") "," //
                               ATTEMPT("null", AT("01:12:00"), ONE_GPU) ","               //
                               ATTEMPT(AT("01:20:00"), AT("01:25:00"), ONE_GPU) ","       //
                               ATTEMPT(AT("01:24:00"), AT("01:26:00"), ONE_GPU)) "]";
    const struct {
        const char *setting;
        double duration;
    } cases[] = {{"trace.runtime=sum", 600 + 300 + 120}, {"trace.runtime=span", 1550}, {"trace.runtime=last", 120}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Reading r;
        reads(&r, cases[i].setting, "log", text);
        assert_job(&r, 0, "j", MIDNIGHT + 3600, cases[i].duration, 2);
        assert_int_equal(r.workload.counts.partial, 1);
        reading_close(&r);
    }
}

static void censored_and_cpu_only(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "log",
          "[" GOOD("a") "," JOB("b", AT("01:00:00"), ATTEMPT(AT("01:10:00"), AT("01:09:59"), ONE_GPU)) "," JOB(
              "c", AT("01:00:00"),
              ATTEMPT(AT("01:10:00"), AT("01:11:00"),
                      "")) "," JOB("z", AT("01:00:00"), ATTEMPT(AT("01:10:00"), AT("01:10:00"), ONE_GPU)) "]");
    assert_int_equal(r.workload.counts.skipped[SKIP_CENSORED], 1);
    assert_int_equal(r.workload.counts.skipped[SKIP_CPU_ONLY], 1);
    assert_job(&r, 1, "z", MIDNIGHT + 3600, 0, 1);
    reading_close(&r);
}

static void gpus_over_servers(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "log",
          "[{\"attempts\":[{\"detail\":[{\"gpus\":[\"gpu0\",\"gpu4\"],\"ip\":\"m1\"},{\"gpus\":[\"gpu1\"]}],"
          "\"end_time\":\"2017-10-07 00:01:40\",\"start_time\":\"2017-10-07 00:00:00\"}],\"submitted_time\":"
          "\"2017-10-07 00:00:00\",\"jobid\":\"x\",\"vc\":\"6214e9\"}]");
    assert_job(&r, 0, "x", MIDNIGHT, 100, 3);
    assert_string_equal(r.workload.job[0].vc, "6214e9");
    assert_null(r.workload.job[0].status);
    reading_close(&r);
}

static void forms_of_the_file(void **state)
{
    (void)state;
    const char *forms[] = {
        "[" GOOD("a") "," GOOD("b") "]",
        "\xef\xbb\xbf \r\n\t[\n" GOOD("a") "\n,\n" GOOD("b") "\n]\n\n",
        "{\"jobs\": [" GOOD("a") "," GOOD("b") "] }",
        GOOD("a") "\n" GOOD("b") "\n",
        GOOD("a") " " GOOD("b"),
    };
    char first[17], hash[17];
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        Reading r;
        reads(&r, "", "log", forms[i]);
        assert_string_equal(r.workload.format, "philly");
        workload_hash(&r.workload, i ? hash : first);
        if (i) assert_string_equal(hash, first);
        reading_close(&r);
    }
    refuses("", "log", "[]", "0 usable jobs (read=0 skipped=0)");
    refuses("", "log", "{\"jobs\":[]}", "0 usable jobs (read=0 skipped=0)");
}

static void cut_at_every_length(void **state)
{
    (void)state;
    const char *text = "[" GOOD("a") ",\n" GOOD("b") "\n]";
    for (size_t n = 1; n < strlen(text); n++) {
        Reading r;
        assert_false(reading_bytes(&r, "trace.lenient=1", "log", text, n));
        assert_int_equal(r.err.kind, ERR_DATA);
        assert_non_null(strstr(r.err.text, "found the end of the file"));
        reading_close(&r);
    }
}

static void faults_have_places(void **state)
{
    (void)state;
    refuses("", "log", "[" GOOD("a") "\n" GOOD("b") "]", "log:2:1: expected ',' or ']', found '{'");
    refuses("", "log", "[" GOOD("a") ",]", "expected '{', found ']'");
    refuses("", "log", "[" GOOD("a") "] x", "expected the end of the file, found 'x'");
    refuses("", "log", "[" GOOD("a") "}", "expected ',' or ']', found '}'");
    refuses("", "log", "[1]", "log:1:2: expected '{' or ']', found '1'");
    refuses("", "log", "{\"jobs\":[" GOOD("a") "]", "log:1: expected '}', found the end of the file");
    refuses("", "log", "[" GOOD("a") ",\n {\"jobid\": \"b\",\n  \"vc\": oops}]", "log:3:9: expected valid JSON");
    refuses("", "log", "[" GOOD("a") ",\n {\"jobid\": \"b]", "log:2:2: expected the end of this job");
    refuses("", "log", "[{\"jobid\": \"b\n\"}]", "log:1:14: expected the end of a string, found the end of the line");
    refuses("", "log", "[{\"jobid\": \"a\\u0000b\"}]", "log:1:14: expected valid JSON");
    refuses("", "log", "[{\"a\": [1}}]", "expected valid JSON");
    refuses("", "log", "[{\"jobid\":\"a\",\"jobid\":\"b\"}]", "'jobid': expected each key once");
}

static void wrong_types(void **state)
{
    (void)state;
    Reading r;
    refuses("", "log", "[{\"jobid\":7}]", "log:1:2: 'jobid': expected a text");
    refuses("", "log", "[\n{\"jobid\":\"a\",\"vc\":103959}]", "log:2:1: job 'a': 'vc': expected a text");
    refuses("", "log", "[{\"jobid\":\"a\",\"attempts\":{}}]", "'attempts': expected a list");
    refuses("", "log", "[{\"jobid\":\"a\",\"attempts\":[7]}]", "'attempts': expected a list of objects");
    refuses("", "log", "[{\"jobid\":\"a\",\"attempts\":[{\"detail\":7}]}]", "'detail': expected a list");
    refuses("", "log", "[{\"jobid\":\"a\",\"attempts\":[{\"detail\":[{\"gpus\":2}]}]}]", "'gpus': expected a list");
    refuses("", "log", "[{\"jobid\":\"a\",\"attempts\":[{\"detail\":[{\"gpus\":[2]}]}]}]",
            "'gpus': expected a list of");
    refuses("", "log", "[" JOB("a", "\"2017-13-07 01:00:00\"", "") "]",
            "job 'a': 'submitted_time': expected YYYY-MM-DD hh:mm:ss, found '2017-13-07 01:00:00'");
    refuses("", "log", "[" JOB("a", "1507338000", "") "]", "'submitted_time': expected a text");
    reads(&r, "trace.lenient=1", "log",
          "[{\"jobid\":7},\n" GOOD("a") ",{\"jobid\":\"b\",\"vc\":oops}," JOB("c", "\"soon\"", "") "]");
    assert_int_equal(r.workload.n, 1);
    assert_int_equal(r.workload.counts.skipped[SKIP_BAD_SYNTAX], 2);
    assert_int_equal(r.workload.counts.skipped[SKIP_BAD_NUMBER], 1);
    reading_close(&r);
}

static void keys_are_case_sensitive(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "log", "[" GOOD("a") ",{\"JobId\":\"x\",\"jobid\":\"b\",\"Attempts\":[1],\"queue\":1}]");
    assert_int_equal(r.workload.counts.skipped[SKIP_NO_SUBMIT], 1);
    assert_string_equal(r.workload.notice, "ignored columns: JobId,Attempts,queue");
    reading_close(&r);
}

static void elements_larger_than_a_block(void **state)
{
    (void)state;
    /* A job with 40,000 attempts is larger than the 256 KiB that are read at once. */
    enum { N = 40000 };
    char *text = malloc((size_t)N * 160 + 1000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "[%s,{\"jobid\":\"big\",\"submitted_time\":\"2017-10-07 00:00:00\",\"user\":\"",
                                  GOOD("a"));
    used += (size_t)sprintf(text + used, "q\\\"{[\\\\\",\"attempts\":[");
    for (int i = 0; i < N; i++)
        used += (size_t)sprintf(text + used, "%s%s", i ? "," : "", ATTEMPT(AT("01:00:00"), AT("01:00:03"), ONE_GPU));
    sprintf(text + used, "]}\n,%s]", GOOD("b"));
    Reading r;
    reads(&r, "", "log", text);
    assert_int_equal(r.workload.n, 3);
    assert_job(&r, 0, "big", MIDNIGHT, 3.0 * N, 1);
    assert_string_equal(r.workload.job[0].user, "q\"{[\\");
    reading_close(&r);
    free(text);
}

static void real_sample(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    Reading r;
    reading_open(&r, "");
    if (!trace_read(shared_path("data/philly/sample/cluster_job_log"), NULL, &r.params, &r.arena, &r.workload, &r.err))
        fail_msg("%s", r.err.text);
    assert_int_equal(r.workload.counts.read, 5);
    assert_int_equal(r.workload.counts.usable, 4);
    assert_int_equal(r.workload.counts.skipped[SKIP_NO_ATTEMPT], 1);
    assert_int_equal(r.workload.counts.partial, 1);
    /* Two overlapping attempts of 8 GPUs on two servers: 281,881 s and 42,235 s (date -d on the four stamps). */
    assert_int_equal(r.workload.job[0].n_gpus, 8);
    assert_int_equal(r.workload.job[0].duration, (SimTime)324116 * TIME_SECOND);
    reading_close(&r);
}

static void real_log(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    Reading r;
    reading_open(&r, "trace.strict=1");
    if (!trace_read(shared_path("data/philly/cluster_job_log.gz"), NULL, &r.params, &r.arena, &r.workload, &r.err))
        fail_msg("%s", r.err.text);
    assert_int_equal(r.workload.n, 111549);
    assert_int_equal(r.workload.counts.read, 111549);
    assert_int_equal(r.workload.counts.out_of_order, 0);
    int64_t gpus = 0, seconds = 0;
    for (int i = 0; i < r.workload.n; i++) {
        gpus += r.workload.job[i].n_gpus;
        seconds += r.workload.job[i].duration / TIME_SECOND;
    }
    assert_int_equal(gpus, 194266); /* sums of num_gpus and runtime_span_s in philly_jobs.csv.gz, by awk */
    assert_int_equal(seconds, 3970636575);
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u01_gaps_have_names),
        cmocka_unit_test(u01_every_way_to_say_nothing),
        cmocka_unit_test(u13_attempts),
        cmocka_unit_test(run_time_of_several_attempts),
        cmocka_unit_test(censored_and_cpu_only),
        cmocka_unit_test(gpus_over_servers),
        cmocka_unit_test(forms_of_the_file),
        cmocka_unit_test(cut_at_every_length),
        cmocka_unit_test(faults_have_places),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(keys_are_case_sensitive),
        cmocka_unit_test(elements_larger_than_a_block),
        cmocka_unit_test(real_sample),
        cmocka_unit_test(real_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
