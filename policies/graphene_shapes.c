/* policies/graphene_shapes.c -- shapes found, their graphs ordered, their gangs scored. */
#include "policies/graphene_shapes.h"

#include <string.h>

#include "policies/graphene_order.h"

/* Replicas are alike and meet only at the end of an iteration: enough of them for so many tasks tell the order. */
enum { MOST_ORDERED = 64 };

/* ---- the offline order ---- */

static ServerId largest_server(const Sched *s)
{
    const Pool *pool = sched_pool(s);
    const Server *server = sched_cluster(s)->server;
    ServerId best = pool->first_server;
    for (ServerId id = best; id < pool->first_server + pool->n_servers; id++)
        if (server[id].n_gpus > server[best].n_gpus) best = id;
    return best;
}

static double share(int part, int all)
{
    return !all ? 0 : part < all ? (double)part / all : 1;
}

/* One iteration of `replicas` replicas: the parts of a stage last equally long, and a parameter server works as long as
 * one stage does. */
static OrderGraph iteration(const Sched *s, const Shape *shape, const TaskGraph *g, Arena *arena)
{
    const ServerClass *class_of = cluster_spec_class(sched_cluster(s)->spec, largest_server(s));
    int n = taskgraph_n_tasks(g), n_gpu_tasks = taskgraph_n_gpu_tasks(g);
    OrderTask *task = NEW_ARRAY(arena, OrderTask, n);
    OrderEdge *edge = NEW_ARRAY(arena, OrderEdge, n_gpu_tasks * (g->width + 1));
    int n_edges = 0;
    for (int k = 0; k < n_gpu_tasks; k++) {
        task[k] = (OrderTask){.duration = 1,
                              .demand = {share(1, class_of->n_gpus), share(shape->task.cores, class_of->cores),
                                         share(shape->task.memory_mib, class_of->memory_mib)},
                              .stage = task_stage(g, k)};
        TaskRange children = taskgraph_children(g, k);
        for (int c = children.first; c < children.first + children.n; c++) edge[n_edges++] = (OrderEdge){k, c};
        if (g->has_server && task_stage(g, k) == g->stages - 1) edge[n_edges++] = (OrderEdge){k, n_gpu_tasks};
    }
    if (g->has_server)
        task[n_gpu_tasks] = (OrderTask){
            .duration = 1,
            .demand = {0, share(SERVER_CORES, class_of->cores), share(SERVER_MEMORY_MIB, class_of->memory_mib)},
            .stage = g->stages};
    return (OrderGraph){.task = task, .n = n, .n_stages = g->stages + g->has_server, .edge = edge, .n_edges = n_edges};
}

static void weigh_tasks(const Shapes *shapes, Sched *s, Shape *shape)
{
    shape->weight = NEW_ARRAY(sched_memory(s), double, shape->need.n_gpus);
    for (int k = 0; k < shape->need.n_gpus; k++) shape->weight[k] = 1;
    if (!shapes->ordered || !shape->family) return;

    Arena scratch = {0};
    TaskGraph few = shape->graph;
    MUST(few.partitions); /* a job of a family has a graph */
    int most = MOST_ORDERED / few.partitions, size = sched_cluster(s)->server[largest_server(s)].n_gpus;
    if (few.replicas > most) few.replicas = most ? most : 1;
    OrderGraph graph = iteration(s, shape, &few, &scratch);
    int n_planned = taskgraph_n_gpu_tasks(&few);
    OrderPlan plan = order_build(&graph, (n_planned + size - 1) / size, shapes->step, &scratch);
    double sum = 0;
    for (int k = 0; k < shape->need.n_gpus; k++) {
        shape->weight[k] = 1 - (double)plan.rank[k % n_planned] / graph.n; /* priScore */
        sum += shape->weight[k];
    }
    for (int k = 0; k < shape->need.n_gpus; k++) shape->weight[k] *= shape->need.n_gpus / sum;
    arena_free(&scratch);
}

/* ---- shapes ---- */

int shapes_find(Shapes *shapes, Sched *s, const Job *job)
{
    TaskGraph graph = job->graph ? *job->graph : (TaskGraph){0};
    PlaceNeed need = place_need(s, shapes->mode, job);
    for (int i = 0; i < shapes->n; i++) {
        const Shape *shape = &shapes->shape[i];
        if (place_needs_equal(shape->need, need) && shape->family == job->family &&
            shape->graph.replicas == graph.replicas && shape->graph.stages == graph.stages &&
            shape->graph.width == graph.width && shape->graph.has_server == graph.has_server)
            return i;
    }
    if (shapes->n == shapes->room) {
        int larger = shapes->room ? 2 * shapes->room : 32;
        shapes->shape =
            arena_grow(sched_memory(s), shapes->shape, (size_t)shapes->n, (size_t)larger, sizeof *shapes->shape);
        shapes->room = larger;
    }
    Shape *shape = &shapes->shape[shapes->n];
    *shape = (Shape){.family = job->family, .graph = graph, .need = need};
    if (sched_has_inside(s)) shape->task = sched_tasks(s, job)->need;
    weigh_tasks(shapes, s, shape);
    return shapes->n++;
}

/* ---- scores ---- */

double shapes_free_gpus(const Shapes *shapes, const Sched *s, ServerId id)
{
    const Server *server = &sched_cluster(s)->server[id];
    if (!shapes->mode.share) return server->n_free;
    double free = server->n_gpus - sched_server_load(s, id)->gpu_load / 1000.0;
    return free > 0 ? free : 0;
}

static double aligned(double n, int need, int used, int all)
{
    return used < all ? n * need / all * (all - used) / all : 0;
}

double shape_alignment(const Shapes *shapes, const Sched *s, const Shape *shape, ServerId id, double n)
{
    int n_gpus = sched_cluster(s)->server[id].n_gpus;
    double demand = shapes->mode.share ? shape->need.demand / 1000.0 : 1;
    double sum = n * demand / n_gpus * shapes_free_gpus(shapes, s, id) / n_gpus;
    if (!sched_has_inside(s)) return sum;
    const ServerClass *class_of = cluster_spec_class(sched_cluster(s)->spec, id);
    const ServerLoad *load = sched_server_load(s, id);
    return sum + aligned(n, shape->task.cores, load->cores, class_of->cores) +
           aligned(n, shape->task.memory_mib, load->memory_mib, class_of->memory_mib);
}

static bool all_on(const Cluster *c, const GpuId gpus[], int first, int n, ServerId server)
{
    for (int k = first; k < first + n; k++)
        if (cluster_server_of(c, gpus[k]) != server) return false;
    return true;
}

/* Whether task k of a gang on several servers talks to another server; without a graph every task does. */
static bool is_remote(const Cluster *c, const Shape *shape, const GpuId gpus[], int k)
{
    const TaskGraph *g = &shape->graph;
    ServerId here = cluster_server_of(c, gpus[k]);
    if (!shape->family) return true;
    TaskRange parents = taskgraph_parents(g, k), children = taskgraph_children(g, k);
    if (!all_on(c, gpus, parents.first, parents.n, here) || !all_on(c, gpus, children.first, children.n, here))
        return true;
    if (task_stage(g, k) < g->stages - 1 || g->replicas == 1) return false;
    if (g->has_server) return cluster_server_of(c, gpus[shape->need.n_gpus]) != here;
    for (int copy = k % g->partitions; copy < shape->need.n_gpus; copy += g->partitions) /* the ring of its copies */
        if (cluster_server_of(c, gpus[copy]) != here) return true;
    return false;
}

double shape_score(const Shapes *shapes, const Sched *s, const Shape *shape, const GpuId gpus[])
{
    const Cluster *c = sched_cluster(s);
    double sum = 0;
    int n_servers = 0;
    bool one_server = all_on(c, gpus, 0, shape->need.n_gpus, cluster_server_of(c, gpus[0]));
    for (int k = 0; k < shape->need.n_gpus; n_servers++) { /* GPUs stand in rising order: server by server */
        ServerId here = cluster_server_of(c, gpus[k]);
        double weight = 0;
        for (; k < shape->need.n_gpus && cluster_server_of(c, gpus[k]) == here; k++)
            weight += shape->weight[k] * (!one_server && is_remote(c, shape, gpus, k) ? shapes->remote : 1);
        sum += shape_alignment(shapes, s, shape, here, weight);
    }
    return sum / n_servers;
}
