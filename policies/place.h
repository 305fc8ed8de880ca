/* policies/place.h -- which GPUs a gang gets: placement that every policy shares.
 *
 * place.mode: `packed` (default) takes the fewest servers, best fit, lowest index on ties, and spreads where it must;
 * `count` takes any free GPUs, lowest index first; `random` takes any, drawn; `consolidate` is the all-or-nothing rule
 * of the Helios and Lucid simulators.  The first three place any gang for which enough GPUs are free, so that an order
 * can be worked out by counting; only `consolidate` may refuse.
 */
#ifndef POLICIES_PLACE_H
#define POLICIES_PLACE_H

#include "sim/engine/sched.h"

extern const Param place_params[]; /* group "place" */

typedef enum { PLACE_PACKED, PLACE_COUNT, PLACE_RANDOM, PLACE_CONSOLIDATE, PLACE_FILL } PlaceMode;

PlaceMode place_mode(Sched *s); /* of the run; call it in init: a mode that cannot serve this cluster ends the run */

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

/* Where a gang's parameter server goes: a GPU of the server with most of its tasks, lowest id on ties. */
GpuId place_server(const Cluster *cluster, const GpuId gpus[], int n);

/* Places and starts the job; false: no room of that shape. */
bool place_start(Sched *s, PlaceMode mode, const Job *job);

#endif
