/* policies/mlf_hosts.h -- the servers as a scheduler that thinks ahead sees them: loads, and the ideal virtual host.
 *
 * A copy of the engine's loads over the policy's servers, to which tasks are added and taken away for a try.  All of it
 * is whole numbers, so that what is added and taken away leaves no trace, and what is worked out from them follows.  A
 * server whose loads changed since the last round is read again (ServerLoad.version); all others cost a comparison.
 *
 * The ideal virtual host (MLFS, CoNEXT'20, 3.3.2; RIAL, Shen, 2017) has of each resource the least utilisation found on
 * any server that is not overloaded.  A server is overloaded if it uses more than h_r of its CPU or network, or if one
 * of its GPUs has two tasks or more that ask for more than h_r of it, unless all its tasks belong to one job; memory is
 * capacity, not load.
 *
 * Hosts are searched by the thousand times a round, so what a search asks of them first stands in arrays of its own,
 * and of each block of a few hosts there is what none of them beats: most blocks are passed over at a glance.  A try
 * that fails is taken back by putting the hosts it touched back as they were (hosts_mark, hosts_rewind).
 */
#ifndef POLICIES_MLF_HOSTS_H
#define POLICIES_MLF_HOSTS_H

#include "sim/engine/sched.h"

typedef enum { USE_GPU, USE_CPU, USE_MEMORY, USE_NETWORK, N_USES } Use;

typedef struct HostGpu {
    Milli load;
    int32_t tasks;            /* whose load this is */
    int32_t held, memory_mib; /* tasks that hold memory on it, and what they hold: of a task that is to move, still */
} HostGpu;

typedef struct Host {
    Milli gpu_load;
    int32_t cores, memory_mib, tasks;
    int64_t nic[N_NICS];
    GpuId first_gpu;
    int32_t n_gpus;
    const ServerClass *class_of;
    double nic_speed[N_NICS];
    bool one_nic;
    bool gpu_over; /* one of its GPUs is overloaded */
    bool overloaded;
    bool down;        /* broken: its GPUs are nobody's */
    bool closed;      /* overloaded or down: no host, and not asked for the ideal */
    uint32_t version; /* of the engine's loads this was read from ... */
    bool known;       /* ... and nothing was added since */
    bool changed;     /* in the list of those that have */
    uint32_t marked;  /* of hosts_mark: it is saved as it was then */
} Host;

enum { HOST_BLOCK = 8 };

typedef struct HostBlock {   /* so many hosts in a row: see hosts_block */
    double least;            /* distance of any of them */
    double most_nic[N_NICS]; /* limit_nic of any */
    Milli most_gpu;          /* limit_gpu of any */
    int32_t most_cores;      /* limit_cores of any */
    bool idle;               /* one of them has no task at all */
    bool stale;              /* a host has changed */
    uint32_t measured;       /* for the ideal of that serial */
    int32_t mine;            /* tasks of the trial on them */
    int32_t rack;            /* in which all of them are; -1: in several */
} HostBlock;

typedef struct Hosts {
    Sched *sched;
    const Cluster *cluster;
    ServerId first_server;
    GpuId first_gpu;
    int n; /* servers of the pool; a host is its index here */
    double threshold;
    bool rial; /* weigh each resource by how much of it is in use */
    Host *host;
    HostGpu *gpu;
    int n_overloaded;
    int *changed, n_changed; /* [n]: those that have since slots_refresh emptied the list */
    HostBlock *block;        /* [n_blocks]; the arrays from here on have room for whole blocks */
    int n_blocks;
    double *use[N_USES];       /* [n] */
    double *shut;              /* [n]: INFINITY: closed, else 0 */
    double *distance;          /* [n]: squared, to the ideal on these four; INFINITY: closed; of blocks asked for */
    Milli *limit_gpu;          /* [n]: a task that asks for more finds no GPU there; INT32_MAX: one is empty, ... */
    int32_t *limit_cores;      /* [n]: ... which waives this too */
    int32_t *spare_memory;     /* [n]: MiB; INT32_MAX where the cluster does not say */
    Milli *spare_gpu;          /* [n]: demand that all its GPUs together have room for, up to h_r */
    int32_t *gpu_memory;       /* [n]: MiB that the GPU with most left has; INT32_MAX where the cluster does not say */
    double *spare_cores;       /* [n]: likewise; INFINITY where the cluster does not say */
    double *spare_nic[N_NICS]; /* [n]: bytes per second, of each NIC by itself */
    double *limit_nic[N_NICS]; /* [n]: a task that sends more by it finds no GPU there; INFINITY: one is empty */
    double ideal[N_USES];
    bool ideal_stale[N_USES];
    uint32_t ideal_serial; /* another whenever one of them is another */
    JobId trial;           /* whose tasks are being tried; -1: nobody's */
    int32_t *mine;         /* [n]: tasks of it that are placed or tried there */
    struct HostsMark {
        uint32_t serial;
        int n_changed;
        int *host, n; /* [n]: touched since */
        Host *saved;
        HostGpu *gpu; /* by id, as `gpu` */
        bool on;
    } mark;
} Hosts;

void hosts_open(Hosts *hosts, Sched *s, double threshold, bool rial);
void hosts_refresh(Hosts *hosts); /* from the engine; nothing may be on trial */

static inline HostGpu *hosts_gpu(const Hosts *hosts, GpuId gpu)
{
    return &hosts->gpu[gpu - hosts->first_gpu];
}
static inline int hosts_of(const Hosts *hosts, GpuId gpu)
{
    return cluster_server_of(hosts->cluster, gpu) - hosts->first_server;
}

/* What a task weighs; `gpu` of a parameter server is 0. */
typedef struct Weight {
    Milli gpu;
    TaskNeed need;
    bool server; /* a parameter server: of its GPU only the server matters */
} Weight;

static inline Weight weight_of(const Job *job, const Task *task)
{
    return (Weight){task->demand, task->need, task_is_server(job->graph, task->index)};
}

/* Adds (by = 1) or takes away (-1) a task's load, or the memory it holds. */
void hosts_add_load(Hosts *hosts, GpuId gpu, const Weight *weight, int by);
void hosts_add_memory(Hosts *hosts, GpuId gpu, const Weight *weight, int by);
void hosts_add_traffic(Hosts *hosts, int host, Nic nic, int64_t bytes_per_s);

/* After any of those: what follows from them for a host; from traffic alone. */
void hosts_update(Hosts *hosts, int host);
void hosts_update_network(Hosts *hosts, int host);

/* So many more tasks of the trial on a host. */
static inline void hosts_own(Hosts *hosts, int host, int by)
{
    hosts->mine[host] += by;
    hosts->block[host / HOST_BLOCK].mine += by;
}

/* Remembers all hosts as they are, and puts them back so; hosts_unmark forgets about it. */
void hosts_mark(Hosts *hosts);
void hosts_rewind(Hosts *hosts);
void hosts_unmark(Hosts *hosts);

/* Brings `ideal` up to date; then of a block what it limits, and in the second case its distances too. */
void hosts_settle(Hosts *hosts);
void hosts_sum_block(Hosts *hosts, int block);
void hosts_measure_block(Hosts *hosts, int block);

static inline const HostBlock *hosts_block(Hosts *hosts, int b)
{
    if (hosts->block[b].stale) hosts_sum_block(hosts, b);
    return &hosts->block[b];
}
static inline const HostBlock *hosts_measured_block(Hosts *hosts, int b)
{
    if (hosts_block(hosts, b)->measured != hosts->ideal_serial) hosts_measure_block(hosts, b);
    return &hosts->block[b];
}

double host_network_use(const Host *host, const int64_t more[N_NICS]); /* with that much more traffic */
bool host_gpu_overloaded(const Hosts *hosts, const HostGpu *gpu);
/* A weight of RIAL for a resource of which so much is in use: the less, the more it counts; beyond h_r the reverse. */
double hosts_rial_weight(const Hosts *hosts, double use);

/* O_c: the mean over the servers that are up of the length of their vector of utilisations. */
double hosts_overload_degree(const Hosts *hosts);

#endif
