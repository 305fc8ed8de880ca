/* policies/gittins.h -- the Gittins index of a job of unknown size, from a sample of sizes seen before.
 *
 * For service a attained and a quantum D (Gittins 1979; Aalto, Ayesta and Righter 2009):
 *
 *     G(a, D) = P(S - a <= D | S > a) / E[min(S - a, D) | S > a]
 *
 * with S drawn from the sample; larger goes first.  The index proper is the supremum over D.
 */
#ifndef POLICIES_GITTINS_H
#define POLICIES_GITTINS_H

#include "sim/base/arena.h"

typedef struct Gittins {
    Arena *arena;
    double *size; /* [n] the first n_sorted in rising order, what came later behind them as it came */
    double *sum;  /* [n_sorted + 1]: sum[i] = size[0] + ... + size[i-1] */
    int n, n_sorted, capacity, sum_capacity;
} Gittins;

void gittins_add(Gittins *gittins, double size);

/* Takes what was added into account: sorts.  The indices use the sample as it was sorted last. */
void gittins_sort(Gittins *gittins);

/* Where a job stood in the sample when its index was last asked for: service only grows, so the next look starts there.
 */
typedef struct GittinsPlace {
    int first, last; /* sizes before `first` are <= attained, those before `last` <= attained + quantum */
    int n_sorted;    /* of the sample it belongs to */
} GittinsPlace;

/* The same as gittins_index where neither `attained` nor `attained + quantum` comes down; `place` starts zeroed, or
 * with n_sorted = -1 to start over. */
double gittins_index_from(const Gittins *gittins, GittinsPlace *place, double attained, double quantum);

/* G(attained, quantum); quantum may be INFINITY.  0 when no size in the sample is larger than `attained`. */
double gittins_index(const Gittins *gittins, double attained, double quantum);
double gittins_supremum(const Gittins *gittins, double attained); /* over all quanta; O(n) */

/* As the released Tiresias simulator has it: 10^6 x p/e with e from whole sizes instead of what is left of them. */
double gittins_released(const Gittins *gittins, double attained, double quantum);

#endif
