/* tests/oracle.c -- our schedules against those of other simulators, job by job, to the second.
 *
 * The answers are in ../shared/golden (its README says how they were made); where that folder is absent the tests say
 * so and pass.  Names: fjf = our fit, sjf = smallest (preemptive), shortest = srtf, shortest-gpu = srsf, dlas =
 * tiresias-l on time, dlas-gpu = tiresias-l on GPU-time; consolidated fifo and sjf are the Helios and Lucid
 * simulators'.
 */
#include <zlib.h>

#include "tests/shared.h"
#include "tests/world.h"

typedef struct {
    SimTime start, end;
    int preemptions; /* -1: not told */
} Answer;

typedef struct {
    const char *workload, *scheduler, *cluster, *ours, *settings[4];
    const char *file;    /* start and end of every job */
    const char *counted; /* preemptions of every job, or NULL */
    const char *trace;
} Case;

/* A column of comma-separated text; "" if there is none. */
static void column(const char *line, int index, char text[64])
{
    for (; index > 0 && line; index--) line = (line = strchr(line, ',')) ? line + 1 : NULL;
    snprintf(text, 64, "%.*s", line ? (int)strcspn(line, ",\r\n") : 0, line ? line : "");
}

static int column_named(const char *header, const char *name)
{
    char text[64];
    for (int i = 0; i < 32; i++) {
        column(header, i, text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("no column %s in %s", name, header);
    return -1;
}

static SimTime seconds(const char *text)
{
    SimTime time;
    if (!time_parse_seconds(text, strlen(text), &time)) fail_msg("no time: %s", text);
    return time;
}

static JobId find_job(const World *w, const char *name)
{
    static JobId at; /* files go through the jobs nearly in order */
    for (int i = 0; i < w->workload.n; i++) {
        at = (at + 1) % w->workload.n;
        if (strcmp(w->workload.job[at].name, name) == 0) return at;
    }
    fail_msg("no job %s", name);
    return -1;
}

/* Compares every job named in the file; returns how many differ. */
static int differing(const World *w, const char *path, const char *start_name, const char *end_name, bool preemptions)
{
    char line[512], text[64];
    int differ = 0, n = 0;
    gzFile file = gzopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    assert_non_null(gzgets(file, line, sizeof line));
    int id = column_named(line, "job_id"), start = column_named(line, start_name), end = column_named(line, end_name);
    int preempt = preemptions ? column_named(line, "preempt") : -1;
    for (; gzgets(file, line, sizeof line); n++) {
        column(line, id, text);
        const Job *job = &w->result.job[find_job(w, text)];
        column(line, start, text);
        bool same = job->first_started == seconds(text);
        column(line, end, text);
        same &= job->ended == seconds(text);
        if (preemptions) {
            column(line, preempt, text);
            same &= job->preemptions == atoi(text);
        }
        if (!same && differ++ < 3)
            print_message("differs in %s: ours %g to %g, %d preemptions; theirs %s", path,
                          time_seconds(job->first_started), time_seconds(job->ended), job->preemptions, line);
    }
    gzclose(file);
    assert_int_equal(n, w->workload.n);
    return differ;
}

static void compare(void **state, const char *trace, const char *cluster, const char *answers, const char *counted,
                    const char *policy, const char *const settings[])
{
    (void)state;
    World w;
    world_open(&w, cluster);
    for (int i = 0; settings[i]; i++) world_set(&w, settings[i]);
    if (!trace_read(shared_path(trace), NULL, &w.params, &w.arena, &w.workload, &w.err)) fail_msg("%s", w.err.text);
    world_run(&w, policy);
    assert_int_equal(differing(&w, shared_path(answers), "start", "end", false), 0);
    if (counted) assert_int_equal(differing(&w, shared_path(counted), "start_time", "end_time", true), 0);
    world_close(&w);
}

/* Every policy of the Tiresias simulator in its scheme `count`, on all five pairs of workload and cluster. */
static void tiresias_simulator_count(void **state)
{
    static const struct {
        const char *trace, *workload, *count, *spec, *folder;
    } pairs[] = {
        {"golden/workloads/tiresias_60_job.csv", "60job", "g8", "2x4", "60job_n2g4"},
        {"golden/workloads/tiresias_60_job.csv", "60job", "g16", "4x4", "60job_n4g4"},
        {"golden/workloads/tiresias_60_job.csv", "60job", "g64", "16x4", NULL},
        {"golden/workloads/philly200.csv", "philly200", "g128", "16x8", "philly200_n16g8"},
        {"golden/workloads/philly1k.csv", "philly1k", "g128", "16x8", "philly1k_n16g8"},
    };
    static const struct {
        const char *theirs, *ours, *setting;
    } policies[] = {
        {"fifo", "fifo", NULL},
        {"fjf", "fit", NULL},
        {"sjf", "smallest", "smallest.preempt=1"},
        {"shortest", "srtf", NULL},
        {"shortest-gpu", "srsf", NULL},
        {"dlas", "tiresias-l", "tiresias.service=time"},
        {"dlas-gpu", "tiresias-l", "tiresias.service=gpu_time"},
    };
    if (!shared_is_here()) skip();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < sizeof policies / sizeof *policies; k++) {
            char answers[200], counted[200];
            snprintf(answers, sizeof answers, "golden/canonical/%s_%s_count_%s.csv", pairs[i].workload, pairs[i].count,
                     policies[k].theirs);
            snprintf(counted, sizeof counted, "golden/tiresias/%s/%s_jobs.csv.gz", pairs[i].folder, policies[k].theirs);
            const char *settings[] = {"place.mode=count", "tiresias.compat=1", policies[k].setting, NULL};
            compare(state, pairs[i].trace, pairs[i].spec, answers, pairs[i].folder ? counted : NULL, policies[k].ours,
                    settings);
        }
}

/* Consolidated fifo and sjf on servers of eight GPUs. */
static void helios_simulator_consolidated(void **state)
{
    static const struct {
        const char *trace, *workload, *name, *spec;
    } pairs[] = {
        {"golden/workloads/tiresias_60_job.csv", "60job", "n2x8", "2x8"},
        {"golden/workloads/tiresias_60_job.csv", "60job", "n8x8", "8x8"},
        {"golden/workloads/philly200.csv", "philly200", "n16x8", "16x8"},
        {"golden/workloads/philly1k.csv", "philly1k", "n16x8", "16x8"},
    };
    static const char *const policies[] = {"fifo", "sjf"};
    if (!shared_is_here()) skip();
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t k = 0; k < 2; k++) {
            char answers[200];
            snprintf(answers, sizeof answers, "golden/canonical/%s_%s_consolidate_%s.csv", pairs[i].workload,
                     pairs[i].name, policies[k]);
            const char *settings[] = {"place.mode=consolidate", NULL};
            compare(state, pairs[i].trace, pairs[i].spec, answers, NULL, policies[k], settings);
        }
}

/* ---- 68,503 jobs in eleven virtual clusters ---- */

typedef struct {
    char vc[16], name[16];
    int order;
    SimTime submit, start, end;
    JobSpec spec;
} Row;

static int by_submit_and_order(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    int vc = strcmp(x->vc, y->vc);
    return vc ? vc : (x->order > y->order) - (x->order < y->order);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const JobSpec *)a)->name, ((const JobSpec *)b)->name);
}

static int read_rows(const char *path, Row *rows, int room)
{
    char line[512], text[64];
    gzFile file = gzopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    assert_non_null(gzgets(file, line, sizeof line));
    int n = 0;
    for (; gzgets(file, line, sizeof line); n++) {
        assert_true(n < room);
        Row *r = &rows[n];
        column(line, 0, text);
        snprintf(r->vc, sizeof r->vc, "%.15s", text);
        column(line, 1, text);
        r->order = atoi(text);
        column(line, 2, text);
        snprintf(r->name, sizeof r->name, "%.15s", text);
        column(line, 4, text);
        r->submit = seconds(text);
        column(line, 6, text);
        r->start = seconds(text);
        column(line, 7, text);
        r->end = seconds(text);
    }
    gzclose(file);
    return n;
}

static void helios_simulator_68503_jobs_in_11_vcs(void **state)
{
    (void)state;
    enum { ROOM = 70000 };
    if (!shared_is_here()) skip();
    World w;
    world_open(&w, "352x8");
    world_set(&w, "place.mode=consolidate");
    if (!cluster_spec_read("352x8", shared_path("golden/helios/philly_vc.csv"), &w.arena, &w.cluster, &w.err) ||
        !trace_read(shared_path("golden/helios/cluster_log.csv.gz"), NULL, &w.params, &w.arena, &w.workload, &w.err))
        fail_msg("%s", w.err.text);
    assert_int_equal(w.workload.counts.read, 82247);

    Row *rows = NEW_ARRAY(&w.arena, Row, ROOM);
    int n = read_rows(shared_path("golden/helios/fifo_jobs.csv.gz"), rows, ROOM);
    assert_int_equal(n, 68503);
    qsort(rows, (size_t)n, sizeof *rows, by_submit_and_order);

    SimTime origin;
    assert_true(time_parse_date("2017-10-01 00:00:45", 19, &origin));
    JobSpec *all = arena_grow(&w.arena, w.workload.job, (size_t)w.workload.n, (size_t)w.workload.n, sizeof *all);
    JobSpec *job = NEW_ARRAY(&w.arena, JobSpec, n);
    qsort(all, (size_t)w.workload.n, sizeof *all, by_name);
    for (int i = 0; i < n; i++) {
        const JobSpec *found =
            bsearch(&(JobSpec){.name = rows[i].name}, all, (size_t)w.workload.n, sizeof *all, by_name);
        assert_non_null(found);
        assert_string_equal(found->vc, rows[i].vc);
        assert_true(found->submit - origin == rows[i].submit);
        job[i] = *found;
    }
    w.workload.job = job;
    w.workload.n = n;
    w.unaudited = true; /* the full audit after each of 137,000 rounds on 352 servers takes minutes */
    world_run(&w, "fifo");
    int differ = 0;
    for (int i = 0; i < n; i++) {
        const Job *j = &w.result.job[i];
        differ += j->first_started != origin + rows[i].start || j->ended != origin + rows[i].end;
    }
    assert_int_equal(differ, 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiresias_simulator_count),
        cmocka_unit_test(helios_simulator_consolidated),
        cmocka_unit_test(helios_simulator_68503_jobs_in_11_vcs),
    };
    return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
