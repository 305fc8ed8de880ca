/* policies/mlf_priority.h -- which task of which job first: the priorities of MLF-H (MLFS, CoNEXT'20, eq. 2 to 6).
 *
 *     P0_ML(k) = L (1/I) rho S_k            P_ML(k) = P0_ML(k) + gamma sum over children of P_ML        (2, 3)
 *     P0_C(k)  = gamma_d/(d - t) + gamma_r/r + gamma_w w, P_C(k) likewise                               (4, 5)
 *     P(k)     = alpha P_ML(k) + (1 - alpha) P_C(k)                                                     (6)
 *
 * L: urgency; I: the epoch it is in; rho: the last epoch's share of the loss reduced so far; S_k: task k's share of the
 * parameters; d, r, w: deadline, remaining running time and wait, of the job, in hours.  As only S_k depends on the
 * task, (3) and (5) are a number of the job times a constant of its graph: a round costs a few multiplications a job.
 * A parameter server has the largest priority of its job and goes first on ties.
 *
 * PAPER: eq. 4 adds 1/time and time without units; hours make the three alike (in seconds it is longest wait first).
 * PAPER: d and r are the task's there, d_k the job's less the time below k; `task_deadline` does that, in O(tasks).
 */
#ifndef POLICIES_MLF_PRIORITY_H
#define POLICIES_MLF_PRIORITY_H

#include "sim/engine/sched.h"

typedef struct PriorityRule {
    double alpha, gamma, gamma_d, gamma_r, gamma_w;
    ChildRule children;
    bool urgency;       /* false: L = 1 for all */
    bool cap_late;      /* a missed deadline keeps the largest term instead of none */
    bool total_wait;    /* w is all its waiting, not the present spell */
    bool task_deadline; /* d_k, not d */
    bool paper_rest;    /* r is the predicted run time less the time it ran, not what its epochs still need */
    double loss_share;  /* weight of the newest loss in the smoothed one */
    SimTime unit;       /* of d - t, r and w */
    SimTime floor;      /* least d - t and r: one tick */
} PriorityRule;

/* How a job's loss came down, epoch by epoch: rho. */
typedef struct LossTrend {
    int32_t epochs;
    double smooth, last, sum; /* smoothed loss; the last reduction, >= 0; all of them */
} LossTrend;
void loss_trend_add(LossTrend *trend, double share, double loss_start, double loss);
double loss_trend_ratio(const LossTrend *trend); /* rho: 1 before the second epoch has ended */

/* L (1/I) rho, what P0_ML is without S_k. */
double priority_learning(const PriorityRule *rule, double urgency, int epochs_done, double ratio);
/* P0_C. */
double priority_computation(const PriorityRule *rule, SimTime slack, SimTime rest, SimTime waited);

/* The constants of one graph: P = alpha L (1/I) rho ml[i] + (1 - alpha) P0_C c[i] for task i of each replica. */
typedef struct PriorityShape {
    const Family *family;
    TaskGraph graph;
    double *ml, *c; /* [partitions] */
    int32_t *top;   /* [n_top]: the tasks that can be the largest, whatever the factors */
    int32_t n_top;
    struct PriorityShape *next;
} PriorityShape;

typedef struct Priorities {
    PriorityRule rule;
    Arena *arena;
    PriorityShape *shapes;
    LossTrend *trend;            /* [size], by job; only jobs that have run get one */
    const PriorityShape **shape; /* [size], by job; NULL: not looked up yet */
    int size;
} Priorities;

/* What a job's priority follows from at any time while it waits: all that changes is the time. */
typedef struct Standing {
    double ml;               /* alpha L (1/I) rho */
    double rest;             /* gamma_r/r */
    SimTime since, deadline; /* of its wait; TIME_NEVER: it does not wait, has none */
    const PriorityShape *shape;
} Standing;

void priorities_open(Priorities *p, Sched *s);
double priority_loss_ratio(Priorities *p, Sched *s, const Job *job, int *epochs_done); /* rho */
Standing priority_standing(Priorities *p, Sched *s, const Job *job);
double priority_at(const Priorities *p, const Standing *standing, SimTime now); /* without task_deadline */
double priority_of_job(Priorities *p, Sched *s, const Job *job);                /* the largest of its tasks */
double priority_of_task(Priorities *p, Sched *s, const Job *job, int k);
void priorities_of_tasks(Priorities *p, Sched *s, const Job *job, double priority[]); /* [n_tasks] */
int priority_terms(Priorities *p, Sched *s, const Job *job, Term term[MOST_TERMS]);   /* for Policy.terms */

#endif
