/* sim/cli/settings.c -- gathering the groups and setting their keys. */
#include "sim/cli/settings.h"

#include <string.h>

#include "policies/optstop.h"
#include "policies/place.h"
#include "policies/policies.h"
#include "sim/engine/sim.h"
#include "sim/model/jobmodel.h"
#include "sim/report/report.h"
#include "traces/reader.h"
#include "traces/reshape.h"

static const Param cluster_params[] = {
    TEXT_PARAM("vc", "", "file of virtual clusters, lines `vc,servers`; empty: one queue for all"),
    {0},
};

Params settings_known(Arena *arena)
{
    Params params = {.arena = arena};
    params_add(&params, "trace", trace_params);
    params_add(&params, "cluster", cluster_params);
    params_add(&params, "workload", workload_params);
    params_add(&params, "run", run_params);
    params_add(&params, "place", place_params);
    params_add(&params, "model", model_params);
    params_add(&params, "physics", physics_params);
    params_add(&params, "cost", cost_params);
    params_add(&params, "fail", fail_params);
    params_add(&params, "out", out_params);
    params_add(&params, "optstop", optstop_params);
    for (const Policy *const *p = policy_list; *p; p++) params_add(&params, policy_group(*p, arena), (*p)->params);
    return params;
}

const Preset *settings_preset(const Invocation *inv, Err *err)
{
    const char *name = invocation_value(inv, "preset");
    if (!name) return &preset_list[0];
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = name};
    const Preset *preset = preset_find(name, &miss);
    if (!preset)
        err_set(err, ERR_USAGE, "unknown preset '%s'%s; `mlfs-sim list presets` names them all", name,
                near_miss_hint(&miss, hint));
    return preset;
}

bool settings_add_plugin(Params *params, const Policy *policy, Err *err)
{
    const char *group = policy_group(policy, params->arena);
    for (int i = 0; i < params->n; i++)
        if (strcmp(params->entry[i].group, group) == 0)
            return err_set(err, ERR_USAGE, "the group of keys '%s' of policy '%s' is taken: give it another", group,
                           policy->name);
    params_add(params, group, policy->params);
    return true;
}

/* Said with the file's name in front where the key comes from one. */
static bool set(Params *params, const char *file, const char *key, const char *value, Err *err)
{
    Err own = {0};
    if (params_set(params, key, value, &own)) return true;
    return file ? err_set(err, own.kind, "%s: %s", file, own.text) : err_set(err, own.kind, "%s", own.text);
}

bool settings_apply(const Invocation *inv, Params *params, Err *err)
{
    const Preset *preset = settings_preset(inv, err);
    if (!preset) return false;
    for (const PresetKey *k = preset->keys; k->key; k++) MUST(params_set(params, k->key, k->value, err));

    for (int i = 0; i < inv->n_settings; i++) {
        const Setting *s = &inv->setting[i];
        if (!set(params, s->file, s->key, s->value, err)) return false;
    }
    for (int i = 0; i < inv->n_given; i++) { /* as typed, so that the last one counts */
        const Given *g = &inv->given[i];
        if (strcmp(g->option->name, "set") == 0 && !params_set_pair(params, g->value, err)) return false;
        if (strcmp(g->option->name, "tick") == 0 && !set(params, g->file, "run.tick", g->value, err)) return false;
        if (strcmp(g->option->name, "oracle") == 0) MUST(params_set(params, "model.estimate", "exact", err));
    }
    return true;
}
