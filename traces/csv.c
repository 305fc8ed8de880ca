/* traces/csv.c -- the native format and its relatives: what a column may be called.
 *
 * The relatives are the tables that Tiresias, Muri, ElasticFlow, Chronus and others exchange.  Their `iterations` says
 * how long a job ran there, not how many epochs it has, and `interval` repeats the submit times: both are left alone.
 */
#include <string.h>

#include "traces/csvtrace.h"
#include "traces/formats.h"

static const ColumnName names[] = {
    {"job_id", COLUMN_ID},
    {"jobid", COLUMN_ID},
    {"id", COLUMN_ID},
    {"submit_s", COLUMN_SUBMIT},
    {"submit_time", COLUMN_SUBMIT},
    {"submitted_time", COLUMN_SUBMIT},
    {"submission_time", COLUMN_SUBMIT},
    {"arrival_time", COLUMN_SUBMIT},
    {"arrival_s", COLUMN_SUBMIT},
    {"n_gpus", COLUMN_GPUS},
    {"num_gpus", COLUMN_GPUS},
    {"num_gpu", COLUMN_GPUS},
    {"gpu_num", COLUMN_GPUS},
    {"gpus", COLUMN_GPUS},
    {"duration_s", COLUMN_DURATION},
    {"duration", COLUMN_DURATION},
    {"run_time", COLUMN_DURATION},
    {"runtime", COLUMN_DURATION},
    {"start_time", COLUMN_START},
    {"start_s", COLUMN_START},
    {"end_time", COLUMN_END},
    {"end_s", COLUMN_END},
    {"user", COLUMN_USER},
    {"vc", COLUMN_VC},
    {"virtual_cluster", COLUMN_VC},
    {"status", COLUMN_STATUS},
    {"state", COLUMN_STATUS},
    {"model", COLUMN_MODEL},
    {"model_name", COLUMN_MODEL},
    {"deadline_s", COLUMN_DEADLINE},
    {"deadline", COLUMN_DEADLINE},
    {"dl", COLUMN_DEADLINE},
    {"urgency", COLUMN_URGENCY},
    {"epochs", COLUMN_EPOCHS},
    {"accuracy_required", COLUMN_ACCURACY},
    {"stop_option", COLUMN_STOP},
    {"replicas", COLUMN_REPLICAS},
    {"partitions", COLUMN_PARTITIONS},
    {"iterations", COLUMN_UNUSED},
    {"interval", COLUMN_UNUSED},
    {0},
};

/* Any first line of text will do: what it lacks is then told by name. */
static bool recognises(const char *head, size_t length)
{
    const char *newline = memchr(head, '\n', length);
    size_t n = newline ? (size_t)(newline - head) : length;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)head[i] < 0x20 && head[i] != '\t' && head[i] != '\r') return false;
    return true;
}

static bool read_csv(Source *source, TraceSink *sink, Err *err)
{
    return csv_read_jobs(source, names, sink, err);
}

const TraceReader reader_csv = {
    .name = "csv",
    .summary = "header line and one job a line; native and Tiresias-style column names",
    .recognises = recognises,
    .read = read_csv,
};
