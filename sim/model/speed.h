/* sim/model/speed.h -- how long one epoch of a job takes under a placement (algorithms.md 14.2, 20.1).
 *
 * A replica works through its stages in order; a stage takes as long as its slowest part, then the slowest edge to the
 * next stage.  When all replicas are through, they synchronise, through a parameter server or a ring.
 *
 *     T = D/D' { max_r sum_q [ (K/Q) max_k slow_k + n s max_edges (latency + 2 V/B) ] + n s (1 - overlap) T_sync }
 *
 * K: compute seconds of one replica and epoch; n: communication rounds an epoch; s: scale of this job's communication
 * time; D' of D replicas run.  The scale and K are fixed once per job so that T under the ideal placement is the
 * trace's duration exactly (speed_calibrate): only relative slow-downs come from the model.
 */
#ifndef SIM_MODEL_SPEED_H
#define SIM_MODEL_SPEED_H

#include "sim/model/network.h"
#include "sim/model/taskgraph.h"

typedef struct Gang {
    TaskGraph graph;
    Volumes volumes;
    int32_t micro_batches; /* 1: stages in sequence; more: a pipeline (GPipe) */
    double rounds;         /* n */
    double overlap;        /* share of the synchronisation hidden behind compute */
    double compute_s;      /* K */
    double scale;          /* s */
} Gang;

/* Where the tasks are, [n_tasks] each; -1: not placed.  Of a parameter server only the server counts. */
typedef struct Spots {
    const ServerId *server;
    const GpuId *gpu;
} Spots;

/* What everybody else does to the job; NULL: nothing. */
typedef struct Friction {
    const double *slow;                /* [n_tasks]: >= 1, by GPU sharing and CPU contention */
    const double (*nic_share)[N_NICS]; /* [n_servers]: <= 1, of each NIC's speed */
} Friction;

typedef struct NicUse {
    ServerId server;
    double bytes[N_NICS]; /* through the server's NICs in one epoch */
} NicUse;

typedef struct Epoch {
    double seconds;   /* INFINITY: no replica runs */
    double far_bytes; /* between different servers in one epoch, each transfer once */
    int running;      /* D' */
    int n_uses;
    NicUse *use; /* [n_uses], room for n_tasks; by server in order of first use; NULL: nobody asks for bytes and uses */
    double *edge; /* room for n_tasks: seconds of each replica's slowest edges in a round, by stage; NULL: not kept */
    double sync;  /* and of synchronisation */
} Epoch;

/* Fills *epoch, whose `use` and `edge` point to room or are NULL. */
void speed_epoch(const Gang *gang, const Network *network, Spots spots, Friction friction, Epoch *epoch);

/* The seconds again where nothing but `slow` has changed since speed_epoch kept the edges: without a look at the links,
 * the same to the last bit. */
double speed_again(const Gang *gang, Spots spots, const double slow[], const Epoch *epoch);

/* Adds to the bytes and uses of an epoch, filled by speed_epoch for these spots, what a second copy of GPU task k on
 * another server exchanges: the edges of the task, drawn from there.  `use` needs room for an entry more. */
void speed_add_copy(const Gang *gang, const Network *network, Spots spots, int k, ServerId server, Epoch *epoch);

/* The ideal placement: the job alone on the empty, healthy cluster, one GPU a task (20.1(2)).  Writes [n_tasks]. */
typedef struct IdealOrder {
    ServerId *smallest; /* [largest + 1]: the smallest server with so many GPUs, lowest id on ties */
    int largest;        /* GPUs of the largest server */
    ServerId *server;   /* racks with most GPUs first, in each the largest servers first, ids on ties */
    int n_servers;
    const ClusterSpec *spec;
    const Network *network;
    GpuId *first_gpu; /* [n_servers] by id */
} IdealOrder;
IdealOrder ideal_order_make(Arena *arena, const ClusterSpec *spec, const Network *network);
void ideal_placement(const IdealOrder *order, const Gang *gang, ServerId server[], GpuId gpu[]);

/* Fixes compute_s and scale for an epoch of `epoch_s` seconds under the ideal placement, communication taking at most
 * the share `most` of it. */
void speed_calibrate(Gang *gang, const Network *network, Spots ideal, double epoch_s, double most, Arena *scratch);

/* Seconds of an epoch under a placement with nobody else around, the job's own NIC contention included.  For the ideal
 * placement and the sequential schedule a job's rate elsewhere is that over speed_epoch. */
double speed_alone(const Gang *gang, const Network *network, Spots spots, Arena *scratch);

/* The share of a NIC's speed that is left to each byte when so many ask for it. */
double nic_share(const Network *network, ServerId server, Nic nic, const double bytes_per_s[N_NICS]);

#endif
