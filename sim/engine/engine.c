/* sim/engine/engine.c -- the run loop: every event of one instant, then one decision, then the clock moves on.
 *
 * Order at one instant: ends, then arrivals, then decisions (virtual clusters in file order).  A decision can make new
 * events for the same instant (a job of zero seconds); they are handled and decided on in the same way before the clock
 * moves.  With ticks (run.tick > 0) events keep their exact time and decisions fall on the grid
 * first submission + k x tick; ticks at which nothing can have changed are jumped over.
 */
#include "sim/engine/engine.h"
#include "sim/engine/failures.h"
#include "sim/engine/physics.h"

#include <stdio.h>
#include <time.h>

enum {
    ROUNDS_AT_ONE_INSTANT = 1000, /* without an arrival, an end or another job's start: livelock */
    BARREN_ROUNDS = 1440,         /* in which jobs were started, paused, moved, and none did any work */
    IDLE_ROUNDS = 1440,           /* a day of minutes with nothing running and nothing to come: stuck */
    GO_ON_EVERY = 256,            /* instants between two calls of config->go_on */
};

/* ---- the events of one instant ---- */

static bool is_stale(const void *engine, const Event *event)
{
    const Engine *e = engine;
    if (event->kind >= EVENT_BREAK) return false;
    return e->job[event->subject].epoch != event->epoch;
}

/* The next event that still holds, or NULL. */
static const Event *next_event(Engine *e)
{
    for (const Event *top; (top = event_top(&e->queue)); event_pop(&e->queue), e->n_stale--)
        if (!is_stale(e, top)) return top;
    return NULL;
}

static void touch(Engine *e, Sched *s)
{
    s->touched = true;
    e->rounds_here = e->idle_rounds = 0;
    e->result->n_events++;
}

static void run_hook(Engine *e, Sched *s, void (*hook)(Sched *, void *, const Job *), const Job *job)
{
    if (!hook) return;
    hook(s, s->state, job);
    arena_reset(&e->scratch);
}

static void handle_end(Engine *e, Sched *s, Job *job)
{
    engine_end(e, job, NULL);
    MUST(e->physics || job->attained == engine_duration(e, job)); /* nothing is lost and nothing is given away */
    run_hook(e, s, e->config->policy->on_end, job);
}

static void handle_server(Engine *e, const Event *event)
{
    touch(e, &e->sched[e->cluster.server[event->subject].pool]);
    if (event->kind == EVENT_BREAK) failures_break(e, event);
    if (event->kind == EVENT_REPAIR) failures_repair(e, event);
    if (event->kind == EVENT_SLOW) failures_slow(e, event->subject);
}

void engine_fail(Engine *e, Sched *s, Job *job)
{
    engine_tell(e, HAPPENS_FAIL, job);
    engine_requeue(e, s, job);
    job->failures++;
    e->result->failures++;
    run_hook(e, s, e->config->policy->on_arrive, job);
}

static void handle_events(Engine *e)
{
    for (const Event *top; (top = next_event(e)) && top->at == e->now && e->err->kind == ERR_NONE;) {
        Event event = event_pop(&e->queue);
        if (event.kind >= EVENT_BREAK) {
            handle_server(e, &event);
            continue;
        }
        Job *job = &e->job[event.subject];
        Sched *s = &e->sched[job->pool];
        if (e->physics) e->physics->run[job->id]->pending--;
        touch(e, s);
        switch (event.kind) {
        case EVENT_END: handle_end(e, s, job); break;
        case EVENT_EPOCH:
            physics_epoch(e, job);
            run_hook(e, s, e->config->policy->on_epoch, job);
            break;
        case EVENT_STALL_OVER:
        case EVENT_COPY_READY: physics_stall(e, job, e->now); break; /* who computes is looked at anew */
        case EVENT_ATTEMPT_OVER:
            MUST(e->physics);
            e->physics->run[job->id]->attempt++;
            engine_fail(e, s, job);
            break;
        case EVENT_BREAK:
        case EVENT_REPAIR:
        case EVENT_SLOW: break; /* done above */
        }
    }
    if (e->queue.n > 1024 && e->n_stale > e->queue.n / 4 * 3) {
        event_sweep(&e->queue, is_stale, e);
        e->n_stale = 0;
    }
}

/* Work of the live jobs that is not done yet. */
static WideTime backlog(const Engine *e)
{
    WideTime sum = 0;
    for (int p = 0; p < e->cluster.n_pools; p++)
        EACH_JOB (id, &e->sched[p].live) {
            const Job *job = &e->job[id];
            SimTime done = e->physics ? (SimTime)((double)engine_duration(e, job) * job_progress(job, e->now))
                                      : job_attained(job, e->now);
            sum += (WideTime)(engine_duration(e, job) - done) * job->n_gpus;
        }
    return sum;
}

static void handle_arrivals(Engine *e)
{
    const Workload *w = e->config->workload;
    bool any = false;
    for (; e->next_arrival < w->n && w->job[e->next_arrival].submit == e->now && e->err->kind == ERR_NONE; any = true) {
        Job *job = &e->job[e->next_arrival++];
        e->census.jobs_submitted++;
        if (job->pool < 0 || job->n_gpus > e->cluster.pool[job->pool].n_gpus) {
            job->state = JOB_UNSCHEDULABLE;
            e->result->n_events++;
            engine_tell(e, HAPPENS_UNSCHEDULABLE, job);
            continue;
        }
        Sched *s = &e->sched[job->pool];
        job->state = JOB_WAITING;
        jobset_put(&s->live, job->id);
        jobset_put(&s->waiting, job->id);
        e->census.jobs_waiting++;
        e->census.tasks_waiting += job->n_tasks;
        if (e->physics) inside_admit(e, job);
        touch(e, s);
        engine_tell(e, HAPPENS_ARRIVE, job);
        run_hook(e, s, e->config->policy->on_arrive, job);
    }
    if (any && e->next_arrival == w->n) e->result->backlog = backlog(e);
}

/* ---- decisions ---- */

SimTime engine_tick_from(const Engine *e, SimTime at)
{
    if (!e->tick || at == TIME_NEVER) return at;
    SimTime first = e->result->first_submit, behind = (at - first) % e->tick;
    return behind ? time_add(at, e->tick - behind) : at;
}

static int64_t wall_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void keep_round_time(Engine *e, int64_t ns, int64_t waiting)
{
    SimResult *r = e->result;
    size_t n = (size_t)r->n_round_ns++, larger = n ? n * 2 : 1;
    if ((n & (n - 1)) == 0) { /* full at each power of two */
        r->round_ns = arena_grow(e->arena, r->round_ns, n, larger, sizeof *r->round_ns);
        r->round_waiting = arena_grow(e->arena, r->round_waiting, n, larger, sizeof *r->round_waiting);
    }
    r->round_ns[n] = ns;
    r->round_waiting[n] = (int32_t)waiting;
}

/* One decision of every virtual cluster to which something happened; false: none had reason to decide. */
static bool decide(Engine *e)
{
    bool any = false, asked = false;
    for (int p = 0; p < e->cluster.n_pools && e->err->kind == ERR_NONE; p++) {
        Sched *s = &e->sched[p];
        bool rang = s->alarm <= e->now;
        if (!s->touched && !rang) continue;
        if (rang) s->alarm = TIME_NEVER;
        s->touched = false;
        any = true;
        int64_t granted = e->n_granted, waiting = e->census.tasks_waiting;
        int64_t began = e->config->time_rounds ? wall_ns() : 0;
        e->config->policy->schedule(s, s->state);
        if (e->config->time_rounds) keep_round_time(e, wall_ns() - began, waiting);
        arena_reset(&e->scratch);
        e->result->n_rounds++;
        if (e->n_granted > granted) e->barren_rounds += e->physics != NULL;
        if (e->n_granted > granted) asked = s->touched = e->tick > 0; /* what it did may be a reason to decide again */
    }
    bool varies = e->physics && e->physics->models->varying && e->census.jobs_running;
    if (varies) /* a tick moves demands, and so is a reason to decide */
        for (int p = 0; p < e->cluster.n_pools; p++) e->sched[p].touched = e->tick > 0;
    e->decide_at = e->tick && (asked || varies) ? time_add(e->now, e->tick) : TIME_NEVER;
    return any;
}

/* How the policy judges the job that somebody wants explained. */
static void tell_terms(Engine *e)
{
    const Policy *policy = e->config->policy;
    const Job *job = &e->job[e->config->explained - e->config->workload->job];
    if (!policy->terms || !job_is_live(job)) return;
    Sched *s = &e->sched[job->pool];
    Term term[MOST_TERMS];
    int n = policy->terms(s, s->state, job, term);
    MUST(n <= MOST_TERMS);
    arena_reset(&e->scratch);
    for (int i = 0; i < e->config->n_watchers; i++) {
        const Watcher *w = &e->config->watcher[i];
        if (w->type->on_terms) w->type->on_terms(w->self, term, n);
    }
}

static void after_round(Engine *e)
{
    if (e->config->audit) audit_full(e);
    audit_changed(e);
    e->census.at = e->now;
    if (e->physics) physics_census(e);
    if (e->config->explained) tell_terms(e);
    for (int i = 0; i < e->config->n_watchers; i++) {
        const Watcher *w = &e->config->watcher[i];
        if (w->type->on_round) w->type->on_round(w->self, &e->census, &e->cluster);
    }
}

/* ---- the loop ---- */

static void advance(Engine *e, SimTime to)
{
    SimTime dt = to - e->now;
    SimResult *r = e->result;
    MUST(dt >= 0);
    r->gpu_time += (WideTime)dt * e->census.gpus_busy;
    r->live_time += (WideTime)dt * (e->census.jobs_running + e->census.jobs_waiting);
    r->waiting_time += (WideTime)dt * e->census.jobs_waiting;
    if (e->physics) physics_advance(e, dt);
    e->now = to;
    if (dt) e->rounds_here = 0;
}

static SimTime next_instant(Engine *e)
{
    const Workload *w = e->config->workload;
    const Event *event = next_event(e);
    SimTime at = event ? event->at : TIME_NEVER;
    if (e->next_arrival < w->n && w->job[e->next_arrival].submit < at) at = w->job[e->next_arrival].submit;
    if (e->decide_at < at) at = e->decide_at;
    for (int p = 0; p < e->cluster.n_pools; p++) {
        SimTime ring = engine_tick_from(e, e->sched[p].alarm);
        if (ring < at) at = ring;
    }
    return at;
}

static bool fail_stuck(Engine *e, const char *why)
{
    char now[TIME_TEXT];
    int shown = 0;
    size_t used = 0;
    char names[200] = "";
    time_format(e->now, now);
    for (int p = 0; p < e->cluster.n_pools; p++)
        EACH_JOB (id, &e->sched[p].live) {
            if (shown == 3) break;
            int n = snprintf(names + used, sizeof names - used, "%s'%.40s'", shown++ ? ", " : "",
                             e->config->workload->job[id].name);
            used += (size_t)n;
        }
    int64_t live = e->census.jobs_waiting + e->census.jobs_running;
    return err_set(e->err, ERR_POLICY, "policy %s at %s s: %s: %lld live job%s (%s%s)", e->config->policy->name, now,
                   why, (long long)live, live == 1 ? "" : "s", names, live > shown ? ", ..." : "");
}

static bool check_progress(Engine *e)
{
    if (++e->rounds_here > ROUNDS_AT_ONE_INSTANT)
        return fail_stuck(e, "livelock, a thousand decisions at one instant and nothing came, started anew or ended");
    bool hope = e->census.jobs_running || e->next_arrival < e->config->workload->n || !e->census.jobs_waiting;
    e->idle_rounds = hope ? 0 : e->idle_rounds + 1;
    if (e->barren_rounds > BARREN_ROUNDS)
        return fail_stuck(e, "livelock, jobs are stopped, moved and started again before they have done any work");
    if (e->idle_rounds > IDLE_ROUNDS)
        return fail_stuck(e, "stuck, nothing runs and nothing is to come, however often it decides");
    return true;
}

bool engine_run(Engine *e)
{
    const SimConfig *config = e->config;
    SimTime limit = time_add(e->result->first_submit, config->horizon);

    for (int64_t n = 0;; n++) {
        bool over = !e->census.jobs_running && !e->census.jobs_waiting && e->next_arrival == config->workload->n;
        if (over) break;
        SimTime at = next_instant(e);
        if (at == TIME_NEVER) return fail_stuck(e, "deadlock, nothing runs and nothing is to come");
        if (at > limit) {
            advance(e, limit);
            e->result->cut = true;
            break;
        }
        advance(e, at);
        handle_events(e);
        handle_arrivals(e);
        if (e->physics && e->tick && engine_tick_from(e, e->now) == e->now) loads_tick(e);
        if (engine_tick_from(e, e->now) == e->now) {
            if (decide(e) && e->err->kind == ERR_NONE && !check_progress(e)) return false;
        } else {
            e->decide_at = engine_tick_from(e, e->now);
        }
        if (e->physics) physics_settle(e);
        if (e->err->kind != ERR_NONE) return false;
        after_round(e);
        if (config->go_on && n % GO_ON_EVERY == 0 &&
            !config->go_on(config->go_on_self, &e->census, e->result->n_events)) {
            e->result->complete = false;
            e->result->cut = true;
            break;
        }
    }
    return true;
}
