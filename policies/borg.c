/* policies/borg.c -- a fair scheduler as Borg's: bands, turns, dominant shares, servers that strand little.
 *
 * Verma et al., "Large-scale cluster management at Google with Borg", EuroSys 2015; shares after Ghodsi et al.,
 * "Dominant Resource Fairness", NSDI 2011.  MLFS compares itself with "TensorFlow", which is this: a scheduler that is
 * fair and knows nothing of training.
 *
 * Jobs more urgent than `urgent` are in the upper band, all others in the lower.  Each round: the upper band first, and
 * what of it finds no room may push out jobs of the lower one: the least urgent first, of these the latest started;
 * never a job of its own band.  In a band it is fair between
 *   jobs (fair_entity=job): who has run least is first, and every quantum all GPUs are granted anew in that order, so
 *     that jobs share the cluster in turns;
 *   users or virtual clusters: the one with the smallest dominant share is next (drf.h) and starts the first of its
 *     jobs that fits, among the `skip` first; nobody makes way.
 * A gang goes on the servers where it leaves GPUs, cores and memory used up most evenly: what is left of one while
 * another is gone is stranded.
 *
 * Knows:   attained time, urgency, user, virtual cluster, what tasks need.
 * Ignores: run times, deadlines, losses, traffic.
 */
#include <math.h>
#include <stdlib.h>

#include "policies/fairshare.h"
#include "policies/ranking.h"

typedef struct {
    enum { FAIR_JOBS, FAIR_USERS, FAIR_VCS } entity;
    double urgent, new_server;
    bool preempts;
    int skip;
    SimTime quantum, due; /* the next time that jobs take turns; TIME_NEVER: nobody waits */
    Ranking ranking;      /* the jobs, or ... */
    FairShare fair;       /* ... the queues of users or virtual clusters */
} Borg;

static const Param borg_params[] = {
    CHOICE_PARAM("fair_entity", "job", "job|user|vc", "whose shares are made equal"),
    NUMBER_PARAM("urgent", "8", 0, 1e6, "jobs with a higher urgency are in the upper band"),
    CHOICE_PARAM("preempt", "1", "0|1", "1: the upper band pushes out jobs of the lower one; 0: it waits for them"),
    {.name = "quantum_s",
     .kind = PARAM_NUMBER,
     .value = "auto",
     .low = 1e-6,
     .high = 1e9,
     .help = "fair_entity=job: seconds between turns; auto: five ticks, or 300 without ticks"},
    INTEGER_PARAM("skip", "10", 1, 1e6, "fair_entity=user|vc: how many of its waiting jobs are tried in a turn"),
    CHOICE_PARAM("score", "hybrid", "hybrid|fit", "servers: that strand least, or as place.mode says"),
    NUMBER_PARAM("new_server", "0.5", 0, 1e6, "what it costs to use an empty server, against stranded shares"),
    {0},
};

static Band band_of(const Borg *me, const Job *job)
{
    return job->urgency > me->urgent ? BAND_UPPER : BAND_LOWER;
}

/* ---- where ---- */

/* How unevenly a server with so much in use would be used up: sum over resources of |free share - mean free share|. */
static double stranded(const int used[], const int all[])
{
    double share[DRF_RESOURCES] = {0}, mean = 0, sum = 0;
    int n = 0;
    for (int r = 0; r < DRF_RESOURCES; r++)
        if (all[r]) share[n++] = used[r] < all[r] ? (double)(all[r] - used[r]) / all[r] : 0;
    for (int i = 0; i < n; i++) mean += share[i] / n;
    for (int i = 0; i < n; i++) sum += fabs(share[i] - mean);
    return sum;
}

/* What the tasks would add to that, and the price of an empty server.  Not how uneven the server would be: where GPUs
 * are always what is scarce that is least on an empty one, and gangs would find no whole server any more. */
static double borg_cost(const Sched *s, const void *state, const Job *job, ServerId id, int n)
{
    const Borg *me = state;
    const Server *server = &sched_cluster(s)->server[id];
    double cost = server->n_free == server->n_gpus ? me->new_server : 0;
    if (!sched_has_inside(s)) return cost;
    const ServerClass *class_of = cluster_spec_class(sched_cluster(s)->spec, id);
    const ServerLoad *load = sched_server_load(s, id);
    const TaskNeed *need = &sched_tasks(s, job)->need;
    PlaceMode mode = me->ranking.placer.mode;
    int all[DRF_RESOURCES] = {server->n_gpus, class_of->cores, class_of->memory_mib};
    int used[DRF_RESOURCES] = {server->n_gpus - server->n_free, load->cores, load->memory_mib}, gpu = 1;
    if (mode.share) { /* thousandths */
        all[0] *= 1000;
        used[0] = load->gpu_load;
        gpu = place_need(s, mode, job).demand;
    }
    cost -= stranded(used, all);
    used[0] += n * gpu;
    used[1] += n * need->cores;
    used[2] += n * need->memory_mib;
    return round((cost + stranded(used, all)) * 1e9); /* sums that differ in their last bits are equal */
}

/* ---- the order of jobs ---- */

/* The upper band's keys are below zero, and below all of the lower's. */
static int64_t borg_key(const Sched *s, const void *state, const Job *job)
{
    SimTime attained = job_attained(job, sched_now(s));
    return band_of(state, job) == BAND_UPPER ? attained - 2 * TIME_LIMIT : attained;
}

static const char *entity_of(const Borg *me, const Job *job)
{
    return me->entity == FAIR_USERS ? job->user : job->vc;
}

static void wait_again(Sched *s, Borg *me, const Job *job)
{
    if (me->entity == FAIR_JOBS)
        ranking_return(&me->ranking, job, borg_key(s, me, job));
    else
        fairshare_wait(&me->fair, s, job, entity_of(me, job), band_of(me, job));
}

/* ---- room for the upper band ---- */

typedef struct Victims { /* running jobs of the lower band, the first to go first */
    const Job **job;
    int n, next;
    bool listed; /* in this round */
} Victims;

static int goes_first(const void *a, const void *b)
{
    const Job *x = *(const Job *const *)a, *y = *(const Job *const *)b;
    if (x->urgency != y->urgency) return x->urgency < y->urgency ? -1 : 1;
    if (x->started != y->started) return x->started > y->started ? -1 : 1;
    return x->id > y->id ? -1 : x->id < y->id;
}

static void list_victims(Sched *s, const Borg *me, Victims *victims)
{
    if (victims->listed) return;
    victims->job = NEW_ARRAY(sched_scratch(s), const Job *, sched_running(s)->n);
    EACH_JOB (id, sched_running(s))
        if (band_of(me, sched_job(s, id)) == BAND_LOWER) victims->job[victims->n++] = sched_job(s, id);
    if (victims->n > 1) qsort(victims->job, (size_t)victims->n, sizeof *victims->job, goes_first);
    victims->listed = true;
}

/* Whether place.mode would place so many GPUs on servers with so many free ones each. */
static bool would_fit(const Borg *me, const Pool *pool, const int n_free[], int total, int n)
{
    if (total < n || me->ranking.placer.mode.kind != PLACE_CONSOLIDATE) return total >= n;
    int size = pool->max_gpus, whole = n > size ? n / size : 0, rest = n - whole * size, most = 0;
    for (int i = 0; i < pool->n_servers; i++) {
        if (n_free[i] == size && whole)
            whole--;
        else if (n_free[i] > most)
            most = n_free[i];
    }
    return !whole && rest <= most;
}

static void push_out(Sched *s, Borg *me, Victims *victims, int end)
{
    for (; victims->next < end; victims->next++) {
        sched_preempt(s, victims->job[victims->next]->id);
        wait_again(s, me, victims->job[victims->next]);
    }
}

/* make_room where GPUs are shared. */
static bool make_shared_room(Sched *s, Borg *me, Victims *victims, const Job *job)
{
    PlaceBook *book = book_open(s, me->ranking.placer.mode);
    int end = victims->next;
    for (; !book_find(book, &me->ranking.placer, job); end++) {
        if (end == victims->n) return false;
        book_add_running(book, victims->job[end], -1);
    }
    push_out(s, me, victims, end);
    return true;
}

/* Makes jobs of the lower band give way until the job fits; false: it would not, and nobody had to. */
static bool make_room(Sched *s, Borg *me, Victims *victims, const Job *job)
{
    const Cluster *cluster = sched_cluster(s);
    const Pool *pool = sched_pool(s);
    int *n_free = NEW_ARRAY(sched_scratch(s), int, pool->n_servers), total = pool->n_free;
    for (int i = 0; i < pool->n_servers; i++) n_free[i] = cluster->server[pool->first_server + i].n_free;
    list_victims(s, me, victims);
    if (me->ranking.placer.mode.share) return make_shared_room(s, me, victims, job);
    int end = victims->next;
    for (; !would_fit(me, pool, n_free, total, job->n_gpus); end++) {
        if (end == victims->n) return false;
        const Job *victim = victims->job[end];
        GpuId *gpus = NEW_ARRAY(sched_scratch(s), GpuId, victim->n_gpus);
        int n = sched_gpus(s, victim, gpus);
        for (int i = 0; i < n; i++) n_free[cluster_server_of(cluster, gpus[i]) - pool->first_server]++;
        total += n;
    }
    push_out(s, me, victims, end);
    return true;
}

/* ---- fair between jobs ---- */

static void serve_jobs(Sched *s, Borg *me)
{
    Ranking *r = &me->ranking;
    Victims victims = {0};
    ranking_begin(r, s, borg_key, me);
    for (RankHeap *h; (h = ranking_first(r, INT32_MAX)) && h->heap[0].key < 0;) {
        int at = (int)(h - r->width);
        if (ranking_start(r, s, h) || !me->preempts) continue;
        if (make_room(s, me, &victims, sched_job(s, h->heap[0].id))) ranking_start(r, s, &r->width[at]);
    }
    for (RankHeap *h; (h = ranking_first(r, place_spare(s, r->placer.mode)));) ranking_start(r, s, h);
}

static void take_turns(Sched *s, Borg *me)
{
    if (!sched_waiting(s)->n) return; /* nor did anybody after the latest round */
    if (sched_now(s) >= me->due) {
        ranking_preempt(&me->ranking, s, borg_key, me);
        me->due = TIME_NEVER;
    } else {
        serve_jobs(s, me);
    }
    if (!sched_waiting(s)->n)
        me->due = TIME_NEVER;
    else if (me->due == TIME_NEVER)
        me->due = time_add(sched_now(s), me->quantum);
    sched_wake_at(s, me->due);
}

/* ---- fair between users or virtual clusters ---- */

/* Starts the first of its first jobs in this band that fits; false: none did. */
static bool start_one(Sched *s, Borg *me, Victims *victims, int entity, Band band)
{
    FairShare *fair = &me->fair;
    JobId id = fair->queue[entity].first[band];
    for (int i = 0; id >= 0 && i < me->skip; i++, id = fair->job[id].next) {
        const Job *job = sched_job(s, id);
        bool started = place_start_by(s, &me->ranking.placer, job);
        if (!started && band == BAND_UPPER && me->preempts && make_room(s, me, victims, job))
            started = place_start_by(s, &me->ranking.placer, job);
        if (!started) continue;
        fairshare_start(fair, s, job);
        return true;
    }
    return false;
}

static void serve_entities(Sched *s, Borg *me)
{
    FairShare *fair = &me->fair;
    Victims victims = {0};
    if (!sched_waiting(s)->n) return;
    for (int band = N_BANDS - 1; band >= 0; band--) {
        drf_begin(&fair->drf);
        for (int i = 0; i < fair->names.n; i++)
            if (fair->queue[i].first[band] >= 0) drf_offer(&fair->drf, i);
        for (int i; (i = drf_next(&fair->drf)) >= 0;) {
            int gone = victims.next;
            bool started = start_one(s, me, &victims, i, (Band)band);
            if (victims.next > gone) drf_reorder(&fair->drf);
            if (started && fair->queue[i].first[band] >= 0) drf_offer(&fair->drf, i);
        }
    }
}

/* ---- hooks ---- */

static void borg_init(Sched *s, void *state)
{
    Borg *me = state;
    me->entity = sched_is(s, "fair_entity", "job")  ? FAIR_JOBS
                 : sched_is(s, "fair_entity", "vc") ? FAIR_VCS
                                                    : FAIR_USERS;
    me->urgent = sched_number(s, "urgent");
    me->new_server = sched_number(s, "new_server");
    me->preempts = sched_is(s, "preempt", "1");
    me->skip = (int)sched_number(s, "skip");
    if (!sched_is(s, "quantum_s", "auto"))
        me->quantum = time_from_seconds(sched_number(s, "quantum_s"));
    else
        me->quantum = 5 * (sched_tick(s) ? sched_tick(s) : TIME_MINUTE);
    me->due = TIME_NEVER;
    ranking_init(&me->ranking, s);
    if (sched_is(s, "score", "hybrid")) me->ranking.placer = (Placer){me->ranking.placer.mode, borg_cost, me};
    if (me->entity != FAIR_JOBS) fairshare_open(&me->fair, s);
}

static void borg_on_arrive(Sched *s, void *state, const Job *job)
{
    Borg *me = state;
    if (me->entity == FAIR_JOBS)
        ranking_arrive(&me->ranking, job, borg_key(s, me, job));
    else
        fairshare_wait(&me->fair, s, job, entity_of(me, job), band_of(me, job));
}

static void borg_on_end(Sched *s, void *state, const Job *job)
{
    Borg *me = state;
    (void)s;
    if (me->entity != FAIR_JOBS) fairshare_end(&me->fair, job);
}

static void borg_schedule(Sched *s, void *state)
{
    Borg *me = state;
    if (me->entity == FAIR_JOBS)
        take_turns(s, me);
    else
        serve_entities(s, me);
}

const Policy policy_borg = {
    .name = "borg",
    .summary = "fair shares, by turns of jobs or dominant shares of users; urgent jobs push out others",
    .state_size = sizeof(Borg),
    .params = borg_params,
    .init = borg_init,
    .on_arrive = borg_on_arrive,
    .on_end = borg_on_end,
    .schedule = borg_schedule,
};
