/* traces/helios.c -- Helios and Venus `cluster_log.csv` (Hu et al., SC 2021): a CSV with date stamps.
 *
 * Two forms are about: the published one with job_id, start and end, and that of the authors' simulator, whose only
 * name for a job is `jobname`.
 */
#include "traces/csvtrace.h"
#include "traces/formats.h"

static const ColumnName names[] = {
    {"job_id", COLUMN_ID},          {"jobname", COLUMN_ID_IF_NONE},
    {"user", COLUMN_USER},          {"vc", COLUMN_VC},
    {"gpu_num", COLUMN_GPUS},       {"state", COLUMN_STATUS},
    {"submit_time", COLUMN_SUBMIT}, {"start_time", COLUMN_START},
    {"end_time", COLUMN_END},       {"duration", COLUMN_DURATION},
    {"node_num", COLUMN_UNUSED},    {"cpu_num", COLUMN_UNUSED},
    {"queue", COLUMN_UNUSED},       {0},
};

static bool recognises(const char *head, size_t length)
{
    return csv_head_has(head, length, "gpu_num") && csv_head_has(head, length, "submit_time") &&
           (csv_head_has(head, length, "jobname") || csv_head_has(head, length, "node_num") ||
            csv_head_has(head, length, "cpu_num"));
}

static bool read_helios(Source *source, TraceSink *sink, Err *err)
{
    return csv_read_jobs(source, names, sink, err);
}

const TraceReader reader_helios = {
    .name = "helios",
    .summary = "Helios or Venus cluster_log.csv",
    .recognises = recognises,
    .read = read_helios,
};
