/* policies/mlf_queue.h -- what MLF-H places in a round, in order of priority, sorted no further than is looked at.
 *
 * When thousands wait, most are refused by what the first few found out.  So the queue is a quicksort that is only
 * carried on where the next unit is wanted (Paredes and Navarro 2006), and what is refused by then is dropped before a
 * part is looked into: a long queue costs a few steps a unit instead of a sort.
 */
#ifndef POLICIES_MLF_QUEUE_H
#define POLICIES_MLF_QUEUE_H

#include "sim/base/arena.h"
#include "sim/engine/task.h"

typedef enum { UNIT_JOB, UNIT_REPLICA, UNIT_TASK, UNIT_MOVE } UnitKind;

typedef struct Unit { /* what is placed at once */
    double priority;
    JobId job;
    int32_t index; /* replica or task */
    int32_t n;     /* GPU tasks of a job that waits; 0: of one that runs, or a parameter server */
    UnitKind kind;
    Milli least_gpu;    /* of a whole job: by each of its tasks, ... */
    int32_t slots_kind; /* ... which are of this kind; -1: not known */
} Unit;

typedef struct QueuePart { /* of the array; everything in it comes before everything in the parts below */
    int from, end;
    bool sorted;
} QueuePart;

typedef struct Queue {
    Arena *arena;
    Unit *unit;
    int n, room;
    QueuePart *part; /* a stack */
    int n_parts, part_room;
} Queue;

void queue_add(Queue *queue, Unit unit);

/* The last one in order that is no move; false: there is none. */
bool queue_last(const Queue *queue, Unit *last);

/* After all were added: takes out the next one, highest priority first, then as they came, a parameter server before
 * the other tasks of its job.  `drop` tells of which it is clear already that they need not come up; a unit that is not
 * dropped comes up in any case.  False: none is left. */
typedef bool QueueDrop(void *self, const Unit *unit);
bool queue_next(Queue *queue, QueueDrop *drop, void *self, Unit *next);

/* Whether a move of this task is still to come. */
bool queue_has_move(const Queue *queue, JobId job, int task);

#endif
