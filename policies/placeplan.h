/* policies/placeplan.h -- a preemptive round: who keeps GPUs and who gets some, before anybody is moved.
 *
 * A policy walks the jobs in its order and asks for each whether it can be granted GPUs.  Without place.share that is
 * counting.  With it a running job keeps its GPUs unless somebody before it in the order was promised them, and a
 * waiting one is promised GPUs where it is in nobody's way, else where it is in the way only of those behind it.
 * Demands that rose since a job started drive nobody out.
 */
#ifndef POLICIES_PLACEPLAN_H
#define POLICIES_PLACEPLAN_H

#include "policies/placebook.h"

typedef struct Promise {
    JobId id;
    const GpuId *gpus;
} Promise;

typedef struct PlacePlan {
    Sched *sched;
    PlaceMode mode;
    int spare;          /* GPUs of which a gang cannot need more */
    PlaceBook *granted; /* with sharing: those granted so far, ... */
    PlaceBook *all;     /* ... and those with all who run and were not denied theirs */
    Promise *promise;   /* [n_promises] */
    int n_promises, capacity;
} PlacePlan;

PlacePlan plan_open(Sched *s, PlaceMode mode); /* good until the hook returns */

bool plan_keep(PlacePlan *plan, const Job *job); /* a running one; false: it is to be preempted */

/* A waiting one; false: it fits nowhere. */
bool plan_grant(PlacePlan *plan, const Placer *placer, const Job *job);

/* When all who were denied have been preempted: starts a job that was granted GPUs, with the same placer.  False: no
 * room of that shape, which cannot be with sharing. */
bool plan_start(PlacePlan *plan, const Placer *placer, const Job *job);

#endif
