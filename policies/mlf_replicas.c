/* policies/mlf_replicas.c -- while a server is slow and nobody waits, its tasks have copies elsewhere.
 *
 * MLFS (CoNEXT'20) answers stragglers with replicas of tasks on other servers, the first result of which counts; how
 * many, where and when it leaves open.  Backup tasks of MapReduce (Dean and Ghemawat, OSDI'04) take what nobody else
 * wants, and so do these: they are made last in a round and only while no job waits, and when one does all are given up
 * and the round is held again, so that nobody waits for a copy.
 *
 * A job goes as fast as its slowest task, so of a job's tasks on slow servers all get a copy or none does.  The host: a
 * server that is neither slow nor overloaded, the GPU with least load on which the task would stay below h_r, rather in
 * the task's rack, the first of equals.  A copy is given up when the slow spell of its task's server ends, or when its
 * own server becomes slow or overloaded.
 *
 * Knows:   which servers are slow now, by how their tasks get on.
 * Ignores: how long that will last, and what the copy's traffic does to others.
 */
#include "policies/mlf_replicas.h"

#include "sim/model/network.h"

static bool is_slow(const Sched *s, ServerId server)
{
    return sched_slowness(s, server) > 1;
}

static bool is_host(const Sched *s, ServerId server)
{
    return !is_slow(s, server) && !sched_server_load(s, server)->overloaded;
}

void replicas_review(Sched *s)
{
    EACH_JOB (id, sched_running(s)) {
        const Job *job = sched_job(s, id);
        for (int k = 0; k < job->n_gpus; k++) {
            const Task *copies = sched_copies(s, job); /* each drop may be of the last */
            if (!copies) break;
            if (copies[k].gpu < 0) continue;
            if (!is_slow(s, sched_tasks(s, job)[k].server) || !is_host(s, copies[k].server)) sched_drop(s, id, k);
        }
    }
}

bool replicas_yield(Sched *s)
{
    bool any = false;
    if (!sched_waiting(s)->n) return false;
    EACH_JOB (id, sched_running(s)) {
        const Job *job = sched_job(s, id);
        const Task *copies;
        for (int k = 0; k < job->n_gpus && (copies = sched_copies(s, job)); k++)
            if (copies[k].gpu >= 0) any |= sched_drop(s, id, k) == ASK_GRANTED;
    }
    return any;
}

static bool fits(const Sched *s, const Job *job, const Task *task, GpuId gpu, double h_r)
{
    ServerId server = cluster_server_of(sched_cluster(s), gpu);
    const ServerLoad *load = sched_server_load(s, server);
    int cores = cluster_spec_class(sched_cluster(s)->spec, server)->cores;
    if (cores && load->n_tasks && load->cores + task->need.cores > h_r * cores) return false;
    const GpuLoad *there = sched_gpu_load(s, gpu);
    return (!there->n_tasks || there->load + task->demand <= h_r * 1000) && sched_has_room(s, job, task->index, gpu);
}

/* The host of a copy of this task, not on the `n` GPUs that others of the job will get; -1: none. */
static GpuId find_host(const Sched *s, const Job *job, const Task *task, double h_r, const GpuId others[], int n)
{
    const Pool *pool = sched_pool(s);
    const Cluster *cluster = sched_cluster(s);
    const Network *network = sched_network(s);
    GpuId best = -1;
    Milli least = 0;
    bool near_best = false;
    for (ServerId server = pool->first_server; server < pool->first_server + pool->n_servers; server++) {
        if (server == task->server || !is_host(s, server)) continue;
        bool near = network->rack[server] == network->rack[task->server];
        GpuId first = cluster->server[server].first_gpu;
        for (GpuId g = first; g < first + cluster->server[server].n_gpus; g++) {
            Milli load = sched_gpu_load(s, g)->load;
            if (best >= 0 && (load > least || (load == least && near <= near_best))) continue;
            bool taken = false;
            for (int i = 0; i < n; i++) taken |= others[i] == g;
            if (taken || !fits(s, job, task, g, h_r)) continue;
            best = g;
            least = load;
            near_best = near;
        }
    }
    return best;
}

/* All its tasks on slow servers that have no copy get one, or none does. */
static void copy_job(Sched *s, const Job *job, double h_r)
{
    const Task *tasks = sched_tasks(s, job), *copies = sched_copies(s, job);
    GpuId *host = NEW_ARRAY(sched_scratch(s), GpuId, job->n_gpus);
    int *task = NEW_ARRAY(sched_scratch(s), int, job->n_gpus), n = 0;
    for (int k = 0; k < job->n_gpus; k++) {
        if (tasks[k].gpu < 0 || !is_slow(s, tasks[k].server) || (copies && copies[k].gpu >= 0)) continue;
        task[n] = k;
        host[n] = find_host(s, job, &tasks[k], h_r, host, n);
        if (host[n++] < 0) return;
    }
    for (int i = 0; i < n; i++)
        if (sched_has_room(s, job, task[i], host[i])) /* those before may have taken the server's memory */
            sched_duplicate(s, job->id, task[i], host[i]);
}

void replicas_make(Sched *s, double h_r)
{
    const Pool *pool = sched_pool(s);
    const Cluster *cluster = sched_cluster(s);
    if (sched_waiting(s)->n) return;
    for (ServerId server = pool->first_server; server < pool->first_server + pool->n_servers; server++) {
        if (!is_slow(s, server)) continue;
        GpuId first = cluster->server[server].first_gpu;
        for (GpuId g = first; g < first + cluster->server[server].n_gpus; g++)
            for (const Task *t = sched_gpu_load(s, g)->task; t; t = t->next_here) /* copies go elsewhere */
                if (!t->is_copy && sched_job(s, t->job)->state == JOB_RUNNING) copy_job(s, sched_job(s, t->job), h_r);
    }
}
