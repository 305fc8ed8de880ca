/* policies/mlf_overload.c -- the ideal virtual task, and servers relieved of those nearest to it. */
#include "policies/mlf_overload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"

typedef struct Resident { /* a task on the server */
    const Task *task;
    bool server;    /* of parameters */
    bool judged;    /* its priority is known, ... */
    bool described; /* ... its uses are, which take a walk over its peers: most of the time nobody asks */
    bool gone;
    double priority;
    double uses[N_USES + 1];
} Resident;

int overload_nearest(const double uses[][N_USES + 1], const bool *candidate, int n, int n_choice,
                     const bool over[N_USES], bool bandwidth, const double weight[N_USES])
{
    double ideal[N_USES + 1] = {0}, best = HUGE_VAL;
    for (int m = 0; m < N_USES; m++) {
        ideal[m] = uses[0][m];
        for (int i = 1; i < n; i++)
            ideal[m] = over[m] ? number_max(ideal[m], uses[i][m]) : number_min(ideal[m], uses[i][m]);
    }
    int found = -1;
    for (int i = 0; i < n && n_choice > 0; i++) {
        if (!candidate[i]) continue;
        n_choice--;
        double sum = 0;
        for (int m = 0; m < N_USES + bandwidth; m++) {
            double gap = uses[i][m] - ideal[m];
            if (weight && m < N_USES) gap *= weight[m];
            sum += gap * gap;
        }
        if (!(sum < best)) continue;
        best = sum;
        found = i;
    }
    return found;
}

/* Lowest priority first; among equals the last to have come. */
static int by_priority(const void *a, const void *b)
{
    const Resident *x = *(Resident *const *)a, *y = *(Resident *const *)b;
    if (x->priority != y->priority) return x->priority < y->priority ? -1 : 1;
    if (x->task->job != y->task->job) return x->task->job > y->task->job ? -1 : 1;
    return x->task->index > y->task->index ? -1 : 1;
}

static void judge(Priorities *priorities, Sched *s, Resident *r)
{
    if (!r->judged) r->priority = priority_of_task(priorities, s, sched_job(s, r->task->job), r->task->index);
    r->judged = true;
}

static void describe(Place *place, Resident *r, int host)
{
    if (r->described) return;
    const Host *h = &place->hosts.host[host];
    const ServerClass *c = h->class_of;
    const Task *task = r->task;
    place_begin(place, sched_job(place->sched, task->job));
    place_look(place, task->index);
    r->uses[USE_GPU] = r->server ? 0 : task->demand / 1000.0 / h->n_gpus;
    r->uses[USE_CPU] = c->cores ? (double)task->need.cores / c->cores : 0;
    r->uses[USE_MEMORY] = c->memory_mib ? (double)task->need.memory_mib / c->memory_mib : 0;
    r->uses[USE_NETWORK] = place_use_of(place, host);
    r->uses[N_USES] = place_share(place, host);
    place_end(place);
    r->described = true;
}

static Resident *residents(const Place *place, int host)
{
    Sched *s = place->sched;
    const Host *h = &place->hosts.host[host];
    Resident *r = NEW_ARRAY(sched_scratch(s), Resident, h->tasks + 1);
    int n = 0;
    for (GpuId g = h->first_gpu; g < h->first_gpu + h->n_gpus; g++)
        for (const Task *t = sched_gpu_load(s, g)->task; t; t = t->next_here) r[n++].task = t;
    for (const Task *t = sched_server_load(s, place->hosts.first_server + host)->servers; t; t = t->next_here)
        r[n++] = (Resident){.task = t, .server = true};
    return r;
}

/* Which resources of the host are overloaded now; false: none. */
static bool find_overloads(const Hosts *hosts, int host, bool over[N_USES])
{
    const Host *h = &hosts->host[host];
    over[USE_GPU] = over[USE_MEMORY] = false;
    for (int g = 0; g < h->n_gpus; g++) over[USE_GPU] |= host_gpu_overloaded(hosts, hosts_gpu(hosts, h->first_gpu + g));
    over[USE_CPU] = hosts->use[USE_CPU][host] > hosts->threshold;
    over[USE_NETWORK] = hosts->use[USE_NETWORK][host] > hosts->threshold;
    return over[USE_GPU] || over[USE_CPU] || over[USE_NETWORK];
}

/* Whether it counts as a candidate: on an overloaded GPU while there is one, else using what is overloaded. */
static bool relieves(Place *place, int host, Resident *r, const bool over[N_USES])
{
    const Hosts *hosts = &place->hosts;
    const Task *t = r->task;
    if (over[USE_GPU]) return !r->server && t->demand > 0 && host_gpu_overloaded(hosts, hosts_gpu(hosts, t->gpu));
    if (over[USE_CPU] && t->need.cores > 0) return true;
    if (!over[USE_NETWORK]) return false;
    describe(place, r, host);
    return r->uses[N_USES] < 0.5; /* what it says to tasks beside it would have to leave by the same wire */
}

static void add_mover(Movers *movers, Arena *scratch, const Resident *r)
{
    if (movers->n == movers->room) {
        int larger = movers->room ? 2 * movers->room : 64;
        movers->mover = arena_grow(scratch, movers->mover, (size_t)movers->n, (size_t)larger, sizeof *movers->mover);
        movers->room = larger;
    }
    movers->mover[movers->n++] = (Mover){r->priority, r->task->job, r->task->index};
}

/* The choice among the first n, -1: none. */
static int ask_decider(const OverloadRule *rule, Arena *scratch, int host, Resident *const candidate[], int n,
                       int nearest)
{
    OverloadOption *option = NEW_ARRAY(scratch, OverloadOption, n);
    for (int i = 0; i < n; i++) {
        option[i].task = candidate[i]->task;
        memcpy(option[i].uses, candidate[i]->uses, sizeof candidate[i]->uses);
    }
    return rule->decider(rule->decider_self, host, option, n, nearest);
}

/* One of the candidates, which are the first of those that are left; NULL: none. */
static Resident *choose(const OverloadRule *rule, Place *place, int host, Resident *left[], int n_left,
                        int n_candidates, const bool over[N_USES])
{
    Arena *scratch = sched_scratch(place->sched);
    int n_choice = (int)ceil(rule->share * n_candidates - 1e-9);
    if (n_choice <= 1 && !rule->decider) { /* nothing to compare it with */
        Resident *lowest = left[0];
        for (int i = 1; i < n_candidates; i++)
            if (by_priority(&left[i], &lowest) < 0) lowest = left[i];
        return lowest;
    }
    if (n_choice < 1) n_choice = 1;
    qsort(left, (size_t)n_candidates, sizeof *left, by_priority);
    double(*uses)[N_USES + 1] = arena_alloc(scratch, (size_t)n_left, sizeof *uses), weight[N_USES];
    bool *candidate = NEW_ARRAY(scratch, bool, n_left);
    for (int i = 0; i < n_left; i++) {
        describe(place, left[i], host);
        memcpy(uses[i], left[i]->uses, sizeof uses[i]);
        candidate[i] = i < n_candidates;
    }
    for (int m = 0; m < N_USES; m++) weight[m] = hosts_rial_weight(&place->hosts, place->hosts.use[m][host]);
    int chosen = overload_nearest((const double(*)[N_USES + 1]) uses, candidate, n_left, n_choice, over,
                                  rule->bandwidth, rule->rial ? weight : NULL);
    if (rule->decider) chosen = ask_decider(rule, scratch, host, left, n_choice, chosen);
    return chosen < 0 ? NULL : left[chosen];
}

static void relieve(const OverloadRule *rule, Place *place, Priorities *priorities, int host, Movers *movers)
{
    Hosts *hosts = &place->hosts;
    Sched *s = place->sched;
    Resident *r = residents(place, host);
    int n = hosts->host[host].tasks;
    Resident **left = NEW_ARRAY(sched_scratch(s), Resident *, n + 1);
    bool over[N_USES];

    for (int moves = 0; moves < rule->max_moves && find_overloads(hosts, host, over); moves++) {
        int n_candidates = 0, others = n; /* from the front and from the back */
        for (int i = 0; i < n; i++) {
            if (r[i].gone) continue;
            const Task *t = r[i].task;
            bool cooling = t->moved != TIME_NEVER && sched_now(s) - t->moved < rule->cooldown;
            movers->cooling |= cooling;
            if (cooling || t->is_copy || !relieves(place, host, &r[i], over)) {
                left[--others] = &r[i];
                continue;
            }
            judge(priorities, s, &r[i]);
            left[n_candidates++] = &r[i];
        }
        if (!n_candidates) return;
        memmove(left + n_candidates, left + others, (size_t)(n - others) * sizeof(Resident *));
        Resident *mover = choose(rule, place, host, left, n_candidates + n - others, n_candidates, over);
        if (!mover) return;
        mover->gone = true;
        place_begin(place, sched_job(s, mover->task->job));
        place_lift(place, mover->task->index);
        place_end(place);
        add_mover(movers, sched_scratch(s), mover);
    }
}

void overload_select(const OverloadRule *rule, Place *place, Priorities *priorities, Movers *movers)
{
    *movers = (Movers){0};
    for (int host = 0, left = place->hosts.n_overloaded; left > 0 && host < place->hosts.n; host++) {
        if (!place->hosts.host[host].overloaded) continue;
        left--;
        if (sched_now(place->sched) < rule->rests[host]) {
            movers->cooling = true;
            continue;
        }
        int before = movers->n;
        relieve(rule, place, priorities, host, movers);
        if (movers->n > before) rule->rests[host] = sched_now(place->sched) + rule->cooldown;
    }
}
