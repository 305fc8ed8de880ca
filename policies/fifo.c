/* policies/fifo.c -- first in, first out, with a strict head of line.
 *
 * Each round: start waiting jobs in order of submission until the first one that does not fit.  A wide job at the head
 * holds everybody back, and so is never starved.
 *
 * Knows:   the order of submission and how many GPUs a job wants.
 * Ignores: run times, deadlines, everything else.
 */
#include "policies/place.h"

typedef struct {
    PlaceMode mode;
} Fifo;

static void fifo_init(Sched *s, void *state)
{
    Fifo *me = state;
    me->mode = place_mode(s);
}

static void fifo_schedule(Sched *s, void *state)
{
    const Fifo *me = state;
    for (JobId head; (head = jobset_next(sched_waiting(s), 0)) >= 0;)
        if (!place_start(s, me->mode, sched_job(s, head))) return;
}

const Policy policy_fifo = {
    .name = "fifo",
    .summary = "first in, first out; blocks at the first job that does not fit",
    .state_size = sizeof(Fifo),
    .init = fifo_init,
    .schedule = fifo_schedule,
};
