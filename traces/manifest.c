/* traces/manifest.c -- the manifest's keys, and the order in which two files appear. */
#include "traces/manifest.h"

#include <unistd.h>

#include "sim/base/json.h"
#include "sim/base/rng.h"
#include "sim/base/version.h"

static void set_source(cJSON *tree, const Workload *read)
{
    if (!read) {
        json_set_null(tree, "source");
        return;
    }
    cJSON *source = json_set_object(tree, "source");
    json_set_text(source, "path", read->source);
    json_set_text(source, "format", read->format);
    json_set_text(source, "sha256", read->sha256);
    json_set_int(source, "read", read->counts.read);
    json_set_int(source, "usable", read->counts.usable);
    cJSON *skipped = json_set_object(source, "skipped");
    for (int r = 0; r < N_SKIP_REASONS; r++)
        json_set_int(skipped, skip_reason_name((SkipReason)r), read->counts.skipped[r]);
}

static void set_filters(cJSON *tree, const Manifest *manifest)
{
    cJSON *filters = json_set_array(tree, "filters");
    for (int i = 0; i < manifest->n_filters; i++) {
        const ManifestFilter *f = &manifest->filter[i];
        cJSON *item = json_add_object(filters);
        json_set_text(item, "name", f->name);
        json_set_text(item, "value", f->value);
        json_set_int(item, "jobs_before", f->before);
        json_set_int(item, "jobs_after", f->after);
    }
}

cJSON *manifest_tree(const Manifest *manifest)
{
    char hash[17];
    workload_hash(manifest->written, hash);
    cJSON *tree = json_object();
    json_set_text(tree, "tool", "mlfs-sim");
    json_set_text(tree, "version", version_text());
    json_set_text(tree, "command", manifest->command);
    json_set(tree, "options", cJSON_Duplicate(manifest->options, true));
    json_set_int(tree, "seed", (int64_t)manifest->seed);
    json_set_text(tree, "random_generator", RNG_NAME);
    set_source(tree, manifest->read);
    set_filters(tree, manifest);
    json_set_int(tree, "jobs", manifest->written->n);
    json_set_text(tree, "workload_hash", hash);
    return tree;
}

static bool write_beside(const char *path, const Manifest *manifest, Arena *arena, Err *err)
{
    Out *out = out_open(arena, path, err);
    if (!out) return false;
    cJSON *tree = manifest_tree(manifest);
    json_write(out, tree);
    cJSON_Delete(tree);
    return out_close(out, err);
}

bool manifest_close(Out *trace, const char *path, const Manifest *manifest, Arena *arena, Err *err)
{
    if (!out_is_file(trace)) return out_close(trace, err);
    const char *beside = arena_format(arena, "%s.manifest.json", path);
    if (!write_beside(beside, manifest, arena, err)) {
        out_abandon(trace);
        return false;
    }
    if (out_close(trace, err)) return true;
    unlink(beside);
    return false;
}
