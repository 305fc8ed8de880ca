/* tests/unit_events.c -- the event heap against a sorted array and a radix heap, fed as a run feeds it.
 *
 * A run never pushes what lies before the event it handles, which is what a radix heap needs: the events lie in buckets
 * by the highest bit in which their time differs from that of the last one taken, and are dealt out anew when the first
 * buckets are empty (Ahuja, Mehlhorn, Orlin and Tarjan 1990).  All three must give the same events in the same order.
 */
#include "sim/engine/event.h"
#include "tests/world.h"

enum { ROOM = 4000, BUCKETS = 65 };

static int by_order(const void *a, const void *b)
{
    const Event *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->serial < y->serial ? -1 : 1;
}

/* ---- a sorted array, the last first ---- */

typedef struct Sorted {
    Event event[ROOM];
    int n;
} Sorted;

static void sorted_push(Sorted *s, Event e)
{
    int i = s->n++;
    for (; i > 0 && by_order(&s->event[i - 1], &e) < 0; i--) s->event[i] = s->event[i - 1];
    s->event[i] = e;
}

/* ---- a radix heap ---- */

typedef struct Radix {
    Event bucket[BUCKETS][ROOM];
    int n[BUCKETS];
    SimTime last;
} Radix;

static int bucket_of(const Radix *r, SimTime at)
{
    uint64_t differs = (uint64_t)at ^ (uint64_t)r->last;
    return differs ? 64 - __builtin_clzll(differs) : 0;
}

static void radix_push(Radix *r, Event e)
{
    int b = bucket_of(r, e.at);
    assert_true(e.at >= r->last);
    r->bucket[b][r->n[b]++] = e;
}

static Event radix_pop(Radix *r)
{
    int b = 0, first = 0;
    while (!r->n[b]) b++;
    if (b) {
        SimTime least = TIME_NEVER;
        for (int i = 0; i < r->n[b]; i++)
            if (r->bucket[b][i].at < least) least = r->bucket[b][i].at;
        r->last = least;
        int n = r->n[b];
        r->n[b] = 0;
        for (int i = 0; i < n; i++) {
            assert_true(bucket_of(r, r->bucket[b][i].at) < b);
            radix_push(r, r->bucket[b][i]);
        }
    }
    for (int i = 1; i < r->n[0]; i++)
        if (by_order(&r->bucket[0][i], &r->bucket[0][first]) < 0) first = i;
    Event e = r->bucket[0][first];
    r->bucket[0][first] = r->bucket[0][--r->n[0]];
    return e;
}

/* ---- all three ---- */

static void expect_same(const Event *a, const Event *b)
{
    assert_true(a->at == b->at && a->kind == b->kind && a->epoch == b->epoch && a->subject == b->subject &&
                a->serial == b->serial);
}

static void three_queues_agree(void **state)
{
    (void)state;
    static const int64_t spans[] = {0, 3, 1000, 60 * TIME_SECOND, 1000000 * TIME_SECOND};
    static Sorted sorted;
    static Radix radix;
    int64_t n_ties = 0, n_popped = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        EventQueue queue = {0};
        Rng rng;
        SimTime now = 0;
        uint64_t serial = 0;
        memset(&radix, 0, sizeof radix);
        sorted.n = 0;
        rng_open(&rng, seed, "three queues", 0);
        for (int step = 0; step < 30000 || sorted.n; step++) {
            bool grows = step < 30000 && rng_below(&rng, 100) < (step / 3000 % 2 ? 40 : 60);
            if (grows && sorted.n < ROOM) {
                Event e = {.at = now + rng_below(&rng, spans[rng_below(&rng, 5)] + 1),
                           .kind = (EventKind)rng_below(&rng, EVENT_SLOW + 1),
                           .epoch = (uint32_t)rng_bits(&rng),
                           .subject = (int32_t)rng_below(&rng, 1000)};
                event_push(&queue, e);
                e.serial = serial++;
                sorted_push(&sorted, e);
                radix_push(&radix, e);
            } else if (sorted.n) {
                Event got = event_pop(&queue), first = radix_pop(&radix);
                n_ties += got.at == now;
                n_popped++;
                now = got.at;
                expect_same(&got, &sorted.event[--sorted.n]);
                expect_same(&got, &first);
            }
        }
        assert_null(event_top(&queue));
        event_free(&queue);
    }
    assert_true(n_ties > n_popped / 10 && n_ties < n_popped * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_queues_agree)};
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
