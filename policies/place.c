/* policies/place.c -- ways to choose GPUs, all through the pool's index by free count. */
#include "policies/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/placebook.h"

const Param place_params[] = {
    CHOICE_PARAM("mode", "packed", "packed|count|consolidate|random",
                 "GPUs of a gang: fewest servers, any free, all-or-nothing consolidation, or drawn"),
    NUMBER_PARAM("share", "0", 0, 10,
                 "demand up to which jobs share a GPU, in GPUs; 0: each is one job's alone; for policies that place "
                 "gangs by place.mode"),
    {0},
};

static PlaceKind read_kind(Sched *s)
{
    const char *mode = params_text(sched_params(s), "place", "mode");
    if (strcmp(mode, "count") == 0) return PLACE_COUNT;
    if (strcmp(mode, "random") == 0) return PLACE_RANDOM;
    if (strcmp(mode, "consolidate") != 0) return PLACE_PACKED;
    const Pool *pool = sched_pool(s);
    if (!pool->equal_servers)
        sched_fail(s, "place.mode=consolidate is defined for servers of one size, but %s%s mixes sizes",
                   pool->vc ? "virtual cluster " : "the cluster", pool->vc ? pool->vc : "");
    return PLACE_CONSOLIDATE;
}

Milli place_read_share(Sched *s)
{
    double share = params_number(sched_params(s), "place", "share");
    if (share > 0 && !sched_has_inside(s))
        sched_fail(s, "place.share: in preset plain nothing shares a GPU; try --preset philly");
    return (Milli)lrint(share * 1000);
}

PlaceMode place_mode(Sched *s)
{
    return (PlaceMode){read_kind(s), place_read_share(s)};
}

/* ---- needs ---- */

PlaceNeed place_need(const Sched *s, PlaceMode mode, const Job *job)
{
    PlaceNeed need = {.n_gpus = job->n_gpus};
    if (!mode.share) return need;
    const Task *task = sched_tasks(s, job);
    for (int k = 0; k < job->n_gpus; k++)
        if (task[k].demand > need.demand) need.demand = task[k].demand;
    need.demand = (need.demand + PLACE_STEP - 1) / PLACE_STEP * PLACE_STEP;
    need.kind = (int32_t)(job->family - families) * 2 + job->graph->has_server;
    return need;
}

bool place_refuses(PlaceMode mode, PlaceNeed refused, PlaceNeed other)
{
    if (!mode.share) return other.n_gpus == refused.n_gpus;
    bool as_wide = mode.kind == PLACE_CONSOLIDATE ? other.n_gpus == refused.n_gpus : other.n_gpus >= refused.n_gpus;
    return as_wide && other.kind == refused.kind && other.demand >= refused.demand;
}

int place_most(const Sched *s, PlaceMode mode)
{
    int per_gpu = mode.share > PLACE_STEP ? mode.share / PLACE_STEP : 1; /* no demand is rounded to less than a step */
    return pool_working(sched_pool(s)) * per_gpu;
}

int place_spare(const Sched *s, PlaceMode mode)
{
    return mode.share ? pool_working(sched_pool(s)) : sched_pool(s)->n_free;
}

/* ---- choosing among free GPUs ---- */

/* A list of GPUs being chosen; nothing is taken yet, so the pool's index stays as it was. */
typedef struct {
    const Cluster *cluster;
    const Pool *pool;
    GpuId *gpu;
    int n, wanted;
} Choice;

void place_lowest(const Cluster *cluster, ServerId id, int n, GpuId gpus[])
{
    const Server *server = &cluster->server[id];
    for (GpuId g = server->first_gpu, end = g + server->n_gpus; n > 0; n--, g++) {
        g = cluster_next_free(cluster, g, end);
        *gpus++ = g;
    }
}

static void choose_on(Choice *c, ServerId id, int n)
{
    place_lowest(c->cluster, id, n, c->gpu + c->n);
    c->n += n;
}

static int rest_of(const Choice *c)
{
    return c->wanted - c->n;
}

static bool choose_count(Choice *c)
{
    const Pool *pool = c->pool;
    for (GpuId g = pool->first_gpu; rest_of(c); g++) {
        g = cluster_next_free(c->cluster, g, pool->first_gpu + pool->n_gpus);
        c->gpu[c->n++] = g;
    }
    return true;
}

/* The fewest servers: whole servers from the emptiest down, until one server can hold the rest; best fit for that. */
static bool choose_packed(Choice *c)
{
    const Pool *pool = c->pool;
    int level = pool->max_gpus;         /* servers with more free GPUs than this are all chosen, ... */
    ServerId next = pool->first_server; /* ... and at this level those before `next` */
    for (;;) {
        int fit = pool_level_from(pool, rest_of(c));
        ServerId server = -1;
        if (fit >= 0 && fit < level) server = pool_server_with(pool, fit, pool->first_server);
        if (fit >= 0 && fit >= level && rest_of(c) <= level) server = pool_server_with(pool, level, next);
        if (server >= 0) {
            choose_on(c, server, rest_of(c));
            return true;
        }
        while ((server = next < pool->first_server + pool->n_servers ? pool_server_with(pool, level, next) : -1) < 0) {
            if (--level == 0) return false;
            next = pool->first_server;
        }
        if (level >= rest_of(c)) continue; /* the level has just come down to where the rest fits */
        choose_on(c, server, level);
        next = server + 1;
    }
}

bool place_packed(Sched *s, int n, GpuId gpus[])
{
    const Pool *pool = sched_pool(s);
    Choice c = {.cluster = sched_cluster(s), .pool = pool, .gpu = gpus, .wanted = n};
    return n <= pool->n_free && choose_packed(&c);
}

static bool is_chosen(const Choice *c, ServerId id)
{
    for (int i = 0; i < c->n; i++)
        if (cluster_server_of(c->cluster, c->gpu[i]) == id) return true;
    return false;
}

/* Of the servers with so many free GPUs, the one on which `n` tasks cost less than *least, and least; -1: none. */
static ServerId cheapest_with(const Choice *c, Sched *s, const Placer *placer, const Job *job, int level, int n,
                              double *least)
{
    ServerId best = -1, end = c->pool->first_server + c->pool->n_servers;
    for (ServerId id = c->pool->first_server; id < end; id++) {
        id = pool_server_with(c->pool, level, id);
        if (id < 0) break;
        if (is_chosen(c, id)) continue;
        double cost = placer->cost(s, placer->state, job, id, n);
        if (cost >= *least) continue;
        *least = cost;
        best = id;
    }
    return best;
}

/* As many servers as choose_packed takes, each the cheapest of those that could be next: that hold the rest, or if none
 * does, that have most room. */
static bool choose_cheapest(Choice *c, Sched *s, const Placer *placer, const Job *job)
{
    while (rest_of(c)) {
        ServerId best = -1;
        int n = rest_of(c), most = c->pool->max_gpus;
        double least = (double)INFINITY;
        for (int level = n; level <= most; level++) {
            ServerId id = cheapest_with(c, s, placer, job, level, n, &least);
            if (id >= 0) best = id;
        }
        for (int level = n <= most ? n - 1 : most; best < 0; level--) {
            if (level == 0) return false;
            best = cheapest_with(c, s, placer, job, n = level, level, &least);
        }
        choose_on(c, best, n);
    }
    return true;
}

/* The servers with fewest free GPUs first: uses up fragments. */
static bool choose_fill(Choice *c)
{
    const Pool *pool = c->pool;
    for (int level = 1; level <= pool->max_gpus; level++)
        for (ServerId s = pool->first_server; s < pool->first_server + pool->n_servers; s++) {
            s = pool_server_with(pool, level, s);
            if (s < 0) break;
            choose_on(c, s, level < rest_of(c) ? level : rest_of(c));
            if (!rest_of(c)) return true;
        }
    return false;
}

/* Up to a server's size: best fit.  More: whole free servers, and the remainder on the emptiest of the others. */
static bool choose_consolidated(Choice *c)
{
    const Pool *pool = c->pool;
    int size = pool->max_gpus;
    ServerId next = pool->first_server;
    for (int whole = c->wanted / size; whole > 0 && c->wanted > size; whole--) {
        ServerId s = next < pool->first_server + pool->n_servers ? pool_server_with(pool, size, next) : -1;
        if (s < 0) return false;
        choose_on(c, s, size);
        next = s + 1;
    }
    if (!rest_of(c)) return true;
    if (c->wanted <= size) {
        int fit = pool_level_from(pool, c->wanted);
        if (fit < 0) return false;
        choose_on(c, pool_server_with(pool, fit, pool->first_server), c->wanted);
        return true;
    }
    for (int level = size; level >= rest_of(c); level--) {
        ServerId from = level == size ? next : pool->first_server;
        ServerId s = from < pool->first_server + pool->n_servers ? pool_server_with(pool, level, from) : -1;
        if (s < 0) continue;
        choose_on(c, s, rest_of(c));
        return true;
    }
    return false;
}

/* Each free GPU as likely: the first n of a shuffle.  The stream is the job's own, at this start of it. */
static bool choose_random(Choice *c, Sched *s, const Job *job)
{
    const Pool *pool = c->pool;
    GpuId *all = NEW_ARRAY(sched_scratch(s), GpuId, pool->n_free);
    int n = 0;
    for (GpuId g = pool->first_gpu; n < pool->n_free; g++) {
        g = cluster_next_free(c->cluster, g, pool->first_gpu + pool->n_gpus);
        all[n++] = g;
    }
    Rng rng;
    rng_open(&rng, rng_hash(sched_seed(s), "placement", job->key), "start", job->epoch);
    for (int i = 0; i < c->wanted; i++) {
        int j = i + (int)rng_below(&rng, n - i);
        c->gpu[c->n++] = all[j];
        all[j] = all[i];
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    GpuId x = *(const GpuId *)a, y = *(const GpuId *)b;
    return (x > y) - (x < y);
}

GpuId place_server(const Cluster *cluster, const GpuId gpus[], int n)
{
    GpuId best = gpus[0];
    int most = 0;
    for (int i = 0; i < n; i++) { /* n is small: a gang's servers are few */
        ServerId here = cluster_server_of(cluster, gpus[i]);
        int count = 0;
        for (int j = 0; j < n; j++) count += cluster_server_of(cluster, gpus[j]) == here;
        if (count > most || (count == most && here < cluster_server_of(cluster, best))) most = count, best = gpus[i];
    }
    return best;
}

const GpuId *place_by(Sched *s, const Placer *placer, const Job *job)
{
    if (placer->mode.share) return book_find(book_open(s, placer->mode), placer, job);
    const Pool *pool = sched_pool(s);
    if (job->n_gpus > pool->n_free) return NULL;
    Choice c = {.cluster = sched_cluster(s), .pool = pool, .wanted = job->n_gpus};
    c.gpu = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);

    bool found = false;
    switch (placer->mode.kind) {
    case PLACE_PACKED: found = placer->cost ? choose_cheapest(&c, s, placer, job) : choose_packed(&c); break;
    case PLACE_COUNT: found = choose_count(&c); break;
    case PLACE_RANDOM: found = choose_random(&c, s, job); break;
    case PLACE_CONSOLIDATE: found = choose_consolidated(&c); break;
    case PLACE_FILL: found = choose_fill(&c); break;
    }
    if (!found) return NULL;
    if (c.n > 1) qsort(c.gpu, (size_t)c.n, sizeof *c.gpu, by_id);
    if (job->n_tasks > job->n_gpus) c.gpu[job->n_gpus] = place_server(c.cluster, c.gpu, job->n_gpus);
    return c.gpu;
}

const GpuId *place_gang(Sched *s, PlaceMode mode, const Job *job)
{
    return place_by(s, &(Placer){.mode = mode}, job);
}

bool place_start_by(Sched *s, const Placer *placer, const Job *job)
{
    const GpuId *gpus = place_by(s, placer, job);
    return gpus && sched_start(s, job->id, gpus, job->n_tasks) == ASK_GRANTED;
}

bool place_start(Sched *s, PlaceMode mode, const Job *job)
{
    return place_start_by(s, &(Placer){.mode = mode}, job);
}
