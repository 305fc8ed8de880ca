/* sim/cli/runoptions.c -- from text to values, one sentence for each that is wrong. */
#include "sim/cli/runoptions.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/text.h"
#include "sim/cli/settings.h"
#include "sim/cli/spans.h"

const Option run_option_table[] = {
    {"policy", 'p', "LIST", "fifo",
     "policies to compare, with commas between: names (`mlfs-sim list policies`), `all` (every one that needs no model "
     "file), or shared objects such as ./mine.so",
     false},
    {"cluster", 'c', "SPEC", "the preset's; plain has none",
     "SxG (16x4: 16 servers of 4 GPUs), philly, p3, a Philly machine list or a JSON file", false},
    {"seeds", 0, "A:B", "the one of --seed", "one run for each seed from A to B, both included", false},
    SELECTING_OPTIONS,
    {"measure", 0, "A:B", "all",
     "per-job figures of these jobs only, by position as in --jobs or by submission as @T0:T1; the others load the "
     "cluster all the same",
     false},
    {"horizon", 0, "S", "none", "stop S seconds after the first submission", false},
    {"tick", 0, "S", "the preset's; plain: 0", "decide every S seconds; 0: whenever something happened", false},
    {"strict", 0, NULL, NULL, "a policy's illegal request ends the run (exit 4) and every round is audited in full",
     false},
    {"oracle", 0, NULL, NULL, "what policies predict of running times and accuracies is true; in plain it is anyway",
     false},
    {"out", 'o', "DIR", "results/runs/TRACE-NAME",
     "where results go: DIR/POLICY, or DIR/POLICY/seed-N with --seeds; an earlier result there is replaced", false},
    {"events", 0, "FILE", "none",
     "every event and granted request, one CSV line each; with several runs each has its own file: events.csv becomes "
     "events-srtf.csv or events-srtf-seed-2.csv",
     false},
    {"checkpoint", 0, "S", "none",
     "every S simulated seconds write DIR/POLICY/checkpoint, from which the same command with --resume goes on; runs "
     "then "
     "go one after another",
     false},
    {"resume", 0, NULL, NULL, "go on from the checkpoint that the same command left; from the start if there is none",
     false},
    {"explain", 0, "JOB", "none",
     "in place of the table tell what became of the job of that id under each policy and why, round by round; the "
     "story "
     "stays in DIR/POLICY/explain.txt",
     false},
    {"timeline", 0, "FILE", "none",
     "the schedule in Chrome trace-event JSON, for ui.perfetto.dev; several runs as with --events", false},
    {0},
};

static bool read_seeds(const Invocation *inv, RunOptions *o, Err *err)
{
    if (!invocation_integer(inv, "seed", 0, MAX_SEED, &o->first_seed, err)) return false;
    o->last_seed = o->first_seed;
    const char *text = invocation_value(inv, "seeds");
    o->seeds = text != NULL;
    if (text && !span_parse_seeds(text, MAX_SEED, &o->first_seed, &o->last_seed))
        return err_set(err, ERR_USAGE, "%s: expected A:B, whole numbers with A <= B",
                       invocation_spelling(inv, "seeds"));
    if (o->last_seed - o->first_seed >= 100000)
        return err_set(err, ERR_USAGE, "%s: more than 100000 seeds", invocation_spelling(inv, "seeds"));
    return true;
}

static bool read_horizon(const Invocation *inv, RunOptions *o, Err *err)
{
    const char *text = invocation_value(inv, "horizon");
    if (text && !time_parse_seconds(text, strlen(text), &o->horizon))
        return err_set(err, ERR_USAGE, "%s: expected seconds, not negative, exact to the microsecond",
                       invocation_spelling(inv, "horizon"));
    return true;
}

static bool read_checkpoint(const Invocation *inv, RunOptions *o, Err *err)
{
    const char *text = invocation_value(inv, "checkpoint");
    if (text && (!time_parse_seconds(text, strlen(text), &o->checkpoint) || !o->checkpoint))
        return err_set(err, ERR_USAGE, "%s: expected simulated seconds, more than 0",
                       invocation_spelling(inv, "checkpoint"));
    if (text) o->threads = 1; /* one run at a time is what the image of a process can hold */
    if (o->resume && !text)
        return err_set(err, ERR_USAGE,
                       "--resume goes on from what --checkpoint S wrote: repeat that command with both");
    return true;
}

/* The syntax only: whether dates make sense depends on the trace. */
static bool parse_measure(const char *text, const Workload *workload, Measure *measure, bool *dated)
{
    int64_t from, to;
    *dated = false;
    if (*text == '@') {
        if (!span_parse_times(text + 1, &from, &to, dated)) return false;
        if (workload) *measure = measure_by_submit(workload, from, to);
        return true;
    }
    if (!span_parse_positions(text, &from, &to)) return false;
    *measure = (Measure){from < INT_MAX ? (int)from : INT_MAX, to < INT_MAX ? (int)to : INT_MAX};
    return true;
}

static bool read_measure(const Invocation *inv, RunOptions *o, Err *err)
{
    Measure measure;
    bool dated;
    o->measure = invocation_value(inv, "measure");
    if (o->measure && !parse_measure(o->measure, NULL, &measure, &dated))
        return err_set(err, ERR_USAGE, "%s: expected A:B, positions counted from 0, or @T0:T1, seconds or dates",
                       invocation_spelling(inv, "measure"));
    return true;
}

static bool read_threads(const Invocation *inv, RunOptions *o, Err *err)
{
    int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1) threads = 1;
    if (!invocation_integer(inv, "threads", 1, 1024, &threads, err)) return false;
    o->threads = (int)threads;
    return true;
}

/* "traces/samples/philly-2k.csv.gz" gives "philly-2k". */
static const char *trace_name(const char *path, Arena *arena)
{
    if (strcmp(path, "-") == 0) return "stdin";
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    if (text_ends(base, ".gz")) length -= 3;
    if (text_ends(base, ".zst")) length -= 4;
    for (size_t i = length; i-- > 1;)
        if (base[i] == '.') {
            length = i;
            break;
        }
    return length ? arena_copy_text(arena, base, length) : "trace";
}

bool run_options_read(const Invocation *inv, RunOptions *o, Err *err)
{
    const Preset *preset = settings_preset(inv, err);
    if (!preset) return false;
    const char *policies = invocation_value(inv, "policy"), *cluster = invocation_value(inv, "cluster");
    const char *out = invocation_value(inv, "out");
    *o = (RunOptions){.trace = inv->operand[0],
                      .format = invocation_value(inv, "format"),
                      .policies = policies ? policies : "fifo",
                      .cluster = cluster ? cluster : preset->cluster,
                      .preset = preset->name,
                      .first_seed = 1,
                      .horizon = TIME_NEVER,
                      .checkpoint = TIME_NEVER,
                      .resume = invocation_has(inv, "resume"),
                      .strict = invocation_has(inv, "strict"),
                      .oracle = invocation_has(inv, "oracle"),
                      .events = invocation_value(inv, "events"),
                      .timeline = invocation_value(inv, "timeline"),
                      .explain = invocation_value(inv, "explain"),
                      .quiet = invocation_has(inv, "quiet"),
                      .verbose = invocation_has(inv, "verbose")};
    o->out = out ? out : arena_format(inv->arena, "results/runs/%s", trace_name(o->trace, inv->arena));
    if (!o->cluster)
        return err_set(err, ERR_USAGE,
                       "which cluster? preset %s has none of its own: say -c SxG, such as -c 16x4 for 16 servers of 4 "
                       "GPUs each",
                       preset->name);
    return selecting_read(inv, &o->selecting, err) && read_seeds(inv, o, err) && read_horizon(inv, o, err) &&
           read_measure(inv, o, err) && read_threads(inv, o, err) && read_checkpoint(inv, o, err);
}

bool run_options_measure(const RunOptions *o, const Workload *workload, Measure *measure, Err *err)
{
    bool dated = false;
    *measure = MEASURE_ALL;
    if (o->measure) MUST(parse_measure(o->measure, workload, measure, &dated));
    return !dated || workload->calendar || tell_no_dates("measure", workload, err);
}
