/* policies/mlf_hosts.c -- loads copied, tried on and taken back; minima and distances kept as they change. */
#include "policies/mlf_hosts.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"

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
    return fmax(0, host->one_nic ? rack + far : fmax(rack, far));
}

bool host_is_shared(const Hosts *h, int i)
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
        .distance = NEW_ARRAY(a, double, pool->n_servers),
        .distance_stale = true,
        .changed = NEW_ARRAY(a, int, pool->n_servers),
        .room = NEW_ARRAY(a, Milli, pool->n_servers),
        .spare_gpu = NEW_ARRAY(a, Milli, pool->n_servers),
        .spare_cores = NEW_ARRAY(a, double, pool->n_servers),
        .spare_nic = {NEW_ARRAY(a, double, pool->n_servers), NEW_ARRAY(a, double, pool->n_servers)},
        .trial = -1,
        .mine = NEW_ARRAY(a, int32_t, pool->n_servers),
    };
    for (int m = 0; m < N_USES; m++) {
        h->use[m] = NEW_ARRAY(a, double, pool->n_servers);
        h->ideal_stale[m] = true;
    }
    for (int i = 0; i < h->n; i++) {
        Host *host = &h->host[i];
        ServerId server = h->first_server + i;
        host->first_gpu = cluster->server[server].first_gpu;
        host->n_gpus = cluster->server[server].n_gpus;
        host->class_of = &cluster->spec->class_of[cluster->spec->server[server].class_index];
        for (Nic nic = 0; nic < N_NICS; nic++) host->nic_speed[nic] = network->nic[server][nic].bytes_per_s;
        host->one_nic = network->one_nic[server];
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

void hosts_add_load(Hosts *h, GpuId gpu, const Weight *w, int by)
{
    Host *host = &h->host[hosts_of(h, gpu)];
    host->cores += by * w->need.cores;
    host->tasks += by;
    host->known = false;
    if (w->server) return;
    host->gpu_load += by * w->gpu;
    hosts_gpu(h, gpu)->load += by * w->gpu;
    hosts_gpu(h, gpu)->tasks += by;
}

void hosts_add_memory(Hosts *h, GpuId gpu, const Weight *w, int by)
{
    Host *host = &h->host[hosts_of(h, gpu)];
    host->memory_mib += by * w->need.memory_mib;
    host->known = false;
    if (w->server) return;
    hosts_gpu(h, gpu)->memory_mib += by * w->need.gpu_memory_mib;
    hosts_gpu(h, gpu)->held += by;
}

void hosts_add_traffic(Hosts *h, int i, Nic nic, int64_t bytes_per_s)
{
    h->host[i].nic[nic] += bytes_per_s;
    h->host[i].known = false;
}

/* ---- what follows ---- */

static bool is_overloaded(const Hosts *h, int i)
{
    const Host *host = &h->host[i];
    bool over = h->use[USE_CPU][i] > h->threshold || h->use[USE_NETWORK][i] > h->threshold;
    for (int g = 0; g < host->n_gpus && !over; g++) over = host_gpu_overloaded(h, hosts_gpu(h, host->first_gpu + g));
    return over && host_is_shared(h, i);
}

double hosts_rial_weight(const Hosts *h, double use)
{
    return use > h->threshold ? 1 / (1 - fmin(use, 0.99)) : 1 - fmin(use, 0.99);
}

static double distance_of(const Hosts *h, int i)
{
    double sum = 0;
    if (h->host[i].closed) return HUGE_VAL;
    for (int m = 0; m < N_USES; m++) {
        double gap = h->use[m][i] - h->ideal[m];
        if (h->rial) gap *= hosts_rial_weight(h, h->use[m][i]);
        sum += gap * gap;
    }
    return sum;
}

void hosts_update(Hosts *h, int i)
{
    Host *host = &h->host[i];
    if (!host->changed) h->changed[h->n_changed++] = i;
    host->changed = true;
    const ServerClass *c = host->class_of;
    double now[N_USES] = {
        [USE_GPU] = (double)host->gpu_load / WHOLE_GPU / host->n_gpus,
        [USE_CPU] = c->cores ? (double)host->cores / c->cores : 0,
        [USE_MEMORY] = c->memory_mib ? (double)host->memory_mib / c->memory_mib : 0,
        [USE_NETWORK] = host_network_use(host, (int64_t[N_NICS]){0}),
    };
    bool was_over = host->overloaded, was_closed = host->closed;
    double was[N_USES];
    for (int m = 0; m < N_USES; m++) {
        was[m] = h->use[m][i];
        h->use[m][i] = now[m];
    }
    host->overloaded = is_overloaded(h, i);
    host->closed = host->overloaded || host->down;
    h->n_overloaded += host->overloaded - was_over;

    h->spare_gpu[i] = (Milli)(h->threshold * WHOLE_GPU * host->n_gpus) - host->gpu_load;
    h->spare_cores[i] = c->cores ? h->threshold * c->cores - host->cores : HUGE_VAL;
    for (Nic nic = 0; nic < N_NICS; nic++)
        h->spare_nic[nic][i] = h->threshold * host->nic_speed[nic] - (double)host->nic[nic];
    h->room[i] = 0;
    for (int g = 0; g < host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(h, host->first_gpu + g);
        Milli room = gpu->held ? most_load(h) - gpu->load : INT32_MAX;
        if (room > h->room[i]) h->room[i] = room;
    }
    for (int m = 0; m < N_USES; m++) {
        bool stood_for_it = !was_closed && was[m] == h->ideal[m];
        if (stood_for_it && (host->closed || now[m] > was[m])) h->ideal_stale[m] = true;
        if (host->closed || now[m] >= h->ideal[m] || h->ideal_stale[m]) continue;
        h->ideal[m] = now[m];
        h->distance_stale = true;
    }
    h->distance[i] = distance_of(h, i);
}

void hosts_settle(Hosts *h)
{
    for (int m = 0; m < N_USES; m++) {
        if (!h->ideal_stale[m]) continue;
        double least = HUGE_VAL;
        for (int i = 0; i < h->n; i++)
            if (!h->host[i].closed && h->use[m][i] < least) least = h->use[m][i];
        h->ideal_stale[m] = false;
        if (least == h->ideal[m]) continue;
        h->ideal[m] = least;
        h->distance_stale = true;
    }
    if (!h->distance_stale) return;
    h->distance_stale = false;
    for (int i = 0; i < h->n; i++) h->distance[i] = distance_of(h, i);
}
