/* policies/drf.h -- dominant resource fairness: who has least of what it has most of is next.
 *
 * Ghodsi et al., NSDI 2011, algorithm 1: a user's dominant share is the largest of its shares of the resources; the
 * next launch goes to the user whose dominant share is smallest.  Equal shares take turns: the one whose latest launch
 * is longest ago, then the one that came first.
 */
#ifndef POLICIES_DRF_H
#define POLICIES_DRF_H

#include <stdint.h>

#include "sim/base/arena.h"

enum { DRF_RESOURCES = 3 };

typedef struct DrfUser {
    int64_t taken[DRF_RESOURCES];
    int64_t turn; /* of its latest launch; 0: none yet */
} DrfUser;

typedef struct Drf {
    Arena *arena;
    int64_t capacity[DRF_RESOURCES]; /* 0: not there, counts nothing */
    DrfUser *user;                   /* [n_users] */
    int n_users, room;
    int64_t turn;
    int *heap; /* [n_heap]: users that want to launch, the next one first; room for all */
    int n_heap;
} Drf;

void drf_open(Drf *drf, Arena *arena, const int64_t capacity[DRF_RESOURCES]);
int drf_add(Drf *drf); /* another user: 0, 1, ... */
double drf_share(const Drf *drf, int user);

void drf_launch(Drf *drf, int user, const int64_t demand[DRF_RESOURCES]);
void drf_release(Drf *drf, int user, const int64_t demand[DRF_RESOURCES]); /* MUST have been launched */

/* A round: offer each user that wants something, take the next; it is out until it is offered again.  After shares of
 * those that are in have changed they are put in order again. */
void drf_begin(Drf *drf);
void drf_offer(Drf *drf, int user);
int drf_next(Drf *drf); /* -1: nobody is left */
void drf_reorder(Drf *drf);

#endif
