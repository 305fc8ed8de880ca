/* sim/engine/requests.c -- what a policy asks for: every request is checked here, granted whole or refused. */
#include <stdio.h>

#include "sim/engine/engine.h"
#include "sim/engine/physics.h"

/* ---- ask ---- */

const char *ask_name(Ask ask)
{
    switch (ask) {
    case ASK_GRANTED: return "granted";
    case ASK_NO_SUCH_JOB: return "there is no such live job in its cluster";
    case ASK_NOT_WAITING: return "the job is not waiting";
    case ASK_NOT_RUNNING: return "the job is not running";
    case ASK_WRONG_COUNT: return "the number of GPUs is not that of the job's tasks";
    case ASK_NO_SUCH_GPU: return "a GPU is not one of its cluster's";
    case ASK_SAME_GPU: return "a GPU is named twice";
    case ASK_NO_ROOM: return "a GPU is held by another job";
    case ASK_NO_INSIDE: return "jobs have no inside in this preset";
    case ASK_NO_SUCH_TASK: return "it has no such task";
    case ASK_SAME_SERVER: return "the copy would be beside its task";
    case ASK_HAS_COPY: return "the task has a copy";
    case ASK_NO_COPY: return "the task has no copy";
    case ASK_NOT_WHOLE: return "some of its tasks are not placed";
    case ASK_NOT_NARROW: return "it has all its replicas already";
    case ASK_LAST_REPLICA: return "no other replica of it is placed";
    case ASK_NOT_PAUSED: return "the job is not paused";
    case ASK_NOT_PERMITTED: return "the user does not permit this stop option";
    case ASK_NO_REASON: return "no reason is given";
    case ASK_OFF_TICK: return "decisions fall on ticks";
    case ASK_PAST: return "the time is past";
    }
    return "?";
}

Ask request_answer(Sched *s, const char *request, JobId id, Ask ask)
{
    Engine *e = s->engine;
    if (ask == ASK_GRANTED) {
        e->n_granted++;
        return ask;
    }
    e->n_refused++;
    Refusal refusal = {e->now, request, id, ask_name(ask)};
    for (int i = 0; i < e->config->n_watchers; i++) {
        const Watcher *w = &e->config->watcher[i];
        if (w->type->on_refusal) w->type->on_refusal(w->self, &refusal);
    }
    if (e->config->strict) {
        char now[TIME_TEXT];
        time_format(e->now, now);
        char whom[120] = "";
        if (id >= 0 && id < e->config->workload->n)
            snprintf(whom, sizeof whom, " of job '%.100s'", e->config->workload->job[id].name);
        else if (ask == ASK_NO_SUCH_JOB)
            snprintf(whom, sizeof whom, " of job number %d", id);
        err_set(e->err, ERR_POLICY, "policy %s at %s s: %s%s refused: %s", e->config->policy->name, now, request, whom,
                ask_name(ask));
    }
    return ask;
}

/* With ticks every policy decides there only, in whatever hook; a job may be ended or relaxed at any time. */
static bool is_off_tick(const Sched *s)
{
    return engine_tick_from(s->engine, s->engine->now) != s->engine->now;
}

Job *request_job(Sched *s, JobId id)
{
    Engine *e = s->engine;
    if (id < 0 || id >= e->config->workload->n) return NULL;
    return job_is_live(&e->job[id]) && e->job[id].pool == s->pool ? &e->job[id] : NULL;
}

/* Why a job cannot start on these GPUs, or ASK_GRANTED. */
static Ask check_gpus(const Sched *s, const GpuId gpus[], int n)
{
    const Engine *e = s->engine;
    const Pool *pool = &e->cluster.pool[s->pool];
    bool rising = true; /* lists in rising order, the usual ones, have no duplicates */
    for (int i = 0; i < n; i++) {
        if (gpus[i] < pool->first_gpu || gpus[i] >= pool->first_gpu + pool->n_gpus) return ASK_NO_SUCH_GPU;
        if (i && gpus[i] <= gpus[i - 1]) rising = false;
    }
    for (int i = 0; !rising && i < n; i++)
        for (int j = 0; j < i; j++)
            if (gpus[i] == gpus[j]) return ASK_SAME_GPU;
    for (int i = 0; i < n; i++)
        if (e->cluster.holder[gpus[i]] != -1) return ASK_NO_ROOM;
    return ASK_GRANTED;
}

/* The same with tasks that may share GPUs and take memory, `first` and those after it: placed for a try, and taken back
 * if one has no room. */
static Ask check_tasks(Sched *s, Job *job, int first, const GpuId gpus[], int n)
{
    Engine *e = s->engine;
    const Pool *pool = &e->cluster.pool[s->pool];
    for (int i = 0; i < n; i++)
        if (gpus[i] < pool->first_gpu || gpus[i] >= pool->first_gpu + pool->n_gpus) return ASK_NO_SUCH_GPU;
    for (int i = 0; i < n; i++) {
        if (loads_has_room(e, e->physics->run[job->id], first + i, gpus[i])) {
            loads_put(e, job, first + i, gpus[i]);
            continue;
        }
        while (i-- > 0) loads_lift(e, job, first + i);
        return ASK_NO_ROOM;
    }
    return ASK_GRANTED;
}

/* Tasks first .. end-1 have been placed: where one of them ran before, the job has to be resumed. */
static void begin_tasks(Engine *e, Sched *s, Job *job, int first, int end)
{
    Run *run = e->physics->run[job->id];
    bool resumes = false;
    if (job->state == JOB_WAITING) engine_begin(e, s, job);
    for (int k = first; k < end; k++) {
        resumes |= run->task[k].owes_resume;
        run->task[k].owes_resume = false;
    }
    if (resumes) physics_stall(e, job, time_add(e->now, e->physics->resume));
    e->census.gpus_busy = cluster_busy(&e->cluster);
    e->census.tasks_waiting -= end - first;
}

Ask sched_start(Sched *s, JobId id, const GpuId gpus[], int n)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    if (!job) return request_answer(s, "start", id, ASK_NO_SUCH_JOB);
    if (is_off_tick(s)) return request_answer(s, "start", id, ASK_OFF_TICK);
    if (job->state != JOB_WAITING) return request_answer(s, "start", id, ASK_NOT_WAITING);
    if (n != job->n_tasks) return request_answer(s, "start", id, ASK_WRONG_COUNT);
    Ask ask = e->physics ? check_tasks(s, job, 0, gpus, n) : check_gpus(s, gpus, n);
    if (ask != ASK_GRANTED) return request_answer(s, "start", id, ask);
    if (e->physics) {
        begin_tasks(e, s, job, 0, n);
        engine_tell(e, HAPPENS_START, job);
        return request_answer(s, "start", id, ASK_GRANTED);
    }

    SimTime end = time_add(e->now, engine_duration(e, job) - job->attained);
    if (end == TIME_NEVER) {
        err_set(e->err, ERR_DATA, "job '%s' would end after the last instant of the clock, %lld s",
                e->config->workload->job[id].name, (long long)(TIME_NEVER / TIME_SECOND));
        return request_answer(s, "start", id, ASK_PAST);
    }
    for (int i = n - 1; i >= 0; i--) { /* from the back: the list then reads in the order given */
        cluster_take(&e->cluster, gpus[i], id);
        e->next_gpu[gpus[i]] = job->first_gpu;
        job->first_gpu = gpus[i];
        audit_note(e, s, gpus[i]);
    }
    job->epoch++;
    engine_begin(e, s, job);
    e->census.gpus_busy += n;
    e->census.tasks_waiting -= n;
    event_push(&e->queue, (Event){.at = end, .kind = EVENT_END, .epoch = job->epoch, .subject = id});
    engine_tell(e, HAPPENS_START, job);
    return request_answer(s, "start", id, ASK_GRANTED);
}

Ask sched_preempt(Sched *s, JobId id)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    if (!job) return request_answer(s, "preemption", id, ASK_NO_SUCH_JOB);
    if (is_off_tick(s)) return request_answer(s, "preemption", id, ASK_OFF_TICK);
    if (job->state == JOB_WAITING) return request_answer(s, "preemption", id, ASK_NOT_RUNNING);
    engine_tell(e, HAPPENS_PREEMPT, job);
    engine_requeue(e, s, job);
    if (!e->physics) e->n_stale++;
    job->preemptions++;
    e->result->preemptions++;
    return request_answer(s, "preemption", id, ASK_GRANTED);
}

/* Why nothing can be asked of the inside of a job, or ASK_GRANTED. */
static Ask check_inside(const Sched *s, const Job *job)
{
    if (!s->engine->physics) return ASK_NO_INSIDE;
    if (!job) return ASK_NO_SUCH_JOB;
    return is_off_tick(s) ? ASK_OFF_TICK : ASK_GRANTED;
}

Ask request_check_task(const Sched *s, const Job *job, int task)
{
    Ask ask = check_inside(s, job);
    if (ask != ASK_GRANTED) return ask;
    return task >= 0 && task < job->n_tasks ? ASK_GRANTED : ASK_NO_SUCH_TASK;
}

bool request_is_own_gpu(const Sched *s, GpuId gpu)
{
    const Pool *pool = &s->engine->cluster.pool[s->pool];
    return gpu >= pool->first_gpu && gpu < pool->first_gpu + pool->n_gpus;
}

Ask sched_place(Sched *s, JobId id, int task, GpuId gpu)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = request_check_task(s, job, task);
    if (ask != ASK_GRANTED) return request_answer(s, "placement", id, ask);
    Run *run = e->physics->run[id];
    if (run->task[task].gpu >= 0) return request_answer(s, "placement", id, ASK_NOT_WAITING);
    if (job->state == JOB_PAUSED) return request_answer(s, "placement", id, ASK_NOT_RUNNING);
    if (!request_is_own_gpu(s, gpu)) return request_answer(s, "placement", id, ASK_NO_SUCH_GPU);
    if (!loads_has_room(e, run, task, gpu)) return request_answer(s, "placement", id, ASK_NO_ROOM);
    loads_put(e, job, task, gpu);
    begin_tasks(e, s, job, task, task + 1);
    engine_tell_task(e, HAPPENS_PLACE, job, task, -1, gpu);
    return request_answer(s, "placement", id, ASK_GRANTED);
}

Ask sched_evict(Sched *s, JobId id, int task)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = request_check_task(s, job, task);
    if (ask != ASK_GRANTED) return request_answer(s, "eviction", id, ask);
    Run *run = e->physics->run[id];
    if (run->task[task].gpu < 0 || job->state == JOB_PAUSED) return request_answer(s, "eviction", id, ASK_NOT_RUNNING);
    if (run->n_placed == 1) return sched_preempt(s, id); /* its last one: the job waits as a whole */
    copies_drop(e, job, task);
    engine_tell_task(e, HAPPENS_EVICT, job, task, run->task[task].gpu, -1);
    loads_lift(e, job, task);
    run->task[task].owes_resume = true;
    e->census.gpus_busy = cluster_busy(&e->cluster);
    e->census.tasks_waiting++;
    return request_answer(s, "eviction", id, ASK_GRANTED);
}

Ask sched_migrate(Sched *s, JobId id, int task, GpuId gpu)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = request_check_task(s, job, task);
    if (ask != ASK_GRANTED) return request_answer(s, "migration", id, ask);
    Run *run = e->physics->run[id];
    if (run->task[task].gpu < 0) return request_answer(s, "migration", id, ASK_NOT_RUNNING);
    if (!request_is_own_gpu(s, gpu)) return request_answer(s, "migration", id, ASK_NO_SUCH_GPU);
    GpuId from = run->task[task].gpu;
    bool paused = run->task[task].paused;
    loads_lift(e, job, task); /* its own memory counts as free: it may move within its server */
    for (int k = 0; k < run->n_tasks; k++) run->task[k].paused = paused;
    if (!loads_has_room(e, run, task, gpu)) {
        loads_put(e, job, task, from);
        return request_answer(s, "migration", id, ASK_NO_ROOM);
    }
    copies_drop(e, job, task);
    loads_put(e, job, task, gpu);
    physics_move(e, job, task, from, gpu);
    e->census.gpus_busy = cluster_busy(&e->cluster);
    job->migrations++;
    e->result->migrations++;
    engine_tell_task(e, HAPPENS_MIGRATE, job, task, from, gpu);
    return request_answer(s, "migration", id, ASK_GRANTED);
}

/* ---- elastic width ---- */

Ask sched_start_narrow(Sched *s, JobId id, int replicas, const GpuId gpus[], int n)
{
    static const char request[] = "narrow start";
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_inside(s, job);
    if (ask != ASK_GRANTED) return request_answer(s, request, id, ask);
    if (job->state != JOB_WAITING) return request_answer(s, request, id, ASK_NOT_WAITING);
    const TaskGraph *g = job->graph;
    int n_gpus = replicas * g->partitions, server = job->n_tasks - 1;
    if (replicas < 1 || replicas > g->replicas || n != n_gpus + g->has_server)
        return request_answer(s, request, id, ASK_WRONG_COUNT);
    ask = check_tasks(s, job, 0, gpus, n_gpus);
    if (ask == ASK_GRANTED && g->has_server) {
        ask = check_tasks(s, job, server, gpus + n_gpus, 1);
        for (int k = n_gpus; ask != ASK_GRANTED && k-- > 0;) loads_lift(e, job, k);
    }
    if (ask != ASK_GRANTED) return request_answer(s, request, id, ask);
    begin_tasks(e, s, job, 0, n_gpus);
    if (g->has_server) begin_tasks(e, s, job, server, server + 1);
    engine_tell(e, HAPPENS_START, job);
    return request_answer(s, request, id, ASK_GRANTED);
}

/* Why the width of the job cannot change, or ASK_GRANTED. */
static Ask check_resize(const Sched *s, const Job *job)
{
    Ask ask = check_inside(s, job);
    if (ask != ASK_GRANTED) return ask;
    return job->state == JOB_RUNNING ? ASK_GRANTED : ASK_NOT_RUNNING;
}

/* Its tasks first .. end-1 have come or gone. */
static void resized(Engine *e, Job *job, int first, int end)
{
    for (int k = first; k < end; k++) e->physics->run[job->id]->task[k].owes_resume = false; /* the stall pays for it */
    physics_stall(e, job, time_add(e->now, e->physics->resize));
    e->census.gpus_busy = cluster_busy(&e->cluster);
}

Ask sched_widen(Sched *s, JobId id, const GpuId gpus[], int n)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_resize(s, job);
    if (ask != ASK_GRANTED) return request_answer(s, "widening", id, ask);
    const Run *run = e->physics->run[id];
    int m = job->graph->partitions, replica = 0;
    while (replica < job->graph->replicas && run_replica_placed(run, replica)) replica++;
    if (replica == job->graph->replicas) return request_answer(s, "widening", id, ASK_NOT_NARROW);
    if (n != m) return request_answer(s, "widening", id, ASK_WRONG_COUNT);
    ask = check_tasks(s, job, replica * m, gpus, m);
    if (ask != ASK_GRANTED) return request_answer(s, "widening", id, ask);
    resized(e, job, replica * m, (replica + 1) * m);
    e->census.tasks_waiting -= m;
    for (int k = 0; k < m; k++) engine_tell_task(e, HAPPENS_PLACE, job, replica * m + k, -1, gpus[k]);
    return request_answer(s, "widening", id, ASK_GRANTED);
}

Ask sched_narrow(Sched *s, JobId id, int replica)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_resize(s, job);
    if (ask != ASK_GRANTED) return request_answer(s, "narrowing", id, ask);
    const Run *run = e->physics->run[id];
    int m = job->graph->partitions, others = 0;
    if (replica < 0 || replica >= job->graph->replicas) return request_answer(s, "narrowing", id, ASK_NO_SUCH_TASK);
    if (run_replica_placed(run, replica) < m) return request_answer(s, "narrowing", id, ASK_NOT_WHOLE);
    for (int r = 0; r < job->graph->replicas; r++) others += r != replica && run_replica_placed(run, r) == m;
    if (!others) return request_answer(s, "narrowing", id, ASK_LAST_REPLICA);
    physics_stall(e, job, time_add(e->now, e->physics->resize)); /* watchers are told so with each task */
    for (int k = replica * m; k < (replica + 1) * m; k++) {
        copies_drop(e, job, k);
        engine_tell_task(e, HAPPENS_EVICT, job, k, run->task[k].gpu, -1);
        loads_lift(e, job, k);
    }
    resized(e, job, replica * m, (replica + 1) * m);
    e->census.tasks_waiting += m;
    return request_answer(s, "narrowing", id, ASK_GRANTED);
}

/* ---- time slicing ---- */

/* Every replica is there or absent as a whole, and so is the server. */
static bool replicas_are_whole(const Run *run)
{
    int m = run->gang.graph.partitions;
    for (int r = 0; r < run->gang.graph.replicas; r++)
        if (run_replica_placed(run, r) % m) return false;
    return !run->gang.graph.has_server || run->task[run->n_tasks - 1].gpu >= 0;
}

Ask sched_pause(Sched *s, JobId id)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_inside(s, job);
    if (ask != ASK_GRANTED) return request_answer(s, "pause", id, ask);
    if (job->state != JOB_RUNNING) return request_answer(s, "pause", id, ASK_NOT_RUNNING);
    if (!replicas_are_whole(e->physics->run[id])) return request_answer(s, "pause", id, ASK_NOT_WHOLE);
    copies_leave(e, job);
    loads_pause(e, job, true);
    engine_tell(e, HAPPENS_PAUSE, job);
    job->state = JOB_PAUSED;
    job->attained += e->now - job->started;
    job->waits_since = e->now;
    jobset_take(&s->running, id);
    jobset_put(&s->paused, id);
    e->census.jobs_running--;
    e->census.jobs_waiting++;
    return request_answer(s, "pause", id, ASK_GRANTED);
}

Ask sched_resume(Sched *s, JobId id)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_inside(s, job);
    if (ask != ASK_GRANTED) return request_answer(s, "resumption", id, ask);
    if (job->state != JOB_PAUSED) return request_answer(s, "resumption", id, ASK_NOT_PAUSED);
    if (!loads_can_resume(e, e->physics->run[id])) return request_answer(s, "resumption", id, ASK_NO_ROOM);
    jobset_take(&s->paused, id);
    jobset_put(&s->waiting, id); /* for engine_begin, which takes it from there */
    engine_begin(e, s, job);
    loads_pause(e, job, false);
    engine_tell(e, HAPPENS_RESUME, job);
    return request_answer(s, "resumption", id, ASK_GRANTED);
}

Ask sched_relax(Sched *s, JobId id, StopOption option)
{
    Job *job = request_job(s, id);
    if (!s->engine->physics) return request_answer(s, "relaxation", id, ASK_NO_INSIDE);
    if (!job) return request_answer(s, "relaxation", id, ASK_NO_SUCH_JOB);
    if (option < job->stop || option > job->stop_limit) return request_answer(s, "relaxation", id, ASK_NOT_PERMITTED);
    job->effective = option;
    return request_answer(s, "relaxation", id, ASK_GRANTED);
}

Ask sched_stop(Sched *s, JobId id, const char *reason)
{
    Job *job = request_job(s, id);
    if (!job) return request_answer(s, "stop", id, ASK_NO_SUCH_JOB);
    if (!reason) return request_answer(s, "stop", id, ASK_NO_REASON); /* without one it would count as run to its end */
    s->engine->rounds_here = s->engine->idle_rounds = 0;
    if (job->state == JOB_RUNNING && !s->engine->physics) s->engine->n_stale++;
    engine_end(s->engine, job, reason);
    const Policy *policy = s->engine->config->policy;
    if (policy->on_end) policy->on_end(s, s->state, job); /* inside the hook that asks: scratch memory stays */
    return request_answer(s, "stop", id, ASK_GRANTED);
}

Ask sched_wake_at(Sched *s, SimTime when)
{
    Engine *e = s->engine;
    if (when < e->now) return request_answer(s, "wake-up", -1, ASK_PAST);
    s->alarm = when;
    return ASK_GRANTED; /* not counted: an alarm changes nothing in the cluster */
}
