/* policies/gandiva_move.c -- migrations: off a slot with turns, closer together, and out of the way of who comes
 * closer.
 *
 * A move must pay.  What an epoch takes here and there is worked out from the job's traffic and the links, as a profile
 * of its mini-batches would tell; what is gained is counted over as long again as the job has run, for nobody says how
 * long it will; and that must be more than the stall of all who move.
 */
#include <math.h>

#include "policies/gandiva.h"
#include "policies/place.h"

/* ---- what a move costs and brings ---- */

static const Gang *profile(Gandiva *me, Sched *s, const Job *job)
{
    GandivaJob *own = &me->job[job->id];
    if (own->profiled) return &own->gang;
    ServerId *server = NEW_ARRAY(sched_scratch(s), ServerId, job->n_tasks);
    GpuId *gpu = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);
    own->gang = (Gang){.graph = *job->graph,
                       .volumes = *job->volumes,
                       .micro_batches = 1,
                       .rounds = job->rounds,
                       .overlap = me->overlap[job->graph->has_server ? TOPOLOGY_SERVER : TOPOLOGY_RING]};
    ideal_placement(&me->ideal, &own->gang, server, gpu);
    Spots ideal = {server, gpu};
    speed_calibrate(&own->gang, sched_network(s), ideal, time_seconds(job->estimate) / job->epochs,
                    me->communication_max, sched_scratch(s));
    if (me->pipeline) own->gang.micro_batches = 4 * job->graph->stages;
    own->ideal_s = speed_alone(&own->gang, sched_network(s), ideal, sched_scratch(s));
    own->profiled = true;
    return &own->gang;
}

/* Seconds of an epoch with the tasks there, [n_tasks], and nobody else around. */
static double epoch_s(Gandiva *me, Sched *s, const Job *job, const GpuId gpus[])
{
    ServerId *server = NEW_ARRAY(sched_scratch(s), ServerId, job->n_tasks);
    for (int k = 0; k < job->n_tasks; k++) server[k] = cluster_server_of(sched_cluster(s), gpus[k]);
    return speed_alone(profile(me, s, job), sched_network(s), (Spots){server, gpus}, sched_scratch(s));
}

/* Its GPU tasks stay where a GPU is among the new ones, so that as few as can be move. */
static GpuId *keep_places(Sched *s, const Job *job, const GpuId gpus[])
{
    const Task *task = sched_tasks(s, job);
    GpuId *to = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);
    bool *used = NEW_ARRAY(sched_scratch(s), bool, job->n_gpus);
    for (int k = 0; k < job->n_gpus; k++) to[k] = -1;
    for (int k = 0; k < job->n_gpus; k++)
        for (int i = 0; i < job->n_gpus; i++)
            if (gpus[i] == task[k].gpu) to[k] = gpus[i], used[i] = true;
    for (int k = 0, i = 0; k < job->n_gpus; k++) {
        if (to[k] >= 0) continue;
        while (used[i]) i++;
        to[k] = gpus[i++];
    }
    if (job->n_tasks == job->n_gpus) return to;
    int last = job->n_gpus;
    to[last] = place_server(sched_cluster(s), to, job->n_gpus);
    if (cluster_server_of(sched_cluster(s), to[last]) == task[last].server) to[last] = task[last].gpu;
    return to;
}

/* Seconds that the job stalls: its tasks move at once, the largest over the slowest link. */
static double stall_s(const Gandiva *me, Sched *s, const Job *job, const GpuId to[])
{
    const Task *task = sched_tasks(s, job);
    const Network *net = sched_network(s);
    double longest = 0;
    for (int k = 0; k < job->n_tasks; k++) {
        if (to[k] == task[k].gpu) continue;
        ServerId a = task[k].server, b = cluster_server_of(sched_cluster(s), to[k]);
        Nic nic = network_nic(net, a, b);
        double speed = me->move_bytes_per_s;
        if (speed <= 0 && a == b) speed = net->inside[a].bytes_per_s;
        if (speed <= 0) speed = fmin(net->nic[a][nic].bytes_per_s, net->nic[b][nic].bytes_per_s);
        longest = fmax(longest, me->move_base_s + sched_move_bytes(s, job, k) / speed);
    }
    return longest;
}

static bool may_move(const Gandiva *me, const Sched *s, const Job *job)
{
    SimTime moved = me->job[job->id].moved;
    return moved == TIME_NEVER || sched_now(s) - moved >= me->cooldown;
}

/* Of the GPUs that the job would take it holds some already, and their memory. */
static bool has_room(const Sched *s, const Job *job, const GpuId to[])
{
    const Cluster *c = sched_cluster(s);
    const Task *task = sched_tasks(s, job);
    for (int k = 0; k < job->n_tasks; k++) {
        ServerId id = cluster_server_of(c, to[k]);
        const ServerClass *class_of = cluster_spec_class(c->spec, id);
        int64_t wants = sched_server_load(s, id)->memory_mib;
        for (int l = 0; l < job->n_tasks; l++) {
            if (cluster_server_of(c, to[l]) == id) wants += task[l].need.memory_mib;
            if (task[l].server == id) wants -= task[l].need.memory_mib;
        }
        if (class_of->memory_mib && wants > class_of->memory_mib) return false;
        if (class_of->gpu_memory_mib && task[k].need.gpu_memory_mib > class_of->gpu_memory_mib) return false;
    }
    return true;
}

static double here_s(Gandiva *me, Sched *s, const Job *job)
{
    const Task *task = sched_tasks(s, job);
    GandivaJob *own = &me->job[job->id];
    if (own->profiled && own->here_s > 0) return own->here_s;
    GpuId *here = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);
    for (int k = 0; k < job->n_tasks; k++) here[k] = task[k].gpu;
    return own->here_s = epoch_s(me, s, job, here);
}

/* What it gains, in seconds, over as long as it has run, if an epoch takes so long there; now `turns` take turns. */
static double gained_s(Gandiva *me, Sched *s, const Job *job, double there, int turns)
{
    double here = here_s(me, s, job) * turns;
    if (!(here >= there * (1 + me->gain))) return 0;
    return time_seconds(job_attained(job, sched_now(s))) * (here - there) / there;
}

/* The job leaves its slot for one of its own, or takes its own slot along. */
static void move(Gandiva *me, Sched *s, const Job *job, const GpuId to[])
{
    const Task *task = sched_tasks(s, job);
    gandiva_leave(me, s, job);
    for (int k = 0; k < job->n_tasks; k++)
        if (to[k] != task[k].gpu) sched_migrate(s, job->id, k, to[k]);
    me->job[job->id].moved = sched_now(s);
    me->job[job->id].here_s = 0;
    gandiva_open(me, s, job, to, job->n_gpus);
    if (job->state == JOB_PAUSED) sched_resume(s, job->id);
}

/* ---- a slot of its own ---- */

/* Of those who take turns the one that came last moves to free GPUs. */
static void unstack(Gandiva *me, Sched *s)
{
    for (int i = 0; i < me->n_slots && sched_pool(s)->n_free; i++) {
        Slot *slot = &me->slot[i];
        if (slot->n_jobs < 2 || slot_packed(slot) || slot->n_gpus > sched_pool(s)->n_free) continue;
        const Job *job = sched_job(s, slot->job[slot->n_jobs - 1]);
        if (!may_move(me, s, job)) continue;
        GpuId *free_gpus = NEW_ARRAY(sched_scratch(s), GpuId, slot->n_gpus);
        if (!gandiva_find(me, s, slot->n_gpus, free_gpus)) continue;
        const GpuId *to = keep_places(s, job, free_gpus);
        if (!has_room(s, job, to) ||
            gained_s(me, s, job, epoch_s(me, s, job, to), slot->n_jobs) <= stall_s(me, s, job, to))
            continue;
        move(me, s, job, to);
    }
}

/* ---- closer together ---- */

/* The server that holds the job with the GPUs it has there and free ones: on which it has most, then with fewest free.
 */
static ServerId gathering(const Sched *s, const Job *job)
{
    const Cluster *c = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    const Task *task = sched_tasks(s, job);
    ServerId best = -1;
    int most = -1;
    for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) {
        const Server *server = &c->server[id];
        if (server->n_gpus < job->n_gpus || !server->n_free) continue;
        int own = 0;
        for (int k = 0; k < job->n_gpus; k++) own += task[k].server == id;
        if (own + server->n_free < job->n_gpus) continue;
        if (own < most || (own == most && server->n_free >= c->server[best].n_free)) continue;
        best = id;
        most = own;
    }
    return best;
}

/* The job's own GPUs on a server and the lowest free ones. */
static const GpuId *gathered(const Sched *s, const Job *job, ServerId id, GpuId gpus[])
{
    const Cluster *c = sched_cluster(s);
    const Server *server = &c->server[id];
    const Task *task = sched_tasks(s, job);
    int n = 0;
    for (int k = 0; k < job->n_gpus; k++)
        if (task[k].server == id) gpus[n++] = task[k].gpu;
    for (GpuId g = server->first_gpu, end = g + server->n_gpus; n < job->n_gpus; g++) {
        g = cluster_next_free(c, g, end);
        gpus[n++] = g;
    }
    return gpus;
}

/* ---- room for who comes closer (defragmentation) ---- */

/* Where a job that leaves a server finds room: the fullest of the others; -1: nowhere. */
static ServerId refuge(const Sched *s, const Job *job, ServerId from)
{
    const Cluster *c = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    ServerId best = -1;
    for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) {
        const Server *server = &c->server[id];
        if (id == from || server->n_free < job->n_gpus) continue;
        if (best < 0 || server->n_free < c->server[best].n_free) best = id;
    }
    return best;
}

/* Moves one job, alone in its slot and on its server, off the non-idle server with the most free GPUs on which the job
 * that is to come closer then finds room; -1: there is none, or both moves together do not pay. */
static ServerId make_room(Gandiva *me, Sched *s, const Job *job)
{
    const Cluster *c = sched_cluster(s);
    const Task *task = sched_tasks(s, job);
    const Job *best = NULL;
    ServerId from = -1;
    for (int i = 0; i < me->n_slots; i++) {
        const Slot *slot = &me->slot[i];
        if (slot->n_jobs != 1 || slot->job[0] == job->id || slot->n_gpus >= job->n_gpus || slot->narrow) continue;
        ServerId id = cluster_server_of(c, slot->gpus[0]);
        const Server *server = &c->server[id];
        const Job *other = sched_job(s, slot->job[0]);
        int own = 0;
        for (int k = 0; k < job->n_gpus; k++) own += task[k].server == id;
        if (server->n_gpus < job->n_gpus || own + server->n_free + slot->n_gpus < job->n_gpus) continue;
        if (gandiva_servers(c, slot->gpus, slot->n_gpus) > 1 || !may_move(me, s, other)) continue;
        if (best && server->n_free <= c->server[from].n_free) continue;
        if (refuge(s, other, id) < 0) continue;
        best = other;
        from = id;
    }
    if (!best) return -1;

    GpuId *away = NEW_ARRAY(sched_scratch(s), GpuId, best->n_gpus),
          *to = NEW_ARRAY(sched_scratch(s), GpuId, job->n_gpus);
    const GpuId *out = keep_places(s, best, gathered(s, best, refuge(s, best, from), away));
    const Server *server = &c->server[from];
    int n = 0;
    for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus && n < job->n_gpus; g++) {
        bool usable = c->holder[g] == GPU_FREE;
        for (int k = 0; k < best->n_gpus; k++) usable |= sched_tasks(s, best)[k].gpu == g;
        for (int k = 0; k < job->n_gpus; k++) usable |= task[k].gpu == g;
        if (usable) to[n++] = g;
    }
    const GpuId *in = keep_places(s, job, to);
    double lost = stall_s(me, s, job, in) * job->n_gpus + stall_s(me, s, best, out) * best->n_gpus;
    if (!has_room(s, best, out) || gained_s(me, s, job, epoch_s(me, s, job, in), 1) * job->n_gpus <= lost) return -1;
    move(me, s, best, out);
    return from;
}

static void come_closer(Gandiva *me, Sched *s)
{
    for (int i = 0; i < me->n_slots && sched_pool(s)->n_free; i++) {
        const Slot *slot = &me->slot[i];
        if (slot->n_jobs != 1 || slot->n_gpus == 1 || slot->narrow) continue;
        if (slot->n_gpus > sched_pool(s)->max_gpus) continue;
        if (gandiva_servers(sched_cluster(s), slot->gpus, slot->n_gpus) == 1) continue;
        const Job *job = sched_job(s, slot->job[0]);
        profile(me, s, job);
        double most = gained_s(me, s, job, me->job[job->id].ideal_s, 1);
        if (!may_move(me, s, job) || most <= me->move_base_s) continue; /* nowhere would it pay */
        ServerId server = gathering(s, job);
        if (server < 0) server = make_room(me, s, job);
        if (server < 0) continue;
        GpuId *gpus = NEW_ARRAY(sched_scratch(s), GpuId, job->n_gpus);
        const GpuId *to = keep_places(s, job, gathered(s, job, server, gpus));
        if (!has_room(s, job, to) || gained_s(me, s, job, epoch_s(me, s, job, to), 1) <= stall_s(me, s, job, to))
            continue;
        move(me, s, job, to);
    }
}

void gandiva_migrate(Gandiva *me, Sched *s)
{
    if (!me->migrates || sched_waiting(s)->n) return; /* free GPUs are for who waits */
    unstack(me, s);
    if (me->freed) come_closer(me, s);
    me->freed = false;
}
