/* sim/model/speed.c -- the critical path of one epoch, and what it sends through which NIC. */
#include "sim/model/speed.h"

#include <math.h>

#include "sim/base/err.h"
#include "sim/base/number.h"

/* One evaluation: the gang, where it is, and the uses found so far. */
typedef struct {
    const Gang *gang;
    const Network *network;
    Spots spots;
    Friction friction;
    Epoch *epoch;
    const Epoch *kept; /* of an earlier one: its edges still hold; NULL: to be found */
} Path;

static double share_of(const Path *p, ServerId server, Nic nic)
{
    return p->friction.nic_share ? p->friction.nic_share[server][nic] : 1;
}

/* The link between two tasks as it is now. */
static Link link_between(const Path *p, int a, int b)
{
    ServerId x = p->spots.server[a], y = p->spots.server[b];
    if (x == y) {
        bool same_gpu = p->spots.gpu[a] == p->spots.gpu[b];
        return same_gpu ? (Link){HUGE_VAL, 0} : p->network->inside[x];
    }
    Nic nic = network_nic(p->network, x, y);
    Link one = p->network->nic[x][nic], other = p->network->nic[y][nic];
    return (Link){number_min(one.bytes_per_s * share_of(p, x, nic), other.bytes_per_s * share_of(p, y, nic)),
                  number_max(one.latency_s, other.latency_s)};
}

static void use_nic(const Path *p, ServerId server, Nic nic, double bytes)
{
    Epoch *e = p->epoch;
    int i = 0;
    while (i < e->n_uses && e->use[i].server != server) i++;
    if (i == e->n_uses) e->use[e->n_uses++] = (NicUse){.server = server};
    e->use[i].bytes[nic] += bytes * p->gang->rounds;
}

/* Bytes of one round that pass between two tasks, if they are on different servers. */
static void send(const Path *p, ServerId from, ServerId to, double bytes)
{
    if (from == to || !p->epoch->use) return;
    Nic nic = network_nic(p->network, from, to);
    use_nic(p, from, nic, bytes);
    use_nic(p, to, nic, bytes);
    p->epoch->far_bytes += bytes * p->gang->rounds;
}

/* Activations forward and gradients back between a stage and the next: seconds of the slowest edge in one round, with
 * its latency paid `messages` times. */
static double worst_edge(const Path *p, int first_task, int stage, int messages)
{
    const Gang *g = p->gang;
    double worst = 0, edge_bytes = 2.0 * (double)g->volumes.edge_bytes / g->graph.width;
    if (stage == g->graph.stages - 1) return 0;
    for (int i = 0; i < g->graph.width; i++)
        for (int j = 0; j < g->graph.width; j++) {
            int a = first_task + stage * g->graph.width + i, b = first_task + (stage + 1) * g->graph.width + j;
            Link link = link_between(p, a, b);
            worst = number_max(worst, link.latency_s * messages + edge_bytes / link.bytes_per_s);
            send(p, p->spots.server[a], p->spots.server[b], edge_bytes);
        }
    return worst;
}

static double edge_after(const Path *p, int replica, int stage)
{
    const TaskGraph *g = &p->gang->graph;
    int at = replica * g->stages + stage;
    if (p->kept) return p->kept->edge[at];
    double worst = worst_edge(p, replica * g->partitions, stage, p->gang->micro_batches);
    if (p->epoch->edge) p->epoch->edge[at] = worst;
    return worst;
}

/* Seconds of one replica and epoch without synchronisation. */
static double replica_seconds(const Path *p, int replica)
{
    const Gang *g = p->gang;
    int first_task = replica * g->graph.partitions;
    double sum = 0, longest = 0;
    for (int q = 0; q < g->graph.stages; q++) {
        double slow = 1;
        for (int i = 0; i < g->graph.width && p->friction.slow; i++)
            slow = number_max(slow, p->friction.slow[first_task + q * g->graph.width + i]);
        double stage = g->compute_s / g->graph.stages * slow + g->rounds * g->scale * edge_after(p, replica, q);
        sum += stage;
        longest = number_max(longest, stage);
    }
    /* A pipeline of m micro-batches: the first passes all stages, the others follow at the pace of the slowest. */
    int m = g->micro_batches;
    return m <= 1 ? sum : sum / m + (m - 1.0) / m * longest;
}

static bool replica_runs(const Path *p, int replica)
{
    int n = p->gang->graph.partitions;
    for (int k = 0; k < n; k++)
        if (p->spots.server[replica * n + k] < 0) return false;
    return true;
}

/* The first task of a replica's last stage. */
static int last_stage(const Path *p, int replica)
{
    return (replica + 1) * p->gang->graph.partitions - p->gang->graph.width;
}

/* Every replica sends its gradients to the server and gets the parameters back; the server's NIC carries all of them.
 */
static double ps_seconds(const Path *p)
{
    const Gang *g = p->gang;
    int ps = taskgraph_n_tasks(&g->graph) - 1, n_remote = 0;
    double worst = 0, latency = 0;
    Nic nic = NIC_RACK;
    for (int r = 0; r < g->graph.replicas; r++) {
        if (!replica_runs(p, r)) continue;
        bool remote = false;
        for (int k = last_stage(p, r), end = k + g->graph.width; k < end; k++) {
            Link link = link_between(p, k, ps);
            ServerId here = p->spots.server[k], there = p->spots.server[ps];
            worst = number_max(worst, 2 * (double)g->volumes.sync_bytes / link.bytes_per_s);
            latency = number_max(latency, link.latency_s);
            send(p, here, there, 2 * (double)g->volumes.sync_bytes / g->graph.width);
            if (here == there) continue;
            remote = true;
            if (network_nic(p->network, here, there) == NIC_FAR) nic = NIC_FAR;
        }
        n_remote += remote;
    }
    if (n_remote) {
        ServerId home = p->spots.server[ps];
        double speed = p->network->nic[home][nic].bytes_per_s * share_of(p, home, nic);
        worst = number_max(worst, 2 * n_remote * (double)g->volumes.sync_bytes / speed);
    }
    return worst + latency;
}

/* One hierarchical ring: members on one server reduce among themselves, then the servers in order of their ids. */
static double ring_of_part(const Path *p, int part)
{
    const Gang *g = p->gang;
    double bytes = (double)g->volumes.sync_bytes, inside = 0, slowest = HUGE_VAL, latency = 0;
    int members = p->epoch->running, n_servers = 0;
    ServerId first = -1, last = -1;

    for (ServerId s = -1;;) { /* the servers that hold members, in rising order */
        ServerId next = -1;
        int here = 0;
        for (int r = 0; r < g->graph.replicas; r++) {
            if (!replica_runs(p, r)) continue;
            ServerId at = p->spots.server[last_stage(p, r) + part];
            if (at > s && (next < 0 || at < next)) next = at, here = 0;
            here += at == next;
        }
        if (next < 0) break;
        if (here > 1) {
            Link link = p->network->inside[next];
            inside = number_max(inside,
                                2 * (here - 1) * link.latency_s + 2 * (here - 1.0) / here * bytes / link.bytes_per_s);
        }
        if (first < 0) first = next;
        if (last >= 0) {
            Nic nic = network_nic(p->network, last, next);
            slowest = number_min(slowest, number_min(p->network->nic[last][nic].bytes_per_s * share_of(p, last, nic),
                                                     p->network->nic[next][nic].bytes_per_s * share_of(p, next, nic)));
            latency = number_max(latency, p->network->nic[next][nic].latency_s);
            send(p, last, next, 2 * (members - 1.0) / members * bytes / g->graph.width);
        }
        last = s = next;
        n_servers++;
    }
    if (n_servers < 2) return inside;
    Nic nic = network_nic(p->network, last, first); /* and the way back to the first */
    slowest = number_min(slowest, number_min(p->network->nic[last][nic].bytes_per_s * share_of(p, last, nic),
                                             p->network->nic[first][nic].bytes_per_s * share_of(p, first, nic)));
    latency = number_max(latency, p->network->nic[last][nic].latency_s);
    send(p, last, first, 2 * (members - 1.0) / members * bytes / g->graph.width);
    return inside + 2 * (n_servers - 1) * latency + 2 * (n_servers - 1.0) / n_servers * bytes / slowest;
}

static double ring_seconds(const Path *p)
{
    double worst = 0;
    for (int k = 0; k < p->gang->graph.width; k++) worst = number_max(worst, ring_of_part(p, k));
    return worst;
}

static double sync_seconds(const Path *p, int n_running)
{
    if (p->kept) return p->kept->sync;
    double sync = 0;
    if (n_running > 1 && !p->gang->graph.has_server) sync = ring_seconds(p);
    if (p->gang->graph.has_server) sync = ps_seconds(p);
    return p->epoch->sync = sync;
}

static double epoch_seconds(const Path *p, int *n_running)
{
    const Gang *g = p->gang;
    *n_running = 0;
    if (g->graph.has_server && p->spots.server[taskgraph_n_tasks(&g->graph) - 1] < 0) return HUGE_VAL;

    double slowest = 0;
    for (int r = 0; r < g->graph.replicas; r++)
        if (replica_runs(p, r)) {
            slowest = number_max(slowest, replica_seconds(p, r));
            ++*n_running;
        }
    if (!*n_running) return HUGE_VAL;
    double sync = sync_seconds(p, *n_running);
    return (double)g->graph.replicas / *n_running * (slowest + g->rounds * g->scale * (1 - g->overlap) * sync);
}

void speed_epoch(const Gang *g, const Network *network, Spots spots, Friction friction, Epoch *epoch)
{
    Path p = {g, network, spots, friction, epoch, NULL};
    epoch->n_uses = epoch->running = 0;
    epoch->far_bytes = 0;
    epoch->seconds = epoch_seconds(&p, &epoch->running);
}

double speed_again(const Gang *g, Spots spots, const double slow[], const Epoch *epoch)
{
    Path p = {g, NULL, spots, {slow, NULL}, NULL, epoch};
    int running;
    return epoch_seconds(&p, &running);
}

/* ---- a copy of a task ---- */

/* Between the copy and the tasks of a stage of its replica. */
static void copy_to_stage(const Path *p, int k, ServerId server, int stage)
{
    const TaskGraph *g = &p->gang->graph;
    if (stage < 0 || stage >= g->stages) return;
    TaskRange range = taskgraph_stage(g, task_replica(g, k), stage);
    for (int l = range.first; l < range.first + range.n; l++)
        send(p, server, p->spots.server[l], 2.0 * (double)p->gang->volumes.edge_bytes / g->width);
}

/* Between the copy and its neighbours in the ring in which it stands in the task's place, unless a member beside it
 * speaks for both. */
static void copy_to_ring(const Path *p, int k, ServerId server)
{
    const TaskGraph *g = &p->gang->graph;
    ServerId lowest = -1, highest = -1, before = -1, after = -1; /* servers of the other members */
    int part = task_part(g, k);
    for (int r = 0; r < g->replicas; r++) {
        if (r == task_replica(g, k) || !replica_runs(p, r)) continue;
        ServerId at = p->spots.server[last_stage(p, r) + part];
        if (at == server) return;
        if (lowest < 0 || at < lowest) lowest = at;
        if (at > highest) highest = at;
        if (at < server && at > before) before = at;
        if (at > server && (after < 0 || at < after)) after = at;
    }
    if (highest < 0) return;
    double bytes = 2 * (p->epoch->running - 1.0) / p->epoch->running * (double)p->gang->volumes.sync_bytes / g->width;
    send(p, before >= 0 ? before : highest, server, bytes);
    send(p, server, after >= 0 ? after : lowest, bytes);
}

void speed_add_copy(const Gang *gang, const Network *network, Spots spots, int k, ServerId server, Epoch *epoch)
{
    Path p = {gang, network, spots, (Friction){0}, epoch, NULL};
    const TaskGraph *g = &gang->graph;
    int stage = task_stage(g, k);
    copy_to_stage(&p, k, server, stage - 1);
    copy_to_stage(&p, k, server, stage + 1);
    if (stage < g->stages - 1) return;
    if (g->has_server)
        send(&p, server, spots.server[taskgraph_n_tasks(g) - 1], 2 * (double)gang->volumes.sync_bytes / g->width);
    else if (epoch->running > 1)
        copy_to_ring(&p, k, server);
}

double nic_share(const Network *network, ServerId server, Nic nic, const double bytes_per_s[N_NICS])
{
    double load = network->one_nic[server] ? bytes_per_s[NIC_RACK] + bytes_per_s[NIC_FAR] : bytes_per_s[nic];
    double cap = network->nic[server][nic].bytes_per_s;
    return load > cap ? cap / load : 1;
}

void speed_calibrate(Gang *g, const Network *network, Spots ideal, double epoch_s, double most, Arena *scratch)
{
    Epoch epoch = {.use = NEW_ARRAY(scratch, NicUse, taskgraph_n_tasks(&g->graph))};
    double rounds = g->rounds;
    g->compute_s = 0;
    g->scale = g->rounds = 1;
    speed_epoch(g, network, ideal, (Friction){0}, &epoch);
    g->rounds = rounds;
    double round_s = epoch.seconds; /* X0 */
    MUST(isfinite(round_s));

    double share = epoch_s > 0 ? number_min(most, rounds * round_s / epoch_s) : 0; /* φ */
    g->compute_s = (1 - share) * epoch_s;
    g->scale = round_s > 0 ? share * epoch_s / (rounds * round_s) : 1;
}

double speed_alone(const Gang *g, const Network *network, Spots spots, Arena *scratch)
{
    Epoch epoch = {.use = NEW_ARRAY(scratch, NicUse, taskgraph_n_tasks(&g->graph))};
    speed_epoch(g, network, spots, (Friction){0}, &epoch);
    if (epoch.n_uses == 0 || epoch.seconds <= 0) return epoch.seconds;

    double(*shares)[N_NICS] = arena_alloc(scratch, (size_t)network->n_servers, sizeof *shares);
    bool contended = false;
    for (int i = 0; i < epoch.n_uses; i++) {
        const NicUse *use = &epoch.use[i];
        double rates[N_NICS]; /* in whole bytes a second, as a run counts them: so it is ideal there to the last bit */
        for (Nic nic = 0; nic < N_NICS; nic++) rates[nic] = (double)llrint(use->bytes[nic] / epoch.seconds);
        for (Nic nic = 0; nic < N_NICS; nic++) {
            shares[use->server][nic] = nic_share(network, use->server, nic, rates);
            contended |= shares[use->server][nic] < 1;
        }
    }
    if (contended) speed_epoch(g, network, spots, (Friction){.nic_share = (const double(*)[N_NICS])shares}, &epoch);
    return epoch.seconds;
}
