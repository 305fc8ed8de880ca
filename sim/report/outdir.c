/* sim/report/outdir.c -- working folder, check of what would be replaced, exchange. */
#include "sim/report/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/out.h"
#include "sim/base/text.h"

static bool is_ours(const char *name)
{
    static const char *const names[] = {"run.json",      "summary.json", "jobs.csv", "timeline.csv",
                                        "overhead.json", "checkpoint",   NULL};
    for (const char *const *n = names; *n; n++)
        if (strcmp(name, *n) == 0) return true;
    return text_starts(name, "seed-");
}

/* Nothing, an empty folder or one with results: `-o .` must not wipe out a source folder named like a policy. */
static bool may_replace(const char *folder, Err *err)
{
    struct stat info;
    if (lstat(folder, &info) != 0) {
        if (errno == ENOENT) return true;
        return err_set(err, ERR_MACHINE, "%s: cannot be written: %s", folder, strerror(errno));
    }
    DIR *dir = S_ISDIR(info.st_mode) ? opendir(folder) : NULL;
    if (!dir) return err_set(err, ERR_MACHINE, "%s: the results cannot go there: a file is in the way", folder);
    bool ours = false, empty = true;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        empty = false;
        ours |= is_ours(entry->d_name);
    }
    closedir(dir);
    if (ours || empty) return true;
    return err_set(err, ERR_MACHINE, "%s: the results cannot go there: it holds other files, which are left alone",
                   folder);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static bool remove_tree(const char *path)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT;
}

/* The process in a name of outdir_begin that no longer exists; 0: another name, or it works on. */
static int64_t dead_owner(const char *name, const char *start)
{
    int64_t pid = 0;
    const char *digits = name + strlen(start);
    if (!text_starts(name, start) || !text_to_int(digits, strlen(digits), 1, INT32_MAX, &pid)) return 0;
    return kill((pid_t)pid, 0) != 0 && errno == ESRCH ? pid : 0;
}

/* What a killed process left of this policy: its working folder goes; the earlier results that it had set aside go back
 * if none have come in their place. */
static void remove_leftovers(Arena *arena, const char *dir, const char *policy, const char *folder)
{
    const char *working = arena_format(arena, ".%s.tmp.", policy), *old = arena_format(arena, ".%s.old.", policy);
    DIR *entries = opendir(dir);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        bool set_aside = dead_owner(entry->d_name, old) > 0;
        if (!set_aside && !dead_owner(entry->d_name, working)) continue;
        const char *path = arena_format(arena, "%s/%s", dir, entry->d_name);
        struct stat info;
        if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode)) continue;
        if (!set_aside || rename(path, folder) != 0) remove_tree(path);
    }
    if (entries) closedir(entries);
}

bool outdir_begin(OutDir *outdir, Arena *arena, const char *dir, const char *policy, Err *err)
{
    *outdir = (OutDir){0};
    const char *folder = arena_format(arena, "%s/%s", dir, policy);
    if (!make_folders(dir, err) || !may_replace(folder, err)) return false;
    remove_leftovers(arena, dir, policy, folder);
    outdir->working = arena_format(arena, "%s/.%s.tmp.%ld", dir, policy, (long)getpid());
    outdir->old = arena_format(arena, "%s/.%s.old.%ld", dir, policy, (long)getpid());
    outdir->folder = folder;
    if (outdir_again(outdir, err)) return true;
    outdir->folder = NULL;
    return false;
}

bool outdir_again(OutDir *outdir, Err *err)
{
    if (remove_tree(outdir->working) && mkdir(outdir->working, 0777) == 0) return true;
    return err_set(err, ERR_MACHINE, "%s: the folder cannot be made: %s", outdir->folder, strerror(errno));
}

bool outdir_commit(OutDir *outdir, Err *err)
{
    MUST(outdir->folder);
    bool replaced = rename(outdir->folder, outdir->old) == 0;
    if ((!replaced && errno != ENOENT) || rename(outdir->working, outdir->folder) != 0) {
        err_set(err, ERR_MACHINE, "%s: cannot be written: %s", outdir->folder, strerror(errno));
        if (replaced) (void)rename(outdir->old, outdir->folder);
        outdir_abandon(outdir);
        return false;
    }
    const char *folder = outdir->folder;
    outdir->folder = NULL;
    if (replaced && !remove_tree(outdir->old))
        return err_set(err, ERR_MACHINE, "%s: the results replaced in %s cannot be removed: %s", outdir->old, folder,
                       strerror(errno));
    return true;
}

void outdir_abandon(OutDir *outdir)
{
    if (!outdir->folder) return;
    remove_tree(outdir->working);
    outdir->folder = NULL;
}
