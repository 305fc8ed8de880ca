/* policies/tiresias_queues.c -- heaps of those who wait, by width and by promotion; stale entries are dropped on top.
 */
#include "policies/tiresias.h"

static bool before(const Waiting *a, const Waiting *b)
{
    return a->key != b->key ? a->key < b->key : a->turn < b->turn;
}

static void sift_down(WaitHeap *h, int hole, Waiting entry)
{
    for (int child; (child = hole * 2 + 1) < h->n; hole = child) {
        if (child + 1 < h->n && before(&h->heap[child + 1], &h->heap[child])) child++;
        if (!before(&h->heap[child], &entry)) break;
        h->heap[hole] = h->heap[child];
    }
    h->heap[hole] = entry;
}

static bool is_stale(const Waiting *w)
{
    return w->stamp != w->member->stamp;
}

static void drop_top(WaitHeap *h)
{
    Waiting last = h->heap[--h->n];
    if (h->n) sift_down(h, 0, last);
}

static void order(WaitHeap *h)
{
    for (int i = h->n / 2 - 1; i >= 0; i--) sift_down(h, i, h->heap[i]);
}

/* Drops all stale entries, so that a heap is never mostly dead. */
static void sweep(WaitHeap *h)
{
    int kept = 0;
    for (int i = 0; i < h->n; i++)
        if (!is_stale(&h->heap[i])) h->heap[kept++] = h->heap[i];
    h->n = kept;
    order(h);
}

static void push(Sched *s, WaitHeap *h, Waiting entry)
{
    if (h->n == h->capacity) sweep(h);
    if (h->n * 2 >= h->capacity) {
        h->capacity = h->capacity ? h->capacity * 2 : 32;
        h->heap = arena_grow(sched_memory(s), h->heap, (size_t)h->n, (size_t)h->capacity, sizeof *h->heap);
    }
    int hole = h->n++;
    for (; hole > 0 && before(&entry, &h->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
        h->heap[hole] = h->heap[(hole - 1) / 2];
    h->heap[hole] = entry;
}

void members_append(Sched *s, Members *list, Member *member)
{
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? list->capacity * 2 : 64;
        list->at = arena_grow(sched_memory(s), list->at, (size_t)list->n, (size_t)list->capacity, sizeof *list->at);
    }
    list->at[list->n++] = member;
}

static WaitHeap *heap_of(Sched *s, Queue *queue, PlaceNeed need)
{
    for (int i = 0; i < queue->n_widths; i++)
        if (place_needs_equal(queue->width[i].need, need)) return &queue->width[i];
    if (queue->n_widths == queue->width_capacity) {
        queue->width_capacity = queue->width_capacity ? queue->width_capacity * 2 : 16;
        queue->width = arena_grow(sched_memory(s), queue->width, (size_t)queue->n_widths, (size_t)queue->width_capacity,
                                  sizeof *queue->width);
    }
    queue->width[queue->n_widths] = (WaitHeap){.need = need};
    return &queue->width[queue->n_widths++];
}

void queue_wait(Sched *s, Tiresias *me, Queue *queue, Member *m, int64_t turn)
{
    m->stamp++;
    Waiting entry = {.key = me->gittins ? -m->rank : 0, .turn = turn, .member = m, .stamp = m->stamp};
    push(s, heap_of(s, queue, place_need(s, me->mode, m->job)), entry);
    if (m->due == TIME_NEVER) return;
    entry.key = 0;
    entry.turn = m->due;
    push(s, &me->promotions, entry);
}

WaitHeap *queue_first(Queue *queue, int spare)
{
    WaitHeap *best = NULL;
    for (int i = 0; i < queue->n_widths; i++) {
        WaitHeap *h = &queue->width[i];
        if (h->closed || h->need.n_gpus > spare) continue;
        while (h->n && is_stale(&h->heap[0])) drop_top(h);
        if (h->n && (!best || before(&h->heap[0], &best->heap[0]))) best = h;
    }
    return best;
}

Member *queue_take(WaitHeap *heap)
{
    Member *m = heap->heap[0].member;
    m->stamp++;
    drop_top(heap);
    return m;
}

void queue_rerank(Queue *queue)
{
    for (int i = 0; i < queue->n_widths; i++) {
        WaitHeap *h = &queue->width[i];
        for (int k = 0; k < h->n; k++) h->heap[k].key = -h->heap[k].member->rank;
        sweep(h);
    }
}

SimTime promotion_next(Tiresias *me)
{
    WaitHeap *h = &me->promotions;
    while (h->n && is_stale(&h->heap[0])) drop_top(h);
    return h->n ? h->heap[0].turn : TIME_NEVER;
}

Member *promotion_due(Tiresias *me, SimTime now)
{
    return promotion_next(me) > now ? NULL : queue_take(&me->promotions);
}
