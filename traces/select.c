/* traces/select.c -- windows, samples, copies and the density of arrivals.
 *
 * Draws are named by the job's position in the trace, so that a job's copies are the same whatever else is selected.
 * The first copy is the job itself, as traced; further ones are called ID#2, ID#3, ...
 */
#include "traces/select.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/names.h"
#include "sim/base/rng.h"

enum { MOST_COPIES = 10000 };

#define JITTER (30 * TIME_MINUTE)

/* Positions in the trace, in order of submission. */
typedef struct Chosen {
    int32_t *job;
    int32_t n;
} Chosen;

typedef struct Copy {
    SimTime submit;
    int32_t job;   /* position in the trace */
    int32_t which; /* 1: the job itself */
} Copy;

static void keep_window(Chosen *chosen, const Workload *from, const Selection *selection)
{
    if (selection->window_from == TIME_NEVER && selection->window_to == TIME_NEVER) return;
    int32_t kept = 0;
    for (int32_t i = 0; i < chosen->n; i++) {
        SimTime submit = from->job[chosen->job[i]].submit;
        bool early = selection->window_from != TIME_NEVER && submit < selection->window_from;
        if (!early && submit < selection->window_to) chosen->job[kept++] = chosen->job[i];
    }
    chosen->n = kept;
}

static void keep_range(Chosen *chosen, int64_t first, int64_t last)
{
    MUST(first >= 0);
    int64_t end = last < chosen->n ? last : chosen->n;
    int64_t n = end > first ? end - first : 0;
    if (n) memmove(chosen->job, chosen->job + first, (size_t)n * sizeof *chosen->job);
    chosen->n = (int32_t)n;
}

/* Each subset as likely, in order (Knuth, The Art of Computer Programming, vol. 2, algorithm 3.4.2 S). */
static void keep_sample(Chosen *chosen, int64_t sample, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "sample", 0);
    int32_t kept = 0;
    for (int32_t i = 0; i < chosen->n && kept < sample; i++)
        if (rng_below(&rng, chosen->n - i) < sample - kept) chosen->job[kept++] = chosen->job[i];
    chosen->n = kept;
}

/* Uniform within half an hour of the job, reflected at the trace's first submission so that none comes before it. */
static SimTime jitter(SimTime submit, SimTime first, uint64_t seed, int32_t job, int32_t which)
{
    Rng rng;
    rng_open(&rng, seed, "load", (uint64_t)job * MOST_COPIES * 2 + (uint64_t)which);
    SimTime at = submit - JITTER + rng_below(&rng, 2 * JITTER + 1);
    return at < first ? first + (first - at) : at;
}

static int32_t n_copies(double load, uint64_t seed, int32_t job)
{
    Rng rng;
    double whole = floor(load);
    rng_open(&rng, seed, "load", (uint64_t)job * MOST_COPIES * 2);
    return (int32_t)whole + (load > whole && rng_uniform(&rng) < load - whole);
}

static int by_submit(const void *a, const void *b)
{
    const Copy *x = a, *y = b;
    if (x->submit != y->submit) return x->submit < y->submit ? -1 : 1;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    return x->which < y->which ? -1 : 1;
}

/* All copies in order of submission; *n of them. */
static Copy *make_copies(const Workload *from, const Chosen *chosen, double load, uint64_t seed, Arena *scratch, int *n)
{
    int64_t total = 0;
    for (int32_t i = 0; i < chosen->n; i++) total += n_copies(load, seed, chosen->job[i]);
    MUST(total <= MOST_JOBS_OF_TRACE);
    Copy *copy = NEW_ARRAY(scratch, Copy, total ? total : 1);
    int32_t k = 0;
    SimTime first = from->job[chosen->job[0]].submit;
    for (int32_t i = 0; i < chosen->n; i++) {
        int32_t job = chosen->job[i], copies = n_copies(load, seed, job);
        SimTime submit = from->job[job].submit;
        for (int32_t which = 1; which <= copies; which++)
            copy[k++] = (Copy){which == 1 ? submit : jitter(submit, first, seed, job, which), job, which};
    }
    if (load > 1) qsort(copy, (size_t)k, sizeof *copy, by_submit);
    *n = k;
    return copy;
}

static size_t name_length(const Workload *from, const Copy *copy)
{
    char suffix[16];
    size_t length = strlen(from->job[copy->job].name) + 1;
    return copy->which == 1 ? length : length + (size_t)snprintf(suffix, sizeof suffix, "#%d", (int)copy->which);
}

/* A trace may have jobs that are called like copies, if it was itself made with a load. */
static bool check_names(const Workload *from, const Copy *copy, int n, Arena *scratch, Err *err)
{
    Names marked = {.arena = scratch};
    for (int i = 0; i < from->n; i++)
        if (strchr(from->job[i].name, '#')) names_add(&marked, from->job[i].name, strlen(from->job[i].name), NULL);
    for (int k = 0; k < n && marked.n; k++) {
        if (copy[k].which == 1) continue;
        const char *name = arena_format(scratch, "%s#%d", from->job[copy[k].job].name, (int)copy[k].which);
        if (names_find(&marked, name, strlen(name)) >= 0)
            return err_set(err, ERR_USAGE, "load: the copy '%s' would bear the name of another job of the trace", name);
    }
    return true;
}

/* The table of the copies, their names in one piece of memory. */
static JobSpec *build_table(const Workload *from, const Copy *copy, int n, Arena *arena)
{
    size_t bytes = 0;
    for (int k = 0; k < n; k++)
        if (copy[k].which > 1) bytes += name_length(from, &copy[k]);
    JobSpec *table = NEW_ARRAY(arena, JobSpec, n);
    char *name = NEW_ARRAY(arena, char, bytes + 1);
    for (int k = 0; k < n; k++) {
        table[k] = from->job[copy[k].job];
        table[k].submit = copy[k].submit;
        if (copy[k].which == 1) continue;
        size_t length = name_length(from, &copy[k]);
        snprintf(name, length, "%s#%d", table[k].name, (int)copy[k].which);
        table[k].name = name;
        name += length;
    }
    return table;
}

/* The order stays: a larger distance never becomes a smaller one. */
static bool scale_arrivals(JobSpec table[], int n, double scale, Err *err)
{
    SimTime first = table[0].submit;
    for (int k = 0; k < n && scale != 1; k++) {
        double distance = (double)(table[k].submit - first) * scale;
        if (distance > (double)(TIME_LIMIT - first))
            return err_set(err, ERR_USAGE, "arrival scale %g: job '%s' would be submitted after 10^12 s", scale,
                           table[k].name);
        table[k].submit = first + llrint(distance);
    }
    return true;
}

static bool select_with(const Workload *from, const Selection *selection, uint64_t seed, Arena *arena, Arena *scratch,
                        Workload *to, Err *err)
{
    Chosen chosen = {NEW_ARRAY(scratch, int32_t, from->n), from->n};
    for (int32_t i = 0; i < from->n; i++) chosen.job[i] = i;
    keep_window(&chosen, from, selection);
    keep_range(&chosen, selection->first, selection->last);
    if (selection->sample > chosen.n)
        return err_set(err, ERR_USAGE, "a sample of %lld jobs was asked for, but there are %d to choose from",
                       (long long)selection->sample, (int)chosen.n);
    if (selection->sample) keep_sample(&chosen, selection->sample, seed);
    if (!chosen.n) return err_set(err, ERR_USAGE, "no job of the trace is selected");
    if ((double)chosen.n * ceil(selection->load) > MOST_JOBS_OF_TRACE)
        return err_set(err, ERR_USAGE, "load %g: more than %d jobs", selection->load, MOST_JOBS_OF_TRACE);

    int n;
    Copy *copy = make_copies(from, &chosen, selection->load, seed, scratch, &n);
    if (!n) return err_set(err, ERR_USAGE, "load %g leaves no job of %d", selection->load, (int)chosen.n);
    if (!check_names(from, copy, n, scratch, err)) return false;

    JobSpec *table = build_table(from, copy, n, arena);
    *to = *from;
    to->job = table;
    to->n = n;
    to->load = from->load * selection->load;
    to->arrival_scale = from->arrival_scale * selection->arrival_scale;
    return scale_arrivals(table, n, selection->arrival_scale, err);
}

static bool selects_all(const Workload *from, const Selection *s)
{
    return s->window_from == TIME_NEVER && s->window_to == TIME_NEVER && s->first == 0 && s->last >= from->n &&
           s->sample == 0 && s->load == 1 && s->arrival_scale == 1;
}

bool select_jobs(const Workload *from, const Selection *selection, uint64_t seed, Arena *arena, Workload *to, Err *err)
{
    if (!(selection->load > 0 && selection->load <= MOST_COPIES))
        return err_set(err, ERR_USAGE, "load: expected a number above 0 and up to %d, not %g", MOST_COPIES,
                       selection->load);
    if (!(selection->arrival_scale >= 0 && selection->arrival_scale <= 1e9))
        return err_set(err, ERR_USAGE, "arrival scale: expected a number from 0 to 1e9, not %g",
                       selection->arrival_scale);
    if (selects_all(from, selection)) { /* share the table */
        *to = *from;
        return true;
    }
    Arena scratch = {0};
    bool good = select_with(from, selection, seed, arena, &scratch, to, err);
    arena_free(&scratch);
    return good;
}
