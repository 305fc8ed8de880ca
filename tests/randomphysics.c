/* tests/randomphysics.c -- small worlds under a policy that places, evicts, moves, preempts and stops at random.
 *
 * The engine keeps loads and rates up to date change by change.  The reference here works them all out anew after every
 * round, from where the tasks are and from nothing else, and integrates progress, bytes and GPU time with them; both
 * must agree.  What every scheduler must leave true (no progress without tasks, epochs conserved, no job faster than
 * its computation) is checked on the way, and two runs of one world must tell the same story.
 */
#include "tests/scripted.h"

#include "sim/base/hash.h"
#include "sim/model/speed.h"

enum { MOST_JOBS = 12, MOST_TASKS = 17, MOST_GPUS = 64, WORLDS = 150 };

/* ---- the reference ---- */

typedef struct Ref {
    Gang gang;
    double work, ideal_s; /* microseconds in all; seconds of an epoch under the ideal placement */
    double floor;         /* computation's share of it: 1 - phi, or less where the job contends with itself for a NIC */
    double rate, done, far;
    SimTime stalled;
    WideTime useful, restart, idle;
    int n_placed; /* GPU tasks, in the interval that now ends */
} Ref;

typedef struct Reference {
    World *world;
    const Sched *sched; /* of the policy, to look through */
    Network network;
    Ref job[MOST_JOBS];
    SimTime now;
    int64_t busy; /* thousandths of a GPU in the interval that now ends */
    WideTime busy_time;
    uint64_t story;
    Rng rng;
    int wild; /* decisions left before it calms down */
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
        *r = (Ref){.work = (double)w->workload.job[i].duration};
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
    int cores[MOST_GPUS];
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
    if (ref.now < r->stalled || task[k].gpu < 0) return false;
    if (!task_is_server(g, k)) return replica_runs(task, g, task_replica(g, k));
    for (int i = 0; i < g->replicas; i++)
        if (replica_runs(task, g, i)) return true;
    return false;
}

static void add_tasks(Picture *p, const Job *job)
{
    const Task *task = sched_tasks(ref.sched, job);
    for (int k = 0; k < job->n_tasks; k++) {
        bool active = is_active(&ref.job[job->id], task, k);
        assert_int_equal(task[k].active, active);
        if (task[k].gpu < 0) continue;
        p->cores[task[k].server] += task[k].need.cores;
        if (k == job->n_gpus) continue; /* a parameter server */
        p->load[task[k].gpu] += task[k].demand;
        p->busy[task[k].gpu] += active ? task[k].demand : task[k].demand * 5 / 100;
        p->n_active[task[k].gpu] += active;
        p->n_tasks[task[k].gpu]++;
    }
}

static Epoch epoch_of(const Job *job, Friction friction, NicUse use[])
{
    const Task *task = sched_tasks(ref.sched, job);
    ServerId server[MOST_TASKS];
    GpuId gpu[MOST_TASKS];
    for (int k = 0; k < job->n_tasks; k++) server[k] = task[k].server, gpu[k] = task[k].gpu;
    Epoch epoch = {.use = use};
    speed_epoch(&ref.job[job->id].gang, &ref.network, (Spots){server, gpu}, friction, &epoch);
    return epoch;
}

static bool stands_still(const Job *job)
{
    return job->state != JOB_RUNNING || ref.now < ref.job[job->id].stalled;
}

static void add_traffic(Picture *p, const Job *job)
{
    NicUse use[MOST_TASKS];
    Epoch epoch = epoch_of(job, (Friction){0}, use);
    if (stands_still(job) || !isfinite(epoch.seconds) || epoch.seconds <= 0) return;
    for (int i = 0; i < epoch.n_uses; i++)
        for (int nic = 0; nic < N_NICS; nic++)
            p->rates[use[i].server][nic] += (double)llrint(use[i].bytes[nic] / epoch.seconds);
}

static double rate_of(const Picture *p, const Job *job)
{
    const Task *task = sched_tasks(ref.sched, job);
    const ClusterSpec *spec = &ref.world->cluster;
    double slow[MOST_TASKS];
    NicUse use[MOST_TASKS];
    for (int k = 0; k < job->n_tasks; k++) {
        slow[k] = 1;
        if (task[k].gpu < 0) continue;
        int cores = spec->class_of[spec->server[task[k].server].class_index].cores;
        if (cores && p->cores[task[k].server] > cores) slow[k] = (double)p->cores[task[k].server] / cores;
        double u = p->busy[task[k].gpu] / 1000.0;
        if (k < job->n_gpus && p->n_active[task[k].gpu] > 1) slow[k] /= u < 2 ? fmin(1, 1.2 - .27 * u) : 1.32 / u;
    }
    Epoch epoch = epoch_of(job, (Friction){slow, p->shares}, use);
    if (stands_still(job) || !isfinite(epoch.seconds)) return 0;
    return epoch.seconds > 0 ? ref.job[job->id].ideal_s / epoch.seconds : 1;
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
    for (int i = 0; i < ref.world->workload.n; i++) {
        Ref *r = &ref.job[i];
        WideTime held = (WideTime)dt * r->n_placed;
        r->done = fmin(r->done + r->rate * (double)dt, r->work);
        *(r->rate > 0 ? &r->useful : ref.now < r->stalled ? &r->restart : &r->idle) += held;
    }
    ref.now = now;
}

static void saw(void *self, const Happening *h)
{
    Ref *r = &ref.job[h->job->id];
    (void)self;
    if (h->at != ref.now) integrate(h->at);
    if (h->stalled > r->stalled) r->stalled = h->stalled;
    int32_t words[] = {(int32_t)h->kind, h->job->id, h->task, h->n_gpus};
    ref.story = hash_bytes(hash_bytes(ref.story, words, sizeof words), &h->at, sizeof h->at);
    if (h->n_gpus) ref.story = hash_bytes(ref.story, h->gpus, (size_t)h->n_gpus * sizeof *h->gpus);
}

static void compare_gpus(const Picture *p)
{
    ref.busy = 0;
    for (GpuId g = 0; g < ref.world->cluster.n_gpus; g++) {
        const GpuLoad *kept = sched_gpu_load(ref.sched, g);
        assert_true(kept->load == p->load[g] && kept->busy == p->busy[g]);
        assert_true(kept->n_active == p->n_active[g] && kept->n_tasks == p->n_tasks[g]);
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
    for (int i = 0; i < ref.world->workload.n; i++) ref.job[i].rate = ref.job[i].n_placed = 0;
    EACH_JOB (id, sched_live(ref.sched)) {
        const Job *job = sched_job(ref.sched, id);
        Ref *r = &ref.job[id];
        GpuId gpus[MOST_TASKS];
        r->n_placed = sched_gpus(ref.sched, job, gpus);
        r->rate = rate_of(&p, job);
        assert_true(job->state == JOB_RUNNING || r->rate == 0); /* no progress without tasks */
        if (r->work <= 0) continue;
        if (fabs(job->pace * r->work - r->rate) > 1e-9 * r->rate)
            fail_msg("job %d at %lld: pace %.12g, reference %.12g", id, (long long)ref.now, job->pace * r->work,
                     r->rate);
        assert_true(fabs(job_progress(job, ref.now) * r->work - r->done) < 1 + 1e-9 * r->work);
    }
}
static const Observer reference_observer = {"reference", saw, rounded};

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

static void act(Sched *s, const Job *job)
{
    int task = below(job->n_tasks);
    bool placed = sched_tasks(s, job)[task].gpu >= 0;
    GpuId gpu = gpu_with_room(s, job, task);
    switch (below(8)) {
    case 0:
        if (job->state == JOB_WAITING && sched_pool(s)->n_free >= job->n_gpus) place_start(s, PLACE_RANDOM, job);
        break;
    case 1: place_some(s, job, 100); break;
    case 2: place_some(s, job, 50); break;
    case 3:
    case 4:
        if (placed && gpu >= 0) granted(sched_migrate(s, job->id, task, gpu));
        break;
    case 5:
        if (placed) granted(sched_evict(s, job->id, task));
        break;
    case 6:
        if (job->state == JOB_RUNNING) granted(sched_preempt(s, job->id));
        break;
    case 7:
        if (below(20) == 0) granted(sched_stop(s, job->id, "a whim"));
        break;
    }
}

/* Whole gangs on GPUs of their own, so that all ends well. */
static void be_calm(Sched *s)
{
    EACH_JOB (id, sched_live(s)) {
        const Job *job = sched_job(s, id);
        bool partial = job->state == JOB_RUNNING;
        for (int k = 0, n = 0; k < job->n_tasks && partial; k++)
            if ((n += sched_tasks(s, job)[k].gpu >= 0) == job->n_tasks) partial = false;
        if (partial) granted(sched_preempt(s, id));
    }
    EACH_JOB (id, sched_waiting(s)) place_start(s, PLACE_COUNT, sched_job(s, id)); /* host memory may refuse it */
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
    w->lax = true; /* the last placements are tried without looking at host memory */
    world_set(w, below(3) ? "run.tick=60" : "run.tick=0");
    world_set(w, below(2) ? "model.demand=varying" : "model.demand=constant");
    world_set(w, below(4) ? "model.schedule=sequential" : "model.schedule=pipeline");
    world_set(w, below(3) ? "model.families=alexnet,resnet,mlp,lstm,svm" : "model.families=transformer,alexnet");
    snprintf(setting, sizeof setting, "model.volume_mb=%d,%d", 50, below(3) ? 100 : 5000);
    world_set(w, setting);
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
    WideTime held = 0;
    for (int i = 0; i < w->workload.n; i++) {
        const Job *job = &w->result.job[i];
        const JobOutcome *o = &w->result.outcome[i];
        const Ref *r = &ref.job[i];
        assert_int_equal(job->state, JOB_DONE);
        assert_true(o->useful == r->useful && o->restart == r->restart && o->idle == r->idle);
        held += o->useful + o->restart + o->idle;
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
        if (w->cluster.n_servers == 1) assert_true(o->far_bytes == 0 && o->move_bytes == 0);
    }
    assert_true(w->result.busy_time == ref.busy_time);
    assert_true(held >= w->result.gpu_time); /* shared GPUs count for each task, but for one holder only */
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
    for (uint64_t seed = 1; seed <= WORLDS; seed++) assert_true(run_world(seed) == run_world(seed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_a_policy_does)};
    return cmocka_run_group_tests_name("random physics", tests, NULL, NULL);
}
