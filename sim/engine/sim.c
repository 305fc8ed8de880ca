/* sim/engine/sim.c -- a run from its configuration to its result: tables made, policies opened, books closed. */
#include <math.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/engine/engine.h"
#include "sim/engine/failures.h"
#include "sim/engine/physics.h"

const Param run_params[] = {
    NUMBER_PARAM("tick", "0", 0, 1e6,
                 "seconds between decisions; 0: decide after every instant at which something happened"),
    INTEGER_PARAM("physics", "0", 0, 1,
                  "1: jobs have an inside, tasks that share, talk and stall; 0: they are GPUs and seconds"),
    {0},
};

/* What a policy may know of a job's inside. */
static void add_inside(Job *job, const JobModel *model)
{
    job->n_tasks = taskgraph_n_tasks(&model->graph);
    job->deadline = time_add(job->submit, model->deadline);
    job->estimate = model->estimate;
    job->family = model->family;
    job->graph = &model->graph;
    job->volumes = &model->volumes;
    job->epochs = model->epochs;
    job->rounds = model->rounds;
    job->stop = model->stop;
    job->stop_limit = model->stop_limit;
    job->effective = model->stop;
    job->urgency = model->urgency;
    job->accuracy_required = model->accuracy_required;
    job->waits_since = job->submit;
}

static void fill_jobs(Engine *e)
{
    const Workload *w = e->config->workload;
    const char *vc = NULL; /* consecutive jobs are often of one VC: look it up once */
    int pool = cluster_find_pool(&e->cluster, NULL);
    e->job = NEW_ARRAY(e->arena, Job, w->n);
    for (JobId i = 0; i < w->n; i++) {
        const JobSpec *spec = &w->job[i];
        if (spec->vc != vc) pool = cluster_find_pool(&e->cluster, vc = spec->vc);
        e->job[i] = (Job){
            .id = i,
            .key = hash_text(HASH_START, spec->name),
            .n_gpus = spec->n_gpus,
            .n_tasks = spec->n_gpus,
            .submit = spec->submit,
            .deadline = time_add(spec->submit, spec->deadline),
            .estimate = spec->duration, /* `plain`: exact */
            .started = TIME_NEVER,
            .first_started = TIME_NEVER,
            .ended = TIME_NEVER,
            .model = spec->model,
            .user = spec->user,
            .vc = spec->vc,
            .first_gpu = -1,
            .pool = pool,
        };
        if (e->config->models) add_inside(&e->job[i], &e->config->models->job[i]);
    }
}

static void open_scheds(Engine *e)
{
    const Policy *policy = e->config->policy;
    int n = e->config->workload->n;
    e->sched = NEW_ARRAY(e->arena, Sched, e->cluster.n_pools);
    for (int p = 0; p < e->cluster.n_pools; p++) {
        Sched *s = &e->sched[p];
        s->engine = e;
        s->pool = p;
        s->state = arena_alloc(e->arena, 1, policy->state_size + 1);
        s->live = jobset_make(e->arena, n);
        s->waiting = jobset_make(e->arena, n);
        s->running = jobset_make(e->arena, n);
        s->paused = jobset_make(e->arena, e->physics ? n : 0);
        s->alarm = TIME_NEVER;
        s->changed = NEW_ARRAY(e->arena, ServerId, e->cluster.spec->n_servers);
        rng_open(&s->rng, e->config->seed, policy->name, (uint64_t)p);
        if (policy->init && e->err->kind == ERR_NONE) policy->init(s, s->state);
        arena_reset(&e->scratch);
    }
}

const char *policy_group(const Policy *policy, Arena *arena)
{
    if (policy->group) return policy->group;
    char *group = arena_copy_text(arena, policy->name, strlen(policy->name));
    for (char *c = group; *c; c++)
        if (*c == '-') *c = '_';
    return group;
}

/* Closes the books; `done` as the run loop ended. */
static bool finish(Engine *e, bool done)
{
    const SimConfig *config = e->config;
    SimResult *result = e->result;
    if (done) {
        audit_full(e);
        MUST(result->cut || (cluster_busy(&e->cluster) == 0 && !e->census.jobs_waiting));
        for (int p = 0; p < e->cluster.n_pools && config->policy->fini; p++)
            config->policy->fini(&e->sched[p], e->sched[p].state);
    }
    if (e->physics) inside_close(e);
    result->job = e->job;
    result->stopped_at = e->now;
    result->refusals = e->n_refused;
    event_free(&e->queue);
    arena_free(&e->scratch);
    return done && e->err->kind == ERR_NONE;
}

bool sim_run(const SimConfig *config, Arena *arena, SimResult *result, Err *err)
{
    const Workload *w = config->workload;
    MUST(w->n > 0);
    if ((config->policy->needs & NEEDS_INSIDE) && !config->models)
        return err_set(err, ERR_USAGE,
                       "policy '%s' looks inside jobs, and in preset plain they have none; try --preset philly",
                       config->policy->name);
    for (int i = 0; i < w->n && (config->policy->needs & NEEDS_STARTS); i++)
        if (w->job[i].waited == TIME_NEVER)
            return err_set(err, ERR_USAGE,
                           "policy '%s' starts jobs when the log did, and the trace has no start of job '%s'",
                           config->policy->name, w->job[i].name);
    *result = (SimResult){
        .n = w->n,
        .complete = true,
        .oracle =
            (config->policy->needs & (NEEDS_TRUTH | NEEDS_STARTS)) != 0 || (config->models && config->models->exact),
        .first_submit = w->job[0].submit,
        .last_submit = w->job[w->n - 1].submit,
        .last_end = TIME_NEVER,
        .backlog = -1,
    };
    Engine *e = result->engine = NEW(arena, Engine);
    *e = (Engine){
        .config = config,
        .group = policy_group(config->policy, arena),
        .arena = arena,
        .scratch = {.image = arena->image},
        .queue = {.memory = {.image = arena->image}},
        .err = err,
        .now = result->first_submit,
        .tick = time_from_seconds(params_number(config->params, "run", "tick")),
        .decide_at = TIME_NEVER,
        .cluster = cluster_make(arena, config->cluster),
        .next_gpu = NEW_ARRAY(arena, GpuId, config->cluster->n_gpus),
        .gpu_list = NEW_ARRAY(arena, GpuId, config->cluster->n_gpus),
        .census = {.gpus_total = config->cluster->n_gpus,
                   .load_mean = (double)NAN,
                   .servers_overloaded = config->models ? 0 : -1,
                   .bytes_moved = config->models ? 0 : -1},
        .result = result,
    };
    if (!e->tick && params_number(config->params, "run", "tick") > 0)
        return err_set(err, ERR_USAGE, "run.tick: shorter than the clock's microsecond");
    fill_jobs(e);
    if (config->models) e->physics = inside_open(e);
    if (config->models) failures_open(e);
    open_scheds(e);
    return finish(e, err->kind == ERR_NONE && engine_run(e));
}

bool sim_continue(SimResult *result, Err *err)
{
    Engine *e = result->engine;
    e->err = err;
    return finish(e, engine_run(e));
}
