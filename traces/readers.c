/* traces/readers.c -- the list of formats, telling them apart, and the keys that all of them share. */
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"
#include "traces/formats.h"
#include "traces/sink.h"

const TraceReader *const trace_readers[] = {&reader_philly, &reader_helios, &reader_csv, NULL};

const Param trace_params[] = {
    CHOICE_PARAM("strict", "0", "0|1", "1: a record with a known gap (no_start, cpu_only, ...) is an error"),
    CHOICE_PARAM("lenient", "0", "0|1", "1: a malformed record is counted and skipped instead of ending the run"),
    CHOICE_PARAM("status", "all", "all|pass", "pass: only jobs whose status says that they succeeded"),
    CHOICE_PARAM(
        "runtime", "sum", "sum|span|last",
        "run time of a job with several attempts: sum of the complete ones, last end - first start, or the last"),
    CHOICE_PARAM("attempts", "merge", "merge|replay",
                 "a job's attempts are one run, or each but the last is replayed as a failure (presets with physics)"),
    CHOICE_PARAM("unit", "s", "s|ms|us|min|h", "unit of times that are written as numbers"),
    {0},
};

static void list_formats(char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; trace_readers[i]; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", trace_readers[i]->name);
}

static const TraceReader *find_by_name(const char *format, Err *err)
{
    char hint[HINT_TEXT], list[128];
    NearMiss miss = {.typed = format};
    for (int i = 0; trace_readers[i]; i++) {
        if (strcmp(trace_readers[i]->name, format) == 0) return trace_readers[i];
        near_miss_try(&miss, trace_readers[i]->name);
    }
    list_formats(list, sizeof list);
    err_set(err, ERR_USAGE, "unknown trace format '%s'%s: expected one of %s", format, near_miss_hint(&miss, hint),
            list);
    return NULL;
}

static const TraceReader *find_by_content(Source *source, Err *err)
{
    const char *head;
    long length = source_peek(source, &head, err);
    if (length < 0) return NULL;
    size_t n = (size_t)length;
    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
        n -= 3;
    }
    for (int i = 0; trace_readers[i]; i++)
        if (trace_readers[i]->recognises(head, n)) return trace_readers[i];
    char list[128];
    list_formats(list, sizeof list);
    err_set(err, ERR_DATA, "%s: not a trace in a known format (%s)", source_path(source), list);
    return NULL;
}

bool trace_read_source(Source *source, const char *format, const Params *params, Arena *arena, Workload *workload,
                       Err *err)
{
    const char *head;
    long length = source_peek(source, &head, err);
    if (length < 0) return false;
    if (length == 0)
        return err_set(err, ERR_DATA, "%s: 0 usable jobs (read=0 skipped=0): the file is empty", source_path(source));
    const TraceReader *reader = format ? find_by_name(format, err) : find_by_content(source, err);
    if (!reader) return false;
    Arena scratch = {0};
    TraceSink sink = sink_open(params, source_path(source), arena, &scratch);
    bool good = reader->read(source, &sink, err) && sink_finish(&sink, workload, err);
    if (good) {
        workload->source = arena_copy_text(arena, source_path(source), strlen(source_path(source)));
        workload->format = reader->name;
        source_sha256(source, workload->sha256);
    }
    arena_free(&scratch);
    return good;
}

bool trace_read(const char *path, const char *format, const Params *params, Arena *arena, Workload *workload, Err *err)
{
    if (format && !find_by_name(format, err)) return false; /* a mistyped name is told before a missing file */
    Arena scratch = {0};
    Source *source = source_open(&scratch, path, err);
    bool good = source && trace_read_source(source, format, params, arena, workload, err);
    if (good) workload->source = arena_copy_text(arena, path, strlen(path));
    source_close(source);
    arena_free(&scratch);
    return good;
}
