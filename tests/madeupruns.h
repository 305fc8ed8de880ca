/* tests/madeupruns.h -- folders that look like finished runs, with figures of the test's own. */
#ifndef TESTS_MADEUPRUNS_H
#define TESTS_MADEUPRUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sim/base/json.h"
#include "tests/tempfolder.h"

static inline const char *at(Arena *arena, const char *name)
{
    return arena_format(arena, "%s/%s", folder, name);
}

static inline bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static inline char *content(Arena *arena, const char *path)
{
    enum { LARGEST = 4 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is not here", path);
    char *text = NEW_ARRAY(arena, char, LARGEST);
    size_t length = fread(text, 1, LARGEST - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static inline void put_file(Arena *arena, const char *path, const char *text)
{
    Err err = {0};
    Out *out = out_open(arena, path, &err);
    assert_non_null(out);
    out_text(out, text);
    assert_true(out_close(out, &err));
}

/* FOLDER/name/run.json of jobs first .. last-1 measured; returns the folder. */
static inline const char *put_run_json(Arena *arena, const char *name, const char *policy, int seed, const char *hash,
                                       int first, int last)
{
    Err err = {0};
    const char *dir = at(arena, name);
    assert_true(make_folders(dir, &err));
    cJSON *json = json_object();
    json_set_text(json, "policy", policy);
    json_set_int(json, "seed", seed);
    json_set_text(json, "workload_hash", hash);
    json_set_bool(json, "complete", true);
    cJSON *selection = json_set_object(json, "selection");
    json_set_int(selection, "measure_first", first);
    json_set_int(selection, "measure_last", last);
    Out *out = out_open(arena, arena_format(arena, "%s/run.json", dir), &err);
    assert_non_null(out);
    json_write(out, json);
    assert_true(out_close(out, &err));
    cJSON_Delete(json);
    return dir;
}

static const char timeline[] = "time_s,gpus_busy,gpus_total,jobs_running,jobs_waiting,jobs_done\n"
                               "1000,1,4,1,2,0\n1100,3,4,2,0,1\n1400,0,4,0,0,4\n";

/* A run of which `jcts` are the jct_s column; jobs ask for 1, 1, 2, 3, 4, ... GPUs. */
static inline void put_run(Arena *arena, const char *name, const char *policy, int first, int last,
                           const char *const jcts[])
{
    const char *dir = put_run_json(arena, name, policy, 1, "0123456789abcdef", first, last);
    const char *rows = "job_id,n_gpus,vc,state,jct_s,wait_s,fairness\n";
    for (int i = 0; jcts[i]; i++)
        rows = arena_format(arena, "%s\"j,%d\",%d,,?,%s,0,%s\n", rows, i, i ? i : 1, jcts[i], *jcts[i] ? "1.5" : "");
    put_file(arena, arena_format(arena, "%s/jobs.csv", dir), rows);
    put_file(arena, arena_format(arena, "%s/timeline.csv", dir), timeline);
}

#endif
