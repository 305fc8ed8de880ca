/* rl/features.c -- the numbers of features.h; the only file of this folder that looks at the engine. */
#include "rl/features.h"

#include <string.h>

#include "rl/portable.h"
#include "sim/engine/task.h"

#define LN_2 0.6931471805599453

static float clip(double x)
{
    return (float)(x > 1 ? 1 : x < -1 ? -1 : x);
}

static float hours(SimTime t)
{
    return clip(portable_log(1 + time_seconds(t > 0 ? t : 0) / 3600) / 8);
}

static float share(double part, double whole)
{
    return whole > 0 ? clip(part / whole) : 0;
}

void features_of_world(float row[], const FeatureWorld *world, StepType step, int n_waiting)
{
    row[F_OVERLOAD] = clip(world->overload);
    row[F_QUEUE_LENGTH] = clip(portable_log(1 + n_waiting) / 12);
    row[F_STEP] = (float)step;
}

/* Levels and tasks below task k; a parameter server is a level of its own. */
static void add_graph(float row[], const Job *job, int k)
{
    const TaskGraph *g = job->graph;
    bool server = task_is_server(g, k);
    int below = server ? 0 : g->stages - 1 - task_stage(g, k), levels = g->stages + g->has_server;
    row[F_SHARE] = server ? 1 : clip(taskgraph_share(g, job->family, k));
    row[F_DEPTH] = share(server ? 0 : below + g->has_server, levels);
    row[F_DESCENDANTS] = share(server ? 0 : below * g->width + g->has_server, job->n_tasks);
    row[F_REPLICAS] = clip(portable_log(1 + g->replicas) / (8 * LN_2));
    row[F_PARTITIONS] = clip(portable_log(1 + g->partitions) / (8 * LN_2));
}

void features_of_task(float row[], const FeatureWorld *world, const Job *job, const Task *task, const FeatureJob *facts)
{
    SimTime now = world->now, slack = job->deadline == TIME_NEVER ? 24 * 60 * TIME_MINUTE : job->deadline - now;
    row[F_QUEUED] = task->gpu < 0;
    row[F_WAIT] = job->waits_since == TIME_NEVER ? 0 : hours(now - job->waits_since);
    row[F_RUN] = hours(job_attained(job, now));
    row[F_ASKS_GPU] = task_is_server(job->graph, task->index) ? 0 : clip(task->demand / 1000.0);
    row[F_ASKS_CPU] = share(task->need.cores, world->cores);
    row[F_ASKS_MEMORY] = share(task->need.memory_mib, world->memory_mib);
    row[F_ASKS_NETWORK] = 0;
    add_graph(row, job, task->index);
    memset(row + F_FAMILY, 0, N_FAMILIES * sizeof *row);
    row[F_FAMILY + (job->family - families)] = 1;
    row[F_SLACK] = clip(time_seconds(slack) / 86400);
    row[F_REMAINING] = hours(job_remaining(job, now));
    bool learns = !world->plain;
    row[F_URGENCY] = learns ? clip(job->urgency / 10) : 0;
    row[F_PROGRESS] = learns ? share(facts->epochs_done, job->epochs) : 0;
    row[F_EPOCH] = learns ? clip(1.0 / (facts->epochs_done + 1)) : 0;
    row[F_LOSS_RATIO] = learns ? clip(facts->loss_ratio) : 0;
    row[F_ACCURACY_GAP] = learns ? clip(job->accuracy_required - facts->accuracy) : 0;
}

static void clear_host(float row[])
{
    memset(row + F_HOST_GPU, 0, (F_SAME_RACK - F_HOST_GPU + 1) * sizeof *row);
    row[F_ASKS_NETWORK] = row[F_DISTANCE] = row[F_IS_QUEUE] = row[F_IS_STOP] = 0;
}

void features_of_host(float row[], const FeatureHost *host)
{
    clear_host(row);
    for (int m = 0; m < 4; m++) row[F_HOST_GPU + m] = clip(host->use[m]);
    row[F_LEAST_GPU] = clip(host->least_gpu);
    row[F_HOST_TASKS] = share(host->tasks, 8.0 * host->n_gpus);
    row[F_TRAFFIC] = clip(host->traffic);
    row[F_DEGRADATION] = clip(host->degradation);
    row[F_SAME_RACK] = host->same_rack;
    row[F_ASKS_NETWORK] = clip(host->network_more);
    row[F_DISTANCE] = clip(host->distance / 2);
}

void features_of_queue(float row[])
{
    clear_host(row);
    row[F_IS_QUEUE] = 1;
}

void features_of_stop(float row[])
{
    clear_host(row);
    row[F_IS_STOP] = 1;
}
