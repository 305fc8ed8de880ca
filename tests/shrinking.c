/* tests/shrinking.c -- properties of every policy on drawn worlds; one that breaks is made small before it is shown.
 *
 * A world is a cluster, settings and jobs, all plain numbers.  Each is run in a process of its own: strict, fully
 * audited, with the identities of world.h, and twice to the same story.  If it fails, by whatever crash, jobs are
 * taken away, numbers halved and settings put back to their defaults for as long as it still fails; what is left is
 * printed as text that `play` takes.  The last test plants a fault to see that this works.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/scripted.h"

#include "sim/base/hash.h"
#include "tests/model.h"

enum { MOST_JOBS = 24, N_SETTINGS = 6, WORLDS = 12, MOST_TRIALS = 400 };

typedef struct TinyJob {
    int submit, gpus, duration;
} TinyJob;

typedef struct Tiny {
    int servers, gpus; /* of each */
    int setting[N_SETTINGS];
    int n;
    TinyJob job[MOST_JOBS];
} Tiny;

/* The first choice is the default, to which shrinking goes back.  No tick is shorter than a restart (30 s): slices that
 * are all restart end the run as a livelock, as they should. */
static const char *const settings[N_SETTINGS][4] = {
    {"run.tick=0", "run.tick=60", "run.tick=90", NULL},
    {"place.mode=packed", "place.mode=count", "place.mode=random", NULL},
    {"place.share=0", "place.share=0.9", NULL},
    {"fail.mtbf=0", "fail.mtbf=2", NULL},
    {"model.demand=constant", "model.demand=varying", NULL},
    {"fail.straggler=0", "fail.straggler=0.2", NULL},
};

typedef bool (*Property)(const Tiny *tiny, const Policy *policy); /* false, or the end of the process: broken */

static int n_choices(int setting)
{
    int n = 0;
    while (n < 4 && settings[setting][n]) n++;
    return n;
}

static Tiny draw(uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "tiny world", 0);
    Tiny t = {.servers = 1 + (int)rng_below(&rng, 4), .gpus = 1 + (int)rng_below(&rng, 8)};
    for (int i = 0; i < N_SETTINGS; i++) t.setting[i] = (int)rng_below(&rng, n_choices(i));
    t.n = 2 + (int)rng_below(&rng, MOST_JOBS - 1);
    for (int i = 0, at = 0; i < t.n; i++) {
        at += rng_below(&rng, 3) ? (int)rng_below(&rng, 200) : 0;
        t.job[i] = (TinyJob){at, 1 + (int)rng_below(&rng, t.servers * t.gpus + 1), (int)rng_below(&rng, 1000)};
        if (rng_below(&rng, 2)) t.job[i].gpus = 1 + (int)rng_below(&rng, 2);
    }
    return t;
}

static void spell(const Tiny *t, char text[], size_t room)
{
    size_t used = 0;
    for (int i = 0; i < t->n; i++)
        used += (size_t)snprintf(text + used, room - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, t->job[i].submit,
                                 t->job[i].gpus, t->job[i].duration);
}

static void build(World *w, const Tiny *t)
{
    char jobs[MOST_JOBS * 40], cluster[32];
    spell(t, jobs, sizeof jobs);
    snprintf(cluster, sizeof cluster, "%dx%d", t->servers, t->gpus);
    world_open(w, cluster);
    for (int i = 0; i < N_SETTINGS; i++) world_set(w, settings[i][t->setting[i]]);
    world_set(w, "rl.blas=reference");
    world_set(w, arena_format(&w->arena, "mlf_rl.model=%s/mlf-rl", folder));
    world_set(w, arena_format(&w->arena, "rl.model=%s/rl", folder));
    world_jobs(w, jobs);
    models_of(w);
}

/* ---- the property ---- */

static void listen(void *self, const Happening *h)
{
    uint64_t *story = self;
    int64_t facts[] = {h->at, (int64_t)h->kind, h->job->id, h->task, h->n_gpus};
    *story = hash_bytes(*story, facts, sizeof facts);
    *story = hash_bytes(*story, h->gpus, (size_t)h->n_gpus * sizeof *h->gpus);
}
static const Observer listener = {.name = "listener", .on_happening = listen};

/* Two jobs that las finds alike take turns at each end of a restart, without ever working: told, and no fault.
 * 18.13 beyond the identities: waiting is no more than the completion time, epochs are done or the job was stopped. */
static bool holds(const Tiny *tiny, const Policy *policy)
{
    uint64_t story[2] = {HASH_START, HASH_START};
    for (int again = 0; again < 2; again++) {
        World w;
        build(&w, tiny);
        w.also = (Watcher){&listener, &story[again]};
        if (!world_try(&w, policy)) return strcmp(policy->name, "las") == 0 && strstr(w.err.text, "livelock");
        for (int i = 0; i < w.result.n; i++) {
            const Job *job = &w.result.job[i];
            if (job->state != JOB_DONE) continue;
            SimTime waited = job->ended - job->submit - job->attained;
            if (waited < 0 || waited > job->ended - job->submit) return false;
            if (!job->stop_reason && w.result.outcome[i].epochs_done != job->epochs) return false;
        }
        world_close(&w);
    }
    return story[0] == story[1];
}

static bool breaks(Property property, const Tiny *tiny, const Policy *policy)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(2);
        alarm(60);
        _exit(property(tiny, policy) ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- shrinking ---- */

/* The k-th way to make it smaller; false: there are no more. */
static bool smaller(const Tiny *from, int k, Tiny *to)
{
    *to = *from;
    if (k <= from->n) { /* the later half first, then one job less */
        int gone = k == 0 ? from->n / 2 : 1, at = k == 0 ? from->n - gone : k - 1;
        memmove(&to->job[at], &to->job[at + gone], (size_t)(from->n - at - gone) * sizeof *to->job);
        to->n -= gone;
        return true;
    }
    k -= from->n + 1;
    if (k < N_SETTINGS) return to->setting[k] = 0, true;
    k -= N_SETTINGS;
    if (k == 0) return to->servers = (from->servers + 1) / 2, true;
    if (k == 1) return to->gpus = (from->gpus + 1) / 2, true;
    k -= 2;
    if (k >= 4 * from->n) return false;
    TinyJob *job = &to->job[k / 4];
    if (k % 4 == 0) job->gpus = (job->gpus + 1) / 2;
    if (k % 4 == 1) job->gpus -= job->gpus > 1;
    if (k % 4 == 2) job->duration /= 2;
    if (k % 4 == 3)
        for (int i = k / 4, before = i ? to->job[i - 1].submit : 0, gap = job->submit - before; i < to->n; i++)
            to->job[i].submit -= (gap + 1) / 2;
    return true;
}

static Tiny shrink(Property property, Tiny tiny, const Policy *policy)
{
    int trials = 0;
    for (bool any = true; any && trials < MOST_TRIALS;) {
        Tiny next;
        any = false;
        for (int k = 0; !any && trials < MOST_TRIALS && smaller(&tiny, k, &next); k++) {
            if (!next.n || memcmp(&next, &tiny, sizeof tiny) == 0) continue;
            trials++;
            any = breaks(property, &next, policy);
        }
        if (any) tiny = next;
    }
    return tiny;
}

static void show(const Tiny *t, const Policy *policy, uint64_t seed)
{
    char jobs[MOST_JOBS * 40] = "", set[400] = "";
    size_t used = 0;
    spell(t, jobs, sizeof jobs);
    for (int i = 0; i < N_SETTINGS; i++)
        used += (size_t)snprintf(set + used, sizeof set - used, "%s%s", i ? " " : "", settings[i][t->setting[i]]);
    fail_msg("world %llu breaks; made small: %dx%d, %s, %s, \"%s\"", (unsigned long long)seed, t->servers, t->gpus,
             policy->name, set, jobs);
}

static void every_policy_on_drawn_worlds(void **state)
{
    (void)state;
    uint64_t seed = 0;
    for (const Policy *const *p = policy_list; *p; p++)
        for (int i = 0; i < WORLDS; i++) {
            Tiny tiny = draw(++seed);
            if (!breaks(holds, &tiny, *p)) continue;
            tiny = shrink(holds, tiny, *p);
            show(&tiny, *p, seed);
        }
}

/* ---- a planted fault ---- */

/* First come first served, but a gang of three GPUs or more beside another running job is forgotten. */
static void forgetful_schedule(Sched *s, void *state)
{
    (void)state;
    EACH_JOB (id, sched_waiting(s)) {
        const Job *job = sched_job(s, id);
        if (job->n_gpus >= 3 && sched_running(s)->n) sched_stop(s, id, "forgotten");
    }
    for (JobId head; (head = jobset_next(sched_waiting(s), 0)) >= 0;)
        if (!place_start(s, (PlaceMode){PLACE_PACKED, 0}, sched_job(s, head))) return;
}
static const Policy forgetful = {.name = "forgetful", .state_size = 1, .schedule = forgetful_schedule};

static bool forgets_nobody(const Tiny *tiny, const Policy *policy)
{
    World w;
    build(&w, tiny);
    bool good = world_try(&w, policy);
    for (int i = 0; i < w.result.n && good; i++) good = !w.result.job[i].stop_reason;
    world_close(&w);
    return good;
}

static void a_planted_fault_becomes_small(void **state)
{
    (void)state;
    int n = 0;
    for (uint64_t seed = 1; seed <= 40 && n < 3; seed++) {
        Tiny tiny = draw(seed);
        if (tiny.n < 10 || !breaks(forgets_nobody, &tiny, &forgetful)) continue;
        n++;
        tiny = shrink(forgets_nobody, tiny, &forgetful);
        assert_true(tiny.n <= 3); /* who runs, who is forgotten, and perhaps one for whom the former waits */
        for (int i = 0; i < N_SETTINGS; i++) assert_int_equal(tiny.setting[i], 0);
    }
    assert_int_equal(n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_on_drawn_worlds),
        cmocka_unit_test(a_planted_fault_becomes_small),
    };
    return cmocka_run_group_tests_name("shrinking", tests, make_folder_with_models, remove_folder);
}
