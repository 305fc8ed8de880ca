/* sim/engine/loads.c -- what tasks weigh on GPUs and servers, and the walls of memory. */
#include <math.h>

#include "sim/base/number.h"
#include "sim/engine/physics.h"

enum { IDLE_PERCENT = 5 }; /* of its demand, what a task that does not compute still uses (20.2(16)) */

/* ---- loads ---- */

static Milli busy_of(const Task *t)
{
    if (t->paused) return 0;
    return t->active ? t->demand : t->demand * IDLE_PERCENT / 100;
}

/* However much its tasks want, a GPU is one GPU. */
static Milli in_use(const GpuLoad *gpu)
{
    return gpu->busy < 1000 ? gpu->busy : 1000;
}

/* `total` is that of all GPUs. */
static void add_busy(GpuLoad *gpu, Milli more, int64_t *total)
{
    *total -= in_use(gpu);
    gpu->busy += more;
    *total += in_use(gpu);
}

/* Whose speed depends on this GPU. */
void loads_mark_gpu(Physics *p, GpuId gpu)
{
    for (Task *t = p->gpu[gpu].task; t; t = t->next_here) physics_mark(p, p->run[t->job]);
}

/* Adds (by = 1) or takes away (-1) what a task weighs on its GPU and server. */
static void weigh(Physics *p, const Run *run, const Task *t, int by)
{
    ServerLoad *server = &p->server[t->server];
    server->memory_mib += by * t->need.memory_mib;
    server->n_tasks += by;
    physics_mark_server(p, t->server);
    if (!t->paused) server->cores += by * t->need.cores;
    if (run_is_server(run, t->index)) return;
    GpuLoad *gpu = &p->gpu[t->gpu];
    gpu->n_tasks += by;
    if (t->paused) return;
    p->load += by * t->demand;
    add_busy(gpu, by * busy_of(t), &p->busy);
    gpu->load += by * t->demand;
    gpu->n_active += by * t->active;
    gpu->memory_mib += by * t->need.gpu_memory_mib;
    server->gpu_load += by * t->demand;
}

void loads_set_active(Physics *p, const Run *run, Task *t, bool active)
{
    if (t->active == active) return;
    Milli busy = busy_of(t);
    t->active = active;
    if (t->server < 0) return;
    physics_note_server(p, t->server);
    if (run_is_server(run, t->index)) return;
    GpuLoad *gpu = &p->gpu[t->gpu];
    MUST(!t->paused);
    add_busy(gpu, busy_of(t) - busy, &p->busy);
    gpu->n_active += active ? 1 : -1;
    if (gpu->n_tasks > 1) loads_mark_gpu(p, t->gpu);
}

static void link_task(Task **list, Task *t)
{
    t->next_here = *list;
    *list = t;
}

static void unlink_task(Task **list, Task *t)
{
    while (*list != t) list = &(*list)->next_here;
    *list = t->next_here;
    t->next_here = NULL;
}

bool loads_has_room(const Engine *e, const Run *run, int k, GpuId gpu)
{
    const Physics *p = e->physics;
    ServerId s = cluster_server_of(&e->cluster, gpu);
    const ServerClass *c = cluster_spec_class(e->cluster.spec, s);
    const TaskNeed *need = &run->task[k].need;
    if (e->cluster.holder[gpu] == GPU_BROKEN) return false;
    if (c->memory_mib && p->server[s].memory_mib + need->memory_mib > c->memory_mib) return false;
    if (run_is_server(run, k) || run->task[k].paused) return true;
    return !c->gpu_memory_mib || p->gpu[gpu].memory_mib + need->gpu_memory_mib <= c->gpu_memory_mib;
}

static void put(Engine *e, const Job *job, Task *t, GpuId gpu)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    MUST(t->gpu < 0);
    physics_integrate(e, run); /* what it did so far it did with the tasks it had */
    t->gpu = gpu;
    t->server = cluster_server_of(&e->cluster, gpu);
    t->since = e->now;
    t->active = false; /* physics_settle decides */
    if (run_is_server(run, t->index)) {
        link_task(&p->server[t->server].servers, t);
    } else {
        if (!p->gpu[gpu].task)
            cluster_take(&e->cluster, gpu, job->id);
        else
            loads_mark_gpu(p, gpu);
        link_task(&p->gpu[gpu].task, t);
        audit_note(e, &e->sched[job->pool], gpu);
    }
    weigh(p, run, t, +1);
    run->moved = true;
    physics_mark(p, run);
}

static void lift(Engine *e, const Job *job, Task *t)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    MUST(t->gpu >= 0);
    physics_integrate(e, run);
    weigh(p, run, t, -1);
    GpuId gpu = t->gpu;
    if (run_is_server(run, t->index)) {
        unlink_task(&p->server[t->server].servers, t);
    } else {
        unlink_task(&p->gpu[gpu].task, t);
        if (!p->gpu[gpu].task) {
            cluster_give(&e->cluster, gpu, e->cluster.holder[gpu]);
        } else {
            e->cluster.holder[gpu] = p->gpu[gpu].task->job; /* one of those who still hold it */
            loads_mark_gpu(p, gpu);
        }
        audit_note(e, &e->sched[job->pool], gpu);
    }
    t->gpu = t->server = -1;
    t->paused = false;
    t->since = e->now;
    t->active = false;
    run->moved = true;
    physics_mark(p, run);
}

void loads_put(Engine *e, Job *job, int k, GpuId gpu)
{
    Run *run = e->physics->run[job->id];
    put(e, job, &run->task[k], gpu);
    run->n_placed++;
}

void loads_lift(Engine *e, Job *job, int k)
{
    Run *run = e->physics->run[job->id];
    lift(e, job, &run->task[k]);
    if (--run->n_placed == 0)
        for (int i = 0; i < run->n_tasks; i++) run->task[i].paused = false; /* those that were absent, too */
}

void loads_put_copy(Engine *e, Job *job, int k, GpuId gpu)
{
    Run *run = e->physics->run[job->id];
    put(e, job, &run->copy[k], gpu);
    run->n_copies++;
}

void loads_lift_copy(Engine *e, Job *job, int k)
{
    Run *run = e->physics->run[job->id];
    lift(e, job, &run->copy[k]);
    run->n_copies--;
}

bool loads_can_resume(const Engine *e, const Run *run)
{
    for (int k = 0; k < run->n_tasks; k++) {
        const Task *t = &run->task[k];
        if (run_is_server(run, k) || t->gpu < 0) continue;
        const ServerClass *c = cluster_spec_class(e->cluster.spec, t->server);
        int32_t own = 0; /* other tasks of the job on this GPU come back with it */
        for (int l = 0; l < run->n_tasks; l++)
            if (run->task[l].gpu == t->gpu && !run_is_server(run, l)) own += run->task[l].need.gpu_memory_mib;
        if (!c->gpu_memory_mib) continue;
        if (e->physics->gpu[t->gpu].memory_mib + own > c->gpu_memory_mib) return false;
    }
    return true;
}

void loads_pause(Engine *e, Job *job, bool paused)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    physics_integrate(e, run);
    for (int k = 0; k < run->n_tasks; k++) {
        Task *t = &run->task[k];
        if (t->gpu >= 0) weigh(p, run, t, -1);
        t->paused = paused;
        t->active = false; /* physics_settle decides */
        if (t->gpu < 0) continue;
        weigh(p, run, t, +1);
        if (!run_is_server(run, k)) loads_mark_gpu(p, t->gpu);
    }
    run->moved = true;
    physics_mark(p, run);
    if (!paused) physics_stall(e, job, time_add(e->now, p->unpause));
}

/* ---- ticks ---- */

/* Of a task that is placed and not paused: the loads of its GPU change with its demand, and nothing else. */
static void set_demand(Physics *p, Task *t, Milli demand)
{
    GpuLoad *gpu = &p->gpu[t->gpu];
    Milli more = demand - t->demand, busy = busy_of(t);
    MUST(!t->paused);
    t->demand = demand;
    add_busy(gpu, busy_of(t) - busy, &p->busy);
    gpu->load += more;
    p->server[t->server].gpu_load += more;
    p->load += more;
    physics_note_server(p, t->server);
    if (gpu->n_active > 1 && gpu->marked != p->n_ticks) loads_mark_gpu(p, t->gpu);
    gpu->marked = p->n_ticks; /* once a tick will do for all its tasks */
}

void loads_tick(Engine *e)
{
    Physics *p = e->physics;
    const JobModels *models = p->models;
    p->n_ticks++;
    for (int q = 0; q < e->cluster.n_pools && models->varying; q++)
        EACH_JOB (id, &e->sched[q].running) {
            Run *run = p->run[id];
            for (int k = 0; k < run->gang.graph.replicas * run->gang.graph.partitions; k++) {
                Task *t = &run->task[k];
                if (!t->active) continue;
                t->x = jobmodel_demand_step(models, id, k, ++t->ticks, t->x);
                Milli demand = jobmodel_demand_now(t->base, t->x);
                if (demand == t->demand) continue;
                set_demand(p, t, demand);
                if (run_has_copy(run, k)) set_demand(p, &run->copy[k], demand);
            }
        }
    for (int i = 0; i < p->n_new_servers; i++) {
        ServerId s = p->new_server[i];
        p->server_new[s] = false;
        Utilisation u = loads_utilisation(e, s);
        bool over = u.cpu > p->threshold || u.network > p->threshold;
        const Server *server = &e->cluster.server[s];
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus && !over; g++)
            over = p->gpu[g].n_tasks > 1 && p->gpu[g].load > (Milli)(p->threshold * 1000);
        e->overloads += over && !p->server[s].overloaded;
        e->census.servers_overloaded += over - p->server[s].overloaded;
        p->server[s].overloaded = over;
    }
    p->n_new_servers = 0;
}

Utilisation loads_utilisation(const Engine *e, ServerId s)
{
    const Physics *p = e->physics;
    const ServerLoad *load = &p->server[s];
    const ServerClass *c = cluster_spec_class(e->cluster.spec, s);
    double rack = (double)load->nic[NIC_RACK] / p->network.nic[s][NIC_RACK].bytes_per_s;
    double far = (double)load->nic[NIC_FAR] / p->network.nic[s][NIC_FAR].bytes_per_s;
    return (Utilisation){
        .gpu = load->gpu_load / 1000.0 / c->n_gpus,
        .cpu = c->cores ? (double)load->cores / c->cores : 0,
        .memory = c->memory_mib ? (double)load->memory_mib / c->memory_mib : 0,
        .network = p->network.one_nic[s] ? rack + far : number_max(rack, far),
    };
}

/* ---- books ---- */

void loads_audit(const Engine *e)
{
    const Physics *p = e->physics;
    int64_t load = 0, busy = 0, far_rate = 0;
    for (ServerId s = 0; s < e->cluster.spec->n_servers; s++) {
        const Server *server = &e->cluster.server[s];
        Milli gpu_load = 0;
        int32_t cores = 0, memory = 0, n_tasks = 0;
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) {
            GpuLoad sum = {0};
            for (const Task *t = p->gpu[g].task; t; t = t->next_here) {
                MUST(t->gpu == g && t->server == s);
                sum.n_tasks++;
                if (t->paused) MUST(!t->active);
                if (!t->paused) {
                    sum.load += t->demand;
                    sum.busy += busy_of(t);
                    sum.n_active += t->active;
                    sum.memory_mib += t->need.gpu_memory_mib;
                    cores += t->need.cores;
                }
                memory += t->need.memory_mib;
            }
            const GpuLoad *kept = &p->gpu[g];
            MUST(sum.load == kept->load && sum.busy == kept->busy && sum.n_tasks == kept->n_tasks);
            MUST(sum.n_active == kept->n_active && sum.memory_mib == kept->memory_mib);
            MUST((e->cluster.holder[g] >= 0) == (sum.n_tasks > 0));
            gpu_load += sum.load;
            busy += in_use(&sum);
            n_tasks += sum.n_tasks;
        }
        for (const Task *t = p->server[s].servers; t; t = t->next_here) {
            MUST(t->server == s);
            if (!t->paused) cores += t->need.cores;
            memory += t->need.memory_mib;
            n_tasks++;
        }
        const ServerLoad *kept = &p->server[s];
        load += gpu_load;
        MUST(gpu_load == kept->gpu_load && cores == kept->cores && memory == kept->memory_mib &&
             n_tasks == kept->n_tasks);
    }
    for (int q = 0; q < e->cluster.n_pools; q++)
        EACH_JOB (id, &e->sched[q].live) {
            far_rate += p->run[id]->far_rate;
            copies_audit(e, p->run[id]);
        }
    MUST(load == p->load && busy == p->busy && far_rate == p->far_rate);
}
