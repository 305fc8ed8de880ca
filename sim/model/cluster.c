/* sim/model/cluster.c -- taking and giving GPUs; the index by free count that makes best fit a few instructions. */
#include "sim/model/cluster.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/hash.h"

static void index_server(Pool *pool, ServerId server, int n_free, bool in)
{
    int s = server - pool->first_server;
    uint64_t *word = &pool->with_free[(size_t)n_free * (size_t)pool->n_words + (size_t)(s >> 6)];
    *word ^= (uint64_t)1 << (s & 63);
    MUST((*word >> (s & 63) & 1) == in);
    pool->n_with[n_free] += in ? 1 : -1;
}

static void fill_pool(Arena *arena, Cluster *cluster, int index, ServerId first, int n_servers)
{
    Pool *pool = &cluster->pool[index];
    *pool = (Pool){.first_server = first, .n_servers = n_servers, .n_words = n_servers / 64 + 1, .equal_servers = true};
    for (ServerId s = first; s < first + n_servers; s++) {
        Server *server = &cluster->server[s];
        server->pool = index;
        if (server->n_gpus > pool->max_gpus) pool->max_gpus = server->n_gpus;
        if (server->n_gpus != cluster->server[first].n_gpus) pool->equal_servers = false;
        pool->n_gpus += server->n_gpus;
    }
    pool->first_gpu = n_servers ? cluster->server[first].first_gpu : 0;
    pool->n_free = pool->n_gpus;
    pool->n_with = NEW_ARRAY(arena, int32_t, pool->max_gpus + 1);
    pool->with_free = NEW_ARRAY(arena, uint64_t, (size_t)(pool->max_gpus + 1) * (size_t)pool->n_words);
    for (ServerId s = first; s < first + n_servers; s++) index_server(pool, s, cluster->server[s].n_free, true);
}

Cluster cluster_make(Arena *arena, const ClusterSpec *spec)
{
    Cluster cluster = {.spec = spec, .n_free = spec->n_gpus};
    cluster.server = NEW_ARRAY(arena, Server, spec->n_servers);
    cluster.server_of = NEW_ARRAY(arena, ServerId, spec->n_gpus);
    cluster.holder = NEW_ARRAY(arena, JobId, spec->n_gpus);
    cluster.free_gpus = NEW_ARRAY(arena, uint64_t, spec->n_gpus / 64 + 1);

    GpuId gpu = 0;
    for (ServerId s = 0; s < spec->n_servers; s++) {
        int n = cluster_spec_class(spec, s)->n_gpus;
        cluster.server[s] = (Server){.first_gpu = gpu, .n_gpus = n, .n_free = n};
        for (int i = 0; i < n; i++, gpu++) {
            cluster.server_of[gpu] = s;
            cluster.holder[gpu] = -1;
            cluster.free_gpus[gpu >> 6] |= (uint64_t)1 << (gpu & 63);
        }
    }
    MUST(gpu == spec->n_gpus);

    cluster.n_pools = spec->n_vcs ? spec->n_vcs : 1;
    cluster.pool = NEW_ARRAY(arena, Pool, cluster.n_pools);
    if (spec->n_vcs == 0) fill_pool(arena, &cluster, 0, 0, spec->n_servers);
    ServerId first = 0;
    for (int v = 0; v < spec->n_vcs; v++) {
        fill_pool(arena, &cluster, v, first, spec->vc[v].n_servers);
        cluster.pool[v].vc = spec->vc[v].name;
        first += spec->vc[v].n_servers;
    }
    for (ServerId s = first; spec->n_vcs && s < spec->n_servers; s++) cluster.server[s].pool = -1; /* nobody's */
    return cluster;
}

static void change(Cluster *cluster, GpuId gpu, int by)
{
    ServerId s = cluster_server_of(cluster, gpu);
    Server *server = &cluster->server[s];
    Pool *pool = &cluster->pool[server->pool];
    index_server(pool, s, server->n_free, false);
    server->n_free += by;
    index_server(pool, s, server->n_free, true);
    pool->n_free += by;
    cluster->n_free += by;
    cluster->free_gpus[gpu >> 6] ^= (uint64_t)1 << (gpu & 63);
}

void cluster_take(Cluster *cluster, GpuId gpu, JobId job)
{
    MUST(cluster->holder[gpu] == -1);
    cluster->holder[gpu] = job;
    change(cluster, gpu, -1);
}

void cluster_give(Cluster *cluster, GpuId gpu, JobId job)
{
    MUST(cluster->holder[gpu] == job);
    cluster->holder[gpu] = -1;
    change(cluster, gpu, +1);
}

int cluster_find_pool(const Cluster *cluster, const char *vc)
{
    if (!cluster->spec->n_vcs) return 0;
    for (int i = 0; vc && i < cluster->n_pools; i++)
        if (strcmp(cluster->pool[i].vc, vc) == 0) return i;
    return -1;
}

int pool_level_from(const Pool *pool, int n)
{
    for (int f = n; f <= pool->max_gpus; f++)
        if (pool->n_with[f]) return f;
    return -1;
}

ServerId pool_server_with(const Pool *pool, int free, ServerId from)
{
    if (!pool->n_with[free]) return -1;
    const uint64_t *row = &pool->with_free[(size_t)free * (size_t)pool->n_words];
    int s = from - pool->first_server;
    for (int w = s >> 6; w < pool->n_words; w++) {
        uint64_t rest = row[w];
        if (w == s >> 6) rest &= ~(uint64_t)0 << (s & 63);
        if (rest) return pool->first_server + w * 64 + __builtin_ctzll(rest);
    }
    return -1;
}

GpuId cluster_next_free(const Cluster *cluster, GpuId from, GpuId end)
{
    for (int w = from >> 6; from < end && w <= (end - 1) >> 6; w++) {
        uint64_t rest = cluster->free_gpus[w];
        if (w == from >> 6) rest &= ~(uint64_t)0 << (from & 63);
        if (rest) {
            GpuId gpu = w * 64 + __builtin_ctzll(rest);
            return gpu < end ? gpu : -1;
        }
    }
    return -1;
}

void cluster_spec_hash(const ClusterSpec *spec, char text[17])
{
    uint64_t h = HASH_START;
    for (int s = 0; s < spec->n_servers; s++) {
        const ServerClass *c = cluster_spec_class(spec, s);
        int32_t facts[] = {c->n_gpus, c->gpu_memory_mib, c->memory_mib, c->cores, spec->server[s].rack};
        h = hash_bytes(hash_bytes(h, facts, sizeof facts), &c->network_bytes_per_s, sizeof c->network_bytes_per_s);
        h = hash_text(h, c->gpu_type);
    }
    for (int v = 0; v < spec->n_vcs; v++)
        h = hash_bytes(hash_text(h, spec->vc[v].name), &spec->vc[v].n_servers, sizeof(int32_t));
    snprintf(text, 17, "%016llx", (unsigned long long)h);
}
