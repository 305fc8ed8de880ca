/* policies/mlf_hosts.c -- loads copied, tried on and taken back; minima and distances kept as they change. */
#include "policies/mlf_hosts.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/number.h"

enum { WHOLE_GPU = 1000 };

static Milli most_load(const Hosts *h)
{
    return (Milli)(h->threshold * WHOLE_GPU);
}

bool host_gpu_overloaded(const Hosts *h, const HostGpu *gpu)
{
    return gpu->tasks > 1 && gpu->load > most_load(h);
}

double host_network_use(const Host *host, const int64_t more[N_NICS])
{
    double rack = (double)(host->nic[NIC_RACK] + more[NIC_RACK]) / host->nic_speed[NIC_RACK];
    double far = (double)(host->nic[NIC_FAR] + more[NIC_FAR]) / host->nic_speed[NIC_FAR];
    return number_max(0, host->one_nic ? rack + far : number_max(rack, far));
}

/* Its tasks belong to several jobs. */
static bool is_shared(const Hosts *h, int i)
{
    const Host *host = &h->host[i];
    JobId only = h->trial >= 0 && h->mine[i] ? h->trial : -1;
    for (int g = 0; g <= host->n_gpus; g++) { /* the last list: parameter servers */
        const Task *t = g < host->n_gpus ? sched_gpu_load(h->sched, host->first_gpu + g)->task
                                         : sched_server_load(h->sched, h->first_server + i)->servers;
        for (; t; t = t->next_here) {
            if (only >= 0 && t->job != only) return true;
            only = t->job;
        }
    }
    return false;
}

static bool is_down(const Hosts *h, int i)
{
    return h->cluster->holder[h->host[i].first_gpu] == GPU_BROKEN;
}

static void load_host(Hosts *h, int i)
{
    Host *host = &h->host[i];
    const ServerLoad *load = sched_server_load(h->sched, h->first_server + i);
    host->gpu_load = load->gpu_load;
    host->cores = load->cores;
    host->memory_mib = load->memory_mib;
    host->tasks = load->n_tasks;
    memcpy(host->nic, load->nic, sizeof host->nic);
    for (int g = 0; g < host->n_gpus; g++) {
        const GpuLoad *gpu = sched_gpu_load(h->sched, host->first_gpu + g);
        *hosts_gpu(h, host->first_gpu + g) = (HostGpu){gpu->load, gpu->n_tasks, gpu->n_tasks, gpu->memory_mib};
    }
    host->down = is_down(h, i);
    host->version = load->version;
    hosts_update(h, i);
    host->known = true;
}

void hosts_open(Hosts *h, Sched *s, double threshold, bool rial)
{
    const Pool *pool = sched_pool(s);
    const Cluster *cluster = sched_cluster(s);
    const Network *network = sched_network(s);
    Arena *a = sched_memory(s);
    int n_blocks = (pool->n_servers + HOST_BLOCK - 1) / HOST_BLOCK, room = n_blocks * HOST_BLOCK;
    *h = (Hosts){
        .sched = s,
        .cluster = cluster,
        .first_server = pool->first_server,
        .first_gpu = pool->first_gpu,
        .n = pool->n_servers,
        .threshold = threshold,
        .rial = rial,
        .host = NEW_ARRAY(a, Host, pool->n_servers),
        .gpu = NEW_ARRAY(a, HostGpu, pool->n_gpus),
        .block = NEW_ARRAY(a, HostBlock, n_blocks),
        .n_blocks = n_blocks,
        .shut = NEW_ARRAY(a, double, room),
        .distance = NEW_ARRAY(a, double, room),
        .ideal_serial = 1,
        .changed = NEW_ARRAY(a, int, pool->n_servers),
        .limit_gpu = NEW_ARRAY(a, Milli, room),
        .gpu_memory = NEW_ARRAY(a, int32_t, room),
        .limit_cores = NEW_ARRAY(a, int32_t, room),
        .spare_memory = NEW_ARRAY(a, int32_t, room),
        .spare_gpu = NEW_ARRAY(a, Milli, room),
        .spare_cores = NEW_ARRAY(a, double, room),
        .limit_nic = {NEW_ARRAY(a, double, room), NEW_ARRAY(a, double, room)},
        .spare_nic = {NEW_ARRAY(a, double, room), NEW_ARRAY(a, double, room)},
        .trial = -1,
        .mine = NEW_ARRAY(a, int32_t, room),
        .mark = {.host = NEW_ARRAY(a, int, pool->n_servers),
                 .saved = NEW_ARRAY(a, Host, pool->n_servers),
                 .gpu = NEW_ARRAY(a, HostGpu, pool->n_gpus)},
    };
    for (int m = 0; m < N_USES; m++) {
        h->use[m] = NEW_ARRAY(a, double, room);
        h->ideal_stale[m] = true;
    }
    for (int i = h->n; i < room; i++) { /* no host */
        h->shut[i] = HUGE_VAL;
        h->limit_gpu[i] = h->limit_cores[i] = -1;
    }
    for (int i = 0; i < h->n; i++) {
        Host *host = &h->host[i];
        ServerId server = h->first_server + i;
        host->first_gpu = cluster->server[server].first_gpu;
        host->n_gpus = cluster->server[server].n_gpus;
        host->class_of = cluster_spec_class(cluster->spec, server);
        for (Nic nic = 0; nic < N_NICS; nic++) host->nic_speed[nic] = network->nic[server][nic].bytes_per_s;
        host->one_nic = network->one_nic[server];
        HostBlock *block = &h->block[i / HOST_BLOCK];
        int32_t rack = network->rack[server];
        block->rack = i % HOST_BLOCK == 0 || block->rack == rack ? rack : -1;
        load_host(h, i);
    }
}

void hosts_refresh(Hosts *h)
{
    for (int i = 0; i < h->n; i++)
        if (!h->host[i].known || h->host[i].down != is_down(h, i) ||
            h->host[i].version != sched_server_load(h->sched, h->first_server + i)->version)
            load_host(h, i);
}

/* ---- on and off the books ---- */

/* About to change: saved if that is asked for. */
static Host *touch(Hosts *h, int i)
{
    Host *host = &h->host[i];
    struct HostsMark *mark = &h->mark;
    if (mark->on && host->marked != mark->serial) {
        mark->saved[mark->n] = *host;
        mark->host[mark->n++] = i;
        host->marked = mark->serial;
        memcpy(&mark->gpu[host->first_gpu - h->first_gpu], hosts_gpu(h, host->first_gpu),
               (size_t)host->n_gpus * sizeof(HostGpu));
    }
    host->known = false;
    return host;
}

void hosts_add_load(Hosts *h, GpuId gpu, const Weight *w, int by)
{
    Host *host = touch(h, hosts_of(h, gpu));
    host->cores += by * w->need.cores;
    host->tasks += by;
    if (w->server) return;
    host->gpu_load += by * w->gpu;
    hosts_gpu(h, gpu)->load += by * w->gpu;
    hosts_gpu(h, gpu)->tasks += by;
}

void hosts_add_memory(Hosts *h, GpuId gpu, const Weight *w, int by)
{
    Host *host = touch(h, hosts_of(h, gpu));
    host->memory_mib += by * w->need.memory_mib;
    if (w->server) return;
    hosts_gpu(h, gpu)->memory_mib += by * w->need.gpu_memory_mib;
    hosts_gpu(h, gpu)->held += by;
}

void hosts_add_traffic(Hosts *h, int i, Nic nic, int64_t bytes_per_s)
{
    touch(h, i)->nic[nic] += bytes_per_s;
}

void hosts_mark(Hosts *h)
{
    h->mark.on = true;
    h->mark.serial++;
    h->mark.n_changed = h->n_changed;
    h->mark.n = 0;
}

void hosts_unmark(Hosts *h)
{
    h->mark.on = false;
}

void hosts_rewind(Hosts *h)
{
    struct HostsMark *mark = &h->mark;
    MUST(mark->on && h->n_changed >= mark->n_changed);
    mark->on = false;
    h->n_changed = mark->n_changed;
    for (int j = 0; j < mark->n; j++) {
        int i = mark->host[j];
        Host *host = &h->host[i];
        bool overloaded = host->overloaded, closed = host->closed; /* hosts_update wants to see what changes */
        *host = mark->saved[j];
        memcpy(hosts_gpu(h, host->first_gpu), &mark->gpu[host->first_gpu - h->first_gpu],
               (size_t)host->n_gpus * sizeof(HostGpu));
        host->overloaded = overloaded;
        host->closed = closed;
        host->changed = true; /* as it was, it need not be counted again ... */
        hosts_update(h, i);
        host->changed = mark->saved[j].changed;
        if (host->changed || host->closed == mark->saved[j].closed) continue;
        host->changed = true; /* ... unless whose its tasks are has changed */
        h->changed[h->n_changed++] = i;
    }
}

/* ---- what follows ---- */

static bool is_overloaded(const Hosts *h, int i)
{
    bool over = h->host[i].gpu_over || h->use[USE_CPU][i] > h->threshold || h->use[USE_NETWORK][i] > h->threshold;
    return over && is_shared(h, i);
}

double hosts_rial_weight(const Hosts *h, double use)
{
    return use > h->threshold ? 1 / (1 - number_min(use, 0.99)) : 1 - number_min(use, 0.99);
}

/* With its use of each resource weighed by how much of it is in use. */
static double rial_distance(const Hosts *h, int i)
{
    double sum = 0;
    for (int m = 0; m < N_USES; m++) {
        double gap = (h->use[m][i] - h->ideal[m]) * hosts_rial_weight(h, h->use[m][i]);
        sum += gap * gap;
    }
    return sum + h->shut[i];
}

/* Without branches, which compilers turn into vector instructions: the same sums in the same order. */
static void measure(const double *restrict a, const double *restrict b, const double *restrict c,
                    const double *restrict d, const double *restrict shut, const double ideal[N_USES],
                    double *restrict distance)
{
    for (int i = 0; i < HOST_BLOCK; i++) {
        double x = a[i] - ideal[0], y = b[i] - ideal[1], z = c[i] - ideal[2], u = d[i] - ideal[3];
        distance[i] = x * x + y * y + z * z + u * u + shut[i];
    }
}

void hosts_measure_block(Hosts *h, int b)
{
    HostBlock *block = &h->block[b];
    int at = b * HOST_BLOCK;
    measure(h->use[0] + at, h->use[1] + at, h->use[2] + at, h->use[3] + at, h->shut + at, h->ideal, h->distance + at);
    for (int i = at; i < at + HOST_BLOCK && h->rial; i++) h->distance[i] = rial_distance(h, i);
    block->least = h->distance[at];
    for (int i = at + 1; i < at + HOST_BLOCK; i++)
        if (h->distance[i] < block->least) block->least = h->distance[i];
    block->measured = h->ideal_serial;
}

void hosts_sum_block(Hosts *h, int b)
{
    HostBlock *block = &h->block[b];
    block->most_gpu = -1;
    block->most_cores = -1;
    block->most_nic[NIC_RACK] = block->most_nic[NIC_FAR] = -HUGE_VAL;
    block->idle = block->stale = false;
    block->measured = 0;
    for (int i = b * HOST_BLOCK; i < (b + 1) * HOST_BLOCK; i++) {
        if (h->limit_gpu[i] > block->most_gpu) block->most_gpu = h->limit_gpu[i];
        if (h->limit_cores[i] > block->most_cores) block->most_cores = h->limit_cores[i];
        for (Nic nic = 0; nic < N_NICS; nic++)
            if (h->limit_nic[nic][i] > block->most_nic[nic]) block->most_nic[nic] = h->limit_nic[nic][i];
        block->idle |= i < h->n && !h->host[i].tasks;
    }
}

/* What it has to spare, and the limits that follow from it: an empty GPU waives all but memory. */
static void update_limits(Hosts *h, int i)
{
    Host *host = &h->host[i];
    const ServerClass *c = host->class_of;
    Milli most = most_load(h), room = 0;
    int32_t taken = INT32_MAX;
    bool empty = false;
    host->gpu_over = false;
    for (int g = 0; g < host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(h, host->first_gpu + g);
        if (most - gpu->load > room) room = most - gpu->load;
        if (gpu->memory_mib < taken) taken = gpu->memory_mib;
        empty |= !gpu->held;
        host->gpu_over |= host_gpu_overloaded(h, gpu);
    }
    h->spare_gpu[i] = (Milli)(h->threshold * WHOLE_GPU * host->n_gpus) - host->gpu_load;
    h->spare_cores[i] = c->cores ? h->threshold * c->cores - host->cores : HUGE_VAL;
    h->spare_memory[i] = c->memory_mib ? c->memory_mib - host->memory_mib : INT32_MAX;
    h->gpu_memory[i] = c->gpu_memory_mib ? c->gpu_memory_mib - taken : INT32_MAX;
    h->limit_gpu[i] = empty ? INT32_MAX : room < h->spare_gpu[i] ? room : h->spare_gpu[i];
    h->limit_cores[i] = empty || !c->cores ? INT32_MAX : (int32_t)floor(h->spare_cores[i]);
}

static void update_network(Hosts *h, int i)
{
    const Host *host = &h->host[i];
    for (Nic nic = 0; nic < N_NICS; nic++) {
        h->spare_nic[nic][i] = h->threshold * host->nic_speed[nic] - (double)host->nic[nic];
        h->limit_nic[nic][i] = h->limit_gpu[i] == INT32_MAX ? HUGE_VAL : h->spare_nic[nic][i];
    }
}

/* A host's present uses; the ideal follows if it stood for it, or now does. */
static void set_uses(Hosts *h, int i, const double now[N_USES])
{
    Host *host = &h->host[i];
    bool was_over = host->overloaded, was_closed = host->closed;
    double was[N_USES];
    for (int m = 0; m < N_USES; m++) {
        was[m] = h->use[m][i];
        h->use[m][i] = now[m];
    }
    if (!host->changed) h->changed[h->n_changed++] = i;
    host->changed = true;
    host->overloaded = is_overloaded(h, i);
    host->closed = host->overloaded || host->down;
    h->shut[i] = host->closed ? HUGE_VAL : 0;
    h->n_overloaded += host->overloaded - was_over;
    h->block[i / HOST_BLOCK].stale = true;

    for (int m = 0; m < N_USES; m++) {
        bool stood_for_it = !was_closed && was[m] == h->ideal[m];
        if (stood_for_it && (host->closed || now[m] > was[m])) h->ideal_stale[m] = true;
        if (host->closed || now[m] >= h->ideal[m] || h->ideal_stale[m]) continue;
        h->ideal[m] = now[m];
        h->ideal_serial++;
    }
}

void hosts_update_network(Hosts *h, int i)
{
    const Host *host = &h->host[i];
    update_network(h, i);
    set_uses(h, i,
             (double[N_USES]){
                 [USE_GPU] = h->use[USE_GPU][i],
                 [USE_CPU] = h->use[USE_CPU][i],
                 [USE_MEMORY] = h->use[USE_MEMORY][i],
                 [USE_NETWORK] = host_network_use(host, (int64_t[N_NICS]){0}),
             });
}

void hosts_update(Hosts *h, int i)
{
    const Host *host = &h->host[i];
    const ServerClass *c = host->class_of;
    update_limits(h, i);
    update_network(h, i);
    set_uses(h, i,
             (double[N_USES]){
                 [USE_GPU] = (double)host->gpu_load / WHOLE_GPU / host->n_gpus,
                 [USE_CPU] = c->cores ? (double)host->cores / c->cores : 0,
                 [USE_MEMORY] = c->memory_mib ? (double)host->memory_mib / c->memory_mib : 0,
                 [USE_NETWORK] = host_network_use(host, (int64_t[N_NICS]){0}),
             });
}

/* The least use of a resource on any host that is not closed: as many minima side by side as a block has hosts. */
static double least_open(const Hosts *h, int m)
{
    double lane[HOST_BLOCK], least = HUGE_VAL;
    for (int j = 0; j < HOST_BLOCK; j++) lane[j] = HUGE_VAL;
    for (int b = 0; b < h->n_blocks; b++) {
        const double *use = h->use[m] + b * HOST_BLOCK, *shut = h->shut + b * HOST_BLOCK;
        for (int j = 0; j < HOST_BLOCK; j++) lane[j] = use[j] + shut[j] < lane[j] ? use[j] + shut[j] : lane[j];
    }
    for (int j = 0; j < HOST_BLOCK; j++) least = number_min(least, lane[j]);
    return least;
}

void hosts_settle(Hosts *h)
{
    for (int m = 0; m < N_USES; m++) {
        if (!h->ideal_stale[m]) continue;
        double least = least_open(h, m);
        h->ideal_stale[m] = false;
        if (least == h->ideal[m]) continue;
        h->ideal[m] = least;
        h->ideal_serial++;
    }
}

double hosts_overload_degree(const Hosts *h)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < h->n; i++) {
        double square = 0;
        n += !h->host[i].down;
        for (int m = 0; m < N_USES; m++) square += h->use[m][i] * h->use[m][i];
        sum += sqrt(square);
    }
    return n ? sum / n : 0;
}
