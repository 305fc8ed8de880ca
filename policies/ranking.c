/* policies/ranking.c -- heaps by width, a sorted list of what runs, and the merge of the two. */
#include "policies/ranking.h"

#include <float.h>
#include <math.h>

#include "sim/base/err.h"

/* Exponent and mantissa, as whole numbers in this order, rise with the number. */
int64_t rank_by_score(double score)
{
    int exponent;
    MUST(score >= 0 && score <= DBL_MAX);
    double mantissa = frexp(score, &exponent);
    if (mantissa == 0) return RANK_SCORES - 1;
    return RANK_SCORES - 2 - ((int64_t)(exponent - DBL_MIN_EXP + DBL_MANT_DIG) << 32) -
           (int64_t)ldexp(mantissa - .5, 33);
}

static bool before(const Ranked *a, const Ranked *b)
{
    return a->key != b->key ? a->key < b->key : a->turn < b->turn;
}

void ranking_init(Ranking *ranking, Sched *s)
{
    *ranking = (Ranking){.sched = s, .arena = sched_memory(s), .placer.mode = place_mode(s)};
}

static Ranked *append(Arena *arena, Ranked **list, int *n, int *capacity, Ranked entry)
{
    if (*n == *capacity) {
        int larger = *capacity ? *capacity * 2 : 64;
        *list = arena_grow(arena, *list, (size_t)*n, (size_t)larger, sizeof entry);
        *capacity = larger;
    }
    (*list)[*n] = entry;
    return &(*list)[(*n)++];
}

/* ---- heaps of waiting jobs ---- */

static RankHeap *heap_of(Ranking *r, PlaceNeed need)
{
    for (int i = 0; i < r->n_widths; i++)
        if (place_needs_equal(r->width[i].need, need)) return &r->width[i];
    if (r->n_widths == r->width_capacity) {
        int larger = r->width_capacity ? r->width_capacity * 2 : 16;
        r->width = arena_grow(r->arena, r->width, (size_t)r->n_widths, (size_t)larger, sizeof *r->width);
        r->width_capacity = larger;
    }
    r->width[r->n_widths] = (RankHeap){.need = need};
    return &r->width[r->n_widths++];
}

/* Puts an entry in at a hole, from where it may rise or sink. */
static void settle(RankHeap *h, int hole, Ranked entry)
{
    for (; hole > 0 && before(&entry, &h->heap[(hole - 1) / 2]); hole = (hole - 1) / 2)
        h->heap[hole] = h->heap[(hole - 1) / 2];
    for (int child; (child = hole * 2 + 1) < h->n; hole = child) {
        if (child + 1 < h->n && before(&h->heap[child + 1], &h->heap[child])) child++;
        if (!before(&h->heap[child], &entry)) break;
        h->heap[hole] = h->heap[child];
    }
    h->heap[hole] = entry;
}

static void push_waiting(Ranking *r, Ranked entry)
{
    RankHeap *h = heap_of(r, entry.need);
    append(r->arena, &h->heap, &h->n, &h->capacity, entry);
    settle(h, h->n - 1, entry);
}

static Ranked pop_waiting(RankHeap *h)
{
    Ranked top = h->heap[0], last = h->heap[--h->n];
    if (h->n) settle(h, 0, last);
    return top;
}

void ranking_rekey(Ranking *r, const Job *job, int64_t key)
{
    for (int i = 0; i < r->n_arrived; i++)
        if (r->arrived[i].id == job->id) {
            r->arrived[i].key = key;
            return;
        }
    for (int w = 0; w < r->n_widths; w++)
        for (int i = 0; i < r->width[w].n; i++) {
            Ranked entry = r->width[w].heap[i];
            if (entry.id != job->id) continue;
            entry.key = key;
            settle(&r->width[w], i, entry);
            return;
        }
    MUST(false); /* it does not wait */
}

/* The first waiting job among widths that are open and not over `spare`; NULL: none. */
RankHeap *ranking_first(const Ranking *r, int spare)
{
    RankHeap *best = NULL;
    for (int i = 0; i < r->n_widths; i++) {
        RankHeap *h = &r->width[i];
        if (h->n && !h->closed && h->need.n_gpus <= spare && (!best || before(&h->heap[0], &best->heap[0]))) best = h;
    }
    return best;
}

static void open_widths(Ranking *r)
{
    for (int i = 0; i < r->n_widths; i++) r->width[i].closed = false;
}

/* The head of this heap was refused: so will be all that need as much. */
static void close_widths(Ranking *r, const RankHeap *refused)
{
    for (int i = 0; i < r->n_widths; i++)
        r->width[i].closed |= place_refuses(r->placer.mode, refused->need, r->width[i].need);
}

void ranking_arrive(Ranking *r, const Job *job, int64_t key)
{
    append(r->arena, &r->arrived, &r->n_arrived, &r->arrived_capacity, (Ranked){.key = key, .id = job->id});
}

static void admit_arrived(Ranking *r, const Sched *s)
{
    for (int i = 0; i < r->n_arrived; i++) {
        r->arrived[i].turn = ++r->high_turn;
        r->arrived[i].need = place_need(s, r->placer.mode, sched_job(s, r->arrived[i].id));
        push_waiting(r, r->arrived[i]);
    }
    r->n_arrived = 0;
}

/* Starts the first of this width; `keep`: notes it among the running ones.  False: no room of that shape, and so for
 * nobody who needs as much.  `book` says where there is room on shared GPUs, and is kept up; NULL: things do. */
static bool start(Ranking *r, Sched *s, RankHeap *h, bool keep, PlaceBook *book)
{
    bool freed = h->closed; /* it was refused, and somebody has made way since */
    const Job *job = sched_job(s, h->heap[0].id);
    const GpuId *gpus = book ? book_find(book, &r->placer, job) : place_by(s, &r->placer, job);
    if (!gpus || sched_start(s, job->id, gpus, job->n_tasks) != ASK_GRANTED) {
        close_widths(r, h);
        return false;
    }
    if (book) book_add(book, job, gpus, 1, false);
    h->closed = false;
    if (freed && r->placer.mode.share) open_widths(r);
    Ranked entry = pop_waiting(h);
    if (keep) append(r->arena, &r->running, &r->n_running, &r->running_capacity, entry);
    return true;
}

/* Starts from the front what has room. */
static void fill(Ranking *r, Sched *s, bool strict, bool keep)
{
    open_widths(r);
    PlaceBook *book = r->placer.mode.share ? book_open(s, r->placer.mode) : NULL;
    for (RankHeap *h; (h = ranking_first(r, strict ? INT32_MAX : place_spare(s, r->placer.mode)));)
        if (!start(r, s, h, keep, book) && strict) return;
}

void ranking_fill(Ranking *r, Sched *s, bool strict)
{
    admit_arrived(r, s);
    fill(r, s, strict, false);
}

/* ---- with preemption ---- */

/* Drops what ended, asks for the new keys and sorts stably; then hands out turns to those whose key moved. */
static void refresh_running(Ranking *r, Sched *s, RankKey key, const void *state)
{
    int n = 0;
    for (int i = 0; i < r->n_running; i++) {
        Ranked entry = r->running[i];
        const Job *job = sched_job(s, entry.id);
        if (job->state != JOB_RUNNING) continue;
        int64_t now = key(s, state, job);
        entry.turn = now < entry.key ? INT64_MAX : now > entry.key ? INT64_MIN : entry.turn; /* provisional */
        entry.key = now;
        int hole = n++; /* insertion: nearly in order already, since like jobs move alike */
        for (; hole > 0 && before(&entry, &r->running[hole - 1]); hole--) r->running[hole] = r->running[hole - 1];
        r->running[hole] = entry;
    }
    r->n_running = n;
    for (int i = 0; i < n; i++)
        if (r->running[i].turn == INT64_MAX) r->running[i].turn = ++r->high_turn;
    for (int i = n - 1; i >= 0; i--)
        if (r->running[i].turn == INT64_MIN) r->running[i].turn = --r->low_turn;
}

void ranking_begin(Ranking *r, Sched *s, RankKey key, const void *state)
{
    refresh_running(r, s, key, state);
    admit_arrived(r, s);
    open_widths(r);
}

bool ranking_start(Ranking *r, Sched *s, RankHeap *h)
{
    return start(r, s, h, true, NULL);
}

void ranking_return(Ranking *r, const Job *job, int64_t key)
{
    PlaceNeed need = place_need(r->sched, r->placer.mode, job);
    int kept = 0; /* it may start again in this very round, and must not stand there twice */
    for (int i = 0; i < r->n_running; i++)
        if (r->running[i].id != job->id) r->running[kept++] = r->running[i];
    r->n_running = kept;
    push_waiting(r, (Ranked){.key = key, .turn = ++r->high_turn, .id = job->id, .need = need});
}

void ranking_preempt(Ranking *r, Sched *s, RankKey key, const void *state)
{
    if (sched_waiting(s)->n == 0) return; /* all run: nothing to grant, and no tie can have been decided */
    ranking_begin(r, s, key, state);

    PlacePlan plan = plan_open(s, r->placer.mode);
    int n_before = r->n_running, n_granted = 0, n_out = 0;
    int most = place_most(s, r->placer.mode), n_waiting = sched_waiting(s)->n;
    Ranked *granted = NEW_ARRAY(sched_scratch(s), Ranked, n_before + (n_waiting < most ? n_waiting : most));
    Ranked *out = NEW_ARRAY(sched_scratch(s), Ranked, n_before);
    RankHeap *waiting = ranking_first(r, plan.spare);

    for (int i = 0; i < n_before || waiting;) {
        if (waiting && (i == n_before || before(&waiting->heap[0], &r->running[i]))) {
            if (plan_grant(&plan, &r->placer, sched_job(s, waiting->heap[0].id)))
                granted[n_granted++] = pop_waiting(waiting);
            else
                close_widths(r, waiting);
            waiting = ranking_first(r, plan.spare);
            continue;
        }
        Ranked entry = r->running[i++];
        if (plan_keep(&plan, sched_job(s, entry.id)))
            granted[n_granted++] = entry;
        else
            out[n_out++] = entry;
        if (waiting && waiting->need.n_gpus > plan.spare) waiting = ranking_first(r, plan.spare);
    }

    for (int i = 0; i < n_out; i++) { /* make room first ... */
        sched_preempt(s, out[i].id);
        out[i].key = key(s, state, sched_job(s, out[i].id));
        out[i].need = place_need(s, r->placer.mode, sched_job(s, out[i].id));
        push_waiting(r, out[i]);
    }
    r->n_running = 0;
    bool others = r->placer.mode.share && n_out; /* who lost GPUs may find some elsewhere */
    for (int i = 0; i < n_granted; i++) {        /* ... then fill it */
        const Job *job = sched_job(s, granted[i].id);
        if (job->state == JOB_RUNNING || plan_start(&plan, &r->placer, job)) {
            append(r->arena, &r->running, &r->n_running, &r->running_capacity, granted[i]);
        } else {
            push_waiting(r, granted[i]);
            others = true; /* room enough, but not of the shape place.mode wants: let others have it */
        }
    }
    if (others) fill(r, s, false, true);
}

SimTime ranking_release(const Sched *s, SimTime hold)
{
    SimTime now = sched_now(s), release = TIME_NEVER;
    if (!hold || !sched_waiting(s)->n) return release;
    EACH_JOB (id, sched_running(s)) {
        SimTime end = time_add(sched_job(s, id)->started, hold);
        if (end > now && end < release) release = end;
    }
    return release;
}
