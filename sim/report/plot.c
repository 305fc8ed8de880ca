/* sim/report/plot.c -- curves from runs, the data file, the script. */
#include "sim/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/out.h"
#include "sim/report/figures.h"
#include "sim/report/gnuplot.h"
#include "sim/report/stats.h"

enum { MOST_STEPS = 1000 };

typedef struct Curve {
    const char *title, *policy, *group;
    CdfStep *step; /* [n_steps] */
    int64_t n_steps, n_jobs;
    int style_shift; /* how many curves of the same policy came before */
} Curve;

typedef struct Figure {
    const RunSet *set;
    Arena *arena;
    Curve *curve; /* [n] */
    int n;
} Figure;

int64_t cdf_steps(const SimTime sorted[], int64_t n, CdfStep step[])
{
    int64_t n_steps = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i + 1 < n && sorted[i + 1] == sorted[i]) continue; /* the last of equals stands for them all */
        step[n_steps++] = (CdfStep){sorted[i], (double)(i + 1) / (double)n};
    }
    return n_steps;
}

static double log_of(SimTime time)
{
    return log10(time > 0 ? (double)time : 0.5); /* microseconds: zero lies left of all others */
}

int64_t cdf_thin(CdfStep step[], int64_t n, int64_t most)
{
    if (n <= most) return n;
    MUST(most >= 3);
    double width = log_of(step[n - 1].at) - log_of(step[0].at);
    /* Along the curve, width and height count as 1 each: the whole way is 2. */
    double stride = 2.0 / (double)(most - 2);
    int64_t kept = 1;
    for (int64_t i = 1; i < n - 1; i++) {
        const CdfStep *last = &step[kept - 1];
        double way = (log_of(step[i].at) - log_of(last->at)) / width + (step[i].share - last->share);
        if (way >= stride) step[kept++] = step[i];
    }
    step[kept++] = step[n - 1];
    MUST(kept <= most);
    return kept;
}

static bool fill_curve(Figure *figure, Curve *curve, Err *err)
{
    int64_t total = 0, *count = NEW_ARRAY(figure->arena, int64_t, figure->set->n);
    SimTime **part = NEW_ARRAY(figure->arena, SimTime *, figure->set->n);
    for (int r = 0; r < figure->set->n; r++) {
        const FoundRun *run = &figure->set->run[r];
        if (strcmp(run->group, curve->group) != 0) continue;
        part[r] = run_read_jcts(run, figure->arena, &count[r], err);
        if (!part[r]) return false;
        total += count[r];
    }
    SimTime *all = NEW_ARRAY(figure->arena, SimTime, total + 1);
    int64_t n = 0;
    for (int r = 0; r < figure->set->n; r++) {
        if (count[r]) memcpy(all + n, part[r], (size_t)count[r] * sizeof *all);
        n += count[r];
    }
    sort_integers(all, n, NEW_ARRAY(figure->arena, int64_t, n + 1));
    curve->n_jobs = n;
    curve->step = NEW_ARRAY(figure->arena, CdfStep, n + 1);
    curve->n_steps = cdf_thin(curve->step, cdf_steps(all, n, curve->step), MOST_STEPS);
    return true;
}

/* One curve a group, in the order of the runs. */
static bool gather_curves(Figure *figure, Err *err)
{
    figure->curve = NEW_ARRAY(figure->arena, Curve, figure->set->n + 1);
    for (int r = 0; r < figure->set->n; r++) {
        const FoundRun *run = &figure->set->run[r];
        bool seen = false;
        int same_policy = 0;
        for (int c = 0; c < figure->n; c++) {
            seen |= strcmp(figure->curve[c].group, run->group) == 0;
            same_policy += strcmp(figure->curve[c].policy, run->policy) == 0;
        }
        if (seen) continue;
        Curve *curve = &figure->curve[figure->n];
        *curve = (Curve){.policy = run->policy, .group = run->group, .style_shift = same_policy};
        if (!fill_curve(figure, curve, err)) return false;
        if (curve->n_steps) figure->n++; /* nothing completed: nothing to draw */
    }
    if (figure->n == 0)
        return err_set(err, ERR_DATA, "%s: no job completed in these runs, so there is nothing to draw",
                       figure->set->run[0].folder);
    for (int c = 0; c < figure->n; c++) {
        Curve *curve = &figure->curve[c];
        bool alone = true;
        for (int d = 0; d < figure->n; d++) alone &= d == c || strcmp(figure->curve[d].policy, curve->policy) != 0;
        curve->title = alone ? curve->policy : arena_format(figure->arena, "%s (%s)", curve->policy, curve->group);
    }
    return true;
}

static bool write_data(const Figure *figure, const char *path, Err *err)
{
    Out *out = out_open(figure->arena, path, err);
    if (!out) return false;
    out_text(out, "# jct_s share: this share of the completed jobs took no longer than that\n");
    for (int c = 0; c < figure->n; c++) {
        const Curve *curve = &figure->curve[c];
        if (c) out_text(out, "\n\n");
        out_text(out, "# ");
        out_text(out, curve->title);
        out_text(out, ", jobs: ");
        out_int(out, curve->n_jobs);
        out_char(out, '\n');
        for (int64_t i = 0; i < curve->n_steps; i++) {
            out_time(out, curve->step[i].at);
            out_char(out, ' ');
            out_double(out, curve->step[i].share);
            out_char(out, '\n');
        }
    }
    return out_close(out, err);
}

/* A gnuplot string. */
static void put_quoted(Out *out, const char *text)
{
    out_char(out, '\'');
    for (; *text; text++) {
        if (*text == '\'') out_char(out, '\'');
        out_char(out, *text >= ' ' || *text < 0 ? *text : ' ');
    }
    out_char(out, '\'');
}

/* The decade below all but the fastest hundredth of each curve's jobs, zeros apart; a round number above the slowest.
 */
static void find_edges(const Figure *figure, double *left, double *right)
{
    SimTime low = TIME_NEVER, high = 0;
    for (int c = 0; c < figure->n; c++) {
        const Curve *curve = &figure->curve[c];
        double from = 0.01 + (curve->step[0].at == 0 ? curve->step[0].share : 0);
        for (int64_t i = 0; i < curve->n_steps; i++) {
            const CdfStep *step = &curve->step[i];
            if (step->at > 0 && (step->share >= from || i == curve->n_steps - 1) && step->at < low) low = step->at;
            if (step->at > high) high = step->at;
        }
    }
    if (low == TIME_NEVER) low = high = TIME_SECOND; /* nothing but zeros */
    *left = pow(10, floor(log10(time_seconds(low))));
    double decade = pow(10, floor(log10(time_seconds(high)))), round = time_seconds(high) / decade;
    *right = decade * (round < 2 ? 2 : round < 5 ? 5 : 10);
    if (*right < 10 * *left) *right = 10 * *left;
}

static void put_array(Out *out, const char *name, int n)
{
    out_format(out, "array %s[%d]\n", name, n);
}

static bool write_script(const Figure *figure, const char *path, Err *err)
{
    double left, right;
    find_edges(figure, &left, &right);
    Out *out = out_open(figure->arena, path, err);
    if (!out) return false;
    out_text(out, "# Written by mlfs-sim plot.  Edit and draw again, in this folder: gnuplot jct_cdf.gp\n\n");
    for (const char *const *line = figure_style; *line; line++) out_text(out, *line);
    out_format(out, "\n# ---- what is drawn ----\ndata = 'jct_cdf.dat'\nn = %d\n", figure->n);
    out_text(out, "left_s = ");
    out_double(out, left);
    out_text(out, "\nright_s = ");
    out_double(out, right);
    out_char(out, '\n');
    put_array(out, "title", figure->n);
    put_array(out, "style", figure->n);
    put_array(out, "first_s", figure->n);
    put_array(out, "first_share", figure->n);
    for (int c = 0; c < figure->n; c++) {
        const Curve *curve = &figure->curve[c];
        unsigned other =
            (unsigned)(hash_text(HASH_START, curve->policy) >> 32); /* of a policy the style does not list */
        out_format(out, "title[%d] = ", c + 1);
        put_quoted(out, curve->title);
        out_format(out, "; style[%d] = shifted(style_of(", c + 1);
        put_quoted(out, curve->policy);
        out_format(out, ", %u), %d)", 10 * (1 + other % 8) + other / 8 % 4, curve->style_shift);
        out_format(out, "; first_s[%d] = ", c + 1);
        out_time(out, curve->step[0].at);
        out_format(out, "; first_share[%d] = ", c + 1);
        out_double(out, curve->step[0].share);
        out_char(out, '\n');
    }
    out_char(out, '\n');
    for (const char *const *line = figure_jct_cdf; *line; line++) out_text(out, *line);
    return out_close(out, err);
}

bool plot_jct_cdf(const RunSet *set, const char *dir, Arena *arena, Err *err)
{
    Figure figure = {.set = set, .arena = arena};
    return gather_curves(&figure, err) && make_folders(dir, err) &&
           write_data(&figure, arena_format(arena, "%s/jct_cdf.dat", dir), err) &&
           write_script(&figure, arena_format(arena, "%s/jct_cdf.gp", dir), err) &&
           gnuplot_draw(dir, "jct_cdf", arena, err);
}
