/* sim/engine/event.c -- a 4-ary heap: half the depth of a binary one, its four children in two cache lines. */
#include "sim/engine/event.h"

#include "sim/base/err.h"

static bool before(const Event *a, const Event *b)
{
    if (a->at != b->at) return a->at < b->at;
    if (a->kind != b->kind) return a->kind < b->kind;
    return a->serial < b->serial;
}

static void sink_down(EventQueue *queue, int hole, Event event)
{
    for (;;) {
        int child = hole * 4 + 1, best = child;
        if (child >= queue->n) break;
        for (int c = child + 1; c < child + 4 && c < queue->n; c++)
            if (before(&queue->heap[c], &queue->heap[best])) best = c;
        if (!before(&queue->heap[best], &event)) break;
        queue->heap[hole] = queue->heap[best];
        hole = best;
    }
    queue->heap[hole] = event;
}

void event_push(EventQueue *queue, Event event)
{
    if (queue->n == queue->capacity) {
        int larger = queue->capacity ? queue->capacity * 2 : 1024;
        queue->heap = arena_resize(&queue->memory, queue->heap, (size_t)queue->n, (size_t)larger, sizeof *queue->heap);
        queue->capacity = larger;
    }
    event.serial = queue->next_serial++;
    int hole = queue->n++;
    while (hole > 0 && before(&event, &queue->heap[(hole - 1) / 4])) {
        queue->heap[hole] = queue->heap[(hole - 1) / 4];
        hole = (hole - 1) / 4;
    }
    queue->heap[hole] = event;
}

const Event *event_top(const EventQueue *queue)
{
    return queue->n ? &queue->heap[0] : NULL;
}

Event event_pop(EventQueue *queue)
{
    MUST(queue->n > 0);
    Event top = queue->heap[0];
    if (--queue->n > 0) sink_down(queue, 0, queue->heap[queue->n]);
    return top;
}

void event_sweep(EventQueue *queue, bool (*is_stale)(const void *context, const Event *event), const void *context)
{
    int kept = 0;
    for (int i = 0; i < queue->n; i++)
        if (!is_stale(context, &queue->heap[i])) queue->heap[kept++] = queue->heap[i];
    queue->n = kept;
    for (int i = (kept - 2) / 4; i >= 0 && kept > 1; i--) sink_down(queue, i, queue->heap[i]);
}

void event_free(EventQueue *queue)
{
    arena_free(&queue->memory);
    *queue = (EventQueue){0};
}
