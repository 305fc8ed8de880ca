/* policies/mlf_overload.h -- which tasks an overloaded server had better give away (MLFS, CoNEXT'20, 3.3.3).
 *
 * For each overloaded server, in order of id: while one of its GPUs is overloaded, and then while its CPU or network
 * is, take the p_s of the tasks concerned with the lowest priority (those on overloaded GPUs; all of the server) and
 * choose among them the one nearest to the ideal virtual task, which of an overloaded resource uses as much as any task
 * of the server and of others as little as any, and has no traffic with tasks beside it.  Its load is taken off the
 * books; it joins the tasks that wait for a host.
 *
 * Against tasks that go back and forth: one that moved in the last `cooldown` ticks stays, a server gives away at most
 * `max_moves` tasks a round, and nothing is chosen that does not relieve an overloaded resource.  A server none of
 * whose tasks found another host is not tried again for as long.
 */
#ifndef POLICIES_MLF_OVERLOAD_H
#define POLICIES_MLF_OVERLOAD_H

#include "policies/mlf_place.h"
#include "policies/mlf_priority.h"

/* Who decides in its stead, among the tasks with the lowest priority, rising, which one leaves; `nearest` is the one to
 * the ideal virtual task.  -1: none, the server is relieved no further in this round. */
typedef struct OverloadOption {
    const Task *task;
    double uses[N_USES + 1]; /* of the server's resources, then the share of its traffic that stays inside */
} OverloadOption;
typedef int OverloadDecider(void *self, int host, const OverloadOption option[], int n, int nearest);

typedef struct OverloadRule {
    double share;             /* p_s */
    SimTime cooldown;         /* after a move, and after no move */
    int max_moves;            /* of one server and round */
    bool bandwidth;           /* false: traffic does not count */
    bool rial;                /* weigh resources by how much of them is in use */
    SimTime *rests;           /* [hosts]: not to be tried before */
    OverloadDecider *decider; /* NULL: none */
    void *decider_self;
} OverloadRule;

typedef struct Mover { /* a task to move, lifted from the books */
    double priority;
    JobId job;
    int task;
} Mover;

typedef struct Movers {
    Mover *mover; /* in scratch memory */
    int n, room;
    bool cooling; /* something was left alone because it moved, or failed to, lately */
} Movers;

/* Chooses and lifts them.  Their hosts rest, unless overload_relieved tells that one found another host. */
void overload_select(const OverloadRule *rule, Place *place, Priorities *priorities, Movers *movers);

static inline void overload_relieved(const OverloadRule *rule, int host)
{
    rule->rests[host] = 0;
}

/* The choice itself, for the vector of uses of each of n tasks (N_USES resources, then its share of traffic that stays)
 * in rising order of priority: the one of the first `n_choice` nearest to the ideal, which is taken over all of them.
 * `over` tells the overloaded resources; `weight` may be NULL. */
int overload_nearest(const double uses[][N_USES + 1], const bool *candidate, int n, int n_choice,
                     const bool over[N_USES], bool bandwidth, const double weight[N_USES]);

#endif
