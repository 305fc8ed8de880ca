/* tests/drawn.h -- worlds drawn at random: jobs, and settings among given choices. */
#ifndef TESTS_DRAWN_H
#define TESTS_DRAWN_H

#include "tests/scripted.h"

/* Twenty to fifty jobs of 1 to 8 GPUs, from a stream of that name. */
static inline void draw_jobs(World *w, uint64_t seed, const char *stream)
{
    char jobs[4000] = "";
    size_t used = 0;
    Rng rng;
    rng_open(&rng, seed, stream, 0);
    int submit = 0, n = 20 + (int)rng_below(&rng, 30);
    for (int i = 0; i < n; i++) {
        submit += (int)rng_below(&rng, 200);
        used += (size_t)snprintf(jobs + used, sizeof jobs - used, "%sj%d,%d,%d,%d", i ? " / " : "", i, submit,
                                 1 << rng_below(&rng, 4), (int)rng_below(&rng, 2400));
    }
    world_jobs(w, jobs);
}

/* One of four clusters. */
static inline void open_drawn(World *w, uint64_t seed, Rng *rng)
{
    static const char *const clusters[] = {"2x4", "4x2", "1x8", "p3"};
    world_open(w, clusters[rng_below(rng, 4)]);
    w->seed = seed;
}

static inline void set_drawn(World *w, Rng *rng, const char *key, const char *choices[], int n)
{
    world_set(w, arena_format(&w->arena, "%s=%s", key, choices[rng_below(rng, n)]));
}
/* In a function with a World *w and an Rng rng. */
#define SET_DRAWN(key, ...)                                                                                            \
    set_drawn(w, &rng, key, (const char *[]){__VA_ARGS__},                                                             \
              (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

#endif
