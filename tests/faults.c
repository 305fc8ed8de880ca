/* tests/faults.c -- each server killed at each instant at which anything happens, under every policy.
 *
 * A small trace is run once untouched.  Then, for each of its instants, each server and a delay of nothing or of a
 * microsecond, it is run with that server broken there and repaired later, soon or a while after.  Whatever the policy:
 * every job ends (in strict runs, with the full audit), what happened before the fault is what happened without it,
 * each job that the fault hit is back at a whole epoch, behind where it was and by less than an epoch, and one that ran
 * to its end has done all its epochs.
 */
#include "tests/scripted.h"

#include "sim/base/hash.h"
#include "tests/model.h"

enum { MOST_INSTANTS = 400, JOBS = 6, EPOCHS = 5 };

typedef struct Tale {
    int n;
    SimTime at[MOST_INSTANTS];
    uint64_t hash[MOST_INSTANTS]; /* of all that happened before at[i] */
    uint64_t sum;
    SimTime ends_before;   /* nothing after that is taken into the sum */
    const Job *hit[JOBS];  /* by the fault of this instant */
    double progress[JOBS]; /* as it was then */
    int n_failed;
} Tale;

static void note_instant(Tale *t, SimTime at)
{
    if (t->n && t->at[t->n - 1] == at) return;
    assert_true(t->n < MOST_INSTANTS);
    t->at[t->n] = at;
    t->hash[t->n++] = t->sum;
}

static void tell(void *self, const Happening *h)
{
    Tale *t = self;
    if (h->at < t->ends_before) {
        note_instant(t, h->at);
        int32_t facts[] = {(int32_t)h->kind, h->job->id, h->task, h->n_gpus};
        t->sum = hash_bytes(t->sum, facts, sizeof facts);
        t->sum = hash_bytes(t->sum, h->gpus, (size_t)h->n_gpus * sizeof *h->gpus);
    }
    if (h->kind != HAPPENS_FAIL) return;
    t->n_failed++;
    t->hit[h->job->id] = h->job;
    t->progress[h->job->id] = job_progress(h->job, h->at);
}
/* After the decisions of an instant: nobody is on a broken GPU, and whom the fault hit stands at a whole epoch. */
static void look(void *self, const Census *census, const Cluster *cluster)
{
    Tale *t = self;
    if (census->at < t->ends_before) note_instant(t, census->at);
    assert_true(census->gpus_busy <= census->gpus_total - cluster->n_broken);
    for (int i = 0; i < JOBS; i++) {
        const Job *job = t->hit[i];
        if (!job) continue;
        t->hit[i] = NULL;
        double kept = job_progress(job, census->at) * EPOCHS, had = t->progress[i] * EPOCHS;
        assert_true(fabs(kept - round(kept)) < 1e-9 && kept <= had + 1e-9 && kept > had - 1 - 1e-9);
    }
}
static const Observer teller = {.name = "teller", .on_happening = tell, .on_round = look};

static const char jobs[] = "a,0,2,300 / b,30,1,120 / c,60,4,240 / d,60,1,500 / e,200,3,90 / f,420,6,60";

static void open_scene(World *w, const char *tick, const char *share)
{
    world_open(w, "3x2");
    world_settings(w, "model.demand=constant rl.blas=reference");
    world_set(w, arena_format(&w->arena, "run.tick=%s", tick));
    world_set(w, arena_format(&w->arena, "place.share=%s", share));
    world_set(w, arena_format(&w->arena, "mlf_rl.model=%s/mlf-rl", folder));
    world_set(w, arena_format(&w->arena, "rl.model=%s/rl", folder));
    world_jobs(w, jobs);
    JobModel *m = models_of(w);
    for (int i = 0; i < JOBS; i++) m[i].epochs = EPOCHS;
}

static bool run(World *w, const Policy *policy, Tale *tale, SimTime ends_before)
{
    *tale = (Tale){.sum = HASH_START, .ends_before = ends_before};
    w->also = (Watcher){&teller, tale};
    return world_try(w, policy);
}

static void expect_accounts(const World *w, const Tale *tale, const char *policy, const Outage *outage)
{
    int failures = 0;
    for (int i = 0; i < JOBS; i++) {
        const Job *job = &w->result.job[i];
        const JobOutcome *o = &w->result.outcome[i];
        failures += job->failures;
        if (job->state != JOB_DONE)
            fail_msg("%s, server %d killed at %lld: job %d is lost", policy, outage->server, (long long)outage->at, i);
        if (job->stop_reason) continue;
        assert_true(o->epochs_done == job->epochs);
        assert_true(o->useful > 0 && job->ended > job->submit && job->attained > 0);
    }
    assert_int_equal(failures, w->result.failures);
    assert_int_equal(failures, tale->n_failed);
}

static int kill(const Policy *policy, const char *tick, const char *share, const Tale *whole, Outage outage, int i)
{
    World w;
    Tale tale;
    open_scene(&w, tick, share);
    w.outage = &outage;
    w.n_outages = 1;
    if (!run(&w, policy, &tale, whole->at[i]))
        fail_msg("%s, server %d killed at %lld: %s", policy->name, outage.server, (long long)outage.at, w.err.text);
    if (tale.sum != whole->hash[i])
        fail_msg("%s, server %d killed at %lld: it was foreseen", policy->name, outage.server, (long long)outage.at);
    expect_accounts(&w, &tale, policy->name, &outage);
    world_close(&w);
    return tale.n_failed;
}

static void every_fault(const char *tick, const char *share)
{
    static const SimTime delays[] = {0, 1}, lasts[] = {1, 95 * TIME_SECOND};
    for (const Policy *const *p = policy_list; *p; p++) {
        World w;
        Tale whole;
        int n_failed = 0;
        open_scene(&w, tick, share);
        if (!run(&w, *p, &whole, TIME_NEVER)) fail_msg("%s: %s", (*p)->name, w.err.text);
        world_close(&w);
        for (int i = 0; i < whole.n; i++)
            for (ServerId server = 0; server < 3; server++)
                for (int k = 0; k < 4; k++)
                    n_failed +=
                        kill(*p, tick, share, &whole, (Outage){whole.at[i] + delays[k % 2], server, lasts[k / 2]}, i);
        print_message("%s: %d faults at %d instants hit %d jobs\n", (*p)->name, whole.n * 12, whole.n, n_failed);
        assert_true(n_failed > 20);
    }
}

static void d2_10_decisions_at_once(void **state)
{
    (void)state;
    every_fault("0", "0");
}

static void d2_10_decisions_on_ticks_and_gpus_shared(void **state)
{
    (void)state;
    every_fault("60", "0.9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(d2_10_decisions_at_once),
        cmocka_unit_test(d2_10_decisions_on_ticks_and_gpus_shared),
    };
    return cmocka_run_group_tests_name("faults", tests, make_folder_with_models, remove_folder);
}
