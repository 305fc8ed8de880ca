/* policies/graphene.c -- Graphene and Tetris: gangs packed by how they align with what servers have free.
 *
 * Grandl et al., "Graphene: Packing and Dependency-Aware Scheduling for Data-Parallel Clusters", OSDI 2016; Grandl et
 * al., "Multi-Resource Packing for Cluster Schedulers" (Tetris), SIGCOMM 2014.  Each round, while something fits: of
 * all waiting jobs the one that is worth most starts.  A job is worth
 *   its alignment: demand x free over GPUs, cores and host memory, on the servers it would get; in graphene a task
 *     counts by its place in the offline order of its graph (graphene_order.h) and less if it talks to another server;
 *   in graphene, less the work it still needs, in proportion to what alignments and work are on average: short jobs
 *     first.
 * Bounded unfairness (graphene): virtual clusters or users have equal claims to the GPUs that are handed out while they
 * wait; once one is behind by a share κ of the cluster only its jobs may start.  `tetris` is the packing alone.
 *
 * PAPER: a machine that reports picks the task that aligns best with what it has free; which machine reports is chance.
 * A gang here takes the fewest servers, best fit, and of equally full ones those it aligns with best, so that whole
 * servers stay whole.  server=align looks at alignment only, which is largest on the emptiest.
 *
 * Knows:   what tasks need, predicted run times, task graphs, users and virtual clusters.
 * Ignores: deadlines, urgency, losses.
 */
#include <math.h>
#include <string.h>

#include "policies/graphene_shapes.h"
#include "sim/base/err.h"
#include "sim/base/names.h"

#define SERVER_PARAM                                                                                                   \
    CHOICE_PARAM("server", "fit", "fit|align", "servers of a gang: best fit, then alignment; or alignment alone")

typedef struct Waiting {
    WideTime work; /* GPU-microseconds it needs, as predicted; 0 where that is of no account */
    JobId id;
} Waiting;

typedef struct Kind { /* waiting jobs of one shape of one claimant */
    int32_t claimant, shape;
    int32_t next;   /* of the claimant's kinds; -1: none */
    int32_t active; /* its place in the list of those in which somebody waits */
    Waiting *heap;  /* [n], least work first */
    int n, room;
    WideTime work; /* the sum */
} Kind;

typedef struct Claimant { /* a virtual cluster or user */
    int32_t kinds;        /* first; -1: none */
    int32_t n_waiting;
    double behind; /* GPUs it should have been given and was not; 0 when nobody of it waits */
} Claimant;

typedef struct {
    Placer placer;
    Shapes shapes;
    bool by_user, aligned;
    double shortness; /* m_w */
    double unfair;    /* κ, in GPUs */
    Names names;      /* of the claimants */
    Claimant *claimant;
    int claimant_room;
    Kind *kind;
    int n_kinds, kind_room;
    int *active; /* [n_active], room for all kinds */
    int n_active, n_claimants_waiting;
    int64_t step;       /* counts looks at a changed cluster */
    PlaceNeed *refused; /* [n_refused]: in this round, in which room only becomes less */
    int n_refused, refused_room;
    const Shape *placing; /* for server_cost */
} Graphene;

/* ---- waiting jobs ---- */

static bool before(const Waiting *a, const Waiting *b)
{
    return a->work != b->work ? a->work < b->work : a->id < b->id;
}

static void push(Sched *s, Graphene *me, Kind *kind, Waiting entry)
{
    if (kind->n == kind->room) {
        int larger = kind->room ? 2 * kind->room : 8;
        kind->heap = arena_grow(sched_memory(s), kind->heap, (size_t)kind->n, (size_t)larger, sizeof *kind->heap);
        kind->room = larger;
    }
    if (kind->n == 0) {
        kind->active = me->n_active;
        me->active[me->n_active++] = (int)(kind - me->kind);
    }
    int hole = kind->n++;
    for (; hole > 0 && before(&entry, &kind->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
        kind->heap[hole] = kind->heap[(hole - 1) / 2];
    kind->heap[hole] = entry;
    kind->work += entry.work;
    if (me->claimant[kind->claimant].n_waiting++ == 0) me->n_claimants_waiting++;
}

static void pop(Graphene *me, Kind *kind)
{
    Waiting last = kind->heap[--kind->n];
    int hole = 0;
    kind->work -= kind->heap[0].work;
    for (int child; (child = hole * 2 + 1) < kind->n; hole = child) {
        if (child + 1 < kind->n && before(&kind->heap[child + 1], &kind->heap[child])) child++;
        if (!before(&kind->heap[child], &last)) break;
        kind->heap[hole] = kind->heap[child];
    }
    kind->heap[hole] = last;
    if (kind->n == 0) {
        me->active[kind->active] = me->active[--me->n_active];
        me->kind[me->active[kind->active]].active = kind->active;
    }
    Claimant *claimant = &me->claimant[kind->claimant];
    if (--claimant->n_waiting) return;
    me->n_claimants_waiting--;
    claimant->behind = 0; /* it starts anew when it wants something again */
}

static int claimant_named(Sched *s, Graphene *me, const char *name)
{
    bool is_new;
    if (!name) name = "";
    int claimant = names_add(&me->names, name, strlen(name), &is_new);
    if (!is_new) return claimant;
    if (claimant == me->claimant_room) {
        int larger = me->claimant_room ? 2 * me->claimant_room : 16;
        me->claimant =
            arena_grow(sched_memory(s), me->claimant, (size_t)claimant, (size_t)larger, sizeof *me->claimant);
        me->claimant_room = larger;
    }
    me->claimant[claimant] = (Claimant){.kinds = -1};
    return claimant;
}

static Kind *kind_of(Sched *s, Graphene *me, int claimant, int shape)
{
    for (int i = me->claimant[claimant].kinds; i >= 0; i = me->kind[i].next)
        if (me->kind[i].shape == shape) return &me->kind[i];
    if (me->n_kinds == me->kind_room) {
        int larger = me->kind_room ? 2 * me->kind_room : 64;
        me->kind = arena_grow(sched_memory(s), me->kind, (size_t)me->n_kinds, (size_t)larger, sizeof *me->kind);
        me->active = arena_grow(sched_memory(s), me->active, (size_t)me->n_active, (size_t)larger, sizeof *me->active);
        me->kind_room = larger;
    }
    me->kind[me->n_kinds] = (Kind){.claimant = claimant, .shape = shape, .next = me->claimant[claimant].kinds};
    me->claimant[claimant].kinds = me->n_kinds;
    return &me->kind[me->n_kinds++];
}

/* ---- fairness ---- */

/* The claimant who is furthest behind, if that is too far; -1: all may start jobs. */
static int too_far_behind(const Graphene *me)
{
    int worst = -1;
    for (int i = 0; i < me->n_active; i++) {
        int c = me->kind[me->active[i]].claimant;
        double behind = me->claimant[c].behind;
        if (behind < me->unfair) continue;
        if (worst < 0 || behind > me->claimant[worst].behind || (behind == me->claimant[worst].behind && c < worst))
            worst = c;
    }
    return worst;
}

/* All who wait had equal claims to the GPUs that one of them gets. */
static void settle_claims(Graphene *me, int served, int n_gpus)
{
    double claim = (double)n_gpus / me->n_claimants_waiting;
    for (int i = 0; i < me->names.n; i++)
        if (me->claimant[i].n_waiting) me->claimant[i].behind += claim;
    me->claimant[served].behind -= n_gpus;
}

/* ---- the choice ---- */

static double server_cost(const Sched *s, const void *state, const Job *job, ServerId id, int n)
{
    const Graphene *me = state;
    double fit = me->aligned ? 0 : 4 * shapes_free_gpus(&me->shapes, s, id); /* alignments are 3 at most */
    (void)job;
    return fit - shape_alignment(&me->shapes, s, me->placing, id, n);
}

static const GpuId *place_shape(Sched *s, Graphene *me, const Shape *shape, const Job *job)
{
    me->placing = shape;
    return place_by(s, &me->placer, job);
}

/* Whether something that needs no more has been refused in this round. */
static bool is_refused(const Graphene *me, const Shape *shape)
{
    for (int i = 0; i < me->n_refused; i++)
        if (place_refuses(me->shapes.mode, me->refused[i], shape->need)) return true;
    return false;
}

/* Works the shape's score out for the cluster as it is; false: no room of that shape. */
static bool look_at(Sched *s, Graphene *me, Shape *shape, JobId head)
{
    if (shape->looked_at == me->step) return !shape->refused;
    shape->looked_at = me->step;
    shape->refused = is_refused(me, shape);
    if (shape->refused) return false;
    const GpuId *gpus = place_shape(s, me, shape, sched_job(s, head));
    if (gpus) {
        shape->score = shape_score(&me->shapes, s, shape, gpus);
        return true;
    }
    if (me->n_refused == me->refused_room) {
        int larger = me->refused_room ? 2 * me->refused_room : 16;
        me->refused =
            arena_grow(sched_memory(s), me->refused, (size_t)me->n_refused, (size_t)larger, sizeof *me->refused);
        me->refused_room = larger;
    }
    me->refused[me->n_refused++] = shape->need;
    shape->refused = true;
    return false;
}

/* Starts the waiting job that is worth most; false: nothing fits that may start. */
static bool start_best(Sched *s, Graphene *me)
{
    int only = me->unfair < HUGE_VAL ? too_far_behind(me) : -1;
    int spare = place_spare(s, me->shapes.mode);
    double score = 0, work = 0;
    me->step++;
    for (int i = 0; i < me->n_active; i++) {
        const Kind *kind = &me->kind[me->active[i]];
        Shape *shape = &me->shapes.shape[kind->shape];
        if (only >= 0 && kind->claimant != only) continue;
        if (shape->need.n_gpus > spare || !look_at(s, me, shape, kind->heap[0].id)) continue;
        score += shape->score * kind->n;
        work += (double)kind->work;
    }

    double eta = work > 0 ? me->shortness * score / work : 0, most = -HUGE_VAL;
    Kind *best = NULL;
    for (int i = 0; i < me->n_active; i++) {
        Kind *kind = &me->kind[me->active[i]];
        const Shape *shape = &me->shapes.shape[kind->shape];
        if (shape->looked_at != me->step || shape->refused || (only >= 0 && kind->claimant != only)) continue;
        double worth = shape->score - eta * (double)kind->heap[0].work;
        if (worth < most || (best && worth == most && kind->heap[0].id > best->heap[0].id)) continue;
        most = worth;
        best = kind;
    }
    if (!best) return false;
    const Job *job = sched_job(s, best->heap[0].id);
    const GpuId *gpus = place_shape(s, me, &me->shapes.shape[best->shape], job);
    MUST(gpus); /* as for the one that was looked at */
    sched_start(s, job->id, gpus, job->n_tasks);
    settle_claims(me, best->claimant, job->n_gpus);
    pop(me, best);
    return true;
}

/* ---- hooks ---- */

static void open_packer(Sched *s, Graphene *me)
{
    me->names.arena = sched_memory(s);
    me->shapes.mode = place_mode(s);
    me->placer = (Placer){me->shapes.mode, server_cost, me};
    me->aligned = sched_is(s, "server", "align");
    me->unfair = HUGE_VAL;
    me->shapes.remote = 1;
}

static void tetris_init(Sched *s, void *state)
{
    open_packer(s, state);
}

static void graphene_init(Sched *s, void *state)
{
    Graphene *me = state;
    open_packer(s, me);
    me->shapes.ordered = true;
    me->shapes.step = sched_number(s, "delta");
    me->shapes.remote = sched_number(s, "rp");
    me->shortness = sched_number(s, "m_w");
    me->unfair = sched_number(s, "kappa") * sched_pool(s)->n_gpus;
    me->by_user = sched_is(s, "fair_queue", "user");
}

static void graphene_on_arrive(Sched *s, void *state, const Job *job)
{
    Graphene *me = state;
    const char *name = me->unfair == HUGE_VAL ? NULL : me->by_user ? job->user : job->vc;
    Kind *kind = kind_of(s, me, claimant_named(s, me, name), shapes_find(&me->shapes, s, job));
    WideTime work = (WideTime)job_remaining(job, sched_now(s)) * job->n_gpus;
    push(s, me, kind, (Waiting){me->shortness > 0 ? work : 0, job->id});
}

static void graphene_schedule(Sched *s, void *state)
{
    Graphene *me = state;
    me->n_refused = 0;
    while (start_best(s, me)) continue;
}

static const Param tetris_params[] = {SERVER_PARAM, {0}};

static const Param graphene_params[] = {
    NUMBER_PARAM("m_w", "0.2", 0, 1e6, "weight of the work a job still needs, against its alignment"),
    NUMBER_PARAM("rp", "0.8", 0, 1, "what the alignment of a task counts that talks to another server"),
    NUMBER_PARAM("kappa", "0.1", 0, 1e6, "share of the cluster by which a claimant may fall behind"),
    CHOICE_PARAM("fair_queue", "vc", "vc|user", "who has equal claims"),
    NUMBER_PARAM("delta", "0.1", 0.01, 1, "step in which long and hard-to-pack tasks are told from others"),
    SERVER_PARAM,
    {0},
};

const Policy policy_tetris = {
    .name = "tetris",
    .summary = "gangs packed by how demands align with what servers have free",
    .state_size = sizeof(Graphene),
    .params = tetris_params,
    .init = tetris_init,
    .on_arrive = graphene_on_arrive,
    .schedule = graphene_schedule,
};

const Policy policy_graphene = {
    .name = "graphene",
    .summary = "Graphene: packing, short jobs, order of the task graph, bounded unfairness",
    .state_size = sizeof(Graphene),
    .params = graphene_params,
    .init = graphene_init,
    .on_arrive = graphene_on_arrive,
    .schedule = graphene_schedule,
};
