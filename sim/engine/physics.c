/* sim/engine/physics.c -- rates from placements, progress from rates. */
#include "sim/engine/physics.h"

#include "sim/engine/failures.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"

const Param physics_params[] = {
    NUMBER_PARAM("overlap_ring", "0.3", 0, 1, "share of a ring's synchronisation hidden behind compute"),
    NUMBER_PARAM("overlap_server", "0", 0, 1, "the same with a parameter server"),
    NUMBER_PARAM("communication_max", "0.5", 0, 1,
                 "most of an epoch that communication may take under ideal placement"),
    NUMBER_PARAM("overload", "0.9", 0, 1000, "share of a resource in use beyond which a server counts as overloaded"),
    {0},
};

const Param cost_params[] = {
    NUMBER_PARAM("suspend", "0", 0, 1e6, "seconds to suspend a job, paid when it starts again"),
    NUMBER_PARAM("resume", "30", 0, 1e6, "seconds a job that starts again holds its GPUs before it computes"),
    NUMBER_PARAM("switch", "0.5", 0, 1e6,
                 "seconds a paused job holds its GPUs before it computes again (time slicing)"),
    NUMBER_PARAM("move_base", "5", 0, 1e6, "seconds a job stalls when a task of it moves, beside the copying"),
    NUMBER_PARAM("bw", "0", 0, 1e15, "bytes per second of that copying; 0: the link's"),
    {0},
};

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

static void mark(Physics *p, Run *run)
{
    if (run->dirty) return;
    run->dirty = true;
    p->dirty[p->n_dirty++] = run;
}

static void mark_server(Physics *p, ServerId s)
{
    if (!p->server_new[s]) {
        p->server_new[s] = true;
        p->new_server[p->n_new_servers++] = s;
    }
    p->server[s].version++;
    if (p->server_dirty[s]) return;
    p->server_dirty[s] = true;
    p->dirty_server[p->n_dirty_servers++] = s;
}

/* Whose speed depends on this GPU. */
static void mark_gpu(Physics *p, GpuId gpu)
{
    for (Task *t = p->gpu[gpu].task; t; t = t->next_here) mark(p, p->run[t->job]);
}

static bool is_server_task(const Run *run, int k)
{
    return task_is_server(&run->gang.graph, k);
}

/* Adds (by = 1) or takes away (-1) what a task weighs on its GPU and server. */
static void weigh(Physics *p, const Run *run, const Task *t, int by)
{
    ServerLoad *server = &p->server[t->server];
    server->memory_mib += by * t->need.memory_mib;
    server->n_tasks += by;
    mark_server(p, t->server);
    if (!t->paused) server->cores += by * t->need.cores;
    if (is_server_task(run, t->index)) return;
    GpuLoad *gpu = &p->gpu[t->gpu];
    gpu->n_tasks += by;
    if (t->paused) return;
    p->load += by * t->demand;
    p->busy -= in_use(gpu);
    gpu->load += by * t->demand;
    gpu->busy += by * busy_of(t);
    gpu->n_active += by * t->active;
    gpu->memory_mib += by * t->need.gpu_memory_mib;
    server->gpu_load += by * t->demand;
    p->busy += in_use(gpu);
}

static void set_active(Physics *p, const Run *run, Task *t, bool active)
{
    if (t->active == active) return;
    if (t->server >= 0) weigh(p, run, t, -1);
    t->active = active;
    if (t->server < 0) return;
    weigh(p, run, t, +1);
    if (!is_server_task(run, t->index) && p->gpu[t->gpu].n_tasks > 1) mark_gpu(p, t->gpu);
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

bool physics_has_room(const Engine *e, const Run *run, int k, GpuId gpu)
{
    const Physics *p = e->physics;
    ServerId s = cluster_server_of(&e->cluster, gpu);
    const ServerClass *c = &e->cluster.spec->class_of[e->cluster.spec->server[s].class_index];
    const TaskNeed *need = &run->task[k].need;
    if (e->cluster.holder[gpu] == GPU_BROKEN) return false;
    if (c->memory_mib && p->server[s].memory_mib + need->memory_mib > c->memory_mib) return false;
    if (is_server_task(run, k)) return true;
    return !c->gpu_memory_mib || p->gpu[gpu].memory_mib + need->gpu_memory_mib <= c->gpu_memory_mib;
}

void physics_put(Engine *e, Job *job, int k, GpuId gpu)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    Task *t = &run->task[k];
    MUST(t->gpu < 0);
    physics_integrate(e, run); /* what it did so far it did with the tasks it had */
    t->gpu = gpu;
    t->server = cluster_server_of(&e->cluster, gpu);
    t->since = e->now;
    t->active = false; /* physics_settle decides */
    if (is_server_task(run, k)) {
        link_task(&p->server[t->server].servers, t);
    } else {
        if (!p->gpu[gpu].task)
            cluster_take(&e->cluster, gpu, job->id);
        else
            mark_gpu(p, gpu);
        link_task(&p->gpu[gpu].task, t);
        audit_note(e, &e->sched[job->pool], gpu);
    }
    weigh(p, run, t, +1);
    run->n_placed++;
    run->moved = true;
    mark(p, run);
}

void physics_lift(Engine *e, Job *job, int k)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    Task *t = &run->task[k];
    MUST(t->gpu >= 0);
    physics_integrate(e, run);
    weigh(p, run, t, -1);
    GpuId gpu = t->gpu;
    if (is_server_task(run, k)) {
        unlink_task(&p->server[t->server].servers, t);
    } else {
        unlink_task(&p->gpu[gpu].task, t);
        if (!p->gpu[gpu].task) {
            cluster_give(&e->cluster, gpu, e->cluster.holder[gpu]);
        } else {
            e->cluster.holder[gpu] = p->gpu[gpu].task->job; /* one of those who still hold it */
            mark_gpu(p, gpu);
        }
        audit_note(e, &e->sched[job->pool], gpu);
    }
    t->gpu = t->server = -1;
    t->paused = false;
    t->since = e->now;
    t->active = false;
    run->n_placed--;
    run->moved = true;
    mark(p, run);
}

/* ---- progress ---- */

static double epoch_us(const Run *run)
{
    return run->work / run->model->epochs;
}

int physics_epochs_done(const Run *run)
{
    if (run->done >= run->work) return run->model->epochs;
    return (int)floor(run->done / epoch_us(run) * (1 + 1e-12) + 1e-9); /* an epoch's end is met to the microsecond */
}

/* The instant at which `done` passed a mark between the last update and now, if it did. */
static bool passed(const Run *run, double mark, double before, SimTime now, SimTime *at)
{
    if (before >= mark || run->done < mark || run->rate <= 0) return false;
    *at = run->updated + (SimTime)ceil((mark - before) / run->rate);
    if (*at > now) *at = now;
    return true;
}

void physics_integrate(Engine *e, Run *run)
{
    Physics *p = e->physics;
    Job *job = &e->job[run->id];
    JobOutcome *out = &p->outcome[run->id];
    SimTime now = e->now, dt = now - run->updated;
    if (dt == 0) return;

    double before = run->done;
    run->done = fmin(before + run->rate * (double)dt, run->work);
    WideTime held =
        (WideTime)dt * (run->n_placed - (run->gang.graph.has_server && run->task[run->n_tasks - 1].gpu >= 0));
    if (run->rate > 0)
        out->useful += held;
    else if (run->stalled > run->updated)
        out->restart += held;
    else
        out->idle += held;
    run->far += (WideTime)run->far_rate * dt;

    SimTime at;
    if (job->deadline > run->updated && job->deadline <= now)
        out->epochs_at_deadline =
            fmin(before + run->rate * (double)(job->deadline - run->updated), run->work) / epoch_us(run);
    double enough = curve_epochs_to(&run->model->curve, run->model->accuracy_required) * epoch_us(run);
    if (isfinite(enough) && passed(run, enough, before, now, &at)) out->accurate_at = at;
    run->updated = now;
}

/* ---- rates ---- */

/* Relative speed of each of several tasks on one GPU whose demands add up to u (algorithms.md 14.3). */
static double sharing_speed(double u)
{
    return u < 2 ? fmin(1, 1.20 - 0.27 * u) : 1.32 / u;
}

static double slow_of(const Physics *p, const Run *run, const Task *t)
{
    double slow = p->cpu_slow[t->server];
    if (is_server_task(run, t->index) || p->gpu[t->gpu].n_active <= 1) return slow;
    return slow / sharing_speed(p->gpu[t->gpu].busy / 1000.0);
}

static void evaluate(const Physics *p, const Run *run, bool with_friction, Epoch *epoch)
{
    for (int k = 0; k < run->n_tasks; k++) {
        p->spot_server[k] = run->task[k].server;
        p->spot_gpu[k] = run->task[k].gpu;
        p->spot_slow[k] = run->task[k].gpu >= 0 && with_friction ? slow_of(p, run, &run->task[k]) : 1;
    }
    epoch->use = p->spot_use;
    Friction friction = {p->spot_slow, with_friction ? (const double(*)[N_NICS])p->nic_share : NULL};
    speed_epoch(&run->gang, &p->network, (Spots){p->spot_server, p->spot_gpu}, friction, epoch);
}

static bool replica_runs(const Run *run, int r)
{
    int m = run->gang.graph.partitions;
    if (run->task[0].paused) return false; /* all of them are */
    if (run->gang.graph.has_server && run->task[run->n_tasks - 1].gpu < 0) return false;
    for (int k = r * m; k < (r + 1) * m; k++)
        if (run->task[k].gpu < 0) return false;
    return true;
}

/* Which tasks compute: those of whole replicas, unless the job stalls. */
static void refresh_active(Engine *e, Run *run)
{
    bool any = false;
    for (int r = 0; r < run->gang.graph.replicas; r++) {
        bool runs = run->n_placed && e->now >= run->stalled && replica_runs(run, r);
        for (int k = r * run->gang.graph.partitions; k < (r + 1) * run->gang.graph.partitions; k++)
            set_active(e->physics, run, &run->task[k], runs);
        any |= runs;
    }
    if (run->gang.graph.has_server) set_active(e->physics, run, &run->task[run->n_tasks - 1], any);
}

static void put_rates(Physics *p, const Run *run, int by)
{
    for (int i = 0; i < run->n_rates; i++) {
        const NicRate *r = &run->rates[i];
        for (Nic nic = 0; nic < N_NICS; nic++) p->server[r->server].nic[nic] += by * r->bytes_per_s[nic];
        mark_server(p, r->server);
    }
}

/* What the job puts on the NICs where it is now: from its speed without anybody's friction. */
static void refresh_rates(Engine *e, Run *run)
{
    Physics *p = e->physics;
    put_rates(p, run, -1);
    run->n_rates = 0;
    run->far_bytes = 0;
    if (run->n_tasks == 1) return;
    Epoch epoch;
    evaluate(p, run, false, &epoch);
    run->far_bytes = isfinite(epoch.seconds) ? epoch.far_bytes : 0;
    if (e->now < run->stalled || run->task[0].paused || !isfinite(epoch.seconds) || epoch.seconds <= 0) return;
    for (int i = 0; i < epoch.n_uses; i++) {
        NicRate *r = &run->rates[run->n_rates++];
        r->server = epoch.use[i].server;
        for (Nic nic = 0; nic < N_NICS; nic++)
            r->bytes_per_s[nic] = (int64_t)llrint(epoch.use[i].bytes[nic] / epoch.seconds);
    }
    put_rates(p, run, +1);
}

/* A server's contention; true if it is not what it was. */
static bool refresh_server(Engine *e, ServerId s)
{
    Physics *p = e->physics;
    const ServerLoad *load = &p->server[s];
    const ServerClass *c = &e->cluster.spec->class_of[e->cluster.spec->server[s].class_index];
    double slow = c->cores && load->cores > c->cores ? (double)load->cores / c->cores : 1;
    slow *= failures_slowness(e, s);
    bool changed = slow != p->cpu_slow[s];
    p->cpu_slow[s] = slow;
    double rates[N_NICS] = {(double)load->nic[NIC_RACK], (double)load->nic[NIC_FAR]};
    for (Nic nic = 0; nic < N_NICS; nic++) {
        double share = nic_share(&p->network, s, nic, rates);
        changed |= share != p->nic_share[s][nic];
        p->nic_share[s][nic] = share;
    }
    return changed;
}

static void push(Engine *e, Run *run, EventKind kind, SimTime at)
{
    if (at == TIME_NEVER) {
        err_set(e->err, ERR_DATA, "job '%s' would end after the last instant of the clock, %lld s",
                e->config->workload->job[run->id].name, (long long)(TIME_NEVER / TIME_SECOND));
        return;
    }
    event_push(&e->queue, (Event){.at = at, .kind = kind, .epoch = e->job[run->id].epoch, .subject = run->id});
    run->pending++;
}

/* Microseconds until `work` more is done, rounded up to the clock; TIME_NEVER beyond it. */
static SimTime time_for(const Engine *e, double work, double rate)
{
    double wait = work > 0 ? ceil(work / rate) : 0;
    return wait < 9e18 ? time_add(e->now, (SimTime)wait) : TIME_NEVER;
}

static void set_far_rate(Physics *p, Run *run, int64_t rate)
{
    p->far_rate += rate - run->far_rate;
    run->far_rate = rate;
}

static void refresh_rate(Engine *e, Run *run)
{
    Physics *p = e->physics;
    Job *job = &e->job[run->id];
    double rate = 0;
    physics_integrate(e, run);
    if (run->n_placed && e->now >= run->stalled && !run->task[0].paused) {
        if (run->n_tasks == 1) { /* nobody to talk to: no need to walk a path */
            rate = 1 / slow_of(p, run, &run->task[0]);
        } else {
            Epoch epoch;
            evaluate(p, run, true, &epoch);
            rate = isfinite(epoch.seconds) ? (epoch.seconds > 0 ? run->ideal_s / epoch.seconds : 1) : 0;
        }
    }
    if (rate == run->rate && !run->moved && run->pending) return; /* its events still hold */
    run->rate = rate;
    set_far_rate(p, run, run->work > 0 ? llrint(run->far_bytes * rate / epoch_us(run) * 1e6) : 0);
    job->progress = run->work > 0 ? run->done / run->work : 0;
    job->pace = run->work > 0 ? rate / run->work : 0;
    job->paced = e->now;
    job->epoch++;
    e->n_stale += run->pending;
    run->pending = 0;
    if (run->n_placed && e->now < run->stalled) push(e, run, EVENT_STALL_OVER, run->stalled);
    if (rate <= 0) return;
    push(e, run, EVENT_END, time_for(e, run->work - run->done, rate));
    const JobSpec *spec = &e->config->workload->job[run->id];
    if (run->attempt < spec->n_failed && (double)spec->failed_at[run->attempt] < run->work)
        push(e, run, EVENT_ATTEMPT_OVER, time_for(e, (double)spec->failed_at[run->attempt] - run->done, rate));
    int next = physics_epochs_done(run) + 1;
    if (e->config->policy->on_epoch && next < run->model->epochs)
        push(e, run, EVENT_EPOCH, time_for(e, next * epoch_us(run) - run->done, rate));
}

void physics_settle(Engine *e)
{
    Physics *p = e->physics;
    /* Each step may add to the lists that the next one walks. */
    for (int i = 0; i < p->n_dirty; i++)
        if (p->dirty[i]->moved) refresh_active(e, p->dirty[i]);
    for (int i = 0; i < p->n_dirty; i++)
        if (p->dirty[i]->moved) {
            physics_integrate(e, p->dirty[i]); /* by the rates and bytes up to now */
            refresh_rates(e, p->dirty[i]);
        }
    for (int i = 0; i < p->n_dirty_servers; i++) {
        ServerId s = p->dirty_server[i];
        p->server_dirty[s] = false;
        if (!refresh_server(e, s)) continue;
        const Server *server = &e->cluster.server[s];
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) mark_gpu(p, g);
        for (Task *t = p->server[s].servers; t; t = t->next_here) mark(p, p->run[t->job]);
    }
    p->n_dirty_servers = 0;
    for (int i = 0; i < p->n_dirty; i++) {
        Run *run = p->dirty[i];
        refresh_rate(e, run);
        run->dirty = run->moved = false;
    }
    p->n_dirty = 0;
}

void physics_touch_server(Engine *e, ServerId s)
{
    mark_server(e->physics, s);
}

void physics_epoch(Engine *e, Job *job)
{
    Run *run = e->physics->run[job->id];
    physics_integrate(e, run);
    run->moved = true; /* the next epoch's event is wanted */
    mark(e->physics, run);
}

bool physics_can_resume(const Engine *e, const Run *run)
{
    for (int k = 0; k < run->n_tasks; k++) {
        const Task *t = &run->task[k];
        const ServerClass *c = &e->cluster.spec->class_of[e->cluster.spec->server[t->server].class_index];
        int32_t own = 0; /* other tasks of the job on this GPU come back with it */
        for (int l = 0; l < run->n_tasks; l++)
            if (run->task[l].gpu == t->gpu && !is_server_task(run, l)) own += run->task[l].need.gpu_memory_mib;
        if (is_server_task(run, k) || !c->gpu_memory_mib) continue;
        if (e->physics->gpu[t->gpu].memory_mib + own > c->gpu_memory_mib) return false;
    }
    return true;
}

void physics_pause(Engine *e, Job *job, bool paused)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    physics_integrate(e, run);
    for (int k = 0; k < run->n_tasks; k++) {
        Task *t = &run->task[k];
        weigh(p, run, t, -1);
        t->paused = paused;
        t->active = false; /* physics_settle decides */
        weigh(p, run, t, +1);
        if (!is_server_task(run, k)) mark_gpu(p, t->gpu);
    }
    run->moved = true;
    mark(p, run);
    if (!paused) physics_stall(e, job, time_add(e->now, p->unpause));
}

void physics_suspend(Run *run)
{
    for (int k = 0; k < run->n_tasks; k++) run->task[k].owes_resume |= run->task[k].gpu >= 0;
}

void physics_stall(Engine *e, Job *job, SimTime until)
{
    Run *run = e->physics->run[job->id];
    physics_integrate(e, run);
    if (until > run->stalled) run->stalled = until;
    run->moved = true;
    mark(e->physics, run);
}

int64_t physics_move_bytes(const Run *run, int k)
{
    return jobmodel_parameter_bytes(run->model, k) * 3 + 200000000;
}

void physics_move(Engine *e, Job *job, int k, GpuId from, GpuId to)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    ServerId a = cluster_server_of(&e->cluster, from), b = cluster_server_of(&e->cluster, to);
    int64_t bytes = physics_move_bytes(run, k);
    double speed = p->move_bytes_per_s;
    if (speed <= 0) {
        Nic nic = network_nic(&p->network, a, b);
        speed = a == b ? p->network.inside[a].bytes_per_s
                       : fmin(p->network.nic[a][nic].bytes_per_s, p->network.nic[b][nic].bytes_per_s);
    }
    if (a != b) p->outcome[job->id].move_bytes += bytes;
    if (a != b) e->moved_bytes += bytes;
    run->task[k].moves++;
    run->task[k].moved = e->now;
    physics_stall(e, job, time_add(e->now, p->move_base + time_from_seconds((double)bytes / speed)));
}

/* ---- ticks ---- */

void physics_tick(Engine *e)
{
    Physics *p = e->physics;
    const JobModels *models = p->models;
    for (int q = 0; q < e->cluster.n_pools && models->varying; q++)
        EACH_JOB (id, &e->sched[q].running) {
            Run *run = p->run[id];
            for (int k = 0; k < run->gang.graph.replicas * run->gang.graph.partitions; k++) {
                Task *t = &run->task[k];
                if (!t->active) continue;
                t->x = jobmodel_demand_step(models, id, k, ++t->ticks, t->x);
                Milli demand = jobmodel_demand_now(t->base, t->x);
                if (demand == t->demand) continue;
                weigh(p, run, t, -1);
                t->demand = demand;
                weigh(p, run, t, +1);
                if (p->gpu[t->gpu].n_active > 1) mark_gpu(p, t->gpu);
            }
        }
    for (int i = 0; i < p->n_new_servers; i++) {
        ServerId s = p->new_server[i];
        p->server_new[s] = false;
        Utilisation u = physics_utilisation(e, s);
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

Utilisation physics_utilisation(const Engine *e, ServerId s)
{
    const Physics *p = e->physics;
    const ServerLoad *load = &p->server[s];
    const ServerClass *c = &e->cluster.spec->class_of[e->cluster.spec->server[s].class_index];
    double rack = (double)load->nic[NIC_RACK] / p->network.nic[s][NIC_RACK].bytes_per_s;
    double far = (double)load->nic[NIC_FAR] / p->network.nic[s][NIC_FAR].bytes_per_s;
    return (Utilisation){
        .gpu = load->gpu_load / 1000.0 / c->n_gpus,
        .cpu = c->cores ? (double)load->cores / c->cores : 0,
        .memory = c->memory_mib ? (double)load->memory_mib / c->memory_mib : 0,
        .network = p->network.one_nic[s] ? rack + far : fmax(rack, far),
    };
}

/* ---- a job's coming and going ---- */

static Run *take_run(Engine *e, int n_tasks)
{
    Physics *p = e->physics;
    Run *run = p->free_runs[n_tasks];
    if (run) {
        p->free_runs[n_tasks] = run->next_free;
        Task *task = run->task;
        NicRate *rates = run->rates;
        memset(task, 0, (size_t)n_tasks * sizeof *task);
        *run = (Run){.task = task, .rates = rates};
        return run;
    }
    run = NEW(e->arena, Run);
    run->task = NEW_ARRAY(e->arena, Task, n_tasks);
    run->rates = NEW_ARRAY(e->arena, NicRate, n_tasks);
    return run;
}

void physics_admit(Engine *e, Job *job)
{
    Physics *p = e->physics;
    const JobModel *model = &p->models->job[job->id];
    int n = taskgraph_n_tasks(&model->graph);
    Run *run = p->run[job->id] = take_run(e, n);
    run->id = job->id;
    run->model = model;
    run->n_tasks = n;
    run->work = (double)engine_duration(e, job);
    run->updated = e->now;
    run->stalled = e->now;
    run->gang = (Gang){
        .graph = model->graph,
        .volumes = model->volumes,
        .micro_batches = 1,
        .rounds = model->rounds,
        .overlap = p->overlap[model->topology],
    };
    for (int k = 0; k < n; k++) {
        Task *t = &run->task[k];
        *t = (Task){.job = job->id,
                    .index = k,
                    .gpu = -1,
                    .server = -1,
                    .need = jobmodel_need(model, k),
                    .since = e->now,
                    .moved = TIME_NEVER};
        t->base = t->demand = jobmodel_base_demand(p->models, job->id, k);
        if (p->models->varying && !is_server_task(run, k)) {
            t->x = jobmodel_demand_step(p->models, job->id, k, 0, 0);
            t->demand = jobmodel_demand_now(t->base, t->x);
        }
    }
    ideal_placement(&p->ideal, &run->gang, p->spot_server, p->spot_gpu);
    Spots ideal = {p->spot_server, p->spot_gpu};
    double epoch_s = run->work / 1e6 / model->epochs, ratio = 1;
    speed_calibrate(&run->gang, &p->network, ideal, epoch_s, p->communication_max, &e->scratch);
    run->ideal_s = speed_alone(&run->gang, &p->network, ideal, &e->scratch);
    if (p->models->pipeline) { /* computation and scale are those of the sequential schedule (20.1(8)) */
        run->gang.micro_batches = 4 * model->graph.stages;
        double piped = speed_alone(&run->gang, &p->network, ideal, &e->scratch);
        if (run->ideal_s > 0) ratio = piped / run->ideal_s;
    }
    arena_reset(&e->scratch);
    p->outcome[job->id] =
        (JobOutcome){.ideal_s = run->work / 1e6 * ratio, .accurate_at = TIME_NEVER, .epochs_at_deadline = (double)NAN};
}

/* What is known about the job when it ends, or when the run does. */
static void conclude(Engine *e, Run *run)
{
    JobOutcome *out = &e->physics->outcome[run->id];
    const Job *job = &e->job[run->id];
    physics_integrate(e, run);
    out->far_bytes = (int64_t)(run->far / 1000000);
    out->epochs_done = run->work > 0 ? run->done / epoch_us(run) : run->model->epochs;
    if (job->state == JOB_DONE && !job->stop_reason) out->epochs_done = run->model->epochs;
    out->accuracy_final = curve_accuracy(&run->model->curve, out->epochs_done);
    bool enough = out->accuracy_final >= run->model->accuracy_required; /* also by rounding, or in no time at all */
    if (job->state == JOB_DONE && enough && out->accurate_at == TIME_NEVER) out->accurate_at = job->ended;
    if (isnan(out->epochs_at_deadline) || job->ended <= job->deadline) out->epochs_at_deadline = out->epochs_done;
    bool ran = job->first_started != TIME_NEVER && job->first_started <= job->deadline;
    out->accuracy_at_deadline = ran ? curve_accuracy(&run->model->curve, out->epochs_at_deadline) : 0;
}

void physics_forget(Engine *e, Job *job)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    conclude(e, run);
    set_far_rate(p, run, 0);
    put_rates(p, run, -1);
    run->n_rates = 0;
    e->n_stale += run->pending;
    job->epoch++;
    for (int i = 0; run->dirty && i < p->n_dirty; i++)
        if (p->dirty[i] == run) p->dirty[i] = p->dirty[--p->n_dirty];
    p->run[job->id] = NULL;
    run->next_free = p->free_runs[run->n_tasks];
    p->free_runs[run->n_tasks] = run;
}

void physics_close(Engine *e)
{
    for (int q = 0; q < e->cluster.n_pools; q++)
        EACH_JOB (id, &e->sched[q].live) conclude(e, e->physics->run[id]);
    e->result->outcome = e->physics->outcome;
    e->result->overloads = e->overloads;
}

void physics_advance(Engine *e, SimTime dt)
{
    Physics *p = e->physics;
    e->result->busy_time += (WideTime)dt * p->busy;
    p->far += (WideTime)dt * p->far_rate;
}

void physics_census(Engine *e)
{
    const Physics *p = e->physics;
    e->census.load_mean = (double)p->load / 1000 / (double)e->census.gpus_total;
    e->census.bytes_moved = e->moved_bytes + (int64_t)(p->far / 1000000);
}

Physics *physics_open(Engine *e)
{
    const SimConfig *c = e->config;
    Arena *a = e->arena;
    int n_jobs = c->workload->n, n_servers = c->cluster->n_servers;
    Physics *p = NEW(a, Physics);
    p->models = c->models;
    p->network = network_make(a, c->cluster);
    p->ideal = ideal_order_make(a, c->cluster, &p->network);
    p->gpu = NEW_ARRAY(a, GpuLoad, c->cluster->n_gpus);
    p->server = NEW_ARRAY(a, ServerLoad, n_servers);
    p->nic_share = arena_alloc(a, (size_t)n_servers, sizeof *p->nic_share);
    p->cpu_slow = NEW_ARRAY(a, double, n_servers);
    for (ServerId s = 0; s < n_servers; s++) p->cpu_slow[s] = p->nic_share[s][NIC_RACK] = p->nic_share[s][NIC_FAR] = 1;
    p->run = NEW_ARRAY(a, Run *, n_jobs);
    p->dirty = NEW_ARRAY(a, Run *, n_jobs);
    p->outcome = NEW_ARRAY(a, JobOutcome, n_jobs);
    for (int i = 0; i < n_jobs; i++) p->outcome[i].accurate_at = TIME_NEVER;
    p->server_dirty = NEW_ARRAY(a, bool, n_servers);
    p->dirty_server = NEW_ARRAY(a, ServerId, n_servers);
    p->server_new = NEW_ARRAY(a, bool, n_servers);
    p->new_server = NEW_ARRAY(a, ServerId, n_servers);
    for (int i = 0; i < n_jobs; i++) {
        int n = taskgraph_n_tasks(&c->models->job[i].graph);
        if (n > p->most_tasks) p->most_tasks = n;
    }
    p->free_runs = NEW_ARRAY(a, Run *, p->most_tasks + 1);
    p->spot_server = NEW_ARRAY(a, ServerId, p->most_tasks);
    p->spot_gpu = NEW_ARRAY(a, GpuId, p->most_tasks);
    p->spot_slow = NEW_ARRAY(a, double, p->most_tasks);
    p->spot_use = NEW_ARRAY(a, NicUse, p->most_tasks);
    p->resume =
        time_from_seconds(params_number(c->params, "cost", "suspend") + params_number(c->params, "cost", "resume"));
    p->unpause = time_from_seconds(params_number(c->params, "cost", "switch"));
    p->move_base = time_from_seconds(params_number(c->params, "cost", "move_base"));
    p->move_bytes_per_s = params_number(c->params, "cost", "bw");
    p->overlap[TOPOLOGY_RING] = params_number(c->params, "physics", "overlap_ring");
    p->overlap[TOPOLOGY_SERVER] = params_number(c->params, "physics", "overlap_server");
    p->communication_max = params_number(c->params, "physics", "communication_max");
    p->threshold = params_number(c->params, "physics", "overload");
    return p;
}

/* ---- books ---- */

void physics_audit(const Engine *e)
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
        EACH_JOB (id, &e->sched[q].live) far_rate += p->run[id]->far_rate;
    MUST(load == p->load && busy == p->busy && far_rate == p->far_rate);
}
