/* traces/philly.c -- what one job of Microsoft's Philly log (Jeon et al., ATC 2019) says.
 *
 * A job has attempts, each with a start, an end and the GPUs it held; the log knows no requested GPU count, so that of
 * the first attempt stands for it.  Times are UTC without daylight saving.  "None", null, "" and an absent key all mean
 * missing.  An attempt counts as complete when it has a start and an end that is not earlier.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/jsontext.h"
#include "sim/base/text.h"
#include "traces/formats.h"
#include "traces/jsonstream.h"
#include "traces/sink.h"

typedef enum { KEY_ID, KEY_STATUS, KEY_VC, KEY_USER, KEY_SUBMIT, KEY_ATTEMPTS, N_KEYS } Key;
static const char *const key_name[N_KEYS] = {"jobid", "status", "vc", "user", "submitted_time", "attempts"};

typedef struct Philly {
    TraceSink *sink;
    enum { RUNTIME_SUM, RUNTIME_SPAN, RUNTIME_LAST } runtime;
    bool replays;       /* trace.attempts=replay */
    SimTime *failed_at; /* [failed_room], of the job being read */
    int failed_room;
    Arena *arena;
} Philly;

/* One job being read; a fault is kept, to be told with the place of the job. */
typedef struct PhillyJob {
    const cJSON *value[N_KEYS];
    SkipReason fault;     /* NO_GAP: none */
    const char *expected; /* of what ... */
    const char *key;      /* ... under this key */
    const char *found;    /* NULL: something of another type */
} PhillyJob;

static bool fault(PhillyJob *job, SkipReason reason, const char *key, const char *expected, const char *found)
{
    job->fault = reason;
    job->key = key;
    job->expected = expected;
    job->found = found;
    return false;
}

/* A text, or NULL for one of the ways to say nothing. */
static bool get_text(PhillyJob *job, const char *key, const cJSON *item, const char **text)
{
    *text = NULL;
    if (!item || cJSON_IsNull(item)) return true;
    if (!cJSON_IsString(item)) return fault(job, SKIP_BAD_SYNTAX, key, "a text", NULL);
    if (*item->valuestring && strcmp(item->valuestring, "None") != 0) *text = item->valuestring;
    return true;
}

/* A time, or TIME_NEVER. */
static bool get_time(PhillyJob *job, const char *key, const cJSON *item, SimTime *time)
{
    const char *text;
    *time = TIME_NEVER;
    if (!get_text(job, key, item, &text)) return false;
    if (!text || time_parse_date(text, strlen(text), time)) return true;
    return fault(job, SKIP_BAD_NUMBER, key, "YYYY-MM-DD hh:mm:ss", text);
}

static bool get_slice(PhillyJob *job, Key key, TextSlice *slice)
{
    const char *text;
    if (!get_text(job, key_name[key], job->value[key], &text)) return false;
    *slice = (TextSlice){text, text ? strlen(text) : 0};
    return true;
}

/* Lists are arrays, null or absent. */
static bool check_list(PhillyJob *job, const char *key, const cJSON *item)
{
    return !item || cJSON_IsNull(item) || cJSON_IsArray(item) || fault(job, SKIP_BAD_SYNTAX, key, "a list", NULL);
}

static const cJSON *first_of(const cJSON *list)
{
    return list ? list->child : NULL;
}

/* GPUs in `detail`, a list with one entry per server. */
static bool count_gpus(PhillyJob *job, const cJSON *detail, int64_t *n_gpus)
{
    *n_gpus = 0;
    if (!check_list(job, "detail", detail)) return false;
    for (const cJSON *server = first_of(detail); server; server = server->next) {
        if (!cJSON_IsObject(server)) return fault(job, SKIP_BAD_SYNTAX, "detail", "a list of objects", NULL);
        const cJSON *gpus = cJSON_GetObjectItemCaseSensitive(server, "gpus");
        if (!check_list(job, "gpus", gpus)) return false;
        for (const cJSON *gpu = first_of(gpus); gpu; gpu = gpu->next, ++*n_gpus)
            if (!cJSON_IsString(gpu)) return fault(job, SKIP_BAD_SYNTAX, "gpus", "a list of texts", NULL);
    }
    return *n_gpus <= 1000000 || fault(job, SKIP_BAD_NUMBER, "gpus", "at most 1000000 GPUs", NULL);
}

typedef struct Attempt {
    SimTime start, end; /* TIME_NEVER: missing */
} Attempt;

static bool is_complete(Attempt a)
{
    return a.start != TIME_NEVER && a.end != TIME_NEVER && a.end >= a.start;
}

/* Why there is no run time between these two. */
static SkipReason gap_of(Attempt a)
{
    return a.start == TIME_NEVER ? SKIP_NO_START : a.end == TIME_NEVER ? SKIP_STILL_RUNNING : SKIP_CENSORED;
}

/* Running time so far, at which one more complete attempt proves to have failed. */
static void note_failure(Philly *philly, SimTime ran, int index)
{
    if (index == philly->failed_room) {
        philly->failed_room = index ? index * 2 : 16;
        philly->failed_at = arena_grow(philly->arena, philly->failed_at, (size_t)index, (size_t)philly->failed_room,
                                       sizeof *philly->failed_at);
    }
    philly->failed_at[index] = ran;
}

static bool get_attempts(Philly *philly, PhillyJob *job, TraceRecord *record)
{
    const cJSON *attempts = job->value[KEY_ATTEMPTS];
    if (!check_list(job, "attempts", attempts)) return false;
    Attempt first = {0}, last = {0}, first_complete = {0};
    int n = 0, n_complete = 0;
    SimTime sum = 0;
    bool knows_gpus = false;
    for (const cJSON *item = first_of(attempts); item; item = item->next, n++) {
        if (!cJSON_IsObject(item)) return fault(job, SKIP_BAD_SYNTAX, "attempts", "a list of objects", NULL);
        const cJSON *detail = cJSON_GetObjectItemCaseSensitive(item, "detail");
        int64_t n_gpus;
        if (!get_time(job, "start_time", cJSON_GetObjectItemCaseSensitive(item, "start_time"), &last.start) ||
            !get_time(job, "end_time", cJSON_GetObjectItemCaseSensitive(item, "end_time"), &last.end) ||
            !count_gpus(job, detail, &n_gpus))
            return false;
        if (n == 0) {
            first = last;
            knows_gpus = detail && !cJSON_IsNull(detail);
            record->n_gpus = (int32_t)n_gpus;
        }
        if (is_complete(last)) {
            if (!n_complete) first_complete = last;
            if (philly->replays && n_complete) note_failure(philly, sum, n_complete - 1);
            n_complete++;
            sum += last.end - last.start; /* dates end in the year 9999: no overflow below 10^7 attempts */
        }
    }
    if (!n || !knows_gpus) {
        record->gap = SKIP_NO_ATTEMPT;
        return true;
    }
    Attempt run = philly->runtime == RUNTIME_SPAN ? (Attempt){first.start, last.end} : last;
    if (philly->runtime == RUNTIME_SUM && n_complete) {
        record->duration = sum;
        run = first_complete;
    } else if (is_complete(run)) {
        record->duration = run.end - run.start;
    } else {
        record->gap = gap_of(run);
    }
    record->start = run.start;
    record->partial = n_complete < n;
    if (philly->replays && n_complete > 1) {
        record->failed_at = philly->failed_at;
        record->n_failed = n_complete - 1;
    }
    return true;
}

static bool get_values(PhillyJob *job, const cJSON *object, TraceSink *sink)
{
    for (const cJSON *member = object->child; member; member = member->next) {
        int key = 0;
        while (key < N_KEYS && !json_key_is(member, key_name[key])) key++;
        if (key == N_KEYS)
            sink_ignore(sink, member->string, strlen(member->string));
        else if (job->value[key])
            return fault(job, SKIP_BAD_SYNTAX, key_name[key], "each key once", NULL);
        else
            job->value[key] = member;
    }
    return true;
}

static bool read_values(Philly *philly, PhillyJob *job, const cJSON *object, TraceRecord *record)
{
    if (!cJSON_IsObject(object)) return fault(job, SKIP_BAD_SYNTAX, NULL, "a job object", NULL);
    if (!get_values(job, object, philly->sink) || !get_slice(job, KEY_ID, &record->id) ||
        !get_slice(job, KEY_STATUS, &record->status) || !get_slice(job, KEY_VC, &record->vc) ||
        !get_slice(job, KEY_USER, &record->user) ||
        !get_time(job, key_name[KEY_SUBMIT], job->value[KEY_SUBMIT], &record->submit) ||
        !get_attempts(philly, job, record))
        return false;
    if (!record->id.text) return fault(job, SKIP_MISSING_VALUE, key_name[KEY_ID], "a value", NULL);
    if (record->submit == TIME_NEVER) record->gap = SKIP_NO_SUBMIT;
    return true;
}

static bool tell_fault(const Philly *philly, const PhillyJob *job, const TraceRecord *record, Err *err)
{
    char where[160] = "", found[SHOWN_TEXT + 8] = "something else", shown[SHOWN_TEXT];
    size_t used = 0;
    if (record->id.text)
        used =
            (size_t)snprintf(where, sizeof where, "job '%s': ", text_shown(record->id.text, record->id.length, shown));
    if (job->key) snprintf(where + used, sizeof where - used, "'%s': ", job->key);
    if (job->found) snprintf(found, sizeof found, "'%s'", text_shown(job->found, strlen(job->found), shown));
    if (job->fault == SKIP_MISSING_VALUE) strcpy(found, "none");
    return sink_malformed(philly->sink, job->fault, record->line, record->column, err, "%sexpected %s, found %s", where,
                          job->expected, found);
}

static bool read_job(void *context, const JsonElement *element, Err *err)
{
    Philly *philly = context;
    int64_t line = element->line;
    int column = element->column;
    cJSON *object = json_parse(element->text, element->length, &line, &column);
    if (!object)
        return sink_malformed(philly->sink, SKIP_BAD_SYNTAX, line, column, err, "expected valid JSON, found an error");

    PhillyJob job = {.fault = NO_GAP};
    TraceRecord record = trace_record_at(element->line, element->column);
    bool good = read_values(philly, &job, object, &record) ? sink_record(philly->sink, &record, err)
                                                           : tell_fault(philly, &job, &record, err);
    cJSON_Delete(object);
    return good;
}

static bool read_philly(Source *source, TraceSink *sink, Err *err)
{
    const char *runtime = params_text(sink->params, "trace", "runtime");
    Philly philly = {
        .sink = sink,
        .runtime = strcmp(runtime, "span") == 0   ? RUNTIME_SPAN
                   : strcmp(runtime, "last") == 0 ? RUNTIME_LAST
                                                  : RUNTIME_SUM,
        .replays = strcmp(params_text(sink->params, "trace", "attempts"), "replay") == 0,
        .arena = sink->arena,
    };
    if (philly.replays && philly.runtime != RUNTIME_SUM)
        return err_set(err, ERR_USAGE, "trace.attempts=replay needs trace.runtime=sum: failures fall between attempts");
    sink->calendar = true;
    return json_stream(source, "jobs", sink->scratch, read_job, &philly, err);
}

static bool recognises(const char *head, size_t length)
{
    size_t i = 0;
    while (i < length && (head[i] == ' ' || head[i] == '\t' || head[i] == '\r' || head[i] == '\n')) i++;
    return i < length && (head[i] == '[' || head[i] == '{');
}

const TraceReader reader_philly = {
    .name = "philly",
    .summary = "Microsoft Philly cluster_job_log: JSON, one object a job with its attempts",
    .recognises = recognises,
    .read = read_philly,
};
