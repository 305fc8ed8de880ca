/* sim/model/specbuilder.h -- putting a ClusterSpec together, server by server. */
#ifndef SIM_MODEL_SPECBUILDER_H
#define SIM_MODEL_SPECBUILDER_H

#include "sim/base/names.h"
#include "sim/base/source.h"
#include "sim/model/cluster.h"

enum { MOST_GPUS = 1000000, MOST_GPUS_A_SERVER = 4096 };

typedef struct SpecBuilder {
    Arena *arena;
    const char *path; /* for messages */
    ServerClass *class_of;
    int n_classes, classes_room;
    ServerSpec *server;
    int n_servers, servers_room;
    int64_t n_gpus;
    VcSpec *vc;
    int n_vcs, vcs_room;
    Names vc_names;
} SpecBuilder;

SpecBuilder spec_builder(Arena *arena, const char *path);

/* The class with these very facts, made if new. */
int spec_add_class(SpecBuilder *builder, ServerClass facts);

/* `count` servers; the first rack of `per_rack` servers each, or one rack for all (0), or none (rack -1).  False: the
 * cluster grows beyond MOST_GPUS. */
bool spec_add_servers(SpecBuilder *builder, int class_index, int64_t count, int32_t rack, int64_t per_rack);

/* The next VC, with its servers; false: there is one of that name already. */
bool spec_add_vc(SpecBuilder *builder, const char *name, size_t length, int64_t servers);

/* The cluster as the members of a JSON object, NUL-terminated text, describe it: docs/traces.md. */
bool spec_from_json(SpecBuilder *builder, const char *text, size_t length, Err *err);

/* VCs from a JSON object {"name": servers, ...}. */
bool spec_vcs_from_json(SpecBuilder *builder, const char *text, size_t length, Err *err);

/* The files behind -c and cluster.vc, from wherever their bytes come. */
bool cluster_spec_read_source(Source *source, SpecBuilder *builder, Arena *scratch, Err *err);
bool cluster_vcs_read_source(Source *source, SpecBuilder *builder, Arena *scratch, Err *err);

#endif
