/* policies/placebook.h -- what GPUs carry, to try placements on: for place.share.
 *
 * A GPU has room for a task if it is empty, or if the demands there and the task's add up to at most place.share; GPU
 * and host memory must fit too.  A gang's tasks go on different GPUs, and on empty ones alone if place.mode finds
 * enough of them; only who would have to wait shares.  place.mode chooses among the GPUs with room as it does among
 * free ones without sharing; where it goes by lowest index, the least loaded comes first.
 */
#ifndef POLICIES_PLACEBOOK_H
#define POLICIES_PLACEBOOK_H

#include "policies/place.h"

typedef struct BookGpu {
    Milli load;
    int32_t memory_mib;
    int32_t n_tasks; /* -1: broken */
    int32_t n_new;   /* of them, planned ones */
} BookGpu;

typedef struct PlaceBook {
    Sched *sched;
    PlaceMode mode;
    BookGpu *gpu;        /* [n_gpus of the cluster] */
    int32_t *memory_mib; /* [n_servers]: taken */
    int32_t *n_new;      /* [n_servers]: planned tasks */
    int32_t *n_at;       /* [n_levels]: GPUs whose load is at most so many steps, and more than one less */
    int n_levels;
} PlaceBook;

PlaceBook *book_open(Sched *s, PlaceMode mode);               /* as things are; in scratch memory */
PlaceBook *book_empty(Sched *s, PlaceMode mode);              /* nobody is there */
PlaceBook *book_most(const PlaceBook *a, const PlaceBook *b); /* of two books the larger load everywhere */

/* GPUs with room for the job, as place_by gives them; NULL: there are none. */
const GpuId *book_find(const PlaceBook *book, const Placer *placer, const Job *job);

/* Adds (by = 1) or takes away (-1) a job on these GPUs, [n_tasks]. */
void book_add(PlaceBook *book, const Job *job, const GpuId gpus[], int by, bool planned);

/* The same for a running job, where it is. */
void book_add_running(PlaceBook *book, const Job *job, int by);

void book_close(PlaceBook *book, GpuId gpu); /* from now on nobody has room there */

/* Whether a running job can stay: nobody planned is in its way. */
bool book_can_stay(const PlaceBook *book, const Job *job);

#endif
