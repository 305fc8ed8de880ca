/* policies/place.h -- which GPUs a gang gets: placement that every policy shares.
 *
 * place.mode: `packed` (default) takes the fewest servers, best fit, lowest index on ties, and spreads where it must;
 * `count` takes any free GPUs, lowest index first; `random` takes any, drawn; `consolidate` is the all-or-nothing rule
 * of the Helios and Lucid simulators.  The first three place any gang for which enough GPUs are free, so that an order
 * can be worked out by counting; only `consolidate` may refuse.
 *
 * place.share=H: GPUs that others use have room for a task as well, as long as the demands there add up to at most H of
 * a GPU (placebook.h).  Then counting free GPUs says nothing, and passes over an order go by needs: if one is refused,
 * all that need as much are (place_refuses), and who keeps, gets or loses GPUs is planned first (placeplan.h).
 */
#ifndef POLICIES_PLACE_H
#define POLICIES_PLACE_H

#include "sim/engine/sched.h"

extern const Param place_params[]; /* group "place" */

typedef enum { PLACE_PACKED, PLACE_COUNT, PLACE_RANDOM, PLACE_CONSOLIDATE, PLACE_FILL } PlaceKind;

typedef struct PlaceMode {
    PlaceKind kind;
    Milli share; /* 0: a GPU is one job's alone */
} PlaceMode;

Milli place_read_share(Sched *s); /* place.share alone; in `plain` any ends the run */
PlaceMode place_mode(Sched *s);   /* of the run; call it in init: a mode that cannot serve this cluster ends the run */

/* GPUs for the job, [n_tasks] in rising order, a parameter server's last, in scratch memory; NULL: no room of that
 * shape.  PLACE_FILL, which is no user's mode, fills up the servers with fewest free GPUs first. */
const GpuId *place_gang(Sched *s, PlaceMode mode, const Job *job);

/* A policy's own opinion of servers where the run leaves places to it (PLACE_PACKED): what it costs to put `n` GPU
 * tasks of the job on this server, which has room for them.  The gang still takes the fewest servers; among those that
 * could be next the cheapest is taken, of equally cheap ones that with fewest free GPUs, then the lowest.  No `cost`
 * (NULL): best fit.  Other modes ask for no opinion. */
typedef double (*PlaceCost)(const Sched *s, const void *state, const Job *job, ServerId server, int n);
typedef struct Placer {
    PlaceMode mode;
    PlaceCost cost;
    const void *state; /* handed to cost */
} Placer;
const GpuId *place_by(Sched *s, const Placer *placer, const Job *job);
bool place_start_by(Sched *s, const Placer *placer, const Job *job);

/* For who places by other rules as well, into gpus[]: n free GPUs as `packed` takes them, server by server, or false if
 * fewer are free; the n lowest free ones of one server, which has as many. */
bool place_packed(Sched *s, int n, GpuId gpus[]);
void place_lowest(const Cluster *cluster, ServerId server, int n, GpuId gpus[]);

/* Where a gang's parameter server goes: a GPU of the server with most of its tasks, lowest id on ties. */
GpuId place_server(const Cluster *cluster, const GpuId gpus[], int n);

/* Places and starts the job; false: no room of that shape. */
bool place_start(Sched *s, PlaceMode mode, const Job *job);

/* What decides whether a gang fits.  Without sharing its width alone; with it each of its tasks is taken to demand as
 * much as the largest, rounded up to PLACE_STEP thousandths of a GPU, so that there are few needs to tell apart. */
enum { PLACE_STEP = 20 };
typedef struct PlaceNeed {
    int32_t n_gpus;
    int32_t kind; /* of its tasks' memory needs */
    Milli demand; /* of each of its tasks */
} PlaceNeed;
PlaceNeed place_need(const Sched *s, PlaceMode mode, const Job *job); /* of a live job; constant while it waits */

static inline bool place_needs_equal(PlaceNeed a, PlaceNeed b)
{
    return a.n_gpus == b.n_gpus && a.kind == b.kind && a.demand == b.demand;
}

/* `refused` found no room of its shape: neither will `other`, until something is freed. */
bool place_refuses(PlaceMode mode, PlaceNeed refused, PlaceNeed other);

/* So many gangs can run at once at most. */
int place_most(const Sched *s, PlaceMode mode);

/* Free GPUs, of which no gang can need more; with sharing all that work. */
int place_spare(const Sched *s, PlaceMode mode);

#endif
