/* policies/graphene_shapes.h -- waiting jobs that are alike to a packer: what their tasks need and which of them count.
 *
 * Two jobs have one shape if their tasks are of one family, in one graph; in preset `plain`, if they want as many GPUs.
 * With place.share their demands must be alike too. The offline order of the graph (graphene_order.h) is built once for
 * each.
 */
#ifndef POLICIES_GRAPHENE_SHAPES_H
#define POLICIES_GRAPHENE_SHAPES_H

#include "policies/place.h"

typedef struct Shape {
    const Family *family; /* NULL in preset `plain` */
    TaskGraph graph;
    PlaceNeed need; /* what decides whether it fits */
    TaskNeed task;  /* of each GPU task; besides GPU */
    double *weight; /* [n_gpus]: priScore, scaled to a mean of 1 */
    /* of the round: */
    int64_t looked_at; /* the step in which the score was worked out */
    bool refused;      /* then: no room of that shape */
    double score;
} Shape;

typedef struct Shapes {
    PlaceMode mode; /* of the run */
    Shape *shape;
    int n, room;
    bool ordered;  /* weights by the offline order; else all are 1 */
    double remote; /* rp: what the alignment of a task with a peer on another server counts */
    double step;   /* δ */
} Shapes;

/* The index of a job's shape. */
int shapes_find(Shapes *shapes, Sched *s, const Job *job);

/* Σ over resources of demand x free, in shares of the server, of n tasks of the job.  A GPU is in use if somebody holds
 * it; with place.share as much as its tasks demand. */
double shape_alignment(const Shapes *shapes, const Sched *s, const Shape *shape, ServerId server, double n);

/* GPUs of the server that are not in use. */
double shapes_free_gpus(const Shapes *shapes, const Sched *s, ServerId server);

/* What a gang on these GPUs is worth: each server sees its tasks as one; the mean over the servers. */
double shape_score(const Shapes *shapes, const Sched *s, const Shape *shape, const GpuId gpus[]);

#endif
