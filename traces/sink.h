/* traces/sink.h -- what a reader reports to: one TraceRecord per record of the file, usable or not.
 *
 * The sink counts, finds duplicates, applies the filters and the keys trace.strict and trace.lenient, interns names,
 * sorts and builds the job table, so that a reader only has to say what stands in its file.
 */
#ifndef TRACES_SINK_H
#define TRACES_SINK_H

#include "sim/base/names.h"
#include "traces/reader.h"

typedef struct TextSlice {
    const char *text; /* NULL: absent; need not be NUL-terminated */
    size_t length;
} TextSlice;

#define NO_GAP N_SKIP_REASONS

typedef struct TraceRecord {
    int64_t line; /* where it begins, and where its id stands */
    int column;   /* 0: not said */
    TextSlice id, user, vc, status, model, stop_option;
    SkipReason gap; /* a known gap, so that what follows may be missing; NO_GAP */
    bool partial;   /* some of its attempts were incomplete */
    SimTime submit; /* the rest as in JobSpec, but n_gpus may be 0 */
    SimTime start;  /* recorded; TIME_NEVER: not said */
    SimTime duration;
    SimTime deadline;
    double urgency, accuracy_required;
    int32_t n_gpus, epochs, replicas, partitions;
    const SimTime *failed_at; /* [n_failed] */
    int32_t n_failed;
} TraceRecord;

/* Everything absent. */
TraceRecord trace_record_at(int64_t line, int column);

enum { SINK_NAMES = 5, SINK_COLUMNS = 16 };

typedef struct GapName { /* a record that trace.strict=1 complains about */
    const char *id;
    SkipReason gap;
} GapName;

struct TraceSink {
    const Params *params;
    const char *path;
    Arena *arena, *scratch;
    bool calendar; /* set by the reader: its times are dates */

    bool strict, lenient, passed_only;
    TraceCounts counts;
    SimTime latest; /* submission so far */
    int64_t most;   /* records: MOST_JOBS_OF_TRACE, but for tests */
    Names ids, names;
    JobSpec *job; /* [counts.usable] in file order */
    int64_t room;
    GapName gap_name[SINK_NAMES];
    int64_t n_gaps;
    TextSlice ignored[SINK_COLUMNS];
    int n_ignored;
};

TraceSink sink_open(const Params *params, const char *path, Arena *arena, Arena *scratch);

/* A record that could be read.  False: err tells, stop reading. */
bool sink_record(TraceSink *sink, const TraceRecord *record, Err *err);

/* A record that could not; the format continues "expected ..., found ...".  True: it was counted, go on with the next
 * one.  Column 0: the whole line is meant. */
bool sink_malformed(TraceSink *sink, SkipReason reason, int64_t line, int column, Err *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* A column or key that means nothing here: one notice lists them all. */
void sink_ignore(TraceSink *sink, const char *name, size_t length);

/* The job table, after the last record. */
bool sink_finish(TraceSink *sink, Workload *workload, Err *err);

#endif
