/* sim/engine/task.h -- inside a running job: its tasks, and what GPUs and servers carry.  Absent in preset `plain`. */
#ifndef SIM_ENGINE_TASK_H
#define SIM_ENGINE_TASK_H

#include "sim/engine/job.h"
#include "sim/model/jobmodel.h"
#include "sim/model/network.h"

typedef int32_t Milli; /* thousandths of one GPU */

typedef struct Task {
    JobId job;
    int32_t index;      /* in its job: taskgraph.h */
    GpuId gpu;          /* -1: waiting; of a parameter server any GPU of its server */
    ServerId server;    /* -1: waiting */
    Milli base, demand; /* drawn once; now, with model.demand=varying another at each tick it runs */
    TaskNeed need;
    SimTime since;    /* its latest placement, or since when it waits */
    bool owes_resume; /* it ran before: when it is placed again the job stalls */
    bool paused;      /* with its job: keeps its place and host memory only */
    bool active;      /* computes: its replica is complete and nothing stalls it */
    bool is_copy;     /* of the task of this index, which is elsewhere: sched_duplicate */
    SimTime ready;    /* of a copy: when its state has arrived */
    int32_t moves;
    SimTime moved;          /* latest migration; TIME_NEVER: none */
    int64_t ticks;          /* run so far: names the next step of its demand */
    double x;               /* relative demand, AR(1) */
    struct Task *next_here; /* on the same GPU; servers of parameters are listed with their server */
} Task;

typedef struct GpuLoad {
    Milli load; /* demand of all its tasks: what placement and overload go by; may exceed 1000 */
    Milli busy; /* the same with an idle task counted at 5 %: what speed goes by */
    int32_t n_tasks, n_active;
    int32_t memory_mib; /* taken, of the class's */
    uint32_t marked;    /* tick at which all that compute here were last told that a demand has changed */
    Task *task;         /* list */
} GpuLoad;

typedef struct ServerLoad {
    Milli gpu_load;      /* sum over its GPUs */
    int32_t cores;       /* asked for by its tasks; may exceed what is there */
    int32_t memory_mib;  /* taken */
    int32_t n_tasks;     /* GPU tasks and parameter servers */
    int64_t nic[N_NICS]; /* bytes per second that its tasks would send and receive without contention */
    Task *servers;       /* parameter servers on it */
    bool overloaded;     /* at the latest tick */
    uint32_t version;    /* another whenever something here or on its GPUs has changed */
} ServerLoad;

/* Shares of a server's resources in use, >= 0; 0 where the cluster does not say what there is. */
typedef struct Utilisation {
    double gpu, cpu, memory, network;
} Utilisation;

#endif
