/* sim/model/cluster.h -- servers, GPUs and who holds them.
 *
 * ClusterSpec is what the user described: read-only, shared by all runs.  Cluster is one run's books over it: which job
 * holds each GPU, how many are free where.  Servers keep the order of the file.  With virtual clusters each VC owns a
 * run of consecutive servers, its Pool; without them one Pool holds them all.
 *
 * Books are exact: cluster_take and cluster_give MUST balance and nothing is ever clamped.
 */
#ifndef SIM_MODEL_CLUSTER_H
#define SIM_MODEL_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/model/workload.h"

typedef int32_t GpuId;    /* 0 .. n_gpus-1 over the whole cluster, server by server */
typedef int32_t ServerId; /* 0 .. n_servers-1 */

typedef struct ServerClass {
    const char *gpu_type; /* "V100", or NULL */
    int32_t n_gpus;
    int32_t gpu_memory_mib, memory_mib, cores; /* 0: not said */
    double network_bytes_per_s;                /* 0: not said */
} ServerClass;

typedef struct ServerSpec {
    int32_t class_index;
    int32_t rack; /* -1: not said */
} ServerSpec;

typedef struct VcSpec {
    const char *name;
    int32_t n_servers;
} VcSpec;

typedef struct ClusterSpec {
    const char *name; /* as the user gave it */
    const ServerClass *class_of;
    int n_classes;
    const ServerSpec *server;
    int n_servers;
    int n_gpus;
    const VcSpec *vc; /* in file order, each the next n_servers servers; NULL: a VC is only a label */
    int n_vcs;
} ClusterSpec;

static inline const ServerClass *cluster_spec_class(const ClusterSpec *spec, ServerId server)
{
    return &spec->class_of[spec->server[server].class_index];
}

/* 16 hexadecimal digits of everything above: equal clusters, equal hash. */
void cluster_spec_hash(const ClusterSpec *spec, char text[17]);

typedef struct Server {
    GpuId first_gpu;
    int32_t n_gpus, n_free;
    int32_t pool;
} Server;

typedef struct Pool {
    const char *vc; /* NULL: the whole cluster */
    ServerId first_server;
    int32_t n_servers;
    GpuId first_gpu;
    int32_t n_gpus, n_free;
    int32_t n_broken;    /* of those that are not free: on servers that are down */
    int32_t max_gpus;    /* of its largest server */
    bool equal_servers;  /* all of one size */
    uint64_t *with_free; /* [max_gpus + 1][n_words]: bit s of row f: server first_server + s has f free GPUs */
    int32_t *n_with;     /* [max_gpus + 1]: bits in each row */
    int32_t n_words;
} Pool;

typedef struct Cluster {
    const ClusterSpec *spec;
    Server *server; /* [spec->n_servers] */
    Pool *pool;     /* [n_pools] */
    int n_pools;
    ServerId *server_of; /* [n_gpus] */
    JobId *holder;       /* [n_gpus]: who holds it, or GPU_FREE or GPU_BROKEN */
    uint64_t *free_gpus; /* bit g: GPU g is free */
    int32_t n_free, n_broken;
} Cluster;

enum { GPU_FREE = -1, GPU_BROKEN = -2 }; /* as holders */

static inline int pool_working(const Pool *pool)
{
    return pool->n_gpus - pool->n_broken;
}
static inline int cluster_busy(const Cluster *c)
{
    return c->spec->n_gpus - c->n_free - c->n_broken;
}

Cluster cluster_make(Arena *arena, const ClusterSpec *spec);
void cluster_take(Cluster *cluster, GpuId gpu, JobId job); /* MUST be free */
void cluster_give(Cluster *cluster, GpuId gpu, JobId job); /* MUST be held by this job */

static inline ServerId cluster_server_of(const Cluster *cluster, GpuId gpu)
{
    return cluster->server_of[gpu];
}
int cluster_find_pool(const Cluster *cluster, const char *vc); /* -1: no such VC; 0 where VCs are only labels */

/* The smallest free count >= n that some server of the pool has, or -1. */
int pool_level_from(const Pool *pool, int n);

/* The lowest server of the pool with exactly `free` free GPUs, from `from` on, or -1. */
ServerId pool_server_with(const Pool *pool, int free, ServerId from);

/* The lowest free GPU >= from and < end, or -1. */
GpuId cluster_next_free(const Cluster *cluster, GpuId from, GpuId end);

#endif
