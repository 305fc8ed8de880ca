/* sim/report/page.c -- the data of the page, written as it is read, between its style and its scripts. */
#include "sim/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/out.h"
#include "sim/base/source.h"
#include "sim/base/version.h"
#include "sim/report/pageparts.h"
#include "sim/report/plot.h"
#include "sim/report/policystyle.h"
#include "sim/report/readback.h"
#include "sim/report/usage.h"

typedef struct Page {
    const RunSet *set;
    const RunGroup *group;
    int n_groups;
    const char *path;
    Out *out;
    Arena *arena;
} Page;

/* JSON text in a script element: `<` as an escape, so that nothing can end the element or open another. */
static void put_safe(Out *out, const char *json)
{
    for (; *json; json++)
        if (*json == '<')
            out_text(out, "\\u003c");
        else
            out_char(out, *json);
}

static void put_string(Out *out, const char *text)
{
    out_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out_format(out, "\\%c", c);
        else if (c < ' ' || c == '<' || c == 0x7f)
            out_format(out, "\\u%04x", c);
        else
            out_char(out, *text);
    }
    out_char(out, '"');
}

static void put_number(Out *out, double value)
{
    if (isfinite(value))
        out_double(out, value);
    else
        out_text(out, "null");
}

static void put_key(Out *out, const char *key)
{
    out_format(out, ",\n\"%s\":", key);
}

static void put_numbers(Out *out, const char *key, const double value[], int64_t n, int step)
{
    put_key(out, key);
    for (int64_t i = 0; i < n; i++) {
        out_char(out, i ? ',' : '[');
        put_number(out, value[i * step]);
    }
    out_text(out, n ? "]" : "[]");
}

static const FoundRun *first_run(const Page *page, int g)
{
    return &page->set->run[page->group[g].run[0]];
}

/* Means over the seeds that have a value. */
static bool put_summary(const Page *page, int g, Err *err)
{
    static const char *const keys[] = {"jct_s.n",
                                       "jct_s.mean",
                                       "jct_s.p50",
                                       "jct_s.p99",
                                       "jct_below_100min",
                                       "wait_s.mean",
                                       "makespan_s",
                                       "deadline_met",
                                       "accuracy_met",
                                       "bandwidth_bytes",
                                       "gpu_allocation",
                                       "gpu_utilisation",
                                       "finish_time_fairness.mean",
                                       "preemptions"};
    enum { N = sizeof keys / sizeof *keys };
    double sum[N] = {0};
    int n[N] = {0};
    for (int i = 0; i < page->group[g].n; i++) {
        const char *path = run_file(&page->set->run[page->group[g].run[i]], "summary.json", page->arena);
        cJSON *summary = readback_json(path, page->arena, err);
        if (!summary) return false;
        for (int k = 0; k < N; k++) {
            double value = readback_number(summary, keys[k]);
            if (isnan(value)) continue;
            sum[k] += value;
            n[k]++;
        }
        cJSON_Delete(summary);
    }
    put_key(page->out, "summary");
    for (int k = 0; k < N; k++) {
        out_format(page->out, "%c\"%s\":", k ? ',' : '{', keys[k]);
        put_number(page->out, n[k] ? sum[k] / n[k] : (double)NAN);
    }
    out_char(page->out, '}');
    return true;
}

/* run.json as it is, with all its digits; it was read as JSON when the run was found. */
static bool put_run_json(const Page *page, int g, Err *err)
{
    enum { LARGEST = 16 << 20 };
    Source *source = source_open(page->arena, run_file(first_run(page, g), "run.json", page->arena), err);
    if (!source) return false;
    size_t length;
    const char *text = source_read_all(source, page->arena, LARGEST, &length, err);
    source_close(source);
    if (!text) return false;
    put_key(page->out, "run");
    put_safe(page->out, text);
    return true;
}

static bool put_curves(const Page *page, int g, Err *err)
{
    enum { STRETCHES = 400 };
    FigureCurve jct;
    Usage usage;
    if (!plot_jct_curve(page->set, &page->group[g], 0, &jct, page->arena, err) ||
        !usage_read(first_run(page, g), STRETCHES, &usage, page->arena, err))
        return false;
    put_numbers(page->out, "cdf_x", jct.value, jct.n, 2);
    put_numbers(page->out, "cdf_y", jct.value + 1, jct.n, 2);
    put_key(page->out, "stretch_s");
    put_number(page->out, time_seconds(usage.stretch));
    put_key(page->out, "gpus");
    put_number(page->out, usage.gpus);
    put_numbers(page->out, "busy", usage.busy_gpus, usage.n, 1);
    put_numbers(page->out, "waiting", usage.waiting_jobs, usage.n, 1);
    return true;
}

static void put_column(Out *out, const ReadColumn *column, int64_t n)
{
    put_string(out, column->name);
    out_char(out, ':');
    for (int64_t i = 0; i < n; i++) {
        out_char(out, i ? ',' : '[');
        if (column->kind == COLUMN_TEXT)
            put_string(out, column->text[i]);
        else
            put_number(out, column->number[i]);
    }
    out_text(out, n ? "]" : "[]");
}

/* What a job is stands once where policies ran the same jobs: `from` is the policy that has it. */
static bool put_jobs(const Page *page, int g, Err *err)
{
    ReadColumn column[] = {{.name = "job_id", .kind = COLUMN_TEXT},
                           {.name = "user", .kind = COLUMN_TEXT},
                           {.name = "vc", .kind = COLUMN_TEXT},
                           {.name = "model", .kind = COLUMN_TEXT},
                           {.name = "n_gpus", .kind = COLUMN_NUMBER},
                           {.name = "submit_s", .kind = COLUMN_NUMBER},
                           {.name = "state", .kind = COLUMN_TEXT},
                           {.name = "start_s", .kind = COLUMN_NUMBER},
                           {.name = "end_s", .kind = COLUMN_NUMBER},
                           {.name = "jct_s", .kind = COLUMN_NUMBER},
                           {.name = "wait_s", .kind = COLUMN_NUMBER},
                           {.name = "service_s", .kind = COLUMN_NUMBER},
                           {.name = "preemptions", .kind = COLUMN_NUMBER},
                           {.name = "migrations", .kind = COLUMN_NUMBER},
                           {.name = "deadline_met", .kind = COLUMN_NUMBER},
                           {.name = "accuracy_final", .kind = COLUMN_NUMBER},
                           {.name = "fairness", .kind = COLUMN_NUMBER}};
    enum { N = sizeof column / sizeof *column, OF_THE_JOB = 6 };
    const FoundRun *run = first_run(page, g);
    int from = 0;
    while (strcmp(first_run(page, from)->workload_hash, run->workload_hash) != 0) from++;
    Arena scratch = {0};
    int64_t rows;
    bool fine = readback_csv(run_file(run, "jobs.csv", page->arena), column, N, &rows, &scratch, err);
    if (fine) {
        int64_t shown = rows < PAGE_JOBS ? rows : PAGE_JOBS;
        put_key(page->out, "n_jobs");
        out_int(page->out, rows);
        put_key(page->out, "from");
        out_int(page->out, from);
        put_key(page->out, "jobs");
        for (int c = from == g ? 0 : OF_THE_JOB; c < N; c++) {
            out_char(page->out, c == (from == g ? 0 : OF_THE_JOB) ? '{' : ',');
            put_column(page->out, &column[c], shown);
        }
        out_char(page->out, '}');
    }
    arena_free(&scratch);
    return fine;
}

/* From the folder of the page to a file; the page must be there.  Percent signs for what a URL gives a meaning. */
static const char *relative_url(const char *page_path, const char *file, Arena *arena)
{
    const char *slash = strrchr(page_path, '/');
    char *from = realpath(slash ? arena_copy_text(arena, page_path, (size_t)(slash - page_path) + 1) : ".", NULL);
    char *to = realpath(file, NULL);
    if (!from || !to) {
        free(from);
        free(to);
        return NULL;
    }
    const char *base = arena_format(arena, "%s/", strcmp(from, "/") == 0 ? "" : from);
    size_t same = 0;
    for (size_t i = 0; base[i] && base[i] == to[i]; i++)
        if (base[i] == '/') same = i + 1;
    const char *url = "";
    for (const char *c = base + same; *c; c++)
        if (*c == '/') url = arena_format(arena, "%s../", url);
    for (const char *c = to + same; *c; c++)
        url = arena_format(arena, strchr("%?#\\:\"<>", *c) || (unsigned char)*c <= ' ' ? "%s%%%02X" : "%s%c", url,
                           (unsigned char)*c);
    free(from);
    free(to);
    return url;
}

static bool put_policy(const Page *page, int g, Err *err)
{
    Out *out = page->out;
    const RunGroup *group = &page->group[g];
    PolicyStyle style = policy_style(group->policy, group->same_policy);
    out_text(out, g ? ",\n{\"title\":" : "\n{\"title\":");
    put_string(out, group->title);
    put_key(out, "policy");
    put_string(out, group->policy);
    put_key(out, "folder");
    put_string(out, group->folder);
    out_format(out, ",\"seeds\":%d,\"colour\":\"%s\",\"dashed\":%s,\"thick\":%s", group->n, style.colour,
               style.dashed ? "true" : "false", style.thick ? "true" : "false");
    put_key(out, "csv");
    const char *csv = relative_url(page->path, run_file(first_run(page, g), "jobs.csv", page->arena), page->arena);
    if (csv)
        put_string(out, csv);
    else
        out_text(out, "null");
    bool fine =
        put_summary(page, g, err) && put_run_json(page, g, err) && put_curves(page, g, err) && put_jobs(page, g, err);
    out_char(out, '}');
    return fine;
}

static void put_part(Out *out, const unsigned char part[])
{
    out_text(out, (const char *)part);
}

static bool put_page(const Page *page, Err *err)
{
    Out *out = page->out;
    out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>mlfs-sim report</title>\n<style>\n");
    put_part(out, page_uplot_css);
    put_part(out, page_page_css);
    out_text(out, "</style>\n</head>\n");
    put_part(out, page_page_html);
    out_text(out, "<script type=\"application/json\" id=\"data\">{\"version\":");
    put_string(out, version_text());
    put_key(out, "most_jobs");
    out_int(out, PAGE_JOBS);
    put_key(out, "policies");
    out_char(out, '[');
    for (int g = 0; g < page->n_groups; g++)
        if (!put_policy(page, g, err)) return false;
    out_text(out, "]}</script>\n<script>\n/* uPlot\n\n");
    put_part(out, page_uplot_LICENSE);
    out_text(out, "*/\n");
    put_part(out, page_uplot_js);
    out_text(out, "\n</script>\n<script>\n");
    put_part(out, page_page_js);
    put_part(out, page_charts_js);
    put_part(out, page_tables_js);
    out_text(out, "</script>\n</body>\n</html>\n");
    return true;
}

bool page_write(const RunSet *set, const char *path, Arena *arena, Err *err)
{
    const char *slash = strrchr(path, '/');
    if (slash && slash != path && !make_folders(arena_copy_text(arena, path, (size_t)(slash - path)), err))
        return false;
    Page page = {.set = set, .path = path, .out = out_open(arena, path, err), .arena = arena};
    if (!page.out) return false;
    page.group = runset_groups(set, &page.n_groups, arena);
    if (put_page(&page, err)) return out_close(page.out, err);
    out_abandon(page.out);
    return false;
}
