/* policies/mlf_choose.c -- candidates described and chosen from, one decision after the other. */
#include "policies/mlf_choose.h"

#include <math.h>
#include <string.h>

#include "sim/base/err.h"

enum { NOBODY = -1 };

static float *row_of(MlfChoose *me, int i)
{
    return me->row + (size_t)i * N_FEATURES;
}

/* ---- what the net sees ---- */

static void look_at_job(MlfChoose *me, const Job *job)
{
    Sched *s = me->h.place.sched;
    Ewma *accuracy = &me->accuracy[job->id];
    me->facts.loss_ratio = priority_loss_ratio(&me->h.priorities, s, job, &me->facts.epochs_done);
    for (int32_t *seen = &me->seen[job->id]; *seen < me->facts.epochs_done;)
        ewma_add(accuracy, EWMA_SHARE, sched_observed_accuracy(s, job, ++*seen));
    me->facts.accuracy = accuracy->value;
}

/* The part that the candidates share, in the first row. */
static void describe(MlfChoose *me, StepType step, const Job *job, const Task *task)
{
    features_of_world(me->row, &me->world, step, sched_waiting(me->h.place.sched)->n);
    features_of_task(me->row, &me->world, job, task, &me->facts);
}

/* The rack with most of the traffic to the peers that are placed, the lowest on ties; NOBODY: none is. */
static int rack_of_peers(const Near *near)
{
    int found = NOBODY;
    double most = 0;
    for (int i = 0; i < near->n_racks; i++) {
        int rack = near->rack[i];
        double bytes = near->rack_bytes[rack];
        if (bytes < most || (bytes == most && found != NOBODY && rack > found)) continue;
        found = rack;
        most = bytes;
    }
    return found;
}

static FeatureHost host_facts(const Hosts *h, int i)
{
    const Host *host = &h->host[i];
    FeatureHost facts = {.tasks = host->tasks, .n_gpus = host->n_gpus};
    for (int m = 0; m < N_USES; m++) facts.use[m] = h->use[m][i];
    return facts;
}

static void describe_host(MlfChoose *me, float row[], const PlaceOption *option, int rack)
{
    const Place *p = &me->h.place;
    FeatureHost facts = host_facts(&p->hosts, option->host);
    facts.least_gpu = hosts_gpu(&p->hosts, option->gpu)->load / 1000.0;
    facts.network_more = place_use_of(p, option->host);
    facts.traffic = place_share(p, option->host);
    facts.degradation = option->degradation;
    facts.distance = sqrt(option->distance);
    facts.same_rack = p->network->rack[p->hosts.first_server + option->host] == rack;
    features_of_host(row, &facts);
}

/* One row a host, each a copy of the first but for its host. */
static void describe_hosts(MlfChoose *me, int n)
{
    int rack = rack_of_peers(&me->h.place.near);
    for (int i = n - 1; i >= 0; i--) {
        if (i) memcpy(row_of(me, i), me->row, N_FEATURES * sizeof *me->row);
        describe_host(me, row_of(me, i), &me->option[i], rack);
    }
}

/* ---- choosing ---- */

/* Among n candidates that are described; `teacher` is MLF-H's choice.  NULL as the job: it is about several. */
static int choose(MlfChoose *me, const Job *job, int n, const bool legal[], int teacher)
{
    int n_legal = 0, only = 0, chosen = teacher;
    for (int i = 0; i < n; i++)
        if (!legal || legal[i]) n_legal++, only = i;
    if (n_legal == 1) return only; /* nothing to decide and nothing to learn */
    if (me->mode != CHOOSE_AS_MLF_H)
        chosen = chooser_choose(me->net, n, me->row, legal, me->mode == CHOOSE_DRAWN ? me->rng : NULL);
    if (me->log) {
        decision_add(me->log, n, me->row, legal, chosen, me->tick);
        me->log->decision[me->log->n - 1].job = job ? job->id : NOBODY;
    }
    return chosen;
}

static bool may_queue(const MlfChoose *me, const Job *job)
{
    bool idle = !sched_running(me->h.place.sched)->n && me->h.last;
    return !idle && me->passed[job->id] < MOST_PASSES;
}

/* A host for task k of the job begun, the first of its tasks or a later one: its GPU, -1: none, or "queue". */
static GpuId choose_host(MlfChoose *me, int k, bool first)
{
    Place *p = &me->h.place;
    bool legal[MOST_CANDIDATES];
    int n = place_list(p, k, me->option, MOST_HOSTS);
    if (!n) return -1;
    describe(me, STEP_PLACE, p->job, &p->task[k]);
    describe_hosts(me, n);
    for (int i = 0; i < n; i++) legal[i] = true;
    if (first) {
        memcpy(row_of(me, n), me->row, N_FEATURES * sizeof *me->row);
        features_of_queue(row_of(me, n));
        legal[n] = may_queue(me, p->job);
    }
    int chosen = choose(me, p->job, n + first, legal, 0);
    return chosen < n ? me->option[chosen].gpu : -1;
}

static void undo_to(Place *p, int n_tried)
{
    while (p->n_tried > n_tried) place_undo(p);
}

static void keep_plan(MlfChoose *me, const int tasks[], int n)
{
    if (n > me->plan_room) {
        me->plan_room = 2 * n;
        me->plan = NEW_ARRAY(sched_memory(me->h.place.sched), GpuId, me->plan_room);
    }
    for (int i = 0; i < n; i++) me->plan[i] = me->h.place.spot[tasks[i]];
}

static bool choose_hosts(void *self, const int tasks[], int n)
{
    MlfChoose *me = self;
    Place *p = &me->h.place;
    int before = p->n_tried;
    if (!place_try_all(p, tasks, n)) return false;
    keep_plan(me, tasks, n);
    undo_to(p, before);

    JobId id = p->job->id;
    look_at_job(me, p->job);
    for (int i = 0; i < n; i++) {
        GpuId gpu = choose_host(me, tasks[i], i == 0);
        if (gpu < 0 && i == 0) {
            me->passed[id]++;
            me->h.again = true;
            return false;
        }
        if (gpu < 0) {
            undo_to(p, before);
            for (int j = 0; j < n; j++) place_put(p, tasks[j], me->plan[j]);
            break;
        }
        place_put(p, tasks[i], gpu);
    }
    me->passed[id] = 0;
    return true;
}

static GpuId choose_move(void *self, int k)
{
    MlfChoose *me = self;
    Place *p = &me->h.place;
    GpuId own = p->spot[k];
    int n = place_list(p, k, me->option, MOST_HOSTS);
    if (!n) return place_move(p, k); /* which takes note of it */
    look_at_job(me, p->job);
    describe(me, STEP_MOVE, p->job, &p->task[k]);
    describe_hosts(me, n);
    memcpy(row_of(me, n), me->row, N_FEATURES * sizeof *me->row);
    features_of_stop(row_of(me, n));
    int chosen = choose(me, p->job, n + 1, NULL, 0);
    GpuId gpu = chosen < n ? me->option[chosen].gpu : own;
    place_shift(p, k, gpu);
    return gpu;
}

static int choose_mover(void *self, int host, const OverloadOption option[], int n, int nearest)
{
    MlfChoose *me = self;
    Place *p = &me->h.place;
    FeatureHost facts = host_facts(&p->hosts, host);
    if (n > MOST_HOSTS) n = MOST_HOSTS;
    if (me->mode == CHOOSE_AS_MLF_H && nearest >= n) return nearest;
    for (int i = 0; i <= n; i++) { /* the last is "stop", said of the task that MLF-H would move */
        const OverloadOption *o = &option[i < n ? i : nearest < n ? nearest : 0];
        const Job *job = sched_job(p->sched, o->task->job);
        look_at_job(me, job);
        float *row = row_of(me, i);
        features_of_world(row, &me->world, STEP_SELECT, sched_waiting(p->sched)->n);
        features_of_task(row, &me->world, job, o->task, &me->facts);
        facts.least_gpu = hosts_gpu(&p->hosts, o->task->gpu)->load / 1000.0;
        facts.network_more = o->uses[USE_NETWORK];
        facts.traffic = o->uses[N_USES];
        if (i < n)
            features_of_host(row, &facts);
        else
            features_of_stop(row);
    }
    int chosen = choose(me, NULL, n + 1, NULL, nearest);
    return chosen < n ? chosen : -1;
}

/* ---- rounds ---- */

static const MlfDecider decider = {choose_hosts, choose_move};

void mlf_choose_open(MlfChoose *me, Sched *s, bool plain)
{
    Arena *a = sched_memory(s);
    int n_jobs = sched_live(s)->size;
    *me = (MlfChoose){
        .world = {.plain = plain},
        .passed = NEW_ARRAY(a, int32_t, n_jobs),
        .accuracy = NEW_ARRAY(a, Ewma, n_jobs),
        .seen = NEW_ARRAY(a, int32_t, n_jobs),
        .option = NEW_ARRAY(a, PlaceOption, MOST_HOSTS),
        .row = NEW_ARRAY(a, float, MOST_CANDIDATES *N_FEATURES),
    };
    mlf_h_open(&me->h, s);
    me->h.fifo = plain;
    if (plain) me->h.migrate = false;
    const Hosts *h = &me->h.place.hosts;
    for (int i = 0; i < h->n; i++) {
        const ServerClass *c = h->host[i].class_of;
        if (c->cores > me->world.cores) me->world.cores = c->cores;
        if (c->memory_mib > me->world.memory_mib) me->world.memory_mib = c->memory_mib;
    }
}

void mlf_choose_round(MlfChoose *me, Sched *s)
{
    MUST(me->net || me->mode == CHOOSE_AS_MLF_H);
    bool asked = me->mode != CHOOSE_AS_MLF_H || me->log;
    me->h.decider = asked ? &decider : NULL;
    me->h.decider_self = me;
    me->h.overload.decider = asked ? choose_mover : NULL;
    me->h.overload.decider_self = me;
    me->world.now = sched_now(s);
    if (asked) {
        hosts_refresh(&me->h.place.hosts);
        me->world.overload = hosts_overload_degree(&me->h.place.hosts) / sqrt(N_USES);
    }
    mlf_h_round(&me->h, s);
}
