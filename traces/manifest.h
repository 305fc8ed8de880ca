/* traces/manifest.h -- FILE.manifest.json: where a written trace comes from.
 *
 * It holds what is needed to make the same bytes again and nothing else, no time, no host, no output name: equal inputs
 * and options, equal manifest.
 */
#ifndef TRACES_MANIFEST_H
#define TRACES_MANIFEST_H

#include <cjson/cJSON.h>

#include "sim/base/out.h"
#include "sim/model/workload.h"

typedef struct ManifestFilter { /* a step that took jobs out, or put copies in */
    const char *name, *value;   /* "window", "2017-10-03:2017-12-16" */
    int64_t before, after;      /* jobs */
} ManifestFilter;

typedef struct Manifest {
    const char *command; /* "generate", "convert" */
    uint64_t seed;
    const cJSON *options;         /* an object: names and values in force; the caller's */
    const Workload *read;         /* as read, for source and counts; NULL: nothing was read */
    const ManifestFilter *filter; /* [n_filters], in the order they were applied */
    int n_filters;
    const Workload *written;
} Manifest;

cJSON *manifest_tree(const Manifest *manifest); /* for cJSON_Delete */

/* Closes a trace that was written to `path`, and puts the manifest beside it where `path` is a regular file.  If either
 * fails, neither is left behind: false, err tells. */
bool manifest_close(Out *trace, const char *path, const Manifest *manifest, Arena *arena, Err *err);

#endif
