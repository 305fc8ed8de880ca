/* tests/unit_output_docs.c -- docs/output.md lists every key and column that is written, in order, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/base/json.h"
#include "sim/report/compare.h"
#include "sim/report/recorders.h"
#include "sim/report/report.h"
#include "tests/handmade.h"
#include "tests/tempfolder.h"

static const char *at(Arena *arena, const char *name)
{
    return arena_format(arena, "%s/%s", folder, name);
}

static char *content(Arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is not here", path);
    char *text = NEW_ARRAY(arena, char, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

/* The names in the table of one section of the page, one a line; a distribution stands for its eight keys. */
static const char *documented(Arena *arena, const char *section)
{
    const char *names = "";
    const char *text = strstr(content(arena, "docs/output.md"), arena_format(arena, "\n## %s\n", section));
    if (!text) fail_msg("docs/output.md has no section %s", section);
    const char *end = strstr(text + 4, "\n## ");
    for (const char *row = text; (row = strstr(row, "\n| `")) && (!end || row < end); row++) {
        const char *name = row + 4, *unit = strchr(name, '|') + 1;
        int length = (int)strcspn(name, "`"), unit_length = (int)strcspn(unit, "|");
        bool distribution = memmem(unit, (size_t)unit_length, "distribution", 12);
        static const char *const plain[] = {"", NULL};
        static const char *const eight[] = {".n", ".mean", ".p50", ".p90", ".p95", ".p99", ".p999", ".max", NULL};
        for (const char *const *part = distribution ? eight : plain; *part; part++)
            names = arena_format(arena, "%s%.*s%s\n", names, length, name, *part);
        const char *what = strchr(unit, '|') + 1;
        assert_true(unit_length > 2 && strcspn(what, "|\n") > 3); /* nothing without unit and meaning */
    }
    return names;
}

/* Objects whose keys are the user's or are listed elsewhere. */
static bool is_open(const char *path)
{
    return strcmp(path, "options") == 0 || strcmp(path, "parameters") == 0 || strcmp(path, "trace.skipped") == 0;
}

static const char *keys_of(Arena *arena, const cJSON *object, const char *prefix, const char *names)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        const char *path = arena_format(arena, "%s%s", prefix, item->string);
        if (is_open(path)) {
            assert_true(cJSON_IsObject(item) && item->child);
            names = arena_format(arena, "%s%s.*\n", names, path);
        } else if (cJSON_IsObject(item))
            names = keys_of(arena, item, arena_format(arena, "%s.", path), names);
        else if (cJSON_IsArray(item) && cJSON_IsObject(item->child))
            names = keys_of(arena, item->child, arena_format(arena, "%s[].", path), names);
        else
            names = arena_format(arena, "%s%s\n", names, path);
    }
    return names;
}

static const char *keys_in(Arena *arena, const char *path)
{
    cJSON *json = cJSON_Parse(content(arena, path));
    assert_non_null(json);
    const char *names = keys_of(arena, json, "", "");
    cJSON_Delete(json);
    return names;
}

static const char *columns_in(Arena *arena, const char *path)
{
    char *header = content(arena, path);
    header[strcspn(header, "\n") + 1] = '\0';
    for (char *c = header; *c; c++)
        if (*c == ',') *c = '\n';
    return header;
}

static void every_key_and_column_is_documented(void **state)
{
    (void)state;
    HandRun run;
    Err err = {0};
    Selection selection = SELECT_ALL;
    static const RunOption option = {"trace", "hand.csv"};
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, 10, 0}}, 1, -1);
    Arena *arena = &run.arena;
    Params params = {.arena = arena};
    params_add(&params, "out", out_params);
    SimConfig config = {.workload = &run.workload, .cluster = &run.cluster, .params = &params, .horizon = TIME_NEVER};
    Metrics metrics = metrics_of(&run.result, &run.workload, &run.cluster, MEASURE_ALL, arena);
    RunReport report = {.policy = "fifo",
                        .config = &config,
                        .workload_hash = "0",
                        .result = &run.result,
                        .metrics = &metrics,
                        .selection = &selection,
                        .measure = MEASURE_ALL,
                        .option = &option,
                        .n_options = 1};
    if (!report_run(&report, folder, arena, &err)) fail_msg("%s", err.text);
    Timeline *timeline = timeline_open(arena, at(arena, "timeline.csv"), 0, &err);
    EventLog *events = event_log_open(arena, at(arena, "events.csv"), &run.workload, &run.cluster, 0, &err);
    assert_true(timeline && events && timeline_close(timeline, &err) && event_log_close(events, &err));

    assert_string_equal(documented(arena, "summary.json"), keys_in(arena, at(arena, "summary.json")));
    assert_string_equal(documented(arena, "run.json"), keys_in(arena, at(arena, "run.json")));
    assert_string_equal(documented(arena, "overhead.json"), keys_in(arena, at(arena, "overhead.json")));
    assert_string_equal(documented(arena, "jobs.csv"), columns_in(arena, at(arena, "jobs.csv")));
    assert_string_equal(documented(arena, "timeline.csv"), columns_in(arena, at(arena, "timeline.csv")));
    assert_string_equal(documented(arena, "--events FILE"), columns_in(arena, at(arena, "events.csv")));
    Out *out = out_open(arena, at(arena, "compare.csv"), &err);
    compare_write_csv(out, &(Comparison){.n = 0});
    assert_true(out_close(out, &err));
    assert_string_equal(documented(arena, "mlfs-sim compare"), columns_in(arena, at(arena, "compare.csv")));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_key_and_column_is_documented)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
