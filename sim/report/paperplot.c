/* sim/report/paperplot.c -- panels with the paper's bars at the left and ours at the right, and all of it as a table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/out.h"
#include "sim/report/bootstrap.h"
#include "sim/report/figures.h"
#include "sim/report/paper.h"
#include "sim/report/ranktest.h"
#include "sim/report/readback.h"
#include "sim/report/stats.h"

typedef struct PanelLook {
    int figure;
    const char *panel, *yname;
} PanelLook;

static const PanelLook looks[] = {
    {4, "b", "Mean completion time (min)"},
    {4, "c", "Deadlines met"},
    {4, "d", "Mean wait (s)"},
    {4, "e", "Mean accuracy by the deadline"},
    {4, "f", "Required accuracy reached"},
    {4, "g", "Between servers (TB)"},
    {4, "h", "A scheduling round (ms)"},
    {5, "b", "Mean completion time (min)"},
    {5, "c", "Deadlines met"},
    {5, "d", "Mean wait (s)"},
    {5, "e", "Mean accuracy by the deadline"},
    {5, "f", "Required accuracy reached"},
    {5, "g", "Between servers (PB)"},
    {5, "h", "A scheduling round (ms)"},
    {6, "a", "Urgent jobs: deadlines met"},
    {6, "b", "Deadlines met"},
    {7, "a", "Between servers (TB)"},
    {7, "b", "Mean completion time (min)"},
    {8, "a", "Between servers (TB)"},
    {8, "b", "Overloads of a server"},
    {8, "c", "Mean accuracy by the deadline"},
    {8, "d", "Mean completion time (min)"},
    {9, "a", "Required accuracy reached"},
    {9, "b", "Mean completion time (min)"},
    {0, NULL, NULL},
};

/* What the bars of figures 6 to 9 are with and without. */
static const char *part_of(int figure, const char *panel)
{
    switch (figure) {
    case 6: return *panel == 'a' ? "urgency" : "deadlines";
    case 7: return "bandwidth";
    case 8: return "migration";
    case 9: return "load control";
    default: return NULL;
    }
}

/* One panel: its loads and policies, and a value for each pair of them (NULL: none). */
typedef struct Bars {
    const PanelLook *look;
    double *load;        /* [n_loads], ascending; those at which we have a run */
    const char **policy; /* [n_policies], the paper's first */
    int n_loads, n_policies, n_seeds;
    const PaperValue **value; /* [n_policies * n_loads] */
    double *tau;              /* [n_loads]; NaN: fewer than three policies to put in order */
} Bars;

/* As the legend has it: the paper calls its fair scheduler by the framework that it belongs to. */
static const char *legend_of(const char *policy)
{
    return strcmp(policy, "borg") == 0 ? "borg (TensorFlow)" : policy;
}

static int compare_loads(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int place_of(const char **list, int n, const char *text)
{
    int i = 0;
    while (i < n && strcmp(list[i], text) != 0) i++;
    return i;
}

static bool has_load(const Bars *bars, double load)
{
    for (int i = 0; i < bars->n_loads; i++)
        if (bars->load[i] == load) return true;
    return false;
}

/* Of figures 6 to 9 one side alone, which comes with the runs of figure 4, says nothing. */
static bool is_worth_drawing(const Bars *bars)
{
    int n = 0;
    for (int p = 0; p < bars->n_policies; p++) {
        bool has_ours = false;
        for (int l = 0; l < bars->n_loads; l++) {
            const PaperValue *v = bars->value[p * bars->n_loads + l];
            has_ours |= v && v->n_ours;
        }
        n += has_ours;
    }
    return n >= (bars->look->figure < 6 ? 1 : 2);
}

static bool is_of(const PaperValue *v, const PanelLook *look)
{
    return v->figure == look->figure && strcmp(v->panel, look->panel) == 0;
}

/* The order of the policies: ours (medians) against the paper's. */
static double tau_at(const Bars *bars, int load, Arena *arena)
{
    double *paper = NEW_ARRAY(arena, double, bars->n_policies), *ours = NEW_ARRAY(arena, double, bars->n_policies);
    int n = 0;
    for (int p = 0; p < bars->n_policies; p++) {
        const PaperValue *v = bars->value[p * bars->n_loads + load];
        if (!v || isnan(v->paper) || !v->n_ours) continue;
        paper[n] = v->paper;
        ours[n++] = paper_median(v, arena);
    }
    return n >= 3 ? ranktest_kendall(paper, ours, n) : (double)NAN;
}

static Bars bars_of(const PaperTable *table, const PanelLook *look)
{
    Bars bars = {.look = look,
                 .load = NEW_ARRAY(table->arena, double, table->n),
                 .policy = NEW_ARRAY(table->arena, const char *, table->n)};
    for (int i = 0; i < table->n; i++) {
        const PaperValue *v = &table->value[i];
        if (!is_of(v, look)) continue;
        if (v->n_ours && !has_load(&bars, v->load)) bars.load[bars.n_loads++] = v->load;
        if (v->n_ours > bars.n_seeds) bars.n_seeds = v->n_ours;
        if (place_of(bars.policy, bars.n_policies, v->policy) == bars.n_policies)
            bars.policy[bars.n_policies++] = v->policy;
    }
    qsort(bars.load, (size_t)bars.n_loads, sizeof *bars.load, compare_loads);
    bars.value = NEW_ARRAY(table->arena, const PaperValue *, bars.n_policies *bars.n_loads + 1);
    bars.tau = NEW_ARRAY(table->arena, double, bars.n_loads + 1);
    for (int i = 0; i < table->n; i++)
        for (int l = 0; l < bars.n_loads && is_of(&table->value[i], look); l++)
            if (bars.load[l] == table->value[i].load)
                bars.value[place_of(bars.policy, bars.n_policies, table->value[i].policy) * bars.n_loads + l] =
                    &table->value[i];
    for (int l = 0; l < bars.n_loads; l++) bars.tau[l] = tau_at(&bars, l, table->arena);
    return bars;
}

/* Bars that differ by orders of magnitude, on either side, stand on a logarithmic axis, which is then that of both; so
 * is that of shares, from 0 to 1. */
enum { WIDE = 50 };

typedef struct Axis {
    double bottom, top; /* bottom 0: linear; top 0: each side has its own */
} Axis;

static Axis axis_of(const FigurePanel panel[2])
{
    Axis axis = {(double)INFINITY, 0};
    bool wide = false;
    for (int side = 0; side < 2; side++) {
        double least = (double)INFINITY, most = 0;
        for (int c = 0; c < panel[side].n; c++)
            for (int64_t i = 0; i < panel[side].curve[c].n; i++) {
                const double *value = panel[side].curve[c].value;
                if (value[4 * i + 1] <= 0) continue;
                least = fmin(least, value[4 * i + 1]);
                most = fmax(most, value[4 * i + 1]);
                axis.top = fmax(axis.top, value[4 * i + 3]);
            }
        wide |= most > WIDE * least;
        axis.bottom = fmin(axis.bottom, least);
    }
    if (!wide) return (Axis){0, axis.top < 1.01 ? 1.01 : 0};
    return (Axis){pow(10, floor(log10(axis.bottom))), pow(10, ceil(log10(axis.top)))};
}

/* The bars of one policy on one side; rows of load, value, low, high.  False: it has none there. */
static bool bar_curve(const Bars *bars, int policy, bool ours, FigureCurve *curve, Arena *arena)
{
    double *row = NEW_ARRAY(arena, double, 4 * bars->n_loads);
    int64_t n = 0;
    for (int l = 0; l < bars->n_loads; l++) {
        const PaperValue *v = bars->value[policy * bars->n_loads + l];
        if (!v || (ours ? !v->n_ours : isnan(v->paper))) continue;
        double *r = &row[4 * n++];
        r[0] = l + 1;
        r[1] = ours ? paper_median(v, arena) : v->paper;
        r[2] = ours ? statistic_of(10, v->ours, v->n_ours, arena) : v->paper;
        r[3] = ours ? statistic_of(990, v->ours, v->n_ours, arena) : v->paper;
    }
    *curve = (FigureCurve){policy, NULL, row, n};
    return n > 0;
}

static const char *ours_title(int n_seeds, Arena *arena)
{
    return n_seeds > 1 ? arena_format(arena, "mlfs-sim, median, p1 to p99 of %d seeds", n_seeds) : "mlfs-sim, one seed";
}

static bool draw_bars(const Bars *bars, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    const PanelLook *look = bars->look;
    FigureSeries *series = NEW_ARRAY(arena, FigureSeries, bars->n_policies);
    FigurePanel panel[2] = {{"MLFS paper", NEW_ARRAY(arena, FigureCurve, bars->n_policies), 0},
                            {ours_title(bars->n_seeds, arena), NEW_ARRAY(arena, FigureCurve, bars->n_policies), 0}};
    const char *part = part_of(look->figure, look->panel);
    for (int p = 0; p < bars->n_policies; p++) {
        series[p] =
            (FigureSeries){part ? arena_format(arena, "%s %s", bars->policy[p], part) : legend_of(bars->policy[p]),
                           bars->policy[p], 0};
        for (int side = 0; side < 2; side++)
            panel[side].n += bar_curve(bars, p, side, &panel[side].curve[panel[side].n], arena);
    }
    FigureSetting *setting = NEW_ARRAY(arena, FigureSetting, 2 * bars->n_loads + 6);
    int n = 0;
    Axis axis = axis_of(panel);
    setting[n++] = (FigureSetting){"yname", look->yname, 0};
    setting[n++] = (FigureSetting){"xname", look->figure == 5 ? "Load, times the trace" : "Jobs", 0};
    setting[n++] = (FigureSetting){"loads", NULL, bars->n_loads};
    setting[n++] = (FigureSetting){"bottom", NULL, axis.bottom};
    setting[n++] = (FigureSetting){"top", NULL, axis.top};
    for (int l = 0; l < bars->n_loads; l++) {
        setting[n++] =
            (FigureSetting){arena_format(arena, "load_%d", l + 1), arena_format(arena, "%g", bars->load[l]), 0};
        setting[n++] = (FigureSetting){arena_format(arena, "tau_%d", l + 1),
                                       isnan(bars->tau[l]) ? "" : arena_format(arena, "τ %.2f", bars->tau[l]), 0};
    }
    const Figure figure = {.name = arena_format(arena, "fig%d%s", look->figure, look->panel),
                           .columns = "number of the load, value, 1st and 99th percentile over the seeds",
                           .n_columns = 4,
                           .script = figure_bars,
                           .series = series,
                           .n_series = bars->n_policies,
                           .panel = panel,
                           .n_panels = 2,
                           .setting = setting};
    return figure_draw(&figure, dir, drawn, arena, err);
}

static void put_rows(Out *out, const Bars *bars, Arena *arena)
{
    for (int l = 0; l < bars->n_loads; l++)
        for (int p = 0; p < bars->n_policies; p++) {
            const PaperValue *v = bars->value[p * bars->n_loads + l];
            if (!v) continue;
            out_format(out, "%d,%s,", v->figure, v->panel);
            out_double(out, v->load);
            out_char(out, ',');
            out_csv(out, v->policy);
            const double column[] = {v->paper, paper_median(v, arena), statistic_of(10, v->ours, v->n_ours, arena),
                                     statistic_of(990, v->ours, v->n_ours, arena)};
            for (size_t c = 0; c < sizeof column / sizeof *column; c++) {
                out_char(out, ',');
                out_double(out, column[c]);
            }
            out_format(out, ",%d,", v->n_ours);
            out_double(out, bars->tau[l]);
            out_char(out, '\n');
        }
}

/* Figures 4a and 5a: ours at the middle one of the loads that are there, all seeds pooled. */
static bool draw_cdf(const PaperTable *table, const Bars *bars, const char *dir, Drawn *drawn, Err *err)
{
    Arena *arena = table->arena;
    double load = bars->load[(bars->n_loads - 1) / 2], right = 0;
    RunSet chosen = {0};
    chosen.run = NEW_ARRAY(arena, FoundRun, table->set->n);
    for (int r = 0; r < table->set->n; r++)
        if (paper_is_at(&table->set->run[r], bars->look->figure, load, arena, err))
            chosen.run[chosen.n++] = table->set->run[r];
    if (err->kind || !chosen.n) return !err->kind;
    int n_groups;
    const RunGroup *group = runset_groups(&chosen, &n_groups, arena);
    FigureSeries *series = NEW_ARRAY(arena, FigureSeries, bars->n_policies);
    for (int p = 0; p < bars->n_policies; p++)
        series[p] = (FigureSeries){legend_of(bars->policy[p]), bars->policy[p], 0};
    FigurePanel panel[2] = {{"MLFS paper", NEW_ARRAY(arena, FigureCurve, bars->n_policies), 0},
                            {arena_format(arena, "mlfs-sim, %s %g", bars->look->figure == 5 ? "load" : "jobs:", load),
                             NEW_ARRAY(arena, FigureCurve, n_groups), 0}};

    int64_t rows;
    ReadColumn column[] = {{.name = "policy", .kind = COLUMN_TEXT},
                           {.name = "minutes", .kind = COLUMN_NUMBER},
                           {.name = "share", .kind = COLUMN_NUMBER}};
    readback_lines("paper_cdf.csv", figure_paper_cdf, column, 3, &rows, arena);
    for (int p = 0; p < bars->n_policies; p++) {
        double *point = NEW_ARRAY(arena, double, 2 * rows);
        int64_t n = 0;
        for (int64_t i = 0; i < rows; i++)
            if (strcmp(column[0].text[i], bars->policy[p]) == 0) {
                point[2 * n] = 60 * column[1].number[i];
                point[2 * n++ + 1] = column[2].number[i];
            }
        if (n) panel[0].curve[panel[0].n++] = (FigureCurve){p, NULL, point, n};
    }
    for (int g = 0; g < n_groups; g++) {
        int p = place_of(bars->policy, bars->n_policies, paper_policy(group[g].policy));
        FigureCurve curve;
        if (p == bars->n_policies) continue;
        if (!plot_jct_curve(&chosen, &group[g], p, &curve, arena, err)) return false;
        if (!curve.n) continue;
        right = fmax(right, curve.value[2 * (curve.n - 1)]);
        panel[1].curve[panel[1].n++] = curve;
    }
    if (!panel[1].n) return true;
    const FigureSetting setting[] = {{"right", NULL, fmax(right, 600000)}, {NULL, NULL, 0}};
    const Figure figure = {.name = arena_format(arena, "fig%da", bars->look->figure),
                           .columns = "jct_s share",
                           .n_columns = 2,
                           .script = figure_bars_cdf,
                           .series = series,
                           .n_series = bars->n_policies,
                           .panel = panel,
                           .n_panels = 2,
                           .setting = setting};
    return figure_draw(&figure, dir, drawn, arena, err);
}

bool plot_paper(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    PaperTable table;
    if (!paper_gather(&table, set, arena, err) || !make_folders(dir, err)) return false;
    Out *out = out_open(arena, arena_format(arena, "%s/paper.csv", dir), err);
    if (!out) return false;
    out_text(out, "figure,panel,load,policy,paper,median,p1,p99,seeds,tau\n");
    Bars bars[sizeof looks / sizeof *looks];
    int n = 0;
    for (const PanelLook *look = looks; look->panel; look++) {
        bars[n] = bars_of(&table, look);
        n += is_worth_drawing(&bars[n]);
    }
    for (int i = 0; i < n; i++) put_rows(out, &bars[i], arena);
    if (!out_close(out, err)) return false;
    for (int i = 0; i < n; i++) {
        const PanelLook *look = bars[i].look;
        if (look->figure < 6 && strcmp(look->panel, "b") == 0 && !draw_cdf(&table, &bars[i], dir, drawn, err))
            return false;
        if (!draw_bars(&bars[i], dir, drawn, arena, err)) return false;
    }
    return true;
}
