/* tests/randommlf.h -- worlds for MLF-H and what builds on it: chains set by hand, drawn jobs under drawn settings. */
#ifndef TESTS_RANDOMMLF_H
#define TESTS_RANDOMMLF_H

#include "tests/drawn.h"
#include "tests/starts.h"

/* A world of chains: job i has so many partitions and its share of a GPU. */
static inline JobModel *open_chains(World *w, const char *cluster, const char *jobs, double thousandths)
{
    inside(w, cluster, jobs);
    JobModel *m = models_of(w);
    demand(w, thousandths);
    for (int i = 0; i < w->workload.n; i++) {
        shape(&m[i], 1, w->workload.job[i].n_gpus, TOPOLOGY_RING, 100);
        m[i].volumes = (Volumes){0};
        m[i].urgency = 1;
        m[i].deadline = 360000 * TIME_SECOND;
        m[i].stop = m[i].stop_limit = STOP_EPOCHS;
        m[i].estimate = w->workload.job[i].duration;
    }
    return m;
}

static inline void open_random(World *w, uint64_t seed, int gang)
{
    static const char *const gangs[] = {"job", "replica", "task"};
    Rng rng;
    rng_open(&rng, seed, "byhand_mlf settings", (uint64_t)gang);
    open_drawn(w, seed, &rng);
    world_set(w, arena_format(&w->arena, "model.gang=%s", gangs[gang]));
    SET_DRAWN("run.tick", "60", "60", "0", "7.5");
    SET_DRAWN("model.demand", "varying", "constant");
    SET_DRAWN("model.demand_sd", "0.05", "0.15", "0.5");
    SET_DRAWN("mlf_h.requeue", "undo", "undo", "job", "task");
    SET_DRAWN("mlf_h.child_agg", "sum", "mean", "max");
    SET_DRAWN("mlf_h.rial", "0", "1");
    SET_DRAWN("mlf_h.task_deadline", "0", "1");
    SET_DRAWN("mlf_h.wait", "spell", "total");
    SET_DRAWN("mlf_h.remaining", "epochs", "paper");
    SET_DRAWN("mlf_h.bandwidth", "0", "1", "1");
    SET_DRAWN("mlf_h.reserve_h", "0", "0", "0.5");
    SET_DRAWN("mlf_h.p_s", "0.1", "1");
    SET_DRAWN("mlf_h.h_r", "0.9", "0.9", "0.5", "2");
    SET_DRAWN("mlf_c.optstop", "curve", "best");
    draw_jobs(w, seed, "byhand_mlf");
    models_of(w);
}

#endif
