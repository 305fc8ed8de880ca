/* sim/cli/cmd_list.c -- `mlfs-sim list`: what can be named on the command line. */
#include <stdio.h>
#include <string.h>

#include "policies/policies.h"
#include "rl/shipped.h"
#include "sim/cli/commands.h"
#include "sim/cli/help.h"
#include "sim/cli/settings.h"
#include "traces/reader.h"

enum { SUMMARY_COLUMN = 16, PARAM_COLUMN = 32, METRIC_COLUMN = 22 };

typedef struct Listing {
    Out *out;
    Arena *arena;
    const Params *params; /* in force, so that `list params --preset NAME` shows what NAME sets */
    const char *only;     /* the second operand, or NULL */
    Err *err;
} Listing;

typedef struct Topic {
    const char *name;
    bool (*put)(const Listing *list);
} Topic;

static void put_entry(Out *out, int column, const char *name, const char *summary)
{
    out_text(out, name);
    int used = (int)strlen(name);
    if (used > column - 2) {
        out_char(out, '\n');
        used = 0;
    }
    help_wrapped(out, used, column, summary);
}

/* Whether it comes with its net; `mlfs` chooses by that of mlf-rl. */
static bool is_shipped(const char *policy)
{
    return shipped_find(strcmp(policy, "mlfs") == 0 ? "mlf-rl" : policy) != NULL;
}

static bool put_policies(const Listing *list)
{
    for (const Policy *const *p = policy_list; *p; p++) {
        const char *summary = (*p)->summary;
        for (const PolicyAlias *a = policy_aliases; a->name; a++)
            if (a->policy == *p) summary = arena_format(list->arena, "%s; also called %s", summary, a->name);
        if (((*p)->needs & NEEDS_MODEL_FILE) && !is_shipped((*p)->name))
            summary = arena_format(list->arena, "%s; needs a model file", summary);
        if ((*p)->needs & NEEDS_STARTS) summary = arena_format(list->arena, "%s; needs a trace with starts", summary);
        put_entry(list->out, SUMMARY_COLUMN, (*p)->name, summary);
    }
    return true;
}

static bool put_formats(const Listing *list)
{
    for (const TraceReader *const *r = trace_readers; *r; r++)
        put_entry(list->out, SUMMARY_COLUMN, (*r)->name, (*r)->summary);
    return true;
}

static bool put_presets(const Listing *list)
{
    for (const Preset *p = preset_list; p->name; p++) {
        put_entry(list->out, SUMMARY_COLUMN, p->name, p->summary);
        for (const PresetKey *k = p->keys; k->key; k++)
            out_format(list->out, "%*s%s=%s\n", SUMMARY_COLUMN, "", k->key, k->value);
    }
    return true;
}

static void put_param(Out *out, const ParamValue *value, Arena *arena)
{
    const Param *p = value->param;
    const char *name = arena_format(arena, "%s.%s=%s", value->group, p->name, *value->value ? value->value : "\"\"");
    const char *range = "", *changed = "";
    if (p->kind == PARAM_CHOICE)
        range = arena_format(arena, " [%s]", p->choices);
    else if (p->kind != PARAM_TEXT)
        range = arena_format(arena, " [%g to %g]", p->low, p->high);
    if (strcmp(p->value, value->value) != 0)
        changed = arena_format(arena, " (by default %s)", *p->value ? p->value : "empty");
    put_entry(out, PARAM_COLUMN, name, arena_format(arena, "%s%s%s", p->help, range, changed));
}

/* `only` is a group ("srtf"), a policy's name ("tiresias-g") or a key ("run.tick"); NULL: all. */
static bool is_wanted(const ParamValue *value, const char *only, const char *group, Arena *arena)
{
    return !only || strcmp(value->group, group) == 0 ||
           strcmp(arena_format(arena, "%s.%s", value->group, value->param->name), only) == 0;
}

static bool tell_unknown_param(const char *name, const Params *params, Err *err)
{
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = name};
    for (const Policy *const *p = policy_list; *p; p++) near_miss_try(&miss, (*p)->name);
    for (int i = 0; i < params->n; i++) near_miss_try(&miss, params->entry[i].group);
    return err_set(err, ERR_USAGE, "no policy, group or key is called '%s'%s; `mlfs-sim list params` shows all", name,
                   near_miss_hint(&miss, hint));
}

static bool put_params(const Listing *list)
{
    const char *only = list->only, *last = NULL;
    const Policy *policy = only ? policy_find(only) : NULL;
    const char *group = policy ? policy_group(policy, list->arena) : only;
    for (int i = 0; i < list->params->n; i++) {
        const ParamValue *value = &list->params->entry[i];
        if (!is_wanted(value, only, group, list->arena)) continue;
        if (last && strcmp(last, value->group) != 0) out_char(list->out, '\n');
        last = value->group;
        put_param(list->out, value, list->arena);
    }
    if (last) return true;
    if (!policy) return tell_unknown_param(only, list->params, list->err);
    out_format(list->out, "%s has no parameters\n", only);
    return true;
}

typedef struct Metric {
    const char *name, *help;
} Metric;

/* In the order of summary.json. */
static const Metric metrics[] = {
    {"jobs", "how many were read, skipped by reason, submitted, completed, stopped_early, running, queued, "
             "unschedulable, not_arrived, measured"},
    {"jct_s", "job completion time, end - submit, over completed jobs; n, mean, p50, p90, p95, p99, p999, max, as all "
              "distributions"},
    {"wait_s", "time in the system with none of the job's tasks running, up to the end of the run"},
    {"wait_first_s", "first start - submit"},
    {"slowdown", "jct / running time; jobs of zero seconds are left out"},
    {"time_to_accuracy_s", "from submission until the required accuracy is reached"},
    {"jct_below_100min", "share of completed jobs with jct_s <= 6000"},
    {"makespan_s", "last end - first submit"},
    {"deadline_met", "share of jobs with a deadline that ended by then"},
    {"accuracy_mean", "mean accuracy at min(end, deadline), 0 for a job that never ran"},
    {"accuracy_met", "share of jobs with a requirement whose accuracy reached it"},
    {"bandwidth_bytes", "bytes between different servers, training and migration, each transfer once"},
    {"migration_bytes", "the part of them that moved jobs"},
    {"gpu_allocation", "GPU time held / (GPUs x span from first submit to last end)"},
    {"gpu_utilisation", "the same with the demand actually used"},
    {"offered_load", "GPU time asked for / (GPUs x span from first to last submit)"},
    {"finish_time_fairness", "jct / jct on an isolated 1/N share: max, mean, share of unfair ones"},
    {"preemptions", "how often a running job was put back to waiting"},
    {"migrations", "how often a running job was moved"},
    {"overloads", "how often a server's load rose above its threshold"},
    {"refusals", "requests of the policy that the engine did not grant"},
    {"gpu_seconds", "GPU time held: useful, spent on restarts, held idle"},
    {"percentile_rule", "how percentiles between two values are found"},
    {"oracle", "whether the policy was told true running times"},
    {"backlog_gpu_s", "GPU time of the work not yet done at the last arrival"},
    {"span_s", "the time that gpu_allocation refers to"},
    {"deadline_met_urgent", "deadline_met of the jobs whose urgency is above 8"},
    {"failures", "times a job lost its GPUs to a failure"},
    {"by_gpus", "mean jct and wait for jobs of 1, 2-4, 5-8 and more GPUs"},
    {"complete", "false: the run was interrupted"},
    {0},
};

static bool put_metrics(const Listing *list)
{
    for (const Metric *m = metrics; m->name; m++) put_entry(list->out, METRIC_COLUMN, m->name, m->help);
    return true;
}

static const Topic topics[] = {
    {"policies", put_policies}, {"params", put_params},   {"formats", put_formats},
    {"presets", put_presets},   {"metrics", put_metrics}, {0},
};

static const Topic *find_topic(const char *name, Err *err)
{
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = name};
    for (const Topic *t = topics; t->name; t++) {
        if (strcmp(t->name, name) == 0) return t;
        near_miss_try(&miss, t->name);
    }
    err_set(err, ERR_USAGE, "there is no list of '%s'%s; there are policies, params [NAME], formats, presets, metrics",
            name, near_miss_hint(&miss, hint));
    return NULL;
}

static bool list_run(const Invocation *inv, Err *err)
{
    const Topic *topic = find_topic(inv->n_operands ? inv->operand[0] : "policies", err);
    if (!topic) return false;
    const char *only = inv->n_operands > 1 ? inv->operand[1] : NULL;
    if (only && topic->put != put_params)
        return err_set(err, ERR_USAGE, "unexpected '%s': only `list params` takes a name", only);
    Params params = settings_known(inv->arena);
    if (!settings_apply(inv, &params, err)) return false;

    Listing list = {out_open(inv->arena, "-", err), inv->arena, &params, only, err};
    if (!list.out) return false;
    if (!topic->put(&list)) {
        out_abandon(list.out);
        return false;
    }
    return out_close(list.out, err);
}

const Command command_list_names = {
    .name = "list",
    .operands = "[policies|params [NAME]|formats|presets|metrics]",
    .most = 2,
    .summary = "what can be named: policies, parameters, trace formats, presets, metrics",
    .details = "Without an operand it lists the policies.  `list params NAME` shows one policy, group or key, "
               "with the values that hold under the given --preset, --config and --set.",
    .example = "mlfs-sim list params srtf",
    .run = list_run,
};
