/* tests/unit_engine.c -- the parts that a run is made of, each against something slower and obvious. */
#include <gsl/gsl_cdf.h>

#include "policies/gittins.h"
#include "sim/engine/event.h"
#include "tests/world.h"

/* ---- event queue ---- */

enum { MOST_EVENTS = 3000 };

static int by_order(const void *a, const void *b)
{
    const Event *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->serial < y->serial ? -1 : 1;
}

/* Removes and returns the first in order of `list`. */
static Event first_of(Event list[], int *n)
{
    int best = 0;
    for (int i = 1; i < *n; i++)
        if (by_order(&list[i], &list[best]) < 0) best = i;
    Event first = list[best];
    list[best] = list[--*n];
    return first;
}

static void expect_same_event(const Event *a, const Event *b)
{
    assert_true(a->at == b->at && a->kind == b->kind && a->epoch == b->epoch && a->subject == b->subject &&
                a->serial == b->serial);
}

static bool has_parity(const void *context, const Event *event)
{
    return event->subject % 3 == *(const int *)context;
}

static void events_come_in_total_order(void **state)
{
    (void)state;
    static const int64_t spans[] = {1, 10, 1000000}; /* many ties, some, none */
    for (uint64_t seed = 0; seed < 6; seed++) {
        EventQueue queue = {0};
        static Event list[MOST_EVENTS];
        int n = 0;
        uint64_t serial = 0;
        Rng rng;
        rng_open(&rng, seed, "events", 0);
        for (int step = 0; step < 20000; step++) {
            bool growing = step / 2000 % 2 == 0;
            int64_t dice = rng_below(&rng, 1000);
            if (dice == 0) {
                int gone = (int)rng_below(&rng, 4), kept = 0; /* 3: none */
                event_sweep(&queue, has_parity, &gone);
                for (int i = 0; i < n; i++)
                    if (!has_parity(&gone, &list[i])) list[kept++] = list[i];
                n = kept;
            } else if (n < MOST_EVENTS && (growing ? dice < 700 : dice < 300)) {
                Event e = {.at = rng_below(&rng, spans[seed % 3]),
                           .kind = (EventKind)rng_below(&rng, 3),
                           .epoch = (uint32_t)rng_bits(&rng),
                           .subject = (int32_t)rng_below(&rng, 1000)};
                event_push(&queue, e);
                e.serial = serial++;
                list[n++] = e;
            } else if (n) {
                Event expected = first_of(list, &n), top = *event_top(&queue), got = event_pop(&queue);
                expect_same_event(&expected, &top);
                expect_same_event(&expected, &got);
            }
            assert_int_equal(queue.n, n);
        }
        while (n) {
            Event expected = first_of(list, &n), got = event_pop(&queue);
            expect_same_event(&expected, &got);
        }
        assert_null(event_top(&queue));
        event_free(&queue);
    }
}

/* ---- job sets ---- */

static void expect_members(const JobSet *set, const bool in[], int size)
{
    int n = 0, next = -1;
    for (int i = size - 1; i >= 0; i--) {
        n += in[i];
        if (in[i]) next = i;
        if (jobset_next(set, i) != next || jobset_has(set, i) != in[i]) fail_msg("of %d: %d is wrong", size, i);
    }
    assert_int_equal(set->n, n);
    assert_int_equal(jobset_next(set, size), -1);
    assert_int_equal(jobset_next(set, size + 1000000), -1);
    int last = -1, walked = 0;
    EACH_JOB (id, set) {
        if (id <= last || !in[id]) fail_msg("of %d: %d after %d", size, id, last);
        last = id;
        walked++;
    }
    assert_int_equal(walked, n);
}

static void a_jobset_is_an_array_of_bools(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 262143, 262144, 262145, 300000, 1000000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int size = sizes[k];
        Arena arena = {0};
        JobSet set = jobset_make(&arena, size);
        bool *in = NEW_ARRAY(&arena, bool, size);
        Rng rng;
        rng_open(&rng, 1, "jobset", (uint64_t)size);
        expect_members(&set, in, size);
        for (int edge = 0; edge < 40; edge++) { /* the ends of words on all levels, and strangers */
            static const int edges[] = {0, 1, 63, 64, 4095, 4096, 262143, 262144};
            int id = edge < 8 ? edges[edge] : edge < 16 ? size - 1 - edges[edge - 8] : (int)rng_below(&rng, size);
            if (id < 0 || id >= size || in[id]) continue;
            jobset_put(&set, id);
            in[id] = true;
        }
        expect_members(&set, in, size);
        for (int step = 0; step < 2000; step++) {
            int id = (int)rng_below(&rng, size < 5000 || step % 2 ? size : 5000);
            if (in[id])
                jobset_take(&set, id);
            else
                jobset_put(&set, id);
            in[id] = !in[id];
            if (size <= 128 || step == 1999) expect_members(&set, in, size);
        }
        for (int id; (id = jobset_next(&set, 0)) >= 0; in[id] = false) jobset_take(&set, id);
        expect_members(&set, in, size); /* all taken out, one by one */
        assert_int_equal(set.n, 0);
        arena_free(&arena);
    }
}

/* ---- the cluster's books ---- */

/* Servers of 1 to 12 GPUs, n_servers of them; classes are sizes. */
static void make_servers(Arena *arena, Rng *rng, int n_servers, ClusterSpec *spec)
{
    ServerClass *classes = NEW_ARRAY(arena, ServerClass, 12);
    ServerSpec *servers = NEW_ARRAY(arena, ServerSpec, n_servers);
    *spec = (ClusterSpec){.name = "drawn", .class_of = classes, .n_classes = 12, .server = servers};
    spec->n_servers = n_servers;
    for (int i = 0; i < 12; i++) classes[i].n_gpus = i + 1;
    for (int i = 0; i < n_servers; i++) {
        servers[i] = (ServerSpec){(int32_t)rng_below(rng, 12), -1};
        spec->n_gpus += classes[servers[i].class_index].n_gpus;
    }
}

static void expect_books(const Cluster *c, const JobId holder[])
{
    int all_free = 0;
    for (GpuId g = 0; g < c->spec->n_gpus; g++) {
        assert_int_equal(c->holder[g], holder[g]);
        all_free += holder[g] < 0;
    }
    assert_int_equal(c->n_free, all_free);
    for (int p = 0; p < c->n_pools; p++) {
        const Pool *pool = &c->pool[p];
        int with[13] = {0}, pool_free = 0, next_level = -1;
        ServerId end = pool->first_server + pool->n_servers;
        for (ServerId s = pool->first_server; s < end; s++) {
            const Server *server = &c->server[s];
            int n = 0;
            GpuId next = -1;
            for (GpuId g = server->first_gpu + server->n_gpus - 1; g >= server->first_gpu; g--) {
                assert_int_equal(cluster_server_of(c, g), s);
                if (holder[g] < 0) next = g, n++;
                assert_int_equal(cluster_next_free(c, g, server->first_gpu + server->n_gpus), next);
            }
            assert_int_equal(server->n_free, n);
            with[n]++;
            pool_free += n;
        }
        assert_int_equal(pool->n_free, pool_free);
        for (int level = pool->max_gpus; level >= 0; level--) {
            ServerId next = -1;
            for (ServerId s = end - 1; s >= pool->first_server; s--) {
                if (c->server[s].n_free == level) next = s;
                assert_int_equal(pool_server_with(pool, level, s), next);
            }
            if (with[level]) next_level = level;
            assert_int_equal(pool_level_from(pool, level), next_level);
        }
        assert_int_equal(pool_level_from(pool, pool->max_gpus + 1), -1);
    }
}

static void books_are_those_of_brute_force(void **state)
{
    (void)state;
    static const VcSpec vcs[] = {{"a", 7}, {"b", 64}, {"c", 1}, {"d", 65}};
    for (int split = 0; split <= 1; split++) {
        Arena arena = {0};
        Rng rng;
        ClusterSpec spec;
        rng_open(&rng, 5, "books", (uint64_t)split);
        make_servers(&arena, &rng, split ? 140 : 130, &spec); /* with VCs three servers are nobody's */
        int usable = 0;
        if (split) spec.vc = vcs, spec.n_vcs = 4;
        for (int s = 0; s < (split ? 137 : 130); s++) usable += spec.class_of[spec.server[s].class_index].n_gpus;
        Cluster c = cluster_make(&arena, &spec);
        assert_int_equal(c.n_pools, split ? 4 : 1);
        if (split) {
            assert_int_equal(cluster_find_pool(&c, "c"), 2);
            assert_int_equal(cluster_find_pool(&c, "e"), -1);
            assert_int_equal(cluster_find_pool(&c, NULL), -1);
            assert_int_equal(c.pool[3].first_server, 72);
        } else {
            assert_int_equal(cluster_find_pool(&c, "e"), 0);
        }
        JobId *holder = NEW_ARRAY(&arena, JobId, spec.n_gpus);
        for (GpuId g = 0; g < spec.n_gpus; g++) holder[g] = -1;
        expect_books(&c, holder);
        for (int step = 0; step < 30000; step++) {
            int phase = step / 3000 % 3; /* fill, empty, mix */
            GpuId g = (GpuId)rng_below(&rng, usable);
            if (holder[g] < 0 && phase != 1) {
                holder[g] = (JobId)rng_below(&rng, 50);
                cluster_take(&c, g, holder[g]);
            } else if (holder[g] >= 0 && phase != 0) {
                cluster_give(&c, g, holder[g]);
                holder[g] = -1;
            }
            if (step % 200 == 0) expect_books(&c, holder);
        }
        arena_free(&arena);
    }
}

/* ---- placement ----
 * A prober runs as a policy: job g of one GPU for each GPU fills any set of them; further jobs of all widths wait, and
 * for each state of the cluster it asks where they would go. */

typedef struct Probe {
    const Cluster *cluster;
    const Pool *pool;
    int n;               /* GPUs wanted */
    const GpuId *answer; /* NULL: none */
    int on[32];          /* GPUs of the answer on each server of the pool */
} Probe;

static int free_on(const Probe *p, int s)
{
    return p->cluster->server[p->pool->first_server + s].n_free;
}

/* Rising, free, of the pool, and on each server the lowest free ones. */
static void count_answer(Probe *p, bool lowest)
{
    memset(p->on, 0, sizeof p->on);
    for (int i = 0; i < p->n; i++) {
        assert_true(i == 0 || p->answer[i] > p->answer[i - 1]);
        assert_int_equal(p->cluster->holder[p->answer[i]], -1);
        int s = cluster_server_of(p->cluster, p->answer[i]) - p->pool->first_server;
        assert_true(s >= 0 && s < p->pool->n_servers);
        p->on[s]++;
    }
    for (int s = 0, i = 0; lowest && s < p->pool->n_servers; s++) {
        const Server *server = &p->cluster->server[p->pool->first_server + s];
        GpuId g = server->first_gpu;
        for (int k = 0; k < p->on[s]; k++, i++, g++) {
            g = cluster_next_free(p->cluster, g, server->first_gpu + server->n_gpus);
            assert_int_equal(p->answer[i], g);
        }
    }
}

/* The fewest servers that have n free GPUs together: all sets of them tried. */
static int fewest_servers(const Probe *p, int n)
{
    int best = INT32_MAX;
    for (unsigned set = 0; set < 1u << p->pool->n_servers; set++) {
        int sum = 0, servers = __builtin_popcount(set);
        for (int s = 0; s < p->pool->n_servers; s++) sum += set >> s & 1 ? free_on(p, s) : 0;
        if (sum >= n && servers < best) best = servers;
    }
    return best;
}

/* Fewest servers; all of them used up but perhaps one, which leaves as little over as any in its place would; of equal
 * servers the lowest. */
static void expect_packed(Probe *p)
{
    int used = 0, partial = -1, n_servers = p->pool->n_servers;
    count_answer(p, true);
    for (int s = 0; s < n_servers; s++) {
        used += p->on[s] > 0;
        if (!p->on[s] || p->on[s] == free_on(p, s)) continue;
        assert_int_equal(partial, -1);
        partial = s;
    }
    assert_int_equal(used, fewest_servers(p, p->n));
    for (int s = 0; s < n_servers; s++) {
        if (p->on[s]) continue;
        for (int t = 0; t < n_servers; t++) { /* s is not used although t is */
            if (!p->on[t]) continue;
            assert_false(s < t && free_on(p, s) == free_on(p, t));
            if (used == 1) assert_false(free_on(p, s) >= p->n && free_on(p, s) < free_on(p, t));
            if (t == partial) assert_false(free_on(p, s) >= p->on[t] && free_on(p, s) < free_on(p, t));
        }
    }
    if (used < 2) return; /* when spread: the emptiest servers whole, the rest where it fits best */
    int whole[32], n = 0, rest = p->n;
    for (int level = p->pool->max_gpus; level > 0; level--)
        for (int s = 0; s < n_servers; s++)
            if (free_on(p, s) == level && n < used - 1) whole[n++] = s, rest -= level;
    for (int i = 0; i < n; i++) assert_int_equal(p->on[whole[i]], free_on(p, whole[i]));
    int last = -1;
    for (int s = 0; s < n_servers; s++) {
        bool taken = false;
        for (int i = 0; i < n; i++) taken |= whole[i] == s;
        if (!taken && free_on(p, s) >= rest && (last < 0 || free_on(p, s) < free_on(p, last))) last = s;
    }
    assert_in_range(last, 0, n_servers - 1);
    assert_int_equal(last < 0 ? 0 : p->on[last], rest);
}

static void expect_counted(Probe *p)
{
    GpuId g = p->pool->first_gpu;
    for (int i = 0; i < p->n; i++, g++) {
        g = cluster_next_free(p->cluster, g, p->pool->first_gpu + p->pool->n_gpus);
        assert_int_equal(p->answer[i], g);
    }
}

/* Servers by free GPUs, fewest first, the lowest first among equals: each whole until the last. */
static void expect_filled(Probe *p)
{
    int rest = p->n;
    count_answer(p, true);
    for (int level = 1; level <= p->pool->max_gpus; level++)
        for (int s = 0; s < p->pool->n_servers; s++) {
            if (free_on(p, s) != level) continue;
            int here = rest < level ? rest : level;
            assert_int_equal(p->on[s], here);
            rest -= here;
        }
}

/* The rule of the Helios and Lucid simulators, for servers of 4; false: it places the gang nowhere. */
static bool consolidate(const Probe *p, int on[])
{
    enum { SIZE = 4 };
    int n_servers = p->pool->n_servers, whole = p->n / SIZE, rest = p->n % SIZE, best = -1;
    memset(on, 0, 32 * sizeof *on);
    if (p->n <= SIZE) { /* the fullest server that fits */
        for (int s = 0; s < n_servers; s++)
            if (free_on(p, s) >= p->n && (best < 0 || free_on(p, s) < free_on(p, best))) best = s;
        if (best >= 0) on[best] = p->n;
        return best >= 0;
    }
    for (int s = 0; s < n_servers && whole; s++)
        if (free_on(p, s) == SIZE) on[s] = SIZE, whole--;
    if (whole) return false;
    for (int s = 0; s < n_servers && rest; s++) /* the emptiest of the others */
        if (!on[s] && free_on(p, s) >= rest && (best < 0 || free_on(p, s) > free_on(p, best))) best = s;
    if (rest && best < 0) return false;
    if (rest) on[best] = rest;
    return true;
}

static void expect_consolidated(Probe *p)
{
    int on[32];
    bool possible = consolidate(p, on);
    assert_int_equal(p->answer != NULL, possible);
    if (!possible) return;
    count_answer(p, true);
    assert_memory_equal(p->on, on, sizeof on);
}

static void probe_all(Sched *s, Rng *rng)
{
    const Cluster *cluster = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    int n_fillers = cluster->spec->n_gpus;
    int64_t share = rng_below(rng, 11);
    for (GpuId g = pool->first_gpu; g < pool->first_gpu + pool->n_gpus; g++) {
        if (cluster->holder[g] >= 0) sched_preempt(s, cluster->holder[g]);
        if (rng_below(rng, 10) < share) assert_int_equal(sched_start(s, g, &g, 1), ASK_GRANTED);
    }
    EACH_JOB (id, sched_waiting(s)) {
        if (id < n_fillers) continue;
        const Job *job = sched_job(s, id);
        Probe p = {.cluster = cluster, .pool = pool, .n = job->n_gpus};
        bool room = p.n <= pool->n_free;
        p.answer = place_gang(s, (PlaceMode){PLACE_PACKED, 0}, job);
        assert_int_equal(p.answer != NULL, room);
        if (room) expect_packed(&p);
        p.answer = place_gang(s, (PlaceMode){PLACE_COUNT, 0}, job);
        assert_int_equal(p.answer != NULL, room);
        if (room) expect_counted(&p);
        p.answer = place_gang(s, (PlaceMode){PLACE_FILL, 0}, job);
        assert_int_equal(p.answer != NULL, room);
        if (room) expect_filled(&p);
        p.answer = place_gang(s, (PlaceMode){PLACE_RANDOM, 0}, job);
        assert_int_equal(p.answer != NULL, room);
        if (room) count_answer(&p, false);
        if (!pool->equal_servers || pool->max_gpus != 4) continue;
        p.answer = place_gang(s, (PlaceMode){PLACE_CONSOLIDATE, 0}, job);
        expect_consolidated(&p);
    }
}

static void probe_schedule(Sched *s, void *state)
{
    (void)state;
    Rng rng;
    rng_open(&rng, sched_seed(s), "probe", (uint64_t)sched_pool(s)->first_gpu);
    for (int i = 0; i < 1000; i++) probe_all(s, &rng);
    EACH_JOB (id, sched_live(s)) sched_stop(s, id, "probed");
}

/* Runs a policy on jobs 0, 1, ... of one GPU for each GPU of the cluster and one job of each width for each VC. */
static void run_probes(World *w, void (*schedule)(Sched *, void *), int per_width)
{
    Policy policy = {.name = "prober", .schedule = schedule};
    int n_gpus = w->cluster.n_gpus, n_vcs = w->cluster.n_vcs ? w->cluster.n_vcs : 1, n = 0;
    JobSpec *job = NEW_ARRAY(&w->arena, JobSpec, n_gpus + n_vcs * n_gpus * per_width);
    Arena scratch = {0};
    Cluster cluster = cluster_make(&scratch, &w->cluster);
    for (; n < n_gpus; n++) {
        int pool = cluster.server[cluster_server_of(&cluster, n)].pool;
        job[n] = (JobSpec){.name = "filler", .vc = pool < 0 ? NULL : cluster.pool[pool].vc, .n_gpus = 1};
    }
    for (int v = 0; v < n_vcs; v++)
        for (int i = 0; i < n_gpus * per_width; i++, n++)
            job[n] = (JobSpec){
                .name = arena_format(&w->arena, "probe%d", n), .vc = cluster.pool[v].vc, .n_gpus = 1 + i / per_width};
    for (int i = 0; i < n; i++) job[i].duration = TIME_SECOND, job[i].deadline = TIME_NEVER;
    w->workload = (Workload){.job = job, .n = n};
    arena_free(&scratch);
    if (!world_try(w, &policy)) fail_msg("%s", w->err.text);
}

static void gangs_go_where_brute_force_says(void **state)
{
    (void)state;
    static const char *const clusters[] = {"4x4", "1x8", "9x4", "6x3", "9x1"};
    static const VcSpec vcs[] = {{"a", 4}, {"b", 5}};
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++)
        for (int split = 0; split < (i == 2 ? 2 : 1); split++) {
            World w;
            world_open(&w, clusters[i]);
            if (split) w.cluster.vc = vcs, w.cluster.n_vcs = 2;
            run_probes(&w, probe_schedule, 1);
            world_close(&w);
        }
    for (uint64_t seed = 1; seed <= 4; seed++) { /* mixed sizes */
        World w;
        Rng rng;
        world_open(&w, "1x1");
        rng_open(&rng, seed, "mixed", 0);
        make_servers(&w.arena, &rng, 6, &w.cluster);
        w.seed = seed;
        run_probes(&w, probe_schedule, 1);
        world_close(&w);
    }
}

/* Of 12 GPUs 5 are taken; 2,000 gangs of each width up to 7 are asked for. */
static void random_schedule(Sched *s, void *state)
{
    (void)state;
    enum { GPUS = 12, TAKEN = 5, WIDEST = GPUS - TAKEN, ASKED = 2000 };
    int hits[WIDEST + 1][GPUS] = {{0}}, pairs[GPUS][GPUS] = {{0}};
    for (GpuId g = 0; g < TAKEN; g++) assert_int_equal(sched_start(s, g, (GpuId[]){g * 2}, 1), ASK_GRANTED);
    EACH_JOB (id, sched_waiting(s)) {
        const Job *job = sched_job(s, id);
        if (id < GPUS || job->n_gpus > WIDEST) continue;
        const GpuId *gpus = place_gang(s, (PlaceMode){PLACE_RANDOM, 0}, job);
        for (int i = 0; i < job->n_gpus; i++) hits[job->n_gpus][gpus[i]]++;
        if (job->n_gpus == 2) pairs[gpus[0]][gpus[1]]++;
    }
    for (int n = 1; n < WIDEST; n++) { /* counts of a GPU are binomial; their sum is fixed */
        double p = (double)n / WIDEST, chi = 0;
        for (GpuId g = 0; g < GPUS; g++) {
            bool taken = g < 2 * TAKEN && g % 2 == 0;
            if (taken) assert_int_equal(hits[n][g], 0);
            if (!taken) chi += pow(hits[n][g] - ASKED * p, 2) / (ASKED * p * (1 - p));
        }
        chi *= (double)(WIDEST - 1) / WIDEST;
        double tail = gsl_cdf_chisq_Q(chi, WIDEST - 1);
        if (tail < 0.001) fail_msg("gangs of %d do not go everywhere alike: chi-square %.1f", n, chi);
    }
    double chi = 0;
    for (GpuId a = 0; a < GPUS; a++)
        for (GpuId b = a + 1; b < GPUS; b++) {
            bool taken = (a < 2 * TAKEN && a % 2 == 0) || (b < 2 * TAKEN && b % 2 == 0);
            if (!taken) chi += pow(pairs[a][b] - ASKED / 21.0, 2) / (ASKED / 21.0); /* 7 x 6 / 2 pairs */
        }
    if (gsl_cdf_chisq_Q(chi, 20) < 0.001) fail_msg("pairs are not alike: chi-square %.1f", chi);
    EACH_JOB (id, sched_live(s)) sched_stop(s, id, "probed");
}

static void random_places_are_alike(void **state)
{
    (void)state;
    World w;
    world_open(&w, "3x4");
    run_probes(&w, random_schedule, 2000);
    world_close(&w);
}

/* ---- the Gittins index: vectors of the design's algorithms, worked out from the formulas ---- */

static Gittins sample_of(Arena *arena, const double size[], int n)
{
    Gittins g = {.arena = arena};
    for (int i = 0; i < n; i++) gittins_add(&g, size[i]);
    gittins_sort(&g);
    return g;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)))) fail_msg("%.12g instead of %.12g", value, expected);
}

static void gittins_of_a_sample(void **state)
{
    (void)state;
    Arena arena = {0};
    Gittins g = sample_of(&arena, (double[]){800, 100, 1600, 400, 200}, 5);

    /* Quantum 500: p/e of who is left. */
    assert_near(gittins_index(&g, 0, 500), .6 / 340);                 /* (100+200+400+500+500)/5 */
    assert_near(gittins_index(&g, 150, 500), .5 / 325);               /* (50+250+500+500)/4 */
    assert_near(gittins_index(&g, 300, 500), (2. / 3) / (1100. / 3)); /* 100, 500 (ends just in time), 500 */
    assert_near(gittins_index(&g, 900, 500), 0);
    assert_near(gittins_index(&g, 1600, 500), 0);
    assert_near(gittins_index(&g, 5000, (double)INFINITY), 0);
    assert_near(gittins_index(&g, 0, (double)INFINITY), 5. / 3100);
    assert_near(gittins_index(&g, 900, (double)INFINITY), 1. / 700);

    /* Over all quanta. */
    assert_near(gittins_supremum(&g, 0), 0.4 / 180); /* 200: .0022222 */
    assert_near(gittins_supremum(&g, 150), .005);    /* 50 */
    assert_near(gittins_supremum(&g, 300), 1. / 300);
    assert_near(gittins_supremum(&g, 900), 1. / 700);
    assert_near(gittins_supremum(&g, 1600), 0);

    /* As released: whole sizes in e. */
    assert_near(gittins_released(&g, 0, 500), 1e6 * .6 / 340);
    assert_near(gittins_released(&g, 150, 500), 1250);
    assert_near(gittins_released(&g, 300, 500), 1e6 / 850);
    assert_near(gittins_released(&g, 900, 500), 0);
    assert_true(gittins_index(&g, 0, 500) < gittins_index(&g, 300, 500)); /* and there the other way round: */
    assert_true(gittins_released(&g, 0, 500) > gittins_released(&g, 300, 500));
    arena_free(&arena);
}

static void gittins_is_its_definition(void **state)
{
    (void)state;
    enum { MOST = 60 };
    Rng rng;
    rng_open(&rng, 1, "gittins", 0);
    for (int round = 0; round < 300; round++) {
        Arena arena = {0};
        double size[MOST];
        int n = 1 + (int)rng_below(&rng, MOST);
        for (int i = 0; i < n; i++) size[i] = (double)rng_below(&rng, round % 2 ? 10 : 1000); /* with ties */
        Gittins g = sample_of(&arena, size, n);
        GittinsPlace place = {0};
        double attained = 0, best = 0, reached = 0;
        for (int step = 0; step < 10; step++, attained += (double)rng_below(&rng, 200)) {
            double quantum = (double)(1 + rng_below(&rng, 300)), left = 0, ending = 0, spent = 0;
            for (int i = 0; i < n; i++) {
                if (size[i] <= attained) continue;
                left++;
                ending += size[i] - attained <= quantum;
                spent += fmin(size[i] - attained, quantum);
            }
            double expected = left > 0 && ending > 0 ? (ending / left) / (spent / left) : 0;
            assert_near(gittins_index(&g, attained, quantum), expected);
            if (attained + quantum < reached) place.n_sorted = -1;
            reached = attained + quantum;
            assert_near(gittins_index_from(&g, &place, attained, quantum), expected);
            best = gittins_supremum(&g, attained);
            assert_true(best >= expected * (1 - 1e-12));
        }
        arena_free(&arena);
    }
}

/* What was added counts from the next sort on. */
static void gittins_counts_what_is_sorted(void **state)
{
    (void)state;
    Arena arena = {0};
    Gittins g = {.arena = &arena};
    assert_near(gittins_index(&g, 0, 10), 0);
    assert_near(gittins_released(&g, 0, 10), 0);
    gittins_add(&g, 8);
    assert_near(gittins_index(&g, 0, 10), 0);
    gittins_sort(&g);
    gittins_add(&g, 4);
    assert_near(gittins_index(&g, 0, 10), 1. / 8);
    gittins_sort(&g);
    assert_near(gittins_index(&g, 0, 10), 2. / 12);
    assert_near(gittins_index(&g, 4, 10), 1. / 4);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_in_total_order),     cmocka_unit_test(a_jobset_is_an_array_of_bools),
        cmocka_unit_test(books_are_those_of_brute_force), cmocka_unit_test(gangs_go_where_brute_force_says),
        cmocka_unit_test(random_places_are_alike),        cmocka_unit_test(gittins_of_a_sample),
        cmocka_unit_test(gittins_is_its_definition),      cmocka_unit_test(gittins_counts_what_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
