/* policies/tiresias_moves.c -- demotion at a queue's limit, promotion after a long wait. */
#include <math.h>
#include <stdlib.h>

#include "policies/tiresias.h"

/* Running time at which a job of this width reaches the queue's limit: the first whole microsecond. */
static SimTime time_to_limit(const Tiresias *me, const Member *m)
{
    SimTime limit = me->queue[m->queue].limit;
    int64_t width = me->by_time ? 1 : m->n_gpus;
    return limit == TIME_NEVER ? TIME_NEVER : (limit + width - 1) / width;
}

SimTime member_due(const Tiresias *me, const Member *m, SimTime now)
{
    if (m->running) {
        SimTime enough = time_to_limit(me, m);
        return enough == TIME_NEVER ? TIME_NEVER : now + enough - member_attained(m, now);
    }
    if (me->promote <= 0 || m->queue == 0 || m->paused == TIME_NEVER) return TIME_NEVER;
    double wait = ceil(me->promote * (double)member_attained(m, now)); /* microseconds */
    return wait < 9e18 ? time_add(m->paused, (SimTime)wait) : TIME_NEVER;
}

SimTime member_released_due(const Tiresias *me, const Member *m, SimTime now)
{
    SimTime limit = me->queue[m->queue].limit;
    if (limit == TIME_NEVER) return TIME_NEVER;
    SimTime wait = (limit - member_attained(m, now)) / (me->by_time ? 1 : m->n_gpus);
    wait -= wait % TIME_SECOND;
    return wait > 0 ? now + wait : m->due;
}

static int by_arrival(const void *a, const void *b)
{
    JobId x = (*(Member *const *)a)->job->id, y = (*(Member *const *)b)->job->id;
    return (x > y) - (x < y);
}

void members_move(Sched *s, Tiresias *me)
{
    SimTime now = sched_now(s);
    int began[MOST_QUEUES];
    for (int q = 0; q < me->n_queues; q++) began[q] = me->queue[q].tail.n;

    for (int q = 0; q < me->n_queues; q++) {
        Members *running = &me->queue[q].running;
        int kept = 0;
        for (int i = 0; i < running->n; i++) {
            Member *m = running->at[i];
            if (!m->running || !job_is_live(m->job)) continue; /* it failed, or ended */
            if (m->due > now) {
                running->at[kept++] = m;
                continue;
            }
            do {
                m->queue++;
                m->due = member_due(me, m, now);
            } while (m->due <= now && !me->released);
            members_append(s, &me->queue[m->queue].tail, m);
        }
        running->n = kept;
    }
    for (Member *m; (m = promotion_due(me, now));) { /* it goes on as one that never ran */
        m->queue = 0;
        m->forgotten = m->job->attained;
        m->paused = m->due = TIME_NEVER;
        m->place = (GittinsPlace){.n_sorted = -1}; /* its service came down: rank it anew */
        members_append(s, &me->queue[0].tail, m);
    }
    for (int q = 0; q < me->n_queues; q++) {
        Members *tail = &me->queue[q].tail;
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): no queue was added meanwhile
        if (tail->n - began[q] > 1)
            qsort(&tail->at[began[q]], (size_t)(tail->n - began[q]), sizeof *tail->at, by_arrival);
    }
}
