/* policies/easy.c -- FIFO with EASY backfilling (Lifka 1995; Mu'alem and Feitelson 2001).
 *
 * Each round: start waiting jobs in order of submission.  The first that does not fit gets a reservation at the shadow
 * time, the earliest instant at which enough GPUs will be free by the predicted ends of the running jobs; `extra` GPUs
 * are free then beyond its need.  A later job may start now if it fits and either ends by the shadow time or takes no
 * more than the extra GPUs.  With exact predictions the head of the queue is never delayed.  With place.share counting
 * says nothing: then the head is given GPUs at the shadow time, on a book of what is there then, and a later job may
 * start if it ends by then or fits on that book beside the head as well.
 *
 * Knows:   the predicted run time of every job.
 * Ignores: deadlines.
 *
 * Waiting jobs of one width stand in a tree of their predicted run times in order of submission, so that "the first
 * that is short enough" costs a logarithm and no round walks the queue.
 */
#include <string.h>

#include "policies/placebook.h"

typedef struct {
    JobId id;
    SimTime estimate;
} Leaf;

typedef struct { /* waiting jobs of one width, with place.share of one need, in order of submission */
    PlaceNeed need;
    int n, capacity; /* leaves used; a power of two */
    Leaf *leaf;      /* [capacity]; estimate TIME_NEVER: gone */
    SimTime *least;  /* [2 x capacity]: node i is the least of nodes 2i and 2i+1; leaves from `capacity` on */
    bool closed;     /* for the rest of this round: refused for its shape */
    bool only_short; /* the same for those that would outlast the shadow time */
} Width;

typedef struct {
    SimTime end;
    JobId id;
    int32_t n_gpus;
} Running;

typedef struct {
    PlaceMode mode;
    Width *width;
    int n_widths, width_capacity;
    Running *running; /* by predicted end */
    int n_running, running_capacity;
} Easy;

/* ---- the trees ---- */

static void set_leaf(Width *w, int i, SimTime estimate)
{
    int node = w->capacity + i;
    w->least[node] = estimate;
    for (node /= 2; node >= 1; node /= 2) {
        SimTime a = w->least[2 * node], b = w->least[2 * node + 1];
        w->least[node] = a < b ? a : b;
    }
}

/* Room for one more leaf: leaves out those that are gone, and doubles when most are still there. */
static void make_room(Sched *s, Width *w)
{
    int kept = 0;
    for (int i = 0; i < w->n; i++)
        if (w->least[w->capacity + i] != TIME_NEVER) w->leaf[kept++] = w->leaf[i];
    if (kept * 2 >= w->capacity) {
        int larger = w->capacity ? w->capacity * 2 : 16;
        w->leaf = arena_grow(sched_memory(s), w->leaf, (size_t)kept, (size_t)larger, sizeof *w->leaf);
        w->least = NEW_ARRAY(sched_memory(s), SimTime, 2 * larger);
        w->capacity = larger;
    }
    w->n = kept;
    for (int i = 0; i < w->capacity; i++) w->least[w->capacity + i] = i < kept ? w->leaf[i].estimate : TIME_NEVER;
    for (int node = w->capacity - 1; node >= 1; node--) {
        SimTime a = w->least[2 * node], b = w->least[2 * node + 1];
        w->least[node] = a < b ? a : b;
    }
}

/* The first leaf with an estimate of at most `limit`, or -1. */
static int first_within(const Width *w, SimTime limit)
{
    if (!w->n || w->least[1] > limit || w->least[1] == TIME_NEVER) return -1;
    int node = 1;
    while (node < w->capacity) node = w->least[2 * node] <= limit ? 2 * node : 2 * node + 1;
    return node - w->capacity;
}

static Width *width_of(Sched *s, Easy *me, const Job *job)
{
    PlaceNeed need = place_need(s, me->mode, job);
    for (int i = 0; i < me->n_widths; i++)
        if (place_needs_equal(me->width[i].need, need)) return &me->width[i];
    if (me->n_widths == me->width_capacity) {
        me->width_capacity = me->width_capacity ? me->width_capacity * 2 : 16;
        me->width =
            arena_grow(sched_memory(s), me->width, (size_t)me->n_widths, (size_t)me->width_capacity, sizeof *me->width);
    }
    me->width[me->n_widths] = (Width){.need = need};
    return &me->width[me->n_widths++];
}

/* ---- the running jobs by predicted end ---- */

static void insert_running(Sched *s, Easy *me, Running r)
{
    if (me->n_running == me->running_capacity) {
        me->running_capacity = me->running_capacity ? me->running_capacity * 2 : 64;
        me->running = arena_grow(sched_memory(s), me->running, (size_t)me->n_running, (size_t)me->running_capacity,
                                 sizeof *me->running);
    }
    int hole = me->n_running++;
    for (; hole > 0 && me->running[hole - 1].end > r.end; hole--) me->running[hole] = me->running[hole - 1];
    me->running[hole] = r;
}

/* Drops what ended; a job that overran its prediction is expected to need a tenth of it more, at least a minute. */
static void refresh_running(Sched *s, Easy *me)
{
    int kept = 0, n = me->n_running;
    SimTime now = sched_now(s);
    while (kept < n && me->running[kept].end <= now) kept++; /* all that can have overrun stand in front */
    if (!kept) return;
    Running *late = NEW_ARRAY(sched_scratch(s), Running, kept);
    int n_late = 0;
    for (int i = 0; i < kept; i++)
        if (sched_job(s, me->running[i].id)->state == JOB_RUNNING) late[n_late++] = me->running[i];
    memmove(me->running, me->running + kept, (size_t)(n - kept) * sizeof *me->running);
    me->n_running = n - kept;
    for (int i = 0; i < n_late; i++) {
        SimTime more = sched_job(s, late[i].id)->estimate / 10;
        late[i].end = now + (more > TIME_MINUTE ? more : TIME_MINUTE);
        insert_running(s, me, late[i]);
    }
}

/* ---- rounds ---- */

static bool start_at(Sched *s, Easy *me, Width *w, int leaf, const GpuId gpus[])
{
    const Job *job = sched_job(s, w->leaf[leaf].id);
    if (!gpus || sched_start(s, job->id, gpus, job->n_tasks) != ASK_GRANTED) return false;
    insert_running(s, me, (Running){time_add(sched_now(s), job_remaining(job, sched_now(s))), job->id, job->n_gpus});
    set_leaf(w, leaf, TIME_NEVER);
    return true;
}

static bool start(Sched *s, Easy *me, Width *w, int leaf)
{
    MUST(w->leaf); /* who waits has one */
    return start_at(s, me, w, leaf, place_gang(s, me->mode, sched_job(s, w->leaf[leaf].id)));
}

/* The waiting job submitted first among those that may start; NULL: none.  The shadow time says who may. */
static Width *first_candidate(Easy *me, int spare, int extra, SimTime until_shadow, int *leaf)
{
    Width *best = NULL;
    for (int i = 0; i < me->n_widths; i++) {
        Width *w = &me->width[i];
        if (w->closed || w->need.n_gpus > spare) continue;
        bool any = w->need.n_gpus <= extra && !w->only_short;
        int first = first_within(w, any ? TIME_NEVER - 1 : until_shadow);
        if (first >= 0 && (!best || w->leaf[first].id < best->leaf[*leaf].id)) {
            best = w;
            *leaf = first;
        }
    }
    return best;
}

static void backfill(Sched *s, Easy *me, const Job *head)
{
    int free_then = sched_pool(s)->n_free, i = 0;
    SimTime shadow = sched_now(s);
    for (; i < me->n_running && free_then < head->n_gpus; i++) {
        free_then += me->running[i].n_gpus;
        shadow = me->running[i].end;
    }
    if (i == 0 && me->n_running) { /* enough are free, of the wrong shape: wait for the next end */
        shadow = me->running[0].end;
        free_then = head->n_gpus;
    } else {
        for (; i < me->n_running && me->running[i].end == shadow; i++) free_then += me->running[i].n_gpus;
    }
    int extra = free_then - head->n_gpus;

    int leaf = 0;
    for (Width *w; (w = first_candidate(me, sched_pool(s)->n_free, extra, shadow - sched_now(s), &leaf));) {
        const Job *job = sched_job(s, w->leaf[leaf].id);
        if (job == head || !start(s, me, w, leaf)) {
            w->closed = true;
            continue;
        }
        if (time_add(sched_now(s), job->estimate) > shadow) extra -= job->n_gpus;
    }
}

/* ---- backfilling on shared GPUs ---- */

/* All that need as much as who was refused, or of them those that would outlast the shadow time. */
static void close_widths(Easy *me, PlaceNeed refused, bool only_long)
{
    for (int i = 0; i < me->n_widths; i++) {
        Width *w = &me->width[i];
        if (!place_refuses(me->mode, refused, w->need)) continue;
        w->closed |= !only_long;
        w->only_short |= only_long;
    }
}

static void book_running(PlaceBook *book, Sched *s, const Running *r, int by)
{
    const Job *job = sched_job(s, r->id);
    if (job->state == JOB_RUNNING) book_add_running(book, job, by);
}

static void backfill_shared(Sched *s, Easy *me, const Job *head)
{
    Placer placer = {.mode = me->mode};
    PlaceBook *then = book_open(s, me->mode);
    const GpuId *place = NULL;
    SimTime shadow = TIME_NEVER - 1;
    int i = 0;
    for (; i < me->n_running && !place; i++) {
        book_running(then, s, &me->running[i], -1);
        shadow = me->running[i].end;
        place = book_find(then, &placer, head);
    }
    for (; i < me->n_running && me->running[i].end == shadow; i++) book_running(then, s, &me->running[i], -1);
    if (place) book_add(then, head, place, 1, true);
    const PlaceBook *both = book_most(book_open(s, me->mode), then); /* room now and, beside the head, then */

    int leaf = 0, most = place_spare(s, me->mode);
    close_widths(me, place_need(s, me->mode, head), false);
    for (Width *w; (w = first_candidate(me, most, most, shadow - sched_now(s), &leaf));) {
        const Job *job = sched_job(s, w->leaf[leaf].id);
        bool outlasts = time_add(sched_now(s), job->estimate) > shadow;
        const GpuId *gpus = outlasts ? book_find(both, &placer, job) : place_gang(s, me->mode, job);
        if (!gpus) {
            close_widths(me, w->need, outlasts);
            continue;
        }
        if (!start_at(s, me, w, leaf, gpus)) return;
        if (outlasts) book_add(then, job, gpus, 1, true);
        both = book_most(book_open(s, me->mode), then);
    }
}

static void easy_init(Sched *s, void *state)
{
    Easy *me = state;
    me->mode = place_mode(s);
}

/* A failure took its GPUs: nothing will be free when it was to end. */
static void forget_running(Easy *me, JobId id)
{
    int kept = 0;
    for (int i = 0; i < me->n_running; i++)
        if (me->running[i].id != id) me->running[kept++] = me->running[i];
    me->n_running = kept;
}

static void easy_on_arrive(Sched *s, void *state, const Job *job)
{
    if (job->failures) forget_running(state, job->id);
    Width *w = width_of(s, state, job);
    if (w->n == w->capacity) make_room(s, w);
    int at = w->n++;
    for (; at > 0 && w->leaf[at - 1].id > job->id; at--) { /* it is back after a failure: to its place */
        w->leaf[at] = w->leaf[at - 1];
        set_leaf(w, at, w->least[w->capacity + at - 1]);
    }
    w->leaf[at] = (Leaf){job->id, job->estimate};
    set_leaf(w, at, job->estimate);
}

static void easy_schedule(Sched *s, void *state)
{
    Easy *me = state;
    refresh_running(s, me);
    for (int i = 0; i < me->n_widths; i++) me->width[i].closed = me->width[i].only_short = false;
    for (JobId head; (head = jobset_next(sched_waiting(s), 0)) >= 0;) {
        const Job *job = sched_job(s, head);
        Width *w = width_of(s, me, job);
        if (start(s, me, w, first_within(w, TIME_NEVER - 1))) continue;
        if (me->mode.share)
            backfill_shared(s, me, job);
        else
            backfill(s, me, job);
        return;
    }
}

const Policy policy_easy = {
    .name = "easy",
    .summary = "first in, first out with EASY backfilling",
    .state_size = sizeof(Easy),
    .init = easy_init,
    .on_arrive = easy_on_arrive,
    .schedule = easy_schedule,
};
