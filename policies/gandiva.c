/* policies/gandiva.c -- Gandiva: jobs start early, take turns on GPUs, are packed and moved as what is seen suggests.
 *
 * Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018.  Each round:
 *   1. waiting jobs in order of submission, the first that cannot be placed holds back the others: on a server
 *      for jobs of its width, else an empty one, else any free GPUs, else with place.share GPUs with room; if there
 *      are none it is stacked on a slot of its width where a slice is over, and takes turns there (over-subscription);
 *   2. turns: who has had its slice is paused in memory, the next one goes on;
 *   3. packing: those who take turns are tried side by side, and stay so while their paces, each against that alone,
 *      add up to more than turns bring;
 *   4. migration, when nobody waits: from a slot with turns to free GPUs; tasks that are scattered to one server,
 *      if need be after another job has left it; only if it pays;
 *   5. grow-shrink, if allowed (grow=1).
 *
 * Knows:   GPU counts; paces as measured; traffic, demand and memory of tasks, the time of an epoch as a profile tells.
 * Ignores: how long jobs will run, deadlines, urgency, losses; fairness.
 */
#include <string.h>

#include "policies/gandiva.h"
#include "policies/place.h"

static const Param gandiva_params[] = {
    NUMBER_PARAM("slice_s", "60", 1e-6, 1e9, "seconds of a turn"),
    INTEGER_PARAM("height", "2", 1, MOST_HEIGHT, "most jobs that take turns on the same GPUs; 1: nobody does"),
    CHOICE_PARAM("pack", "1", "0|1", "1: jobs that take turns are tried side by side"),
    CHOICE_PARAM("migrate", "1", "0|1", "1: jobs move where that pays"),
    NUMBER_PARAM("gain", "0.1", 0, 1000, "share by which a move must speed a job up at least"),
    NUMBER_PARAM("cooldown_s", "600", 0, 1e9, "seconds in which a job that has moved does not move again"),
    CHOICE_PARAM("grow", "0", "0|1", "1: jobs of several replicas may start with fewer and grow up to their request"),
    NUMBER_PARAM("grow_idle_s", "300", 0, 1e9,
                 "seconds for which GPUs must be free and nobody waiting before any grows"),
    {0},
};

static void gandiva_init(Sched *s, void *state)
{
    Gandiva *me = state;
    const Params *params = sched_params(s);
    const ClusterSpec *spec = sched_cluster(s)->spec;
    me->inside = sched_has_inside(s);
    me->height = (int)sched_number(s, "height");
    me->slice = time_from_seconds(sched_number(s, "slice_s"));
    me->cooldown = time_from_seconds(sched_number(s, "cooldown_s"));
    me->grow_idle = time_from_seconds(sched_number(s, "grow_idle_s"));
    me->gain = sched_number(s, "gain");
    me->idle_since = TIME_NEVER;
    me->affinity = NEW_ARRAY(sched_memory(s), int32_t, spec->n_servers);
    me->asked = NEW_ARRAY(sched_memory(s), int32_t, spec->n_servers);
    me->jobs_on = NEW_ARRAY(sched_memory(s), int32_t, spec->n_gpus);
    me->share = place_read_share(s);
    if (!me->inside) return;
    me->packs = sched_is(s, "pack", "1");
    me->migrates = sched_is(s, "migrate", "1");
    me->grows = sched_is(s, "grow", "1");
    me->switch_s = params_number(params, "cost", "switch");
    me->move_base_s = params_number(params, "cost", "move_base");
    me->move_bytes_per_s = params_number(params, "cost", "bw");
    me->communication_max = params_number(params, "physics", "communication_max");
    me->overlap[TOPOLOGY_RING] = params_number(params, "physics", "overlap_ring");
    me->overlap[TOPOLOGY_SERVER] = params_number(params, "physics", "overlap_server");
    me->pipeline = strcmp(params_text(params, "model", "schedule"), "pipeline") == 0;
    me->ideal = ideal_order_make(sched_memory(s), spec, sched_network(s));
}

static void gandiva_on_arrive(Sched *s, void *state, const Job *job)
{
    Gandiva *me = state;
    if (job->id < me->job_room && me->job[job->id].slot >= 0) gandiva_leave(me, s, job); /* a failure took its GPUs */
    if (job->id >= me->job_room) {
        int larger = me->job_room * 2 > job->id ? me->job_room * 2 : job->id + 64;
        me->job = arena_grow(sched_memory(s), me->job, (size_t)me->job_room, (size_t)larger, sizeof *me->job);
        for (int i = me->job_room; i < larger; i++) me->job[i].slot = -1;
        me->job_room = larger;
    }
    me->job[job->id] = (GandivaJob){.slot = -1, .moved = TIME_NEVER};
}

static void gandiva_on_end(Sched *s, void *state, const Job *job)
{
    Gandiva *me = state;
    if (me->job[job->id].slot >= 0) gandiva_leave(me, s, job);
}

/* ---- placing who waits ---- */

static bool start(Sched *s, const Job *job, const GpuId gpus[])
{
    return sched_start(s, job->id, gandiva_with_server(s, job, gpus), job->n_tasks) == ASK_GRANTED;
}

static bool place(Gandiva *me, Sched *s, const Job *job)
{
    GpuId *gpus = NEW_ARRAY(sched_scratch(s), GpuId, job->n_gpus);
    if (job->n_gpus > sched_pool(s)->n_free) gandiva_shrink(me, s, job->n_gpus);
    if (gandiva_find(me, s, job->n_gpus, gpus) && gandiva_has_memory(s, job, gpus, job->n_gpus)) {
        if (!start(s, job, gpus)) return false;
        gandiva_open(me, s, job, gpus, job->n_gpus);
        return true;
    }
    const GpuId *shared = gandiva_find_shared(me, s, job);
    if (shared && start(s, job, shared)) {
        gandiva_open(me, s, job, shared, job->n_gpus);
        return true;
    }
    if (gandiva_start_narrow(me, s, job)) return true;
    Slot *slot = gandiva_stack(me, s, job);
    if (!slot) return false;
    gandiva_join(me, s, slot, job);
    return start(s, job, slot->gpus);
}

static void gandiva_schedule(Sched *s, void *state)
{
    Gandiva *me = state;
    gandiva_wake(me, s);
    for (JobId head; (head = jobset_next(sched_waiting(s), 0)) >= 0;)
        if (!place(me, s, sched_job(s, head))) break;
    if (!me->inside) return;
    gandiva_take_turns(me, s);
    gandiva_pack(me, s);
    gandiva_migrate(me, s);
    gandiva_wake(me, s); /* those whose neighbour moved off */
    gandiva_grow(me, s);

    SimTime next = gandiva_next(me, s), now = sched_now(s);
    SimTime idle = me->idle_since == TIME_NEVER || !me->grows ? TIME_NEVER : time_add(me->idle_since, me->grow_idle);
    if (idle > now && idle < next) next = idle;
    sched_wake_at(s, next > now ? next : now + me->slice);
}

const Policy policy_gandiva = {
    .name = "gandiva",
    .summary = "Gandiva: early starts, turns on shared GPUs, packing with undo, migration",
    .state_size = sizeof(Gandiva),
    .params = gandiva_params,
    .init = gandiva_init,
    .on_arrive = gandiva_on_arrive,
    .on_end = gandiva_on_end,
    .schedule = gandiva_schedule,
};
