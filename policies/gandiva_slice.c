/* policies/gandiva_slice.c -- turns on a slot, and whether its jobs get on better side by side. */
#include "policies/gandiva.h"

static Slot *new_slot(Gandiva *me, Sched *s, int room)
{
    int i = me->first_unused;
    while (i < me->n_slots && me->slot[i].n_jobs) i++;
    me->first_unused = i + 1;
    if (i == me->slot_room) {
        int larger = me->slot_room ? me->slot_room * 2 : 64;
        me->slot = arena_grow(sched_memory(s), me->slot, (size_t)me->slot_room, (size_t)larger, sizeof *me->slot);
        me->slot_room = larger;
    }
    if (i == me->n_slots) me->n_slots++;
    Slot *slot = &me->slot[i];
    if (slot->room < room) {
        slot->gpus = NEW_ARRAY(sched_memory(s), GpuId, room);
        slot->room = room;
    }
    *slot = (Slot){.gpus = slot->gpus, .room = slot->room};
    return slot;
}

Slot *gandiva_open(Gandiva *me, Sched *s, const Job *job, const GpuId gpus[], int n)
{
    Slot *slot = new_slot(me, s, job->n_gpus);
    for (int i = 0; i < n; i++) slot->gpus[i] = gpus[i];
    slot->n_gpus = n;
    slot->n_jobs = 1;
    slot->job[0] = job->id;
    slot->since = sched_now(s);
    me->job[job->id].slot = (int32_t)(slot - me->slot);
    gandiva_book(me, s, gpus, n, job->n_gpus, 1);
    return slot;
}

/* The pace of those who run alone, which is what a pack is judged against. */
static void note_pace(Sched *s, Slot *slot)
{
    double pace = sched_job(s, slot->job[slot->turn])->pace;
    if (!slot_packed(slot) && pace > 0) slot->alone[slot->turn] = pace;
}

static void pause_all(Sched *s, Slot *slot)
{
    for (int i = 0; i < slot->n_jobs; i++)
        if (sched_job(s, slot->job[i])->state == JOB_RUNNING) sched_pause(s, slot->job[i]);
}

/* Gives the slice to one of its jobs. */
static void give_turn(Sched *s, Slot *slot, int turn)
{
    for (int i = 0; i < slot->n_jobs; i++)
        if (i != turn && sched_job(s, slot->job[i])->state == JOB_RUNNING) sched_pause(s, slot->job[i]);
    if (sched_job(s, slot->job[turn])->state == JOB_PAUSED) sched_resume(s, slot->job[turn]);
    slot->turn = turn;
    slot->since = sched_now(s);
}

void gandiva_join(Gandiva *me, Sched *s, Slot *slot, const Job *job)
{
    note_pace(s, slot);
    pause_all(s, slot);
    slot->packing = PACK_UNTRIED;
    slot->turn++; /* behind the one whose slice is over, ahead of who waits longest for the next */
    for (int k = slot->n_jobs++; k > slot->turn; k--) {
        slot->job[k] = slot->job[k - 1];
        slot->alone[k] = slot->alone[k - 1];
    }
    slot->job[slot->turn] = job->id;
    slot->alone[slot->turn] = 0;
    slot->since = sched_now(s);
    me->job[job->id].slot = (int32_t)(slot - me->slot);
    gandiva_book(me, s, slot->gpus, slot->n_gpus, job->n_gpus, 1);
}

/* The turn passes to the one behind it; gandiva_wake wakes it. */
void gandiva_leave(Gandiva *me, Sched *s, const Job *job)
{
    Slot *slot = &me->slot[me->job[job->id].slot];
    int i = 0;
    while (slot->job[i] != job->id) i++;
    for (int k = i; k < slot->n_jobs - 1; k++) {
        slot->job[k] = slot->job[k + 1];
        slot->alone[k] = slot->alone[k + 1];
    }
    slot->n_jobs--;
    if (slot->turn > i) slot->turn--;
    if (slot->turn >= slot->n_jobs) slot->turn = 0;
    slot->packing = PACK_UNTRIED;
    me->job[job->id].slot = -1;
    me->freed = true;
    gandiva_book(me, s, slot->gpus, slot->n_gpus, job->n_gpus, -1);
    int index = (int)(slot - me->slot);
    if (!slot->n_jobs && index < me->first_unused) me->first_unused = index;
}

static int64_t demand_of(const Sched *s, const Slot *slot)
{
    int64_t sum = 0;
    for (int i = 0; i < slot->n_jobs; i++) {
        const Job *job = sched_job(s, slot->job[i]);
        for (int k = 0; k < job->n_gpus; k++) sum += sched_tasks(s, job)[k].demand;
    }
    return sum;
}

/* Nobody else is on its GPUs. */
static bool is_alone(const Gandiva *me, const Slot *slot)
{
    for (int i = 0; me->share && i < slot->n_gpus; i++)
        if (me->jobs_on[slot->gpus[i]] != slot->n_jobs) return false;
    return true;
}

/* The fewest jobs, then the least demand, which may be packed later. */
Slot *gandiva_stack(Gandiva *me, Sched *s, const Job *job)
{
    Slot *best = NULL;
    int64_t least = 0;
    if (!me->inside) return NULL;
    for (int i = 0; i < me->n_slots; i++) {
        Slot *slot = &me->slot[i];
        if (!slot->n_jobs || slot->n_jobs >= me->height || slot->narrow || slot->n_gpus != job->n_gpus) continue;
        if (sched_now(s) - slot->since < me->slice) continue; /* or a stream of short jobs would starve who is there */
        if ((best && slot->n_jobs > best->n_jobs) || !is_alone(me, slot)) continue;
        int64_t demand = demand_of(s, slot);
        if (best && slot->n_jobs == best->n_jobs && demand >= least) continue;
        if (!gandiva_has_memory(s, job, slot->gpus, slot->n_gpus)) continue;
        best = slot;
        least = demand;
    }
    return best;
}

void gandiva_wake(Gandiva *me, Sched *s)
{
    for (int i = 0; i < me->n_slots; i++) {
        Slot *slot = &me->slot[i];
        if (!slot->n_jobs || slot_packed(slot)) continue;
        int n_running = 0;
        for (int k = 0; k < slot->n_jobs; k++) n_running += sched_job(s, slot->job[k])->state == JOB_RUNNING;
        if (n_running != 1) give_turn(s, slot, slot->turn);
    }
}

void gandiva_take_turns(Gandiva *me, Sched *s)
{
    for (int i = 0; i < me->n_slots; i++) {
        Slot *slot = &me->slot[i];
        if (slot->n_jobs < 2 || slot_packed(slot) || sched_now(s) - slot->since < me->slice) continue;
        note_pace(s, slot);
        give_turn(s, slot, (slot->turn + 1) % slot->n_jobs);
    }
}

/* ---- packing ---- */

/* Together they have memory on every one of its GPUs. */
static bool fits_side_by_side(const Sched *s, const Slot *slot)
{
    const Cluster *c = sched_cluster(s);
    int64_t wants = 0;
    for (int i = 0; i < slot->n_jobs; i++) wants += sched_tasks(s, sched_job(s, slot->job[i]))->need.gpu_memory_mib;
    for (int i = 0; i < slot->n_gpus; i++) {
        ServerId id = cluster_server_of(c, slot->gpus[i]);
        const ServerClass *class_of = cluster_spec_class(c->spec, id);
        if (class_of->gpu_memory_mib && wants > class_of->gpu_memory_mib) return false;
    }
    return true;
}

/* The sum of paces, each as a share of that alone; < 0: somebody stalls, it cannot be told yet. */
static double packed_pace(const Sched *s, const Slot *slot)
{
    double sum = 0;
    for (int i = 0; i < slot->n_jobs; i++) {
        const Job *job = sched_job(s, slot->job[i]);
        if (job->pace <= 0) return -1;
        sum += job->pace / slot->alone[i];
    }
    return sum;
}

/* Turns bring one job's pace less the switches. */
static double sliced_pace(const Gandiva *me)
{
    double share = me->switch_s / time_seconds(me->slice);
    return share < 1 ? 1 - share : 0;
}

static void judge(const Gandiva *me, Sched *s, Slot *slot)
{
    if (slot->packing == PACK_TRIED && sched_now(s) - slot->since < me->slice) return;
    double pace = packed_pace(s, slot);
    if (pace < 0) return;
    slot->packing = pace > sliced_pace(me) ? PACK_KEPT : PACK_LOST;
    if (slot->packing == PACK_LOST) give_turn(s, slot, slot->turn);
}

static void try_packing(Sched *s, Slot *slot)
{
    for (int i = 0; i < slot->n_jobs; i++)
        if (slot->alone[i] <= 0) return; /* everybody has to be seen alone before */
    if (!fits_side_by_side(s, slot)) return;
    for (int i = 0; i < slot->n_jobs; i++)
        if (sched_job(s, slot->job[i])->state == JOB_PAUSED) sched_resume(s, slot->job[i]);
    slot->packing = PACK_TRIED;
    slot->since = sched_now(s);
}

void gandiva_pack(Gandiva *me, Sched *s)
{
    if (!me->packs) return;
    for (int i = 0; i < me->n_slots; i++) {
        Slot *slot = &me->slot[i];
        if (slot->n_jobs < 2) continue;
        if (slot_packed(slot))
            judge(me, s, slot);
        else if (slot->packing == PACK_UNTRIED)
            try_packing(s, slot);
    }
}

SimTime gandiva_next(const Gandiva *me, const Sched *s)
{
    SimTime next = TIME_NEVER;
    bool waits = sched_waiting(s)->n > 0 && me->height > 1;
    for (int i = 0; i < me->n_slots; i++) {
        const Slot *slot = &me->slot[i];
        bool turns = slot->n_jobs > 1 && slot->packing != PACK_KEPT, open = waits && slot->n_jobs;
        SimTime over = time_add(slot->since, me->slice);
        if ((turns || (open && over > sched_now(s))) && over < next) next = over;
    }
    return next;
}
