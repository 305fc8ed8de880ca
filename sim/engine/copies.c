/* sim/engine/copies.c -- duplicates of tasks whose servers are slow: asked for, given up, looked after.
 *
 * A copy has its task's needs, demand and edges and stands on another server.  Its state is carried there first, which
 * takes as long and as many bytes as a move but stalls nobody.  From then on it gets whatever its task gets and sends
 * whatever its task sends (speed_add_copy), and the job goes by the faster of the two (physics.c).  The task's memory,
 * load and place stay as they are.  A copy does not outlive the placement of its task.
 */
#include "sim/engine/engine.h"
#include "sim/engine/physics.h"

static int n_gpu_tasks(const Run *run)
{
    return taskgraph_n_gpu_tasks(&run->gang.graph);
}

/* Most runs never have a copy. */
static void make_room(Engine *e, Run *run)
{
    if (run->copy) return;
    NicRate *rates = NEW_ARRAY(e->arena, NicRate, 2 * run->n_tasks);
    for (int i = 0; i < run->n_rates; i++) rates[i] = run->rates[i];
    run->rates = rates;
    run->copy = NEW_ARRAY(e->arena, Task, run->n_tasks); /* the next job here may have a GPU where this has a server */
    for (int k = 0; k < run->n_tasks; k++) run->copy[k].gpu = run->copy[k].server = -1;
}

static void drop(Engine *e, Job *job, int k)
{
    loads_lift_copy(e, job, k);
    e->census.gpus_busy = cluster_busy(&e->cluster);
}

void copies_drop(Engine *e, Job *job, int k)
{
    const Run *run = e->physics->run[job->id];
    if (!run_has_copy(run, k)) return;
    engine_tell_task(e, HAPPENS_DROP, job, k, run->copy[k].gpu, -1);
    drop(e, job, k);
}

void copies_leave(Engine *e, Job *job)
{
    const Run *run = e->physics->run[job->id];
    for (int k = 0; run->n_copies && k < n_gpu_tasks(run); k++)
        if (run_has_copy(run, k)) drop(e, job, k);
}

static Ask check_copy(Sched *s, const Job *job, int task, GpuId gpu)
{
    Ask ask = request_check_task(s, job, task);
    if (ask != ASK_GRANTED) return ask;
    const Engine *e = s->engine;
    const Run *run = e->physics->run[job->id];
    if (run_is_server(run, task)) return ASK_NO_SUCH_TASK; /* what it knows cannot be in two places */
    if (job->state != JOB_RUNNING || run->task[task].gpu < 0) return ASK_NOT_RUNNING;
    if (run_has_copy(run, task)) return ASK_HAS_COPY;
    if (!request_is_own_gpu(s, gpu)) return ASK_NO_SUCH_GPU;
    if (cluster_server_of(&e->cluster, gpu) == run->task[task].server) return ASK_SAME_SERVER;
    return loads_has_room(e, run, task, gpu) ? ASK_GRANTED : ASK_NO_ROOM;
}

Ask sched_duplicate(Sched *s, JobId id, int task, GpuId gpu)
{
    Engine *e = s->engine;
    Job *job = request_job(s, id);
    Ask ask = check_copy(s, job, task, gpu);
    if (ask != ASK_GRANTED) return request_answer(s, "duplicate", id, ask);
    Run *run = e->physics->run[id];
    const Task *original = &run->task[task];
    make_room(e, run);
    run->copy[task] = (Task){.job = id,
                             .index = task,
                             .gpu = -1,
                             .server = -1,
                             .base = original->base,
                             .demand = original->demand,
                             .need = original->need,
                             .moved = TIME_NEVER,
                             .is_copy = true,
                             .ready = physics_carry(e, job, task, original->gpu, gpu)};
    loads_put_copy(e, job, task, gpu);
    e->census.gpus_busy = cluster_busy(&e->cluster);
    e->result->copies++;
    engine_tell_task(e, HAPPENS_DUPLICATE, job, task, -1, gpu);
    return request_answer(s, "duplicate", id, ASK_GRANTED);
}

Ask sched_drop(Sched *s, JobId id, int task)
{
    Job *job = request_job(s, id);
    Ask ask = request_check_task(s, job, task);
    if (ask == ASK_GRANTED && !run_has_copy(s->engine->physics->run[id], task)) ask = ASK_NO_COPY;
    if (ask == ASK_GRANTED) copies_drop(s->engine, job, task);
    return request_answer(s, "drop of a copy", id, ask);
}

void copies_audit(const Engine *e, const Run *run)
{
    int n = 0;
    for (int k = 0; run->copy && k < n_gpu_tasks(run); k++) {
        const Task *copy = &run->copy[k], *task = &run->task[k];
        if (copy->gpu < 0) continue;
        n++;
        MUST(e->job[run->id].state == JOB_RUNNING && task->gpu >= 0 && task->server != copy->server);
        MUST(copy->is_copy && copy->index == k && copy->demand == task->demand);
    }
    MUST(n == run->n_copies);
}
