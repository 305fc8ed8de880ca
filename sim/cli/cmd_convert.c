/* sim/cli/cmd_convert.c -- `mlfs-sim convert`: any readable trace to the native CSV, with a manifest beside it. */
#include <string.h>

#include "sim/base/json.h"
#include "sim/cli/commands.h"
#include "sim/cli/tracein.h"
#include "traces/csvout.h"
#include "traces/manifest.h"

static const Option options[] = {
    SELECTING_OPTIONS,
    {"out", 'o', "FILE", "standard output", "where the CSV goes; FILE.manifest.json beside it says how it was made",
     false},
    {0},
};

enum { N_STEPS = 5 };

/* Adds one option's part of the selection. */
static void add_part(Selection *sum, const Selection *all, const char *option)
{
    if (strcmp(option, "window") == 0) {
        sum->window_from = all->window_from;
        sum->window_to = all->window_to;
    } else if (strcmp(option, "jobs") == 0) {
        sum->first = all->first;
        sum->last = all->last;
    } else if (strcmp(option, "sample") == 0) {
        sum->sample = all->sample;
    } else if (strcmp(option, "load") == 0) {
        sum->load = all->load;
    } else {
        sum->arrival_scale = all->arrival_scale;
    }
}

/* One option more each time, in the order in which select_jobs applies them: the manifest can tell what each of them
 * did, and the last selection is the whole one. */
static bool select_stepwise(const Invocation *inv, const TraceIn *in, ManifestFilter filter[N_STEPS], int *n_filters,
                            Workload *chosen, Err *err)
{
    static const char *const step[N_STEPS] = {"window", "jobs", "sample", "load", "arrival-scale"};
    Selection sum = SELECT_ALL;
    *chosen = in->whole;
    for (int i = 0; i < N_STEPS; i++) {
        const char *value = invocation_value(inv, step[i]);
        int before = chosen->n;
        if (!value) continue;
        add_part(&sum, &in->selecting.selection, step[i]);
        if (!select_jobs(&in->whole, &sum, in->seed, inv->arena, chosen, err)) return false;
        filter[(*n_filters)++] = (ManifestFilter){step[i], value, before, chosen->n};
    }
    return true;
}

/* The keys of reading, all of them: a default that changes one day must not change what an old manifest says. */
static cJSON *echo(const Invocation *inv, const TraceIn *in)
{
    cJSON *tree = json_object();
    json_set_text(tree, "format", invocation_value(inv, "format"));
    for (int i = 0; i < in->params.n; i++) {
        const ParamValue *value = &in->params.entry[i];
        if (strcmp(value->group, "trace") == 0)
            json_set_text(tree, arena_format(inv->arena, "trace.%s", value->param->name), value->value);
    }
    return tree;
}

static bool convert_run(const Invocation *inv, Err *err)
{
    TraceIn in;
    Workload chosen;
    ManifestFilter filter[N_STEPS];
    int n_filters = 0;
    const char *path = invocation_has(inv, "out") ? invocation_value(inv, "out") : "-";
    if (!trace_in_read(inv, &in, err) || !select_stepwise(inv, &in, filter, &n_filters, &chosen, err)) return false;
    Out *out = out_open(inv->arena, path, err);
    if (!out) return false;
    workload_write_csv(out, &chosen);
    cJSON *options_tree = echo(inv, &in);
    Manifest manifest = {.command = "convert",
                         .seed = in.seed,
                         .options = options_tree,
                         .read = &in.whole,
                         .filter = filter,
                         .n_filters = n_filters,
                         .written = &chosen};
    bool good = manifest_close(out, path, &manifest, inv->arena, err);
    cJSON_Delete(options_tree);
    return good;
}

const Command command_convert = {
    .name = "convert",
    .operands = "TRACE",
    .least = 1,
    .most = 1,
    .summary = "any readable trace to the native CSV, with a manifest beside it",
    .details = "Dates become seconds since 1970-01-01 UTC; every number reads back as it was.",
    .options = options,
    .example = "mlfs-sim convert traces/samples/philly-2k.csv --jobs 0:100",
    .run = convert_run,
};
