/* sim/report/runset.c -- walking folders, reading back what we wrote. */
#include "sim/report/runset.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/jsontext.h"
#include "sim/base/text.h"
#include "sim/report/readback.h"
#include "sim/report/stats.h"

enum { DEEPEST = 6 };

static const char *text_of(const cJSON *json, const char *key, Arena *arena)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsString(item) ? arena_copy_text(arena, item->valuestring, strlen(item->valuestring)) : NULL;
}

static bool fill_run(FoundRun *run, const cJSON *json, Arena *arena)
{
    const cJSON *selection = cJSON_GetObjectItemCaseSensitive(json, "selection");
    run->policy = text_of(json, "policy", arena);
    run->workload_hash = text_of(json, "workload_hash", arena);
    if (!json_to_int(cJSON_GetObjectItemCaseSensitive(json, "seed"), 0, (int64_t)1 << 53, &run->seed)) run->seed = -1;
    run->complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "complete"));
    return run->policy && run->workload_hash &&
           json_to_int(cJSON_GetObjectItemCaseSensitive(selection, "measure_first"), 0, INT32_MAX,
                       &run->measure_first) &&
           json_to_int(cJSON_GetObjectItemCaseSensitive(selection, "measure_last"), 0, INT32_MAX, &run->measure_last);
}

/* DIR/POLICY of DIR/POLICY/seed-N, otherwise the folder itself. */
static const char *group_of(const char *folder, Arena *arena)
{
    const char *last = strrchr(folder, '/');
    if (!last || !text_starts(last + 1, "seed-")) return folder;
    return arena_copy_text(arena, folder, (size_t)(last - folder));
}

static bool is_known(const RunSet *set, const struct stat *info)
{
    for (int i = 0; i < set->n; i++)
        if (set->run[i].device == (uint64_t)info->st_dev && set->run[i].inode == (uint64_t)info->st_ino) return true;
    return false;
}

static bool add_run(RunSet *set, const char *folder, const char *path, const struct stat *info, Arena *arena, Err *err)
{
    if (is_known(set, info)) return true;
    cJSON *json = readback_json(path, arena, err);
    if (!json) return false;
    FoundRun run = {.folder = folder,
                    .group = group_of(folder, arena),
                    .device = (uint64_t)info->st_dev,
                    .inode = (uint64_t)info->st_ino};
    bool sound = fill_run(&run, json, arena);
    cJSON_Delete(json);
    if (!sound)
        return err_set(err, ERR_DATA, "%s: expected policy, workload_hash and selection as mlfs-sim writes them", path);
    if (set->n == set->capacity) {
        set->capacity = set->capacity ? 2 * set->capacity : 16;
        set->run = arena_grow(arena, set->run, (size_t)set->n, (size_t)set->capacity, sizeof *set->run);
    }
    set->run[set->n++] = run;
    return true;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not alphasort, which follows the locale */
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool add_below(RunSet *set, const char *folder, int depth, int *found, Arena *arena, Err *err)
{
    const char *path = arena_format(arena, "%s/run.json", folder);
    struct stat info;
    if (stat(path, &info) == 0) {
        ++*found;
        return add_run(set, folder, path, &info, arena, err);
    }
    if (depth == DEEPEST) return true;

    struct dirent **entry;
    int n = scandir(folder, &entry, is_visible, by_name);
    if (n < 0) return err_set(err, ERR_USAGE, "%s: cannot be opened: %s", folder, strerror(errno));
    bool fine = true;
    for (int i = 0; i < n; i++) {
        const char *below = arena_format(arena, "%s/%s", folder, entry[i]->d_name);
        if (fine && is_folder(below)) fine = add_below(set, below, depth + 1, found, arena, err);
        free(entry[i]);
    }
    free(entry);
    return fine;
}

/* How far two folders are alike from the front (or the back), in whole names. */
static size_t alike(const char *a, size_t n_a, const char *b, size_t n_b, bool from_back)
{
    size_t i = 0, whole = 0;
    for (; i < n_a && i < n_b; i++) {
        char x = from_back ? a[n_a - 1 - i] : a[i], y = from_back ? b[n_b - 1 - i] : b[i];
        if (x != y) break;
        if (x == '/') whole = i + 1;
    }
    return whole;
}

/* The policy; where several groups have it, with the part of the folder in which they differ. */
static const char *title_of(const RunGroup group[], int n, int g, Arena *arena)
{
    const char *folder = group[g].folder;
    size_t length = strlen(folder), front = length, back = length;
    for (int h = 0; h < n; h++) {
        if (h == g || strcmp(group[h].policy, group[g].policy) != 0) continue;
        size_t other = strlen(group[h].folder);
        size_t same_front = alike(folder, length, group[h].folder, other, false);
        size_t same_back = alike(folder, length, group[h].folder, other, true);
        front = same_front < front ? same_front : front;
        back = same_back < back ? same_back : back;
    }
    if (front == length) return group[g].policy; /* no other */
    if (front + back >= length) front = back = 0;
    return arena_format(arena, "%s (%.*s)", group[g].policy, (int)(length - front - back), folder + front);
}

RunGroup *runset_groups(const RunSet *set, int *n, Arena *arena)
{
    RunGroup *group = NEW_ARRAY(arena, RunGroup, set->n + 1);
    *n = 0;
    for (int r = 0; r < set->n; r++) {
        const FoundRun *run = &set->run[r];
        int g = 0, same_policy = 0;
        for (; g < *n && strcmp(group[g].folder, run->group) != 0; g++)
            same_policy += strcmp(group[g].policy, run->policy) == 0;
        if (g == *n) {
            group[g] = (RunGroup){.folder = run->group,
                                  .policy = run->policy,
                                  .run = NEW_ARRAY(arena, int, set->n),
                                  .same_policy = same_policy};
            ++*n;
        }
        group[g].run[group[g].n++] = r;
    }
    for (int g = 0; g < *n; g++) group[g].title = title_of(group, *n, g, arena);
    return group;
}

const char *run_file(const FoundRun *run, const char *name, Arena *arena)
{
    return arena_format(arena, "%s/%s", run->folder, name);
}

bool run_measures(const FoundRun *run, int64_t row)
{
    return row >= run->measure_first && row < run->measure_last;
}

bool runset_add(RunSet *set, const char *operand, Arena *arena, Err *err)
{
    size_t length = strlen(operand);
    while (length > 1 && operand[length - 1] == '/') length--;
    const char *folder = arena_copy_text(arena, operand, length);
    int found = 0;
    if (!add_below(set, folder, 0, &found, arena, err)) return false;
    if (!found)
        return err_set(err, ERR_USAGE, "%s: expected the folder of a run, with run.json, or one above such folders",
                       folder);
    return true;
}

SimTime *run_read_jcts(const FoundRun *run, Arena *arena, int64_t *n, Err *err)
{
    ReadColumn jct = {.name = "jct_s", .kind = COLUMN_TIME};
    int64_t rows;
    if (!readback_csv(run_file(run, "jobs.csv", arena), &jct, 1, &rows, arena, err)) return NULL;
    *n = 0;
    for (int64_t row = 0; row < rows; row++)
        if (run_measures(run, row) && jct.time[row] != TIME_NEVER) jct.time[(*n)++] = jct.time[row];
    sort_integers(jct.time, *n, NEW_ARRAY(arena, int64_t, *n + 1));
    return jct.time;
}
