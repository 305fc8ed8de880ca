/* policies/mlf_slots.c -- counting room, one server at a time. */
#include "policies/mlf_slots.h"

#include <string.h>

enum { WHOLE_GPU = 1000, ENDLESS = 1 << 20 };

static const Milli size_of[SLOT_SIZES] = {20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 250, 300, 400, 500, 650, 800};

void slots_open(Slots *slots, Hosts *hosts, Arena *arena)
{
    *slots = (Slots){
        .hosts = hosts,
        .host = NEW_ARRAY(arena, SlotCounts, hosts->n),
    };
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* How often `need` fits into what is left; a capacity that is not said is endless. */
static int32_t times(int32_t capacity, int32_t taken, int32_t need)
{
    if (!capacity || !need) return ENDLESS;
    return taken < capacity ? (capacity - taken) / need : 0;
}

/* Tasks of each size that a GPU has load for: only the first few sizes, as `*n_sizes` tells. */
static void by_load(const HostGpu *gpu, Milli most, int32_t n[SLOT_SIZES], int *n_sizes)
{
    int size = 0;
    for (; size < SLOT_SIZES && size_of[size] <= most - gpu->load; size++) n[size] = (most - gpu->load) / size_of[size];
    for (; size < SLOT_SIZES && !gpu->held; size++) n[size] = 1;
    *n_sizes = size;
}

static void count(const Slots *slots, int i, SlotCounts *counts)
{
    const Hosts *h = slots->hosts;
    const Host *host = &h->host[i];
    const ServerClass *c = host->class_of;
    Milli most = (Milli)(h->threshold * WHOLE_GPU);
    int32_t n_empty = 0, room[SLOT_SIZES];
    memset(counts, 0, sizeof *counts);
    if (host->closed) return;
    for (int g = 0; g < host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(h, host->first_gpu + g);
        int n_sizes;
        n_empty += !gpu->held;
        if (host->tasks) {
            by_load(gpu, most, room, &n_sizes);
        } else {
            n_sizes = SLOT_SIZES;
            for (int size = 0; size < n_sizes; size++) room[size] = ENDLESS;
        }
        for (int k = 0; k < slots->n_kinds && n_sizes; k++) {
            int32_t by_memory = times(c->gpu_memory_mib, gpu->memory_mib, slots->kind[k].gpu_memory_mib);
            for (int size = 0; size < n_sizes; size++) counts->n[k][size] += least(room[size], by_memory);
        }
    }
    double spare = h->threshold * c->cores - host->cores;
    for (int k = 0; k < slots->n_kinds; k++) {
        int32_t limit = times(c->memory_mib, host->memory_mib, slots->kind[k].memory_mib);
        if (c->cores && slots->kind[k].cores && host->tasks)
            limit = least(limit, n_empty + (spare > 0 ? (int32_t)(spare / slots->kind[k].cores) : 0));
        for (int size = 0; size < SLOT_SIZES; size++) counts->n[k][size] = least(counts->n[k][size], limit);
    }
}

static void recount(Slots *slots, int i)
{
    SlotCounts now;
    count(slots, i, &now);
    for (int k = 0; k < slots->n_kinds; k++)
        for (int size = 0; size < SLOT_SIZES; size++)
            slots->total[k][size] += now.n[k][size] - slots->host[i].n[k][size];
    slots->host[i] = now;
}

void slots_refresh(Slots *slots)
{
    Hosts *h = slots->hosts;
    for (int i = 0; i < h->n && slots->recount; i++) recount(slots, i);
    for (int c = 0; c < h->n_changed; c++) {
        int i = h->changed[c];
        h->host[i].changed = false;
        if (!slots->recount) recount(slots, i);
    }
    h->n_changed = 0;
    slots->recount = false;
}

int slots_kind(Slots *slots, const TaskNeed *need)
{
    int k = 0;
    while (k < slots->n_kinds && memcmp(&slots->kind[k], need, sizeof *need) != 0) k++;
    if (k < slots->n_kinds) return k;
    if (k == SLOT_KINDS) return -1;
    slots->kind[slots->n_kinds++] = *need;
    slots->recount = true;
    return k;
}

int64_t slots_for(const Slots *slots, int kind, Milli least_gpu)
{
    int size = SLOT_SIZES - 1;
    if (kind < 0 || least_gpu < size_of[0]) return INT64_MAX; /* the table does not know */
    while (size_of[size] > least_gpu) size--;
    return slots->total[kind][size];
}
