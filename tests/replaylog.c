/* tests/replaylog.c -- the busy GPUs of policy `replay` over time against a curve added up from the log itself.
 *
 * The log is read a second time here, with nothing of ours but the JSON library: every job that has what the reading
 * rule needs holds the GPUs of its first attempt from its recorded start, for its run time.  The two curves must agree
 * at every instant at which either changes.  Where ../shared is absent the real log is skipped; a generated one, whose
 * jobs wait before they start, is always there.
 */
#include <time.h>
#include <zlib.h>

#include <cjson/cJSON.h>

#include "tests/shared.h"
#include "tests/tempfolder.h"
#include "tests/world.h"
#include "traces/generate.h"
#include "traces/phillyout.h"

typedef struct Step {
    SimTime at;
    int64_t gpus; /* taken; given back if negative */
} Step;

typedef struct LogCurve {
    Step *step; /* [n], in order of time once sorted, one for each instant at which the sum changes */
    int n, jobs, dropped;
    int64_t peak;
    WideTime area;
} LogCurve;

/* ---- the log, read by hand ---- */

static cJSON *parse_file(const char *path)
{
    gzFile file = gzopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    size_t room = 1 << 20, n = 0;
    char *text = malloc(room + 1);
    for (int got; (got = gzread(file, text + n, (unsigned)(room - n))) > 0;) {
        n += (size_t)got;
        if (n < room) continue;
        char *larger = realloc(text, (room *= 2) + 1);
        assert_non_null(larger);
        text = larger;
    }
    gzclose(file);
    text[n] = 0;
    cJSON *log = cJSON_Parse(text);
    free(text);
    assert_non_null(log);
    return log;
}

/* Seconds since 1970, or -1 for any way to say that there is no such time. */
static int64_t time_of(const cJSON *object, const char *key)
{
    struct tm tm = {0};
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text && strptime(text, "%Y-%m-%d %H:%M:%S", &tm) ? (int64_t)timegm(&tm) : -1;
}

static int gpus_of(const cJSON *attempt)
{
    int n = 0;
    const cJSON *server;
    cJSON_ArrayForEach(server, cJSON_GetObjectItemCaseSensitive(attempt, "detail")) n +=
        cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(server, "gpus"));
    return n;
}

typedef struct Hold {
    int64_t from, seconds;
} Hold;

/* Where trace.runtime puts the job; false: the log does not say. */
static bool hold_of(const cJSON *attempts, const char *rule, Hold *hold)
{
    int n = 0;
    int64_t first = -1, last_start = -1, last_end = -1;
    const cJSON *attempt;
    *hold = (Hold){-1, 0};
    cJSON_ArrayForEach(attempt, attempts)
    {
        last_start = time_of(attempt, "start_time"), last_end = time_of(attempt, "end_time");
        if (n++ == 0) first = last_start;
        if (last_start < 0 || last_end < last_start) continue;
        if (hold->from < 0) hold->from = last_start;
        hold->seconds += last_end - last_start;
    }
    if (strcmp(rule, "span") == 0) *hold = (Hold){first, last_end - first};
    if (strcmp(rule, "last") == 0) *hold = (Hold){last_start, last_end - last_start};
    bool ended = strcmp(rule, "sum") == 0 || last_end >= 0;
    return hold->from >= 0 && ended && hold->seconds >= 0;
}

static int by_time(const void *a, const void *b)
{
    const Step *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static LogCurve curve_of_log(const char *path, const char *rule)
{
    cJSON *log = parse_file(path);
    LogCurve c = {.step = calloc((size_t)cJSON_GetArraySize(log) * 2, sizeof(Step))};
    const cJSON *job;
    int n = 0;
    cJSON_ArrayForEach(job, log)
    {
        const cJSON *attempts = cJSON_GetObjectItemCaseSensitive(job, "attempts");
        int gpus = gpus_of(cJSON_GetArrayItem(attempts, 0));
        Hold hold;
        if (!gpus || time_of(job, "submitted_time") < 0 || !hold_of(attempts, rule, &hold)) {
            c.dropped++;
            continue;
        }
        c.jobs++;
        c.step[n++] = (Step){hold.from * TIME_SECOND, gpus};
        c.step[n++] = (Step){(hold.from + hold.seconds) * TIME_SECOND, -gpus};
        c.area += (WideTime)hold.seconds * TIME_SECOND * gpus;
    }
    cJSON_Delete(log);
    qsort(c.step, (size_t)n, sizeof *c.step, by_time);
    int64_t busy = 0;
    for (int i = 0; i < n;) {
        Step sum = {c.step[i].at, 0};
        for (; i < n && c.step[i].at == sum.at; i++) sum.gpus += c.step[i].gpus;
        if (sum.gpus) c.step[c.n++] = sum;
        busy += sum.gpus;
        if (busy > c.peak) c.peak = busy;
    }
    assert_true(busy == 0);
    return c;
}

/* ---- the simulator's ---- */

typedef struct Follower {
    const LogCurve *curve;
    int next;
    int64_t log_busy;
    SimTime at; /* of the last round; several decisions can fall on one instant */
    int64_t busy;
    int64_t n_differ;
} Follower;

/* What the log says of all instants up to the one that is over. */
static void compare_instant(Follower *f)
{
    const LogCurve *c = f->curve;
    for (; f->next < c->n && c->step[f->next].at <= f->at; f->next++) {
        f->n_differ += c->step[f->next].at < f->at; /* a change that the run has not seen */
        f->log_busy += c->step[f->next].gpus;
    }
    f->n_differ += f->log_busy != f->busy;
}

static void follow(void *self, const Census *census, const Cluster *cluster)
{
    (void)cluster;
    Follower *f = self;
    if (census->at != f->at) compare_instant(f);
    f->at = census->at;
    f->busy = census->gpus_busy;
}
static const Observer follower = {.name = "follower", .on_round = follow};

static int n_late(const World *w)
{
    int n = 0;
    for (int i = 0; i < w->result.n; i++) {
        const JobSpec *spec = &w->workload.job[i];
        n += w->result.job[i].first_started != spec->submit + spec->waited;
    }
    return n;
}

/* Returns how many instants differ. */
static int64_t replay(const LogCurve *curve, const char *path, const char *rule, int gpus, int *late)
{
    World w;
    char cluster[32];
    snprintf(cluster, sizeof cluster, "%dx1", gpus);
    world_open(&w, cluster);
    w.unaudited = true;
    world_set(&w, arena_format(&w.arena, "trace.runtime=%s", rule));
    if (!trace_read(path, NULL, &w.params, &w.arena, &w.workload, &w.err)) fail_msg("%s", w.err.text);
    assert_int_equal(w.workload.n, curve->jobs);
    assert_int_equal(w.workload.counts.read - w.workload.counts.usable, curve->dropped);
    Follower f = {.curve = curve, .at = w.workload.job[0].submit};
    w.also = (Watcher){&follower, &f};
    world_run(&w, "replay");
    compare_instant(&f);
    *late = n_late(&w);
    if (!*late) assert_true(f.next == curve->n && w.result.gpu_time == curve->area);
    world_close(&w);
    return f.n_differ;
}

static void expect_same_curve(const char *path, const char *rule, LogCurve c)
{
    int late;
    assert_int_equal(replay(&c, path, rule, (int)c.peak, &late), 0);
    assert_int_equal(late, 0);
    /* With one GPU less somebody is late and the comparison shows it. */
    assert_true(replay(&c, path, rule, (int)c.peak - 1, &late) > 0 && late > 0);
    print_message("%s (%s): %d jobs, %d dropped, %d changes, at most %d GPUs\n", strrchr(path, '/') + 1, rule, c.jobs,
                  c.dropped, c.n, (int)c.peak);
    free(c.step);
}

static const char *const rules[] = {"sum", "span", "last"};

static void d2_13_the_five_sample_records(void **state)
{
    (void)state;
    if (!shared_is_here()) skip();
    const char *path = shared_path("data/philly/sample/cluster_job_log");
    for (int i = 0; i < 3; i++) {
        LogCurve c = curve_of_log(path, rules[i]);
        assert_int_equal(c.jobs + c.dropped, 5);
        assert_int_equal(c.jobs, i < 2 ? 4 : 3); /* one has no attempt; the last attempt of another has no start */
        expect_same_curve(path, rules[i], c);
    }
}

/* In this copy of the log each job starts when it was submitted. */
static void d2_13_the_whole_log(void **state)
{
    (void)state;
    if (!shared_is_here()) skip();
    const char *path = shared_path("data/philly/cluster_job_log.gz");
    LogCurve c = curve_of_log(path, "sum");
    assert_int_equal(c.jobs, 111549);
    assert_int_equal(c.dropped, 0);
    assert_int_equal(c.peak, 2796);
    expect_same_curve(path, "sum", c);
}

static void d2_13_a_generated_log_whose_jobs_wait(void **state)
{
    (void)state;
    Arena arena = {0};
    Workload w;
    Err err = {0};
    char path[64];
    GenerateOptions options = {.jobs = 5000, .seed = 11, .arrivals = {ARRIVALS_PHILLY, 1}};
    snprintf(path, sizeof path, "%s/generated", folder);
    assert_true(generate_workload(&options, &arena, &w, &err));
    Out *out = out_open(&arena, path, &err);
    assert_non_null(out);
    philly_write(out, &w, options.seed);
    assert_true(out_close(out, &err));
    arena_free(&arena);
    for (int i = 0; i < 3; i++) expect_same_curve(path, rules[i], curve_of_log(path, rules[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d2_13_a_generated_log_whose_jobs_wait),
        cmocka_unit_test(d2_13_the_five_sample_records),
        cmocka_unit_test(d2_13_the_whole_log),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
