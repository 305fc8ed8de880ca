/* policies/gandiva_place.c -- servers that keep to jobs of one width, and what is left over. */
#include "policies/gandiva.h"
#include "policies/placebook.h"

/* The server of that affinity that has n free GPUs and is least loaded; of empty ones the smallest; lowest id on ties.
 */
static ServerId least_loaded(const Gandiva *me, const Sched *s, int n, int affinity)
{
    const Cluster *c = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    ServerId best = -1;
    for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) {
        const Server *server = &c->server[id], *other = best >= 0 ? &c->server[best] : NULL;
        if (me->affinity[id] != affinity || server->n_free < n) continue;
        if (other && affinity ? (int64_t)me->asked[id] * other->n_gpus >= (int64_t)me->asked[best] * server->n_gpus
                              : other && server->n_gpus >= other->n_gpus)
            continue;
        best = id;
    }
    return best;
}

bool gandiva_find(const Gandiva *me, Sched *s, int n, GpuId gpus[])
{
    if (n > sched_pool(s)->n_free) return false;
    ServerId id = least_loaded(me, s, n, n);
    if (id < 0) id = least_loaded(me, s, n, 0);
    if (id < 0) return place_packed(s, n, gpus);
    place_lowest(sched_cluster(s), id, n, gpus);
    return true;
}

const GpuId *gandiva_find_shared(const Gandiva *me, Sched *s, const Job *job)
{
    if (!me->share) return NULL;
    PlaceMode mode = {PLACE_PACKED, me->share};
    PlaceBook *book = book_open(s, mode);
    for (int i = 0; i < me->n_slots; i++)
        for (int k = 0; me->slot[i].n_jobs > 1 && k < me->slot[i].n_gpus; k++) book_close(book, me->slot[i].gpus[k]);
    return book_find(book, &(Placer){.mode = mode}, job);
}

int gandiva_servers(const Cluster *cluster, const GpuId gpus[], int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool seen = false;
        for (int j = 0; j < i && !seen; j++)
            seen = cluster_server_of(cluster, gpus[j]) == cluster_server_of(cluster, gpus[i]);
        count += !seen;
    }
    return count;
}

bool gandiva_has_memory(const Sched *s, const Job *job, const GpuId gpus[], int n)
{
    if (!sched_has_inside(s)) return true;
    const Cluster *c = sched_cluster(s);
    const Task *task = sched_tasks(s, job);
    GpuId server = job->graph->has_server ? place_server(c, gpus, n) : -1;
    for (int i = 0; i < n; i++) {
        ServerId id = cluster_server_of(c, gpus[i]);
        if (i && id == cluster_server_of(c, gpus[i - 1])) continue; /* GPUs of a server stand together */
        const ServerClass *class_of = cluster_spec_class(c->spec, id);
        if (class_of->gpu_memory_mib && task->need.gpu_memory_mib > class_of->gpu_memory_mib) return false;
        int64_t wants = 0;
        for (int j = 0; j < n; j++)
            if (cluster_server_of(c, gpus[j]) == id) wants += task->need.memory_mib;
        if (server >= 0 && cluster_server_of(c, server) == id) wants += task[job->n_gpus].need.memory_mib;
        if (class_of->memory_mib && sched_server_load(s, id)->memory_mib + wants > class_of->memory_mib) return false;
    }
    return true;
}

/* Books of a server follow its GPUs one by one: of an empty one its first job decides the affinity. */
void gandiva_book(Gandiva *me, Sched *s, const GpuId gpus[], int n, int width, int by)
{
    for (int i = 0; i < n; i++) {
        ServerId id = cluster_server_of(sched_cluster(s), gpus[i]);
        me->asked[id] += by;
        me->jobs_on[gpus[i]] += by;
        if (by > 0 && !me->affinity[id]) me->affinity[id] = width;
        if (!me->asked[id]) me->affinity[id] = 0;
    }
}

const GpuId *gandiva_with_server(Sched *s, const Job *job, const GpuId gpus[])
{
    if (job->n_tasks == job->n_gpus) return gpus;
    GpuId *all = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);
    for (int i = 0; i < job->n_gpus; i++) all[i] = gpus[i];
    all[job->n_gpus] = place_server(sched_cluster(s), gpus, job->n_gpus);
    return all;
}
