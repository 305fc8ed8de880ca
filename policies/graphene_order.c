/* policies/graphene_order.c -- subsets of a graph laid into machines and time, forwards and backwards. */
#include "policies/graphene_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/err.h"

static const double tiny = 1e-9; /* shares, and times as a share of the longest task: below it is rounding */

typedef uint64_t Word;

typedef struct Space { /* what is placed */
    double *start;     /* [n] */
    int *machine;      /* [n]; -1: not placed */
} Space;

typedef struct Planner {
    const OrderGraph *graph;
    int n, n_words, n_machines;
    Word *above, *below;    /* [n][n_words]: ancestors and descendants */
    double *depth, *height; /* longest path to a task's end from above, and from its start to the end below */
    double least;           /* time that counts */
    Space space;
} Planner;

/* ---- sets of tasks ---- */

static bool has(const Word *set, int v)
{
    return set[v / 64] >> (v % 64) & 1;
}

static void put(Word *set, int v)
{
    set[v / 64] |= (Word)1 << (v % 64);
}

static bool meet(const Planner *p, const Word *a, const Word *b)
{
    for (int w = 0; w < p->n_words; w++)
        if (a[w] & b[w]) return true;
    return false;
}

static Word *new_set(const Planner *p, Arena *arena)
{
    return NEW_ARRAY(arena, Word, p->n_words);
}

static Word *related(const Planner *p, bool down, int v)
{
    return (down ? p->below : p->above) + (size_t)v * (size_t)p->n_words;
}

/* ---- the graph ---- */

/* Ancestors and longest paths, by going along the edges until nothing changes: depth rounds at most. */
static void relate(Planner *p)
{
    const OrderGraph *g = p->graph;
    for (int v = 0; v < p->n; v++) p->depth[v] = p->height[v] = g->task[v].duration;
    bool changed = true;
    for (int round = 0; changed; round++) {
        MUST(round <= p->n); /* no cycles */
        changed = false;
        for (int e = 0; e < g->n_edges; e++) {
            int a = g->edge[e].parent, b = g->edge[e].child;
            double depth = p->depth[a] + g->task[b].duration, height = p->height[b] + g->task[a].duration;
            if (depth > p->depth[b]) p->depth[b] = depth, changed = true;
            if (height > p->height[a]) p->height[a] = height, changed = true;
            for (int down = 0; down < 2; down++) {
                int to = down ? a : b, via = down ? b : a;
                Word *mine = related(p, down, to), *more = related(p, down, via);
                for (int w = 0; w < p->n_words; w++) {
                    Word all = mine[w] | more[w] | (w == via / 64 ? (Word)1 << (via % 64) : 0);
                    if (all != mine[w]) mine[w] = all, changed = true;
                }
            }
        }
    }
}

/* ---- laying tasks ---- */

/* Times run backwards where `way` is -1: what ends at t begins at -t. */
static double begins(const Planner *p, int v, int way)
{
    return way > 0 ? p->space.start[v] : -(p->space.start[v] + p->graph->task[v].duration);
}
static double ends(const Planner *p, int v, int way)
{
    return begins(p, v, way) + p->graph->task[v].duration;
}

/* Whether task v could be on the machine during [t, t + its duration); its tasks are listed. */
static bool fits(const Planner *p, int v, const int here[], int n_here, int way, double t)
{
    const OrderTask *task = &p->graph->task[v];
    for (int i = -1; i < n_here; i++) { /* use is largest at t, or where one of the others begins */
        double at = i < 0 ? t : begins(p, here[i], way), used[ORDER_RESOURCES] = {0};
        if (at < t || at >= t + task->duration - p->least) continue;
        for (int k = 0; k < n_here; k++)
            if (begins(p, here[k], way) < at + p->least && ends(p, here[k], way) > at + p->least)
                for (int r = 0; r < ORDER_RESOURCES; r++) used[r] += p->graph->task[here[k]].demand[r];
        for (int r = 0; r < ORDER_RESOURCES; r++)
            if (used[r] + task->demand[r] > 1 + tiny) return false;
    }
    return true;
}

/* Lays v where it can begin first, not before `from`; on equal machines the lowest. */
static void lay(Planner *p, int v, int way, double from, int here[])
{
    double best = HUGE_VAL;
    int machine = -1;
    for (int m = 0; m < p->n_machines; m++) {
        int n_here = 0;
        for (int k = 0; k < p->n; k++)
            if (p->space.machine[k] == m) here[n_here++] = k;
        for (double t = from; t < best - p->least;) {
            if (fits(p, v, here, n_here, way, t)) {
                best = t;
                machine = m;
                break;
            }
            double next = HUGE_VAL; /* room comes only when something ends */
            for (int i = 0; i < n_here; i++)
                if (ends(p, here[i], way) > t + p->least && ends(p, here[i], way) < next) next = ends(p, here[i], way);
            t = next;
        }
    }
    p->space.start[v] = way > 0 ? best : -(best + p->graph->task[v].duration);
    p->space.machine[v] = machine;
}

/* The next task of the set: nothing of the set that has to be before it is left; longest way to go first. */
static int next_ready(const Planner *p, const Word *set, const Word *left, int way)
{
    const double *length = way > 0 ? p->height : p->depth;
    int best = -1;
    for (int v = 0; v < p->n; v++) {
        if (!has(set, v) || !has(left, v) || meet(p, related(p, way < 0, v), left)) continue;
        if (best < 0 || length[v] > length[best] + p->least ||
            (length[v] > length[best] - p->least &&
             p->graph->task[v].duration > p->graph->task[best].duration + p->least))
            best = v;
    }
    return best;
}

static void lay_set(Planner *p, const Word *set, int way, Arena *arena)
{
    Word *left = new_set(p, arena);
    int *here = NEW_ARRAY(arena, int, p->n);
    double first = HUGE_VAL; /* where the space begins so far */
    memcpy(left, set, (size_t)p->n_words * sizeof *left);
    for (int v = 0; v < p->n; v++)
        if (p->space.machine[v] >= 0 && begins(p, v, way) < first) first = begins(p, v, way);
    if (first == HUGE_VAL) first = 0;
    for (int v; (v = next_ready(p, set, left, way)) >= 0;) {
        double from = -HUGE_VAL;
        for (int k = 0; k < p->n; k++)
            if (p->space.machine[k] >= 0 && has(related(p, way < 0, v), k)) from = fmax(from, ends(p, k, way));
        lay(p, v, way, from > -HUGE_VAL ? from : first, here);
        left[v / 64] &= ~((Word)1 << (v % 64));
    }
}

static double makespan(const Planner *p)
{
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (int v = 0; v < p->n; v++) {
        if (p->space.machine[v] < 0) continue;
        first = fmin(first, begins(p, v, 1));
        last = fmax(last, ends(p, v, 1));
    }
    return last > first ? last - first : 0;
}

static Space copy_space(const Planner *p, Arena *arena)
{
    Space copy = {NEW_ARRAY(arena, double, p->n), NEW_ARRAY(arena, int, p->n)};
    memcpy(copy.start, p->space.start, (size_t)p->n * sizeof *copy.start);
    memcpy(copy.machine, p->space.machine, (size_t)p->n * sizeof *copy.machine);
    return copy;
}

/* PlaceTasks: forwards after what is above, backwards before what is below; where nothing is, the better of the two. */
static void place_set(Planner *p, const Word *set, Arena *arena)
{
    bool after = false, before = false, empty = true;
    for (int v = 0; v < p->n; v++) {
        if (!has(set, v)) continue;
        empty = false;
        for (int k = 0; k < p->n; k++) {
            after = after || (p->space.machine[k] >= 0 && has(related(p, false, v), k));
            before = before || (p->space.machine[k] >= 0 && has(related(p, true, v), k));
        }
    }
    MUST(!(after && before)); /* a dead end */
    if (empty) return;
    Space was = copy_space(p, arena);
    lay_set(p, set, before ? -1 : 1, arena);
    if (after || before) return;
    Space forwards = p->space;
    double length = makespan(p);
    p->space = was;
    lay_set(p, set, -1, arena);
    if (makespan(p) > length - p->least) p->space = forwards;
}

static void clear_space(Planner *p)
{
    for (int v = 0; v < p->n; v++) p->space.machine[v] = -1;
}

/* ---- troublesome tasks ---- */

/* How well each stage packs: the work of its scarcest resource, over the time it takes alone. */
static void score_stages(Planner *p, double score[], Arena *arena)
{
    const OrderGraph *g = p->graph;
    for (int s = 0; s < g->n_stages; s++) {
        Word *stage = new_set(p, arena);
        double work[ORDER_RESOURCES] = {0}, most = 0;
        for (int v = 0; v < p->n; v++) {
            if (g->task[v].stage != s) continue;
            put(stage, v);
            for (int r = 0; r < ORDER_RESOURCES; r++) work[r] += g->task[v].duration * g->task[v].demand[r];
        }
        for (int r = 0; r < ORDER_RESOURCES; r++) most = fmax(most, work[r] / p->n_machines);
        clear_space(p);
        lay_set(p, stage, 1, arena);
        score[s] = makespan(p) > 0 ? most / makespan(p) : 1;
    }
}

/* Those at least so long, those of stages that pack no better, and what lies between them. */
static Word *troublesome(const Planner *p, double length, double score, const double stage_score[], Arena *arena)
{
    Word *set = new_set(p, arena), *closed = new_set(p, arena);
    for (int v = 0; v < p->n; v++) {
        const OrderTask *task = &p->graph->task[v];
        if (task->duration >= length - p->least || stage_score[task->stage] <= score + tiny) put(set, v);
    }
    for (int v = 0; v < p->n; v++)
        if (has(set, v) || (meet(p, related(p, false, v), set) && meet(p, related(p, true, v), set))) put(closed, v);
    return closed;
}

/* The subsets, each in its place of the four orders; keeps the best schedule in *best. */
static void try_orders(Planner *p, const Word *troubles, Space *best, double *least, Arena *arena)
{
    enum { T, O, P, C };
    static const int order[4][4] = {{T, O, P, C}, {T, O, C, P}, {T, C, O, P}, {T, P, O, C}};
    Word *set[4];
    for (int i = 0; i < 4; i++) set[i] = new_set(p, arena);
    for (int v = 0; v < p->n; v++) {
        int in = has(troubles, v) ? T : O;
        if (in == O && meet(p, related(p, true, v), troubles)) in = P;
        if (in == O && meet(p, related(p, false, v), troubles)) in = C;
        put(set[in], v);
    }
    for (int i = 0; i < 4; i++) {
        clear_space(p);
        for (int k = 0; k < 4; k++) place_set(p, set[order[i][k]], arena);
        double length = makespan(p);
        if (length >= *least - p->least) continue;
        *least = length;
        *best = copy_space(p, arena);
    }
}

/* ---- the plan ---- */

typedef struct Turn {
    double start; /* in steps of the least time that counts */
    double height;
    int task;
} Turn;

static int by_start(const void *a, const void *b)
{
    const Turn *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->height != y->height) return x->height > y->height ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

static bool is_known(const Planner *p, Word *const seen[], int n, const Word *set)
{
    for (int i = 0; i < n; i++)
        if (memcmp(seen[i], set, (size_t)p->n_words * sizeof *set) == 0) return true;
    return false;
}

OrderPlan order_build(const OrderGraph *graph, int n_machines, double step, Arena *arena)
{
    int n = graph->n, n_words = (n + 63) / 64, n_steps = (int)lround(1 / step);
    Arena scratch = {0};
    Planner p = {.graph = graph,
                 .n = n,
                 .n_words = n_words,
                 .n_machines = n_machines,
                 .above = NEW_ARRAY(&scratch, Word, n * n_words),
                 .below = NEW_ARRAY(&scratch, Word, n * n_words),
                 .depth = NEW_ARRAY(&scratch, double, n),
                 .height = NEW_ARRAY(&scratch, double, n)};
    double longest = 0, least = HUGE_VAL;
    for (int v = 0; v < n; v++) longest = fmax(longest, graph->task[v].duration);
    p.least = longest * tiny;
    p.space = (Space){NEW_ARRAY(&scratch, double, n), NEW_ARRAY(&scratch, int, n)};
    relate(&p);

    double *stage_score = NEW_ARRAY(&scratch, double, graph->n_stages);
    Word **seen = NEW_ARRAY(&scratch, Word *, n_steps * n_steps);
    Space best = {0};
    int n_seen = 0;
    score_stages(&p, stage_score, &scratch);
    for (int l = 1; l <= n_steps; l++)
        for (int f = 1; f <= n_steps; f++) {
            Word *set = troublesome(&p, longest * l * step, f * step, stage_score, &scratch);
            if (is_known(&p, seen, n_seen, set)) continue;
            seen[n_seen++] = set;
            try_orders(&p, set, &best, &least, &scratch);
        }

    MUST(best.start); /* the first set is a new one */
    OrderPlan plan = {.makespan = least,
                      .start = NEW_ARRAY(arena, double, n),
                      .machine = NEW_ARRAY(arena, int, n),
                      .rank = NEW_ARRAY(arena, int, n),
                      .n_tried = n_seen};
    Turn *turn = NEW_ARRAY(&scratch, Turn, n);
    double first = HUGE_VAL;
    for (int v = 0; v < n; v++) first = fmin(first, best.start[v]);
    for (int v = 0; v < n; v++) {
        plan.start[v] = best.start[v] - first;
        plan.machine[v] = best.machine[v];
        turn[v] = (Turn){round(plan.start[v] / p.least), p.height[v], v}; /* what differs by rounding is equal */
    }
    qsort(turn, (size_t)n, sizeof *turn, by_start);
    for (int i = 0; i < n; i++) plan.rank[turn[i].task] = i;
    arena_free(&scratch);
    return plan;
}
