/* sim/report/runjson.c -- run.json: everything needed to say what was run, and to run it again. */
#include <stdio.h>

#include "sim/base/hash.h"
#include "sim/base/json.h"
#include "sim/base/jsontext.h"
#include "sim/base/version.h"
#include "sim/report/report.h"

void report_hash_workload(const Workload *workload, const ClusterSpec *cluster, char text[17])
{
    char jobs[17], servers[17];
    workload_hash(workload, jobs);
    cluster_spec_hash(cluster, servers);
    snprintf(text, 17, "%016llx", (unsigned long long)hash_text(hash_text(HASH_START, jobs), servers));
}

/* What stands beside a trace that was generated or converted: how it came about.  NULL: nothing readable does. */
static cJSON *manifest_of(const Workload *workload, Arena *scratch)
{
    enum { LONGEST = 1 << 20 };
    FILE *file = fopen(arena_format(scratch, "%s.manifest.json", workload->source), "rb");
    if (!file) return NULL;
    char *text = NEW_ARRAY(scratch, char, LONGEST + 1);
    size_t length = fread(text, 1, LONGEST, file);
    fclose(file);
    int64_t line = 1;
    int column = 1;
    return length < LONGEST ? json_parse(text, length, &line, &column) : NULL;
}

static void put_trace(cJSON *json, const Workload *workload, Arena *scratch)
{
    const TraceCounts *counts = &workload->counts;
    cJSON *trace = json_set_object(json, "trace");
    json_set_text(trace, "path", workload->source);
    json_set_text(trace, "format", workload->format);
    json_set_text(trace, "sha256", workload->sha256);
    json_set_bool(trace, "calendar", workload->calendar);
    json_set_int(trace, "read", counts->read);
    json_set_int(trace, "usable", counts->usable);
    cJSON *skipped = json_set_object(trace, "skipped");
    for (SkipReason r = 0; r < N_SKIP_REASONS; r++) json_set_int(skipped, skip_reason_name(r), counts->skipped[r]);
    json_set_int(trace, "partial", counts->partial);
    json_set_int(trace, "out_of_order", counts->out_of_order);
    cJSON *manifest = manifest_of(workload, scratch);
    json_set(trace, "manifest", manifest ? manifest : cJSON_CreateNull());
}

static void put_cluster(cJSON *json, const ClusterSpec *cluster)
{
    cJSON *object = json_set_object(json, "cluster");
    json_set_text(object, "name", cluster->name);
    json_set_int(object, "servers", cluster->n_servers);
    json_set_int(object, "gpus", cluster->n_gpus);
    json_set_int(object, "virtual_clusters", cluster->n_vcs);
}

static void put_selection(cJSON *json, const RunReport *report)
{
    const Selection *s = report->selection;
    const Workload *workload = report->config->workload;
    int last = report->measure.last < workload->n ? report->measure.last : workload->n;
    cJSON *selection = json_set_object(json, "selection");
    json_set_time(selection, "window_from_s", s->window_from);
    json_set_time(selection, "window_to_s", s->window_to);
    json_set_int(selection, "first", s->first);
    if (s->last == INT64_MAX)
        json_set_null(selection, "last");
    else
        json_set_int(selection, "last", s->last);
    if (s->sample)
        json_set_int(selection, "sample", s->sample);
    else
        json_set_null(selection, "sample");
    json_set_double(selection, "load", workload->load);
    json_set_double(selection, "arrival_scale", workload->arrival_scale);
    json_set_int(selection, "jobs", workload->n);
    json_set_int(selection, "measure_first", report->measure.first);
    json_set_int(selection, "measure_last", last);
}

static void put_options(cJSON *json, const RunReport *report)
{
    cJSON *options = json_set_object(json, "options");
    for (int i = 0; i < report->n_options; i++) {
        const RunOption *o = &report->option[i];
        if (o->value)
            json_set_text(options, o->name, o->value);
        else
            json_set_bool(options, o->name, true);
    }
    const Params *params = report->config->params;
    cJSON *parameters = json_set_object(json, "parameters");
    for (int i = 0; i < params->n; i++) {
        char key[128];
        snprintf(key, sizeof key, "%s.%s", params->entry[i].group, params->entry[i].param->name);
        json_set_text(parameters, key, params->entry[i].value);
    }
}

bool write_run_json(const RunReport *report, const char *path, Arena *scratch, Err *err)
{
    const SimConfig *config = report->config;
    Out *out = out_open(scratch, path, err);
    if (!out) return false;

    cJSON *json = cJSON_CreateObject();
    json_set_text(json, "program", "mlfs-sim");
    json_set_text(json, "version", version_text());
    cJSON *command = json_set_array(json, "command");
    for (int i = 0; i < report->n_command; i++) cJSON_AddItemToArray(command, json_text(report->command[i]));
    json_set_text(json, "policy", report->policy);
    json_set(json, "seed", cJSON_CreateRaw(arena_format(scratch, "%llu", (unsigned long long)config->seed)));
    json_set_text(json, "random_generator", RNG_NAME);
    json_set_bool(json, "complete", report->result->complete);
    json_set_bool(json, "oracle", report->result->oracle);
    MUST(report->workload_hash);
    json_set_text(json, "workload_hash", report->workload_hash);
    put_trace(json, config->workload, scratch);
    put_cluster(json, config->cluster);
    put_selection(json, report);
    json_set_time(json, "horizon_s", config->horizon);
    put_options(json, report);

    json_write(out, json);
    cJSON_Delete(json);
    return out_close(out, err);
}
