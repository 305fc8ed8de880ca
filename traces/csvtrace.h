/* traces/csvtrace.h -- traces that are CSV with a header line: the formats differ only in what their columns are
 * called.
 */
#ifndef TRACES_CSVTRACE_H
#define TRACES_CSVTRACE_H

#include "traces/reader.h"

typedef enum {
    COLUMN_ID,
    COLUMN_SUBMIT,
    COLUMN_GPUS,
    COLUMN_DURATION, /* needed, unless COLUMN_START and COLUMN_END are there: then duration = end - start */
    COLUMN_START,
    COLUMN_END,
    COLUMN_USER,
    COLUMN_VC,
    COLUMN_STATUS,
    COLUMN_MODEL,
    COLUMN_DEADLINE, /* relative to submission */
    COLUMN_URGENCY,
    COLUMN_EPOCHS,
    COLUMN_ACCURACY,
    COLUMN_STOP,
    COLUMN_REPLICAS,
    COLUMN_PARTITIONS,
    COLUMN_ID_IF_NONE, /* the id where there is no COLUMN_ID, else unused */
    N_COLUMNS,
    COLUMN_UNUSED = N_COLUMNS, /* known to be there, means nothing to us */
} Column;

typedef struct ColumnName {
    const char *name;
    Column column;
} ColumnName;

/* `names` ends with {0}; a name is looked up as it stands. */
bool csv_read_jobs(Source *source, const ColumnName names[], TraceSink *sink, Err *err);

/* Whether the first line has this column. */
bool csv_head_has(const char *head, size_t length, const char *column);

#endif
