/* policies/mlf_place.c -- peers collected, hosts compared, tries kept or taken back. */
#include "policies/mlf_place.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"

enum { WHOLE_GPU = 1000, TICK_S = 60 };

void place_open(Place *p, Sched *s, double threshold, bool bandwidth, bool rial, int strikes)
{
    Arena *a = sched_memory(s);
    const Network *network = sched_network(s);
    int n_hosts = sched_pool(s)->n_servers, n_racks = 0;
    for (ServerId i = 0; i < network->n_servers; i++)
        if (network->rack[i] >= n_racks) n_racks = network->rack[i] + 1;
    *p = (Place){
        .sched = s,
        .network = network,
        .bandwidth = bandwidth,
        .strikes = strikes,
        .gangs.refusal = NEW_ARRAY(a, Refusal, MOST_REFUSALS),
        .movers.refusal = NEW_ARRAY(a, Refusal, MOST_REFUSALS),
        .move_bytes_per_s = params_number(sched_params(s), "cost", "bw"),
        .tick = sched_tick(s) ? sched_tick(s) : TICK_S * TIME_SECOND,
        .near = {.bytes = NEW_ARRAY(a, double, n_hosts),
                 .host = NEW_ARRAY(a, int, n_hosts),
                 .rack_bytes = NEW_ARRAY(a, double, n_racks),
                 .rack = NEW_ARRAY(a, int32_t, n_racks)},
    };
    hosts_open(&p->hosts, s, threshold, rial);
    slots_open(&p->slots, &p->hosts, a);
}

void place_round(Place *p)
{
    hosts_refresh(&p->hosts);
    p->gangs.n = p->movers.n = 0;
}

void place_begin(Place *p, const Job *job)
{
    MUST(!p->job);
    if (job->n_tasks > p->room) {
        p->room = 2 * job->n_tasks;
        p->spot = NEW_ARRAY(sched_memory(p->sched), GpuId, p->room);
        p->tried = NEW_ARRAY(sched_memory(p->sched), int, p->room);
    }
    p->job = job;
    p->task = sched_tasks(p->sched, job);
    p->n_tried = p->n_placed = 0;
    p->hosts.trial = job->id;
    double epoch_s = time_seconds(job->estimate) / job->epochs;
    p->rate = epoch_s > 0 ? job->rounds / epoch_s : 0;
    for (int k = 0; k < job->n_tasks; k++) {
        p->spot[k] = p->task[k].gpu;
        if (p->spot[k] < 0) continue;
        p->hosts.mine[p->task[k].server - p->hosts.first_server]++;
        p->n_placed++;
    }
}

void place_end(Place *p)
{
    for (int k = 0; k < p->job->n_tasks; k++)
        if (p->spot[k] >= 0) p->hosts.mine[hosts_of(&p->hosts, p->spot[k])] = 0;
    p->hosts.trial = -1;
    p->job = NULL;
}

/* ---- peers ---- */

static void forget_peers(Near *near)
{
    for (int i = 0; i < near->n_hosts; i++) near->bytes[near->host[i]] = 0;
    for (int i = 0; i < near->n_racks; i++) near->rack_bytes[near->rack[i]] = 0;
    near->n_hosts = near->n_racks = 0;
    near->placed = 0;
}

static void add_peer(Place *p, int peer, double bytes)
{
    Near *near = &p->near;
    if (p->spot[peer] < 0 || bytes <= 0) return;
    int host = hosts_of(&p->hosts, p->spot[peer]);
    int32_t rack = p->network->rack[p->hosts.first_server + host];
    if (near->bytes[host] == 0) near->host[near->n_hosts++] = host;
    if (near->rack_bytes[rack] == 0) near->rack[near->n_racks++] = rack;
    near->bytes[host] += bytes;
    near->rack_bytes[rack] += bytes;
    near->placed += bytes;
}

static void add_peers(Place *p, int k, TaskRange range)
{
    if (!range.n) return;
    double bytes = taskgraph_volume(p->job->graph, p->job->volumes, k, range.first);
    for (int l = range.first; l < range.first + range.n; l++) add_peer(p, l, bytes);
}

void place_look(Place *p, int k)
{
    const TaskGraph *g = p->job->graph;
    const Volumes *v = p->job->volumes;
    forget_peers(&p->near);
    if (p->job->n_tasks == 1) {
        p->near.all = 0;
        return;
    }
    p->near.all = taskgraph_traffic(g, v, k);
    if (task_is_server(g, k)) {
        for (int r = 0; r < g->replicas; r++) add_peers(p, k, taskgraph_stage(g, r, g->stages - 1));
        return;
    }
    add_peers(p, k, taskgraph_parents(g, k));
    add_peers(p, k, taskgraph_children(g, k));
    if (task_stage(g, k) < g->stages - 1) return;
    if (g->has_server) {
        add_peers(p, k, (TaskRange){taskgraph_n_gpu_tasks(g), 1});
    } else if (g->replicas > 1) {
        int first = k % g->partitions;
        double bytes = taskgraph_volume(g, v, k, k == first ? first + g->partitions : first);
        for (int r = 0; r < g->replicas; r++)
            if (first + r * g->partitions != k) add_peer(p, first + r * g->partitions, bytes);
    }
}

double place_share(const Place *p, int host)
{
    return p->near.all > 0 ? p->near.bytes[host] / p->near.all : 0;
}

double place_use_of(const Place *p, int i)
{
    const Near *near = &p->near;
    const Host *host = &p->hosts.host[i];
    double rack = near->rack_bytes[p->network->rack[p->hosts.first_server + i]];
    double inside = (rack - near->bytes[i]) * p->rate / host->nic_speed[NIC_RACK];
    double across = (near->placed - rack) * p->rate / host->nic_speed[NIC_FAR];
    return host->one_nic ? inside + across : fmax(inside, across);
}

/* ---- on and off the books ---- */

/* The traffic between task k, looked at, on a host and its peers elsewhere. */
static void add_traffic(Place *p, int host, int by)
{
    Hosts *h = &p->hosts;
    for (int i = 0; i < p->near.n_hosts; i++) {
        int other = p->near.host[i];
        if (other == host) continue;
        Nic nic = network_nic(p->network, h->first_server + host, h->first_server + other);
        int64_t rate = by * llrint(p->near.bytes[other] * p->rate);
        hosts_add_traffic(h, host, nic, rate);
        hosts_add_traffic(h, other, nic, rate);
        hosts_update(h, other);
    }
}

/* What a change of task k, looked at, weighs on a GPU's host. */
typedef enum { LOAD = 1, MEMORY = 2 } What;

static void change(Place *p, int k, GpuId gpu, unsigned what, int by)
{
    Hosts *h = &p->hosts;
    Weight w = weight_of(p->job, &p->task[k]);
    int host = hosts_of(h, gpu);
    if (what & MEMORY) hosts_add_memory(h, gpu, &w, by);
    if (what & LOAD) {
        hosts_add_load(h, gpu, &w, by);
        add_traffic(p, host, by);
    }
    hosts_update(h, host);
}

static void settle_on(Place *p, int k, GpuId gpu)
{
    p->spot[k] = gpu;
    p->hosts.mine[hosts_of(&p->hosts, gpu)]++;
    p->n_placed++;
    change(p, k, gpu, LOAD | MEMORY, +1);
    p->tried[p->n_tried++] = k;
}

void place_undo(Place *p)
{
    int k = p->tried[--p->n_tried];
    GpuId gpu = p->spot[k];
    p->spot[k] = -1; /* its own traffic is with the others */
    p->hosts.mine[hosts_of(&p->hosts, gpu)]--;
    p->n_placed--;
    place_look(p, k);
    change(p, k, gpu, LOAD | MEMORY, -1);
}

void place_cancel(Place *p)
{
    while (p->n_tried) place_undo(p);
    place_end(p);
}

void place_lift(Place *p, int k)
{
    place_look(p, k);
    change(p, k, p->spot[k], LOAD, -1);
}

void place_drop(Place *p, int k)
{
    place_look(p, k);
    change(p, k, p->spot[k], LOAD, +1);
}

void place_remove(Place *p, int k, bool lifted)
{
    GpuId gpu = p->spot[k];
    p->spot[k] = -1;
    p->hosts.mine[hosts_of(&p->hosts, gpu)]--;
    p->n_placed--;
    place_look(p, k);
    change(p, k, gpu, lifted ? MEMORY : LOAD | MEMORY, -1);
}

/* ---- hosts ---- */

typedef struct Search {
    Weight weight;
    GpuId own;         /* where the task is, -1: nowhere */
    double move_bytes; /* that leaving there copies */
    bool waive;        /* only servers without other jobs, and no limit but memory */
} Search;

static bool is_within_limits(Place *p, const Search *search, int i)
{
    const Hosts *h = &p->hosts;
    const Near *near = &p->near;
    if (search->weight.gpu > h->spare_gpu[i] || search->weight.need.cores > h->spare_cores[i]) return false;
    if (near->placed <= 0) return true;
    double rack = near->rack_bytes[p->network->rack[h->first_server + i]];
    double inside = (rack - near->bytes[i]) * p->rate, across = (near->placed - rack) * p->rate;
    bool fits = inside <= h->spare_nic[NIC_RACK][i] && across <= h->spare_nic[NIC_FAR][i];
    if (fits && h->host[i].one_nic) /* it carries both */
        fits = host_network_use(&h->host[i], (int64_t[N_NICS]){llrint(inside), llrint(across)}) <= h->threshold;
    if (!fits) p->net_refused = true;
    return fits;
}

/* The least loaded GPU of a host with memory for it, or -1. */
static GpuId least_loaded(const Place *p, const Search *search, int i)
{
    const Host *host = &p->hosts.host[i];
    int32_t capacity = host->class_of->gpu_memory_mib;
    const HostGpu *least = NULL;
    GpuId best = -1;
    for (GpuId g = host->first_gpu; g < host->first_gpu + host->n_gpus; g++) {
        const HostGpu *gpu = hosts_gpu(&p->hosts, g);
        if (capacity && g != search->own && gpu->memory_mib + search->weight.need.gpu_memory_mib > capacity) continue;
        if (least && (gpu->load > least->load || (gpu->load == least->load && gpu->held >= least->held))) continue;
        least = gpu;
        best = g;
    }
    return best;
}

/* The GPU of a host that would take it, or -1. */
static GpuId takes(Place *p, const Search *search, int i)
{
    const Host *host = &p->hosts.host[i];
    const Weight *w = &search->weight;
    bool stays = search->own >= 0 && hosts_of(&p->hosts, search->own) == i;
    bool within = search->waive || is_within_limits(p, search, i);
    if (!within && !stays && (w->server || p->hosts.room[i] < INT32_MAX)) return -1; /* no GPU of it is empty */
    int32_t capacity = host->class_of->memory_mib;
    if (capacity && !stays && host->memory_mib + w->need.memory_mib > capacity) return -1;
    if (w->server) return !within ? -1 : stays ? search->own : host->first_gpu;
    GpuId gpu = least_loaded(p, search, i);
    if (gpu < 0 || search->waive) return gpu;
    const HostGpu *there = hosts_gpu(&p->hosts, gpu);
    if (there->held - (gpu == search->own) == 0) return gpu;
    return within && there->load + w->gpu <= p->hosts.threshold * WHOLE_GPU ? gpu : -1;
}

/* q: a tenth of the share of CPU it uses, for the part of a tick that the move lasts (Beloglazov and Buyya, 2012). */
static double degradation(const Place *p, const Search *search, int i)
{
    const Hosts *h = &p->hosts;
    const Host *host = &h->host[i];
    int from = hosts_of(h, search->own);
    if (i == from || !host->class_of->cores) return 0;
    Nic nic = network_nic(p->network, h->first_server + from, h->first_server + i);
    double speed = p->move_bytes_per_s > 0 ? p->move_bytes_per_s : host->nic_speed[nic];
    double free = fmax(0.01, 1 - h->use[USE_NETWORK][i]);
    double share = search->move_bytes / (speed * free) / time_seconds(p->tick);
    return fmin(1, 0.1 * search->weight.need.cores / host->class_of->cores * share);
}

/* Puts it among the nearest so far, behind those that are as near; returns how many there are. */
static int insert(PlaceOption option[], int n, int most, const PlaceOption *found)
{
    int at = n < most ? n++ : most - 1;
    for (; at > 0 && option[at - 1].distance > found->distance; at--) option[at] = option[at - 1];
    option[at] = *found;
    return n;
}

/* The hosts nearest to the ideal, lowest id on ties. */
static int nearest(Place *p, const Search *search, PlaceOption option[], int most)
{
    const Hosts *h = &p->hosts;
    const Near *near = &p->near;
    double largest = 0, scale = p->bandwidth && near->placed > 0 ? 1 / near->all : 0;
    for (int i = 0; i < near->n_hosts; i++)
        if (!h->host[near->host[i]].closed) largest = fmax(largest, near->bytes[near->host[i]] * scale);
    int own = search->own >= 0 ? hosts_of(h, search->own) : -1, n = 0;
    double best = HUGE_VAL; /* no further than this is of interest */
    for (int i = 0; i < h->n; i++) {
        double distance = place_distance(p, i, near->bytes[i] * scale, largest), q = 0;
        if (!(distance < best)) continue;
        if (search->waive ? h->host[i].tasks != h->mine[i] : search->weight.gpu > h->room[i] && i != own) continue;
        GpuId gpu = takes(p, search, i);
        if (gpu < 0) continue;
        if (own >= 0) {
            q = degradation(p, search, i);
            distance += q * q;
            if (!(distance < best)) continue;
        }
        n = insert(option, n, most, &(PlaceOption){gpu, i, distance, q});
        if (n == most) best = option[n - 1].distance;
    }
    return n;
}

/* The same for task k: within the limits, or, if there is none, where no other job has a task. */
static int find(Place *p, int k, PlaceOption option[], int most)
{
    place_look(p, k);
    hosts_settle(&p->hosts);
    Search search = {.weight = weight_of(p->job, &p->task[k]), .own = -1};
    int n = nearest(p, &search, option, most);
    if (n || (!p->n_placed && !search.weight.server)) return n;
    search.waive = true;
    return nearest(p, &search, option, most);
}

static int find_for_mover(Place *p, int k, PlaceOption option[], int most)
{
    place_look(p, k);
    hosts_settle(&p->hosts);
    Search search = {.weight = weight_of(p->job, &p->task[k]),
                     .own = p->spot[k],
                     .move_bytes = sched_move_bytes(p->sched, p->job, k)};
    return nearest(p, &search, option, most);
}

int place_list(Place *p, int k, PlaceOption option[], int most)
{
    return p->spot[k] < 0 ? find(p, k, option, most) : find_for_mover(p, k, option, most);
}

/* ---- tries ---- */

static bool is_refused(const Refusals *refusals, const Refusal *asks, int strikes)
{
    int n = 0;
    for (int i = 0; i < refusals->n; i++) {
        const Refusal *r = &refusals->refusal[i];
        if (asks->n < r->n || asks->gpu < r->gpu || asks->rate < r->rate || asks->need.cores < r->need.cores ||
            asks->need.memory_mib < r->need.memory_mib || asks->need.gpu_memory_mib < r->need.gpu_memory_mib)
            continue;
        if (r->final || ++n == strikes) return true;
    }
    return false;
}

static void note(Refusals *refusals, Refusal refusal)
{
    if (refusals->n < MOST_REFUSALS) refusals->refusal[refusals->n++] = refusal;
}

bool place_refuses_gang(const Place *p, int n, Milli gpu, const TaskNeed *need)
{
    return is_refused(&p->gangs, &(Refusal){.n = n, .gpu = gpu, .need = *need}, p->strikes);
}

/* Task k was one too many after those tried before. */
static void note_gang(Place *p, int k)
{
    if (p->n_placed > p->n_tried || task_is_server(p->job->graph, k)) return;
    Milli least = p->task[k].demand, most = least;
    Refusal r = {.n = 1, .need = p->task[k].need, .final = !p->net_refused};
    for (int i = 0; i < p->n_tried; i++) {
        const Task *t = &p->task[p->tried[i]];
        if (task_is_server(p->job->graph, t->index)) continue;
        r.n++;
        if (t->demand > most) most = t->demand;
        if (t->demand < least) least = t->demand;
    }
    if (r.final) {
        r.gpu = most;
        note(&p->gangs, r);
    }
    if (!r.final || most > least) {
        r.final = false;
        r.gpu = least;
        note(&p->gangs, r);
    }
}

static Refusal mover_of(const Place *p, int k)
{
    const Task *t = &p->task[k];
    return (Refusal){.n = 1, .gpu = t->demand, .need = t->need, .rate = p->near.placed * p->rate};
}

bool place_refuses_move(Place *p, int k)
{
    place_look(p, k);
    Refusal asks = mover_of(p, k);
    return is_refused(&p->movers, &asks, p->strikes);
}

GpuId place_try(Place *p, int k)
{
    PlaceOption option;
    MUST(p->spot[k] < 0);
    if (!find(p, k, &option, 1)) {
        note_gang(p, k);
        return -1;
    }
    settle_on(p, k, option.gpu);
    return option.gpu;
}

void place_put(Place *p, int k, GpuId gpu)
{
    MUST(p->spot[k] < 0);
    place_look(p, k);
    settle_on(p, k, gpu);
}

bool place_try_all(Place *p, const int tasks[], int n)
{
    int before = p->n_tried;
    p->net_refused = false;
    for (int i = 0; i < n; i++) {
        if (place_try(p, tasks[i]) >= 0) continue;
        while (p->n_tried > before) place_undo(p);
        return false;
    }
    return true;
}

void place_shift(Place *p, int k, GpuId gpu)
{
    GpuId own = p->spot[k];
    place_look(p, k);
    p->hosts.mine[hosts_of(&p->hosts, own)]--;
    p->hosts.mine[hosts_of(&p->hosts, gpu)]++;
    change(p, k, own, MEMORY, -1);
    p->spot[k] = gpu;
    change(p, k, gpu, LOAD | MEMORY, +1);
}

GpuId place_move(Place *p, int k)
{
    PlaceOption option;
    if (!find_for_mover(p, k, &option, 1)) {
        note(&p->movers, mover_of(p, k));
        return -1;
    }
    place_shift(p, k, option.gpu);
    return option.gpu;
}
