/* sim/report/describetext.c -- the page that `mlfs-sim describe` prints. */
#include <math.h>

#include "sim/report/describe.h"

enum { MOST_ROWS = 20, NAME_WIDTH = 14 };

static void put_label(Out *out, const char *label)
{
    out_format(out, "%-14s", label);
}

static void put_when(Out *out, SimTime time, bool calendar)
{
    char text[TIME_TEXT];
    if (calendar) {
        time_format_date(time, text);
        out_text(out, text);
    } else {
        out_time(out, time);
        out_text(out, " s");
    }
}

/* 3.2 s, 53.5 min, 12.4 h, 3.1 days: for reading only. */
static void put_span(Out *out, double seconds)
{
    if (seconds < 600)
        out_format(out, "%.3g s", seconds);
    else if (seconds < 3 * 3600)
        out_format(out, "%.1f min", seconds / 60);
    else if (seconds < 2 * 86400)
        out_format(out, "%.1f h", seconds / 3600);
    else
        out_format(out, "%.1f days", seconds / 86400);
}

static void put_skipped(Out *out, const TraceCounts *counts)
{
    put_label(out, "records");
    out_format(out, "%lld read, %lld usable", (long long)counts->read, (long long)counts->usable);
    for (int r = 0; r < N_SKIP_REASONS; r++)
        if (counts->skipped[r])
            out_format(out, ", %lld skipped: %s", (long long)counts->skipped[r], skip_reason_name((SkipReason)r));
    if (counts->partial) out_format(out, "; %lld with incomplete attempts", (long long)counts->partial);
    if (counts->out_of_order) out_format(out, "; %lld out of order", (long long)counts->out_of_order);
    out_char(out, '\n');
}

static void put_share(Out *out, int width, WideTime part, WideTime whole)
{
    if (whole)
        out_format(out, "%*.2f %%", width - 2, 100 * (double)part / (double)whole);
    else
        out_format(out, "%*s", width, "");
}

static void put_tallies(Out *out, const char *title, const Tallies *tallies, const Description *d,
                        const Workload *workload)
{
    if (!tallies->n) return;
    Tally rest = {.name = "others"};
    out_format(out, "\n%-*s%10s%12s%13s\n", NAME_WIDTH, title, "jobs", "of jobs", "of GPU time");
    for (int i = 0; i < tallies->n; i++) {
        const Tally *t = &tallies->row[i];
        if (tallies->n > MOST_ROWS && i >= MOST_ROWS - 1) {
            rest.jobs += t->jobs;
            rest.gpu_time += t->gpu_time;
            if (i + 1 < tallies->n) continue;
            t = &rest;
        }
        out_format(out, "%-*.40s%10lld", NAME_WIDTH, t->name, (long long)t->jobs);
        put_share(out, 12, t->jobs, workload->n);
        put_share(out, 13, t->gpu_time, d->gpu_time);
        out_char(out, '\n');
    }
}

static void put_run_times(Out *out, const Description *d)
{
    out_format(out, "\n%-*s%10s%10s%10s%10s%10s%10s%10s%13s\n", NAME_WIDTH, "run time in s", "p25", "p50", "p75", "p90",
               "p99", "mean", "max", "of GPU time");
    static const char *const size_name[N_RUN_TIMES] = {"1 GPU", "2-4 GPUs", "5-8 GPUs", "9+ GPUs", "all"};
    int decimals = d->run_time[N_RUN_TIMES - 1].seconds.max < 10000 ? 2 : 0;
    for (int k = 0; k < N_RUN_TIMES; k++) {
        const RunTimes *r = &d->run_time[k];
        if (!r->seconds.n) continue;
        const double column[] = {r->p25_s,       r->seconds.p50,  r->p75_s,      r->seconds.p90,
                                 r->seconds.p99, r->seconds.mean, r->seconds.max};
        out_format(out, "%-*s", NAME_WIDTH, size_name[k]);
        for (int c = 0; c < 7; c++) out_format(out, "%10.*f", decimals, column[c]);
        put_share(out, 13, r->gpu_time, d->gpu_time);
        out_char(out, '\n');
    }
}

static void put_arrivals(Out *out, const Description *d, bool calendar)
{
    out_char(out, '\n');
    put_label(out, "arrivals");
    put_when(out, d->first, calendar);
    out_text(out, " to ");
    put_when(out, d->last, calendar);
    out_text(out, ", ");
    put_span(out, time_seconds(d->last - d->first));
    out_char(out, '\n');
    put_label(out, "per day");
    out_format(out, "mean %.1f, median %.1f, most %lld, over %lld day%s\n", d->day_mean, d->day_median,
               (long long)d->day_max, (long long)d->days, d->days == 1 ? "" : "s");
    put_label(out, "between them");
    if (isnan(d->gap_mean_s))
        out_text(out, "one job only\n");
    else if (isnan(d->gap_cv))
        out_text(out, "all at one instant\n");
    else
        out_format(out, "mean %.4g s, coefficient of variation %.2f, %.1f %% zero\n", d->gap_mean_s, d->gap_cv,
                   100 * d->gap_zero);
    put_label(out, "offered load");
    if (isnan(d->offered_gpus))
        out_text(out, "no figure: all jobs arrive at one instant\n");
    else
        out_format(out, "%.1f GPUs: GPU time / time from first to last submission\n", d->offered_gpus);
    put_label(out, "peak");
    out_format(out, "%lld GPUs in use at once if no job ever waited\n", (long long)d->peak_gpus);
}

void description_write(Out *out, const Description *d, const Workload *workload)
{
    char hash[17];
    workload_hash(workload, hash);
    put_label(out, "trace");
    out_text(out, workload->source);
    out_text(out, " (");
    out_text(out, workload->format);
    out_text(out, ")\n");
    if (workload->sha256[0]) {
        put_label(out, "sha256");
        out_text(out, workload->sha256);
        out_char(out, '\n');
    }
    put_skipped(out, &workload->counts);
    put_label(out, "jobs");
    out_format(out, "%d, %.4g GPUs each on average", workload->n, d->gpus_mean);
    if (d->users) out_format(out, ", %lld user%s", (long long)d->users, d->users == 1 ? "" : "s");
    out_format(out, ", hash %s\n", hash);
    put_arrivals(out, d, workload->calendar);
    put_tallies(out, "GPUs", &d->gpus, d, workload);
    put_run_times(out, d);
    put_tallies(out, "status", &d->status, d, workload);
    put_tallies(out, "VC", &d->vc, d, workload);
    put_tallies(out, "model", &d->model, d, workload);
}
