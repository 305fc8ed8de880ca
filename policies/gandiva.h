/* policies/gandiva.h -- the parts of Gandiva: slots of GPUs that jobs take turns on, where to put one, when to move
 * one.
 *
 * A *slot* is the set of GPUs of a gang.  One job has it to itself, or up to `height` jobs of one width are stacked on
 * it and take turns, a slice each, the others paused; or they run side by side (packed).  GPUs on which jobs take turns
 * belong to one slot only, so that a whole gang switches at once wherever its tasks are and everybody gets 1/height of
 * the time.  With place.share slots of one job each may have GPUs in common.
 */
#ifndef POLICIES_GANDIVA_H
#define POLICIES_GANDIVA_H

#include "sim/engine/sched.h"
#include "sim/model/speed.h"

enum { MOST_HEIGHT = 8 };

typedef enum {
    PACK_UNTRIED,
    PACK_TRIED, /* side by side since `since`, to be judged */
    PACK_KEPT,  /* judged better than turns; judged again at each decision */
    PACK_LOST,  /* judged worse: not again until somebody comes or goes */
} Packing;

typedef struct Slot {
    GpuId *gpus; /* [n_gpus] in the order of tasks, room for `room` */
    int n_gpus, room;
    int n_jobs; /* 0: not in use */
    JobId job[MOST_HEIGHT];
    double alone[MOST_HEIGHT]; /* pace with nobody beside it; 0: not seen yet */
    int turn;                  /* whose slice it is; of no account while packed */
    SimTime since;             /* the slice or the packing began */
    Packing packing;
    bool narrow; /* its one job lacks replicas */
} Slot;

typedef struct GandivaJob {
    int32_t slot;        /* -1: none */
    int32_t start_width; /* replicas it started with */
    SimTime moved;       /* its latest migration; TIME_NEVER: none */
    bool profiled;       /* then: */
    Gang gang;           /* its communication, and the compute of an epoch as predicted */
    double ideal_s;      /* an epoch where it would be best off; and where it is: */
    double here_s;       /* 0: not worked out since it came there */
} GandivaJob;

typedef struct Gandiva {
    bool inside, packs, migrates, grows, pipeline;
    int height;
    Milli share;
    SimTime slice, cooldown, grow_idle;
    double gain, switch_s, move_base_s, move_bytes_per_s, communication_max, overlap[2];
    IdealOrder ideal;
    Slot *slot; /* [n_slots]; some not in use */
    int n_slots, slot_room, first_unused;
    GandivaJob *job; /* [job_room] by id */
    int job_room;
    int32_t *affinity;  /* [n_servers]: GPUs of the jobs it is for; 0: it is empty */
    int32_t *asked;     /* [n_servers]: GPUs asked for by the jobs on it, running or not */
    int32_t *jobs_on;   /* [n_gpus]: of all slots */
    SimTime idle_since; /* nobody waits and GPUs are free since then; TIME_NEVER: not so */
    bool freed;         /* GPUs have become free since it was last looked who might come closer together */
} Gandiva;

static inline bool slot_packed(const Slot *slot)
{
    return slot->packing == PACK_TRIED || slot->packing == PACK_KEPT;
}

/* ---- gandiva_place.c: servers ---- */

/* n free GPUs for a gang of that width, by affinity (Algorithm 1 of the paper), into gpus[]; false: there are none. */
bool gandiva_find(const Gandiva *me, Sched *s, int n, GpuId gpus[]);

/* GPUs with room beside others, by place.share; NULL: none.  Where jobs take turns there is none. */
const GpuId *gandiva_find_shared(const Gandiva *me, Sched *s, const Job *job);

int gandiva_servers(const Cluster *cluster, const GpuId gpus[], int n); /* how many servers they are on */

/* Host memory for a job whose tasks would go on these GPUs, and GPU memory if nobody were there. */
bool gandiva_has_memory(const Sched *s, const Job *job, const GpuId gpus[], int n);

/* The books of affinity, when a job of that width comes (by = 1) to GPUs or leaves (-1). */
void gandiva_book(Gandiva *me, Sched *s, const GpuId gpus[], int n, int width, int by);

/* [n_tasks]: the GPUs and, if it has a parameter server, the one it goes with. */
const GpuId *gandiva_with_server(Sched *s, const Job *job, const GpuId gpus[]);

/* ---- gandiva_slice.c: slots ---- */
Slot *gandiva_open(Gandiva *me, Sched *s, const Job *job, const GpuId gpus[], int n); /* the job is the first in it */
void gandiva_join(Gandiva *me, Sched *s, Slot *slot, const Job *job); /* to be started: the slice is its own */
void gandiva_leave(Gandiva *me, Sched *s, const Job *job);            /* it is there no more; asks for nothing */

Slot *gandiva_stack(Gandiva *me, Sched *s, const Job *job); /* where a slice is over for one more; NULL: nowhere */
void gandiva_wake(Gandiva *me, Sched *s); /* where nobody runs, or two do who are not packed, one has a slice */
void gandiva_take_turns(Gandiva *me, Sched *s);
void gandiva_pack(Gandiva *me, Sched *s);
SimTime gandiva_next(const Gandiva *me, const Sched *s); /* when a slice or a trial is over; TIME_NEVER: none runs */

/* ---- gandiva_move.c ---- */
void gandiva_migrate(Gandiva *me, Sched *s);

/* ---- gandiva_width.c ---- */
bool gandiva_start_narrow(Gandiva *me, Sched *s, const Job *job); /* with the replicas that find free GPUs */
void gandiva_shrink(Gandiva *me, Sched *s, int n); /* until n GPUs are free, if that can be; else not at all */
void gandiva_grow(Gandiva *me, Sched *s);

#endif
