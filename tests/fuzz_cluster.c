/* tests/fuzz_cluster.c -- any bytes as a machine list, a JSON cluster or a VC file. */
#include <stdint.h>
#include <string.h>

#include "sim/model/specbuilder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cluster(const SpecBuilder *b)
{
    int64_t gpus = 0;
    for (int s = 0; s < b->n_servers; s++) {
        MUST(b->server[s].class_index >= 0 && b->server[s].class_index < b->n_classes && b->server[s].rack >= -1);
        gpus += b->class_of[b->server[s].class_index].n_gpus;
    }
    MUST(gpus == b->n_gpus && gpus <= MOST_GPUS);
    for (int v = 0; v < b->n_vcs; v++) MUST(*b->vc[v].name && b->vc[v].n_servers >= 1);
}

/* The first byte chooses between a cluster and its VCs. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    Arena arena = {0}, scratch = {0};
    Err err = {0};
    SpecBuilder builder = spec_builder(&arena, "fuzz");
    Source *source = source_open_bytes(&scratch, "fuzz", data + 1, size - 1, &err);
    bool good =
        source && (data[0] & 1 ? cluster_vcs_read_source : cluster_spec_read_source)(source, &builder, &scratch, &err);
    if (good)
        check_cluster(&builder);
    else
        MUST(err.kind == ERR_DATA && *err.text && !strchr(err.text, '\n'));
    source_close(source);
    arena_free(&scratch);
    arena_free(&arena);
    return 0;
}
