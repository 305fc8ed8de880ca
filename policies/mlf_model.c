/* policies/mlf_model.c -- looking for it, and saying what is wrong with it. */
#include "policies/mlf_model.h"

#include <string.h>

#include "rl/features.h"
#include "rl/shipped.h"

ModelHead mlf_model_head(const char *policy)
{
    ModelHead head = {.feature_version = FEATURE_VERSION, .shape = {.n_layers = 3, .width = {N_FEATURES, 64, 32, 1}}};
    strncpy(head.policy, policy, sizeof head.policy - 1);
    return head;
}

static Source *open_model(const char *policy, const char *path, Arena *arena, Err *err)
{
    if (*path) return source_open(arena, path, err);
    const ShippedModel *shipped = shipped_find(policy);
    if (shipped) return source_open_bytes(arena, "the shipped model", shipped->bytes, shipped->n, err);
    err_set(err, ERR_USAGE, "policy '%s' needs a model: `mlfs-sim train TRACE --policy %s -o MODEL` makes one", policy,
            policy);
    return NULL;
}

bool mlf_model_read(const char *policy, const char *path, Kernel kernel, Arena *arena, Mlp *net, Err *err)
{
    Model model;
    ModelHead wanted = mlf_model_head(policy);
    Source *source = open_model(policy, path, arena, err);
    if (!source) return false;
    bool good = model_read(source, &wanted, arena, &model, err);
    source_close(source);
    if (!good) return false;
    *net = mlp_open(arena, model.head.shape, kernel);
    memcpy(net->parameter, model.parameter, (size_t)net->n_parameters * sizeof *net->parameter);
    return true;
}

bool mlf_model_open(Sched *s, const char *policy, const char *group, Mlp *net)
{
    Err err = {0};
    Kernel kernel;
    const Params *params = sched_params(s);
    if (kernel_choose(params, &kernel, &err) &&
        mlf_model_read(policy, params_text(params, group, "model"), kernel, sched_memory(s), net, &err))
        return true;
    sched_fail_as(s, &err);
    return false;
}
