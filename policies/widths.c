/* policies/widths.c -- a heap of next replicas, then narrowing before starting before widening. */
#include "policies/widths.h"

typedef struct Wish {
    const Job *job;
    int has, gets; /* replicas */
    int most;      /* it may get */
} Wish;

typedef struct Offer { /* the next replica of a job */
    int64_t key;
    int wish;
} Offer;

void widths_open(Widths *widths, Sched *s, SimTime hold)
{
    *widths =
        (Widths){.mode = place_mode(s), .hold = hold, .log = NEW_ARRAY(sched_memory(s), WidthLog, sched_live(s)->size)};
    if (widths->mode.share)
        sched_fail(s, "elastic jobs have their GPUs to themselves: elastic=1 goes with place.share=0");
}

double widths_replica_seconds(const Widths *widths, const Job *job, SimTime now)
{
    SimTime attained = job_attained(job, now);
    if (!widths->log) return time_seconds(attained) * job->graph->replicas;
    const WidthLog *log = &widths->log[job->id];
    return log->replica_s + time_seconds(attained - log->attained) * log->width;
}

static void note_change(Widths *widths, const Job *job, int width, SimTime now)
{
    double before = widths_replica_seconds(widths, job, now);
    widths->log[job->id] = (WidthLog){before, job_attained(job, now), width, now};
}

/* ---- who gets how many ---- */

static bool comes_before(const Offer *a, const Offer *b)
{
    return a->key != b->key ? a->key < b->key : a->wish < b->wish; /* in order of submission */
}

static void sink(Offer heap[], int n, int hole, Offer offer)
{
    for (int child; (child = hole * 2 + 1) < n; hole = child) {
        if (child + 1 < n && comes_before(&heap[child + 1], &heap[child])) child++;
        if (!comes_before(&heap[child], &offer)) break;
        heap[hole] = heap[child];
    }
    heap[hole] = offer;
}

/* Sets what each gets.  A job whose next replica does not fit is offered no more. */
static void allot(Sched *s, const WidthRule *rule, const void *state, Wish wish[], int n_wishes, int spare)
{
    Offer *heap = NEW_ARRAY(sched_scratch(s), Offer, n_wishes);
    int n = 0;
    for (int i = 0; i < n_wishes; i++)
        if (wish[i].most) wish[i].gets = 0;
    for (int i = 0; i < n_wishes; i++)
        if (wish[i].most) heap[n++] = (Offer){rule->key(s, state, wish[i].job, 1, wish[i].has), i};
    for (int i = n / 2; i-- > 0;) sink(heap, n, i, heap[i]);
    while (n > 0 && spare > 0) {
        Wish *w = &wish[heap[0].wish];
        const TaskGraph *graph = w->job->graph;
        bool fits = graph->partitions <= spare;
        if (fits) w->gets++, spare -= graph->partitions;
        if (fits && w->gets < w->most)
            sink(heap, n, 0, (Offer){rule->key(s, state, w->job, w->gets + 1, w->has), heap[0].wish});
        else if (--n > 0)
            sink(heap, n, 0, heap[n]);
    }
}

/* ---- and that they do ---- */

/* GPUs for so many replicas of a job, and for its server if it starts; NULL: no room of that shape. */
static const GpuId *find(Sched *s, PlaceMode mode, const Job *job, int replicas, bool starts, int *n)
{
    Job part = *job; /* a gang of this width: placement looks at nothing else */
    part.n_gpus = replicas * job->graph->partitions;
    part.n_tasks = part.n_gpus + (starts && job->graph->has_server);
    *n = part.n_tasks;
    return place_gang(s, mode, &part);
}

static void give_back(Sched *s, const Wish *wish)
{
    if (!wish->gets) {
        sched_preempt(s, wish->job->id);
        return;
    }
    int more = wish->has - wish->gets;
    for (int r = wish->job->graph->replicas - 1; more > 0; r--)
        if (sched_replica_placed(s, wish->job, r)) sched_narrow(s, wish->job->id, r), more--;
}

static void get_more(Sched *s, PlaceMode mode, const Wish *wish)
{
    int n;
    const GpuId *gpus = find(s, mode, wish->job, wish->gets - wish->has, !wish->has, &n);
    if (!gpus) return;
    if (!wish->has) {
        sched_start_narrow(s, wish->job->id, wish->gets, gpus, n);
        return;
    }
    int m = wish->job->graph->partitions;
    for (int i = 0; i < n; i += m) sched_widen(s, wish->job->id, gpus + i, m);
}

SimTime widths_round(Widths *widths, Sched *s, const WidthRule *rule, const void *state)
{
    const JobSet *live = sched_live(s);
    SimTime now = sched_now(s), wake = TIME_NEVER;
    Wish *wish = NEW_ARRAY(sched_scratch(s), Wish, live->n + 1);
    int n = 0, n_narrow = 0, spare = pool_working(sched_pool(s));
    EACH_JOB (id, live) {
        const Job *job = sched_job(s, id);
        Wish *w = &wish[n++];
        *w = (Wish){job, job->state == JOB_RUNNING ? sched_width(s, job) : 0, 0, job->graph->replicas};
        n_narrow += w->has < job->graph->replicas;
        SimTime free = time_add(widths->log[id].changed, widths->hold);
        if (!w->has || free <= now) continue;
        w->gets = w->has; /* it stays as it is */
        w->most = 0;
        spare -= w->has * job->graph->partitions;
        if (free < wake) wake = free;
    }
    if (!n_narrow) return TIME_NEVER;

    bool again = true; /* what does not pay for one is for others */
    while (again) {
        allot(s, rule, state, wish, n, spare);
        again = false;
        for (int i = 0; i < n && rule->pays; i++) {
            Wish *w = &wish[i];
            if (!w->most || !w->has || w->gets <= w->has || rule->pays(s, state, w->job, w->gets, w->has)) continue;
            w->most = w->has;
            again = true;
        }
    }
    for (int i = 0; i < n; i++)
        if (wish[i].gets < wish[i].has) give_back(s, &wish[i]);
    for (int i = 0; i < n; i++)
        if (!wish[i].has && wish[i].gets) get_more(s, widths->mode, &wish[i]);
    for (int i = 0; i < n; i++)
        if (wish[i].has && wish[i].gets > wish[i].has) get_more(s, widths->mode, &wish[i]);
    for (int i = 0; i < n; i++) {
        int width = wish[i].job->state == JOB_RUNNING ? sched_width(s, wish[i].job) : 0;
        if (width != wish[i].has) note_change(widths, wish[i].job, width, now);
    }
    return wake;
}
