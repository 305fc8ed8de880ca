/* policies/mlf_slots.c -- counting room, one server at a time. */
#include "policies/mlf_slots.h"

#include <string.h>

enum { WHOLE_GPU = 1000, ENDLESS = 1 << 20, INVERSE_BITS = 40 };

/* The steps of GPU demand, and their inverses for rooms of less than 2^20: dividing takes most of the time else. */
#define SIZES(X)                                                                                                       \
    X(20), X(40), X(60), X(80), X(100), X(120), X(140), X(160), X(180), X(200), X(250), X(300), X(400), X(500),        \
        X(650), X(800)
#define AS_IS(size)   (size)
#define INVERSE(size) (((UINT64_C(1) << INVERSE_BITS) + (size)-1) / (size))

static const Milli size_of[SLOT_SIZES] = {SIZES(AS_IS)};
static const uint64_t inverse_of[SLOT_SIZES] = {SIZES(INVERSE)};

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

/* Tasks of each size that a GPU has load for; an empty one has for one, whatever it asks. */
static void by_load(const HostGpu *gpu, int32_t room, int32_t n[SLOT_SIZES])
{
    for (int size = 0; size < SLOT_SIZES; size++) {
        n[size] = room > 0 ? (int32_t)((uint64_t)room * inverse_of[size] >> INVERSE_BITS) : 0;
        if (!gpu->held && !n[size]) n[size] = 1;
    }
}

static void add_least(int32_t *restrict sum, const int32_t *restrict room, int32_t limit)
{
    for (int size = 0; size < SLOT_SIZES; size++) sum[size] += room[size] < limit ? room[size] : limit;
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
    for (int size = 0; size < SLOT_SIZES && !host->tasks; size++) room[size] = ENDLESS;
    for (int g = 0; g < host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(h, host->first_gpu + g);
        n_empty += !gpu->held;
        if (host->tasks && gpu->held && most - gpu->load < size_of[0]) continue; /* no room for the least of them */
        if (host->tasks) by_load(gpu, most - gpu->load, room);
        for (int k = 0; k < slots->n_kinds; k++)
            add_least(counts->n[k], room, times(c->gpu_memory_mib, gpu->memory_mib, slots->kind[k].gpu_memory_mib));
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

/* The largest step of at most this much; -1: the table does not know. */
static int step_of(int kind, Milli least_gpu)
{
    int size = kind < 0 ? -1 : SLOT_SIZES - 1;
    while (size >= 0 && size_of[size] > least_gpu) size--;
    return size;
}

int64_t slots_for(const Slots *slots, int kind, Milli least_gpu)
{
    int size = step_of(kind, least_gpu);
    return size < 0 ? INT64_MAX : slots->total[kind][size];
}

bool slots_surely(const Slots *slots, int kind, Milli least_gpu, int n)
{
    const Hosts *h = slots->hosts;
    int size = step_of(kind, least_gpu);
    if (size < 0) return true;
    if (slots->recount) return false;
    int64_t rest = slots->total[kind][size];
    for (int c = 0; c < h->n_changed && rest >= n; c++) rest -= slots->host[h->changed[c]].n[kind][size];
    return rest >= n;
}
