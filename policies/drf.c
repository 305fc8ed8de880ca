/* policies/drf.c -- what each user holds, and a heap of those that want more. */
#include "policies/drf.h"

#include <string.h>

#include "sim/base/err.h"

void drf_open(Drf *drf, Arena *arena, const int64_t capacity[DRF_RESOURCES])
{
    *drf = (Drf){.arena = arena};
    memcpy(drf->capacity, capacity, sizeof drf->capacity);
}

int drf_add(Drf *drf)
{
    if (drf->n_users == drf->room) {
        int larger = drf->room ? 2 * drf->room : 16;
        drf->user = arena_grow(drf->arena, drf->user, (size_t)drf->n_users, (size_t)larger, sizeof *drf->user);
        drf->heap = arena_grow(drf->arena, drf->heap, (size_t)drf->n_heap, (size_t)larger, sizeof *drf->heap);
        drf->room = larger;
    }
    return drf->n_users++;
}

double drf_share(const Drf *drf, int user)
{
    double most = 0;
    for (int r = 0; r < DRF_RESOURCES; r++) {
        if (!drf->capacity[r]) continue;
        double share = (double)drf->user[user].taken[r] / (double)drf->capacity[r];
        if (share > most) most = share;
    }
    return most;
}

void drf_launch(Drf *drf, int user, const int64_t demand[DRF_RESOURCES])
{
    for (int r = 0; r < DRF_RESOURCES; r++) drf->user[user].taken[r] += demand[r];
    drf->user[user].turn = ++drf->turn;
}

void drf_release(Drf *drf, int user, const int64_t demand[DRF_RESOURCES])
{
    for (int r = 0; r < DRF_RESOURCES; r++) {
        MUST(drf->user[user].taken[r] >= demand[r]);
        drf->user[user].taken[r] -= demand[r];
    }
}

static bool goes_before(const Drf *drf, int a, int b)
{
    double x = drf_share(drf, a), y = drf_share(drf, b);
    if (x != y) return x < y;
    if (drf->user[a].turn != drf->user[b].turn) return drf->user[a].turn < drf->user[b].turn;
    return a < b;
}

void drf_begin(Drf *drf)
{
    drf->n_heap = 0;
}

void drf_offer(Drf *drf, int user)
{
    MUST(drf->n_heap < drf->n_users);
    int hole = drf->n_heap++;
    for (; hole > 0 && goes_before(drf, user, drf->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
        drf->heap[hole] = drf->heap[(hole - 1) / 2];
    drf->heap[hole] = user;
}

int drf_next(Drf *drf)
{
    if (!drf->n_heap) return -1;
    int top = drf->heap[0], last = drf->heap[--drf->n_heap], hole = 0;
    for (int child; (child = hole * 2 + 1) < drf->n_heap; hole = child) {
        if (child + 1 < drf->n_heap && goes_before(drf, drf->heap[child + 1], drf->heap[child])) child++;
        if (!goes_before(drf, drf->heap[child], last)) break;
        drf->heap[hole] = drf->heap[child];
    }
    drf->heap[hole] = last;
    return top;
}

void drf_reorder(Drf *drf)
{
    int n = drf->n_heap;
    drf->n_heap = 0;
    for (int i = 0; i < n; i++) drf_offer(drf, drf->heap[i]);
}
