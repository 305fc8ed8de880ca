/* sim/report/overhead.c -- overhead.json: wall-clock figures, the only ones that differ between equal runs. */
#include <math.h>
#include <sys/resource.h>

#include "sim/base/json.h"
#include "sim/report/report.h"

enum { FEWEST = 500, MOST = 2000 }; /* tasks that wait where a round with about a thousand is meant */

/* Of the rounds before which so many tasks waited. */
static void put_rounds(cJSON *json, const char *key, const SimResult *result, int least, int most, Arena *scratch)
{
    int64_t *ns = NEW_ARRAY(scratch, int64_t, result->n_round_ns + 1), n = 0;
    for (int64_t i = 0; i < result->n_round_ns; i++)
        if (result->round_waiting[i] >= least && result->round_waiting[i] <= most) ns[n++] = result->round_ns[i];
    Distribution d = distribution_of_integers(ns, n, 1000, NEW_ARRAY(scratch, int64_t, n + 1));
    cJSON *round = json_set_object(json, key);
    json_set_int(round, "n", d.n);
    json_set_double(round, "mean", d.mean);
    json_set_double(round, "p50", d.p50);
    json_set_double(round, "p99", d.p99);
    json_set_double(round, "max", d.max);
}

bool write_overhead_json(const RunReport *report, const char *path, Arena *scratch, Err *err)
{
    const SimResult *result = report->result;
    struct rusage usage;
    MUST(getrusage(RUSAGE_SELF, &usage) == 0);
    Out *out = out_open(scratch, path, err);
    if (!out) return false;

    cJSON *json = cJSON_CreateObject();
    put_rounds(json, "round_us", result, 0, INT32_MAX, scratch);
    put_rounds(json, "round_1000_us", result, FEWEST, MOST, scratch);
    json_set_int(json, "rounds", result->n_rounds);
    json_set_int(json, "events", result->n_events);
    json_set_double(json, "events_per_s",
                    report->seconds > 0 ? (double)result->n_events / report->seconds : (double)NAN);
    json_set_double(json, "seconds", report->seconds);
    json_set_int(json, "peak_memory_bytes", (int64_t)usage.ru_maxrss * 1024);
    json_set_int(json, "threads", report->threads);
    cJSON *blas = json_set_object(json, "blas");
    json_set_text(blas, "build", report->blas.build);
    json_set_text(blas, "core", report->blas.core);
    if (report->blas.build)
        json_set_int(blas, "threads", report->blas.threads);
    else
        json_set_null(blas, "threads");

    json_write(out, json);
    cJSON_Delete(json);
    return out_close(out, err);
}
