/* policies/mlf_place.c -- peers collected, tries kept or taken back. */
#include "policies/mlf_place.h"

#include <math.h>
#include <string.h>

#include "policies/mlf_search.h"
#include "sim/base/err.h"
#include "sim/base/number.h"

enum { TICK_S = 60 };

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
        .rack_blocks = NEW_ARRAY(a, RackBlocks, n_racks),
        .bandwidth = bandwidth,
        .move_bytes_per_s = params_number(sched_params(s), "cost", "bw"),
        .tick = sched_tick(s) ? sched_tick(s) : TICK_S * TIME_SECOND,
        .near = {.host = NEW_ARRAY(a, int, n_hosts),
                 .rack_bytes = NEW_ARRAY(a, double, n_racks),
                 .rack = NEW_ARRAY(a, int32_t, n_racks)},
    };
    hosts_open(&p->hosts, s, threshold, rial);
    p->near.bytes = NEW_ARRAY(a, double, p->hosts.n_blocks *HOST_BLOCK);
    p->near.block = NEW_ARRAY(a, bool, p->hosts.n_blocks);
    for (int i = n_hosts - 1; i >= 0; i--) {
        RackBlocks *blocks = &p->rack_blocks[network->rack[p->hosts.first_server + i]];
        blocks->first = i / HOST_BLOCK;
        if (!blocks->last) blocks->last = i / HOST_BLOCK; /* the first seen; 0 is what it would be anyway */
    }
    slots_open(&p->slots, &p->hosts, a);
    refusals_open(&p->gangs, a, strikes, true);
    refusals_open(&p->movers, a, strikes, false);
}

void place_round(Place *p)
{
    hosts_refresh(&p->hosts);
    refusals_forget(&p->gangs);
    refusals_forget(&p->movers);
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
        hosts_own(&p->hosts, p->task[k].server - p->hosts.first_server, +1);
        p->n_placed++;
    }
}

void place_end(Place *p)
{
    for (int k = 0; k < p->job->n_tasks && p->n_placed; k++)
        if (p->spot[k] >= 0) hosts_own(&p->hosts, hosts_of(&p->hosts, p->spot[k]), -1);
    hosts_unmark(&p->hosts);
    p->hosts.trial = -1;
    p->job = NULL;
}

/* ---- peers ---- */

static void mark_blocks(Place *p, int32_t rack, bool mark)
{
    RackBlocks blocks = p->rack_blocks[rack];
    memset(&p->near.block[blocks.first], mark, (size_t)(blocks.last - blocks.first + 1) * sizeof *p->near.block);
}

static void forget_peers(Place *p)
{
    Near *near = &p->near;
    for (int i = 0; i < near->n_hosts; i++) near->bytes[near->host[i]] = 0;
    for (int i = 0; i < near->n_racks; i++) {
        near->rack_bytes[near->rack[i]] = 0;
        mark_blocks(p, near->rack[i], false);
    }
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
    if (near->rack_bytes[rack] == 0) {
        near->rack[near->n_racks++] = rack;
        mark_blocks(p, rack, true);
    }
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
    forget_peers(p);
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
    return host->one_nic ? inside + across : number_max(inside, across);
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
        hosts_update_network(h, other);
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

void place_undo(Place *p)
{
    int k = p->tried[--p->n_tried];
    GpuId gpu = p->spot[k];
    p->spot[k] = -1; /* its own traffic is with the others */
    hosts_own(&p->hosts, hosts_of(&p->hosts, gpu), -1);
    p->n_placed--;
    place_look(p, k);
    change(p, k, gpu, LOAD | MEMORY, -1);
}

void place_rewind(Place *p)
{
    if (!p->n_tried) return;
    while (p->n_tried) {
        int k = p->tried[--p->n_tried];
        hosts_own(&p->hosts, hosts_of(&p->hosts, p->spot[k]), -1);
        p->spot[k] = -1;
        p->n_placed--;
    }
    hosts_rewind(&p->hosts);
}

void place_cancel(Place *p)
{
    place_rewind(p);
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
    hosts_own(&p->hosts, hosts_of(&p->hosts, gpu), -1);
    p->n_placed--;
    place_look(p, k);
    change(p, k, gpu, lifted ? MEMORY : LOAD | MEMORY, -1);
}

/* ---- tries ---- */

/* Task k was one too many after those tried before. */
static void note_gang(Place *p, int k)
{
    if (p->n_placed > p->n_tried || task_is_server(p->job->graph, k)) return;
    Milli least = p->task[k].demand, most = least;
    NoRoom r = {.n = 1, .need = p->task[k].need, .final = !p->net_refused};
    for (int i = 0; i < p->n_tried; i++) {
        const Task *t = &p->task[p->tried[i]];
        if (task_is_server(p->job->graph, t->index)) continue;
        r.n++;
        if (t->demand > most) most = t->demand;
        if (t->demand < least) least = t->demand;
    }
    if (r.final) {
        r.gpu = most;
        refusals_note(&p->gangs, r);
    }
    if (!r.final || most > least) {
        r.final = false;
        r.gpu = least;
        refusals_note(&p->gangs, r);
    }
}

static NoRoom mover_of(const Place *p, int k)
{
    const Task *t = &p->task[k];
    return (NoRoom){.n = 1, .gpu = t->demand, .need = t->need, .rate = p->near.placed * p->rate};
}

bool place_refuses_move(Place *p, int k)
{
    place_look(p, k);
    NoRoom asks = mover_of(p, k);
    return refusals_cover(&p->movers, &asks);
}

int place_list(Place *p, int k, PlaceOption option[], int most)
{
    place_look(p, k);
    hosts_settle(&p->hosts);
    Search search = {.weight = weight_of(p->job, &p->task[k]), .own = p->spot[k]};
    if (search.own >= 0) search.move_bytes = sched_move_bytes(p->sched, p->job, k);
    int n = search_hosts(p, &search, option, most);
    if (n || search.own >= 0 || !(p->n_placed || search.weight.server)) return n;
    search.waive = true;
    return search_hosts(p, &search, option, most);
}

/* Task k, looked at. */
static void settle_on(Place *p, int k, GpuId gpu)
{
    if (!p->n_tried) hosts_mark(&p->hosts);
    p->spot[k] = gpu;
    hosts_own(&p->hosts, hosts_of(&p->hosts, gpu), +1);
    p->n_placed++;
    change(p, k, gpu, LOAD | MEMORY, +1);
    p->tried[p->n_tried++] = k;
}

void place_put(Place *p, int k, GpuId gpu)
{
    MUST(p->spot[k] < 0);
    place_look(p, k);
    settle_on(p, k, gpu);
}

GpuId place_try(Place *p, int k)
{
    PlaceOption option;
    MUST(p->spot[k] < 0);
    if (!place_list(p, k, &option, 1)) {
        note_gang(p, k);
        return -1;
    }
    settle_on(p, k, option.gpu);
    return option.gpu;
}

bool place_try_all(Place *p, const int tasks[], int n)
{
    MUST(!p->n_tried);
    p->net_refused = false;
    for (int i = 0; i < n; i++) {
        if (place_try(p, tasks[i]) >= 0) continue;
        place_rewind(p);
        return false;
    }
    return true;
}

void place_shift(Place *p, int k, GpuId gpu)
{
    GpuId own = p->spot[k];
    place_look(p, k);
    hosts_own(&p->hosts, hosts_of(&p->hosts, own), -1);
    hosts_own(&p->hosts, hosts_of(&p->hosts, gpu), +1);
    change(p, k, own, MEMORY, -1);
    p->spot[k] = gpu;
    change(p, k, gpu, LOAD | MEMORY, +1);
}

GpuId place_move(Place *p, int k)
{
    PlaceOption option;
    if (!place_list(p, k, &option, 1)) {
        refusals_note(&p->movers, mover_of(p, k));
        return -1;
    }
    place_shift(p, k, option.gpu);
    return option.gpu;
}
