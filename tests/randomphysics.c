/* tests/randomphysics.c -- small worlds under a policy that does whatever can be asked for, at random.
 *
 * It starts jobs whole and in part, evicts, moves, duplicates, pauses, resumes, preempts, widens, narrows, relaxes and
 * stops, while servers break, are repaired and have slow spells; nothing that it asks for may be refused.
 *
 * The engine keeps loads and rates up to date change by change.  The reference here works them all out anew after every
 * round, from where the tasks are and from nothing else, and integrates progress, bytes and GPU time with them; both
 * must agree.  What every scheduler must leave true (algorithms.md 18.13: no progress without tasks, epochs conserved
 * but for what a failure costs, no job faster than its computation, memory within its walls, waiting within the time in
 * the system) is checked on the way, and two runs of one world must tell the same story.
 */
#include "tests/scripted.h"

#include "sim/base/hash.h"
#include "sim/model/speed.h"

enum { MOST_JOBS = 12, MOST_TASKS = 17, MOST_GPUS = 64, WORLDS = 150 };

enum { PAUSED, RESUMED, COPIED, DROPPED, FAILED, NARROWED, WIDENED, RELAXED, SLOWED, N_DEEDS }; /* seen at least once */

/* ---- the reference ---- */

typedef struct Ref {
    Gang gang;
    double work, ideal_s; /* microseconds in all; seconds of an epoch under the ideal placement */
    double floor;         /* computation's share of it: 1 - phi, or less where the job contends with itself for a NIC */
    double rate, done;
    double far_bytes, far; /* between servers an epoch, and so far */
    int epochs;
    SimTime stalled, ready[MOST_TASKS]; /* when the copy of a task has its state */
    WideTime useful, restart, idle;
    int n_placed, n_copies; /* GPU tasks, in the interval that now ends */
} Ref;

typedef struct Reference {
    World *world;
    const Sched *sched; /* of the policy, to look through */
    Network network;
    Ref job[MOST_JOBS];
    SimTime now;
    int64_t busy; /* thousandths of a GPU in the interval that now ends */
    int n_held;   /* GPUs that have a task, paused ones included */
    WideTime busy_time, gpu_time;
    uint64_t story;
    Rng rng;
    int wild; /* decisions left before it calms down */
    int deeds[N_DEEDS];
} Reference;
static Reference ref;

static void calibrate(World *w)
{
    ref.network = network_make(&w->arena, &w->cluster);
    IdealOrder order = ideal_order_make(&w->arena, &w->cluster, &ref.network);
    ServerId server[MOST_TASKS];
    GpuId gpu[MOST_TASKS];
    for (int i = 0; i < w->workload.n; i++) {
        const JobModel *m = &w->models->job[i];
        Ref *r = &ref.job[i];
        *r = (Ref){.work = (double)w->workload.job[i].duration, .epochs = m->epochs};
        r->gang = (Gang){.graph = m->graph,
                         .volumes = m->volumes,
                         .micro_batches = 1,
                         .rounds = m->rounds,
                         .overlap = m->topology == TOPOLOGY_RING ? .3 : 0};
        double epoch_s = r->work / 1e6 / m->epochs;
        ideal_placement(&order, &r->gang, server, gpu);
        speed_calibrate(&r->gang, &ref.network, (Spots){server, gpu}, epoch_s, .5, &w->arena);
        r->ideal_s = speed_alone(&r->gang, &ref.network, (Spots){server, gpu}, &w->arena);
        r->floor = r->ideal_s > 0 ? r->gang.compute_s / r->ideal_s : 0;
        if (w->models->pipeline) r->gang.micro_batches = 4 * m->graph.stages;
    }
}

/* Everything about this instant's placements. */
typedef struct Picture {
    int load[MOST_GPUS], busy[MOST_GPUS], n_active[MOST_GPUS], n_tasks[MOST_GPUS];
    int cores[MOST_GPUS], memory[MOST_GPUS], gpu_memory[MOST_GPUS];
    double rates[MOST_GPUS][N_NICS], shares[MOST_GPUS][N_NICS];
} Picture;

static bool replica_runs(const Task *task, const TaskGraph *g, int r)
{
    for (int k = r * g->partitions; k < (r + 1) * g->partitions; k++)
        if (task[k].gpu < 0) return false;
    return !g->has_server || task[taskgraph_n_tasks(g) - 1].gpu >= 0;
}

static bool is_active(const Ref *r, const Task *task, int k)
{
    const TaskGraph *g = &r->gang.graph;
    if (ref.now < r->stalled || task[k].gpu < 0 || task[k].paused) return false;
    if (!task_is_server(g, k)) return replica_runs(task, g, task_replica(g, k));
    for (int i = 0; i < g->replicas; i++)
        if (replica_runs(task, g, i)) return true;
    return false;
}

static void add_task(Picture *p, const Task *t, bool on_gpu, bool active)
{
    p->memory[t->server] += t->need.memory_mib;
    p->n_tasks[t->gpu] += on_gpu;
    if (t->paused) return; /* it has its place and its host memory, no more */
    p->cores[t->server] += t->need.cores;
    if (!on_gpu) return; /* a parameter server */
    p->load[t->gpu] += t->demand;
    p->busy[t->gpu] += active ? t->demand : t->demand * 5 / 100;
    p->n_active[t->gpu] += active;
    p->gpu_memory[t->gpu] += t->need.gpu_memory_mib;
}

static void add_tasks(Picture *p, const Job *job)
{
    const Task *task = sched_tasks(ref.sched, job), *copies = sched_copies(ref.sched, job);
    for (int k = 0; k < job->n_tasks; k++) {
        bool active = is_active(&ref.job[job->id], task, k);
        assert_int_equal(task[k].active, active);
        if (task[k].gpu >= 0) add_task(p, &task[k], k < job->n_gpus, active);
        if (!copies || k >= job->n_gpus || copies[k].gpu < 0) continue;
        assert_true(copies[k].server != task[k].server && copies[k].demand == task[k].demand);
        active &= ref.now >= ref.job[job->id].ready[k];
        assert_int_equal(copies[k].active, active);
        add_task(p, &copies[k], true, active);
    }
}

typedef struct Where {
    ServerId server[MOST_TASKS];
    GpuId gpu[MOST_TASKS];
    double slow[MOST_TASKS];
} Where;

static double slow_of(const Picture *p, const Task *t, bool on_gpu)
{
    const ClusterSpec *spec = &ref.world->cluster;
    int cores = spec->class_of[spec->server[t->server].class_index].cores;
    double slow = sched_slowness(ref.sched, t->server), u = p->busy[t->gpu] / 1000.0;
    if (cores && p->cores[t->server] > cores) slow *= (double)p->cores[t->server] / cores;
    if (on_gpu && p->n_active[t->gpu] > 1) slow /= u < 2 ? fmin(1, 1.2 - .27 * u) : 1.32 / u;
    return slow;
}

/* Where the job computes: with copies, each task where it is faster. */
static Where where_of(const Picture *p, const Job *job, bool with_copies)
{
    const Task *task = sched_tasks(ref.sched, job), *copies = with_copies ? sched_copies(ref.sched, job) : NULL;
    Where w = {0};
    for (int k = 0; k < job->n_tasks; k++) {
        bool on_gpu = k < job->n_gpus;
        w.server[k] = task[k].server, w.gpu[k] = task[k].gpu;
        w.slow[k] = task[k].gpu < 0 ? 1 : slow_of(p, &task[k], on_gpu);
        if (!copies || !on_gpu || !copies[k].active) continue;
        double there = slow_of(p, &copies[k], true);
        if (there >= w.slow[k]) continue;
        w.server[k] = copies[k].server, w.gpu[k] = copies[k].gpu, w.slow[k] = there;
    }
    return w;
}

static bool stands_still(const Job *job)
{
    return job->state != JOB_RUNNING || ref.now < ref.job[job->id].stalled;
}

static void add_traffic(Picture *p, const Job *job)
{
    const Task *copies = sched_copies(ref.sched, job);
    NicUse use[2 * MOST_TASKS];
    Epoch epoch = {.use = use};
    Where w = where_of(p, job, false);
    Spots spots = {w.server, w.gpu};
    speed_epoch(&ref.job[job->id].gang, &ref.network, spots, (Friction){0}, &epoch);
    ref.job[job->id].far_bytes = 0;
    if (!isfinite(epoch.seconds)) return;
    for (int k = 0; copies && k < job->n_gpus; k++)
        if (copies[k].active) speed_add_copy(&ref.job[job->id].gang, &ref.network, spots, k, copies[k].server, &epoch);
    ref.job[job->id].far_bytes = epoch.far_bytes;
    if (stands_still(job) || epoch.seconds <= 0) return;
    for (int i = 0; i < epoch.n_uses; i++)
        for (int nic = 0; nic < N_NICS; nic++)
            p->rates[use[i].server][nic] += (double)llrint(use[i].bytes[nic] / epoch.seconds);
}

static double rate_of(const Picture *p, const Job *job)
{
    double least = HUGE_VAL;
    for (int with_copies = 0; with_copies < 2; with_copies++) {
        NicUse use[MOST_TASKS];
        Epoch epoch = {.use = use};
        Where w = where_of(p, job, with_copies);
        speed_epoch(&ref.job[job->id].gang, &ref.network, (Spots){w.server, w.gpu}, (Friction){w.slow, p->shares},
                    &epoch);
        least = fmin(least, epoch.seconds);
    }
    if (stands_still(job) || !isfinite(least)) return 0;
    return least > 0 ? ref.job[job->id].ideal_s / least : 1;
}

static Picture picture(void)
{
    Picture p = {0};
    EACH_JOB (id, sched_live(ref.sched)) add_tasks(&p, sched_job(ref.sched, id));
    EACH_JOB (id, sched_live(ref.sched)) add_traffic(&p, sched_job(ref.sched, id));
    for (int s = 0; s < ref.network.n_servers; s++)
        for (Nic nic = 0; nic < N_NICS; nic++) p.shares[s][nic] = nic_share(&ref.network, s, nic, p.rates[s]);
    return p;
}

/* What happened since the last instant, at the rates of then. */
static void integrate(SimTime now)
{
    SimTime dt = now - ref.now;
    ref.busy_time += (WideTime)dt * ref.busy;
    ref.gpu_time += (WideTime)dt * ref.n_held;
    for (int i = 0; i < ref.world->workload.n; i++) {
        Ref *r = &ref.job[i];
        WideTime held = (WideTime)dt * r->n_placed;
        r->done = fmin(r->done + r->rate * (double)dt, r->work);
        if (r->work > 0) r->far += r->rate * (double)dt * r->far_bytes * r->epochs / r->work;
        *(r->rate > 0 ? &r->useful : ref.now < r->stalled ? &r->restart : &r->idle) += held;
        r->idle += (WideTime)dt * r->n_copies;
    }
    ref.now = now;
}

/* When a copy that is made now will have its state, by the slower of the two NICs between. */
static SimTime carried(const Job *job, int task, GpuId gpu)
{
    const Cluster *cluster = sched_cluster(ref.sched);
    ServerId from = sched_tasks(ref.sched, job)[task].server, to = cluster_server_of(cluster, gpu);
    Nic nic = network_nic(&ref.network, from, to);
    double speed = fmin(ref.network.nic[from][nic].bytes_per_s, ref.network.nic[to][nic].bytes_per_s);
    return ref.now + 5 * TIME_SECOND + time_from_seconds(sched_move_bytes(ref.sched, job, task) / speed);
}

static void saw(void *self, const Happening *h)
{
    Ref *r = &ref.job[h->job->id];
    (void)self;
    if (h->at != ref.now) integrate(h->at);
    if (h->stalled > r->stalled) r->stalled = h->stalled;
    if (h->kind == HAPPENS_FAIL) { /* back to the last whole epoch */
        double epoch = r->work / r->epochs;
        if (r->work > 0) r->done = fmin(r->done, floor(r->done / epoch * (1 + 1e-12)) * epoch);
        ref.deeds[FAILED]++;
    }
    if (h->kind == HAPPENS_DUPLICATE) r->ready[h->task] = carried(h->job, h->task, h->gpus[0]);
    int32_t words[] = {(int32_t)h->kind, h->job->id, h->task, h->n_gpus};
    ref.story = hash_bytes(hash_bytes(ref.story, words, sizeof words), &h->at, sizeof h->at);
    if (h->n_gpus) ref.story = hash_bytes(ref.story, h->gpus, (size_t)h->n_gpus * sizeof *h->gpus);
}

static void compare_servers(const Picture *p)
{
    const ClusterSpec *spec = &ref.world->cluster;
    for (ServerId s = 0; s < spec->n_servers; s++) {
        const ServerLoad *kept = sched_server_load(ref.sched, s);
        const ServerClass *c = &spec->class_of[spec->server[s].class_index];
        assert_true(kept->memory_mib == p->memory[s] && kept->cores == p->cores[s]);
        assert_true(!c->memory_mib || kept->memory_mib <= c->memory_mib);
        if (sched_slowness(ref.sched, s) > 1) ref.deeds[SLOWED]++;
    }
}

static void compare_gpus(const Picture *p)
{
    int memory = ref.world->cluster.class_of[0].gpu_memory_mib;
    ref.busy = ref.n_held = 0;
    for (GpuId g = 0; g < ref.world->cluster.n_gpus; g++) {
        const GpuLoad *kept = sched_gpu_load(ref.sched, g);
        bool broken = sched_cluster(ref.sched)->holder[g] == GPU_BROKEN;
        assert_true(kept->memory_mib == p->gpu_memory[g] && (!memory || kept->memory_mib <= memory));
        assert_true(!broken || kept->n_tasks == 0);
        assert_true(kept->load == p->load[g] && kept->busy == p->busy[g]);
        assert_true(kept->n_active == p->n_active[g] && kept->n_tasks == p->n_tasks[g]);
        ref.n_held += p->n_tasks[g] > 0;
        ref.busy += p->busy[g] < 1000 ? p->busy[g] : 1000;
    }
}

static void rounded(void *self, const Census *census, const Cluster *cluster)
{
    (void)self;
    (void)cluster;
    integrate(census->at);
    Picture p = picture();
    compare_gpus(&p);
    compare_servers(&p);
    for (int i = 0; i < ref.world->workload.n; i++) ref.job[i].rate = ref.job[i].n_placed = ref.job[i].n_copies = 0;
    EACH_JOB (id, sched_live(ref.sched)) {
        const Job *job = sched_job(ref.sched, id);
        Ref *r = &ref.job[id];
        GpuId gpus[MOST_TASKS];
        r->n_placed = job->state == JOB_PAUSED ? 0 : sched_gpus(ref.sched, job, gpus);
        const Task *copies = sched_copies(ref.sched, job);
        for (int k = 0; copies && k < job->n_gpus; k++) r->n_copies += copies[k].gpu >= 0;
        r->rate = rate_of(&p, job);
        assert_true(job->state == JOB_RUNNING || r->rate == 0); /* no progress without tasks */
        if (r->work <= 0) continue;
        if (fabs(job->pace * r->work - r->rate) > 1e-9 * r->rate)
            fail_msg("job %d at %lld: pace %.12g, reference %.12g", id, (long long)ref.now, job->pace * r->work,
                     r->rate);
        assert_true(fabs(job_progress(job, ref.now) * r->work - r->done) < 1 + 1e-9 * r->work);
    }
}
static const Observer reference_observer = {.name = "reference", .on_happening = saw, .on_round = rounded};

/* ---- the policy ---- */

static int below(int n)
{
    return (int)rng_below(&ref.rng, n);
}

static GpuId gpu_with_room(Sched *s, const Job *job, int task)
{
    int n = sched_pool(s)->n_gpus, from = below(n);
    for (int i = 0; i < n; i++)
        if (sched_has_room(s, job, task, (from + i) % n)) return (from + i) % n;
    return -1;
}

static void granted(Ask ask)
{
    if (ask != ASK_GRANTED) fail_msg("refused: %s", ask_name(ask));
}

static void place_some(Sched *s, const Job *job, int percent)
{
    for (int k = 0; k < job->n_tasks; k++) {
        GpuId gpu = sched_tasks(s, job)[k].gpu < 0 && below(100) < percent ? gpu_with_room(s, job, k) : -1;
        if (gpu >= 0) granted(sched_place(s, job->id, k, gpu));
    }
}

/* GPUs for tasks first .. first+n-1, one each, among those from `from` on: free ones, or any that have room.  `extra`
 * is host memory that the job takes elsewhere on each server. */
static bool choose(Sched *s, const Job *job, int first, int n, bool shared, int extra[], GpuId gpus[])
{
    const ClusterSpec *spec = sched_cluster(s)->spec;
    int n_gpus = sched_pool(s)->n_gpus, from = below(n_gpus), found = 0;
    for (int i = 0; i < n_gpus && found < n; i++) {
        GpuId g = (from + i) % n_gpus;
        ServerId server = cluster_server_of(sched_cluster(s), g);
        int memory = spec->class_of[spec->server[server].class_index].memory_mib;
        int need = sched_tasks(s, job)[first + found].need.memory_mib;
        bool server_task = first + found == job->n_gpus;
        if (!server_task && !shared && sched_cluster(s)->holder[g] != -1) continue;
        if (!sched_has_room(s, job, first + found, g)) continue;
        if (memory && sched_server_load(s, server)->memory_mib + extra[server] + need > memory) continue;
        extra[server] += need;
        gpus[found++] = g;
    }
    return found == n;
}

/* The first `width` replicas. */
static void start_some(Sched *s, const Job *job, int width, bool shared)
{
    int extra[MOST_GPUS] = {0}, n = width * job->graph->partitions;
    GpuId gpus[MOST_TASKS];
    if (!choose(s, job, 0, n, shared, extra, gpus)) return;
    if (job->graph->has_server && !choose(s, job, job->n_gpus, 1, true, extra, gpus + n)) return;
    n += job->graph->has_server;
    granted(width < job->graph->replicas ? sched_start_narrow(s, job->id, width, gpus, n)
                                         : sched_start(s, job->id, gpus, n));
}

static int placed_of(Sched *s, const Job *job, int replica)
{
    int n = 0, m = job->graph->partitions;
    for (int k = replica * m; k < (replica + 1) * m; k++) n += sched_tasks(s, job)[k].gpu >= 0;
    return n;
}

static void widen(Sched *s, const Job *job)
{
    int extra[MOST_GPUS] = {0}, m = job->graph->partitions, r = 0;
    GpuId gpus[MOST_TASKS];
    while (r < job->graph->replicas && placed_of(s, job, r)) r++;
    if (r == job->graph->replicas || !choose(s, job, r * m, m, true, extra, gpus)) return;
    granted(sched_widen(s, job->id, gpus, m));
    ref.deeds[WIDENED]++;
}

static void narrow(Sched *s, const Job *job)
{
    int r = below(job->graph->replicas);
    if (!sched_replica_placed(s, job, r) || sched_width(s, job) < 2) return;
    granted(sched_narrow(s, job->id, r));
    ref.deeds[NARROWED]++;
}

static void pause_job(Sched *s, const Job *job)
{
    bool whole = !job->graph->has_server || sched_tasks(s, job)[job->n_gpus].gpu >= 0;
    for (int r = 0; r < job->graph->replicas; r++) whole &= placed_of(s, job, r) % job->graph->partitions == 0;
    if (!whole) return;
    granted(sched_pause(s, job->id));
    ref.deeds[PAUSED]++;
}

/* Whether all its tasks find memory where they are. */
static bool can_resume(Sched *s, const Job *job)
{
    const Task *task = sched_tasks(s, job);
    int memory = sched_cluster(s)->spec->class_of[0].gpu_memory_mib, wanted[MOST_GPUS] = {0};
    for (int k = 0; k < job->n_gpus; k++)
        if (task[k].gpu >= 0) wanted[task[k].gpu] += task[k].need.gpu_memory_mib;
    for (GpuId g = 0; g < sched_pool(s)->n_gpus && memory; g++)
        if (wanted[g] && sched_gpu_load(s, g)->memory_mib + wanted[g] > memory) return false;
    return true;
}

static void duplicate(Sched *s, const Job *job, int task)
{
    const Task *copies = sched_copies(s, job);
    if (task >= job->n_gpus || sched_tasks(s, job)[task].gpu < 0) return;
    if (copies && copies[task].gpu >= 0) {
        if (below(3) == 0) granted(sched_drop(s, job->id, task)), ref.deeds[DROPPED]++;
        return;
    }
    GpuId gpu = gpu_with_room(s, job, task);
    if (gpu < 0 || cluster_server_of(sched_cluster(s), gpu) == sched_tasks(s, job)[task].server) return;
    granted(sched_duplicate(s, job->id, task, gpu));
    ref.deeds[COPIED]++;
}

static void act_on_running(Sched *s, const Job *job)
{
    int task = below(job->n_tasks);
    bool placed = sched_tasks(s, job)[task].gpu >= 0;
    GpuId gpu = gpu_with_room(s, job, task);
    switch (below(13)) {
    case 0: place_some(s, job, 100); break;
    case 1: place_some(s, job, 50); break;
    case 2:
    case 3:
        if (placed && gpu >= 0) granted(sched_migrate(s, job->id, task, gpu));
        break;
    case 4:
        if (placed) granted(sched_evict(s, job->id, task));
        break;
    case 5: granted(sched_preempt(s, job->id)); break;
    case 6: pause_job(s, job); break;
    case 7: widen(s, job); break;
    case 8: narrow(s, job); break;
    default: duplicate(s, job, task);
    }
}

static void act(Sched *s, const Job *job)
{
    int task = below(job->n_tasks);
    if (below(60) == 0) {
        granted(sched_stop(s, job->id, "a whim"));
        return;
    }
    if (below(8) == 0) {
        StopOption option = (StopOption)((int)job->stop + below((int)job->stop_limit - (int)job->stop + 1));
        granted(sched_relax(s, job->id, option));
        assert_true(job->effective == option);
        ref.deeds[RELAXED]++;
    }
    if (job->state == JOB_RUNNING) {
        act_on_running(s, job);
    } else if (job->state == JOB_WAITING) {
        if (below(3) == 0)
            place_some(s, job, 70);
        else
            start_some(s, job, 1 + below(job->graph->replicas), below(2));
    } else if (below(3) == 0) {
        granted(sched_preempt(s, job->id));
    } else if (below(3) == 0) {
        GpuId gpu = gpu_with_room(s, job, task);
        if (sched_tasks(s, job)[task].gpu >= 0 && gpu >= 0) granted(sched_migrate(s, job->id, task, gpu));
    } else if (can_resume(s, job)) {
        granted(sched_resume(s, job->id));
        ref.deeds[RESUMED]++;
    }
}

/* Whole gangs on GPUs of their own, so that all ends well. */
static void be_calm(Sched *s)
{
    EACH_JOB (id, sched_live(s)) {
        const Job *job = sched_job(s, id);
        int n = 0;
        for (int k = 0; k < job->n_tasks; k++) n += sched_tasks(s, job)[k].gpu >= 0;
        if (job->state == JOB_PAUSED || (n && n < job->n_tasks)) granted(sched_preempt(s, id));
    }
    EACH_JOB (id, sched_waiting(s)) start_some(s, sched_job(s, id), sched_job(s, id)->graph->replicas, false);
}

static void wild_schedule(Sched *s, void *state)
{
    (void)state;
    ref.sched = s;
    if (ref.wild-- > 0) {
        const JobSet *live = sched_live(s);
        for (int i = below(4); i > 0 && live->n; i--) {
            int pick = below(live->n), n = 0;
            JobId chosen = -1;
            EACH_JOB (id, live)
                if (n++ == pick) chosen = id;
            act(s, sched_job(s, chosen));
        }
    } else {
        be_calm(s);
    }
    if (sched_live(s)->n) sched_wake_at(s, sched_now(s) + (1 + below(100)) * TIME_SECOND);
}

static void no_epoch(Sched *s, void *state, const Job *job)
{
    (void)state;
    int done = sched_epochs_done(s, job);
    assert_true(done >= 1 && done < job->epochs && fabs(job_progress(job, sched_now(s)) * job->epochs - done) < 1e-3);
}
static const Policy wild = {.name = "wild", .state_size = 1, .schedule = wild_schedule};
static const Policy wild_epochs = {.name = "wild", .state_size = 1, .schedule = wild_schedule, .on_epoch = no_epoch};

/* ---- worlds ---- */

static void draw_world(World *w, uint64_t seed, ServerClass *class)
{
    static const char *const clusters[] = {"2x4", "3x2", "1x8", "26x2", "5x1"};
    char jobs[MOST_JOBS * 40] = "", setting[60];
    size_t used = 0;
    rng_open(&ref.rng, seed, "world", 0);
    const char *cluster = clusters[below(5)];
    int n = 2 + below(MOST_JOBS - 1), most = strcmp(cluster, "5x1") ? 6 : 5;
    for (int i = 0, at = 0; i < n; i++, at += below(400))
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, at,
                                 1 + below(most), below(12) ? 1 + below(3000) : 0);
    world_open(w, cluster);
    w->seed = seed;
    world_set(w, below(3) ? "run.tick=60" : "run.tick=0");
    world_set(w, below(2) ? "model.demand=varying" : "model.demand=constant");
    world_set(w, below(4) ? "model.schedule=sequential" : "model.schedule=pipeline");
    world_set(w, below(3) ? "model.families=alexnet,resnet,mlp,lstm,svm" : "model.families=transformer,alexnet");
    snprintf(setting, sizeof setting, "model.volume_mb=%d,%d", 50, below(3) ? 100 : 5000);
    world_set(w, setting);
    if (below(2)) world_set(w, "fail.mtbf=1"), world_set(w, "fail.mttr=0.1");
    if (below(2)) world_set(w, "fail.straggler=0.2"), world_set(w, "fail.straggler_s=200");
    world_jobs(w, jobs);
    *class = w->cluster.class_of[0];
    if (below(2)) class->gpu_memory_mib = 16384;
    if (below(2)) class->memory_mib = class->n_gpus * 12288 + 8192;
    if (below(2)) class->cores = class->n_gpus * 2;
    if (below(4) == 0) class->network_bytes_per_s = 1e9;
    w->cluster.class_of = class;
    models_of(w);
}

static void check_outcomes(const World *w)
{
    for (int i = 0; i < w->workload.n; i++) {
        const Job *job = &w->result.job[i];
        const JobOutcome *o = &w->result.outcome[i];
        const Ref *r = &ref.job[i];
        assert_int_equal(job->state, JOB_DONE);
        assert_true(o->useful == r->useful && o->restart == r->restart && o->idle == r->idle);
        if (!job->stop_reason) assert_true(o->epochs_done == job->epochs);
        double share = o->epochs_done / job->epochs;
        if (r->work > 0) assert_true(fabs(share * r->work - r->done) < 2 + 1e-9 * r->work);
        /* 20.1(4): no epoch is quicker than its computation; a pipeline is, as it computes its stages side by side. */
        SimTime jct = job->ended - job->submit;
        if (!w->models->pipeline) assert_true((double)jct >= r->floor * r->work * share - 1);
        assert_true(o->accuracy_final >= o->accuracy_at_deadline - 1e-12);
        assert_true((o->accurate_at == TIME_NEVER) == (o->accuracy_final < job->accuracy_required));
        assert_true(o->accurate_at == TIME_NEVER || (o->accurate_at > job->submit && o->accurate_at <= job->ended) ||
                    r->work <= 0);
        SimTime waited = jct - job->attained;
        assert_true(waited >= 0 && waited <= jct);
        assert_true(fabs((double)o->far_bytes - r->far) < 20 + 1e-6 * r->far);
        if (w->cluster.n_servers == 1) assert_true(o->far_bytes == 0 && o->move_bytes == 0);
    }
    assert_true(w->result.busy_time == ref.busy_time && w->result.gpu_time == ref.gpu_time);
}

static uint64_t run_world(uint64_t seed)
{
    World w;
    ServerClass class;
    ref = (Reference){.world = &w, .story = HASH_START};
    draw_world(&w, seed, &class);
    calibrate(&w);
    rng_open(&ref.rng, seed, "deeds", 0);
    ref.wild = 40 + below(100);
    w.also = (Watcher){&reference_observer, NULL};
    if (!world_try(&w, seed % 2 ? &wild : &wild_epochs))
        fail_msg("world %llu: %s", (unsigned long long)seed, w.err.text);
    check_outcomes(&w);
    uint64_t story = hash_bytes(ref.story, w.result.outcome, (size_t)w.workload.n * sizeof *w.result.outcome);
    world_close(&w);
    return story;
}

static void whatever_a_policy_does(void **state)
{
    (void)state;
    int deeds[N_DEEDS] = {0};
    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        assert_true(run_world(seed) == run_world(seed));
        for (int i = 0; i < N_DEEDS; i++) deeds[i] += ref.deeds[i];
    }
    for (int i = 0; i < N_DEEDS; i++) assert_true(deeds[i] >= 20); /* else this would have tested nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_a_policy_does)};
    return cmocka_run_group_tests_name("random physics", tests, NULL, NULL);
}
