/* tests/unit_border.c -- the border between policies and engine, tried by policies that break its rules.
 *
 * A rogue makes thousands of random requests, legal and illegal, and foretells each answer from what it can see; after
 * every round the books are added up by brute force.  Others break one rule each, never act, or act for ever.
 */
#include "tests/world.h"

/* What a policy did, for the test to read: a policy has no way to hand anything to who runs it. */
static struct {
    int64_t granted, refused;
    int n_schedules;
    SimTime first_submit;
} tally;

static const char why[] = "enough";

/* Starts what fits, in order of submission. */
static void start_what_fits(Sched *s)
{
    EACH_JOB (id, sched_waiting(s)) place_start(s, (PlaceMode){PLACE_COUNT, 0}, sched_job(s, id));
}

/* ---- books by brute force ---- */

static void recount(void *self, const Census *census, const Cluster *c)
{
    (void)self, (void)census;
    int all_free = 0;
    for (ServerId id = 0; id < c->spec->n_servers; id++) {
        const Server *server = &c->server[id];
        int n = 0;
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) {
            assert_int_equal(c->free_gpus[g >> 6] >> (g & 63) & 1, c->holder[g] == -1);
            n += c->holder[g] == -1;
        }
        assert_int_equal(n, server->n_free);
        all_free += n;
    }
    assert_int_equal(all_free, c->n_free);
    for (int p = 0; p < c->n_pools; p++) {
        const Pool *pool = &c->pool[p];
        int n_free = 0;
        for (int level = 0; level <= pool->max_gpus; level++) {
            int n_with = 0;
            ServerId next = pool->first_server;
            for (ServerId id = pool->first_server; id < pool->first_server + pool->n_servers; id++) {
                if (c->server[id].n_free != level) continue;
                assert_int_equal(pool_server_with(pool, level, next), id); /* and nothing between the last and this */
                next = id + 1;
                n_with++;
                n_free += level;
            }
            if (next < pool->first_server + pool->n_servers) assert_int_equal(pool_server_with(pool, level, next), -1);
            assert_int_equal(n_with, pool->n_with[level]);
        }
        assert_int_equal(n_free, pool->n_free);
    }
}

static const Observer recounter = {.name = "recounter", .on_round = recount};

/* ---- the rogue ---- */

static const Param rogue_params[] = {
    INTEGER_PARAM("requests", "0", 0, 1000000, "how many requests it makes"),
    {0},
};

static void rogue_init(Sched *s, void *state)
{
    *(int *)state = (int)sched_number(s, "requests");
    if (sched_start(s, 0, (GpuId[]){0}, 1) != ASK_NO_SUCH_JOB) fail_msg("a job could start before its submission");
    tally.refused++;
}

/* Nothing but a stop is granted there. */
static bool is_off_tick(const Sched *s)
{
    return sched_tick(s) && (sched_now(s) - tally.first_submit) % sched_tick(s);
}

/* The answer by the rules, from what a policy may look at. */
static Ask foretell_start(Sched *s, JobId id, const GpuId gpus[], int n)
{
    const Pool *pool = sched_pool(s);
    const Job *job = sched_job(s, id);
    bool same = false, held = false;
    if (!job || !job_is_live(job)) return ASK_NO_SUCH_JOB;
    if (is_off_tick(s)) return ASK_OFF_TICK;
    if (job->state == JOB_RUNNING) return ASK_NOT_WAITING;
    if (n != job->n_gpus) return ASK_WRONG_COUNT;
    for (int i = 0; i < n; i++) {
        if (gpus[i] < pool->first_gpu || gpus[i] >= pool->first_gpu + pool->n_gpus) return ASK_NO_SUCH_GPU;
        held |= sched_cluster(s)->holder[gpus[i]] >= 0;
        for (int j = 0; j < i; j++) same |= gpus[i] == gpus[j];
    }
    return same ? ASK_SAME_GPU : held ? ASK_NO_ROOM : ASK_GRANTED;
}

/* Distinct free GPUs in random order, or what is nearly that. */
static int draw_gpus(Sched *s, Rng *rng, int n, GpuId gpus[])
{
    const Cluster *c = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    bool all_free = pool->n_free >= n;
    int total = c->spec->n_gpus;
    for (int i = 0; i < n; i++) {
        bool good;
        do {
            gpus[i] = pool->first_gpu + (GpuId)rng_below(rng, pool->n_gpus);
            good = !all_free || c->holder[gpus[i]] < 0;
            for (int j = 0; j < i && all_free; j++) good &= gpus[i] != gpus[j];
        } while (!good);
    }
    GpuId *one = &gpus[rng_below(rng, n)];
    switch (rng_below(rng, 12)) {
    case 0: *one = -1 - (GpuId)rng_below(rng, 3); break;
    case 1: *one = total + (GpuId)rng_below(rng, 3); break;
    case 2: *one = (GpuId)rng_below(rng, total); break; /* perhaps another VC's, or held */
    case 3: *one = gpus[0]; break;
    case 4: return n + 1;
    case 5: return n - 1;
    default: break;
    }
    return n;
}

static void expect_answer(Ask got, Ask foretold, const char *request, JobId id)
{
    if (got != foretold)
        fail_msg("%s of %d: answered \"%s\", foretold \"%s\"", request, id, ask_name(got), ask_name(foretold));
    if (got == ASK_GRANTED)
        tally.granted++;
    else
        tally.refused++;
}

static void try_start(Sched *s, Rng *rng, JobId id)
{
    GpuId gpus[30] = {0}, got[30];
    const Job *job = sched_job(s, id);
    int n = draw_gpus(s, rng, job ? job->n_gpus : 2, gpus);
    int n_free = sched_pool(s)->n_free, waiting = sched_waiting(s)->n, running = sched_running(s)->n;
    Ask foretold = foretell_start(s, id, gpus, n), ask = sched_start(s, id, gpus, n);
    expect_answer(ask, foretold, "start", id);
    int done = ask == ASK_GRANTED;
    assert_int_equal(sched_pool(s)->n_free, n_free - done * n); /* all or none, at once */
    assert_int_equal(sched_waiting(s)->n, waiting - done);
    assert_int_equal(sched_running(s)->n, running + done);
    if (!done) return;
    assert_int_equal(sched_gpus(s, job, got), n);
    assert_memory_equal(got, gpus, (size_t)n * sizeof *got);
    assert_true(job->state == JOB_RUNNING && job->started == sched_now(s));
}

static void try_anything(Sched *s)
{
    Rng *rng = sched_rng(s);
    JobId id = (JobId)rng_below(rng, 75) - 5; /* of 60 */
    const JobSet *some = rng_below(rng, 2) ? sched_running(s) : sched_waiting(s);
    if (rng_below(rng, 3)) id = jobset_next(some, (JobId)rng_below(rng, 60)); /* or -1 */
    const Job *job = sched_job(s, id);
    bool live = job && job_is_live(job);
    Ask foretold; /* before the request changes the job */
    switch (rng_below(rng, 40)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        foretold = !live ? ASK_NO_SUCH_JOB : job->state == JOB_RUNNING ? ASK_GRANTED : ASK_NOT_RUNNING;
        if (live && is_off_tick(s)) foretold = ASK_OFF_TICK;
        expect_answer(sched_preempt(s, id), foretold, "preemption", id);
        if (live && !is_off_tick(s)) assert_int_equal(job->state, JOB_WAITING);
        break;
    case 5:
        if (live && rng_below(rng, 50)) break; /* or too few would run to their end */
        expect_answer(sched_stop(s, id, why), live ? ASK_GRANTED : ASK_NO_SUCH_JOB, "stop", id);
        if (live) assert_true(job->state == JOB_DONE && job->stop_reason == why);
        break;
    case 6: expect_answer(sched_stop(s, id, NULL), live ? ASK_NO_REASON : ASK_NO_SUCH_JOB, "stop", id); break;
    case 7: expect_answer(sched_wake_at(s, sched_now(s) - 1), ASK_PAST, "wake-up", -1); break;
    default: try_start(s, rng, id); break;
    }
}

static void rogue_on_job(Sched *s, void *state, const Job *job)
{
    int *requests_left = state;
    assert_int_equal(job->first_gpu, -1); /* whether it has come or ended */
    for (int i = 0; i < 3 && *requests_left > 0; i++, --*requests_left) try_anything(s);
}

static void rogue_schedule(Sched *s, void *state)
{
    int *requests_left = state;
    for (int i = 0; i < 40 && *requests_left > 0; i++, --*requests_left) try_anything(s);
    if (*requests_left == 0)
        start_what_fits(s);
    else if (sched_live(s)->n)
        assert_int_equal(sched_wake_at(s, sched_now(s) + rng_below(sched_rng(s), 3) * TIME_SECOND), ASK_GRANTED);
}

static const Policy rogue = {.name = "rogue",
                             .state_size = sizeof(int),
                             .params = rogue_params,
                             .init = rogue_init,
                             .on_arrive = rogue_on_job,
                             .on_end = rogue_on_job,
                             .schedule = rogue_schedule};

/* Two VCs of three and two servers; one server belongs to nobody. */
static void a_rogue_cannot_break_the_books(void **state)
{
    (void)state;
    static const VcSpec vcs[] = {{"A", 3}, {"B", 2}};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        World w;
        world_open(&w, "6x4");
        params_add(&w.params, "rogue", rogue_params);
        world_set(&w, "rogue.requests=20000");
        world_set(&w, seed % 2 ? "run.tick=0" : "run.tick=7.5");
        w.seed = seed;
        w.lax = true;
        w.cluster.vc = vcs;
        w.cluster.n_vcs = 2;
        w.also = (Watcher){&recounter, NULL};
        JobSpec *job = NEW_ARRAY(&w.arena, JobSpec, 60);
        Rng rng;
        rng_open(&rng, seed, "border", 0);
        for (int i = 0; i < 60; i++)
            job[i] = (JobSpec){.name = "job",
                               .vc = rng_below(&rng, 2) ? "A" : "B",
                               .submit = i * 5 * TIME_SECOND + rng_below(&rng, 2),
                               .duration = rng_below(&rng, 8) ? 20 * TIME_SECOND + rng_below(&rng, 300000000) : 0,
                               .deadline = TIME_NEVER,
                               .n_gpus = 1 + (int)rng_below(&rng, 6)};
        w.workload = (Workload){.job = job, .n = 60};
        memset(&tally, 0, sizeof tally);
        tally.first_submit = job[0].submit;
        if (!world_try(&w, &rogue)) fail_msg("%s", w.err.text);
        int stopped = 0;
        for (int i = 0; i < 60; i++) {
            assert_int_equal(w.result.job[i].state, JOB_DONE);
            stopped += w.result.job[i].stop_reason == why;
        }
        assert_int_equal(w.result.refusals, tally.refused);
        assert_true(tally.refused > 10000 && tally.granted > 500); /* else it tries too little of one kind */
        assert_true(w.result.preemptions > 100 && stopped > 0 && stopped < 30);
        world_close(&w);
    }
}

/* ---- decisions between ticks ---- */

/* product.md 6a: with run.tick=60 every policy decides at ticks.  a ends at 90, when b may not start yet, but at 120; c
 * comes then, when it may.  A job may be stopped at any time: d, when it comes at 150. */
static void hasty_on_end(Sched *s, void *state, const Job *job)
{
    (void)state;
    if (job->id) return;
    assert_int_equal(sched_start(s, 1, (GpuId[]){0}, 1), ASK_OFF_TICK);
    assert_int_equal(sched_preempt(s, 1), ASK_OFF_TICK);
}

static void hasty_on_arrive(Sched *s, void *state, const Job *job)
{
    (void)state;
    if (job->id == 2) assert_int_equal(sched_start(s, 2, (GpuId[]){1}, 1), ASK_GRANTED);
    if (job->id == 3) assert_int_equal(sched_stop(s, 3, "hasty"), ASK_GRANTED);
}

static void hasty_schedule(Sched *s, void *state)
{
    (void)state;
    if (sched_now(s) == 0) assert_int_equal(sched_start(s, 0, (GpuId[]){0}, 1), ASK_GRANTED);
    if (sched_now(s) >= 120 * TIME_SECOND && sched_job(s, 1)->state == JOB_WAITING)
        assert_int_equal(sched_start(s, 1, (GpuId[]){0}, 1), ASK_GRANTED);
}

static void decisions_fall_on_ticks(void **state)
{
    (void)state;
    static const Policy hasty = {.name = "hasty",
                                 .state_size = 1,
                                 .on_arrive = hasty_on_arrive,
                                 .on_end = hasty_on_end,
                                 .schedule = hasty_schedule};
    World w;
    world_open(&w, "1x2");
    world_set(&w, "run.tick=60");
    world_jobs(&w, "a,0,1,90 / b,0,1,10 / c,120,1,10 / d,150,1,10");
    w.lax = true;
    if (!world_try(&w, &hasty)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-90, b 120-130, c 120-130, d ?-150");
    assert_int_equal(w.result.refusals, 2);
    world_close(&w);
}

/* ---- one rule broken ---- */

typedef struct Deed {
    const char *name, *sentence;
} Deed;

static const Param deed_params[] = {TEXT_PARAM("deed", "", "which rule to break"), {0}};

static void deed_schedule(Sched *s, void *state)
{
    (void)state;
    JobId a = 0, b = 1, later = 2;
    GpuId pair[] = {0, 1}, other[] = {2, 3};
    bool first = tally.n_schedules++ == 0;
    if (!first) {
        start_what_fits(s);
        return;
    }
    if (sched_is(s, "deed", "unknown")) sched_start(s, 99, pair, 2);
    if (sched_is(s, "deed", "negative")) sched_preempt(s, -3);
    if (sched_is(s, "deed", "future")) sched_start(s, later, pair, 1);
    if (sched_is(s, "deed", "twice")) sched_start(s, a, pair, 2), sched_start(s, a, other, 2);
    if (sched_is(s, "deed", "too few")) sched_start(s, a, pair, 1);
    if (sched_is(s, "deed", "none")) sched_start(s, a, NULL, 0);
    if (sched_is(s, "deed", "below")) sched_start(s, a, (GpuId[]){-1, 0}, 2);
    if (sched_is(s, "deed", "above")) sched_start(s, a, (GpuId[]){3, 4}, 2);
    if (sched_is(s, "deed", "same")) sched_start(s, a, (GpuId[]){1, 1}, 2);
    if (sched_is(s, "deed", "held")) sched_start(s, b, pair, 1), sched_start(s, a, pair, 2);
    if (sched_is(s, "deed", "preempt")) sched_preempt(s, a);
    if (sched_is(s, "deed", "stop")) sched_stop(s, a, why), sched_stop(s, a, why);
    if (sched_is(s, "deed", "reason")) sched_stop(s, a, NULL);
    if (sched_is(s, "deed", "past")) sched_wake_at(s, sched_now(s) - 1);
    start_what_fits(s);
}

static const Policy culprit = {.name = "culprit", .params = deed_params, .schedule = deed_schedule};

static void each_broken_rule_is_told(void **state)
{
    (void)state;
    static const Deed deeds[] = {
        {"unknown", "start of job number 99 refused: there is no such live job in its cluster"},
        {"negative", "preemption of job number -3 refused: there is no such live job in its cluster"},
        {"future", "start of job 'later' refused: there is no such live job in its cluster"},
        {"twice", "start of job 'a' refused: the job is not waiting"},
        {"too few", "start of job 'a' refused: the number of GPUs is not that of the job's tasks"},
        {"none", "start of job 'a' refused: the number of GPUs is not that of the job's tasks"},
        {"below", "start of job 'a' refused: a GPU is not one of its cluster's"},
        {"above", "start of job 'a' refused: a GPU is not one of its cluster's"},
        {"same", "start of job 'a' refused: a GPU is named twice"},
        {"held", "start of job 'a' refused: a GPU is held by another job"},
        {"preempt", "preemption of job 'a' refused: the job is not running"},
        {"stop", "stop of job 'a' refused: there is no such live job in its cluster"},
        {"reason", "stop of job 'a' refused: no reason is given"},
        {"past", "wake-up refused: the time is past"},
    };
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        for (int lax = 0; lax <= 1; lax++) {
            World w;
            world_open(&w, "2x2");
            params_add(&w.params, "culprit", deed_params);
            world_set(&w, arena_format(&w.arena, "culprit.deed=%s", deeds[i].name));
            world_jobs(&w, "a,2.5,2,10 / b,2.5,1,10 / later,5,1,10");
            w.lax = lax;
            memset(&tally, 0, sizeof tally);
            bool good = world_try(&w, &culprit);
            assert_int_equal(w.result.refusals, 1);
            if (lax) {
                if (!good) fail_msg("%s", w.err.text);
            } else {
                char sentence[200];
                snprintf(sentence, sizeof sentence, "policy culprit at 2.5 s: %s", deeds[i].sentence);
                assert_false(good);
                assert_int_equal(w.err.kind, ERR_POLICY);
                assert_string_equal(w.err.text, sentence);
            }
            world_close(&w);
        }
}

/* ---- no progress ---- */

static void nothing(Sched *s, void *state)
{
    (void)s, (void)state;
}

static void wakes_at_once(Sched *s, void *state)
{
    (void)state;
    sched_wake_at(s, sched_now(s));
}

static void wakes_every_minute(Sched *s, void *state)
{
    (void)state;
    sched_wake_at(s, sched_now(s) + TIME_MINUTE);
}

static void swings_in_one_decision(Sched *s, void *state)
{
    (void)state;
    start_what_fits(s);
    EACH_JOB (id, sched_running(s)) sched_preempt(s, id);
    sched_wake_at(s, sched_now(s));
}

static void swings_over_decisions(Sched *s, void *state)
{
    (void)state;
    if (sched_running(s)->n == 0) {
        start_what_fits(s);
    } else {
        EACH_JOB (id, sched_running(s)) sched_preempt(s, id);
    }
    sched_wake_at(s, sched_now(s));
}

/* Starts one job a decision and asks for the next decision. */
static void starts_one(Sched *s, void *state)
{
    (void)state;
    JobId id = jobset_next(sched_waiting(s), 0);
    if (id < 0) return;
    place_start(s, (PlaceMode){PLACE_COUNT, 0}, sched_job(s, id));
    sched_wake_at(s, sched_now(s));
}

static void expect_end(void (*schedule)(Sched *, void *), const char *tick, const char *at, const char *word)
{
    Policy policy = {.name = "lazy", .schedule = schedule};
    World w;
    char start[100];
    world_open(&w, "2x2");
    world_set(&w, arena_format(&w.arena, "run.tick=%s", tick));
    world_jobs(&w, "a,7,2,10 / b,7,1,10 / c,7,4,10 / d,7,1,1");
    assert_false(world_try(&w, &policy));
    assert_int_equal(w.err.kind, ERR_POLICY);
    snprintf(start, sizeof start, "policy lazy at %s s: %s, ", at, word);
    if (strncmp(w.err.text, start, strlen(start)) != 0 || !strstr(w.err.text, "4 live jobs ('a', 'b', 'c', ...)"))
        fail_msg("expected \"%s...\", got \"%s\"", start, w.err.text);
    world_close(&w);
}

static void no_progress_ends_with_a_message(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *tick = i ? "60" : "0";
        expect_end(nothing, tick, "7", "deadlock");
        expect_end(wakes_at_once, tick, "7", "livelock");
        expect_end(wakes_every_minute, tick, "86407", "stuck"); /* a day of minutes later */
        expect_end(swings_in_one_decision, tick, "7", "livelock");
        expect_end(swings_over_decisions, tick, "7", "livelock");
    }
}

static void one_start_a_decision_is_progress(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    Policy policy = {.name = "slow", .schedule = starts_one};
    World w;
    world_open(&w, "1x3000");
    w.unaudited = true;
    JobSpec *job = NEW_ARRAY(&w.arena, JobSpec, MANY);
    for (int i = 0; i < MANY; i++)
        job[i] = (JobSpec){.name = "job", .duration = TIME_SECOND, .deadline = TIME_NEVER, .n_gpus = 1};
    w.workload = (Workload){.job = job, .n = MANY};
    if (!world_try(&w, &policy)) fail_msg("%s", w.err.text);
    for (int i = 0; i < MANY; i++) assert_true(w.result.job[i].ended == TIME_SECOND);
    world_close(&w);
}

static void starts_one_and_waits(Sched *s, void *state)
{
    (void)state;
    JobId id = jobset_next(sched_waiting(s), 0);
    if (id >= 0) place_start(s, (PlaceMode){PLACE_COUNT, 0}, sched_job(s, id));
}

/* What a policy did at a tick may be a reason to decide again at the next one; without ticks only events are. */
static void a_tick_follows_what_was_done_at_the_last(void **state)
{
    (void)state;
    Policy policy = {.name = "slow", .schedule = starts_one_and_waits};
    for (int ticks = 0; ticks <= 1; ticks++) {
        World w;
        world_open(&w, "1x4");
        world_set(&w, ticks ? "run.tick=60" : "run.tick=0");
        world_jobs(&w, "a,7,1,500 / b,7,1,500 / c,7,1,500");
        if (!world_try(&w, &policy)) fail_msg("%s", w.err.text);
        world_expect(&w, ticks ? "a 7-507, b 67-567, c 127-627" : "a 7-507, b 507-1007, c 1007-1507");
        world_close(&w);
    }
}

/* ---- stopping, looking, failing ---- */

static void stops_two(Sched *s, void *state)
{
    (void)state;
    if (sched_job(s, 2) && job_is_live(sched_job(s, 0))) { /* c has come */
        assert_int_equal(sched_stop(s, 0, why), ASK_GRANTED);
        assert_int_equal(*(const int *)state, 1); /* it was told at once */
        assert_int_equal(sched_stop(s, 1, why), ASK_GRANTED);
        assert_int_equal(sched_pool(s)->n_free, 4);
        assert_true(!jobset_has(sched_live(s), 0) && !jobset_has(sched_live(s), 1));
    }
    start_what_fits(s);
}

/* A policy keeps its books in on_end, however a job ends. */
static void counts_ends(Sched *s, void *state, const Job *job)
{
    int *n_ends = state;
    assert_true(job->state == JOB_DONE && job->ended == sched_now(s));
    assert_true((job->id < 2) == (job->stop_reason == why));
    assert_true(!jobset_has(sched_live(s), job->id));
    assert_int_equal(job->id, (*n_ends)++);
}

static void checks_ends(Sched *s, void *state)
{
    (void)s;
    assert_int_equal(*(const int *)state, 3);
}

static void stopped_jobs_count_as_done(void **state)
{
    (void)state;
    Policy policy = {.name = "stopper",
                     .state_size = sizeof(int),
                     .on_end = counts_ends,
                     .schedule = stops_two,
                     .fini = checks_ends};
    World w;
    world_open(&w, "1x4");
    world_jobs(&w, "a,0,3,10 / b,1,2,10 / c,4,4,10");
    if (!world_try(&w, &policy)) fail_msg("%s", w.err.text);
    world_expect(&w, "a 0-4, b ?-4, c 4-14");
    const Job *a = world_job(&w, "a"), *b = world_job(&w, "b"), *c = world_job(&w, "c");
    assert_true(a->state == JOB_DONE && a->stop_reason == why && a->attained == 4 * TIME_SECOND);
    assert_true(b->state == JOB_DONE && b->stop_reason == why && b->attained == 0);
    assert_true(c->state == JOB_DONE && c->stop_reason == NULL);
    assert_true(w.result.stopped_at == 14 * TIME_SECOND && w.result.preemptions == 0 && w.result.refusals == 0);
    world_close(&w);
}

static void looks_around(Sched *s, void *state)
{
    (void)state;
    for (JobId id = -2; id < 8; id++) {
        const Job *job = sched_job(s, id);
        if (!job) continue;
        assert_true(job->state != JOB_FUTURE && job->submit <= sched_now(s));
        assert_true(strcmp(sched_pool(s)->vc, id % 2 ? "B" : "A") == 0);
        tally.n_schedules++;
    }
    start_what_fits(s);
}

static void jobs_to_come_and_of_other_vcs_are_out_of_sight(void **state)
{
    (void)state;
    static const VcSpec vcs[] = {{"A", 1}, {"B", 1}};
    Policy policy = {.name = "curious", .schedule = looks_around};
    World w;
    world_open(&w, "2x2");
    world_jobs(&w, "a,0,1,10 / b,1,1,10 / c,2,1,10 / d,3,1,10");
    JobSpec *job = NEW_ARRAY(&w.arena, JobSpec, 4);
    memcpy(job, w.workload.job, 4 * sizeof *job);
    for (int i = 0; i < 4; i++) job[i].vc = vcs[i % 2].name;
    w.workload.job = job;
    w.cluster.vc = vcs;
    w.cluster.n_vcs = 2;
    memset(&tally, 0, sizeof tally);
    if (!world_try(&w, &policy)) fail_msg("%s", w.err.text);
    assert_int_equal(tally.n_schedules, 2 * (1 + 2 + 2 + 2)); /* a VC decides at its own arrivals and ends */
    world_close(&w);
}

static void fails_at_once(Sched *s, void *state)
{
    (void)state;
    sched_fail(s, "culprit.deed: %s", "no such deed");
}

static void a_policy_that_cannot_begin_says_so(void **state)
{
    (void)state;
    Policy policy = {.name = "lazy", .init = fails_at_once, .schedule = nothing};
    World w;
    world_open(&w, "1x1");
    world_jobs(&w, "a,0,1,10");
    assert_false(world_try(&w, &policy));
    assert_int_equal(w.err.kind, ERR_USAGE);
    assert_string_equal(w.err.text, "culprit.deed: no such deed");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rogue_cannot_break_the_books),
        cmocka_unit_test(decisions_fall_on_ticks),
        cmocka_unit_test(each_broken_rule_is_told),
        cmocka_unit_test(no_progress_ends_with_a_message),
        cmocka_unit_test(one_start_a_decision_is_progress),
        cmocka_unit_test(a_tick_follows_what_was_done_at_the_last),
        cmocka_unit_test(stopped_jobs_count_as_done),
        cmocka_unit_test(jobs_to_come_and_of_other_vcs_are_out_of_sight),
        cmocka_unit_test(a_policy_that_cannot_begin_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
