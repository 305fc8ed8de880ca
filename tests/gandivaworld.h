/* tests/gandivaworld.h -- worlds in which Gandiva is worked out on paper.
 *
 * Decisions each minute; a switch costs half a second; jobs are AlexNets of one epoch unless told otherwise.
 */
#ifndef TESTS_GANDIVAWORLD_H
#define TESTS_GANDIVAWORLD_H

#include "tests/scripted.h"

/* Jobs of one replica that exchange nothing, their tasks of so many thousandths of a GPU; `keys` are set. */
static inline void open_world(World *w, const char *cluster, const char *jobs, double thousandths, const char *keys)
{
    inside(w, cluster, jobs);
    world_set(w, "physics.overlap_ring=1");
    for (const char *key = keys; key && *key; key += strcspn(key, " "), key += strspn(key, " "))
        world_set(w, arena_copy_text(&w->arena, key, strcspn(key, " ")));
    JobModel *m = models_of(w);
    for (int i = 0; i < w->workload.n; i++) {
        shape(&m[i], 1, w->workload.job[i].n_gpus, TOPOLOGY_RING, 10);
        m[i].volumes = (Volumes){0};
        m[i].estimate = w->workload.job[i].duration;
    }
    demand(w, thousandths);
}

static inline JobModel *models(const World *w)
{
    return (JobModel *)(uintptr_t)w->models->job;
}

static inline void expect_end(const World *w, int job, double seconds)
{
    if (fabs(ended(w, job) - seconds) > 2e-5)
        fail_msg("job %d ends at %.6f instead of %.6f", job, ended(w, job), seconds);
}

#endif
