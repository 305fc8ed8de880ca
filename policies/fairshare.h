/* policies/fairshare.h -- waiting jobs in a queue for each user or virtual cluster and band, and what each of them
 * holds.
 *
 * Whose turn it is says drf.h, by shares of the pool's GPUs, cores and host memory (where the cluster says what there
 * is; in preset `plain` GPUs alone).  Inside a queue jobs stand in order of submission, those that come back too.
 */
#ifndef POLICIES_FAIRSHARE_H
#define POLICIES_FAIRSHARE_H

#include "policies/drf.h"
#include "sim/base/names.h"
#include "sim/engine/sched.h"

typedef enum { BAND_LOWER, BAND_UPPER, N_BANDS } Band;

typedef struct FairQueue {               /* of one entity */
    JobId first[N_BANDS], last[N_BANDS]; /* -1: empty */
} FairQueue;

typedef struct FairJob {
    JobId next, before; /* in its queue; -1: none */
    int32_t entity;
    Band band;
    bool holds; /* its demand is on the books: */
    int64_t demand[DRF_RESOURCES];
} FairJob;

typedef struct FairShare {
    Drf drf; /* its users are the entities */
    Names names;
    FairQueue *queue; /* [names.n] */
    int room;
    FairJob *job; /* by JobId */
} FairShare;

void fairshare_open(FairShare *fair, Sched *s);

/* It waits from now on, whatever it did before.  No entity (NULL) is one more entity. */
void fairshare_wait(FairShare *fair, Sched *s, const Job *job, const char *entity, Band band);
void fairshare_start(FairShare *fair, Sched *s, const Job *job); /* it runs; it MUST have waited */
void fairshare_end(FairShare *fair, const Job *job);             /* it holds nothing any more */

#endif
