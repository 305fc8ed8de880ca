/* policies/mlf_slots.h -- at most how many more tasks of a kind could find room, so that a hopeless gang is not tried.
 *
 * A kind is what a task needs of cores and memory, the same for all tasks of a family; for each of them and for steps
 * of GPU demand the number of tasks that still fit on a server if none asked for more: GPU by GPU up to h_r and its
 * memory, an empty one for one task whatever it asks, and beyond the empty ones no more than there are cores; on a
 * server without tasks by memory only.  Network is left out: the sum is never less than what place_try would find for a
 * gang of which nothing is placed.  Kept per server; one whose loads changed is counted again.
 */
#ifndef POLICIES_MLF_SLOTS_H
#define POLICIES_MLF_SLOTS_H

#include "policies/mlf_hosts.h"

enum { SLOT_KINDS = 8, SLOT_SIZES = 16 };

typedef struct SlotCounts {
    int32_t n[SLOT_KINDS][SLOT_SIZES];
} SlotCounts;

typedef struct Slots {
    Hosts *hosts;
    bool recount; /* there is a new kind */
    TaskNeed kind[SLOT_KINDS];
    int n_kinds;
    SlotCounts *host; /* [hosts] */
    int64_t total[SLOT_KINDS][SLOT_SIZES];
} Slots;

void slots_open(Slots *slots, Hosts *hosts, Arena *arena);
void slots_refresh(Slots *slots); /* to the hosts as they are */

/* The kind of a task; -1: one too many, of which nothing is known.  A new one is counted at the next slots_refresh. */
int slots_kind(Slots *slots, const TaskNeed *need);

/* For tasks of a kind that ask for at least this much of a GPU. */
int64_t slots_for(const Slots *slots, int kind, Milli least_gpu);

/* Whether hosts that have not changed since slots_refresh have that many, so that there is no need to count again. */
bool slots_surely(const Slots *slots, int kind, Milli least_gpu, int n);

#endif
