/* tests/conformance.c -- what every policy in the list promises; a new policy is tested by being listed.
 *
 * Each promise is tried in many scenes: clusters of equal and of mixed servers, every place.mode, decisions at once and
 * on ticks, random jobs of mixed widths with ties, simultaneous submissions, zero and fractional durations, deadlines,
 * one job wider than any server and one that can never run.  Every run is strict, fully audited, and satisfies the
 * identities of world.h.
 */
#include "tests/world.h"

enum { JOBS = 40, SEEDS = 2 };

/* ---- scenes ---- */

typedef struct Scene {
    const char *cluster, *mode, *tick;
    uint64_t seed;
} Scene;

static SimTime drawn_time(Rng *rng, int most, bool whole)
{
    return whole ? rng_below(rng, most + 1) * TIME_SECOND : rng_below(rng, most * TIME_SECOND);
}

/* Jobs for the cluster that is open; the one that can never run stands at position `misfit`. */
static void draw_jobs(World *w, uint64_t seed, int misfit)
{
    static const char *const models[] = {NULL, "resnet50", "vgg19"};
    JobSpec *job = NEW_ARRAY(&w->arena, JobSpec, JOBS + 1);
    int total = w->cluster.n_gpus, largest = 0;
    for (int i = 0; i < w->cluster.n_classes; i++)
        if (w->cluster.class_of[i].n_gpus > largest) largest = w->cluster.class_of[i].n_gpus;
    Rng rng;
    rng_open(&rng, seed, "conformance", 0);
    bool whole = seed % 2 != 0;
    SimTime submit = 5 * TIME_SECOND;
    for (int i = 0; i < JOBS; i++) {
        if (i && rng_below(&rng, 3)) submit += drawn_time(&rng, 30, whole);
        JobSpec *j = &job[i];
        *j = (JobSpec){.name = arena_format(&w->arena, "j%d", i),
                       .model = models[rng_below(&rng, 3)],
                       .submit = submit,
                       .deadline = TIME_NEVER,
                       .urgency = (double)NAN,
                       .accuracy_required = (double)NAN,
                       .n_gpus = 1 << rng_below(&rng, 4)};
        if (rng_below(&rng, 4) == 0) j->n_gpus = 1 + (int)rng_below(&rng, total);
        if (j->n_gpus > total) j->n_gpus = total;
        j->duration = drawn_time(&rng, rng_below(&rng, 5) ? 60 : 600, whole);
        if (rng_below(&rng, 6) == 0) j->duration = 0;
        if (i && rng_below(&rng, 4) == 0) j->duration = j[-1].duration;
        if (rng_below(&rng, 2)) j->deadline = j->duration * (1 + rng_below(&rng, 4));
    }
    job[1].n_gpus = total > largest ? largest + 1 : total;
    job[misfit].n_gpus = total + 1;
    w->workload = (Workload){.job = job, .n = JOBS, .source = "drawn", .format = "drawn", .load = 1};
    w->workload.arrival_scale = 1;
}

/* Three servers of 2 and two of 8 GPUs, in an order that no rule would choose. */
static void open_mixed(World *w)
{
    static const ServerClass classes[] = {{.n_gpus = 2}, {.n_gpus = 8}};
    static const ServerSpec servers[] = {{0, -1}, {1, -1}, {0, -1}, {1, -1}, {0, -1}};
    world_open(w, "1x1");
    w->cluster = (ClusterSpec){
        .name = "mixed", .class_of = classes, .n_classes = 2, .server = servers, .n_servers = 5, .n_gpus = 22};
}

/* The limits of Tiresias' queues are met within these short runs and divide by every width, so that an exact multiple
 * of all times stays one in whole microseconds. */
static void open_scene(World *w, const Scene *scene)
{
    if (strcmp(scene->cluster, "mixed") == 0)
        open_mixed(w);
    else
        world_open(w, scene->cluster);
    world_set(w, arena_format(&w->arena, "place.mode=%s", scene->mode));
    world_set(w, arena_format(&w->arena, "run.tick=%s", scene->tick));
    world_set(w, "tiresias.thresholds=232.79256,931.17024");
    world_set(w, "tiresias.promote=2");
    world_set(w, "borg.quantum_s=15");
    w->seed = scene->seed;
    draw_jobs(w, scene->seed, JOBS / 2);
}

typedef void (*Promise)(World *w, const Policy *policy, const Scene *scene);

static void keep(Promise promise, const char *only_tick)
{
    static const char *const clusters[] = {"4x4", "1x8", "mixed"};
    static const char *const modes[] = {"packed", "count", "random", "consolidate"};
    static const char *const ticks[] = {"0", "60", "7.5"};
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < (c == 2 ? 3 : 4); m++) /* consolidate wants equal servers */
            for (int t = 0; t < (only_tick ? 1 : 3); t++)
                for (uint64_t seed = 1; seed <= SEEDS; seed++)
                    EACH_PLAIN_POLICY (p) {
                        Scene scene = {clusters[c], modes[m], only_tick ? only_tick : ticks[t], seed};
                        World w;
                        open_scene(&w, &scene);
                        promise(&w, *p, &scene);
                        world_close(&w);
                    }
}

/* A result stays good until its world is closed. */
static SimResult run(World *w, const Policy *policy)
{
    if (!world_try(w, policy)) fail_msg("%s", w->err.text);
    return w->result;
}

/* ---- comparing two runs ---- */

typedef struct Change { /* what the second run should be made of: t -> scale x t + shift */
    SimTime scale, shift;
} Change;
static const Change no_change = {1, 0};

static SimTime changed(SimTime t, Change c)
{
    return t == TIME_NEVER ? t : t * c.scale + c.shift;
}

static void expect_same_job(const Job *a, const Job *b, Change c, const Policy *policy, const Scene *scene)
{
    if (changed(a->first_started, c) == b->first_started && changed(a->ended, c) == b->ended && a->state == b->state &&
        changed(a->started, c) == b->started && a->attained * c.scale == b->attained &&
        a->preemptions == b->preemptions)
        return;
    fail_msg("%s on %s, place.mode=%s, run.tick=%s, seed %d: job %d was %.6f-%.6f (%d preemptions), then job %d "
             "%.6f-%.6f (%d)",
             policy->name, scene->cluster, scene->mode, scene->tick, (int)scene->seed, a->id,
             time_seconds(a->first_started), time_seconds(a->ended), a->preemptions, b->id,
             time_seconds(b->first_started), time_seconds(b->ended), b->preemptions);
}

static void expect_same(const SimResult *a, const SimResult *b, Change c, const Policy *policy, const Scene *scene)
{
    for (int i = 0; i < a->n && i < b->n; i++) expect_same_job(&a->job[i], &b->job[i], c, policy, scene);
}

/* Draws named by a job's position change when jobs before it come or go. */
static bool draws_by_position(const Policy *policy, const Scene *scene)
{
    return strcmp(policy->name, "random") == 0 || strcmp(scene->mode, "random") == 0;
}

/* ---- promises ---- */

static void completes(World *w, const Policy *policy, const Scene *scene)
{
    (void)scene;
    SimResult r = run(w, policy);
    WideTime work = 0;
    SimTime longest = 0, last = 0;
    for (int i = 0; i < r.n; i++) {
        const JobSpec *spec = &w->workload.job[i];
        bool fits = spec->n_gpus <= w->cluster.n_gpus;
        assert_int_equal(r.job[i].state, fits ? JOB_DONE : JOB_UNSCHEDULABLE);
        if (!fits) continue;
        work += (WideTime)spec->duration * spec->n_gpus;
        if (spec->duration > longest) longest = spec->duration;
        last = spec->submit;
    }
    assert_true(work == r.gpu_time && !r.cut && r.complete && r.refusals == 0);
    SimTime makespan = r.last_end - r.first_submit;
    assert_true((WideTime)makespan * w->cluster.n_gpus >= work);
    assert_true(makespan >= longest && makespan >= last - r.first_submit);
}

static void repeats(World *w, const Policy *policy, const Scene *scene)
{
    SimResult a = run(w, policy), b = run(w, policy);
    expect_same(&a, &b, no_change, policy, scene);
    assert_true(a.n_events == b.n_events && a.n_rounds == b.n_rounds && a.gpu_time == b.gpu_time);
}

static void shifts(World *w, const Policy *policy, const Scene *scene)
{
    Change c = {1, 1234567890123};
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    for (int i = 0; i < JOBS; i++) job[i].submit += c.shift;
    SimResult b = run(w, policy);
    expect_same(&a, &b, c, policy, scene);
    assert_true(a.n_rounds == b.n_rounds && a.gpu_time == b.gpu_time && a.waiting_time == b.waiting_time);
}

/* By a power of two, so that even a policy that thinks in doubles decides alike.  Keys that are times go along; a
 * policy with a constant of its own that is no key fails here. */
static void scales(World *w, const Policy *policy, const Scene *scene)
{
    Change c = {4, 0};
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    for (int i = 0; i < JOBS; i++) {
        job[i].submit *= c.scale;
        job[i].duration *= c.scale;
        if (job[i].deadline != TIME_NEVER) job[i].deadline *= c.scale;
    }
    world_set(w, arena_format(&w->arena, "run.tick=%g", atof(scene->tick) * 4));
    world_set(w, "tiresias.thresholds=931.17024,3724.68096");
    world_set(w, "borg.quantum_s=60");
    SimResult b = run(w, policy);
    expect_same(&a, &b, c, policy, scene);
    assert_true(b.gpu_time == 4 * a.gpu_time && b.waiting_time == 4 * a.waiting_time);
}

static void ignores_what_comes_later(World *w, const Policy *policy, const Scene *scene)
{
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    job[JOBS] = job[0];
    job[JOBS].name = "later";
    job[JOBS].submit = a.last_end + 100 * TIME_SECOND;
    w->workload.n++;
    SimResult b = run(w, policy);
    expect_same(&a, &b, no_change, policy, scene);
    assert_int_equal(b.job[JOBS].state, JOB_DONE);
}

static void ignores_what_can_never_run(World *w, const Policy *policy, const Scene *scene)
{
    int misfit = draws_by_position(policy, scene) ? JOBS - 1 : JOBS / 2;
    draw_jobs(w, scene->seed, misfit);
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    memmove(&job[misfit], &job[misfit + 1], (size_t)(JOBS - 1 - misfit) * sizeof *job);
    w->workload.n--;
    SimResult b = run(w, policy);
    for (int i = 0; i < b.n; i++) expect_same_job(&a.job[i + (i >= misfit)], &b.job[i], no_change, policy, scene);
}

static void starts_at_once_where_there_is_room(World *w, const Policy *policy, const Scene *scene)
{
    if (!cluster_spec_read("64x64", NULL, &w->arena, &w->cluster, &w->err)) fail_msg("%s", w->err.text);
    SimResult r = run(w, policy);
    for (int i = 0; i < JOBS; i++)
        if (r.job[i].ended - r.job[i].submit != w->workload.job[i].duration || r.job[i].preemptions)
            fail_msg("%s, place.mode=%s: job %d waits among free GPUs", policy->name, scene->mode, i);
}

/* Whose order is made of what servers have free. */
static bool orders_by_places(const Policy *policy)
{
    return strcmp(policy->name, "graphene") == 0 || strcmp(policy->name, "tetris") == 0;
}

/* count, packed and random place whatever there are enough free GPUs for, so they decide nothing about times; neither
 * does the order of servers. */
static void times_do_not_depend_on_places(World *w, const Policy *policy, const Scene *scene)
{
    if (strcmp(scene->mode, "count") != 0 || orders_by_places(policy)) return;
    SimResult a = run(w, policy);
    world_set(w, "place.mode=packed");
    SimResult b = run(w, policy);
    expect_same(&a, &b, no_change, policy, scene);
    world_set(w, "place.mode=random");
    b = run(w, policy);
    expect_same(&a, &b, no_change, policy, scene);

    ServerSpec *server = NEW_ARRAY(&w->arena, ServerSpec, w->cluster.n_servers);
    for (int i = 0; i < w->cluster.n_servers; i++) server[i] = w->cluster.server[(i + 2) % w->cluster.n_servers];
    w->cluster.server = server;
    world_set(w, "place.mode=packed");
    b = run(w, policy);
    expect_same(&a, &b, no_change, policy, scene);
}

/* Cut at a horizon, a run is the beginning of the whole one. */
static void a_cut_run_is_a_beginning(World *w, const Policy *policy, const Scene *scene)
{
    SimResult whole = run(w, policy);
    Rng rng;
    rng_open(&rng, scene->seed, "horizon", 0);
    SimTime span = whole.last_end - whole.first_submit;
    SimTime horizons[] = {0, rng_below(&rng, span), whole.job[JOBS / 3].ended - whole.first_submit, span - 1, span};
    for (size_t h = 0; h < sizeof horizons / sizeof *horizons; h++) {
        w->horizon = horizons[h];
        SimResult cut = run(w, policy);
        SimTime limit = cut.first_submit + w->horizon;
        assert_true(cut.stopped_at <= limit && (cut.cut ? cut.stopped_at == limit : limit >= whole.last_end));
        for (int i = 0; i < JOBS; i++) {
            const Job *a = &whole.job[i], *b = &cut.job[i];
            assert_int_equal(b->state == JOB_FUTURE, a->submit > limit);
            if (a->state == JOB_DONE) assert_int_equal(b->state == JOB_DONE, a->ended <= limit);
            if (a->ended <= limit) expect_same_job(a, b, no_change, policy, scene);
            if (a->first_started <= limit) assert_true(b->first_started == a->first_started);
        }
    }
}

/* A trace with an idle gap is two traces.  Not so for who learns: tiresias-g knows the sizes of jobs that ended. */
static void an_idle_gap_splits_a_trace(World *w, const Policy *policy, const Scene *scene)
{
    if (draws_by_position(policy, scene) || strcmp(policy->name, "tiresias-g") == 0) return;
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    SimTime tick = time_from_seconds(atof(scene->tick));
    Change c = {1, a.last_end - a.first_submit + 1000 * TIME_SECOND};
    if (tick) c.shift += tick - c.shift % tick; /* onto the grid of decisions */
    memcpy(job + JOBS, job, JOBS * sizeof *job);
    for (int i = 0; i < JOBS; i++) {
        job[JOBS + i].name = arena_format(&w->arena, "again%d", i);
        job[JOBS + i].submit += c.shift;
    }
    w->workload.n = 2 * JOBS;
    SimResult b = run(w, policy);
    for (int i = 0; i < JOBS; i++) {
        expect_same_job(&a.job[i], &b.job[i], no_change, policy, scene);
        expect_same_job(&a.job[i], &b.job[JOBS + i], c, policy, scene);
    }
}

static void p1_every_job_that_fits_completes(void **state)
{
    (void)state;
    keep(completes, NULL);
}

static void p2_equal_runs_are_equal(void **state)
{
    (void)state;
    keep(repeats, NULL);
}

static void d2_4_shifting_all_times_changes_nothing(void **state)
{
    (void)state;
    keep(shifts, NULL);
}

static void d2_4_scaling_all_times_scales(void **state)
{
    (void)state;
    keep(scales, NULL);
}

static void d2_4_a_job_after_the_end_changes_nothing(void **state)
{
    (void)state;
    keep(ignores_what_comes_later, NULL);
}

static void d2_4_an_unschedulable_job_changes_nothing(void **state)
{
    (void)state;
    keep(ignores_what_can_never_run, NULL);
}

static void d2_3_nothing_waits_where_there_is_room(void **state)
{
    (void)state;
    keep(starts_at_once_where_there_is_room, "0");
}

static void d2_4_times_do_not_depend_on_places(void **state)
{
    (void)state;
    keep(times_do_not_depend_on_places, NULL);
}

static void p3_a_cut_run_is_a_beginning(void **state)
{
    (void)state;
    keep(a_cut_run_is_a_beginning, NULL);
}

static void d2_4_an_idle_gap_splits_a_trace(void **state)
{
    (void)state;
    keep(an_idle_gap_splits_a_trace, NULL);
}

/* ---- virtual clusters ---- */

static const VcSpec three_vcs[] = {{"A", 3}, {"B", 2}, {"C", 1}};

/* Six servers of four in three VCs; the first jobs of all come together, so that the ticks of separate runs agree. */
static void open_vcs(World *w, const Scene *scene)
{
    static const char *const names[] = {"A", "B", "C", "elsewhere", NULL};
    open_scene(w, scene);
    w->cluster.vc = three_vcs;
    w->cluster.n_vcs = 3;
    JobSpec *job = world_own_jobs(w);
    Rng rng;
    rng_open(&rng, scene->seed, "vc", 0);
    for (int i = 0; i < JOBS; i++) {
        job[i].vc = names[i < 3 ? i : rng_below(&rng, 12) < 11 ? rng_below(&rng, 3) : 3 + rng_below(&rng, 2)];
        if (i < 3) job[i].submit = job[0].submit, job[i].n_gpus = 1;
    }
}

/* The one VC alone: jobs of others belong to no VC then, and names drawn by position stay the same. */
static void expect_vc_as_alone(World *w, const Policy *policy, const Scene *scene, const SimResult *all, int v)
{
    ClusterSpec whole = w->cluster;
    w->cluster.vc = &three_vcs[v];
    w->cluster.n_vcs = 1;
    w->cluster.server = whole.server; /* all servers are alike */
    w->cluster.n_servers = three_vcs[v].n_servers;
    w->cluster.n_gpus = 4 * three_vcs[v].n_servers;
    SimResult alone = run(w, policy);
    int n = 0;
    for (int i = 0; i < JOBS; i++) {
        const char *vc = w->workload.job[i].vc;
        if (!vc || strcmp(vc, three_vcs[v].name) != 0) continue;
        n++;
        expect_same_job(&all->job[i], &alone.job[i], no_change, policy, scene);
        assert_int_equal(alone.job[i].state == JOB_UNSCHEDULABLE, w->workload.job[i].n_gpus > w->cluster.n_gpus);
    }
    assert_true(n > 0);

    if (draws_by_position(policy, scene)) {
        w->cluster = whole;
        return;
    }
    Workload with_others = w->workload; /* and as a cluster and a trace of their own, where a VC is a label */
    JobSpec *job = NEW_ARRAY(&w->arena, JobSpec, n);
    int place[JOBS];
    n = 0;
    for (int i = 0; i < JOBS; i++) {
        const char *vc = with_others.job[i].vc;
        if (vc && strcmp(vc, three_vcs[v].name) == 0) job[n] = with_others.job[i], place[n++] = i;
    }
    w->workload.job = job;
    w->workload.n = n;
    w->cluster.vc = NULL;
    w->cluster.n_vcs = 0;
    alone = run(w, policy);
    for (int i = 0; i < n; i++) expect_same_job(&all->job[place[i]], &alone.job[i], no_change, policy, scene);
    w->workload = with_others;
    w->cluster = whole;
}

static void p4_a_vc_runs_as_if_alone(void **state)
{
    (void)state;
    static const char *const modes[] = {"packed", "count", "random", "consolidate"};
    for (int m = 0; m < 4; m++)
        for (int t = 0; t < 2; t++)
            for (uint64_t seed = 1; seed <= SEEDS; seed++)
                EACH_PLAIN_POLICY (p) {
                    Scene scene = {"6x4", modes[m], t ? "7.5" : "0", seed};
                    World w;
                    open_vcs(&w, &scene);
                    SimResult all = run(&w, *p);
                    for (int i = 0; i < JOBS; i++) {
                        const char *vc = w.workload.job[i].vc;
                        if (!vc || strcmp(vc, "elsewhere") == 0) assert_int_equal(all.job[i].state, JOB_UNSCHEDULABLE);
                    }
                    for (int v = 0; v < 3; v++) expect_vc_as_alone(&w, *p, &scene, &all, v);
                    world_close(&w);
                }
}

/* ---- nothing idles that could run ---- */

typedef struct Idling {
    bool waits[JOBS];
    int width[JOBS];
    bool head_only;    /* may idle while its first waiting job does not fit */
    bool consolidates; /* fits: by the rule of place.mode=consolidate */
    const char *policy;
} Idling;

static void note_waiting(void *self, const Happening *h)
{
    Idling *idling = self;
    idling->waits[h->job->id] = h->kind == HAPPENS_ARRIVE || h->kind == HAPPENS_PREEMPT;
    idling->width[h->job->id] = h->job->n_gpus;
}

/* Whole free servers for all but the rest, and one more that has room for that. */
static bool fits_consolidated(const Cluster *c, int n)
{
    int size = c->server[0].n_gpus, whole = n / size, rest = n % size, most = 0;
    for (int s = 0; s < c->spec->n_servers; s++) {
        int n_free = c->server[s].n_free;
        if (n_free == size && whole)
            whole--;
        else if (n_free > most)
            most = n_free;
    }
    return !whole && rest <= most;
}

static void expect_nobody_fits(void *self, const Census *census, const Cluster *cluster)
{
    const Idling *idling = self;
    for (int i = 0; i < JOBS; i++) {
        if (!idling->waits[i]) continue;
        int n = idling->width[i];
        if (idling->consolidates ? fits_consolidated(cluster, n) : n <= cluster->n_free)
            fail_msg("%s at %.6f: job %d waits for %d GPUs and %d are free", idling->policy, time_seconds(census->at),
                     i, idling->width[i], cluster->n_free);
        if (idling->head_only) return;
    }
}

static const Observer idling_observer = {
    .name = "idling", .on_happening = note_waiting, .on_round = expect_nobody_fits};

static void idles_nothing(World *w, const Policy *policy, const Scene *scene)
{
    if (strcmp(policy->name, "sjf") == 0) return; /* its head is not the first that came */
    Idling idling = {.policy = policy->name, .consolidates = strcmp(scene->mode, "consolidate") == 0};
    static const char *const heads[] = {"fifo", "easy", "gandiva"};
    for (size_t i = 0; i < 3; i++) idling.head_only |= strcmp(policy->name, heads[i]) == 0;
    w->also = (Watcher){&idling_observer, &idling};
    run(w, policy);
}

static void p5_no_gpu_idles_that_a_waiting_job_could_use(void **state)
{
    (void)state;
    keep(idles_nothing, "0");
}

static void p6_five_thousand_jobs_of_no_length(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    World base;
    Arena runs = {0};
    world_open(&base, "1x1");
    base.unaudited = true; /* walks all waiting jobs at each of 5,000 decisions */
    JobSpec *job = NEW_ARRAY(&base.arena, JobSpec, MANY);
    for (int i = 0; i < MANY; i++)
        job[i] = (JobSpec){.name = "zero", .submit = TIME_SECOND, .deadline = TIME_NEVER, .n_gpus = 1};
    base.workload = (Workload){.job = job, .n = MANY};
    EACH_PLAIN_POLICY (p) {
        World w = base;
        w.arena = runs;
        SimResult r = run(&w, *p);
        for (int i = 0; i < MANY; i++) assert_true(r.job[i].state == JOB_DONE && r.job[i].ended == TIME_SECOND);
        runs = w.arena;
        arena_reset(&runs);
    }
    arena_free(&runs);
    world_close(&base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p1_every_job_that_fits_completes),
        cmocka_unit_test(p2_equal_runs_are_equal),
        cmocka_unit_test(d2_4_shifting_all_times_changes_nothing),
        cmocka_unit_test(d2_4_scaling_all_times_scales),
        cmocka_unit_test(d2_4_a_job_after_the_end_changes_nothing),
        cmocka_unit_test(d2_4_an_unschedulable_job_changes_nothing),
        cmocka_unit_test(d2_3_nothing_waits_where_there_is_room),
        cmocka_unit_test(d2_4_times_do_not_depend_on_places),
        cmocka_unit_test(p3_a_cut_run_is_a_beginning),
        cmocka_unit_test(d2_4_an_idle_gap_splits_a_trace),
        cmocka_unit_test(p4_a_vc_runs_as_if_alone),
        cmocka_unit_test(p5_no_gpu_idles_that_a_waiting_job_could_use),
        cmocka_unit_test(p6_five_thousand_jobs_of_no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
