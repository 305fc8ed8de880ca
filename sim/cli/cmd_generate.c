/* sim/cli/cmd_generate.c -- `mlfs-sim generate`: a synthetic trace, and its manifest beside it. */
#include <string.h>

#include "sim/base/json.h"
#include "sim/cli/commands.h"
#include "sim/cli/settings.h"
#include "traces/csvout.h"
#include "traces/generate.h"
#include "traces/manifest.h"
#include "traces/phillyout.h"

static const Option options[] = {
    {"jobs", 0, "N", "10000", "how many jobs", false},
    {"as", 0, "csv|philly", "csv", "native CSV, or JSON in the schema of Philly's cluster_job_log", false},
    {"arrivals", 0, "LAW", "philly",
     "philly (the log's days, hours and bursts), philly:X (X times as dense), poisson:RATE or det:RATE (jobs a second)",
     false},
    {"sizes", 0, "LAW", "philly",
     "running times: philly (by GPUs and outcome as in the log, with status and VC), exp:MEAN, det:X, "
     "lognormal:MEDIAN,MEAN or pareto:SHAPE,SMALLEST (seconds)",
     false},
    {"gpus", 0, "philly|N", "philly with philly sizes, else 1", "GPUs of a job: as in the log, or N for every job",
     false},
    {"out", 'o', "FILE", "standard output", "where the trace goes; FILE.manifest.json beside it says how it was made",
     false},
    {0},
};

typedef struct Request {
    GenerateOptions trace;
    bool as_philly;
    const char *path;
} Request;

static const char *value_or(const Invocation *inv, const char *name, const char *normal)
{
    const char *value = invocation_value(inv, name);
    return value ? value : normal;
}

/* Says which option a wrong value was given to. */
static bool tell_option(const char *name, const Err *wrong, Err *err)
{
    return err_set(err, wrong->kind, "--%s %s", name, wrong->text);
}

static bool read_laws(const Invocation *inv, GenerateOptions *trace, Err *err)
{
    Err wrong = {0};
    if (!arrivals_parse(value_or(inv, "arrivals", "philly"), &trace->arrivals, &wrong))
        return tell_option("arrivals", &wrong, err);
    if (!sizes_parse(value_or(inv, "sizes", "philly"), &trace->sizes, &wrong)) return tell_option("sizes", &wrong, err);
    if (!gpus_parse(invocation_value(inv, "gpus"), &trace->sizes, &trace->gpus, &wrong))
        return tell_option("gpus", &wrong, err);
    return true;
}

static bool read_request(const Invocation *inv, Request *request, Err *err)
{
    int64_t jobs = 10000, seed = 1;
    const char *as = value_or(inv, "as", "csv");
    if (!invocation_integer(inv, "jobs", 1, MOST_JOBS, &jobs, err)) return false;
    if (!invocation_integer(inv, "seed", 0, MAX_SEED, &seed, err)) return false;
    if (strcmp(as, "csv") != 0 && strcmp(as, "philly") != 0)
        return err_set(err, ERR_USAGE, "--as %s: expected csv or philly", as);
    request->as_philly = strcmp(as, "philly") == 0;
    request->path = value_or(inv, "out", "-");
    request->trace.jobs = (int)jobs;
    request->trace.seed = (uint64_t)seed;
    if (!read_laws(inv, &request->trace, err)) return false;
    if (request->as_philly &&
        (request->trace.arrivals.law != ARRIVALS_PHILLY || request->trace.sizes.law != SIZES_PHILLY))
        return err_set(err, ERR_USAGE,
                       "--as philly goes with philly arrivals and sizes only: the log has dates in whole "
                       "seconds, statuses and virtual clusters; use --as csv");
    return true;
}

static cJSON *echo(const Invocation *inv, const Request *request, Arena *arena)
{
    cJSON *tree = json_object();
    json_set_int(tree, "jobs", request->trace.jobs);
    json_set_text(tree, "as", request->as_philly ? "philly" : "csv");
    json_set_text(tree, "arrivals", value_or(inv, "arrivals", "philly"));
    json_set_text(tree, "sizes", value_or(inv, "sizes", "philly"));
    json_set_text(tree, "gpus",
                  request->trace.gpus == GPUS_PHILLY ? "philly" : arena_format(arena, "%d", request->trace.gpus));
    return tree;
}

static bool generate_run(const Invocation *inv, Err *err)
{
    Request request = {0};
    Workload workload;
    Params params = settings_known(inv->arena); /* none of them matters here, but a mistyped key is told all the same */
    if (!settings_apply(inv, &params, err) || !read_request(inv, &request, err) ||
        !generate_workload(&request.trace, inv->arena, &workload, err))
        return false;
    Out *out = out_open(inv->arena, request.path, err);
    if (!out) return false;
    if (request.as_philly)
        philly_write(out, &workload, request.trace.seed);
    else
        workload_write_csv(out, &workload);
    cJSON *options_tree = echo(inv, &request, inv->arena);
    Manifest manifest = {
        .command = "generate", .seed = request.trace.seed, .options = options_tree, .written = &workload};
    bool good = manifest_close(out, request.path, &manifest, inv->arena, err);
    cJSON_Delete(options_tree);
    return good;
}

const Command command_generate = {
    .name = "generate",
    .operands = "",
    .summary = "write a synthetic trace, like Philly's unless told otherwise",
    .details = "The same seed gives the same bytes, and a longer trace begins like a shorter one.  With Poisson "
               "arrivals and exponential sizes it is the input of queueing theory.",
    .options = options,
    .example = "mlfs-sim generate --jobs 1000 --seed 7",
    .run = generate_run,
};
