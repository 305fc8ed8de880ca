/* tests/unit_phillyout.c -- a generated job log, read back: the jobs of the CSV, at full scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "traces/csvout.h"
#include "traces/generate.h"
#include "traces/phillyout.h"
#include "traces/reader.h"

typedef enum { AS_CSV, AS_PHILLY } Form;

/* Writes a job table, reads it back with one key set, and removes the file. */
static Workload read_back(Arena *arena, const Workload *w, Form form, const char *suffix, const char *setting)
{
    char path[] = "/tmp/unit_phillyout_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    const char *named = arena_format(arena, "%s%s", path, suffix);
    Err err = {0};
    Out *out = out_open(arena, named, &err);
    assert_non_null(out);
    if (form == AS_PHILLY)
        philly_write(out, w, 3);
    else
        workload_write_csv(out, w);
    assert_true(out_close(out, &err));

    Params params = {.arena = arena};
    params_add(&params, "trace", trace_params);
    assert_true(params_set_pair(&params, setting, &err));
    Workload back;
    if (!trace_read(named, NULL, &params, arena, &back, &err)) fail_msg("%s", err.text);
    unlink(named);
    return back;
}

static Workload generated(Arena *arena, int jobs)
{
    GenerateOptions options = {.jobs = jobs, .seed = 3, .arrivals = {ARRIVALS_PHILLY, 1}};
    Workload w;
    Err err = {0};
    assert_true(generate_workload(&options, arena, &w, &err));
    return w;
}

/* The log names a user, "unknown", for every job, and a start; the CSV has neither. */
static void forget_users_and_starts(Arena *arena, Workload *w)
{
    JobSpec *job = NEW_ARRAY(arena, JobSpec, w->n);
    memcpy(job, w->job, (size_t)w->n * sizeof *job);
    for (int i = 0; i < w->n; i++) job[i].user = NULL, job[i].waited = TIME_NEVER;
    w->job = job;
}

static void both_forms_hold_the_same_jobs(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload made = generated(&arena, 117325);
    Workload csv = read_back(&arena, &made, AS_CSV, ".csv", "trace.runtime=sum");
    Workload philly = read_back(&arena, &made, AS_PHILLY, ".json.gz", "trace.runtime=sum");
    assert_string_equal(csv.format, "csv");
    assert_string_equal(philly.format, "philly");
    assert_true(philly.counts.read == made.n && philly.counts.usable == made.n && philly.counts.partial == 0);
    Workload again = read_back(&arena, &philly, AS_CSV, ".csv", "trace.runtime=sum");
    for (int i = 0; i < again.n; i++) assert_true(again.job[i].waited == philly.job[i].waited);
    forget_users_and_starts(&arena, &philly);
    char a[17], b[17], c[17];
    workload_hash(&made, a);
    workload_hash(&csv, b);
    workload_hash(&philly, c);
    assert_string_equal(a, b);
    assert_string_equal(a, c);
    arena_free(&arena);
}

/* Retries: the span from first start to last end also holds the gaps between attempts, for about the log's share. */
static void attempts_are_the_logs(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload made = generated(&arena, 30000);
    Workload span = read_back(&arena, &made, AS_PHILLY, ".json", "trace.runtime=span");
    int retried = 0, failed = 0, failed_retried = 0;
    for (int i = 0; i < made.n; i++) {
        bool longer = span.job[i].duration > made.job[i].duration; /* every gap is at least a second */
        assert_true(span.job[i].duration >= made.job[i].duration);
        retried += longer;
        failed += strcmp(made.job[i].status, "Pass") != 0;
        failed_retried += longer && strcmp(made.job[i].status, "Pass") != 0;
    }
    assert_true((double)retried / made.n > 0.14 && (double)retried / made.n < 0.165);              /* 15.2 % */
    assert_true((double)failed_retried / failed > 0.38 && (double)failed_retried / failed < 0.45); /* 41.7 % */
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_hold_the_same_jobs),
        cmocka_unit_test(attempts_are_the_logs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
