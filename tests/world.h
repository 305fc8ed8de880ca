/* tests/world.h -- small worlds typed as text, run under a policy, with the identities that hold for every run checked.
 *
 * Identities (no tolerance): the sum of JCTs is the integral of live jobs, the sum of waits that of waiting jobs, the
 * sum of gpus x service that of held GPUs; submitted jobs = the sum over states; submit <= first start <= end; a job
 * that ran to its end got exactly its duration; after every round the GPUs held are those of the running jobs; the
 * clock never goes back.
 */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "policies/optstop.h"
#include "policies/place.h"
#include "policies/policies.h"
#include "sim/engine/sim.h"
#include "sim/model/clusterspec.h"
#include "traces/reader.h"

typedef struct World {
    Arena arena;
    Workload workload;
    ClusterSpec cluster;
    Params params;
    uint64_t seed;
    SimTime horizon;
    bool unaudited;       /* strict, but without the full audit after each round */
    bool lax;             /* not strict: refusals are counted instead of ending the run */
    const Outage *outage; /* [n_outages] */
    int n_outages;
    Watcher also;            /* a test's own watcher; no type: none */
    const JobModels *models; /* NULL: plain */
    const Policy *policy;
    SimResult result;
    Err err;
    SimTime last_seen; /* for the watcher */
    int64_t seen_running, seen_busy;
} World;

/* for each policy that runs in preset `plain` */
#define EACH_PLAIN_POLICY(p)                                                                                           \
    for (const Policy *const *p = policy_list; *p; p++)                                                                \
        if (!((*p)->needs & NEEDS_INSIDE))

static inline void world_open(World *w, const char *cluster)
{
    memset(w, 0, sizeof *w);
    w->seed = 1;
    w->horizon = TIME_NEVER;
    w->params.arena = &w->arena;
    params_add(&w->params, "run", run_params);
    params_add(&w->params, "place", place_params);
    params_add(&w->params, "physics", physics_params);
    params_add(&w->params, "cost", cost_params);
    params_add(&w->params, "fail", fail_params);
    params_add(&w->params, "model", model_params);
    params_add(&w->params, "trace", trace_params);
    params_add(&w->params, "optstop", optstop_params);
    for (const Policy *const *p = policy_list; *p; p++)
        params_add(&w->params, policy_group(*p, &w->arena), (*p)->params);
    if (!cluster_spec_read(cluster, NULL, &w->arena, &w->cluster, &w->err)) fail_msg("%s", w->err.text);
}

/* "a,0,1,10 / b,1,4,5": job_id, submit, GPUs, duration, in seconds; a fifth field is the relative deadline. */
static inline void world_jobs(World *w, const char *text)
{
    JobSpec *job = NEW_ARRAY(&w->arena, JobSpec, strlen(text) / 7 + 2);
    int n = 0;
    for (const char *row = text; row && *row; n++) {
        char name[32], submit[32], duration[32], deadline[32] = "";
        int gpus, used = 0;
        int got = sscanf(row, " %31[^,],%31[^,],%d,%31[0-9.]%n,%31[0-9.]%n", name, submit, &gpus, duration, &used,
                         deadline, &used);
        assert_true(got >= 4);
        job[n] = (JobSpec){.name = arena_copy_text(&w->arena, name, strlen(name)),
                           .n_gpus = gpus,
                           .urgency = (double)NAN,
                           .accuracy_required = (double)NAN,
                           .deadline = TIME_NEVER};
        assert_true(time_parse_seconds(submit, strlen(submit), &job[n].submit));
        assert_true(time_parse_seconds(duration, strlen(duration), &job[n].duration));
        if (*deadline) assert_true(time_parse_seconds(deadline, strlen(deadline), &job[n].deadline));
        assert_true(n == 0 || job[n].submit >= job[n - 1].submit);
        row = strchr(row, '/');
        if (row) row++;
    }
    w->workload = (Workload){.job = job, .n = n, .source = "typed", .format = "typed", .load = 1, .arrival_scale = 1};
}

static inline void world_set(World *w, const char *pair)
{
    if (!params_set_pair(&w->params, pair, &w->err)) fail_msg("%s", w->err.text);
}

/* A copy of the jobs, and of their insides if they have one, to be changed, with room for as many again. */
static inline JobSpec *world_own_jobs(World *w)
{
    size_t n = (size_t)w->workload.n;
    JobSpec *job = NEW_ARRAY(&w->arena, JobSpec, 2 * n);
    memcpy(job, w->workload.job, n * sizeof *job);
    w->workload.job = job;
    if (!w->models) return job;
    JobModel *model = NEW_ARRAY(&w->arena, JobModel, 2 * n);
    JobModels *models = NEW(&w->arena, JobModels);
    memcpy(model, w->models->job, n * sizeof *model);
    *models = *w->models;
    models->job = model;
    w->models = models;
    return job;
}

/* "a.b=1 c.d=2", or NULL. */
static inline void world_settings(World *w, const char *pairs)
{
    for (char pair[64]; pairs && *pairs; pairs += strcspn(pairs, " "), pairs += *pairs == ' ') {
        snprintf(pair, sizeof pair, "%.*s", (int)strcspn(pairs, " "), pairs);
        world_set(w, pair);
    }
}

static inline void world_saw(void *self, const Happening *h)
{
    World *w = self;
    assert_true(h->at >= w->last_seen);
    w->last_seen = h->at;
    if (h->kind == HAPPENS_START) w->seen_running++, w->seen_busy += h->n_gpus;
    bool gives_back = h->kind == HAPPENS_PREEMPT || h->kind == HAPPENS_FAIL || h->kind == HAPPENS_END ||
                      (h->kind == HAPPENS_STOP && h->n_gpus);
    if (gives_back) w->seen_running--, w->seen_busy -= h->n_gpus;
    if ((h->kind == HAPPENS_START || gives_back) && !w->models) assert_int_equal(h->n_gpus, h->job->n_gpus);
}

static inline void world_counted(void *self, const Census *census, const Cluster *cluster)
{
    World *w = self;
    assert_true(census->at >= w->last_seen);
    if (!w->models) assert_int_equal(census->gpus_busy, w->seen_busy); /* GPUs may be shared */
    if (!w->models) assert_int_equal(census->jobs_running, w->seen_running);
    assert_int_equal(census->gpus_busy, cluster_busy(cluster));
    assert_true(census->gpus_busy >= 0 && census->gpus_busy <= census->gpus_total);
}

static const Observer world_observer = {.name = "world", .on_happening = world_saw, .on_round = world_counted};

static inline void world_check_identities(const World *w)
{
    const SimResult *r = &w->result;
    WideTime jct = 0, waits = 0, service = 0;
    int64_t states[6] = {0}, preemptions = 0;
    for (int i = 0; i < r->n; i++) {
        const Job *j = &r->job[i];
        const JobSpec *spec = &w->workload.job[i];
        states[j->state]++;
        preemptions += j->preemptions;
        if (j->state == JOB_FUTURE || j->state == JOB_UNSCHEDULABLE) {
            assert_true(j->first_started == TIME_NEVER && j->ended == TIME_NEVER && j->attained == 0);
            continue;
        }
        SimTime left = j->state == JOB_DONE ? j->ended : r->stopped_at, attained = job_attained(j, r->stopped_at);
        if (j->state == JOB_DONE) attained = j->attained;
        jct += left - j->submit;
        waits += left - j->submit - attained;
        service += (WideTime)attained * j->n_gpus;
        assert_true(attained >= 0 && (w->models || attained <= spec->duration));
        if (j->first_started != TIME_NEVER) assert_true(j->submit <= j->first_started && j->first_started <= left);
        if (j->state == JOB_DONE && !j->stop_reason && !w->models) assert_true(j->attained == spec->duration);
    }
    assert_true(jct == r->live_time);
    assert_true(waits == r->waiting_time);
    if (!w->models) assert_true(service == r->gpu_time);
    assert_int_equal(preemptions, r->preemptions);
    assert_int_equal(states[0] + states[1] + states[2] + states[3] + states[4] + states[5], r->n);
    if (!r->cut) assert_int_equal(states[JOB_DONE] + states[JOB_UNSCHEDULABLE], r->n);
}

/* False: the run ended with w->err. */
static inline bool world_try(World *w, const Policy *policy)
{
    w->policy = policy;
    w->last_seen = w->workload.job[0].submit;
    w->seen_running = w->seen_busy = 0;
    w->err = (Err){0};
    Watcher watchers[] = {{&world_observer, w}, w->also};
    SimConfig config = {
        .workload = &w->workload,
        .cluster = &w->cluster,
        .policy = policy,
        .params = &w->params,
        .models = w->models,
        .seed = w->seed,
        .horizon = w->horizon,
        .strict = !w->lax,
        .audit = !w->unaudited,
        .outage = w->outage,
        .n_outages = w->n_outages,
        .watcher = watchers,
        .n_watchers = w->also.type ? 2 : 1,
    };
    if (!sim_run(&config, &w->arena, &w->result, &w->err)) return false;
    world_check_identities(w);
    return true;
}

static inline void world_run(World *w, const char *policy)
{
    const Policy *p = policy_find(policy);
    assert_non_null(p);
    if (!world_try(w, p)) fail_msg("%s", w->err.text);
}

static inline const Job *world_job(const World *w, const char *name)
{
    for (int i = 0; i < w->workload.n; i++)
        if (strcmp(w->workload.job[i].name, name) == 0) return &w->result.job[i];
    fail_msg("no job %s", name);
    return NULL;
}

/* "a 0-10, b 10-20": first start and end of jobs, in seconds; "?" for one that never was. */
static inline void world_expect(const World *w, const char *expected)
{
    char got[2000] = "";
    size_t used = 0;
    for (const char *e = expected; e && *e;) {
        char name[32], start[TIME_TEXT] = "?", end[TIME_TEXT] = "?";
        assert_int_equal(sscanf(e, " %31[^ ]", name), 1);
        const Job *job = world_job(w, name);
        if (job->first_started != TIME_NEVER) time_format(job->first_started, start);
        if (job->ended != TIME_NEVER) time_format(job->ended, end);
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%s %s-%s", used ? ", " : "", name, start, end);
        e = strchr(e, ',');
        if (e) e++;
    }
    assert_string_equal(got, expected);
}

static inline double world_mean_jct(const World *w)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < w->result.n; i++)
        if (w->result.job[i].state == JOB_DONE)
            sum += time_seconds(w->result.job[i].ended - w->result.job[i].submit), n++;
    return sum / n;
}

static inline void world_close(World *w)
{
    arena_free(&w->arena);
}

/* A whole scenario. */
static inline void play_as(bool owned, const char *cluster, const char *policy, const char *pairs, const char *jobs,
                           const char *expected)
{
    World w;
    world_open(&w, cluster);
    world_settings(&w, pairs);
    world_jobs(&w, jobs);
    JobSpec *job = (JobSpec *)(uintptr_t)w.workload.job;
    for (int i = 0; owned && i < w.workload.n; i++) job[i].vc = job[i].user = arena_copy_text(&w.arena, job[i].name, 1);
    world_run(&w, policy);
    world_expect(&w, expected);
    world_close(&w);
}
static inline void play(const char *cluster, const char *policy, const char *pairs, const char *jobs,
                        const char *expected)
{
    play_as(false, cluster, policy, pairs, jobs, expected);
}

/* The same; the owner of a job, and its virtual cluster as a label, is the first letter of its name. */
static inline void play_owned(const char *cluster, const char *policy, const char *pairs, const char *jobs,
                              const char *expected)
{
    play_as(true, cluster, policy, pairs, jobs, expected);
}

#endif
