/* tests/unit_order.c -- Graphene's offline order: an example by hand, schedules that hold, against exhaustive search.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>

#include <cmocka.h>

#include "policies/graphene_order.h"
#include "sim/base/rng.h"

enum { MOST = 40 };

/* One machine.  a (3 long, .6 of it) before b (1, 1.0); c (1, .8) before d (3, .4).  Both paths are 4 long.  In order
 * of path c waits for a and d for c: a 0-3, c 3-4, d 4-7, b 7-8.  The long ones first: a and d side by side, c before
 * d, b after a: 5, and no less, since 3 x .6 + 1 + .8 + 3 x .4 = 4.8 and lengths are whole. */
static void long_tasks_first(void **state)
{
    (void)state;
    static const OrderTask task[] = {{3, {.6}, 0}, {1, {1}, 1}, {1, {.8}, 2}, {3, {.4}, 3}};
    static const OrderEdge edge[] = {{0, 1}, {2, 3}};
    static const OrderGraph graph = {task, 4, 4, edge, 2};
    Arena arena = {0};
    OrderPlan plan = order_build(&graph, 1, 1, &arena); /* one step: all are troublesome */
    assert_int_equal(plan.n_tried, 1);
    assert_true(fabs(plan.makespan - 8) < 1e-6);
    plan = order_build(&graph, 1, .1, &arena);
    static const double start[] = {1, 4, 0, 1};
    static const int rank[] = {1, 3, 0, 2}; /* a before d: its path is longer */
    assert_true(fabs(plan.makespan - 5) < 1e-6);
    for (int v = 0; v < 4; v++) {
        assert_true(fabs(plan.start[v] - start[v]) < 1e-6);
        assert_int_equal(plan.rank[v], rank[v]);
    }
    arena_free(&arena);
}

/* Two machines: stage 0's four tasks of .5 fill both, stage 1's two of .6 want one each; .3 beside them fits. */
static void machines_are_used_side_by_side(void **state)
{
    (void)state;
    static const OrderTask task[] = {{1, {.5}, 0},     {1, {.5}, 0},     {1, {.5}, 0},    {1, {.5}, 0},
                                     {2, {.6, .1}, 1}, {2, {.6, .1}, 1}, {2, {.3, .9}, 2}};
    static const OrderEdge edge[] = {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {0, 6}};
    static const OrderGraph graph = {task, 7, 3, edge, 5};
    Arena arena = {0};
    OrderPlan plan = order_build(&graph, 2, .1, &arena);
    assert_true(fabs(plan.makespan - 3) < 1e-6);
    assert_true(plan.machine[4] != plan.machine[5]);
    arena_free(&arena);
}

/* A chain of 150, more than sets have bits in a word: one after the other, on one machine or two. */
static void a_long_chain(void **state)
{
    (void)state;
    enum { LONG = 150 };
    OrderTask task[LONG];
    OrderEdge edge[LONG - 1];
    for (int v = 0; v < LONG; v++) {
        task[v] = (OrderTask){1, {.5}, v};
        if (v) edge[v - 1] = (OrderEdge){LONG - v, LONG - 1 - v}; /* the last comes first */
    }
    OrderGraph graph = {task, LONG, LONG, edge, LONG - 1};
    for (int machines = 1; machines <= 2; machines++) {
        Arena arena = {0};
        OrderPlan plan = order_build(&graph, machines, .25, &arena);
        assert_true(fabs(plan.makespan - LONG) < 1e-6);
        for (int v = 0; v < LONG; v++) assert_int_equal(plan.rank[v], LONG - 1 - v);
        arena_free(&arena);
    }
}

/* ---- random graphs ---- */

typedef struct Drawn {
    OrderTask task[MOST];
    OrderEdge edge[MOST * MOST];
    OrderGraph graph;
    int n_machines;
} Drawn;

static void draw(Drawn *d, uint64_t seed, int most, int most_machines)
{
    Rng rng;
    rng_open(&rng, seed, "unit_order", (uint64_t)most);
    int n = most / 2 + 1 + (int)rng_below(&rng, most / 2), n_edges = 0, rare = 2 + (int)rng_below(&rng, most);
    int n_resources = 1 + (int)rng_below(&rng, ORDER_RESOURCES);
    d->n_machines = 1 + (int)rng_below(&rng, most_machines);
    for (int v = 0; v < n; v++) {
        int alike = v && rng_below(&rng, 4) == 0 ? (int)rng_below(&rng, v) : -1;
        d->task[v] = alike >= 0 ? d->task[alike] : (OrderTask){.duration = 1 + (double)rng_below(&rng, 4), .stage = v};
        for (int r = 0; r < n_resources && alike < 0; r++)
            d->task[v].demand[r] = (double)(2 + 2 * rng_below(&rng, 5)) / 10;
        for (int u = 0; u < v; u++)
            if (rng_below(&rng, rare) == 0) d->edge[n_edges++] = (OrderEdge){u, v};
    }
    d->graph = (OrderGraph){d->task, n, n, d->edge, n_edges};
}

static void expect_sound(const Drawn *d, const OrderPlan *plan)
{
    const OrderGraph *g = &d->graph;
    double last = 0;
    bool seen[MOST] = {false};
    for (int e = 0; e < g->n_edges; e++) {
        int a = g->edge[e].parent, b = g->edge[e].child;
        assert_true(plan->start[a] + g->task[a].duration <= plan->start[b] + 1e-6);
        assert_true(plan->rank[a] < plan->rank[b]);
    }
    for (int v = 0; v < g->n; v++) {
        double end = plan->start[v] + g->task[v].duration;
        if (end > last) last = end;
        assert_true(plan->start[v] >= 0 && plan->machine[v] >= 0 && plan->machine[v] < d->n_machines);
        assert_true(plan->rank[v] >= 0 && plan->rank[v] < g->n && !seen[plan->rank[v]]);
        seen[plan->rank[v]] = true;
        for (int r = 0; r < ORDER_RESOURCES; r++) { /* what is in use when it starts */
            double used = 0;
            for (int k = 0; k < g->n; k++)
                if (plan->machine[k] == plan->machine[v] && plan->start[k] <= plan->start[v] + 1e-6 &&
                    plan->start[k] + g->task[k].duration > plan->start[v] + 1e-6)
                    used += g->task[k].demand[r];
            assert_true(used <= 1 + 1e-6);
        }
    }
    assert_true(fabs(last - plan->makespan) < 1e-6);
}

static void schedules_hold(void **state)
{
    (void)state;
    int shorter = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Arena arena = {0};
        Drawn d;
        draw(&d, seed, MOST, 4);
        OrderPlan plan = order_build(&d.graph, d.n_machines, .1, &arena);
        OrderPlan plain = order_build(&d.graph, d.n_machines, 1, &arena);
        expect_sound(&d, &plan);
        expect_sound(&d, &plain);
        assert_true(plan.makespan <= plain.makespan + 1e-6);
        shorter += plan.makespan < plain.makespan - 1e-6;
        arena_free(&arena);
    }
    print_message("%d of 400 shorter than by longest path\n", shorter);
    assert_true(shorter > 50); /* troublesome first is worth something */
}

/* The least makespan on one machine by trying all starts at whole times: durations are whole, so one of them is best.
 */
static int shortest(const OrderGraph *g, int start[], int v, int limit)
{
    if (v == g->n) {
        int last = 0;
        for (int k = 0; k < v; k++) {
            int end = start[k] + (int)g->task[k].duration;
            if (end > last) last = end;
        }
        return last;
    }
    int best = limit, from = 0;
    for (int e = 0; e < g->n_edges; e++) { /* parents have lower numbers */
        if (g->edge[e].child != v) continue;
        int end = start[g->edge[e].parent] + (int)g->task[g->edge[e].parent].duration;
        if (end > from) from = end;
    }
    for (start[v] = from; start[v] + (int)g->task[v].duration < best; start[v]++) {
        bool fits = true;
        for (int t = start[v]; t < start[v] + (int)g->task[v].duration && fits; t++)
            for (int r = 0; r < ORDER_RESOURCES && fits; r++) {
                double used = g->task[v].demand[r];
                for (int k = 0; k < v; k++)
                    if (start[k] <= t && t < start[k] + (int)g->task[k].duration) used += g->task[k].demand[r];
                fits = used <= 1 + 1e-6;
            }
        int here = start[v], length = fits ? shortest(g, start, v + 1, best) : best;
        start[v] = here;
        if (length < best) best = length;
    }
    return best;
}

/* Never shorter than the best there is, and mostly as short. */
static void against_exhaustive_search(void **state)
{
    (void)state;
    int n = 0, optimal = 0, plain_optimal = 0;
    double longest = 1;
    for (uint64_t seed = 1; seed <= 300; seed++, n++) {
        Arena arena = {0};
        Drawn d;
        draw(&d, seed, 6, 1);
        int start[MOST] = {0}, best = shortest(&d.graph, start, 0, 1000);
        OrderPlan plan = order_build(&d.graph, 1, .1, &arena);
        OrderPlan plain = order_build(&d.graph, 1, 1, &arena);
        assert_true(plan.makespan >= best - 1e-6);
        optimal += plan.makespan < best + 1e-6;
        plain_optimal += plain.makespan < best + 1e-6;
        longest = fmax(longest, plan.makespan / best);
        arena_free(&arena);
    }
    print_message("%d of %d as short as can be (by longest path alone %d), at worst %.2f times that\n", optimal, n,
                  plain_optimal, longest);
    assert_true(optimal > n * 95 / 100 && optimal > plain_optimal && longest < 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_tasks_first),
        cmocka_unit_test(machines_are_used_side_by_side),
        cmocka_unit_test(a_long_chain),
        cmocka_unit_test(schedules_hold),
        cmocka_unit_test(against_exhaustive_search),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
