/* policies/widths.h -- elastic rounds: how many of its replicas each job gets, one replica after the other.
 *
 * GPUs go to whose next replica has the smallest key, until nobody's fits; then who has too many gives some back, all
 * or a few, and who is to have more starts or gets them.  If keys never fall from a job's one replica to the next, this
 * is the allocation with the smallest keys; for gains that shrink with each replica, the largest sum of gains.
 *
 * A change stalls the job (cost.resize), so nobody's width changes within `hold` of the change before, and a running
 * job gets more only if that pays.
 */
#ifndef POLICIES_WIDTHS_H
#define POLICIES_WIDTHS_H

#include "policies/place.h"

typedef struct WidthRule {
    /* Of the replica that makes it `width` of them, 1 .. D, of which it has `has` now: smaller first. */
    int64_t (*key)(const Sched *s, const void *state, const Job *job, int width, int has);
    /* Whether a running job should have `width` replicas instead of fewer; NULL: always. */
    bool (*pays)(const Sched *s, const void *state, const Job *job, int width, int has);
} WidthRule;

typedef struct WidthLog { /* of one job */
    double replica_s;     /* replicas x seconds it ran, up to ... */
    SimTime attained;     /* ... so much running time, ... */
    int width;            /* ... and replicas since */
    SimTime changed;      /* latest change of its width */
} WidthLog;

typedef struct Widths {
    PlaceMode mode;
    SimTime hold;
    WidthLog *log; /* [jobs]; NULL: every job runs at full width */
} Widths;

/* From init, for the policy's key `elastic`; with place.share a count of GPUs says nothing, and it ends the run. */
void widths_open(Widths *widths, Sched *s, SimTime hold);

/* A round; returns when the next is wanted even if nothing happens, or TIME_NEVER. */
SimTime widths_round(Widths *widths, Sched *s, const WidthRule *rule, const void *state);

/* Replicas x seconds that a job ran; of a Widths that was not opened too. */
double widths_replica_seconds(const Widths *widths, const Job *job, SimTime now);

#endif
