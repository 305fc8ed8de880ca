/* policies/mlf_refusals.h -- what found no room in this round, so that what asks for as much need not be tried.
 *
 * So many tasks that each need this much found no room.  If GPU, CPU and memory alone were the reason, more of them, or
 * larger ones, will not either.  If not (the network, or that tasks of a job differ), they might, but after `strikes`
 * such refusals of less than is asked for it is taken to be refused as well.
 *
 * Gangs are asked about by the thousand: for each kind of task and size of gang the *bar* is kept, the least demand of
 * GPU that is refused, so that asking is one comparison.
 */
#ifndef POLICIES_MLF_REFUSALS_H
#define POLICIES_MLF_REFUSALS_H

#include "sim/engine/task.h"

typedef struct NoRoom {
    int n;
    Milli gpu;
    TaskNeed need;
    double rate; /* bytes per second with its peers; of a gang 0 */
    bool final;
} NoRoom;

enum { MOST_REFUSALS = 256, BAR_KINDS = 8, BAR_SIZES = 64 };

typedef struct Bar {
    Milli least;   /* refused from here on */
    int n_read;    /* refusals it takes into account */
    int n_strikes; /* smallest demands of those that are not final, in rising order */
    Milli *strike; /* [strikes] */
} Bar;

typedef struct Refusals {
    int strikes;     /* 0: only what is certain counts */
    NoRoom *refusal; /* [n], room for MOST_REFUSALS */
    int n;
    Bar (*bar)[BAR_SIZES + 1]; /* [BAR_KINDS], by tasks of a gang; NULL: none are kept */
} Refusals;

void refusals_open(Refusals *refusals, Arena *arena, int strikes, bool bars);
void refusals_forget(Refusals *refusals);
void refusals_note(Refusals *refusals, NoRoom refusal);

bool refusals_cover(const Refusals *refusals, const NoRoom *asks);
/* The same for a gang of n tasks of kind `kind`, which need `need`. */
bool refusals_cover_gang(Refusals *refusals, int n, Milli least_gpu, int kind, const TaskNeed *need);

#endif
