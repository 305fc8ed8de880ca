/* sim/model/specbuilder.c -- growing arrays of classes, servers and VCs. */
#include "sim/model/specbuilder.h"

#include <string.h>

SpecBuilder spec_builder(Arena *arena, const char *path)
{
    return (SpecBuilder){.arena = arena, .path = path, .vc_names = {.arena = arena}};
}

/* Room for one more in an array of *room elements, n of them used. */
static void *room_for_one(Arena *arena, void *array, int n, int *room, size_t size)
{
    if (n < *room) return array;
    *room = *room ? *room * 2 : 16;
    return arena_grow(arena, array, (size_t)n, (size_t)*room, size);
}

static bool same_class(const ServerClass *a, const ServerClass *b)
{
    bool same_type = a->gpu_type && b->gpu_type ? strcmp(a->gpu_type, b->gpu_type) == 0 : a->gpu_type == b->gpu_type;
    return same_type && a->n_gpus == b->n_gpus && a->gpu_memory_mib == b->gpu_memory_mib &&
           a->memory_mib == b->memory_mib && a->cores == b->cores && a->network_bytes_per_s == b->network_bytes_per_s;
}

int spec_add_class(SpecBuilder *builder, ServerClass facts)
{
    for (int i = 0; i < builder->n_classes; i++)
        if (same_class(&builder->class_of[i], &facts)) return i;
    builder->class_of = room_for_one(builder->arena, builder->class_of, builder->n_classes, &builder->classes_room,
                                     sizeof *builder->class_of);
    builder->class_of[builder->n_classes] = facts;
    return builder->n_classes++;
}

bool spec_add_servers(SpecBuilder *builder, int class_index, int64_t count, int32_t rack, int64_t per_rack)
{
    builder->n_gpus += count * builder->class_of[class_index].n_gpus; /* each factor is at most MOST_GPUS */
    if (builder->n_gpus > MOST_GPUS) return false;
    for (int64_t i = 0; i < count; i++) {
        builder->server = room_for_one(builder->arena, builder->server, builder->n_servers, &builder->servers_room,
                                       sizeof *builder->server);
        int32_t of_this = per_rack ? rack + (int32_t)(i / per_rack) : rack;
        builder->server[builder->n_servers++] = (ServerSpec){class_index, of_this};
    }
    return true;
}

bool spec_add_vc(SpecBuilder *builder, const char *name, size_t length, int64_t servers)
{
    bool is_new;
    int index = names_add(&builder->vc_names, name, length, &is_new);
    if (!is_new) return false;
    builder->vc = room_for_one(builder->arena, builder->vc, builder->n_vcs, &builder->vcs_room, sizeof *builder->vc);
    builder->vc[builder->n_vcs++] = (VcSpec){builder->vc_names.text[index], (int32_t)servers};
    return true;
}
