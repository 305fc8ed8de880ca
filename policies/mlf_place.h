/* policies/mlf_place.h -- a host for a task by its distance to the ideal virtual host, and for a gang by trying.
 *
 * For task k over the servers s that are not overloaded (MLFS, CoNEXT'20, 3.3.2):
 *     distance^2 = sum over resources of (u(s) - ideal)^2 + (c(k,s) - max c)^2 + q(k,s)^2
 * u(s) is taken before k is added; c is the share of k's traffic that would stay inside s, with the peers that are
 * placed; q what moving costs, 0 for a task that is not running or stays.  A host must have memory for k, and after
 * adding k no more than h_r in use of any resource and of its least loaded GPU with memory room, which is where k goes.
 * On an empty GPU only memory is asked for (liveness: else a task that alone asks for more than h_r would never run).
 *
 * PAPER: nothing is said of jobs that fit nowhere.  If no host is found, the servers where no other job has a task are
 * tried with memory as their only limit: so whatever fits an empty cluster by memory does get placed there.
 *
 * Use, for one job at a time: place_begin; place_try, or place_list and place_put for who wants to choose among the
 * nearest hosts; place_undo, place_rewind; then place_end keeps what is tried on the books, place_cancel takes it back.
 * What is kept must be asked of the engine too.
 */
#ifndef POLICIES_MLF_PLACE_H
#define POLICIES_MLF_PLACE_H

#include "policies/mlf_hosts.h"
#include "policies/mlf_refusals.h"
#include "policies/mlf_slots.h"

/* What the task looked at exchanges with its placed peers, bytes a round, by host and by rack. */
typedef struct Near {
    double *bytes; /* [hosts] */
    int *host, n_hosts;
    double *rack_bytes; /* [racks] */
    int32_t *rack;
    int n_racks;
    bool *block;        /* [blocks of hosts]: some of its hosts are in racks with bytes */
    double placed, all; /* with all placed peers; with all peers */
} Near;

typedef struct RackBlocks { /* the blocks of hosts in which a rack's lie */
    int first, last;
} RackBlocks;

typedef struct Place {
    Sched *sched;
    const Network *network;
    RackBlocks *rack_blocks; /* [racks] */
    Hosts hosts;
    Slots slots;
    bool bandwidth;          /* false: c does not count */
    double move_bytes_per_s; /* cost.bw; 0: the link's */
    SimTime tick;
    Refusals gangs, movers; /* what a task that moves leaves behind in this round counts in the next */

    const Job *job; /* NULL: none begun */
    const Task *task;
    GpuId *spot; /* [n_tasks]: where each is or is tried, -1: nowhere */
    int *tried, n_tried;
    int room;         /* of these two */
    int n_placed;     /* spots that are somewhere */
    double rate;      /* bytes per second for each byte of a round */
    bool net_refused; /* the network was the reason not to take some host */
    Near near;
} Place;

void place_open(Place *place, Sched *s, double threshold, bool bandwidth, bool rial, int strikes);
void place_round(Place *place); /* reads the engine's loads, forgets refusals */

void place_begin(Place *place, const Job *job);
void place_look(Place *place, int k); /* fills `near` */

/* The hosts that place_try or, for a task that is lifted, place_move would take, nearest to the ideal first, lowest id
 * on ties; returns how many, at most `most`.  place_put tries a waiting task on one of them, place_shift moves a lifted
 * one, for which its own host is among them. */
typedef struct PlaceOption {
    GpuId gpu;
    int host;
    double distance;    /* squared, q included */
    double degradation; /* q */
} PlaceOption;
int place_list(Place *place, int k, PlaceOption option[], int most);
void place_put(Place *place, int k, GpuId gpu);
void place_shift(Place *place, int k, GpuId gpu);

/* The nearest for task k, which is nowhere: its GPU, or -1. */
GpuId place_try(Place *place, int k);
/* The same for each of these tasks, in this order; false: one found no host, and all is as begun. */
bool place_try_all(Place *place, const int tasks[], int n);
void place_undo(Place *place);   /* the latest try */
void place_rewind(Place *place); /* all of them */
void place_end(Place *place);
void place_cancel(Place *place);

/* A running task that is to move: its load is off the books, its memory is not.  place_drop puts the load back. */
void place_lift(Place *place, int k);
void place_drop(Place *place, int k);
/* The nearest host for it, which may be where it is, by memory too; -1: none, and it is still lifted. */
GpuId place_move(Place *place, int k);

/* A running task that is gone from where it was; `lifted`: its load already is. */
void place_remove(Place *place, int k, bool lifted);

/* Whether task k of the job begun, which is to move, need not be tried. */
bool place_refuses_move(Place *place, int k);

/* Squared, without q: of a host that would keep this share of the task's traffic, where `most` is the largest one. */
static inline double place_distance(const Place *place, int host, double share, double most)
{
    return place->hosts.distance[host] + (share - most) * (share - most);
}

double place_share(const Place *place, int host);  /* c of the task looked at */
double place_use_of(const Place *place, int host); /* and of the host's network by what leaves it */

#endif
