/* traces/reader.h -- one file per trace format, all behind one type struct.
 *
 * A reader turns records into JobSpecs through a TraceSink, which counts, checks duplicates, sorts and builds the job
 * table, so that `read = usable + sum of skipped` holds for every format.  Rules that all readers share are in
 * docs/traces.md and product-wide keys `trace.*` in trace_params.
 */
#ifndef TRACES_READER_H
#define TRACES_READER_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/params.h"
#include "sim/base/source.h"
#include "sim/model/workload.h"

typedef struct TraceSink TraceSink; /* traces/sink.h: what a reader reports to */

typedef struct TraceReader {
    const char *name;                                    /* --format NAME */
    const char *summary;                                 /* one line for `mlfs-sim list formats` */
    bool (*recognises)(const char *head, size_t length); /* by the first bytes of the (unpacked) file, BOM left out */
    bool (*read)(Source *source, TraceSink *sink, Err *err);
} TraceReader;

extern const TraceReader *const trace_readers[]; /* ends with NULL */
extern const Param trace_params[];               /* keys trace.* */

/* Reads a trace: NULL format = told by content.  Zero usable jobs, a malformed record (unless trace.lenient=1), known
 * gaps under trace.strict=1, an unreadable file: false, err tells with file:line:column. */
bool trace_read(const char *path, const char *format, const Params *params, Arena *arena, Workload *workload, Err *err);

/* The same from an open source, wherever its bytes come from. */
bool trace_read_source(Source *source, const char *format, const Params *params, Arena *arena, Workload *workload,
                       Err *err);

#endif
