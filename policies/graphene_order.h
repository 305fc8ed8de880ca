/* policies/graphene_order.h -- in which order the tasks of a graph are best done: the offline half of Graphene.
 *
 * Grandl, Kandula, Rao, Akella, Kulkarni, OSDI 2016, algorithm BuildSchedule.  Tasks that last long, or come in stages
 * that are hard to pack, are troublesome: they are placed first in an empty space of machines and time, together with
 * what lies between them (T).  The rest follows around them in one of four orders that have no dead end: ancestors of T
 * (P), descendants of T (C), others (O).  Of all choices of T and all orders the shortest schedule wins, and the order
 * in which its tasks start is the result.
 */
#ifndef POLICIES_GRAPHENE_ORDER_H
#define POLICIES_GRAPHENE_ORDER_H

#include "sim/base/arena.h"

enum { ORDER_RESOURCES = 3 };

typedef struct OrderTask {
    double duration;                /* > 0 */
    double demand[ORDER_RESOURCES]; /* of one machine, 0 .. 1 */
    int stage;                      /* tasks of a stage are alike */
} OrderTask;

typedef struct OrderEdge {
    int parent, child;
} OrderEdge;

typedef struct OrderGraph {
    const OrderTask *task; /* [n] */
    int n, n_stages;
    const OrderEdge *edge; /* [n_edges]; no cycles */
    int n_edges;
} OrderGraph;

typedef struct OrderPlan {
    double makespan;
    double *start; /* [n], the first at 0 */
    int *machine;  /* [n] */
    int *rank;     /* [n]: 0 starts first */
    int n_tried;   /* different T */
} OrderPlan;

/* `step` is δ: what counts as long or hard to pack is tried in steps of it.  Memory of the plan comes from the arena.
 */
OrderPlan order_build(const OrderGraph *graph, int n_machines, double step, Arena *arena);

#endif
