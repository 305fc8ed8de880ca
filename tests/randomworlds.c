/* tests/randomworlds.c -- worlds of up to 24 jobs full of ties, under every policy, against slow references.
 *
 * The policies keep heaps, trees and due times so as not to walk their queues; the references here know none of that.
 * They step through whole seconds, keep one list (for Tiresias one number for the queue of each job) and sort it anew
 * at each decision.  Starts, ends and preemption counts must agree, with decisions at once and on ticks.
 */
#include "sim/base/hash.h"
#include "tests/world.h"

enum { MOST_JOBS = 24, WORLDS = 600, UNSEEN = -1 };

typedef struct RefJob {
    int id, submit, gpus, duration, deadline; /* seconds; deadline as an instant, INT32_MAX: none */
    int done, start, end, preemptions;
    bool running;
    int queue, life, paused; /* Tiresias: its queue, time run since it was promoted, since when it waits after that */
} RefJob;

typedef struct RefWorld {
    RefJob job[MOST_JOBS];
    int n, gpus, tick;
    uint64_t seed;
    RefJob *list[MOST_JOBS]; /* submitted and not ended, in the order of the last decision */
    int n_list;
    int ended[MOST_JOBS], n_ended; /* GPU-seconds of jobs that ended */
} RefWorld;

typedef struct Case {
    const char *policy, *setting;
    int64_t (*key)(const RefWorld *world, const RefJob *job); /* smaller first; ties keep the list's order */
    bool preempts, blocks;                                    /* blocks: at the first that does not fit */
    void (*decide)(RefWorld *world, const struct Case *c, int now);
    bool (*is_due)(const RefWorld *world, const struct Case *c,
                   int now); /* decides although nothing happened; or NULL */
    int limit[3];            /* of Tiresias' queues, GPU-seconds */
    bool gittins;
} Case;

/* ---- time ---- */

static void ref_run(RefWorld *w, const Case *c)
{
    int first = w->job[0].submit;
    for (int now = first, arrived = 0; arrived < w->n || w->n_list; now++) {
        bool on_grid = !w->tick || (now - first) % w->tick == 0;
        for (bool look = w->tick || (c->is_due && c->is_due(w, c, now)), again = true; again; look = false) {
            int kept = 0, n = w->n_list;
            for (int i = 0; i < n; i++) {
                RefJob *j = w->list[i];
                if (j->running && j->done == j->duration) {
                    j->end = now;
                    j->running = false;
                    w->ended[w->n_ended++] = j->done * j->gpus;
                } else {
                    w->list[kept++] = j;
                }
            }
            w->n_list = kept;
            again = kept < n;
            for (; arrived < w->n && w->job[arrived].submit == now; again = true)
                w->list[w->n_list++] = &w->job[arrived++];
            again |= look && on_grid;
            if (on_grid && again) c->decide(w, c, now);
        }
        for (int i = 0; i < w->n_list; i++)
            if (w->list[i]->running) w->list[i]->done++, w->list[i]->life++;
    }
}

static void set_running(RefJob *j, bool running, int now)
{
    if (running && j->start == UNSEEN) j->start = now;
    if (running != j->running) j->paused = running ? UNSEEN : now;
    j->preemptions += j->running && !running;
    j->running = running;
}

/* ---- one sorted list ---- */

static void sort_list(RefWorld *w, const Case *c)
{
    for (int i = 1; i < w->n_list; i++) /* stable: neighbours change places */
        for (int k = i; k > 0 && c->key(w, w->list[k]) < c->key(w, w->list[k - 1]); k--) {
            RefJob *other = w->list[k];
            w->list[k] = w->list[k - 1];
            w->list[k - 1] = other;
        }
}

static void decide_by_key(RefWorld *w, const Case *c, int now)
{
    int spare = w->gpus;
    sort_list(w, c);
    for (int i = 0; i < w->n_list; i++)
        if (!c->preempts && w->list[i]->running) spare -= w->list[i]->gpus;
    for (int i = 0; i < w->n_list; i++) {
        RefJob *j = w->list[i];
        if (!c->preempts && j->running) continue;
        bool grant = j->gpus <= spare;
        if (grant) spare -= j->gpus;
        set_running(j, grant, now);
        if (!grant && c->blocks) break;
    }
}

static int64_t by_arrival(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->id;
}
static int64_t by_width(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->gpus;
}
static int64_t by_duration(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->duration;
}
static int64_t by_remaining(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->duration - j->done;
}
static int64_t by_remaining_service(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return (int64_t)(j->duration - j->done) * j->gpus;
}
static int64_t by_attained(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->done;
}
static int64_t by_deadline(const RefWorld *w, const RefJob *j)
{
    (void)w;
    return j->deadline;
}
static int64_t by_lot(const RefWorld *w, const RefJob *j)
{
    char name[16]; /* as the real worlds name them */
    snprintf(name, sizeof name, "j%d", j->id);
    return (int64_t)(rng_hash(w->seed, "random order", hash_text(HASH_START, name)) >> 1);
}

/* ---- EASY ---- */

/* The first instant by which enough of the running jobs have ended for `gpus` GPUs, and what is free then. */
static int shadow_of(const RefWorld *w, int gpus, int now, int *free_then)
{
    for (int at = now;; at++) {
        *free_then = w->gpus;
        for (int i = 0; i < w->n_list; i++) {
            const RefJob *j = w->list[i];
            if (j->running && now + j->duration - j->done > at) *free_then -= j->gpus;
        }
        if (*free_then >= gpus) return at;
    }
}

static void decide_easy(RefWorld *w, const Case *c, int now)
{
    (void)c;
    const RefJob *head = NULL;
    int spare = w->gpus, shadow = 0, free_then = 0, extra = 0;
    for (int i = 0; i < w->n_list; i++)
        if (w->list[i]->running) spare -= w->list[i]->gpus;
    for (int i = 0; i < w->n_list; i++) { /* the list is in order of arrival */
        RefJob *j = w->list[i];
        if (j->running) continue;
        bool fits = j->gpus <= spare;
        if (!head && !fits) {
            head = j;
            shadow = shadow_of(w, j->gpus, now, &free_then);
            extra = free_then - j->gpus;
        }
        bool in_time = now + j->duration <= shadow;
        if (!fits || (head && !in_time && j->gpus > extra)) continue;
        if (head && !in_time) extra -= j->gpus;
        spare -= j->gpus;
        set_running(j, true, now);
    }
}

/* ---- Tiresias ---- */

enum { PROMOTE = 2 };

static bool reached_limit(const Case *c, const RefJob *j)
{
    return j->running && c->limit[j->queue] && j->life * j->gpus >= c->limit[j->queue];
}

static bool waited_enough(const RefJob *j, int now)
{
    return !j->running && j->queue > 0 && j->paused != UNSEEN && now - j->paused >= PROMOTE * j->life;
}

static bool somebody_moves(const RefWorld *w, const Case *c, int now)
{
    for (int i = 0; i < w->n_list; i++)
        if (reached_limit(c, w->list[i]) || waited_enough(w->list[i], now)) return true;
    return false;
}

/* p/e for what the job has attained and its queue's limit as quantum. */
static double gittins_of(const RefWorld *w, const Case *c, const RefJob *j)
{
    int attained = j->life * j->gpus, quantum = c->limit[j->queue] ? c->limit[j->queue] : INT32_MAX / 2;
    double ending = 0, spent = 0;
    for (int i = 0; i < w->n_ended; i++) {
        int left = w->ended[i] - attained;
        if (left <= 0) continue;
        if (left <= quantum) ending++;
        spent += left <= quantum ? left : quantum;
    }
    return ending > 0 ? ending / spent : 0;
}

static bool goes_first(const RefWorld *w, const Case *c, const RefJob *a, const RefJob *b)
{
    double x = gittins_of(w, c, a), y = gittins_of(w, c, b);
    return x != y ? x > y : a->id < b->id;
}

static void decide_tiresias(RefWorld *w, const Case *c, int now)
{
    RefJob *order[MOST_JOBS], *moved[MOST_JOBS];
    int n_order = 0, n_moved = 0, spare = w->gpus;
    for (int i = 0; i < w->n_list; i++) { /* those who change queues stand behind all others there */
        RefJob *j = w->list[i];
        bool up = waited_enough(j, now), down = reached_limit(c, j);
        if (up) j->queue = 0, j->life = 0, j->paused = UNSEEN;
        while (reached_limit(c, j)) j->queue++;
        if (up || down)
            moved[n_moved++] = j;
        else
            order[n_order++] = j;
    }
    for (int id = 0; id < w->n; id++)
        for (int i = 0; i < n_moved; i++)
            if (moved[i]->id == id) order[n_order++] = moved[i];

    int n = 0;
    for (int q = 0; q < 3; q++) {
        RefJob *member[MOST_JOBS];
        int n_members = 0;
        for (int i = 0; i < n_order; i++)
            if (order[i]->queue == q) member[n_members++] = order[i];
        for (int i = 1; c->gittins && i < n_members; i++)
            for (int k = i; k > 0 && goes_first(w, c, member[k], member[k - 1]); k--) {
                RefJob *other = member[k];
                member[k] = member[k - 1];
                member[k - 1] = other;
            }
        for (int i = 0; i < n_members; i++) {
            bool grant = member[i]->gpus <= spare;
            if (grant) spare -= member[i]->gpus;
            set_running(member[i], grant, now);
        }
        for (int running = 1; running >= 0; running--) /* who runs goes ahead, at the next decision */
            for (int i = 0; i < n_members; i++)
                if (member[i]->running == running) w->list[n++] = member[i];
    }
}

/* ---- worlds ---- */

static void draw_world(RefWorld *ref, World *w, uint64_t seed, int tick)
{
    static const int widths[] = {1, 1, 1, 2, 2, 3, 4, 5, 6}; /* Tiresias' limits divide by them */
    JobSpec *spec = NEW_ARRAY(&w->arena, JobSpec, MOST_JOBS);
    Rng rng;
    rng_open(&rng, seed, "random worlds", 0);
    *ref = (RefWorld){.n = 2 + (int)rng_below(&rng, MOST_JOBS - 1), .tick = tick, .seed = seed};
    int longest = rng_below(&rng, 2) ? 5 : 60, gap = (int)rng_below(&rng, 12), submit = 3;
    ref->gpus = 1 + (int)rng_below(&rng, 8);
    for (int i = 0; i < ref->n; i++) {
        submit += i && rng_below(&rng, 2) ? (int)rng_below(&rng, gap + 1) : 0;
        RefJob *j = &ref->job[i];
        *j = (RefJob){.id = i, .submit = submit, .start = UNSEEN, .end = UNSEEN, .paused = UNSEEN};
        do j->gpus = widths[rng_below(&rng, 9)];
        while (j->gpus > ref->gpus);
        j->duration = (int)rng_below(&rng, longest + 1);
        int slack = 10 * (int)rng_below(&rng, 6);
        j->deadline = rng_below(&rng, 4) ? submit + slack : INT32_MAX;
        spec[i] = (JobSpec){.name = arena_format(&w->arena, "j%d", i),
                            .submit = submit * TIME_SECOND,
                            .duration = j->duration * TIME_SECOND,
                            .deadline = j->deadline == INT32_MAX ? TIME_NEVER : slack * TIME_SECOND,
                            .n_gpus = j->gpus};
    }
    w->workload = (Workload){.job = spec, .n = ref->n};
    w->seed = seed;
}

static void tell_difference(const RefWorld *ref, const Case *c, const Job ours[])
{
    for (int i = 0; i < ref->n; i++) {
        const RefJob *j = &ref->job[i];
        bool same = ours[i].first_started == j->start * TIME_SECOND && ours[i].ended == j->end * TIME_SECOND &&
                    ours[i].preemptions == j->preemptions;
        print_error("j%d,%d,%d,%d: expected %d-%d, %d preemptions%s", i, j->submit, j->gpus, j->duration, j->start,
                    j->end, j->preemptions, same ? "\n" : "");
        if (!same)
            print_error(", got %g-%g, %d\n", time_seconds(ours[i].first_started), time_seconds(ours[i].ended),
                        ours[i].preemptions);
    }
    fail_msg("%s %s on %d GPUs, run.tick=%d, world %d differs", c->policy, c->setting ? c->setting : "", ref->gpus,
             ref->tick, (int)ref->seed);
}

static int compare(const Case *c, uint64_t seed, int tick)
{
    RefWorld ref;
    World w;
    char cluster[16];
    world_open(&w, "1x1");
    draw_world(&ref, &w, seed, tick);
    snprintf(cluster, sizeof cluster, "1x%d", ref.gpus);
    if (!cluster_spec_read(cluster, NULL, &w.arena, &w.cluster, &w.err)) fail_msg("%s", w.err.text);
    world_set(&w, arena_format(&w.arena, "run.tick=%d", tick));
    if (c->setting) world_set(&w, c->setting);
    if (c->limit[0]) world_set(&w, "tiresias.thresholds=60,240");
    if (c->limit[0]) world_set(&w, "tiresias.promote=2");
    ref_run(&ref, c);
    world_run(&w, c->policy);
    int preemptions = 0;
    for (int i = 0; i < ref.n; i++) {
        const Job *ours = &w.result.job[i];
        preemptions += ours->preemptions;
        if (ours->first_started != ref.job[i].start * TIME_SECOND || ours->ended != ref.job[i].end * TIME_SECOND ||
            ours->preemptions != ref.job[i].preemptions)
            tell_difference(&ref, c, w.result.job);
    }
    world_close(&w);
    return preemptions;
}

static const Case cases[] = {
    {.policy = "fifo", .key = by_arrival, .blocks = true, .decide = decide_by_key},
    {.policy = "fit", .key = by_arrival, .decide = decide_by_key},
    {.policy = "easy", .key = by_arrival, .decide = decide_easy},
    {.policy = "smallest", .key = by_width, .preempts = true, .decide = decide_by_key},
    {.policy = "smallest", .setting = "smallest.preempt=0", .key = by_width, .decide = decide_by_key},
    {.policy = "sjf", .key = by_duration, .blocks = true, .decide = decide_by_key},
    {.policy = "srtf", .key = by_remaining, .preempts = true, .decide = decide_by_key},
    {.policy = "srsf", .key = by_remaining_service, .preempts = true, .decide = decide_by_key},
    {.policy = "las", .key = by_attained, .preempts = true, .decide = decide_by_key},
    {.policy = "edf", .key = by_deadline, .preempts = true, .decide = decide_by_key},
    {.policy = "random", .key = by_lot, .decide = decide_by_key},
    {.policy = "tiresias-l", .decide = decide_tiresias, .is_due = somebody_moves, .limit = {60, 240}},
    {.policy = "tiresias-g", .decide = decide_tiresias, .is_due = somebody_moves, .limit = {60, 240}, .gittins = true},
};

static void compare_all(int tick)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int preemptions = 0;
        for (uint64_t seed = 1; seed <= WORLDS; seed++) preemptions += compare(&cases[i], seed, tick);
        bool preempts = cases[i].preempts || cases[i].limit[0];
        if (preempts ? preemptions < 20 : preemptions > 0)
            fail_msg("%s preempts %d times in all", cases[i].policy, preemptions);
    }
}

static void decisions_at_once(void **state)
{
    (void)state;
    compare_all(0);
}

static void decisions_every_3_seconds(void **state)
{
    (void)state;
    compare_all(3);
}

static void decisions_every_7_seconds(void **state)
{
    (void)state;
    compare_all(7);
}

/* Long enough to run past two of Tiresias' limits between decisions. */
static void decisions_every_45_seconds(void **state)
{
    (void)state;
    compare_all(45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_at_once),
        cmocka_unit_test(decisions_every_3_seconds),
        cmocka_unit_test(decisions_every_7_seconds),
        cmocka_unit_test(decisions_every_45_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
