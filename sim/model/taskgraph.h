/* sim/model/taskgraph.h -- the tasks of one job and what flows between them, as rules instead of lists.
 *
 * A job has D replicas of M partitions, one GPU task each, in Q stages of p parts (M = Q·p; a chain has p = 1), and
 * perhaps a parameter server.  Tasks are numbered 0 .. n_tasks-1: replica by replica, in each stage by stage, in each
 * part by part; the server comes last.  Between consecutive stages of a replica every part talks to every part.  After
 * the last stage the replicas agree: through the server, or in rings, one for each part, of that part's D copies.
 */
#ifndef SIM_MODEL_TASKGRAPH_H
#define SIM_MODEL_TASKGRAPH_H

#include "sim/model/family.h"

typedef struct TaskGraph {
    int32_t replicas;   /* D */
    int32_t partitions; /* M, of one replica */
    int32_t stages;     /* Q */
    int32_t width;      /* p: parts of a stage */
    bool has_server;    /* only if D >= 2 */
} TaskGraph;

/* M, or 0 for the largest divisor of n_gpus that the family allows; M MUST divide n_gpus.  A chain has Q = M; a layered
 * graph the smallest divisor of M that is at least √M; D = n_gpus/M.  A family that is data parallel only is not cut by
 * itself, but is a chain where M says so. */
TaskGraph taskgraph_make(const Family *family, int n_gpus, int partitions, Topology topology);

static inline int taskgraph_n_gpu_tasks(const TaskGraph *g)
{
    return g->replicas * g->partitions;
}
static inline int taskgraph_n_tasks(const TaskGraph *g)
{
    return g->replicas * g->partitions + g->has_server;
}

/* Where task k stands; these three are for GPU tasks. */
static inline bool task_is_server(const TaskGraph *g, int k)
{
    return k == g->replicas * g->partitions;
}
static inline int task_replica(const TaskGraph *g, int k)
{
    return k / g->partitions;
}
static inline int task_stage(const TaskGraph *g, int k)
{
    return k % g->partitions / g->width;
}
static inline int task_part(const TaskGraph *g, int k)
{
    return k % g->partitions % g->width;
}

/* The GPU tasks of a replica's stage: the parents (stage before) and children (stage after) of a task are such a range;
 * before the first and after the last stage it is empty. */
typedef struct TaskRange {
    int first, n;
} TaskRange;
TaskRange taskgraph_stage(const TaskGraph *graph, int replica, int stage);
TaskRange taskgraph_children(const TaskGraph *graph, int k);
TaskRange taskgraph_parents(const TaskGraph *graph, int k);

/* S_k: the share of the network's parameters that GPU task k holds; they add up to 1 over a replica.  A chain of a
 * network whose layer_mb are known gives part i the layers ⌊8i/M⌋ .. ⌊8(i+1)/M⌋−1; all others 1/M. */
double taskgraph_share(const TaskGraph *graph, const Family *family, int k);

/* Volumes of one job, bytes per round and direction. */
typedef struct Volumes {
    int64_t edge_bytes; /* V_ww: out of a stage of a replica, over all edges of one sender; each edge carries 1/p */
    int64_t sync_bytes; /* V_ps: a replica's gradients, 1/p from each part of the last stage */
} Volumes;

/* Bytes per round between two tasks, both directions together; 0 if they do not talk.
 *     consecutive stages    2·V_ww/p        (activations one way, gradients back)
 *     last stage, server    2·V_ps/p        (push and pull)
 *     last stage, its copy  4·V_ps/(p·D)    (ring: 2(D−1)/D·V_ps/p sent by each of D, spread evenly over the pairs:
 *                                            which two are neighbours depends on the placement)
 * Used for c'(k,s), how much of a task's traffic a server would make local. */
double taskgraph_volume(const TaskGraph *graph, const Volumes *volumes, int k, int l);

/* The sum of that over all l: what task k exchanges with all its peers. */
double taskgraph_traffic(const TaskGraph *graph, const Volumes *volumes, int k);

/* How a task's priority collects those of its children (eq. 3 and 5): the paper's sum, or what does not grow with
 * (γp)^depth on layered graphs. */
typedef enum { CHILDREN_SUM, CHILDREN_MEAN, CHILDREN_MAX } ChildRule;

/* The constants of eq. 3 and 5 for the tasks of one replica, into ml[M] and c[M]: if L, I, ρ and the job's P0_C are the
 * same for all its tasks,
 *     P_ML(k) = L·(1/I)·ρ·ml[k]    with ml[k] = S_k + γ·agg over children of ml
 *     P_C(k)  = P0_C·c[k]          with c[k]  = 1   + γ·agg over children of c
 * All replicas are alike.  The server is no child; its priority is the largest of its job. */
void taskgraph_priorities(const TaskGraph *graph, const Family *family, double gamma, ChildRule rule, double ml[],
                          double c[]);

#endif
