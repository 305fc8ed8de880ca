/* sim/report/runset.c -- walking folders, reading back what we wrote. */
#include "sim/report/runset.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/csvline.h"
#include "sim/base/jsontext.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "sim/report/stats.h"

enum { DEEPEST = 4, LARGEST_JSON = 16 << 20 };

static cJSON *read_json(const char *path, Arena *arena, Err *err)
{
    Source *source = source_open(arena, path, err);
    if (!source) return NULL;
    size_t length = 0, room = 64 << 10;
    char *text = arena_alloc(arena, room + 1, 1);
    long got;
    while ((got = source_read(source, text + length, room - length, err)) > 0) {
        length += (size_t)got;
        if (length > LARGEST_JSON) break;
        if (length == room) {
            text = arena_grow(arena, text, length, 2 * room + 1, 1);
            room *= 2;
        }
    }
    source_close(source);
    if (got < 0) return NULL;
    text[length] = '\0';
    int64_t line = 1;
    int column = 1;
    cJSON *json = length > LARGEST_JSON ? NULL : json_parse(text, length, &line, &column);
    if (!json) err_set(err, ERR_DATA, "%s:%lld:%d: expected JSON as mlfs-sim writes it", path, (long long)line, column);
    return json;
}

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

static bool add_run(RunSet *set, const char *folder, const char *path, Arena *arena, Err *err)
{
    cJSON *json = read_json(path, arena, err);
    if (!json) return false;
    FoundRun run = {.folder = folder, .group = group_of(folder, arena)};
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

static bool add_below(RunSet *set, const char *folder, int depth, Arena *arena, Err *err)
{
    const char *path = arena_format(arena, "%s/run.json", folder);
    struct stat info;
    if (stat(path, &info) == 0) return add_run(set, folder, path, arena, err);
    if (depth == DEEPEST) return true;

    struct dirent **entry;
    int n = scandir(folder, &entry, is_visible, by_name);
    if (n < 0) return err_set(err, ERR_USAGE, "%s: cannot be opened: %s", folder, strerror(errno));
    bool fine = true;
    for (int i = 0; i < n; i++) {
        const char *below = arena_format(arena, "%s/%s", folder, entry[i]->d_name);
        if (fine && is_folder(below)) fine = add_below(set, below, depth + 1, arena, err);
        free(entry[i]);
    }
    free(entry);
    return fine;
}

bool runset_add(RunSet *set, const char *operand, Arena *arena, Err *err)
{
    size_t length = strlen(operand);
    while (length > 1 && operand[length - 1] == '/') length--;
    const char *folder = arena_copy_text(arena, operand, length);
    int before = set->n;
    if (!add_below(set, folder, 0, arena, err)) return false;
    if (set->n == before)
        return err_set(err, ERR_USAGE, "%s: expected the folder of a run, with run.json, or one above such folders",
                       folder);
    return true;
}

static bool find_column(const CsvLexer *csv, const char *name, int *column)
{
    for (*column = 0; *column < csv->n_fields; ++*column)
        if (csv_is(&csv->field[*column], name)) return true;
    return false;
}

static SimTime *read_jcts(const FoundRun *run, CsvLexer *csv, const char *path, Arena *arena, int64_t *n, Err *err)
{
    int64_t capacity = 1024;
    SimTime *jct = NEW_ARRAY(arena, SimTime, capacity);
    int column = -1;
    *n = 0;
    for (int64_t row = -1;; row++) { /* the header is row -1 */
        CsvResult result = csv_next(csv, err);
        if (result == CSV_FAILED) return NULL;
        if (result == CSV_END && column >= 0) break;
        bool sound =
            result == CSV_RECORD && (column >= 0 ? column < csv->n_fields : find_column(csv, "jct_s", &column));
        if (!sound) {
            err_set(err, ERR_DATA, "%s:%lld: expected a row of jobs.csv with jct_s", path, (long long)csv->record_line);
            return NULL;
        }
        const CsvField *field = &csv->field[column];
        if (row < run->measure_first || row >= run->measure_last || !field->length) continue;
        if (*n == capacity) {
            jct = arena_grow(arena, jct, (size_t)*n, (size_t)capacity * 2, sizeof *jct);
            capacity *= 2;
        }
        if (!time_parse_seconds(field->text, field->length, &jct[(*n)++])) {
            err_set(err, ERR_DATA, "%s:%lld:%d: expected seconds, not '%.*s'", path, (long long)field->line,
                    field->column, (int)field->length, field->text);
            return NULL;
        }
    }
    sort_integers(jct, *n, NEW_ARRAY(arena, int64_t, *n + 1));
    return jct;
}

SimTime *run_read_jcts(const FoundRun *run, Arena *arena, int64_t *n, Err *err)
{
    const char *path = arena_format(arena, "%s/jobs.csv", run->folder);
    Source *source = source_open(arena, path, err);
    if (!source) return NULL;
    CsvLexer csv = csv_open(source, arena);
    SimTime *jct = read_jcts(run, &csv, path, arena, n, err);
    source_close(source);
    return jct;
}
