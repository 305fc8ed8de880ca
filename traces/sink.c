/* traces/sink.c -- counting, filtering, interning, sorting. */
#include "traces/sink.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/base/text.h"

enum { FIRST_ROOM = 1024 };

static bool is_on(const Params *params, const char *name)
{
    return strcmp(params_text(params, "trace", name), "1") == 0;
}

TraceSink sink_open(const Params *params, const char *path, Arena *arena, Arena *scratch)
{
    return (TraceSink){
        .params = params,
        .path = path,
        .arena = arena,
        .scratch = scratch,
        .strict = is_on(params, "strict"),
        .lenient = is_on(params, "lenient"),
        .passed_only = strcmp(params_text(params, "trace", "status"), "pass") == 0,
        .latest = INT64_MIN,
        .most = MOST_JOBS_OF_TRACE,
        .ids = {.arena = scratch},
        .names = {.arena = arena},
    };
}

TraceRecord trace_record_at(int64_t line, int column)
{
    return (TraceRecord){
        .line = line,
        .column = column,
        .gap = NO_GAP,
        .start = TIME_NEVER,
        .deadline = TIME_NEVER,
        .urgency = (double)NAN,
        .accuracy_required = (double)NAN,
    };
}

bool sink_malformed(TraceSink *sink, SkipReason reason, int64_t line, int column, Err *err, const char *format, ...)
{
    if (sink->lenient) {
        sink->counts.read++;
        sink->counts.skipped[reason]++;
        return true;
    }
    char what[sizeof err->text], place[48];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (column)
        snprintf(place, sizeof place, "%lld:%d", (long long)line, column);
    else
        snprintf(place, sizeof place, "%lld", (long long)line);
    return err_set(err, ERR_DATA, "%s:%s: %s", sink->path, place, what);
}

void sink_ignore(TraceSink *sink, const char *name, size_t length)
{
    for (int i = 0; i < sink->n_ignored && i < SINK_COLUMNS; i++)
        if (sink->ignored[i].length == length && memcmp(sink->ignored[i].text, name, length) == 0) return;
    if (sink->n_ignored < SINK_COLUMNS)
        sink->ignored[sink->n_ignored] = (TextSlice){arena_copy_text(sink->scratch, name, length), length};
    if (sink->n_ignored <= SINK_COLUMNS) sink->n_ignored++;
}

/* As the traces that we read spell success: Philly, Slurm (Helios), Kubernetes. */
static bool is_passed(TextSlice status)
{
    static const char *const passed[] = {"pass", "passed", "completed", "succeeded", "success"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strlen(passed[i]) == status.length && strncasecmp(passed[i], status.text, status.length) == 0) return true;
    return false;
}

static void count_gap(TraceSink *sink, const char *id, SkipReason gap)
{
    sink->counts.skipped[gap]++;
    if (sink->n_gaps < SINK_NAMES) sink->gap_name[sink->n_gaps] = (GapName){id, gap};
    sink->n_gaps++;
}

static const char *intern(TraceSink *sink, TextSlice slice)
{
    if (!slice.text) return NULL;
    int index = names_add(&sink->names, slice.text, slice.length, NULL); /* may move names.text */
    return sink->names.text[index];
}

static JobSpec *new_job(TraceSink *sink)
{
    int64_t n = sink->counts.usable++;
    if (n == sink->room) {
        sink->room = sink->room ? sink->room * 2 : FIRST_ROOM;
        sink->job = arena_resize(sink->arena, sink->job, (size_t)n, (size_t)sink->room, sizeof *sink->job);
    }
    return &sink->job[n];
}

bool sink_record(TraceSink *sink, const TraceRecord *record, Err *err)
{
    bool is_new;
    char shown[SHOWN_TEXT];
    MUST(record->id.text);
    if (sink->counts.read >= sink->most)
        return err_set(err, ERR_DATA, "%s:%lld: more than %lld records", sink->path, (long long)record->line,
                       (long long)sink->most);
    int index = names_add(&sink->ids, record->id.text, record->id.length, &is_new); /* may move ids.text */
    const char *id = sink->ids.text[index];
    if (!is_new)
        return sink_malformed(sink, SKIP_DUPLICATE, record->line, record->column, err,
                              "expected a job id not seen before, found '%s' again",
                              text_shown(record->id.text, record->id.length, shown));
    sink->counts.read++;
    if (sink->passed_only && !(record->status.text && is_passed(record->status))) {
        sink->counts.skipped[SKIP_STATUS]++;
        return true;
    }
    if (record->gap != NO_GAP || record->n_gpus == 0) {
        count_gap(sink, id, record->gap != NO_GAP ? record->gap : SKIP_CPU_ONLY);
        return true;
    }
    *new_job(sink) = (JobSpec){
        .name = id,
        .user = intern(sink, record->user),
        .vc = intern(sink, record->vc),
        .status = intern(sink, record->status),
        .model = intern(sink, record->model),
        .submit = record->submit,
        .duration = record->duration,
        .waited = record->start == TIME_NEVER ? TIME_NEVER : record->start - record->submit,
        .deadline = record->deadline,
        .urgency = record->urgency,
        .accuracy_required = record->accuracy_required,
        .n_gpus = record->n_gpus,
        .epochs = record->epochs,
        .replicas = record->replicas,
        .partitions = record->partitions,
        .stop_option = intern(sink, record->stop_option),
        .n_failed = record->n_failed,
        .failed_at = arena_grow(sink->arena, record->failed_at, (size_t)record->n_failed, (size_t)record->n_failed,
                                sizeof *record->failed_at),
    };
    if (record->partial) sink->counts.partial++;
    if (record->submit < sink->latest)
        sink->counts.out_of_order++;
    else
        sink->latest = record->submit;
    return true;
}

/* ---- after the last record ---- */

/* trace.strict=1: which records they were. */
static bool tell_gaps(const TraceSink *sink, Err *err)
{
    char list[SINK_NAMES * (SHOWN_TEXT + 32)] = "", shown[SHOWN_TEXT];
    size_t used = 0;
    for (int i = 0; i < SINK_NAMES && i < sink->n_gaps; i++) {
        const GapName *g = &sink->gap_name[i];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%s)", i ? ", " : "",
                                 text_shown(g->id, strlen(g->id), shown), skip_reason_name(g->gap));
    }
    const char *more = sink->n_gaps > SINK_NAMES ? ", ..." : "";
    return err_set(err, ERR_DATA, "%s: %lld record%s no usable job (trace.strict=1): %s%s", sink->path,
                   (long long)sink->n_gaps, sink->n_gaps == 1 ? " is" : "s are", list, more);
}

static bool tell_nothing_usable(const TraceSink *sink, Err *err)
{
    char reasons[512] = "";
    size_t used = 0;
    int64_t skipped = 0;
    for (int r = 0; r < N_SKIP_REASONS; r++) {
        int64_t n = sink->counts.skipped[r];
        skipped += n;
        if (n)
            used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%s=%lld", used ? " " : ": ",
                                     skip_reason_name((SkipReason)r), (long long)n);
    }
    return err_set(err, ERR_DATA, "%s: 0 usable jobs (read=%lld skipped=%lld%s)", sink->path,
                   (long long)sink->counts.read, (long long)skipped, reasons);
}

static const char *ignored_notice(const TraceSink *sink)
{
    if (!sink->n_ignored) return NULL;
    char list[SINK_COLUMNS * (SHOWN_TEXT + 1) + 8] = "", shown[SHOWN_TEXT];
    size_t used = 0;
    for (int i = 0; i < SINK_COLUMNS && i < sink->n_ignored; i++) {
        const TextSlice *name = &sink->ignored[i];
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "",
                                 name->length ? text_shown(name->text, name->length, shown) : "(no name)");
    }
    return arena_format(sink->arena, "ignored columns: %s%s", list, sink->n_ignored > SINK_COLUMNS ? ",..." : "");
}

typedef struct Key {
    SimTime submit;
    int32_t place; /* in the file */
} Key;

static int by_submit(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Puts the jobs in order of submission, in place: each cycle of the permutation is walked once. */
static void sort_jobs(TraceSink *sink, int n)
{
    Key *order = NEW_ARRAY(sink->scratch, Key, n);
    for (int i = 0; i < n; i++) order[i] = (Key){sink->job[i].submit, i};
    qsort(order, (size_t)n, sizeof *order, by_submit);
    for (int start = 0; start < n; start++) {
        JobSpec first = sink->job[start];
        int to = start;
        while (order[to].place != start && order[to].place >= 0) {
            int from = order[to].place;
            sink->job[to] = sink->job[from];
            order[to].place = -1;
            to = from;
        }
        if (order[to].place < 0) continue; /* a cycle walked before */
        sink->job[to] = first;
        order[to].place = -1;
    }
}

/* The ids move from the table that found duplicates into memory of their own, side by side. */
static void keep_ids(TraceSink *sink, int n)
{
    size_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += strlen(sink->job[i].name) + 1;
    char *id = NEW_ARRAY(sink->arena, char, bytes);
    for (int i = 0; i < n; i++) {
        size_t length = strlen(sink->job[i].name) + 1;
        sink->job[i].name = memcpy(id, sink->job[i].name, length);
        id += length;
    }
}

bool sink_finish(TraceSink *sink, Workload *workload, Err *err)
{
    if (sink->strict && sink->n_gaps) return tell_gaps(sink, err);
    if (!sink->counts.usable) return tell_nothing_usable(sink, err);
    int n = (int)sink->counts.usable;
    if (sink->counts.out_of_order) sort_jobs(sink, n);
    keep_ids(sink, n);
    *workload = (Workload){
        .job = arena_resize(sink->arena, sink->job, (size_t)n, (size_t)n, sizeof *sink->job),
        .n = n,
        .counts = sink->counts,
        .notice = ignored_notice(sink),
        .calendar = sink->calendar,
        .load = 1,
        .arrival_scale = 1,
    };
    return true;
}
