/* sim/engine/event.h -- what will happen, in a total order.
 *
 * A 4-ary heap of values ordered by (at, kind, serial): at one instant ends come before epochs,
 * these before ends of stalls, copies that are ready, failures and repairs, and like kinds in the order they were
 * pushed.  Arrivals are not queued: the run loop merges them from the sorted job table, after the ends of their
 * instant.  Nothing is deleted: an event whose epoch is no longer its subject's is stale and is skipped when it comes
 * up; event_sweep drops the stale ones when they outnumber the rest.
 */
#ifndef SIM_ENGINE_EVENT_H
#define SIM_ENGINE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/simtime.h"

typedef enum {
    EVENT_END,
    EVENT_EPOCH,
    EVENT_STALL_OVER,
    EVENT_COPY_READY,
    EVENT_ATTEMPT_OVER, /* the trace says that the job failed here */
    EVENT_BREAK,        /* from here on a server is the subject, and nothing makes the event stale */
    EVENT_REPAIR,
    EVENT_SLOW, /* a slow spell begins or ends */
} EventKind;

typedef struct Event {
    SimTime at;
    EventKind kind;
    uint32_t epoch;  /* the subject's, when pushed */
    int32_t subject; /* job or server id */
    uint64_t serial; /* set by event_push */
} Event;

typedef struct EventQueue {
    Event *heap;
    int n, capacity;
    Arena memory; /* its own: it grows in place */
    uint64_t next_serial;
} EventQueue;

void event_push(EventQueue *queue, Event event);
const Event *event_top(const EventQueue *queue); /* NULL: empty */
Event event_pop(EventQueue *queue);

/* Drops every event for which is_stale says so; order is kept. */
void event_sweep(EventQueue *queue, bool (*is_stale)(const void *context, const Event *event), const void *context);
void event_free(EventQueue *queue);

#endif
