/* tests/model.h -- nets made by hand, whose score of a candidate is a sum of a few of its features; and drawn ones. */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include "policies/mlf_model.h"
#include "rl/features.h"
#include "tests/tempfolder.h"

typedef struct Likes { /* how much a feature adds to the score, if it is not negative */
    Feature feature;
    double weight;
} Likes;

/* Writes a model for `policy`, each of n <= 32 features going through a unit of its own. */
static inline void write_model(Arena *arena, const char *path, const char *policy, const Likes likes[], int n)
{
    Err err = {0};
    Mlp net = mlp_open(arena, mlf_model_head(policy).shape, KERNEL_REFERENCE);
    double *w1 = net.parameter, *w2 = w1 + N_FEATURES * 64 + 64, *w3 = w2 + 64 * 32 + 32;
    for (int i = 0; i < n; i++) {
        w1[(int)likes[i].feature * 64 + i] = 1;
        w2[i * 32 + i] = 1;
        w3[i] = likes[i].weight;
    }
    Model model = {.head = mlf_model_head(policy), .parameter = net.parameter};
    if (!model_save(&model, arena, path, &err)) fail_msg("%s", err.text);
}

static inline void write_drawn_model(Arena *arena, const char *path, const char *policy, uint64_t seed)
{
    Err err = {0};
    Mlp net = mlp_open(arena, mlf_model_head(policy).shape, KERNEL_REFERENCE);
    mlp_draw(&net, seed);
    Model model = {.head = mlf_model_head(policy), .parameter = net.parameter};
    if (!model_save(&model, arena, path, &err)) fail_msg("%s", err.text);
}

/* Set-up of a group whose policies may be all: the folder, in which `mlf-rl` and `rl` are drawn nets. */
static inline int make_folder_with_models(void **state)
{
    static const char *const policies[] = {"mlf-rl", "rl"};
    if (make_folder(state)) return -1;
    Arena arena = {0};
    for (int i = 0; i < 2; i++)
        write_drawn_model(&arena, arena_format(&arena, "%s/%s", folder, policies[i]), policies[i], 7);
    arena_free(&arena);
    return 0;
}

#endif
