/* traces/csvtrace.c -- from the header to a column map, from a line to a TraceRecord. */
#include "traces/csvtrace.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/csvline.h"
#include "sim/base/text.h"
#include "traces/sink.h"

/* Submissions, starts and ends are all numbers or all dates: a mixture has no common clock. */
typedef enum { CLOCK_UNKNOWN, CLOCK_NUMBERS, CLOCK_DATES } Clock;

typedef struct CsvTrace {
    const ColumnName *names;
    TraceSink *sink;
    CsvLexer lexer;
    int place[N_COLUMNS]; /* of each column in a record; -1: not there */
    int n_columns;
    Clock clock;
    int exponent; /* trace.unit as a power of ten of a second ... */
    int times;    /* ... times this */
} CsvTrace;

static const char *const column_word[N_COLUMNS] = {
    [COLUMN_ID] = "job_id",
    [COLUMN_SUBMIT] = "submit_time",
    [COLUMN_GPUS] = "n_gpus",
    [COLUMN_DURATION] = "duration",
    [COLUMN_START] = "start_time",
    [COLUMN_END] = "end_time",
    [COLUMN_USER] = "user",
    [COLUMN_VC] = "vc",
    [COLUMN_STATUS] = "status",
    [COLUMN_MODEL] = "model",
    [COLUMN_DEADLINE] = "deadline",
    [COLUMN_URGENCY] = "urgency",
    [COLUMN_EPOCHS] = "epochs",
    [COLUMN_ACCURACY] = "accuracy_required",
    [COLUMN_STOP] = "stop_option",
    [COLUMN_REPLICAS] = "replicas",
    [COLUMN_PARTITIONS] = "partitions",
    [COLUMN_ID_IF_NONE] = "job name",
};

/* ---- header ---- */

static bool map_column(CsvTrace *t, int place, const CsvField *title, Err *err)
{
    for (const ColumnName *n = t->names; n->name; n++) {
        if (!csv_is(title, n->name)) continue;
        if (n->column == COLUMN_UNUSED) return true;
        int before = t->place[n->column];
        if (before >= 0)
            return err_set(err, ERR_DATA, "%s:%lld:%d: columns '%.*s' and '%s' both mean %s", t->sink->path,
                           (long long)title->line, title->column, (int)t->lexer.field[before].length,
                           t->lexer.field[before].text, n->name, column_word[n->column]);
        t->place[n->column] = place;
        return true;
    }
    sink_ignore(t->sink, title->text, title->length);
    return true;
}

/* Names the column, what it may be called, and a column that might be it, misspelt. */
static bool tell_missing(const CsvTrace *t, Column column, Err *err)
{
    char accepted[256] = "", title[SHOWN_TEXT];
    const char *near = NULL;
    int distance = 0;
    size_t used = 0;
    for (const ColumnName *n = t->names; n->name; n++) {
        if (n->column != column) continue;
        used += (size_t)snprintf(accepted + used, sizeof accepted - used, "%s%s", used ? ", " : "", n->name);
        for (int i = 0; i < t->sink->n_ignored && i < SINK_COLUMNS; i++) {
            NearMiss miss = {.typed = text_shown(t->sink->ignored[i].text, t->sink->ignored[i].length, title)};
            near_miss_try(&miss, n->name);
            if (!miss.best || (near && miss.distance >= distance)) continue;
            near = t->sink->ignored[i].text;
            distance = miss.distance;
        }
    }
    return err_set(err, ERR_DATA, "%s:%lld: missing column: %s (accepted: %s%s%s%s%s)", t->sink->path,
                   (long long)t->lexer.record_line, column_word[column], accepted,
                   column == COLUMN_DURATION ? "; or start_time and end_time" : "", near ? "; not '" : "",
                   near ? text_shown(near, strlen(near), title) : "", near ? "'" : "");
}

static bool read_header(CsvTrace *t, Err *err)
{
    CsvLexer *lexer = &t->lexer;
    t->n_columns = lexer->n_fields;
    for (int c = 0; c < N_COLUMNS; c++) t->place[c] = -1;
    for (int i = 0; i < lexer->n_fields; i++)
        if (!map_column(t, i, &lexer->field[i], err)) return false;
    if (t->place[COLUMN_ID] < 0) t->place[COLUMN_ID] = t->place[COLUMN_ID_IF_NONE];
    for (Column c = COLUMN_ID; c <= COLUMN_GPUS; c++)
        if (t->place[c] < 0) return tell_missing(t, c, err);
    bool spans = t->place[COLUMN_START] >= 0 && t->place[COLUMN_END] >= 0;
    return t->place[COLUMN_DURATION] >= 0 || spans || tell_missing(t, COLUMN_DURATION, err);
}

/* ---- values ---- */

/* READ_SKIP: the record is done with (malformed and counted); READ_STOP: err tells. */
typedef enum { READ_VALUE, READ_MISSING, READ_SKIP, READ_STOP } ReadResult;

static ReadResult malformed(CsvTrace *t, SkipReason reason, const CsvField *field, const char *expected, Err *err)
{
    char shown[SHOWN_TEXT];
    bool skip = sink_malformed(t->sink, reason, field->line, field->column, err, "expected %s, found '%s'", expected,
                               text_shown(field->text, field->length, shown));
    return skip ? READ_SKIP : READ_STOP;
}

/* A needed value, or the time of a known gap, is missing like this. */
static bool is_missing(const CsvField *field)
{
    return field->length == 0 || csv_is(field, "None") || csv_is(field, "null");
}

static const CsvField *find(const CsvTrace *t, Column column)
{
    return t->place[column] < 0 ? NULL : &t->lexer.field[t->place[column]];
}

static TextSlice get_text(const CsvTrace *t, Column column)
{
    const CsvField *field = find(t, column);
    return field && field->length ? (TextSlice){field->text, field->length} : (TextSlice){0};
}

/* A number in trace.unit: its decimal exponent is moved, then it is multiplied, so that nothing is rounded. */
static bool parse_number_time(const CsvTrace *t, const CsvField *field, SimTime *time)
{
    char scaled[64];
    const char *text = field->text;
    size_t length = field->length;
    if (t->exponent) {
        const char *e = memchr(text, 'e', length);
        if (!e) e = memchr(text, 'E', length);
        size_t mantissa = e ? (size_t)(e - text) : length;
        int64_t exponent = 0;
        if (e && !text_to_int(e + 1, length - mantissa - 1, -100, 100, &exponent)) return false;
        if (mantissa > 40) return false;
        length = (size_t)snprintf(scaled, sizeof scaled, "%.*se%d", (int)mantissa, text, (int)exponent + t->exponent);
        text = scaled;
    }
    if (!time_parse_seconds(text, length, time) || *time > TIME_LIMIT / t->times) return false;
    *time *= t->times;
    return true;
}

/* A length of time. */
static ReadResult get_span(CsvTrace *t, Column column, SimTime *time, Err *err)
{
    const CsvField *field = find(t, column);
    if (!field || is_missing(field)) return READ_MISSING;
    if (parse_number_time(t, field, time)) return READ_VALUE;
    return malformed(t, SKIP_BAD_NUMBER, field, "a length of time, 0 or more, to the microsecond", err);
}

/* A point in time. */
static ReadResult get_instant(CsvTrace *t, Column column, SimTime *time, Err *err)
{
    const CsvField *field = find(t, column);
    if (!field || is_missing(field)) return READ_MISSING;
    bool dated = t->clock != CLOCK_NUMBERS && time_parse_date(field->text, field->length, time);
    if (!dated && (t->clock == CLOCK_DATES || !parse_number_time(t, field, time)))
        return malformed(t, SKIP_BAD_NUMBER, field,
                         t->clock == CLOCK_DATES     ? "a date YYYY-MM-DD hh:mm:ss like those before"
                         : t->clock == CLOCK_NUMBERS ? "a number of seconds, to the microsecond, like those before"
                                                     : "a number of seconds, to the microsecond, or a date "
                                                       "YYYY-MM-DD hh:mm:ss",
                         err);
    t->clock = dated ? CLOCK_DATES : CLOCK_NUMBERS;
    return READ_VALUE;
}

static ReadResult get_int(CsvTrace *t, Column column, int64_t low, int64_t high, int32_t *value, Err *err)
{
    char expected[64];
    int64_t number;
    const CsvField *field = find(t, column);
    if (!field || !field->length) return READ_MISSING;
    if (text_to_int(field->text, field->length, low, high, &number)) {
        *value = (int32_t)number;
        return READ_VALUE;
    }
    snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)low, (long long)high);
    return malformed(t, SKIP_BAD_NUMBER, field, expected, err);
}

static ReadResult get_double(CsvTrace *t, Column column, double high, double *value, Err *err)
{
    char expected[64];
    double number;
    const CsvField *field = find(t, column);
    if (!field || !field->length) return READ_MISSING;
    if (text_to_double(field->text, field->length, &number) && number >= 0 && number <= high) {
        *value = number;
        return READ_VALUE;
    }
    snprintf(expected, sizeof expected, "a number from 0 to %g", high);
    return malformed(t, SKIP_BAD_NUMBER, field, expected, err);
}

/* ---- records ---- */

static ReadResult missing(CsvTrace *t, Column column, Err *err)
{
    const CsvField *field = find(t, column);
    MUST(field); /* the header was refused without the columns that are needed */
    bool skip = sink_malformed(t->sink, SKIP_MISSING_VALUE, field->line, field->column, err,
                               "expected a value for %s, found none", column_word[column]);
    return skip ? READ_SKIP : READ_STOP;
}

/* The duration, or the gap that stands in its way. */
static ReadResult get_duration(CsvTrace *t, TraceRecord *record, Err *err)
{
    SimTime start = 0, end = 0;
    ReadResult started = get_instant(t, COLUMN_START, &start, err);
    if (started >= READ_SKIP) return started;
    if (started == READ_VALUE) record->start = start;
    ReadResult ended = get_instant(t, COLUMN_END, &end, err);
    if (ended >= READ_SKIP) return ended;
    bool stated = t->place[COLUMN_DURATION] >= 0;
    ReadResult lasted = get_span(t, COLUMN_DURATION, &record->duration, err);
    if (lasted >= READ_SKIP) return lasted;

    if (t->place[COLUMN_START] >= 0 && started == READ_MISSING) {
        record->gap = SKIP_NEVER_STARTED;
    } else if (stated && lasted == READ_VALUE) {
        return READ_VALUE;
    } else if (t->place[COLUMN_END] >= 0 && ended == READ_MISSING) {
        record->gap = SKIP_STILL_RUNNING;
    } else if (stated) {
        return missing(t, COLUMN_DURATION, err);
    } else if (end < start) {
        record->gap = SKIP_CENSORED;
    } else {
        record->duration = end - start;
    }
    return READ_VALUE;
}

static ReadResult get_needed(CsvTrace *t, TraceRecord *record, Err *err)
{
    if (!record->id.text) return missing(t, COLUMN_ID, err);
    ReadResult submitted = get_instant(t, COLUMN_SUBMIT, &record->submit, err);
    if (submitted >= READ_SKIP) return submitted;
    ReadResult gpus = get_int(t, COLUMN_GPUS, 0, 1000000, &record->n_gpus, err);
    if (gpus >= READ_SKIP) return gpus;
    ReadResult lasted = get_duration(t, record, err);
    if (lasted >= READ_SKIP) return lasted;
    if (gpus == READ_MISSING) return missing(t, COLUMN_GPUS, err);
    if (submitted == READ_MISSING) record->gap = SKIP_NO_SUBMIT;
    return READ_VALUE;
}

static ReadResult get_stop_option(CsvTrace *t, TraceRecord *record, Err *err)
{
    const CsvField *field = find(t, COLUMN_STOP);
    if (!field || !field->length) return READ_MISSING;
    record->stop_option = (TextSlice){field->text, field->length};
    if (csv_is(field, "epochs") || csv_is(field, "optstop") || csv_is(field, "accuracy")) return READ_VALUE;
    return malformed(t, SKIP_BAD_SYNTAX, field, "epochs, optstop or accuracy", err);
}

static ReadResult get_optional(CsvTrace *t, TraceRecord *record, Err *err)
{
    ReadResult result;
    record->user = get_text(t, COLUMN_USER);
    record->vc = get_text(t, COLUMN_VC);
    record->status = get_text(t, COLUMN_STATUS);
    record->model = get_text(t, COLUMN_MODEL);
    if ((result = get_span(t, COLUMN_DEADLINE, &record->deadline, err)) >= READ_SKIP ||
        (result = get_double(t, COLUMN_URGENCY, 1e6, &record->urgency, err)) >= READ_SKIP ||
        (result = get_double(t, COLUMN_ACCURACY, 1, &record->accuracy_required, err)) >= READ_SKIP ||
        (result = get_int(t, COLUMN_EPOCHS, 1, 1000000000, &record->epochs, err)) >= READ_SKIP ||
        (result = get_int(t, COLUMN_REPLICAS, 1, 1000000, &record->replicas, err)) >= READ_SKIP ||
        (result = get_int(t, COLUMN_PARTITIONS, 1, 1000000, &record->partitions, err)) >= READ_SKIP ||
        (result = get_stop_option(t, record, err)) >= READ_SKIP)
        return result;
    return READ_VALUE;
}

static bool read_record(CsvTrace *t, Err *err)
{
    CsvLexer *lexer = &t->lexer;
    if (lexer->n_fields != t->n_columns)
        return sink_malformed(t->sink, SKIP_BAD_FIELDS, lexer->record_line, 0, err, "expected %d fields, found %d",
                              t->n_columns, lexer->n_fields);
    const CsvField *id = find(t, COLUMN_ID);
    MUST(id);
    TraceRecord record = trace_record_at(id->line, id->column);
    record.id = get_text(t, COLUMN_ID);
    ReadResult result = get_needed(t, &record, err);
    if (result == READ_VALUE) result = get_optional(t, &record, err);
    if (result == READ_VALUE) return sink_record(t->sink, &record, err);
    return result == READ_SKIP;
}

static void set_unit(CsvTrace *t)
{
    static const struct {
        const char *name;
        int exponent, times;
    } units[] = {{"s", 0, 1}, {"ms", -3, 1}, {"us", -6, 1}, {"min", 0, 60}, {"h", 0, 3600}};
    const char *unit = params_text(t->sink->params, "trace", "unit");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) {
            t->exponent = units[i].exponent;
            t->times = units[i].times;
        }
    MUST(t->times);
}

bool csv_read_jobs(Source *source, const ColumnName names[], TraceSink *sink, Err *err)
{
    CsvTrace t = {.names = names, .sink = sink, .lexer = csv_open(source, sink->scratch)};
    set_unit(&t);
    for (bool header = true;; header = false) {
        switch (csv_next(&t.lexer, err)) {
        case CSV_RECORD:
            if (!(header ? read_header(&t, err) : read_record(&t, err))) return false;
            break;
        case CSV_FAULT:
            if (header)
                return err_set(err, ERR_DATA, "%s:%lld:%d: %s", sink->path, (long long)t.lexer.fault_line,
                               t.lexer.fault_column, t.lexer.fault);
            if (!sink_malformed(sink, SKIP_BAD_SYNTAX, t.lexer.fault_line, t.lexer.fault_column, err, "%s",
                                t.lexer.fault))
                return false;
            break;
        case CSV_END: sink->calendar = t.clock == CLOCK_DATES; return true;
        case CSV_FAILED: return false;
        }
    }
}

/* ---- telling formats apart ---- */

bool csv_head_has(const char *head, size_t length, const char *column)
{
    size_t n = strlen(column);
    for (size_t i = 0; i < length && head[i] != '\n';) {
        while (i < length && (head[i] == ' ' || head[i] == '\t' || head[i] == '"')) i++;
        size_t end = i;
        while (end < length && !strchr(",\r\n\" \t", head[end])) end++;
        if (end - i == n && memcmp(head + i, column, n) == 0) return true;
        while (end < length && head[end] != ',' && head[end] != '\n') end++;
        i = end + (end < length && head[end] == ',');
    }
    return false;
}
