/* sim/engine/failures.h -- servers that break or slow down for a while.  For this folder only.
 *
 * Off by default.  Up times and repairs are exponential with means fail.mtbf and fail.mttr, each server's drawn from a
 * stream of its own; so are slow spells, which take the share fail.straggler of a server's time (stragglers).  A server
 * that breaks loses its tasks: their jobs wait again, with the progress that fail.checkpoint had saved.
 */
#ifndef SIM_ENGINE_FAILURES_H
#define SIM_ENGINE_FAILURES_H

#include "sim/engine/engine.h"

typedef struct ServerFate {
    bool down, slow;
    Rng breaks, slows; /* named by (seed, purpose, server) */
} ServerFate;

typedef struct Failures {
    double mtbf_s, mttr_s; /* 0: servers do not break */
    double slow_share, slow_factor, slow_s;
    enum { CHECKPOINT_EPOCH, CHECKPOINT_PERIOD, CHECKPOINT_NONE } checkpoint;
    double period_us;   /* of ideal running time between checkpoints, for CHECKPOINT_PERIOD */
    ServerFate *server; /* [n_servers] */
} Failures;

void failures_open(Engine *engine); /* sets engine->failures if keys ask for any */
/* By an event, whose epoch is 0 where it was drawn and else the number of an outage, from 1. */
void failures_break(Engine *engine, const Event *event);
void failures_repair(Engine *engine, const Event *event);
void failures_slow(Engine *engine, ServerId server); /* a slow spell begins or ends */

/* How many times slower everything on the server is now: 1, or fail.straggler_factor. */
static inline double failures_slowness(const Engine *e, ServerId server)
{
    return e->failures && e->failures->server[server].slow ? e->failures->slow_factor : 1;
}

#endif
