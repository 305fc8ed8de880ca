/* sim/model/taskgraph.c -- shapes, shares, volumes, and the sums of eq. 3 and 5. */
#include "sim/model/taskgraph.h"

#include <math.h>

#include "sim/base/err.h"
#include "sim/base/number.h"

static int largest_divisor(int n, int limit)
{
    int m = limit < n ? limit : n;
    while (n % m) m--;
    return m;
}

static int smallest_divisor_from_root(int m)
{
    int q = 1;
    while (q * q < m || m % q) q++;
    return q;
}

TaskGraph taskgraph_make(const Family *family, int n_gpus, int partitions, Topology topology)
{
    int m = partitions ? partitions : largest_divisor(n_gpus, family->max_partitions);
    MUST(m >= 1 && n_gpus % m == 0);
    int q = family->partition == PARTITION_LAYERED ? smallest_divisor_from_root(m) : m;
    return (TaskGraph){.replicas = n_gpus / m,
                       .partitions = m,
                       .stages = q,
                       .width = m / q,
                       .has_server = topology == TOPOLOGY_SERVER && n_gpus / m >= 2};
}

TaskRange taskgraph_stage(const TaskGraph *g, int replica, int stage)
{
    int first = replica * g->partitions + stage * g->width;
    return (TaskRange){first, stage >= 0 && stage < g->stages ? g->width : 0};
}

TaskRange taskgraph_children(const TaskGraph *g, int k)
{
    return taskgraph_stage(g, task_replica(g, k), task_stage(g, k) + 1);
}

TaskRange taskgraph_parents(const TaskGraph *g, int k)
{
    return taskgraph_stage(g, task_replica(g, k), task_stage(g, k) - 1);
}

double taskgraph_share(const TaskGraph *g, const Family *family, int k)
{
    int m = g->partitions, i = k % m;
    double total = 0, part = 0;
    for (int layer = 0; layer < MOST_LAYERS; layer++) {
        total += family->layer_mb[layer];
        if (layer >= MOST_LAYERS * i / m && layer < MOST_LAYERS * (i + 1) / m) part += family->layer_mb[layer];
    }
    return total > 0 ? part / total : 1. / m;
}

/* What a part of the last stage exchanges with the server, or with one of its copies. */
static double sync_volume(const TaskGraph *g, const Volumes *v)
{
    double bytes = (double)v->sync_bytes / g->width;
    return g->has_server ? 2 * bytes : 4 * bytes / g->replicas;
}

double taskgraph_volume(const TaskGraph *g, const Volumes *v, int k, int l)
{
    int last = g->stages - 1;
    if (k == l) return 0;
    if (task_is_server(g, k) || task_is_server(g, l)) {
        int other = task_is_server(g, k) ? l : k;
        return task_stage(g, other) == last ? sync_volume(g, v) : 0;
    }
    if (task_replica(g, k) == task_replica(g, l)) {
        int distance = task_stage(g, k) - task_stage(g, l);
        return distance == 1 || distance == -1 ? 2 * (double)v->edge_bytes / g->width : 0;
    }
    bool copies = k % g->partitions == l % g->partitions;
    return copies && task_stage(g, k) == last && !g->has_server ? sync_volume(g, v) : 0;
}

double taskgraph_traffic(const TaskGraph *g, const Volumes *v, int k)
{
    if (task_is_server(g, k)) return sync_volume(g, v) * g->width * g->replicas;
    int stage = task_stage(g, k), neighbours = (stage > 0) + (stage < g->stages - 1);
    double bytes = 2 * (double)v->edge_bytes * neighbours;
    if (stage == g->stages - 1) bytes += sync_volume(g, v) * (g->has_server ? 1 : g->replicas - 1);
    return bytes;
}

/* γ·agg over the tasks of a stage, the children of each task of the stage before. */
static double collect(const double value[], TaskRange children, double gamma, ChildRule rule)
{
    double sum = 0, largest = 0;
    for (int i = children.first; i < children.first + children.n; i++) {
        sum += value[i];
        largest = number_max(largest, value[i]);
    }
    if (!children.n) return 0;
    switch (rule) {
    case CHILDREN_SUM: return gamma * sum;
    case CHILDREN_MEAN: return gamma * sum / children.n;
    case CHILDREN_MAX: break;
    }
    return gamma * largest;
}

void taskgraph_priorities(const TaskGraph *g, const Family *family, double gamma, ChildRule rule, double ml[],
                          double c[])
{
    for (int stage = g->stages - 1; stage >= 0; stage--) {
        TaskRange mine = taskgraph_stage(g, 0, stage), children = taskgraph_stage(g, 0, stage + 1);
        double ml_below = collect(ml, children, gamma, rule), c_below = collect(c, children, gamma, rule);
        for (int i = mine.first; i < mine.first + mine.n; i++) {
            ml[i] = taskgraph_share(g, family, i) + ml_below;
            c[i] = 1 + c_below;
        }
    }
}
