/* policies/mlf_queue.c -- a quicksort carried on on demand. */
#include "policies/mlf_queue.h"

#include <stdlib.h>

enum { SHORT_PART = 24 }; /* sorted at once */

void queue_add(Queue *q, Unit unit)
{
    if (q->n == q->room) {
        int larger = q->room ? 2 * q->room : 256;
        q->unit = arena_grow(q->arena, q->unit, (size_t)q->n, (size_t)larger, sizeof *q->unit);
        q->room = larger;
    }
    q->unit[q->n++] = unit;
}

static int by_priority(const void *a, const void *b)
{
    const Unit *x = a, *y = b;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool queue_last(const Queue *q, Unit *last)
{
    bool any = false;
    for (int i = 0; i < q->n; i++) {
        if (q->unit[i].kind == UNIT_MOVE || (any && by_priority(&q->unit[i], last) < 0)) continue;
        *last = q->unit[i];
        any = true;
    }
    return any;
}

static void push(Queue *q, int from, int end, bool sorted)
{
    if (from == end) return;
    if (q->n_parts == q->part_room) {
        int larger = q->part_room ? 2 * q->part_room : 64;
        q->part = arena_grow(q->arena, q->part, (size_t)q->n_parts, (size_t)larger, sizeof *q->part);
        q->part_room = larger;
    }
    MUST(q->part);
    q->part[q->n_parts++] = (QueuePart){from, end, sorted};
}

static void swap(Unit *a, Unit *b)
{
    Unit c = *a;
    *a = *b;
    *b = c;
}

/* The median of three to the front of the part: the pivot. */
static void choose_pivot(Unit *unit, int n)
{
    Unit *a = unit, *b = unit + n / 2, *c = unit + n - 1;
    if (by_priority(a, b) > 0) swap(a, b);
    if (by_priority(b, c) > 0) swap(b, c);
    if (by_priority(a, b) < 0) swap(a, b);
}

/* Divides the part on top of the stack: what comes before a pivot, it, what comes after. */
static void divide(Queue *q)
{
    QueuePart part = q->part[--q->n_parts];
    Unit *unit = q->unit + part.from;
    int n = part.end - part.from, before = 0;
    choose_pivot(unit, n);
    for (int i = 1; i < n; i++)
        if (by_priority(&unit[i], &unit[0]) < 0) swap(&unit[i], &unit[++before]);
    swap(&unit[0], &unit[before]);
    int pivot = part.from + before;
    push(q, pivot + 1, part.end, false);
    push(q, pivot, pivot + 1, true);
    push(q, part.from, pivot, false);
}

bool queue_next(Queue *q, QueueDrop *drop, void *self, Unit *next)
{
    if (!q->part) push(q, 0, q->n, false);
    while (q->n_parts) {
        MUST(q->part);
        QueuePart *top = &q->part[q->n_parts - 1];
        if (top->from == top->end) {
            q->n_parts--;
            continue;
        }
        if (top->sorted) {
            *next = q->unit[top->from++];
            return true;
        }
        int kept = top->from;
        for (int i = top->from; i < top->end; i++)
            if (!drop(self, &q->unit[i])) q->unit[kept++] = q->unit[i];
        top->end = kept;
        int n = top->end - top->from;
        if (n > SHORT_PART) {
            divide(q);
            continue;
        }
        qsort(q->unit + top->from, (size_t)n, sizeof *q->unit, by_priority);
        top->sorted = true;
    }
    return false;
}

bool queue_has_move(const Queue *q, JobId job, int task)
{
    for (int p = 0; p < q->n_parts; p++)
        for (int i = q->part[p].from; i < q->part[p].end; i++)
            if (q->unit[i].kind == UNIT_MOVE && q->unit[i].job == job && q->unit[i].index == task) return true;
    return false;
}
