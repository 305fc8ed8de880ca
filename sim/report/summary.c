/* sim/report/summary.c -- summary.json: one object, always the same keys in the same order. */
#include <math.h>
#include <stdio.h>

#include "sim/base/json.h"
#include "sim/report/report.h"

static void put_jobs(cJSON *json, const Metrics *m, const TraceCounts *counts)
{
    cJSON *jobs = json_set_object(json, "jobs");
    json_set_int(jobs, "read", counts->read);
    cJSON *skipped = json_set_object(jobs, "skipped");
    for (SkipReason r = 0; r < N_SKIP_REASONS; r++) json_set_int(skipped, skip_reason_name(r), counts->skipped[r]);
    json_set_int(jobs, "submitted", m->submitted);
    json_set_int(jobs, "completed", m->state[STATE_COMPLETED]);
    json_set_int(jobs, "stopped_early", m->stopped_early);
    json_set_int(jobs, "running", m->state[STATE_RUNNING]);
    json_set_int(jobs, "queued", m->state[STATE_QUEUED]);
    json_set_int(jobs, "unschedulable", m->state[STATE_UNSCHEDULABLE]);
    json_set_int(jobs, "not_arrived", m->state[STATE_NOT_ARRIVED]);
    json_set_int(jobs, "measured", m->measured);
}

static void put_distribution(cJSON *json, const char *key, const Distribution *d)
{
    cJSON *object = json_set_object(json, key);
    json_set_int(object, "n", d->n);
    json_set_double(object, "mean", d->mean);
    json_set_double(object, "p50", d->p50);
    json_set_double(object, "p90", d->p90);
    json_set_double(object, "p95", d->p95);
    json_set_double(object, "p99", d->p99);
    json_set_double(object, "p999", d->p999);
    json_set_double(object, "max", d->max);
}

/* Exact seconds of a sum that may pass 64 bits of microseconds; negative: no such value. */
static void put_wide(cJSON *json, const char *key, WideTime time)
{
    char fraction[TIME_TEXT], text[2 * TIME_TEXT];
    if (time < 0) {
        json_set_null(json, key);
        return;
    }
    time_format((SimTime)(time % TIME_SECOND), fraction); /* "0" or "0.25" */
    snprintf(text, sizeof text, "%lld%s", (long long)(time / TIME_SECOND), fraction + 1);
    json_set(json, key, cJSON_CreateRaw(text));
}

/* Negative: no such value. */
static void put_count(cJSON *json, const char *key, int64_t count)
{
    if (count < 0)
        json_set_null(json, key);
    else
        json_set_int(json, key, count);
}

static void put_sizes(cJSON *json, const Metrics *m)
{
    cJSON *sizes = json_set_array(json, "by_gpus");
    for (int c = 0; c < N_SIZE_CLASSES; c++) {
        const SizeClass *size = &m->by_size[c];
        cJSON *object = cJSON_CreateObject();
        json_set_text(object, "gpus", size->gpus);
        json_set_int(object, "measured", size->measured);
        json_set_int(object, "completed", size->completed);
        json_set_double(object, "jct_mean_s", size->jct_mean_s);
        json_set_double(object, "wait_mean_s", size->wait_mean_s);
        cJSON_AddItemToArray(sizes, object);
    }
}

bool write_summary_json(const RunReport *report, const char *path, Arena *scratch, Err *err)
{
    const Metrics *m = report->metrics;
    Out *out = out_open(scratch, path, err);
    if (!out) return false;

    cJSON *json = cJSON_CreateObject();
    put_jobs(json, m, &report->config->workload->counts);
    put_distribution(json, "jct_s", &m->jct);
    put_distribution(json, "wait_s", &m->wait);
    put_distribution(json, "wait_first_s", &m->wait_first);
    put_distribution(json, "slowdown", &m->slowdown);
    put_distribution(json, "time_to_accuracy_s", &m->accurate);
    json_set_double(json, "jct_below_100min", m->jct_below_100min);
    json_set_time(json, "makespan_s", m->makespan);
    json_set_double(json, "deadline_met", m->deadline_met);
    json_set_double(json, "accuracy_mean", m->accuracy_mean);
    json_set_double(json, "accuracy_met", m->accuracy_met);
    put_count(json, "bandwidth_bytes", m->bytes);
    put_count(json, "migration_bytes", m->move_bytes);
    json_set_double(json, "gpu_allocation", m->gpu_allocation);
    json_set_double(json, "gpu_utilisation", m->gpu_utilisation);
    json_set_double(json, "offered_load", m->offered_load);
    cJSON *fairness = json_set_object(json, "finish_time_fairness");
    json_set_double(fairness, "max", m->fairness.max);
    json_set_double(fairness, "mean", m->fairness.mean);
    json_set_double(fairness, "unfair", m->fairness.unfair);
    json_set_int(json, "preemptions", m->preemptions);
    json_set_int(json, "migrations", m->migrations);
    put_count(json, "overloads", m->overloads);
    json_set_int(json, "refusals", m->refusals);
    cJSON *seconds = json_set_object(json, "gpu_seconds");
    put_wide(seconds, "useful", m->useful);
    put_wide(seconds, "restart", m->restart);
    put_wide(seconds, "idle_held", m->idle);
    json_set_text(json, "percentile_rule", PERCENTILE_RULE);
    json_set_bool(json, "oracle", m->oracle);
    put_wide(json, "backlog_gpu_s", m->backlog);
    json_set_time(json, "span_s", m->span);
    json_set_double(json, "deadline_met_urgent", m->deadline_met_urgent);
    json_set_int(json, "failures", report->result->failures);
    put_sizes(json, m);
    json_set_bool(json, "complete", report->result->complete);

    json_write(out, json);
    cJSON_Delete(json);
    return out_close(out, err);
}
