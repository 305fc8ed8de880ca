/* policies/mlf_h.h -- a round of MLF-H, for the policies that build on it. */
#ifndef POLICIES_MLF_H_H
#define POLICIES_MLF_H_H

#include "policies/mlf_overload.h"
#include "policies/mlf_place.h"
#include "policies/mlf_priority.h"
#include "policies/mlf_queue.h"
#include "policies/mlf_ragged.h"

extern const Param mlf_h_params[]; /* group mlf_h, whichever of them runs */

typedef enum { GANG_JOB, GANG_REPLICA, GANG_TASK } GangMode;          /* model.gang: what must find hosts at once */
typedef enum { REQUEUE_UNDO, REQUEUE_JOB, REQUEUE_TASK } RequeueMode; /* what becomes of a mover without a host */

/* What a job that waits asks for and how urgently, side by side for all jobs: when thousands wait, most are told to
 * wait on by this. */
typedef struct Waiter {
    Milli least_gpu; /* by each of its GPU tasks; 0: not looked up since it last ran */
    int32_t kind;    /* slots_kind */
    int32_t n;       /* tasks that must find room at once, at least */
    bool fresh;      /* it has just come, perhaps after a failure that is not settled yet: to be looked up again */
    Standing standing;
} Waiter;

/* What a policy that builds on MLF-H decides in its stead; the job is begun (mlf_place.h). */
typedef struct MlfDecider {
    /* Tries hosts for these tasks, in this order; false: it is to wait, all is as before. */
    bool (*hosts)(void *self, const int tasks[], int n);
    /* Moves a task that is lifted, perhaps to where it is; -1: it is left where it is, lifted. */
    GpuId (*move)(void *self, int k);
} MlfDecider;

typedef struct MlfH {
    const MlfDecider *decider; /* NULL: as MLF-H */
    void *decider_self;
    bool fifo;  /* as they came, not by priority */
    bool again; /* set in a round: the next tick is to decide anew, whatever happens */
    bool last;  /* no job that waits is looked at after this one in this round */
    Priorities priorities;
    Place place;
    OverloadRule overload;
    bool migrate, replicas;
    GangMode gang;
    RequeueMode requeue;
    SimTime reserve; /* TIME_NEVER: never */
    Ragged ragged;
    Waiter *waiter; /* [jobs] */
} MlfH;

void mlf_h_open(MlfH *me, Sched *s);
void mlf_h_round(MlfH *me, Sched *s);
int mlf_h_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS]); /* of a state that begins with a MlfH */

#endif
