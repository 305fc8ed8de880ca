/* policies/tiresias.h -- the queues of Tiresias, private to tiresias.c, tiresias_queues.c and tiresias_moves.c.
 *
 * A queue has an order.  tiresias-l: running members first, by time of start; then waiting ones; then those that came
 * since the last round, at the tail.  tiresias-g: by Gittins index, then submission.  Waiting members stand in one heap
 * for each gang width, so that a round looks at the heads of the widths that still fit and never walks those who wait.
 */
#ifndef POLICIES_TIRESIAS_H
#define POLICIES_TIRESIAS_H

#include "policies/gittins.h"
#include "policies/placeplan.h"

enum { MOST_QUEUES = 16 };

typedef struct Member {
    const Job *job;
    int32_t n_gpus; /* the job's, and ... */
    int32_t queue;  /* ... where it stands, at hand: reading these is the cost of a round */
    bool running;
    uint32_t stamp;    /* of its present entry among those who wait; entries with another are stale */
    SimTime forgotten; /* running time attained before its last promotion */
    SimTime paused;    /* since when it waits after having run; TIME_NEVER: it runs or never ran */
    SimTime due;       /* when it will have reached its queue's limit, or waited long enough for a promotion */
    double rank;       /* Gittins index */
    GittinsPlace place;
} Member;

typedef struct Waiting {
    double key;   /* smaller first: 0, or minus the Gittins index */
    int64_t turn; /* on ties: place in the queue, or order of submission */
    Member *member;
    uint32_t stamp;
} Waiting;

typedef struct WaitHeap { /* of one need */
    PlaceNeed need;
    bool closed; /* for the rest of this round: its head was refused */
    int n, capacity;
    Waiting *heap;
} WaitHeap;

typedef struct Members {
    Member **at;
    int n, capacity;
} Members;

typedef struct Queue {
    SimTime limit;   /* GPU-time or time; TIME_NEVER for the last */
    Members running; /* in the queue's order; who ended since the last round is still in */
    Members tail;    /* came since the last round, running or waiting */
    WaitHeap *width;
    int n_widths, width_capacity;
    int64_t low_turn, high_turn;
} Queue;

typedef struct Tiresias {
    PlaceMode mode;
    bool by_time, released, gittins;
    double promote, pack_limit;
    int n_queues;
    Queue queue[MOST_QUEUES];
    Member **member; /* by job id */
    int member_capacity;
    WaitHeap promotions; /* of those who wait, by `due` */

    /* Of the round at hand; kept for their room. */
    Members starts; /* granted GPUs: start once all who make way have made it */
    Members out;    /* running members of one queue that got nothing */
    Members next;   /* running members of one queue, in their new order */
    Gittins sample;
    bool learns; /* the sample grows with each job that ends */
} Tiresias;

static inline SimTime member_attained(const Member *m, SimTime now)
{
    return job_attained(m->job, now) - m->forgotten;
}

/* ---- tiresias_queues.c ---- */

void members_append(Sched *s, Members *list, Member *member);

/* Puts a member among those who wait, at this turn, with its rank as it is; its earlier entry is stale from now on. */
void queue_wait(Sched *s, Tiresias *me, Queue *queue, Member *member, int64_t turn);

/* The first who waits in the queue, wants no more than `spare` GPUs and needs less than who was refused this round;
 * NULL: nobody.  queue_take takes it out. */
WaitHeap *queue_first(Queue *queue, int spare);
Member *queue_take(WaitHeap *heap);

/* All who wait were ranked anew: puts the heaps in order again. */
void queue_rerank(Queue *queue);

/* The next one whose promotion is due by now, taken out; NULL: nobody's is. */
Member *promotion_due(Tiresias *me, SimTime now);
SimTime promotion_next(Tiresias *me); /* TIME_NEVER: none in sight */

/* ---- tiresias_moves.c ---- */

/* When it is to be demoted if it runs, promoted if it waits. */
SimTime member_due(const Tiresias *me, const Member *member, SimTime now);

/* The instant the released simulator gives for a demotion: it does not multiply the time run by the GPUs, rounds down
 * to whole seconds, and asks anew at each decision. */
SimTime member_released_due(const Tiresias *me, const Member *member, SimTime now);

/* Demotes and promotes, newcomers of a queue at its tail in order of submission.  The released simulator demotes by one
 * queue at a time. */
void members_move(Sched *s, Tiresias *me);

#endif
