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

#include "policies/tiresias.h"
#include "sim/base/text.h"
#include "traces/reader.h"

static const double released_quantum = 3250;

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

/* ---- the Gittins order ---- */

static void rank(const Tiresias *me, Member *m, SimTime now)
{
    SimTime limit = me->queue[m->queue].limit;
    double quantum = limit == TIME_NEVER ? HUGE_VAL : time_seconds(limit);
    double service = service_of(me, member_attained(m, now), m->n_gpus);
    m->rank = me->released ? gittins_released(&me->sample, service, released_quantum)
                           : gittins_index_from(&me->sample, &m->place, service, quantum);
}

static bool ranks_before(const Member *a, const Member *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->job->id < b->job->id;
}

/* The tail finds its place, running members are ranked anew and sorted; nearly in order since the last decision. */
static void sort_queue(Sched *s, Tiresias *me, Queue *queue)
{
    for (int i = 0; i < queue->tail.n; i++) {
        Member *m = queue->tail.at[i];
        rank(me, m, sched_now(s));
        if (m->running)
            members_append(s, &queue->running, m);
        else
            queue_wait(s, me, queue, m, m->job->id);
    }
    queue->tail.n = 0;
    Member **at = queue->running.at;
    for (int i = 0; i < queue->running.n; i++) {
        Member *m = at[i];
        rank(me, m, sched_now(s));
        int hole = i;
        for (; hole > 0 && ranks_before(m, at[hole - 1]); hole--) at[hole] = at[hole - 1];
        at[hole] = m;
    }
}

/* Sorting the sample at every end would cost more than it tells: it is sorted again once it grew by one percent. */
static void refresh_sample(Sched *s, Tiresias *me)
{
    if (me->sample.n <= me->sample.n_sorted + me->sample.n_sorted / 100) return;
    gittins_sort(&me->sample);
    EACH_JOB (id, sched_waiting(s)) rank(me, me->member[id], sched_now(s));
    for (int q = 0; q < me->n_queues; q++) queue_rerank(&me->queue[q]);
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

static PlaceMode mode_of(const Tiresias *me, const Member *m)
{
    bool relaxed = me->mode.kind == PLACE_PACKED && skew_of(m->job->model) <= me->pack_limit;
    return (PlaceMode){relaxed ? PLACE_FILL : me->mode.kind, me->mode.share};
}

/* ---- rounds ---- */

static void tiresias_on_arrive(Sched *s, void *state, const Job *job)
{
    Tiresias *me = state;
    if (job->id < me->member_capacity && me->member[job->id]) { /* a failure took its GPUs */
        Member *failed = me->member[job->id];
        failed->running = false;
        failed->paused = sched_now(s);
        failed->due = member_due(me, failed, sched_now(s));
        members_append(s, &me->queue[failed->queue].tail, failed);
        return;
    }
    if (job->id >= me->member_capacity) {
        int larger = me->member_capacity * 2 > job->id ? me->member_capacity * 2 : job->id + 64;
        me->member =
            arena_grow(sched_memory(s), me->member, (size_t)me->member_capacity, (size_t)larger, sizeof *me->member);
        me->member_capacity = larger;
    }
    Member *m = me->member[job->id] = NEW(sched_memory(s), Member);
    *m = (Member){.job = job, .n_gpus = job->n_gpus, .paused = TIME_NEVER, .due = TIME_NEVER};
    members_append(s, &me->queue[0].tail, m);
}

static void tiresias_on_end(Sched *s, void *state, const Job *job)
{
    (void)s;
    Tiresias *me = state;
    if (me->gittins && me->learns) gittins_add(&me->sample, service_of(me, job->attained, job->n_gpus));
}

/* What is left to grant in a round, and when the next one is wanted. */
typedef struct {
    PlacePlan plan;
    SimTime wake;
    bool any_out; /* somebody made way */
} Round;

static bool grant(Sched *s, Tiresias *me, Round *round, Member *m)
{
    SimTime now = sched_now(s);
    Placer placer = {.mode = mode_of(me, m)};
    if (!(m->running ? plan_keep(&round->plan, m->job) : plan_grant(&round->plan, &placer, m->job))) return false;
    if (!m->running) {
        m->running = true;
        m->paused = TIME_NEVER;
        m->due = member_due(me, m, now);
        members_append(s, &me->starts, m);
    }
    SimTime due = me->released ? member_released_due(me, m, now) : m->due;
    if (due > now && due < round->wake) round->wake = due;
    members_append(s, &me->next, m);
    return true;
}

/* Who was refused, or NULL to open all again: nobody who needs as much is tried in this round. */
static void close_heaps(Tiresias *me, const PlaceNeed *refused)
{
    for (int q = 0; q < me->n_queues; q++)
        for (int i = 0; i < me->queue[q].n_widths; i++) {
            WaitHeap *h = &me->queue[q].width[i];
            h->closed = refused && (h->closed || place_refuses(me->mode, *refused, h->need));
        }
}

/* The head of a heap: granted GPUs, or refused with all who need as much. */
static void grant_head(Sched *s, Tiresias *me, Round *round, WaitHeap *h)
{
    if (grant(s, me, round, h->heap[0].member))
        queue_take(h);
    else
        close_heaps(me, &h->need);
}

static void make_way(Sched *s, Tiresias *me, Round *round, Member *m)
{
    round->any_out = true;
    sched_preempt(s, m->job->id);
    m->running = false;
    m->paused = sched_now(s);
    m->due = member_due(me, m, sched_now(s));
}

static void take_next(Tiresias *me, Queue *queue)
{
    Members before = queue->running;
    queue->running = me->next;
    me->next = before;
}

/* tiresias-l: running members, waiting ones, the tail.  Who makes way from the front waits ahead of the others. */
static void walk_by_start(Sched *s, Tiresias *me, Queue *queue, Round *round)
{
    Members before = queue->running, tail = queue->tail;
    me->next.n = me->out.n = 0;

    for (int i = 0; i < before.n; i++) {
        Member *m = before.at[i];
        if (!job_is_live(m->job)) continue;
        if (!grant(s, me, round, m)) members_append(s, &me->out, m);
    }
    for (WaitHeap *h; (h = queue_first(queue, round->plan.spare));) grant_head(s, me, round, h);
    for (int i = 0; i < tail.n; i++) {
        Member *m = tail.at[i];
        if (!job_is_live(m->job)) continue;
        if (grant(s, me, round, m)) continue;
        if (m->running) make_way(s, me, round, m);
        queue_wait(s, me, queue, m, ++queue->high_turn);
    }
    for (int i = me->out.n - 1; i >= 0; i--) {
        make_way(s, me, round, me->out.at[i]);
        queue_wait(s, me, queue, me->out.at[i], --queue->low_turn);
    }
    queue->tail.n = 0;
    take_next(me, queue);
}

/* tiresias-g: running and waiting members merged by rank. */
static void walk_by_rank(Sched *s, Tiresias *me, Queue *queue, Round *round)
{
    sort_queue(s, me, queue);
    Members before = queue->running;
    me->next.n = me->out.n = 0;

    WaitHeap *h = queue_first(queue, round->plan.spare);
    for (int i = 0; i < before.n || h;) {
        if (h && (i == before.n || ranks_before(h->heap[0].member, before.at[i]))) {
            grant_head(s, me, round, h);
            h = queue_first(queue, round->plan.spare);
            continue;
        }
        Member *m = before.at[i++];
        if (!job_is_live(m->job)) continue;
        if (!grant(s, me, round, m)) members_append(s, &me->out, m);
        if (h && h->need.n_gpus > round->plan.spare) h = queue_first(queue, round->plan.spare);
    }
    for (int i = 0; i < me->out.n; i++) {
        make_way(s, me, round, me->out.at[i]);
        queue_wait(s, me, queue, me->out.at[i], me->out.at[i]->job->id);
    }
    take_next(me, queue);
}

/* Whoever waits and has room, in order of submission. */
static void start_others(Sched *s, Tiresias *me, Round *round)
{
    PlaceNeed *refused = NULL;
    int n = 0, capacity = 0;
    EACH_JOB (id, sched_waiting(s)) {
        Member *m = me->member[id];
        if (m->n_gpus > place_spare(s, me->mode)) continue;
        PlaceNeed need = place_need(s, me->mode, m->job);
        bool hopeless = false;
        for (int i = 0; me->mode.share && i < n && !hopeless; i++) hopeless = place_refuses(me->mode, refused[i], need);
        if (hopeless) continue;
        if (!place_start(s, mode_of(me, m), m->job)) {
            if (me->mode.share && n == capacity) {
                int larger = capacity ? capacity * 2 : 16;
                refused = arena_grow(sched_scratch(s), refused, (size_t)n, (size_t)larger, sizeof *refused);
                capacity = larger;
            }
            if (me->mode.share) refused[n++] = need;
            continue;
        }
        m->running = true;
        m->stamp++; /* it waits no more */
        m->paused = TIME_NEVER;
        m->due = member_due(me, m, sched_now(s));
        if (m->due < round->wake) round->wake = m->due;
        members_append(s, &me->queue[m->queue].running, m);
    }
}

/* Starts whom the round granted GPUs.  If place.mode refuses the shape of some, they wait on ahead of their queue, and
 * others may have the room; where GPUs are shared those who made way may find some elsewhere. */
static void start_granted(Sched *s, Tiresias *me, Round *round)
{
    bool refused = false;
    for (int i = 0; i < me->starts.n; i++) {
        Member *m = me->starts.at[i];
        if (plan_start(&round->plan, &(Placer){.mode = mode_of(me, m)}, m->job)) continue;
        Queue *queue = &me->queue[m->queue];
        refused = true;
        m->running = false;
        m->paused = m->job->attained > m->forgotten ? sched_now(s) : TIME_NEVER;
        m->due = member_due(me, m, sched_now(s));
        int kept = 0;
        for (int k = 0; k < queue->running.n; k++)
            if (queue->running.at[k] != m) queue->running.at[kept++] = queue->running.at[k];
        queue->running.n = kept;
        queue_wait(s, me, queue, m, me->gittins ? m->job->id : --queue->low_turn);
    }
    if (refused || (me->mode.share && round->any_out)) start_others(s, me, round);
}

static void tiresias_schedule(Sched *s, void *state)
{
    Tiresias *me = state;
    bool contended = sched_waiting(s)->n > 0;
    members_move(s, me);
    if (me->gittins && contended) refresh_sample(s, me);

    me->starts.n = 0;
    Round round = {.plan = plan_open(s, me->mode), .wake = TIME_NEVER};
    close_heaps(me, NULL);
    for (int q = 0; q < me->n_queues; q++) {
        if (me->gittins && contended)
            walk_by_rank(s, me, &me->queue[q], &round);
        else
            walk_by_start(s, me, &me->queue[q], &round);
    }
    start_granted(s, me, &round);

    SimTime promotion = promotion_next(me), now = sched_now(s);
    if (promotion > now && promotion < round.wake) round.wake = promotion;
    if (me->gittins && sched_tick(s) && sched_waiting(s)->n) /* indices change without events: look at each tick */
        if (now + sched_tick(s) < round.wake) round.wake = now + sched_tick(s);
    sched_wake_at(s, round.wake);
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

static int tiresias_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    const Tiresias *me = state;
    const Member *m = me->member[job->id];
    int n = 0;
    term[n++] = (Term){"queue", m->queue};
    term[n++] = (Term){me->by_time ? "attained_s" : "attained_gpu_s",
                       service_of(me, member_attained(m, sched_now(s)), m->n_gpus)};
    if (me->gittins) term[n++] = (Term){"gittins_index", m->rank};
    return n;
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
    .terms = tiresias_terms,
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
    .terms = tiresias_terms,
};
