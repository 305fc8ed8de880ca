/* policies/ranking.h -- jobs in the order a policy wants to run them, and the two passes that act on such an order.
 *
 * Keys: smaller runs first.  A waiting job's key stays until ranking_rekey; a running job's may change, and is asked
 * for anew at each decision, and once more when it makes way and waits.  Waiting jobs stand in one heap for each gang
 * width, with place.share for each need, so that a pass looks at the head of each width and never walks a queue: when a
 * width does not fit, nothing behind its head does.
 *
 * Ties keep the order of the decision before, jobs that arrived since last, as if one list had been sorted stably over
 * and over.  Two jobs tie now only if they tied before, or one of them moved: a key that came down lands behind its
 * equals, one that went up lands before them.  `turn` is that order in numbers.
 */
#ifndef POLICIES_RANKING_H
#define POLICIES_RANKING_H

#include "policies/placeplan.h"

/* A key below RANK_SCORES for what is >= 0, the larger the earlier; alike to one part in 2^32 is equal. */
#define RANK_SCORES ((int64_t)1 << 44)
int64_t rank_by_score(double score);

typedef struct Ranked {
    int64_t key;  /* smaller first */
    int64_t turn; /* among equal keys: smaller first */
    JobId id;
    PlaceNeed need;
} Ranked;

typedef struct RankHeap { /* waiting jobs of one need */
    PlaceNeed need;
    bool closed; /* for the rest of this pass: its head does not fit */
    int n, capacity;
    Ranked *heap;
} RankHeap;

typedef struct Ranking {
    Sched *sched;
    Arena *arena;
    Placer placer; /* of the run; a policy may add its opinion of servers */
    RankHeap *width;
    int n_widths, width_capacity;
    Ranked *running; /* in the order of the last decision; jobs that ended since are still in */
    int n_running, running_capacity;
    Ranked *arrived; /* since the last decision */
    int n_arrived, arrived_capacity;
    int64_t low_turn, high_turn;
} Ranking;

typedef int64_t (*RankKey)(const Sched *s, const void *state, const Job *job);

void ranking_init(Ranking *ranking, Sched *s);
void ranking_arrive(Ranking *ranking, const Job *job, int64_t key); /* from on_arrive */

/* Another key for a waiting job, whose place among its equals it keeps; it is looked for from one end to the other. */
void ranking_rekey(Ranking *ranking, const Job *job, int64_t key);

/* Starts waiting jobs from the front; those that do not fit are skipped, or with `strict` end the pass. */
void ranking_fill(Ranking *ranking, Sched *s, bool strict);

/* Grants GPUs from the front, running jobs and waiting ones alike, skipping what does not fit; running jobs that got
 * nothing make way, then waiting ones that did start. */
void ranking_preempt(Ranking *ranking, Sched *s, RankKey key, const void *state);

/* For a policy that decides in steps of its own: begin, then any number of the others. */
void ranking_begin(Ranking *ranking, Sched *s, RankKey key, const void *state);
RankHeap *ranking_first(const Ranking *ranking, int spare); /* its heap[0] is first of those with up to `spare` GPUs */
bool ranking_start(Ranking *ranking, Sched *s, RankHeap *heap); /* its first; refused: its width is closed for now */
/* A running job that was made to wait.  Heaps may move: what ranking_first gave is good no more. */
void ranking_return(Ranking *ranking, const Job *job, int64_t key);

/* For who is not to be preempted within `hold` of its start: the next instant at which that is over for one, if
 * somebody waits for it; else TIME_NEVER. */
SimTime ranking_release(const Sched *s, SimTime hold);

#endif
