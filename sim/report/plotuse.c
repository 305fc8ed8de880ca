/* sim/report/plotuse.c -- curves over time: the cluster and its queue, and the rewards of training. */
#include <math.h>
#include <string.h>

#include "sim/report/figures.h"
#include "sim/report/plot.h"
#include "sim/report/readback.h"
#include "sim/report/usage.h"

enum { STRETCHES = 400 };

/* A step curve: its value from each stretch on, and once more at the end. */
static FigureCurve curve_of(int series, const Usage *usage, const double value[], Arena *arena)
{
    double *point = NEW_ARRAY(arena, double, 2 * (usage->n + 1));
    for (int i = 0; i <= usage->n; i++) {
        point[2 * i] = time_seconds(i * usage->stretch);
        point[2 * i + 1] = value[i < usage->n ? i : i - 1];
    }
    return (FigureCurve){series, NULL, point, usage->n + 1};
}

bool plot_cluster_use(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    int n_groups;
    const RunGroup *group = runset_groups(set, &n_groups, arena);
    FigurePanel panel[2] = {{"GPUs busy", NEW_ARRAY(arena, FigureCurve, n_groups), 0},
                            {"Jobs waiting", NEW_ARRAY(arena, FigureCurve, n_groups), 0}};
    double end_s = 0, gpus = 0, stretch_s = 0;
    for (int g = 0; g < n_groups; g++) {
        Usage usage;
        if (!usage_read(&set->run[group[g].run[0]], STRETCHES, &usage, arena, err)) return false;
        if (!usage.n) continue;
        panel[0].curve[panel[0].n++] = curve_of(g, &usage, usage.busy_gpus, arena);
        panel[1].curve[panel[1].n++] = curve_of(g, &usage, usage.waiting_jobs, arena);
        end_s = fmax(end_s, time_seconds(usage.n * usage.stretch));
        stretch_s = fmax(stretch_s, time_seconds(usage.stretch));
        gpus = fmax(gpus, usage.gpus);
    }
    if (!panel[0].n) return true; /* nothing took any time */
    const FigureSetting setting[] = {
        {"end_s", NULL, end_s}, {"gpus", NULL, gpus}, {"stretch_s", NULL, stretch_s}, {NULL, NULL, 0}};
    const Figure figure = {.name = "cluster_use",
                           .columns = "seconds since the first submission, mean from there to the next row",
                           .n_columns = 2,
                           .script = figure_over_time,
                           .series = figure_series_of(group, n_groups, arena),
                           .n_series = n_groups,
                           .panel = panel,
                           .n_panels = 2,
                           .setting = setting};
    drawn->name[drawn->n++] = figure.name;
    return figure_draw(&figure, dir, arena, err);
}

/* A learning curve: the numbers of a table, column by column. */
typedef struct Training {
    ReadColumn *column;
    int n;
    int64_t rows;
} Training;

static bool read_training(const char *path, Training *training, Arena *arena, Err *err)
{
    const char *const *name = readback_header(path, &training->n, arena, err);
    if (!name) return false;
    if (training->n < 2) return err_set(err, ERR_DATA, "%s: expected a table of two columns or more", path);
    training->column = NEW_ARRAY(arena, ReadColumn, training->n);
    for (int c = 0; c < training->n; c++) training->column[c] = (ReadColumn){.name = name[c], .kind = COLUMN_NUMBER};
    return readback_csv(path, training->column, training->n, &training->rows, arena, err);
}

/* At most MOST_POINTS of its points, the last among them. */
static FigureCurve training_curve(int series, const Training *training, const ReadColumn *y, Arena *arena)
{
    int64_t every = (training->rows + MOST_POINTS - 1) / MOST_POINTS, n = 0;
    double *point = NEW_ARRAY(arena, double, 2 * (training->rows + 1));
    for (int64_t i = 0; i < training->rows; i++) {
        if ((training->rows - 1 - i) % every != 0 || isnan(y->number[i])) continue;
        point[2 * n] = training->column[0].number[i];
        point[2 * n + 1] = y->number[i];
        n++;
    }
    return (FigureCurve){series, NULL, point, n};
}

static double largest(const ReadColumn *column, int64_t rows)
{
    double best = (double)NAN;
    for (int64_t i = 0; i < rows; i++) best = fmax(best, column->number[i]); /* fmax passes NaN over */
    return best;
}

static const ReadColumn *column_named(const Training *training, const char *name)
{
    for (int c = 1; c < training->n; c++)
        if (strcmp(training->column[c].name, name) == 0) return &training->column[c];
    return NULL;
}

bool plot_training(const char *const path[], int n_paths, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    enum { MOST_PANELS = 12 };
    Training *training = NEW_ARRAY(arena, Training, n_paths);
    FigureSeries *series = NEW_ARRAY(arena, FigureSeries, n_paths);
    double last_x = 0;
    for (int i = 0; i < n_paths; i++) {
        if (!read_training(path[i], &training[i], arena, err)) return false;
        const char *slash = strrchr(path[i], '/');
        series[i] = (FigureSeries){n_paths == 1 && slash ? slash + 1 : path[i], "mlf-rl", i};
        last_x = fmax(last_x, largest(&training[i].column[0], training[i].rows));
    }
    FigurePanel panel[MOST_PANELS];
    int n = 0;
    for (int c = 1; c < training[0].n && n < MOST_PANELS; c++) {
        panel[n] = (FigurePanel){training[0].column[c].name, NEW_ARRAY(arena, FigureCurve, n_paths), 0};
        for (int i = 0; i < n_paths; i++) {
            const ReadColumn *y = column_named(&training[i], panel[n].title);
            if (!y) continue;
            FigureCurve curve = training_curve(i, &training[i], y, arena);
            if (curve.n) panel[n].curve[panel[n].n++] = curve;
        }
        n += panel[n].n > 0;
    }
    if (n == 0) return err_set(err, ERR_DATA, "%s: no values, so there is nothing to draw", path[0]);
    const FigureSetting setting[] = {
        {"xname", training[0].column[0].name, 0}, {"last_x", NULL, last_x}, {NULL, NULL, 0}};
    const Figure figure = {.name = "training",
                           .columns = arena_format(arena, "%s value", training[0].column[0].name),
                           .n_columns = 2,
                           .script = figure_training,
                           .series = series,
                           .n_series = n_paths,
                           .panel = panel,
                           .n_panels = n,
                           .setting = setting};
    drawn->name[drawn->n++] = figure.name;
    return figure_draw(&figure, dir, arena, err);
}
