/* tests/unit_manifest.c -- the native CSV that convert writes, and the manifest beside it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/base/json.h"
#include "traces/csvout.h"
#include "traces/generate.h"
#include "traces/manifest.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/unit_manifest_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(Arena *arena, const char *name)
{
    return arena_format(arena, "%s/%s", folder, name);
}

/* The file's text, and the file removed; NULL: no such file. */
static const char *taken(Arena *arena, const char *path)
{
    enum { ROOM = 1 << 16 };
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    char *text = NEW_ARRAY(arena, char, ROOM);
    assert_true(fread(text, 1, ROOM - 1, file) < ROOM - 1);
    fclose(file);
    unlink(path);
    return text;
}

static const JobSpec absent = {.waited = 5 * TIME_SECOND,
                               .deadline = TIME_NEVER,
                               .urgency = (double)NAN,
                               .accuracy_required = (double)NAN,
                               .n_gpus = 1};

static void csv_has_the_columns_it_needs(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    JobSpec job[3] = {absent, absent, absent};
    job[0].name = "a,\"b\"";
    job[0].submit = 1500000000123456;
    job[0].duration = 100000;
    job[1].name = "c";
    job[1].n_gpus = 128;
    job[1].vc = "0e4a51";
    job[1].deadline = 90 * TIME_SECOND;
    job[1].urgency = 0.1 + 0.2;
    job[2].name = "d";
    job[2].duration = TIME_LIMIT;
    job[2].epochs = 7;
    job[2].stop_option = "optstop";
    Workload w = {.job = job, .n = 3};
    const char *path = in_folder(&arena, "a.csv");
    Out *out = out_open(&arena, path, &err);
    assert_non_null(out);
    workload_write_csv(out, &w);
    assert_true(out_close(out, &err));
    assert_string_equal(taken(&arena, path),
                        "job_id,submit_s,n_gpus,duration_s,start_s,vc,deadline_s,urgency,epochs,stop_option\n"
                        "\"a,\"\"b\"\"\",1500000000.123456,1,0.1,1500000005.123456,,,,,\n"
                        "c,0,128,0,5,0e4a51,90,0.30000000000000004,,\n"
                        "d,0,1,1000000000000,5,,,,7,optstop\n");
    arena_free(&arena);
}

/* Writes a generated trace and its manifest under `name`; false: err tells. */
static bool written(Arena *arena, const char *path, int jobs, Err *err)
{
    GenerateOptions options = {.jobs = jobs, .seed = 5, .arrivals = {ARRIVALS_PHILLY, 1}};
    Workload read = {.source = "in.csv", .format = "csv", .counts = {.read = 9, .usable = 7}}, w;
    read.counts.skipped[SKIP_NO_START] = 2;
    memset(read.sha256, 'b', 64);
    assert_true(generate_workload(&options, arena, &w, err));
    ManifestFilter filter = {"jobs", "0:2", 7, jobs};
    cJSON *echo = json_object();
    json_set_text(echo, "jobs", "0:2");
    Manifest manifest = {"convert", 5, echo, &read, &filter, 1, &w};
    Out *out = out_open(arena, path, err);
    bool good = false;
    if (out) {
        workload_write_csv(out, &w);
        good = manifest_close(out, path, &manifest, arena, err);
    }
    cJSON_Delete(echo);
    return good;
}

static int64_t number(const cJSON *tree, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(tree, key);
    assert_true(cJSON_IsNumber(item));
    return (int64_t)item->valuedouble;
}

static void u77_a_manifest_tells_where_a_trace_comes_from(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    const char *a = in_folder(&arena, "a.csv"), *b = in_folder(&arena, "b.csv"), *c = in_folder(&arena, "c.csv");
    assert_true(written(&arena, a, 2, &err) && written(&arena, b, 2, &err) && written(&arena, c, 1, &err));
    const char *about_a = taken(&arena, in_folder(&arena, "a.csv.manifest.json"));
    const char *about_b = taken(&arena, in_folder(&arena, "b.csv.manifest.json"));
    const char *about_c = taken(&arena, in_folder(&arena, "c.csv.manifest.json"));
    assert_string_equal(taken(&arena, a), taken(&arena, b));
    assert_string_equal(about_a, about_b); /* the same options, whatever the file's name and the time of day */
    assert_string_not_equal(about_a, about_c);
    assert_non_null(taken(&arena, c));

    cJSON *tree = cJSON_Parse(about_c);
    assert_non_null(tree);
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(tree, "source");
    assert_int_equal(strlen(cJSON_GetObjectItemCaseSensitive(source, "sha256")->valuestring), 64);
    assert_int_equal(number(source, "read"), 9);
    assert_int_equal(number(cJSON_GetObjectItemCaseSensitive(source, "skipped"), "no_start"), 2);
    const cJSON *filter = cJSON_GetObjectItemCaseSensitive(tree, "filters")->child;
    assert_int_equal(number(filter, "jobs_before"), 7);
    assert_int_equal(number(filter, "jobs_after"), 1);
    assert_int_equal(number(tree, "seed"), 5);
    assert_int_equal(number(tree, "jobs"), 1);
    cJSON_Delete(tree);
    arena_free(&arena);
}

static void neither_file_without_the_other(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    const char *a = in_folder(&arena, "a.csv"), *beside = in_folder(&arena, "a.csv.manifest.json");
    assert_int_equal(mkdir(beside, 0777), 0); /* the manifest's name is taken by a folder */
    assert_false(written(&arena, a, 2, &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_int_not_equal(access(a, F_OK), 0);
    assert_int_equal(rmdir(beside), 0);

    err = (Err){0};
    assert_false(written(&arena, "/dev/full", 2, &err)); /* no file: no manifest beside it either */
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_int_not_equal(access("/dev/full.manifest.json", F_OK), 0);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_the_columns_it_needs),
        cmocka_unit_test(u77_a_manifest_tells_where_a_trace_comes_from),
        cmocka_unit_test(neither_file_without_the_other),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
