/* policies/placebook.c -- books of loads and memory, and the modes of placement over GPUs with room. */
#include "policies/placebook.h"

#include <stdlib.h>
#include <string.h>

static const ServerClass *class_of(const PlaceBook *b, ServerId s)
{
    return cluster_spec_class(sched_cluster(b->sched)->spec, s);
}

/* Steps that a load fills, at most n_levels - 1: beyond the limit no difference is made. */
static int level_of(const PlaceBook *b, const BookGpu *gpu)
{
    int level = gpu->n_tasks > 0 ? (gpu->load + PLACE_STEP - 1) / PLACE_STEP : 0;
    return gpu->n_tasks >= 0 && level < b->n_levels ? level : b->n_levels - 1;
}

PlaceBook *book_empty(Sched *s, PlaceMode mode)
{
    const Cluster *c = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    PlaceBook *b = NEW(sched_scratch(s), PlaceBook);
    *b = (PlaceBook){.sched = s, .mode = mode, .n_levels = mode.share / PLACE_STEP + 2};
    b->gpu = NEW_ARRAY(sched_scratch(s), BookGpu, c->spec->n_gpus);
    b->memory_mib = NEW_ARRAY(sched_scratch(s), int32_t, c->spec->n_servers);
    b->n_new = NEW_ARRAY(sched_scratch(s), int32_t, c->spec->n_servers);
    b->n_at = NEW_ARRAY(sched_scratch(s), int32_t, b->n_levels);
    for (GpuId g = pool->first_gpu; g < pool->first_gpu + pool->n_gpus; g++) {
        if (c->holder[g] == GPU_BROKEN) b->gpu[g].n_tasks = -1;
        b->n_at[level_of(b, &b->gpu[g])]++;
    }
    return b;
}

PlaceBook *book_open(Sched *s, PlaceMode mode)
{
    const Pool *pool = sched_pool(s);
    PlaceBook *b = book_empty(s, mode);
    memset(b->n_at, 0, (size_t)b->n_levels * sizeof *b->n_at);
    for (GpuId g = pool->first_gpu; g < pool->first_gpu + pool->n_gpus; g++) {
        const GpuLoad *load = sched_gpu_load(s, g);
        if (b->gpu[g].n_tasks >= 0) b->gpu[g] = (BookGpu){load->load, load->memory_mib, load->n_tasks, 0};
        b->n_at[level_of(b, &b->gpu[g])]++;
    }
    for (ServerId i = pool->first_server; i < pool->first_server + pool->n_servers; i++)
        b->memory_mib[i] = sched_server_load(s, i)->memory_mib;
    return b;
}

PlaceBook *book_most(const PlaceBook *x, const PlaceBook *y)
{
    const Pool *pool = sched_pool(x->sched);
    PlaceBook *b = book_empty(x->sched, x->mode);
    memset(b->n_at, 0, (size_t)b->n_levels * sizeof *b->n_at);
    for (GpuId g = pool->first_gpu; g < pool->first_gpu + pool->n_gpus; g++) {
        const BookGpu *p = &x->gpu[g], *q = &y->gpu[g];
        b->gpu[g] = (BookGpu){.load = p->load > q->load ? p->load : q->load,
                              .memory_mib = p->memory_mib > q->memory_mib ? p->memory_mib : q->memory_mib,
                              .n_tasks = p->n_tasks > q->n_tasks ? p->n_tasks : q->n_tasks};
        b->n_at[level_of(b, &b->gpu[g])]++;
    }
    for (ServerId i = pool->first_server; i < pool->first_server + pool->n_servers; i++)
        b->memory_mib[i] = x->memory_mib[i] > y->memory_mib[i] ? x->memory_mib[i] : y->memory_mib[i];
    return b;
}

void book_add(PlaceBook *b, const Job *job, const GpuId gpus[], int by, bool planned)
{
    const Cluster *c = sched_cluster(b->sched);
    const Task *task = sched_tasks(b->sched, job);
    for (int k = 0; k < job->n_tasks; k++) {
        if (gpus[k] < 0) continue;
        ServerId s = cluster_server_of(c, gpus[k]);
        b->memory_mib[s] += by * task[k].need.memory_mib;
        b->n_new[s] += by * planned;
        if (k >= job->n_gpus) continue; /* a parameter server */
        BookGpu *gpu = &b->gpu[gpus[k]];
        b->n_at[level_of(b, gpu)]--;
        gpu->load += by * task[k].demand;
        gpu->memory_mib += by * task[k].need.gpu_memory_mib;
        gpu->n_tasks += by;
        gpu->n_new += by * planned;
        b->n_at[level_of(b, gpu)]++;
    }
}

void book_close(PlaceBook *b, GpuId g)
{
    b->n_at[level_of(b, &b->gpu[g])]--;
    b->gpu[g].n_tasks = -1;
    b->n_at[level_of(b, &b->gpu[g])]++;
}

void book_add_running(PlaceBook *b, const Job *job, int by)
{
    const Task *task = sched_tasks(b->sched, job);
    GpuId *gpus = NEW_ARRAY(sched_scratch(b->sched), GpuId, job->n_tasks);
    for (int k = 0; k < job->n_tasks; k++) gpus[k] = task[k].gpu;
    book_add(b, job, gpus, by, false);
}

bool book_can_stay(const PlaceBook *b, const Job *job)
{
    const Task *task = sched_tasks(b->sched, job);
    for (int k = 0; k < job->n_tasks; k++) {
        if (task[k].gpu < 0) continue;
        const ServerClass *c = class_of(b, task[k].server);
        int32_t more = 0; /* host memory that the job takes there */
        for (int l = 0; b->n_new[task[k].server] && l < job->n_tasks; l++)
            if (task[l].server == task[k].server) more += task[l].need.memory_mib;
        if (more && c->memory_mib && b->memory_mib[task[k].server] + more > c->memory_mib) return false;
        const BookGpu *gpu = &b->gpu[task[k].gpu];
        if (k >= job->n_gpus || !gpu->n_new) continue;
        if (gpu->load + task[k].demand > b->mode.share) return false;
        if (c->gpu_memory_mib && gpu->memory_mib + task[k].need.gpu_memory_mib > c->gpu_memory_mib) return false;
    }
    return true;
}

/* ---- finding room ---- */

typedef struct {
    const PlaceBook *book;
    const Placer *placer;
    const Job *job;
    PlaceNeed need;
    int32_t gpu_memory_mib, memory_mib, server_memory_mib; /* of a task, and of the parameter server */
    const Pool *pool;
    const Server *server; /* by id */
    int *room;            /* [n_servers of the pool]: GPUs of it that a task of the job may go on */
    int *load;            /* the same: what their tasks demand together */
    bool only_empty;
    GpuId *gpu;
    int n;
} Search;

static bool has_room(const Search *f, GpuId g, const ServerClass *c)
{
    const BookGpu *gpu = &f->book->gpu[g];
    if (gpu->n_tasks < 0 || (gpu->n_tasks > 0 && f->only_empty)) return false;
    if (gpu->n_tasks > 0 && gpu->load + f->need.demand > f->book->mode.share) return false;
    return !c->gpu_memory_mib || gpu->memory_mib + f->gpu_memory_mib <= c->gpu_memory_mib;
}

/* GPUs of the server with room, no more than it has host memory for; -1: the job has some there already. */
static void look_at(Search *f, int i)
{
    ServerId id = f->pool->first_server + i;
    const Server *server = &f->server[id];
    const ServerClass *c = class_of(f->book, id);
    int room = 0, load = 0;
    for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) {
        room += has_room(f, g, c);
        load += f->book->gpu[g].load;
    }
    if (c->memory_mib) {
        int32_t spare = c->memory_mib - f->book->memory_mib[id] - f->server_memory_mib;
        int most = spare < 0 ? 0 : f->memory_mib ? spare / f->memory_mib : room;
        if (room > most) room = most;
    }
    f->room[i] = room;
    f->load[i] = load;
}

/* n GPUs of a server, the least loaded first, or with `in_order` the lowest. */
static void take_from(Search *f, int i, int n, bool in_order)
{
    const Server *server = &f->server[f->pool->first_server + i];
    const ServerClass *c = class_of(f->book, f->pool->first_server + i);
    int first = f->n;
    while (n-- > 0) {
        GpuId best = -1;
        for (GpuId g = server->first_gpu; g < server->first_gpu + server->n_gpus; g++) {
            bool taken = !has_room(f, g, c);
            for (int k = first; k < f->n; k++) taken |= f->gpu[k] == g;
            if (taken) continue;
            if (best < 0 || (!in_order && f->book->gpu[g].load < f->book->gpu[best].load)) best = g;
        }
        f->gpu[f->n++] = best;
    }
    f->room[i] = -1; /* a server is chosen once */
}

static int rest_of(const Search *f)
{
    return f->need.n_gpus - f->n;
}

/* The server with room for at least `least` and at most `most` tasks: the one with the least room, or with `roomiest`
 * the most; the least loaded, lowest index on ties; -1: none. */
static int server_with(const Search *f, int least, int most, bool roomiest)
{
    int best = -1;
    for (int i = 0; i < f->pool->n_servers; i++) {
        int room = f->room[i];
        if (room < least || room > most) continue;
        if (best >= 0 && room == f->room[best] ? f->load[i] >= f->load[best]
                                               : best >= 0 && (room > f->room[best]) != roomiest)
            continue;
        best = i;
    }
    return best;
}

/* Of the servers with so much room the one on which tasks cost least in the policy's opinion, then as server_with. */
static int cheapest_with(const Search *f, int least, int most)
{
    int best = -1;
    double cheapest = 0;
    for (int i = 0; i < f->pool->n_servers; i++) {
        int room = f->room[i];
        if (room < least || room > most) continue;
        int n = room < rest_of(f) ? room : rest_of(f);
        double cost = f->placer->cost(f->book->sched, f->placer->state, f->job, f->pool->first_server + i, n);
        if (best >= 0 && cost == cheapest
                ? room > f->room[best] || (room == f->room[best] && f->load[i] >= f->load[best])
                : best >= 0 && cost > cheapest)
            continue;
        best = i;
        cheapest = cost;
    }
    return best;
}

static bool find_cheapest(Search *f)
{
    while (rest_of(f)) {
        int i = cheapest_with(f, rest_of(f), INT32_MAX);
        if (i < 0) {
            int roomiest = server_with(f, 1, INT32_MAX, true);
            if (roomiest < 0) return false;
            i = cheapest_with(f, f->room[roomiest], f->room[roomiest]);
        }
        take_from(f, i, f->room[i] < rest_of(f) ? f->room[i] : rest_of(f), false);
    }
    return true;
}

static bool find_packed(Search *f)
{
    while (rest_of(f)) {
        int i = server_with(f, rest_of(f), INT32_MAX, false);
        if (i >= 0) {
            take_from(f, i, rest_of(f), false);
            return true;
        }
        if ((i = server_with(f, 1, INT32_MAX, true)) < 0) return false;
        take_from(f, i, f->room[i], false);
    }
    return true;
}

static bool find_fill(Search *f)
{
    for (int i; rest_of(f) && (i = server_with(f, 1, INT32_MAX, false)) >= 0;)
        take_from(f, i, f->room[i] < rest_of(f) ? f->room[i] : rest_of(f), false);
    return !rest_of(f);
}

static bool find_consolidated(Search *f)
{
    int size = f->pool->max_gpus;
    for (int i; rest_of(f) > size || (f->n && rest_of(f) == size);) {
        if ((i = server_with(f, size, size, true)) < 0) return false;
        take_from(f, i, size, false);
    }
    if (!rest_of(f)) return true;
    int i = server_with(f, rest_of(f), INT32_MAX, f->n > 0); /* alone: best fit; a remainder: the emptiest */
    if (i >= 0) take_from(f, i, rest_of(f), false);
    return i >= 0;
}

static bool find_count(Search *f)
{
    for (int i = 0; i < f->pool->n_servers && rest_of(f); i++)
        if (f->room[i] > 0) take_from(f, i, f->room[i] < rest_of(f) ? f->room[i] : rest_of(f), true);
    return !rest_of(f);
}

/* Each GPU with room as likely, as long as its server has host memory for its task. */
static bool find_random(Search *f)
{
    Sched *s = f->book->sched;
    GpuId *all = NEW_ARRAY(sched_scratch(s), GpuId, f->pool->n_gpus);
    int n = 0;
    for (int i = 0; i < f->pool->n_servers; i++) {
        ServerId id = f->pool->first_server + i;
        for (GpuId g = f->server[id].first_gpu; g < f->server[id].first_gpu + f->server[id].n_gpus; g++)
            if (has_room(f, g, class_of(f->book, id))) all[n++] = g;
    }
    Rng rng;
    rng_open(&rng, rng_hash(sched_seed(s), "placement", f->job->key), "start", f->job->epoch);
    for (int k = 0; k < n && rest_of(f); k++) {
        int j = k + (int)rng_below(&rng, n - k);
        GpuId g = all[j];
        all[j] = all[k];
        int i = cluster_server_of(sched_cluster(s), g) - f->pool->first_server;
        if (f->room[i]-- > 0) f->gpu[f->n++] = g;
    }
    return !rest_of(f);
}

static int by_id(const void *a, const void *b)
{
    GpuId x = *(const GpuId *)a, y = *(const GpuId *)b;
    return (x > y) - (x < y);
}

/* More GPUs than have room for such a demand, whatever their memory? */
static bool is_hopeless(const PlaceBook *b, PlaceNeed need)
{
    int n = b->n_at[0], last = (b->mode.share - need.demand + PLACE_STEP - 1) / PLACE_STEP;
    for (int level = 1; level <= last && level < b->n_levels - 1; level++) n += b->n_at[level];
    return n < need.n_gpus;
}

/* By the placer's rule among the GPUs with room, or among the empty ones alone. */
static bool find(Search *f, bool only_empty)
{
    int total = 0;
    f->n = 0;
    f->only_empty = only_empty;
    for (int i = 0; i < f->pool->n_servers; i++) {
        look_at(f, i);
        total += f->room[i];
    }
    if (total < f->need.n_gpus) return false;
    switch (f->placer->mode.kind) {
    case PLACE_PACKED: return f->placer->cost ? find_cheapest(f) : find_packed(f);
    case PLACE_COUNT: return find_count(f);
    case PLACE_RANDOM: return find_random(f);
    case PLACE_CONSOLIDATE: return find_consolidated(f);
    case PLACE_FILL: return find_fill(f);
    }
    return false;
}

const GpuId *book_find(const PlaceBook *b, const Placer *placer, const Job *job)
{
    Sched *s = b->sched;
    const Task *task = sched_tasks(s, job);
    Search f = {.book = b,
                .placer = placer,
                .job = job,
                .need = place_need(s, b->mode, job),
                .gpu_memory_mib = task[0].need.gpu_memory_mib,
                .memory_mib = task[0].need.memory_mib,
                .server_memory_mib = job->n_tasks > job->n_gpus ? task[job->n_gpus].need.memory_mib : 0,
                .pool = sched_pool(s),
                .server = sched_cluster(s)->server};
    if (is_hopeless(b, f.need)) return NULL;
    f.room = NEW_ARRAY(sched_scratch(s), int, f.pool->n_servers);
    f.load = NEW_ARRAY(sched_scratch(s), int, f.pool->n_servers);
    f.gpu = NEW_ARRAY(sched_scratch(s), GpuId, job->n_tasks);
    bool may_be_alone = b->n_at[0] >= job->n_gpus;
    if (!(may_be_alone && find(&f, true)) && !find(&f, false)) return NULL;
    qsort(f.gpu, (size_t)f.n, sizeof *f.gpu, by_id);
    if (job->n_tasks > job->n_gpus) f.gpu[job->n_gpus] = place_server(sched_cluster(s), f.gpu, job->n_gpus);
    return f.gpu;
}
