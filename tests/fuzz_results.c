/* tests/fuzz_results.c -- any bytes as the files of two runs: compared and made a page of, or one sentence. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/report/compare.h"
#include "sim/report/page.h"
#include "sim/report/paper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const result_files[] = {"run.json", "summary.json", "overhead.json", "jobs.csv", "timeline.csv"};
enum { N_RESULT_FILES = sizeof result_files / sizeof *result_files, PART = 0x1e };

/* The files end with the byte PART; what is missing of the second run is as in the first. */
static void put_runs(const char *folder, const uint8_t *data, size_t size, Arena *arena)
{
    const uint8_t *bytes[2][N_RESULT_FILES] = {{NULL}};
    size_t length[2][N_RESULT_FILES] = {{0}};
    for (int r = 0; r < 2; r++)
        for (int f = 0; f < N_RESULT_FILES; f++) {
            const uint8_t *end = size ? memchr(data, PART, size) : NULL;
            bool missing = r && !size;
            bytes[r][f] = missing ? bytes[0][f] : data;
            length[r][f] = missing ? length[0][f] : end ? (size_t)(end - data) : size;
            size_t past = end ? (size_t)(end - data) + 1 : size;
            data += past;
            size -= past;
            int fd =
                open(arena_format(arena, "%s/%d/%s", folder, r, result_files[f]), O_WRONLY | O_CREAT | O_TRUNC, 0600);
            MUST(fd >= 0 && write(fd, bytes[r][f], length[r][f]) == (ssize_t)length[r][f] && close(fd) == 0);
        }
}

static void check(bool good, Err *err)
{
    if (!good) MUST((err->kind == ERR_USAGE || err->kind == ERR_DATA) && *err->text && !strchr(err->text, '\n'));
    *err = (Err){0};
}

static void compare(const RunSet *set, Arena *arena)
{
    Err err = {0};
    Comparison comparison;
    CompareOptions options = {.test = TEST_WILCOXON, .resamples = 10, .seed = 1};
    bool good = compare_runs(set, options, arena, &comparison, &err);
    check(good, &err);
    if (!good) return;
    Out *out = out_open(arena, "/dev/null", &err);
    compare_write_text(out, &comparison, arena);
    compare_write_csv(out, &comparison);
    compare_write_json(out, &comparison);
    MUST(out_close(out, &err));
}

static void read_runs(const char *folder, Arena *arena)
{
    Err err = {0};
    RunSet set = {0};
    bool good = runset_add(&set, folder, arena, &err);
    check(good, &err);
    if (!good) return;
    compare(&set, arena);
    check(page_write(&set, "/dev/null", arena, &err), &err);
    PaperTable table;
    check(paper_gather(&table, &set, arena, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena arena = {0};
    char folder[] = "/tmp/fuzz_results_XXXXXX";
    MUST(mkdtemp(folder));
    Err err = {0};
    for (int r = 0; r < 2; r++) MUST(make_folders(arena_format(&arena, "%s/%d", folder, r), &err));
    put_runs(folder, data, size, &arena);
    read_runs(folder, &arena);
    for (int r = 0; r < 2; r++) {
        for (int f = 0; f < N_RESULT_FILES; f++) unlink(arena_format(&arena, "%s/%d/%s", folder, r, result_files[f]));
        rmdir(arena_format(&arena, "%s/%d", folder, r));
    }
    MUST(rmdir(folder) == 0);
    arena_free(&arena);
    return 0;
}
