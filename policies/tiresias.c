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
    JobId id;
    int32_t n_gpus;
    SimTime forgotten; /* running time attained before its last promotion */
    SimTime paused;    /* since when it waits after having run; TIME_NEVER: it never ran or is running */
    SimTime ranked_at; /* attained time for which `rank` holds, ... */
    int ranked_size;   /* ... and the sample it was worked out from */
    double rank;       /* Gittins index */
} Member;

typedef struct {
    Member *member;
    int n, capacity;
    double limit; /* GPU-seconds or seconds; INFINITY for the last */
} Queue;

typedef struct {
    PlaceMode mode;
    bool by_time, released, gittins;
    double promote, pack_limit;
    int n_queues;
    Queue queue[MOST_QUEUES];
    Gittins sample;
    bool learns; /* the sample grows with each job that ends */
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
        me->queue[q].limit = q < n - 1 ? limit[q] : HUGE_VAL;
        if (q && me->queue[q].limit <= me->queue[q - 1].limit) sched_fail(s, "tiresias.thresholds: must rise");
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

static SimTime attained(const Sched *s, const Member *m)
{
    return job_attained(sched_job(s, m->id), sched_now(s)) - m->forgotten;
}

static bool is_due_up(const Sched *s, const Tiresias *me, int q, const Member *m)
{
    if (me->promote <= 0 || q == 0 || m->paused == TIME_NEVER) return false;
    return time_seconds(sched_now(s) - m->paused) >= me->promote * time_seconds(attained(s, m));
}

static int by_arrival(const void *a, const void *b)
{
    JobId x = ((const Member *)a)->id, y = ((const Member *)b)->id;
    return (x > y) - (x < y);
}

/* Demotes and promotes: each job at most once a round, newcomers of a queue at its tail in order of submission. */
static void move_members(Sched *s, Tiresias *me)
{
    int n_moved[MOST_QUEUES] = {0}, total = 0;
    Member *moved[MOST_QUEUES];
    for (int q = 0; q < me->n_queues; q++) total += me->queue[q].n;
    for (int q = 0; q < me->n_queues; q++) moved[q] = NULL;

    for (int q = 0; q < me->n_queues; q++) {
        Queue *queue = &me->queue[q];
        int kept = 0;
        for (int i = 0; i < queue->n; i++) {
            Member m = queue->member[i];
            const Job *job = sched_job(s, m.id);
            if (!job_is_live(job)) continue; /* it ended */
            int to = q;
            if (job->state == JOB_RUNNING && service_of(me, attained(s, &m), m.n_gpus) >= queue->limit) to = q + 1;
            if (job->state == JOB_WAITING && is_due_up(s, me, q, &m)) {
                to = 0;
                m.forgotten = job->attained;
                m.paused = TIME_NEVER; /* a promoted job waits as one that never ran */
            }
            if (to == q) {
                queue->member[kept++] = m;
                continue;
            }
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

/* Running members ahead of waiting ones, otherwise in the order they were: in effect by time of start. */
static void settle(Sched *s, Queue *queue)
{
    Member *waiting = NEW_ARRAY(sched_scratch(s), Member, queue->n);
    int n_waiting = 0, kept = 0;
    for (int i = 0; i < queue->n; i++) {
        if (sched_job(s, queue->member[i].id)->state == JOB_RUNNING)
            queue->member[kept++] = queue->member[i];
        else
            waiting[n_waiting++] = queue->member[i];
    }
    if (n_waiting) memcpy(&queue->member[kept], waiting, (size_t)n_waiting * sizeof *waiting);
}

/* ---- the Gittins order ---- */

static int by_rank(const void *a, const void *b)
{
    const Member *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void sort_by_rank(Sched *s, Tiresias *me, Queue *queue)
{
    for (int i = 0; i < queue->n; i++) {
        Member *m = &queue->member[i];
        SimTime now = attained(s, m);
        if (m->ranked_at == now && m->ranked_size == me->sample.n_sorted) continue;
        double service = service_of(me, now, m->n_gpus);
        m->rank = me->released ? gittins_released(&me->sample, service, released_quantum)
                               : gittins_index(&me->sample, service, queue->limit);
        m->ranked_at = now;
        m->ranked_size = me->sample.n_sorted;
    }
    qsort(queue->member, (size_t)queue->n, sizeof *queue->member, by_rank);
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

/* The first instant at which a running member of this queue reaches its limit, or a waiting one its promotion. */
static SimTime next_move(const Sched *s, const Tiresias *me, int q)
{
    const Queue *queue = &me->queue[q];
    SimTime now = sched_now(s), next = TIME_NEVER, limit = isinf(queue->limit) ? 0 : time_from_seconds(queue->limit);
    for (int i = 0; i < queue->n; i++) {
        const Member *m = &queue->member[i];
        SimTime at = TIME_NEVER;
        if (sched_job(s, m->id)->state == JOB_RUNNING && limit) {
            int64_t width = me->by_time ? 1 : m->n_gpus;
            at = now + (limit + width - 1) / width - attained(s, m); /* first microsecond with width x time >= limit */
            SimTime slow = (limit - attained(s, m)) / width; /* the released simulator: time is not multiplied, ... */
            slow -= slow % TIME_SECOND;                      /* ... and whole seconds */
            if (me->released && slow > 0) at = now + slow;
        } else if (me->promote > 0 && q > 0 && m->paused != TIME_NEVER) {
            at = m->paused + time_from_seconds(ceil(me->promote * time_seconds(attained(s, m)) * 1e6) / 1e6);
        }
        if (at > now && at < next) next = at;
    }
    return next;
}

static void tiresias_on_arrive(Sched *s, void *state, const Job *job)
{
    Tiresias *me = state;
    append(s, &me->queue[0], (Member){.id = job->id, .n_gpus = job->n_gpus, .paused = TIME_NEVER, .ranked_at = -1});
}

static void tiresias_on_end(Sched *s, void *state, const Job *job)
{
    (void)s;
    Tiresias *me = state;
    if (me->gittins && me->learns) gittins_add(&me->sample, service_of(me, job->attained, job->n_gpus));
}

static void tiresias_schedule(Sched *s, void *state)
{
    Tiresias *me = state;
    move_members(s, me);
    /* Sorting the sample at every end would cost more than it tells: it is sorted again once it grew by one percent. */
    if (me->learns && me->sample.n > me->sample.n_sorted + me->sample.n_sorted / 100) gittins_sort(&me->sample);

    int spare = sched_pool(s)->n_gpus;
    bool contended = sched_waiting(s)->n > 0, refused = false;
    JobId *starts = NEW_ARRAY(sched_scratch(s), JobId, sched_waiting(s)->n);
    int n_starts = 0;
    for (int q = 0; q < me->n_queues && contended; q++) {
        if (me->gittins) sort_by_rank(s, me, &me->queue[q]);
        for (int i = 0; i < me->queue[q].n; i++) {
            Member *m = &me->queue[q].member[i];
            const Job *job = sched_job(s, m->id);
            bool granted = m->n_gpus <= spare;
            if (granted) spare -= m->n_gpus;
            if (granted && job->state == JOB_WAITING) starts[n_starts++] = m->id;
            if (!granted && job->state == JOB_RUNNING) {
                sched_preempt(s, m->id);
                m->paused = sched_now(s);
            }
        }
    }
    for (int i = 0; i < n_starts; i++)
        if (!start(s, me, sched_job(s, starts[i]))) refused = true;
    if (refused) /* room enough, but not of the shape place.mode wants: let others have it */
        EACH_JOB (id, sched_waiting(s))
            if (sched_job(s, id)->n_gpus <= sched_pool(s)->n_free) start(s, me, sched_job(s, id));

    SimTime wake = TIME_NEVER;
    for (int q = 0; q < me->n_queues; q++) {
        Queue *queue = &me->queue[q];
        if (contended) settle(s, queue);
        for (int i = 0; i < queue->n; i++)
            if (sched_job(s, queue->member[i].id)->state == JOB_RUNNING) queue->member[i].paused = TIME_NEVER;
        SimTime next = next_move(s, me, q);
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
