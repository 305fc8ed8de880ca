/* policies/tiresias.c -- Tiresias: queues by attained service, for jobs of unknown length (Gu et al., NSDI'19).
 *
 * A job enters queue 0 and is demoted to the next queue when its attained service (running time x GPUs, or running time
 * alone) reaches its queue's limit.  Each round walks the queues from the top and grants GPUs, skipping what does not
 * fit; running jobs that got nothing make way.  Inside a queue tiresias-l keeps the order of starting (Discretised
 * 2D-LAS); tiresias-g orders by the Gittins index with the queue's limit as quantum.  A job that has waited `promote`
 * times as long as it ran returns to queue 0 with its service forgotten.
 *
 * Knows:   attained service; tiresias-g also a sample of total services, from a history file or from the jobs that
 * ended. Ignores: run times, deadlines.
 *
 * compat=1 is the simulator the authors released, to the second: three queues (3250, 7200), no promotion, a demotion
 * instant that forgets to multiply the time run by the GPUs, and for tiresias-g their form of the index with a fixed
 * quantum of 3250.  docs/validation.md works an example of where the two differ by hand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/gittins.h"
#include "policies/place.h"
#include "sim/base/text.h"
#include "traces/reader.h"

enum { MOST_QUEUES = 16 };
static const double released_quantum = 3250;

typedef struct {
    const Job *job;
    int32_t n_gpus;    /* the job's, and ... */
    bool running;      /* ... whether it runs, at hand: the walk through the queues is the cost of a round */
    SimTime forgotten; /* running time attained before its last promotion */
    SimTime paused;    /* since when it waits after having run; TIME_NEVER: it runs or never ran */
    SimTime due;       /* when it will have reached its queue's limit, or waited long enough for a promotion */
    double rank;       /* Gittins index */
    GittinsPlace place;
} Member;

typedef struct {
    Member *member;
    int n, capacity;
    SimTime limit; /* GPU-time or time; TIME_NEVER for the last */
} Queue;

typedef struct {
    PlaceMode mode;
    bool by_time, released, gittins;
    double promote, pack_limit;
    int n_queues;
    Queue queue[MOST_QUEUES];
    Gittins sample;
    bool learns;      /* the sample grows with each job that ends */
    SimTime next_due; /* nobody moves between queues before */
    bool ended;       /* somebody did since the last round, and is still in a queue */
    Member *aside;    /* [aside_room] for sorting a queue apart */
    int aside_room;
} Tiresias;

static const Param tiresias_params[] = {
    CHOICE_PARAM("service", "gpu_time", "gpu_time|time",
                 "what a job's attained service is: running time x GPUs, or running time"),
    {.name = "queues",
     .kind = PARAM_INTEGER,
     .value = "auto",
     .low = 1,
     .high = MOST_QUEUES,
     .help = "number of queues; auto: one more than thresholds, else 2, or 3 with compat=1"},
    {.name = "thresholds",
     .kind = PARAM_NUMBERS,
     .value = "auto",
     .low = 0,
     .high = 1e12,
     .help = "limits of all queues but the last, rising, GPU-seconds or seconds; auto: the first of 3250, 7200, 18000"},
    {.name = "promote",
     .kind = PARAM_NUMBER,
     .value = "auto",
     .low = 0,
     .high = 1e9,
     .help = "back to queue 0 after waiting this many times the time run; 0: never; auto: 8, or 0 with compat=1"},
    CHOICE_PARAM("compat", "0", "0|1",
                 "1: as the released simulator, its demotion instant and its Gittins form included"),
    NUMBER_PARAM("pack_limit", "0.4", 0, 1,
                 "models with a larger share of their size in one tensor are consolidated, others fill fragments"),
    TEXT_PARAM("history", "", "a trace whose services are tiresias-g's sample; empty: the jobs that ended so far"),
    {0},
};

/* ---- keys ---- */

static void read_queues(Sched *s, Tiresias *me)
{
    static const double usual[] = {3250, 7200, 18000};
    double limit[MOST_QUEUES];
    int n_limits = -1, n = me->released ? 3 : 2;

    if (!sched_is(s, "thresholds", "auto"))
        n_limits = params_numbers(sched_params(s), "tiresias", "thresholds", limit, MOST_QUEUES);
    if (!sched_is(s, "queues", "auto"))
        n = params_integer(sched_params(s), "tiresias", "queues");
    else if (n_limits >= 0)
        n = n_limits + 1;
    if (n_limits < 0 && n - 1 <= 3) {
        n_limits = n - 1;
        memcpy(limit, usual, sizeof usual);
    }
    if (n_limits != n - 1 || n > MOST_QUEUES) {
        sched_fail(s, "tiresias.thresholds: %d queues need %d limits", n, n - 1);
        return;
    }
    for (int q = 0; q < n; q++) {
        if (q && q < n - 1 && limit[q] <= limit[q - 1]) sched_fail(s, "tiresias.thresholds: must rise");
        me->queue[q].limit = q < n - 1 ? time_from_seconds(limit[q]) : TIME_NEVER;
    }
    me->n_queues = n;
}

static double service_of(const Tiresias *me, SimTime attained, int n_gpus)
{
    return time_seconds(attained) * (me->by_time ? 1 : n_gpus);
}

static void read_history(Sched *s, Tiresias *me, const char *path)
{
    Workload history;
    Err err = {0};
    if (!trace_read(path, NULL, sched_params(s), sched_memory(s), &history, &err)) {
        sched_fail(s, "tiresias.history: %s", err.text);
        return;
    }
    for (int i = 0; i < history.n; i++)
        gittins_add(&me->sample, service_of(me, history.job[i].duration, history.job[i].n_gpus));
    gittins_sort(&me->sample);
}

static void init(Sched *s, Tiresias *me)
{
    me->mode = place_mode(s);
    me->by_time = sched_is(s, "service", "time");
    me->released = sched_is(s, "compat", "1");
    me->pack_limit = sched_number(s, "pack_limit");
    me->promote = sched_is(s, "promote", "auto") ? (me->released ? 0 : 8) : sched_number(s, "promote");
    read_queues(s, me);
    me->sample.arena = sched_memory(s);
    if (!me->gittins) return;
    me->learns = sched_is(s, "history", "");
    if (!me->learns) read_history(s, me, sched_text(s, "history"));
}

/* ---- queues ---- */

static void append(Sched *s, Queue *queue, Member member)
{
    if (queue->n == queue->capacity) {
        queue->capacity = queue->capacity ? queue->capacity * 2 : 64;
        queue->member = arena_grow(sched_memory(s), queue->member, (size_t)queue->n, (size_t)queue->capacity,
                                   sizeof *queue->member);
    }
    queue->member[queue->n++] = member;
}

static SimTime attained(const Member *m, SimTime now)
{
    return job_attained(m->job, now) - m->forgotten;
}

/* Running time at which a job of this width reaches the queue's limit: the first whole microsecond. */
static SimTime time_to_limit(const Tiresias *me, const Queue *queue, const Member *m)
{
    int64_t width = me->by_time ? 1 : m->n_gpus;
    return queue->limit == TIME_NEVER ? TIME_NEVER : (queue->limit + width - 1) / width;
}

static SimTime due_of(const Tiresias *me, int q, const Member *m, SimTime now)
{
    if (m->running) {
        SimTime enough = time_to_limit(me, &me->queue[q], m);
        return enough == TIME_NEVER ? TIME_NEVER : now + enough - attained(m, now);
    }
    if (me->promote <= 0 || q == 0 || m->paused == TIME_NEVER) return TIME_NEVER;
    double wait = ceil(me->promote * (double)attained(m, now)); /* microseconds */
    return wait < 9e18 ? time_add(m->paused, (SimTime)wait) : TIME_NEVER;
}

/* The released simulator does not multiply the time run by the GPUs, rounds down to whole seconds, and asks anew at
 * each decision. */
static SimTime released_due(const Tiresias *me, int q, const Member *m, SimTime now)
{
    const Queue *queue = &me->queue[q];
    if (!m->running || queue->limit == TIME_NEVER) return m->due;
    SimTime wait = (queue->limit - attained(m, now)) / (me->by_time ? 1 : m->n_gpus);
    wait -= wait % TIME_SECOND;
    return wait > 0 ? now + wait : m->due;
}

static int by_arrival(const void *a, const void *b)
{
    JobId x = ((const Member *)a)->job->id, y = ((const Member *)b)->job->id;
    return (x > y) - (x < y);
}

/* Where a member that is due goes, with its state set for there.  The released simulator demotes by one queue at a
 * time. */
static int destination(const Tiresias *me, int q, Member *m, SimTime now)
{
    if (!m->running) { /* promoted: as one that never ran */
        m->forgotten = m->job->attained;
        m->paused = m->due = TIME_NEVER;
        m->place = (GittinsPlace){.n_sorted = -1}; /* its service came down: rank it anew */
        return 0;
    }
    do m->due = due_of(me, ++q, m, now);
    while (m->due <= now && !me->released);
    return q;
}

/* Demotes and promotes, newcomers of a queue at its tail in order of submission. */
static void move_members(Sched *s, Tiresias *me)
{
    SimTime now = sched_now(s);
    Member *moved[MOST_QUEUES] = {NULL};
    int n_moved[MOST_QUEUES] = {0}, total = sched_live(s)->n;

    for (int q = 0; q < me->n_queues; q++) {
        Queue *queue = &me->queue[q];
        int kept = 0;
        for (int i = 0; i < queue->n; i++) {
            Member m = queue->member[i];
            if (m.due > now || !job_is_live(m.job)) {
                queue->member[kept++] = m;
                continue;
            }
            int to = destination(me, q, &m, now);
            if (!moved[to]) moved[to] = NEW_ARRAY(sched_scratch(s), Member, total);
            moved[to][n_moved[to]++] = m;
        }
        queue->n = kept;
    }
    for (int q = 0; q < me->n_queues; q++) {
        if (n_moved[q] > 1) qsort(moved[q], (size_t)n_moved[q], sizeof(Member), by_arrival);
        for (int i = 0; i < n_moved[q]; i++) append(s, &me->queue[q], moved[q][i]);
    }
}

/* ---- the Gittins order ---- */

static int by_rank(const void *a, const void *b)
{
    const Member *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

static void sort_by_rank(const Tiresias *me, Queue *queue, SimTime now, bool all_new)
{
    double quantum = queue->limit == TIME_NEVER ? HUGE_VAL : time_seconds(queue->limit);
    for (int i = 0; i < queue->n; i++) {
        Member *m = &queue->member[i];
        if (!m->running && m->place.n_sorted == me->sample.n_sorted) continue; /* nothing changed */
        double service = service_of(me, attained(m, now), m->n_gpus);
        m->rank = me->released ? gittins_released(&me->sample, service, released_quantum)
                               : gittins_index_from(&me->sample, &m->place, service, quantum);
    }
    if (all_new) {
        if (queue->n > 1) qsort(queue->member, (size_t)queue->n, sizeof *queue->member, by_rank);
        return;
    }
    for (int i = 1; i < queue->n; i++) { /* nearly in order since the last decision */
        Member m = queue->member[i];
        int hole = i;
        for (; hole > 0 && by_rank(&m, &queue->member[hole - 1]) < 0; hole--)
            queue->member[hole] = queue->member[hole - 1];
        queue->member[hole] = m;
    }
}

/* ---- placement ---- */

/* Share of a network's size in its largest tensor (from the tensor sizes in Tiresias' models.py); unknown: 1. */
static double skew_of(const char *model)
{
    static const struct {
        const char *model;
        double skew;
    } known[] = {{"vgg19", .72},      {"vgg16", .74},     {"vgg11", .77},      {"alexnet", .61},    {"resnet50", .11},
                 {"resnet101", .075}, {"resnet152", .06}, {"inception3", .14}, {"inception4", .044}};
    for (size_t i = 0; model && i < sizeof known / sizeof *known; i++)
        if (strcmp(model, known[i].model) == 0) return known[i].skew;
    return 1;
}

static bool start(Sched *s, const Tiresias *me, const Job *job)
{
    bool relaxed = me->mode == PLACE_PACKED && skew_of(job->model) <= me->pack_limit;
    return place_start(s, relaxed ? PLACE_FILL : me->mode, job);
}

/* ---- rounds ---- */

static void tiresias_on_arrive(Sched *s, void *state, const Job *job)
{
    Tiresias *me = state;
    append(s, &me->queue[0], (Member){.job = job, .n_gpus = job->n_gpus, .paused = TIME_NEVER, .due = TIME_NEVER});
}

static void tiresias_on_end(Sched *s, void *state, const Job *job)
{
    (void)s;
    Tiresias *me = state;
    me->ended = true;
    if (me->gittins && me->learns) gittins_add(&me->sample, service_of(me, job->attained, job->n_gpus));
}

/* There was room enough, but not of the shape that place.mode wants: others may have it, and who did not start after
 * all waits on as before. */
static void fill_refused(Sched *s, Tiresias *me)
{
    EACH_JOB (id, sched_waiting(s))
        if (sched_job(s, id)->n_gpus <= sched_pool(s)->n_free) start(s, me, sched_job(s, id));
    for (int q = 0; q < me->n_queues; q++)
        for (int i = 0; i < me->queue[q].n; i++) {
            Member *m = &me->queue[q].member[i];
            m->running = m->job->state == JOB_RUNNING;
            if (m->running)
                m->paused = TIME_NEVER;
            else if (m->paused == TIME_NEVER && m->job->attained > m->forgotten)
                m->paused = sched_now(s);
            m->due = due_of(me, q, m, sched_now(s));
            if (m->due > sched_now(s) && m->due < me->next_due) me->next_due = m->due;
        }
}

/* A member is to start, or has to make way. */
static void turn(Sched *s, const Tiresias *me, int q, Member *m, JobId starts[], int *n_starts)
{
    m->running = !m->running;
    m->paused = m->running ? TIME_NEVER : sched_now(s);
    if (m->running)
        starts[(*n_starts)++] = m->job->id; /* once all who make way have made it */
    else
        sched_preempt(s, m->job->id);
    m->due = due_of(me, q, m, sched_now(s));
}

/* Running members ahead of waiting ones, otherwise in the order they were: in effect by time of start. */
static void settle(Sched *s, Tiresias *me, Queue *queue)
{
    if (me->aside_room < queue->n) {
        me->aside_room = queue->capacity;
        me->aside = NEW_ARRAY(sched_memory(s), Member, me->aside_room);
    }
    int kept = 0, n_aside = 0;
    for (int i = 0; i < queue->n; i++) {
        const Member *m = &queue->member[i];
        if (m->running)
            queue->member[kept++] = *m;
        else
            me->aside[n_aside++] = *m;
    }
    if (n_aside) memcpy(&queue->member[kept], me->aside, (size_t)n_aside * sizeof *me->aside);
}

/* Walks one queue: grants GPUs in its order, lets running members without any make way, notes those that are to start,
 * leaves out who ended. */
static void walk_queue(Sched *s, Tiresias *me, int q, int *spare, JobId starts[], int *n_starts)
{
    Queue *queue = &me->queue[q];
    SimTime now = sched_now(s);
    int kept = 0;
    bool waits = false, settled = true;

    for (int i = 0; i < queue->n; i++) {
        Member *m = &queue->member[i];
        if (me->ended && !job_is_live(m->job)) continue;
        bool granted = m->n_gpus <= *spare;
        if (granted) *spare -= m->n_gpus;
        if (granted != m->running) turn(s, me, q, m, starts, n_starts);
        if (granted && waits) settled = false;
        if (!granted) waits = true;
        SimTime due = me->released ? released_due(me, q, m, now) : m->due;
        if (due > now && due < me->next_due) me->next_due = due;
        if (kept < i) queue->member[kept] = *m;
        kept++;
    }
    queue->n = kept;
    if (!settled && !me->gittins) settle(s, me, queue);
}

static void tiresias_schedule(Sched *s, void *state)
{
    Tiresias *me = state;
    bool contended = sched_waiting(s)->n > 0;
    if (me->next_due <= sched_now(s) || me->released) move_members(s, me);

    /* Sorting the sample at every end would cost more than it tells: it is sorted again once it grew by one percent. */
    bool resort = me->gittins && me->sample.n > me->sample.n_sorted + me->sample.n_sorted / 100;
    if (resort) gittins_sort(&me->sample);

    int spare = sched_pool(s)->n_gpus, n_starts = 0;
    JobId *starts = NEW_ARRAY(sched_scratch(s), JobId, sched_waiting(s)->n + 1);
    me->next_due = TIME_NEVER;
    for (int q = 0; q < me->n_queues; q++) {
        if (me->gittins && contended) sort_by_rank(me, &me->queue[q], sched_now(s), resort);
        walk_queue(s, me, q, &spare, starts, &n_starts);
    }
    me->ended = false;
    bool refused = false;
    for (int i = 0; i < n_starts; i++) refused |= !start(s, me, sched_job(s, starts[i]));
    if (refused) fill_refused(s, me);
    SimTime wake = me->next_due;
    if (me->gittins && sched_tick(s) && sched_waiting(s)->n) { /* indices change without events: look at each tick */
        SimTime next = sched_now(s) + sched_tick(s);
        if (next < wake) wake = next;
    }
    sched_wake_at(s, wake);
}

static void tiresias_l_init(Sched *s, void *state)
{
    init(s, state);
}

static void tiresias_g_init(Sched *s, void *state)
{
    Tiresias *me = state;
    me->gittins = true;
    init(s, me);
}

const Policy policy_tiresias_l = {
    .name = "tiresias-l",
    .summary = "Tiresias, discretised 2D-LAS: queues by attained service",
    .group = "tiresias",
    .state_size = sizeof(Tiresias),
    .params = tiresias_params,
    .init = tiresias_l_init,
    .on_arrive = tiresias_on_arrive,
    .on_end = tiresias_on_end,
    .schedule = tiresias_schedule,
};

const Policy policy_tiresias_g = {
    .name = "tiresias-g",
    .summary = "Tiresias, discretised 2D-Gittins: queues ordered by the Gittins index",
    .group = "tiresias",
    .state_size = sizeof(Tiresias),
    .params = tiresias_params,
    .init = tiresias_g_init,
    .on_arrive = tiresias_on_arrive,
    .on_end = tiresias_on_end,
    .schedule = tiresias_schedule,
};
