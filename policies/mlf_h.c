/* policies/mlf_h.c -- MLF-H: machine-learning features in the order, the ideal host in placement, moves off overload.
 *
 * Wang, Liu, Shen, "Job Scheduling for Large-Scale Machine Learning Clusters", CoNEXT 2020, section 3.3.  Each round:
 * tasks that overloaded servers had better give away (mlf_overload.h) join those that wait; all are taken in order of
 * priority (mlf_priority.h) and each gets the host nearest to the ideal (mlf_place.h).  Tasks share GPUs up to h_r.
 *
 * The paper places tasks one by one, but a job computes only when all tasks of a replica are placed.  model.gang=job:
 * when the first task of a job is reached all are tried, and none starts unless all fit.  `replica`: the same for each
 * replica; a job then starts narrow.  `task` is literal: tasks hold GPUs while they wait for others, against which
 * deadlock there is mlf_ragged.h.
 *
 * PAPER: a task to move that finds no host goes back to the queue, and its whole job stands still.  Here it stays where
 * it is; requeue=task is literal, requeue=job sends the whole job back.
 *
 * Knows:   predicted run times, deadlines, urgency, observed losses, demands, volumes and loads.
 * Ignores: true run times and curves.
 */
#include "policies/mlf_h.h"

#include <stdlib.h>
#include <string.h>

#include "policies/mlf_replicas.h"

const Param mlf_h_params[] = {
    NUMBER_PARAM("alpha", "0.3", 0, 1, "weight of the learning features of a task, against deadline, rest and wait"),
    NUMBER_PARAM("gamma", "0.8", 0, 1, "share of its children's priorities that a task adds to its own"),
    NUMBER_PARAM("gamma_d", "0.3", 0, 1e6, "weight of 1/(time to the deadline)"),
    NUMBER_PARAM("gamma_r", "0.3", 0, 1e6, "weight of 1/(remaining running time)"),
    NUMBER_PARAM("gamma_w", "0.35", 0, 1e6, "weight of the waiting time"),
    CHOICE_PARAM("unit", "h", "h|min|s", "unit of those three times"),
    CHOICE_PARAM("late", "zero", "zero|cap", "a missed deadline counts nothing, or as one that is a tick away"),
    CHOICE_PARAM("wait", "spell", "spell|total", "waiting time since it last ran, or all of it"),
    CHOICE_PARAM("remaining", "epochs", "epochs|paper", "what its epochs still need, or predicted time less time run"),
    INTEGER_PARAM("task_deadline", "0", 0, 1, "1: a task's deadline is the job's less the time of the tasks below it"),
    CHOICE_PARAM("child_agg", "sum", "sum|mean|max", "how the priorities of children are put together"),
    NUMBER_PARAM("loss_share", "0.3", 0.001, 1, "weight of the newest epoch in the smoothed loss"),
    NUMBER_PARAM("h_r", "0.9", 0.01, 1000, "share of a resource in use beyond which a server is overloaded"),
    NUMBER_PARAM("p_s", "0.1", 0, 1, "share of an overloaded server's tasks, lowest priority first, that may move"),
    NUMBER_PARAM("cooldown", "3", 0, 1e6,
                 "ticks a task that moved stays, and a server none of whose tasks could move is let be"),
    INTEGER_PARAM("max_moves", "8", 1, 1e6, "most tasks an overloaded server gives away at once"),
    CHOICE_PARAM("requeue", "undo", "undo|job|task",
                 "a task to move without a host: stays, or its job or it waits again"),
    INTEGER_PARAM("strikes", "4", 0, 1e6,
                  "refusals in a round after which gangs that ask for more are not tried in it; 0: all are"),
    INTEGER_PARAM("rial", "0", 0, 1, "1: distances weigh each resource by how much of it is in use (RIAL)"),
    NUMBER_PARAM("hold_max", "5", 0, 1e6, "gang=task: ticks a job may hold GPUs without a whole replica"),
    NUMBER_PARAM("reserve_h", "0", 0, 1e6, "hours of waiting after which no job behind it starts before it; 0: never"),
    INTEGER_PARAM("urgency", "1", 0, 1, "0: urgency is ignored"),
    INTEGER_PARAM("deadline", "1", 0, 1, "0: deadlines are ignored"),
    INTEGER_PARAM("bandwidth", "1", 0, 1, "0: traffic is ignored in placement and migration"),
    INTEGER_PARAM("migrate", "1", 0, 1, "0: overloaded servers keep their tasks"),
    INTEGER_PARAM("replicas", "0", 0, 1, "1: tasks on slow servers have copies elsewhere while nobody waits"),
    {0},
};

/* ---- opening ---- */

static double number(const Sched *s, const char *name)
{
    return params_number(sched_params(s), "mlf_h", name);
}

static int choice(const Sched *s, const char *group, const char *name, const char *first, const char *second)
{
    const char *value = params_text(sched_params(s), group, name);
    return strcmp(value, first) == 0 ? 0 : strcmp(value, second) == 0 ? 1 : 2;
}

static SimTime ticks(const Place *place, double n)
{
    return (SimTime)((double)place->tick * n);
}

void mlf_h_open(MlfH *me, Sched *s)
{
    bool bandwidth = number(s, "bandwidth") != 0, rial = number(s, "rial") != 0;
    int n_jobs = sched_live(s)->size;
    priorities_open(&me->priorities, s);
    place_open(&me->place, s, number(s, "h_r"), bandwidth, rial, (int)number(s, "strikes"));
    me->overload = (OverloadRule){
        .share = number(s, "p_s"),
        .cooldown = ticks(&me->place, number(s, "cooldown")),
        .max_moves = (int)number(s, "max_moves"),
        .bandwidth = bandwidth,
        .rial = rial,
        .rests = NEW_ARRAY(sched_memory(s), SimTime, sched_pool(s)->n_servers),
    };
    me->migrate = number(s, "migrate") != 0;
    me->replicas = number(s, "replicas") != 0;
    me->gang = (GangMode)choice(s, "model", "gang", "job", "replica");
    me->requeue = (RequeueMode)choice(s, "mlf_h", "requeue", "undo", "job");
    double reserve_h = number(s, "reserve_h");
    me->waiter = NEW_ARRAY(sched_memory(s), Waiter, n_jobs);
    me->reserve = reserve_h > 0 ? time_from_seconds(reserve_h * 3600) : TIME_NEVER;
    if (me->gang != GANG_JOB || me->requeue == REQUEUE_TASK)
        ragged_open(&me->ragged, s, ticks(&me->place, number(s, "hold_max")));
}

/* ---- the queue ---- */

static bool is_placed(const Task *tasks, int k)
{
    return tasks[k].gpu >= 0;
}

/* How many GPU tasks of a job must find room at once. */
static int at_once(GangMode gang, const Job *job)
{
    return gang == GANG_JOB ? taskgraph_n_gpu_tasks(job->graph) : gang == GANG_REPLICA ? job->graph->partitions : 1;
}

static void look_up(MlfH *me, Sched *s, const Job *job)
{
    const Task *tasks = sched_tasks(s, job);
    Waiter *w = &me->waiter[job->id];
    *w = (Waiter){
        .fresh = job->waits_since == sched_now(s),
        .least_gpu = tasks[0].demand,
        .kind = slots_kind(&me->place.slots, &tasks[0].need),
        .n = at_once(me->gang, job),
        .standing = priority_standing(&me->priorities, s, job),
    };
    for (int k = 1; k < taskgraph_n_gpu_tasks(job->graph); k++)
        if (tasks[k].demand < w->least_gpu) w->least_gpu = tasks[k].demand;
}

/* Whether so many tasks of a job that waits cannot find room, whatever is tried. */
static bool is_hopeless(const MlfH *me, const Waiter *waiter, int n)
{
    return slots_for(&me->place.slots, waiter->kind, waiter->least_gpu) < n;
}

/* What of a job waits: all of it, its replicas that are not placed, or its tasks. */
static void queue_job(MlfH *me, Sched *s, const Job *job, Queue *queue)
{
    bool part = job->state == JOB_RUNNING, as_gang = ragged_as_gang(&me->ragged, job->id);
    GangMode gang = part && me->gang == GANG_JOB ? GANG_TASK : as_gang ? GANG_JOB : me->gang;
    if (gang == GANG_JOB) {
        double priority = me->fifo ? 0 : priority_of_job(&me->priorities, s, job);
        queue_add(queue, (Unit){priority, job->id, 0, at_once(gang, job), UNIT_JOB, 0, -1});
        return;
    }
    const Task *tasks = sched_tasks(s, job);
    if (gang == GANG_REPLICA) {
        double priority = me->fifo ? 0 : priority_of_job(&me->priorities, s, job);
        for (int r = 0; r < job->graph->replicas; r++)
            if (!sched_replica_placed(s, job, r))
                queue_add(queue, (Unit){priority, job->id, r, part ? 0 : at_once(gang, job), UNIT_REPLICA, 0, -1});
        return;
    }
    double *priority = NEW_ARRAY(sched_scratch(s), double, job->n_tasks);
    if (!me->fifo) priorities_of_tasks(&me->priorities, s, job, priority);
    for (int k = 0; k < job->n_tasks; k++)
        if (!is_placed(tasks, k)) {
            bool server = task_is_server(job->graph, k);
            queue_add(queue, (Unit){priority[k], job->id, server ? -1 : k, !part && !server, UNIT_TASK, 0, -1});
        }
}

/* The jobs that wait, but those that would not find room (with reservations, one of them may hold others back). */
static void queue_waiting(MlfH *me, Sched *s, Queue *queue)
{
    const JobSet *waiting = sched_waiting(s);
    if (!waiting->n) return;
    EACH_JOB (id, waiting)
        if (!me->waiter[id].least_gpu || me->waiter[id].fresh) look_up(me, s, sched_job(s, id));
    slots_refresh(&me->place.slots);
    bool by_standing = me->gang == GANG_JOB && !me->fifo && !me->priorities.rule.task_deadline;
    SimTime now = sched_now(s);
    EACH_JOB (id, waiting) {
        const Waiter *w = &me->waiter[id];
        if (me->reserve == TIME_NEVER && is_hopeless(me, w, w->n)) continue;
        if (by_standing)
            queue_add(queue, (Unit){priority_at(&me->priorities, &w->standing, now), id, 0, w->n, UNIT_JOB,
                                    w->least_gpu, w->kind});
        else
            queue_job(me, s, sched_job(s, id), queue);
    }
}

/* ---- placing ---- */

/* Those of the given tasks that are not placed, a parameter server first, then by priority; returns how many. */
static int order_tasks(MlfH *me, Sched *s, const Job *job, int first, int n, int order[])
{
    const Task *tasks = sched_tasks(s, job);
    double *priority = NEW_ARRAY(sched_scratch(s), double, job->n_tasks);
    int n_order = 0;
    if (n > 1 && !me->fifo) priorities_of_tasks(&me->priorities, s, job, priority);
    for (int k = first; k < first + n; k++) {
        if (is_placed(tasks, k)) continue;
        int at = n_order++;
        for (; at > 0 && priority[order[at - 1]] < priority[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    int server = taskgraph_n_gpu_tasks(job->graph);
    if (job->graph->has_server && !is_placed(tasks, server)) {
        memmove(order + 1, order, (size_t)n_order++ * sizeof *order);
        order[0] = server;
    }
    return n_order;
}

/* The same by what did not find room in this round, which no later finding revokes. */
static bool is_covered(MlfH *me, int n, Milli least_gpu, int kind)
{
    return kind >= 0 && refusals_cover_gang(&me->place.gangs, n, least_gpu, kind, &me->place.slots.kind[kind]);
}

static bool was_refused(MlfH *me, const Unit *unit)
{
    if (is_covered(me, unit->n, unit->least_gpu, unit->slots_kind)) return true;
    const Waiter *waiter = &me->waiter[unit->job];
    if (!waiter->least_gpu) return false; /* a part of it has been placed in this round */
    if (unit->slots_kind < 0 && is_covered(me, unit->n, waiter->least_gpu, waiter->kind)) return true;
    if (slots_surely(&me->place.slots, waiter->kind, waiter->least_gpu, unit->n)) return false;
    slots_refresh(&me->place.slots);
    return is_hopeless(me, waiter, unit->n);
}

static bool find_hosts(MlfH *me, const int tasks[], int n)
{
    return me->decider ? me->decider->hosts(me->decider_self, tasks, n) : place_try_all(&me->place, tasks, n);
}

static bool start_job(MlfH *me, Sched *s, const Job *job)
{
    Place *place = &me->place;
    int n_gpu_tasks = taskgraph_n_gpu_tasks(job->graph);
    int *order = NEW_ARRAY(sched_scratch(s), int, job->n_tasks);
    int n = order_tasks(me, s, job, 0, n_gpu_tasks, order);
    place_begin(place, job);
    if (!find_hosts(me, order, n)) {
        place_cancel(place);
        return false;
    }
    place_end(place);
    sched_start(s, job->id, place->spot, job->n_tasks);
    me->waiter[job->id].least_gpu = 0;
    ragged_has_run(&me->ragged, job->id);
    return true;
}

/* Places these tasks if there is room for all of them; the job may have others placed already. */
static bool place_part(MlfH *me, Sched *s, const Job *job, const int tasks[], int n)
{
    Place *place = &me->place;
    place_begin(place, job);
    if (!find_hosts(me, tasks, n)) {
        place_cancel(place);
        return false;
    }
    place_end(place);
    for (int i = 0; i < n; i++) sched_place(s, job->id, tasks[i], place->spot[tasks[i]]);
    me->waiter[job->id].least_gpu = 0;
    ragged_note(&me->ragged, s, job);
    return true;
}

static bool place_replica(MlfH *me, Sched *s, const Job *job, int replica)
{
    int m = job->graph->partitions;
    int *order = NEW_ARRAY(sched_scratch(s), int, m + 1);
    int n = order_tasks(me, s, job, replica * m, m, order);
    return place_part(me, s, job, order, n);
}

static bool place_task(MlfH *me, Sched *s, const Job *job, int index)
{
    int k = index < 0 ? taskgraph_n_gpu_tasks(job->graph) : index;
    return place_part(me, s, job, &k, 1);
}

/* ---- moving ---- */

/* Task k has no host, not even its own. */
static void requeue(MlfH *me, Sched *s, const Job *job, const Queue *queue, int k)
{
    Place *place = &me->place;
    switch (me->requeue) {
    case REQUEUE_UNDO:
        place_drop(place, k);
        place_end(place);
        return;
    case REQUEUE_JOB:
        for (int l = 0; l < job->n_tasks; l++)
            if (place->spot[l] >= 0) place_remove(place, l, l == k || queue_has_move(queue, job->id, l));
        place_end(place);
        sched_preempt(s, job->id);
        return;
    case REQUEUE_TASK:
        place_remove(place, k, true);
        place_end(place);
        sched_evict(s, job->id, k);
        ragged_note(&me->ragged, s, job);
        return;
    }
}

static void move_task(MlfH *me, Sched *s, const Job *job, const Queue *queue, int k)
{
    Place *place = &me->place;
    if (job->state != JOB_RUNNING || !is_placed(sched_tasks(s, job), k)) return; /* its job went back to the queue */
    GpuId own = sched_tasks(s, job)[k].gpu;
    place_begin(place, job);
    GpuId gpu = place_refuses_move(place, k) ? -1
                : me->decider                ? me->decider->move(me->decider_self, k)
                                             : place_move(place, k);
    if (gpu < 0) {
        requeue(me, s, job, queue, k);
        return;
    }
    place_end(place);
    if (gpu == own) return;
    overload_relieved(&me->overload, hosts_of(&place->hosts, own));
    sched_migrate(s, job->id, k, gpu);
}

/* ---- a round ---- */

static bool place_unit(MlfH *me, Sched *s, const Job *job, const Queue *queue, const Unit *unit)
{
    switch (unit->kind) {
    case UNIT_JOB: return start_job(me, s, job);
    case UNIT_REPLICA: return place_replica(me, s, job, unit->index);
    case UNIT_TASK: return place_task(me, s, job, unit->index);
    case UNIT_MOVE: move_task(me, s, job, queue, unit->index); break;
    }
    return true;
}

static bool need_not_come_up(void *self, const Unit *unit)
{
    MlfH *me = self;
    return me->reserve == TIME_NEVER && is_covered(me, unit->n, unit->least_gpu, unit->slots_kind);
}

static void place_all(MlfH *me, Sched *s, Queue *queue)
{
    bool reserved = false;
    Unit unit, last;
    bool any = me->decider && queue_last(queue, &last);
    while (queue_next(queue, need_not_come_up, me, &unit)) {
        me->last = any && unit.job == last.job && unit.kind == last.kind && unit.index == last.index;
        bool refused = unit.n && was_refused(me, &unit); /* most, when much waits: not even looked at */
        if (refused && me->reserve == TIME_NEVER) continue;
        const Job *job = sched_job(s, unit.job);
        bool starts = job->state == JOB_WAITING && unit.kind != UNIT_MOVE;
        if (starts && reserved) continue;
        if (!refused && place_unit(me, s, job, queue, &unit)) continue;
        SimTime waited = sched_now(s) - job->submit - job_attained(job, sched_now(s));
        reserved |= starts && waited >= me->reserve;
    }
}

static void hold_round(MlfH *me, Sched *s)
{
    me->again = false;
    ragged_review(&me->ragged, s);
    place_round(&me->place);
    Movers movers = {0};
    if (me->migrate && me->place.hosts.n_overloaded)
        overload_select(&me->overload, &me->place, &me->priorities, &movers);
    Queue queue = {.arena = sched_scratch(s)};
    for (int i = 0; i < movers.n; i++)
        queue_add(&queue,
                  (Unit){movers.mover[i].priority, movers.mover[i].job, movers.mover[i].task, 0, UNIT_MOVE, 0, -1});
    queue_waiting(me, s, &queue);
    for (int i = 0; i < me->ragged.n; i++) queue_job(me, s, sched_job(s, me->ragged.job[i]), &queue);
    if (queue.n) place_all(me, s, &queue);

    SimTime alarm = ragged_alarm(&me->ragged);
    if ((movers.cooling || me->again) && time_add(sched_now(s), me->place.tick) < alarm)
        alarm = time_add(sched_now(s), me->place.tick);
    sched_wake_at(s, alarm);
}

void mlf_h_round(MlfH *me, Sched *s)
{
    if (me->replicas) replicas_review(s);
    do hold_round(me, s);
    while (me->replicas && replicas_yield(s));
    if (me->replicas) replicas_make(s, me->place.hosts.threshold);
}

int mlf_h_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    MlfH *me = state;
    return priority_terms(&me->priorities, s, job, term);
}

static void mlf_h_init(Sched *s, void *state)
{
    mlf_h_open(state, s);
}

static void mlf_h_schedule(Sched *s, void *state)
{
    mlf_h_round(state, s);
}

const Policy policy_mlf_h = {
    .name = "mlf-h",
    .summary = "MLFS' heuristic: learning features in the order, shared GPUs, moves off overload",
    .needs = NEEDS_INSIDE,
    .state_size = sizeof(MlfH),
    .params = mlf_h_params,
    .init = mlf_h_init,
    .schedule = mlf_h_schedule,
    .terms = mlf_h_terms,
};
