/* sim/engine/physics.c -- rates from placements, progress from rates. */
#include "sim/engine/physics.h"

#include <math.h>

#include "sim/base/number.h"
#include "sim/engine/failures.h"

/* ---- progress ---- */

static double done_by(const Run *run, SimTime now)
{
    return number_min(run->done + run->rate * (double)(now - run->updated), run->work);
}

/* Looking changes nothing: not even where the sums of progress are rounded. */
int physics_epochs_done(const Run *run, SimTime now)
{
    double done = done_by(run, now);
    if (done >= run->work) return run->model->epochs;
    return (int)floor(done / run_epoch_us(run) * (1 + 1e-12) + 1e-9); /* an epoch's end is met to the microsecond */
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
    run->done = done_by(run, now);
    WideTime held =
        (WideTime)dt * (run->n_placed - (run->gang.graph.has_server && run->task[run->n_tasks - 1].gpu >= 0));
    if (run_is_paused(run)) held = 0; /* others may use what it left */
    if (run->rate > 0)
        out->useful += held;
    else if (run->stalled > run->updated)
        out->restart += held;
    else
        out->idle += held;
    out->idle += (WideTime)dt * run->n_copies; /* of a task and its copy one is of use */
    run->far += (WideTime)run->far_rate * dt;

    SimTime at;
    if (job->deadline > run->updated && job->deadline <= now)
        out->epochs_at_deadline =
            number_min(before + run->rate * (double)(job->deadline - run->updated), run->work) / run_epoch_us(run);
    if (isfinite(run->enough) && passed(run, run->enough, before, now, &at)) out->accurate_at = at;
    run->updated = now;
}

/* ---- who is to be settled ---- */

void physics_mark(Physics *p, Run *run)
{
    if (run->dirty) return;
    run->dirty = true;
    p->dirty[p->n_dirty++] = run;
}

void physics_note_server(Physics *p, ServerId s)
{
    p->server[s].version++;
    if (p->server_new[s]) return;
    p->server_new[s] = true;
    p->new_server[p->n_new_servers++] = s;
}

void physics_mark_server(Physics *p, ServerId s)
{
    physics_note_server(p, s);
    if (p->server_dirty[s]) return;
    p->server_dirty[s] = true;
    p->dirty_server[p->n_dirty_servers++] = s;
}

/* ---- rates ---- */

/* Relative speed of each of several tasks on one GPU whose demands add up to u (algorithms.md 14.3). */
static double sharing_speed(double u)
{
    return u < 2 ? number_min(1, 1.20 - 0.27 * u) : 1.32 / u;
}

static double slow_of(const Physics *p, const Run *run, const Task *t)
{
    double slow = p->cpu_slow[t->server];
    if (run_is_server(run, t->index) || p->gpu[t->gpu].n_active <= 1) return slow;
    return slow / sharing_speed(p->gpu[t->gpu].busy / 1000.0);
}

/* A copy that computes faster than its task. */
static bool copy_is_faster(const Physics *p, const Run *run, int k)
{
    return run_has_copy(run, k) && run->copy[k].active &&
           slow_of(p, run, &run->copy[k]) < slow_of(p, run, &run->task[k]);
}

/* Where its tasks are, or the faster copies, and how slow they compute there. */
static Spots find_spots(const Physics *p, const Run *run, bool with_friction, bool with_copies)
{
    for (int k = 0; k < run->n_tasks; k++) {
        const Task *t = with_copies && copy_is_faster(p, run, k) ? &run->copy[k] : &run->task[k];
        p->spot_server[k] = t->server;
        p->spot_gpu[k] = t->gpu;
        p->spot_slow[k] = t->gpu >= 0 && with_friction ? slow_of(p, run, t) : 1;
    }
    return (Spots){p->spot_server, p->spot_gpu};
}

static Friction friction_of(const Physics *p)
{
    return (Friction){p->spot_slow, (const double(*)[N_NICS])p->nic_share};
}

static bool replica_runs(const Run *run, int r)
{
    int m = run->gang.graph.partitions;
    if (run_is_paused(run)) return false;
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
        for (int k = r * run->gang.graph.partitions; k < (r + 1) * run->gang.graph.partitions; k++) {
            loads_set_active(e->physics, run, &run->task[k], runs);
            if (run_has_copy(run, k))
                loads_set_active(e->physics, run, &run->copy[k], runs && e->now >= run->copy[k].ready);
        }
        any |= runs;
    }
    if (run->gang.graph.has_server) loads_set_active(e->physics, run, &run->task[run->n_tasks - 1], any);
}

void physics_put_rates(Physics *p, const Run *run, int by)
{
    for (int i = 0; i < run->n_rates; i++) {
        const NicRate *r = &run->rates[i];
        for (Nic nic = 0; nic < N_NICS; nic++) p->server[r->server].nic[nic] += by * r->bytes_per_s[nic];
        physics_mark_server(p, r->server);
    }
}

/* What the copies that compute exchange beside the tasks, whichever is faster. */
static void add_copies(const Physics *p, const Run *run, Epoch *epoch)
{
    for (int k = 0; k < run->n_tasks; k++) {
        p->spot_server[k] = run->task[k].server;
        p->spot_gpu[k] = run->task[k].gpu;
    }
    for (int k = 0; k < run->n_tasks; k++)
        if (run_has_copy(run, k) && run->copy[k].active)
            speed_add_copy(&run->gang, &p->network, (Spots){p->spot_server, p->spot_gpu}, k, run->copy[k].server,
                           epoch);
}

/* What the job puts on the NICs where it is now: from its speed without anybody's friction. */
static void refresh_rates(Engine *e, Run *run)
{
    Physics *p = e->physics;
    physics_put_rates(p, run, -1);
    run->n_rates = 0;
    run->far_bytes = 0;
    if (run->n_tasks == 1) return;
    Epoch epoch = {.use = p->spot_use};
    speed_epoch(&run->gang, &p->network, find_spots(p, run, false, false), (Friction){0}, &epoch);
    if (run->n_copies && isfinite(epoch.seconds)) add_copies(p, run, &epoch);
    run->far_bytes = isfinite(epoch.seconds) ? epoch.far_bytes : 0;
    if (e->now < run->stalled || run_is_paused(run) || !isfinite(epoch.seconds) || epoch.seconds <= 0) return;
    for (int i = 0; i < epoch.n_uses; i++) {
        NicRate *r = &run->rates[run->n_rates++];
        r->server = epoch.use[i].server;
        for (Nic nic = 0; nic < N_NICS; nic++)
            r->bytes_per_s[nic] = (int64_t)llrint(epoch.use[i].bytes[nic] / epoch.seconds);
    }
    physics_put_rates(p, run, +1);
}

/* A server's contention; true if it is not what it was. */
static bool refresh_server(Engine *e, ServerId s)
{
    Physics *p = e->physics;
    const ServerLoad *load = &p->server[s];
    const ServerClass *c = cluster_spec_class(e->cluster.spec, s);
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

void physics_set_far_rate(Physics *p, Run *run, int64_t rate)
{
    p->far_rate += rate - run->far_rate;
    run->far_rate = rate;
}

/* Seconds of an epoch here and now. */
static double epoch_seconds(const Physics *p, Run *run)
{
    Spots spots = find_spots(p, run, true, false);
    if (run->links_known) {
        run->links.seconds = speed_again(&run->gang, spots, p->spot_slow, &run->links);
    } else {
        speed_epoch(&run->gang, &p->network, spots, friction_of(p), &run->links);
        run->links_known = true;
    }
    if (!run->n_copies) return run->links.seconds;
    Epoch faster = {0};
    speed_epoch(&run->gang, &p->network, find_spots(p, run, true, true), friction_of(p), &faster);
    return number_min(faster.seconds,
                      run->links.seconds); /* the first result counts, if a copy's has the longer way too */
}

/* Times slower a job of one task computes: it has nobody to talk to. */
static double slow_alone(const Physics *p, const Run *run)
{
    return slow_of(p, run, copy_is_faster(p, run, 0) ? &run->copy[0] : &run->task[0]);
}

/* When the next of the copies will have its state; TIME_NEVER: all have. */
static SimTime next_ready(const Engine *e, const Run *run)
{
    SimTime next = TIME_NEVER;
    for (int k = 0; run->n_copies && k < run->n_tasks; k++)
        if (run_has_copy(run, k) && run->copy[k].ready > e->now && run->copy[k].ready < next) next = run->copy[k].ready;
    return next;
}

static void refresh_rate(Engine *e, Run *run)
{
    Physics *p = e->physics;
    Job *job = &e->job[run->id];
    double rate = 0;
    physics_integrate(e, run);
    run->links_known &= !run->moved;
    if (run->n_placed && e->now >= run->stalled && !run_is_paused(run)) {
        if (run->n_tasks == 1) { /* no need to walk a path */
            rate = 1 / slow_alone(p, run);
        } else {
            double seconds = epoch_seconds(p, run);
            rate = isfinite(seconds) ? (seconds > 0 ? run->ideal_s / seconds : 1) : 0;
        }
    }
    if (rate == run->rate && !run->moved && run->pending) return; /* its events still hold */
    p->n_working += (rate > 0) - (run->rate > 0);
    run->rate = rate;
    physics_set_far_rate(p, run, run->work > 0 ? llrint(run->far_bytes * rate / run_epoch_us(run) * 1e6) : 0);
    job->progress = run->work > 0 ? run->done / run->work : 0;
    job->pace = run->work > 0 ? rate / run->work : 0;
    job->paced = e->now;
    job->epoch++;
    e->n_stale += run->pending;
    run->pending = 0;
    if (run->n_placed && e->now < run->stalled) push(e, run, EVENT_STALL_OVER, run->stalled);
    SimTime ready = next_ready(e, run);
    if (ready != TIME_NEVER) push(e, run, EVENT_COPY_READY, ready);
    if (rate <= 0) return;
    push(e, run, EVENT_END, time_for(e, run->work - run->done, rate));
    const JobSpec *spec = &e->config->workload->job[run->id];
    if (run->attempt < spec->n_failed && (double)spec->failed_at[run->attempt] < run->work)
        push(e, run, EVENT_ATTEMPT_OVER, time_for(e, (double)spec->failed_at[run->attempt] - run->done, rate));
    int next = physics_epochs_done(run, e->now) + 1;
    if (e->config->policy->on_epoch && next < run->model->epochs)
        push(e, run, EVENT_EPOCH, time_for(e, next * run_epoch_us(run) - run->done, rate));
}

/* The contention of a server has changed: for all in a list of its tasks. */
static void mark_links(Physics *p, const Task *list)
{
    for (const Task *t = list; t; t = t->next_here) {
        physics_mark(p, p->run[t->job]);
        p->run[t->job]->links_known = false;
    }
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
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) mark_links(p, p->gpu[g].task);
        mark_links(p, p->server[s].servers);
    }
    p->n_dirty_servers = 0;
    for (int i = 0; i < p->n_dirty; i++) {
        Run *run = p->dirty[i];
        refresh_rate(e, run);
        run->dirty = run->moved = false;
    }
    p->n_dirty = 0;
}

void physics_epoch(Engine *e, Job *job)
{
    Run *run = e->physics->run[job->id];
    physics_integrate(e, run);
    run->moved = true; /* the next epoch's event is wanted */
    physics_mark(e->physics, run);
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
    physics_mark(e->physics, run);
}

int64_t physics_move_bytes(const Run *run, int k)
{
    return jobmodel_parameter_bytes(run->model, k) * 3 + 200000000;
}

SimTime physics_carry(Engine *e, Job *job, int k, GpuId from, GpuId to)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    ServerId a = cluster_server_of(&e->cluster, from), b = cluster_server_of(&e->cluster, to);
    int64_t bytes = physics_move_bytes(run, k);
    double speed = p->move_bytes_per_s;
    if (speed <= 0) {
        Nic nic = network_nic(&p->network, a, b);
        speed = a == b ? p->network.inside[a].bytes_per_s
                       : number_min(p->network.nic[a][nic].bytes_per_s, p->network.nic[b][nic].bytes_per_s);
    }
    if (a != b) p->outcome[job->id].move_bytes += bytes;
    if (a != b) e->moved_bytes += bytes;
    return time_add(e->now, p->move_base + time_from_seconds((double)bytes / speed));
}

void physics_move(Engine *e, Job *job, int k, GpuId from, GpuId to)
{
    Task *t = &e->physics->run[job->id]->task[k];
    t->moves++;
    t->moved = e->now;
    physics_stall(e, job, physics_carry(e, job, k, from, to));
}

void physics_advance(Engine *e, SimTime dt)
{
    Physics *p = e->physics;
    e->result->busy_time += (WideTime)dt * p->busy;
    p->far += (WideTime)dt * p->far_rate;
    if (dt && p->n_working) e->barren_rounds = 0;
}

void physics_census(Engine *e)
{
    const Physics *p = e->physics;
    e->census.load_mean = (double)p->load / 1000 / (double)e->census.gpus_total;
    e->census.bytes_moved = e->moved_bytes + (int64_t)(p->far / 1000000);
}
