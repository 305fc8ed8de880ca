/* tests/randommlf.h -- worlds for MLF-H and what builds on it: chains set by hand, drawn jobs under drawn settings. */
#ifndef TESTS_RANDOMMLF_H
#define TESTS_RANDOMMLF_H

#include "tests/scripted.h"

enum { MOST = 64 };

/* Where each job started first. */
typedef struct Starts {
    int n[MOST];
    GpuId gpu[MOST][MOST];
    int n_moves;
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

static inline void draw_jobs(World *w, uint64_t seed)
{
    char jobs[4000] = "";
    size_t used = 0;
    Rng rng;
    rng_open(&rng, seed, "byhand_mlf", 0);
    int submit = 0, n = 20 + (int)rng_below(&rng, 30);
    for (int i = 0; i < n; i++) {
        submit += (int)rng_below(&rng, 200);
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, submit,
                                 1 << rng_below(&rng, 4), (int)rng_below(&rng, 2400));
    }
    world_jobs(w, jobs);
}

static inline void set_drawn(World *w, Rng *rng, const char *key, const char *choices[], int n)
{
    world_set(w, arena_format(&w->arena, "%s=%s", key, choices[rng_below(rng, n)]));
}
#define SET_DRAWN(key, ...)                                                                                            \
    set_drawn(w, &rng, key, (const char *[]){__VA_ARGS__},                                                             \
              (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static inline void open_random(World *w, uint64_t seed, int gang)
{
    static const char *const clusters[] = {"2x4", "4x2", "1x8", "p3"}, *const gangs[] = {"job", "replica", "task"};
    Rng rng;
    rng_open(&rng, seed, "byhand_mlf settings", (uint64_t)gang);
    world_open(w, clusters[rng_below(&rng, 4)]);
    w->seed = seed;
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
    draw_jobs(w, seed);
    models_of(w);
}

#endif
