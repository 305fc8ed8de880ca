/* tests/metamorphic.c -- what must not change when jobs have an inside: every policy, in drawn worlds.
 *
 * conformance.c asks this of the policies that run in `plain`; here are all, with partitions, demands that vary, shared
 * GPUs, moves and stalls.  Two runs are equal if each job's times, preemptions, epochs, bytes and GPU time are, to the
 * last digit.
 *
 * Not asked: that all times may be multiplied (a restart lasts 30 s and a network carries so many bytes a second,
 * whatever the jobs do), and that servers may change places (ties between hosts go to the lowest id, and which hosts a
 * gang has decides how fast it is).
 */
#include "tests/drawn.h"
#include "tests/model.h"

enum { WORLDS = 8 };

/* Policies that look inside are worth most here, so the queue is often long and the keys are those of the presets. */
static void open_one(World *w, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "metamorphic", 0);
    open_drawn(w, seed, &rng);
    static const char *const wide[] = {"8x2", "5x3"};
    if (seed % 2 && !cluster_spec_read(wide[seed / 2 % 2], NULL, &w->arena, &w->cluster, &w->err))
        fail_msg("%s", w->err.text);
    SET_DRAWN("run.tick", "60", "60", "90");
    SET_DRAWN("place.mode", "packed", "packed", "count");
    SET_DRAWN("place.share", "0", "0.9");
    SET_DRAWN("model.demand", "varying", "varying", "constant");
    SET_DRAWN("model.gang", "job", "job", "replica", "task");
    SET_DRAWN("mlf_h.requeue", "undo", "job", "task");
    SET_DRAWN("mlf_h.p_s", "0.1", "0.5", "1");
    SET_DRAWN("mlf_h.cooldown", "3", "0");
    SET_DRAWN("mlf_h.reserve_h", "0", "0", "1");
    world_set(w, "rl.blas=reference");
    world_set(w, arena_format(&w->arena, "mlf_rl.model=%s/mlf-rl", folder));
    world_set(w, arena_format(&w->arena, "rl.model=%s/rl", folder));
    draw_jobs(w, seed, "metamorphic");
    models_of(w);
}

/* The inside of job i, to be written. */
static JobModel *own_model(World *w, int i)
{
    return (JobModel *)(uintptr_t)&w->models->job[i];
}

static void set_n(World *w, int n)
{
    w->workload.n = n;
    ((JobModels *)(uintptr_t)w->models)->n = n;
}

static SimResult run(World *w, const Policy *policy)
{
    if (!world_try(w, policy)) fail_msg("%s: %s", policy->name, w->err.text);
    return w->result;
}

static SimTime later(SimTime t, SimTime shift)
{
    return t == TIME_NEVER ? t : t + shift;
}

/* Job i of one run, and job j of another, everything of which comes `shift` later. */
static void expect_same_job(const char *what, const Policy *policy, uint64_t seed, const SimResult *a, int i,
                            const SimResult *b, int j, SimTime shift)
{
    const Job *x = &a->job[i], *y = &b->job[j];
    const JobOutcome *p = &a->outcome[i], *q = &b->outcome[j];
    bool times = later(x->first_started, shift) == y->first_started && later(x->ended, shift) == y->ended &&
                 later(p->accurate_at, shift) == q->accurate_at && x->attained == y->attained;
    bool deeds = x->state == y->state && x->preemptions == y->preemptions && x->stop_reason == y->stop_reason;
    bool inside = p->epochs_done == q->epochs_done && p->far_bytes == q->far_bytes && p->move_bytes == q->move_bytes &&
                  p->accuracy_final == q->accuracy_final && p->epochs_at_deadline == q->epochs_at_deadline &&
                  p->useful == q->useful && p->restart == q->restart && p->idle == q->idle;
    if (times && deeds && inside) return;
    fail_msg("%s, %s, seed %d: job %d was %.6f-%.6f (%d preemptions, %.9g epochs, %lld bytes), then %.6f-%.6f (%d, "
             "%.9g, %lld)",
             what, policy->name, (int)seed, i, time_seconds(x->first_started), time_seconds(x->ended), x->preemptions,
             p->epochs_done, (long long)p->far_bytes, time_seconds(y->first_started), time_seconds(y->ended),
             y->preemptions, q->epochs_done, (long long)q->far_bytes);
}

/* ---- promises ---- */

typedef void (*Promise)(World *w, const Policy *policy, uint64_t seed);

static void keep(Promise promise)
{
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        for (const Policy *const *p = policy_list; *p; p++) {
            if (strcmp((*p)->name, "replay") == 0) continue; /* has no starts to replay */
            World w;
            open_one(&w, seed);
            promise(&w, *p, seed);
            world_close(&w);
        }
}

static void shifts(World *w, const Policy *policy, uint64_t seed)
{
    SimTime shift = 123456 * (SimTime)180 * TIME_SECOND; /* on the grid of either tick */
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    for (int i = 0; i < a.n; i++) job[i].submit += shift;
    SimResult b = run(w, policy);
    for (int i = 0; i < a.n; i++) expect_same_job("shifted", policy, seed, &a, i, &b, i, shift);
    assert_true(a.n_rounds == b.n_rounds && a.busy_time == b.busy_time && a.overloads == b.overloads);
}

static void ignores_what_comes_later(World *w, const Policy *policy, uint64_t seed)
{
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    job[a.n] = job[0];
    job[a.n].name = "later";
    job[a.n].submit = a.last_end + 1000 * TIME_SECOND;
    *own_model(w, a.n) = *own_model(w, 0);
    set_n(w, a.n + 1);
    SimResult b = run(w, policy);
    for (int i = 0; i < a.n; i++) expect_same_job("with one more", policy, seed, &a, i, &b, i, 0);
    assert_int_equal(b.job[a.n].state, a.job[0].state);
}

static void ignores_what_can_never_run(World *w, const Policy *policy, uint64_t seed)
{
    JobSpec *job = world_own_jobs(w);
    int n = w->workload.n, misfit = n / 2;
    job[misfit].n_gpus = w->cluster.n_gpus + 1;
    models_of(w);
    SimResult a = run(w, policy);
    assert_int_equal(a.job[misfit].state, JOB_UNSCHEDULABLE);
    job = world_own_jobs(w);
    for (int i = misfit; i + 1 < n; i++) {
        job[i] = job[i + 1];
        *own_model(w, i) = *own_model(w, i + 1);
    }
    set_n(w, n - 1);
    SimResult b = run(w, policy);
    for (int i = 0; i < n - 1; i++) expect_same_job("without a misfit", policy, seed, &a, i + (i >= misfit), &b, i, 0);
}

/* tiresias-g knows the sizes of jobs that ended, hypersched how accurate they were at its rungs. */
static bool learns_from_history(const Policy *policy)
{
    return strcmp(policy->name, "tiresias-g") == 0 || strcmp(policy->name, "hypersched") == 0;
}

static void an_idle_gap_splits(World *w, const Policy *policy, uint64_t seed)
{
    if (learns_from_history(policy)) return;
    SimResult a = run(w, policy);
    JobSpec *job = world_own_jobs(w);
    SimTime grid = 180 * TIME_SECOND, shift = a.last_end - a.first_submit + 100 * grid;
    shift += grid - shift % grid;
    for (int i = 0; i < a.n; i++) {
        job[a.n + i] = job[i];
        job[a.n + i].submit += shift;
        *own_model(w, a.n + i) = *own_model(w, i);
    }
    set_n(w, 2 * a.n);
    SimResult b = run(w, policy);
    for (int i = 0; i < a.n; i++) {
        expect_same_job("before a gap", policy, seed, &a, i, &b, i, 0);
        expect_same_job("after a gap", policy, seed, &a, i, &b, a.n + i, shift);
    }
}

static void a_cut_run_is_a_beginning(World *w, const Policy *policy, uint64_t seed)
{
    SimResult whole = run(w, policy);
    SimTime span = whole.last_end - whole.first_submit, horizons[] = {0, span / 3, span - 1, span};
    for (size_t h = 0; h < sizeof horizons / sizeof *horizons; h++) {
        w->horizon = horizons[h];
        SimResult cut = run(w, policy);
        SimTime limit = whole.first_submit + w->horizon;
        for (int i = 0; i < whole.n; i++) {
            const Job *a = &whole.job[i], *b = &cut.job[i];
            if (a->state == JOB_DONE) assert_int_equal(b->state == JOB_DONE, a->ended <= limit);
            if (a->state == JOB_DONE && a->ended <= limit) expect_same_job("cut", policy, seed, &whole, i, &cut, i, 0);
            if (a->first_started <= limit) assert_true(b->first_started == a->first_started);
            assert_true(cut.outcome[i].epochs_done <= whole.outcome[i].epochs_done);
        }
    }
}

/* ---- virtual clusters ---- */

static const VcSpec three_vcs[] = {{"A", 3}, {"B", 2}, {"C", 1}};

/* Each of three VCs, and then each with the servers of its own alone, where the jobs of the others belong to no VC. */
static void expect_vcs_as_alone(World *w, const Policy *policy, uint64_t seed)
{
    static const char *const names[] = {"A", "B", "C"};
    JobSpec *job = world_own_jobs(w);
    ClusterSpec whole;
    if (!cluster_spec_read("6x4", NULL, &w->arena, &whole, &w->err)) fail_msg("%s", w->err.text);
    for (int i = 0; i < w->workload.n; i++) {
        job[i].vc = names[i % 3]; /* the first ones come at one time, so that the ticks of separate runs agree */
        if (i < 3) job[i].submit = job[0].submit, job[i].n_gpus = 1;
    }
    models_of(w);
    whole.vc = three_vcs;
    whole.n_vcs = 3;
    w->cluster = whole;
    SimResult all = run(w, policy);
    for (int v = 0; v < 3; v++) {
        w->cluster = whole;
        w->cluster.vc = &three_vcs[v];
        w->cluster.n_vcs = 1;
        w->cluster.n_servers = three_vcs[v].n_servers;
        w->cluster.n_gpus = 4 * three_vcs[v].n_servers;
        SimResult alone = run(w, policy);
        for (int i = v; i < all.n; i += 3) expect_same_job("a VC alone", policy, seed, &all, i, &alone, i, 0);
    }
}

static void a_vc_runs_as_if_alone(void **state)
{
    (void)state;
    keep(expect_vcs_as_alone);
}

/* ---- */

static void count_moves(void *self, const Happening *h)
{
    *(int64_t *)self += h->kind == HAPPENS_MIGRATE;
}
static const Observer moves = {.name = "moves", .on_happening = count_moves};

/* What is compared has to happen: in these worlds servers overload, and jobs are preempted, moved and kept waiting. */
static void the_worlds_are_worth_something(void **state)
{
    (void)state;
    int64_t overloads = 0, preemptions = 0, moved = 0, far = 0;
    WideTime waiting = 0, idle = 0;
    for (uint64_t seed = 1; seed <= WORLDS; seed++)
        for (const Policy *const *p = policy_list; *p; p++) {
            if (strcmp((*p)->name, "replay") == 0) continue;
            World w;
            open_one(&w, seed);
            w.also = (Watcher){&moves, &moved};
            SimResult r = run(&w, *p);
            overloads += r.overloads;
            preemptions += r.preemptions;
            waiting += r.waiting_time;
            for (int i = 0; i < r.n; i++) {
                far += r.outcome[i].far_bytes > 0;
                idle += r.outcome[i].idle;
            }
            world_close(&w);
        }
    assert_true(overloads > 100 && preemptions > 1000 && moved > 20 && far > 1000);
    assert_true(waiting > 1000 * (WideTime)3600 * TIME_SECOND && idle > (WideTime)3600 * TIME_SECOND);
}

static void shifting_all_times_changes_nothing(void **state)
{
    (void)state;
    keep(shifts);
}

static void a_job_after_the_end_changes_nothing(void **state)
{
    (void)state;
    keep(ignores_what_comes_later);
}

static void an_unschedulable_job_changes_nothing(void **state)
{
    (void)state;
    keep(ignores_what_can_never_run);
}

static void an_idle_gap_splits_a_trace(void **state)
{
    (void)state;
    keep(an_idle_gap_splits);
}

static void cut_at_a_horizon_a_run_is_a_beginning(void **state)
{
    (void)state;
    keep(a_cut_run_is_a_beginning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worlds_are_worth_something),        cmocka_unit_test(a_vc_runs_as_if_alone),
        cmocka_unit_test(shifting_all_times_changes_nothing),    cmocka_unit_test(a_job_after_the_end_changes_nothing),
        cmocka_unit_test(an_unschedulable_job_changes_nothing),  cmocka_unit_test(an_idle_gap_splits_a_trace),
        cmocka_unit_test(cut_at_a_horizon_a_run_is_a_beginning),
    };
    return cmocka_run_group_tests(tests, make_folder_with_models, remove_folder);
}
