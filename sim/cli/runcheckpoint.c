/* sim/cli/runcheckpoint.c -- which files belong to a checkpoint, and where it lies. */
#include "sim/cli/runcheckpoint.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/out.h"
#include "sim/base/snapshot.h"
#include "sim/base/text.h"

typedef struct FileList {
    Arena *arena;
    const char **path; /* [n] */
    int n, capacity;
} FileList;

static void list_add(FileList *list, const char *path)
{
    if (list->n == list->capacity) {
        int larger = list->capacity ? 2 * list->capacity : 16;
        list->path = arena_grow(list->arena, list->path, (size_t)list->n, (size_t)larger, sizeof *list->path);
        list->capacity = larger;
    }
    list->path[list->n++] = path;
}

static bool has(const FileList *list, int n, const char *path)
{
    for (int i = 0; i < n; i++)
        if (strcmp(list->path[i], path) == 0) return true;
    return false;
}

static void list_below(FileList *list, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (text_starts(entry->d_name, ".") || text_starts(entry->d_name, "checkpoint")) continue;
        const char *path = arena_format(list->arena, "%s/%s", folder, entry->d_name);
        struct stat info;
        if (lstat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) list_below(list, path);
        if (S_ISREG(info.st_mode)) list_add(list, path);
    }
    closedir(dir);
}

/* What a process that was killed while it wrote left behind. */
static void remove_unfinished(const char *folder, Arena *arena)
{
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (const struct dirent *entry; (entry = readdir(dir));)
        if (text_starts(entry->d_name, "checkpoint.tmp.")) unlink(arena_format(arena, "%s/%s", folder, entry->d_name));
    closedir(dir);
}

bool run_checkpoint_save(RunCheckpoint *checkpoint, const char *folder, const char *const working[], int n_working,
                         Err *err)
{
    Arena arena = {0}; /* outside the image, which holds still */
    FileList list = {.arena = &arena};
    for (int i = 0; i < n_working; i++) list_below(&list, working[i]);
    int n_below = list.n;
    for (const Out *out = NULL; (out = out_next(checkpoint->image, out));)
        if (!has(&list, n_below, out_written(out))) list_add(&list, out_written(out));
    const char *last = checkpoint->last;
    checkpoint->last = folder; /* for those who go on from this one as well */
    if (make_folders(folder, err)) remove_unfinished(folder, &arena);
    bool saved =
        err->kind == ERR_NONE && snapshot_save(checkpoint->image, arena_format(&arena, "%s/checkpoint", folder),
                                               checkpoint->command, checkpoint->root, list.path, list.n, err);
    if (saved && last && strcmp(last, folder) != 0) unlink(arena_format(&arena, "%s/checkpoint", last));
    arena_free(&arena);
    return saved;
}

const char *run_checkpoint_command(int argc, char *const argv[], Arena *arena)
{
    const char *command = "";
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--resume") != 0) command = arena_format(arena, "%s%s%s", command, i ? " " : "", argv[i]);
    return command;
}
