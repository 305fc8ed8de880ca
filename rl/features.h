/* rl/features.h -- what the net sees: a task, its job, a host and the cluster as 40 numbers in [-1, 1] (version 1).
 *
 * A decision is a choice among candidates, and each candidate is a row.  Rows of one decision share the part that is
 * about the task and its job (features_of_task) and about the cluster; they differ in the host (features_of_host), or
 * say that they are "queue" or "stop", whose host is all zeros.  Loads of hosts are the caller's: a scheduler that
 * thinks ahead counts what it has tried.
 *
 * The numbers, in order: F_... below.  Times are log1p(hours)/8, counts logarithms, the rest shares.  A change of
 * meaning is another version: a model says which it was trained with.
 */
#ifndef RL_FEATURES_H
#define RL_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/simtime.h"
#include "sim/model/family.h"

struct Job;
struct Task;

enum { FEATURE_VERSION = 1 };

typedef enum Feature {
    F_QUEUED,   /* 1: the task waits */
    F_WAIT,     /* of its job, since none of its tasks ran */
    F_RUN,      /* of its job, so far */
    F_ASKS_GPU, /* of one GPU */
    F_ASKS_CPU, /* of the largest server, as the next */
    F_ASKS_MEMORY,
    F_ASKS_NETWORK, /* what its traffic would add to the host's network use */
    F_SHARE,        /* S_k, of the parameters */
    F_DEPTH,        /* levels of the task graph below it, of all */
    F_DESCENDANTS,  /* of the job's tasks */
    F_FAMILY,       /* one of six is 1 */
    F_URGENCY = F_FAMILY + N_FAMILIES,
    F_SLACK,        /* to the deadline, days */
    F_PROGRESS,     /* epochs done of I_max */
    F_EPOCH,        /* 1/I */
    F_LOSS_RATIO,   /* rho */
    F_REMAINING,    /* predicted running time still needed */
    F_REPLICAS,     /* log2(1 + D)/8 */
    F_PARTITIONS,   /* log2(1 + M)/8 */
    F_ACCURACY_GAP, /* required less observed */
    F_HOST_GPU,     /* the host's shares in use, before the task is added */
    F_HOST_CPU,
    F_HOST_MEMORY,
    F_HOST_NETWORK,
    F_LEAST_GPU,    /* load of its least loaded GPU */
    F_HOST_TASKS,   /* tasks/(8 GPUs) */
    F_TRAFFIC,      /* c: the share of the task's traffic that would stay inside it */
    F_DEGRADATION,  /* q: what moving there costs */
    F_SAME_RACK,    /* as most of the peers that are placed */
    F_OVERLOAD,     /* O_c of the cluster */
    F_QUEUE_LENGTH, /* log1p/12 */
    F_IS_QUEUE,     /* the candidate is to wait */
    F_IS_STOP,      /* ... to stay, or to relieve the server no further */
    F_STEP,         /* 0: a host for a task that waits; 1: for one that is to move; -1: which task is to move */
    F_DISTANCE,     /* to the ideal virtual host, halved */
    N_FEATURES
} Feature;

typedef enum StepType { STEP_SELECT = -1, STEP_PLACE = 0, STEP_MOVE = 1 } StepType;

/* What holds for all decisions of a round. */
typedef struct FeatureWorld {
    SimTime now;
    double overload;           /* O_c */
    int32_t cores, memory_mib; /* of the largest server; 0: not said */
    bool plain;                /* no learning features: urgency, loss, accuracy and epochs are 0 */
} FeatureWorld;

/* What the policy knows of a job beside what the engine tells. */
typedef struct FeatureJob {
    double loss_ratio; /* rho */
    double accuracy;   /* observed so far, smoothed; 0 before the first epoch */
    int epochs_done;
} FeatureJob;

typedef struct FeatureHost {
    double use[4]; /* GPU, CPU, memory, network */
    double least_gpu;
    int tasks, n_gpus;
    double network_more; /* what the task's traffic adds */
    double traffic, degradation, distance;
    bool same_rack;
} FeatureHost;

/* Each writes its own part of row[N_FEATURES] and nothing else; all three make a whole row of a host. */
void features_of_world(float row[], const FeatureWorld *world, StepType step, int n_waiting);
void features_of_task(float row[], const FeatureWorld *world, const struct Job *job, const struct Task *task,
                      const FeatureJob *facts);
void features_of_host(float row[], const FeatureHost *host);

/* In place of a host. */
void features_of_queue(float row[]);
void features_of_stop(float row[]);

#endif
