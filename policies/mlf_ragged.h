/* policies/mlf_ragged.h -- jobs some of whose tasks are placed and others wait, and those among them that only hold
 * GPUs.
 *
 * Where tasks are placed one by one, jobs can hold GPUs while they wait for each other's.  A job that holds some for
 * `hold_max` without a whole replica, so that it computes nothing, gives them back and is tried as a whole from then on
 * until it has run.  With whole gangs only (model.gang=job, no task by itself requeued) there are no such jobs.
 */
#ifndef POLICIES_MLF_RAGGED_H
#define POLICIES_MLF_RAGGED_H

#include "sim/engine/sched.h"

typedef struct Ragged {
    SimTime hold_max;
    JobId *job; /* [n], in the order they became so */
    int n, room;
    SimTime *hold_since; /* [jobs]: since when it holds GPUs without computing; TIME_NEVER: it does not */
    bool *as_gang;       /* [jobs]: held too long; NULL: not opened, there are none */
} Ragged;

void ragged_open(Ragged *ragged, Sched *s, SimTime hold_max);

/* A job was given a part of its tasks' places, or lost one. */
void ragged_note(Ragged *ragged, Sched *s, const Job *job);

/* Before a round: forgets those that are whole or over; who has held for too long is preempted. */
void ragged_review(Ragged *ragged, Sched *s);

SimTime ragged_alarm(const Ragged *ragged); /* when the first of them has held for too long; TIME_NEVER: none does */

static inline bool ragged_as_gang(const Ragged *ragged, JobId id)
{
    return ragged->as_gang && ragged->as_gang[id];
}
static inline void ragged_has_run(Ragged *ragged, JobId id)
{
    if (ragged->as_gang) ragged->as_gang[id] = false;
}

#endif
