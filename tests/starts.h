/* tests/starts.h -- where each job started first, for tests of placement: a watcher for World.also. */
#ifndef TESTS_STARTS_H
#define TESTS_STARTS_H

#include "tests/world.h"

enum { MOST = 64 };

typedef struct Starts {
    int n[MOST]; /* by job: GPUs it started on */
    GpuId gpu[MOST][MOST];
    int n_moves; /* of all jobs */
} Starts;

static inline void saw(void *self, const Happening *h)
{
    Starts *starts = self;
    starts->n_moves += h->kind == HAPPENS_MIGRATE;
    if (h->kind != HAPPENS_START || starts->n[h->job->id]) return;
    starts->n[h->job->id] = h->n_gpus;
    memcpy(starts->gpu[h->job->id], h->gpus, (size_t)h->n_gpus * sizeof *h->gpus);
}
static const Observer starts_observer = {.name = "starts", .on_happening = saw};

#endif
