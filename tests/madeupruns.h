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

#include "sim/base/out.h"
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
    put_file(arena, arena_format(arena, "%s/run.json", dir),
             arena_format(arena,
                          "{\"policy\": \"%s\", \"seed\": %d, \"workload_hash\": \"%s\", \"complete\": true, "
                          "\"selection\": {\"measure_first\": %d, \"measure_last\": %d}}\n",
                          policy, seed, hash, first, last));
    return dir;
}

/* A run of which `jcts` are the jct_s column. */
static inline void put_run(Arena *arena, const char *name, const char *policy, int first, int last,
                           const char *const jcts[])
{
    const char *dir = put_run_json(arena, name, policy, 1, "0123456789abcdef", first, last);
    const char *rows = "job_id,state,jct_s,wait_s\n";
    for (int i = 0; jcts[i]; i++) rows = arena_format(arena, "%s\"j,%d\",?,%s,0\n", rows, i, jcts[i]);
    put_file(arena, arena_format(arena, "%s/jobs.csv", dir), rows);
}

#endif
