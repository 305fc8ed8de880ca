/* sim/engine/inside.c -- a job's inside from its arrival to its end: calibrated, accounted for, its memory reused. */
#include <math.h>
#include <string.h>

#include "sim/engine/physics.h"

const Param physics_params[] = {
    NUMBER_PARAM("overlap_ring", "0.3", 0, 1, "share of a ring's synchronisation hidden behind compute"),
    NUMBER_PARAM("overlap_server", "0", 0, 1, "the same with a parameter server"),
    NUMBER_PARAM("communication_max", "0.5", 0, 1,
                 "most of an epoch that communication may take under ideal placement"),
    NUMBER_PARAM("overload", "0.9", 0, 1000, "share of a resource in use beyond which a server counts as overloaded"),
    {0},
};

const Param cost_params[] = {
    NUMBER_PARAM("suspend", "0", 0, 1e6, "seconds to suspend a job, paid when it starts again"),
    NUMBER_PARAM("resume", "30", 0, 1e6, "seconds a job that starts again holds its GPUs before it computes"),
    NUMBER_PARAM("switch", "0.5", 0, 1e6,
                 "seconds a paused job holds its GPUs before it computes again (time slicing)"),
    NUMBER_PARAM("resize", "30", 0, 1e6, "seconds a running job stalls when it gets or gives back a replica"),
    NUMBER_PARAM("move_base", "5", 0, 1e6, "seconds a job stalls when a task of it moves, beside the copying"),
    NUMBER_PARAM("bw", "0", 0, 1e15, "bytes per second of that copying; 0: the link's"),
    {0},
};

/* ---- a job's coming and going ---- */

static Run *take_run(Engine *e, int n_tasks)
{
    Physics *p = e->physics;
    Run *run = p->free_runs[n_tasks];
    if (run) {
        p->free_runs[n_tasks] = run->next_free;
        Run kept = {.task = run->task, .rates = run->rates, .copy = run->copy, .links.edge = run->links.edge};
        memset(kept.task, 0, (size_t)n_tasks * sizeof *kept.task);
        *run = kept;
        return run;
    }
    run = NEW(e->arena, Run);
    run->task = NEW_ARRAY(e->arena, Task, n_tasks);
    run->rates = NEW_ARRAY(e->arena, NicRate, n_tasks);
    run->links.edge = NEW_ARRAY(e->arena, double, n_tasks);
    return run;
}

void inside_admit(Engine *e, Job *job)
{
    Physics *p = e->physics;
    const JobModel *model = &p->models->job[job->id];
    int n = taskgraph_n_tasks(&model->graph);
    Run *run = p->run[job->id] = take_run(e, n);
    e->barren_rounds = 0;
    run->id = job->id;
    run->model = model;
    run->n_tasks = n;
    run->work = (double)engine_duration(e, job);
    run->enough = curve_epochs_to(&model->curve, model->accuracy_required) * run_epoch_us(run);
    run->updated = e->now;
    run->stalled = e->now;
    run->gang = (Gang){
        .graph = model->graph,
        .volumes = model->volumes,
        .micro_batches = 1,
        .rounds = model->rounds,
        .overlap = p->overlap[model->topology],
    };
    for (int k = 0; k < n; k++) {
        Task *t = &run->task[k];
        *t = (Task){.job = job->id,
                    .index = k,
                    .gpu = -1,
                    .server = -1,
                    .need = jobmodel_need(model, k),
                    .since = e->now,
                    .moved = TIME_NEVER};
        t->base = t->demand = jobmodel_base_demand(p->models, job->id, k);
        if (p->models->varying && !run_is_server(run, k)) {
            t->x = jobmodel_demand_step(p->models, job->id, k, 0, 0);
            t->demand = jobmodel_demand_now(t->base, t->x);
        }
    }
    ideal_placement(&p->ideal, &run->gang, p->spot_server, p->spot_gpu);
    Spots ideal = {p->spot_server, p->spot_gpu};
    double epoch_s = run->work / 1e6 / model->epochs, ratio = 1;
    speed_calibrate(&run->gang, &p->network, ideal, epoch_s, p->communication_max, &e->scratch);
    run->ideal_s = speed_alone(&run->gang, &p->network, ideal, &e->scratch);
    if (p->models->pipeline) { /* computation and scale are those of the sequential schedule (20.1(8)) */
        run->gang.micro_batches = 4 * model->graph.stages;
        double piped = speed_alone(&run->gang, &p->network, ideal, &e->scratch);
        if (run->ideal_s > 0) ratio = piped / run->ideal_s;
    }
    arena_reset(&e->scratch);
    p->outcome[job->id] =
        (JobOutcome){.ideal_s = run->work / 1e6 * ratio, .accurate_at = TIME_NEVER, .epochs_at_deadline = (double)NAN};
}

/* What is known about the job when it ends, or when the run does. */
static void conclude(Engine *e, Run *run)
{
    JobOutcome *out = &e->physics->outcome[run->id];
    const Job *job = &e->job[run->id];
    physics_integrate(e, run);
    out->far_bytes = (int64_t)(run->far / 1000000);
    out->epochs_done = run->work > 0 ? run->done / run_epoch_us(run) : run->model->epochs;
    if (job->state == JOB_DONE && !job->stop_reason) out->epochs_done = run->model->epochs;
    out->accuracy_final = curve_accuracy(&run->model->curve, out->epochs_done);
    bool enough = out->accuracy_final >= run->model->accuracy_required; /* also by rounding, or in no time at all */
    if (job->state == JOB_DONE && enough && out->accurate_at == TIME_NEVER) out->accurate_at = job->ended;
    if (isnan(out->epochs_at_deadline) || job->ended <= job->deadline) out->epochs_at_deadline = out->epochs_done;
    bool ran = job->first_started != TIME_NEVER && job->first_started <= job->deadline;
    out->accuracy_at_deadline = ran ? curve_accuracy(&run->model->curve, out->epochs_at_deadline) : 0;
}

void inside_forget(Engine *e, Job *job)
{
    Physics *p = e->physics;
    Run *run = p->run[job->id];
    conclude(e, run);
    p->n_working -= run->rate > 0;
    e->barren_rounds = 0;
    physics_set_far_rate(p, run, 0);
    physics_put_rates(p, run, -1);
    run->n_rates = 0;
    e->n_stale += run->pending;
    job->epoch++;
    for (int i = 0; run->dirty && i < p->n_dirty; i++)
        if (p->dirty[i] == run) p->dirty[i] = p->dirty[--p->n_dirty];
    p->run[job->id] = NULL;
    run->next_free = p->free_runs[run->n_tasks];
    p->free_runs[run->n_tasks] = run;
}

void inside_close(Engine *e)
{
    for (int q = 0; q < e->cluster.n_pools; q++)
        EACH_JOB (id, &e->sched[q].live) conclude(e, e->physics->run[id]);
    e->result->outcome = e->physics->outcome;
    e->result->overloads = e->overloads;
}

Physics *inside_open(Engine *e)
{
    const SimConfig *c = e->config;
    Arena *a = e->arena;
    int n_jobs = c->workload->n, n_servers = c->cluster->n_servers;
    Physics *p = NEW(a, Physics);
    p->models = c->models;
    p->network = network_make(a, c->cluster);
    p->ideal = ideal_order_make(a, c->cluster, &p->network);
    p->gpu = NEW_ARRAY(a, GpuLoad, c->cluster->n_gpus);
    p->server = NEW_ARRAY(a, ServerLoad, n_servers);
    p->nic_share = arena_alloc(a, (size_t)n_servers, sizeof *p->nic_share);
    p->cpu_slow = NEW_ARRAY(a, double, n_servers);
    for (ServerId s = 0; s < n_servers; s++) p->cpu_slow[s] = p->nic_share[s][NIC_RACK] = p->nic_share[s][NIC_FAR] = 1;
    p->run = NEW_ARRAY(a, Run *, n_jobs);
    p->dirty = NEW_ARRAY(a, Run *, n_jobs);
    p->outcome = NEW_ARRAY(a, JobOutcome, n_jobs);
    for (int i = 0; i < n_jobs; i++) p->outcome[i].accurate_at = TIME_NEVER;
    p->server_dirty = NEW_ARRAY(a, bool, n_servers);
    p->dirty_server = NEW_ARRAY(a, ServerId, n_servers);
    p->server_new = NEW_ARRAY(a, bool, n_servers);
    p->new_server = NEW_ARRAY(a, ServerId, n_servers);
    for (int i = 0; i < n_jobs; i++) {
        int n = taskgraph_n_tasks(&c->models->job[i].graph);
        if (n > p->most_tasks) p->most_tasks = n;
    }
    p->free_runs = NEW_ARRAY(a, Run *, p->most_tasks + 1);
    p->spot_server = NEW_ARRAY(a, ServerId, p->most_tasks);
    p->spot_gpu = NEW_ARRAY(a, GpuId, p->most_tasks);
    p->spot_slow = NEW_ARRAY(a, double, p->most_tasks);
    p->spot_use = NEW_ARRAY(a, NicUse, 2 * p->most_tasks);
    p->resume =
        time_from_seconds(params_number(c->params, "cost", "suspend") + params_number(c->params, "cost", "resume"));
    p->unpause = time_from_seconds(params_number(c->params, "cost", "switch"));
    p->resize = time_from_seconds(params_number(c->params, "cost", "resize"));
    p->move_base = time_from_seconds(params_number(c->params, "cost", "move_base"));
    p->move_bytes_per_s = params_number(c->params, "cost", "bw");
    p->overlap[TOPOLOGY_RING] = params_number(c->params, "physics", "overlap_ring");
    p->overlap[TOPOLOGY_SERVER] = params_number(c->params, "physics", "overlap_server");
    p->communication_max = params_number(c->params, "physics", "communication_max");
    p->threshold = params_number(c->params, "physics", "overload");
    return p;
}
