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
    return figure_draw(&figure, dir, drawn, arena, err);
}

/* A learning curve: phase, step, and the columns that are drawn. */
enum { PHASE, STEP, FIRST_DRAWN };
static const char *const training_columns[] = {"phase",  "step",         "loss",   "entropy", "agreement",
                                               "reward", "reward_mlf_h", "spread", "check"};
enum { N_TRAINING = sizeof training_columns / sizeof *training_columns };
static const char *const phases[] = {"imitate", "reinforce", NULL};

typedef struct Training {
    ReadColumn column[N_TRAINING];
    int64_t rows;
} Training;

static bool read_training(const char *path, Training *training, Arena *arena, Err *err)
{
    for (int c = 0; c < N_TRAINING; c++)
        training->column[c] = (ReadColumn){.name = training_columns[c], .kind = c ? COLUMN_NUMBER : COLUMN_TEXT};
    return readback_csv(path, training->column, N_TRAINING, &training->rows, arena, err);
}

/* The values that a column has in one phase; at most MOST_POINTS of them, the last among them. */
static FigureCurve training_curve(int series, const Training *training, const char *phase, int column, Arena *arena)
{
    double *point = NEW_ARRAY(arena, double, 2 * (training->rows + 1));
    int64_t n = 0, kept = 0;
    for (int64_t i = 0; i < training->rows; i++) {
        double value = training->column[column].number[i];
        if (strcmp(training->column[PHASE].text[i], phase) != 0 || isnan(value)) continue;
        point[2 * n] = training->column[STEP].number[i];
        point[2 * n++ + 1] = value;
    }
    int64_t every = (n + MOST_POINTS - 1) / MOST_POINTS;
    for (int64_t i = 0; i < n; i++)
        if ((n - 1 - i) % every == 0) {
            point[2 * kept] = point[2 * i];
            point[2 * kept++ + 1] = point[2 * i + 1];
        }
    return (FigureCurve){series, NULL, point, kept};
}

bool plot_training(const char *const path[], int n_paths, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    Training *training = NEW_ARRAY(arena, Training, n_paths);
    FigureSeries *series = NEW_ARRAY(arena, FigureSeries, n_paths);
    double last_x = 0;
    for (int i = 0; i < n_paths; i++) {
        if (!read_training(path[i], &training[i], arena, err)) return false;
        const char *slash = strrchr(path[i], '/');
        series[i] = (FigureSeries){n_paths == 1 && slash ? slash + 1 : path[i], "mlf-rl", i};
    }
    FigurePanel panel[2 * N_TRAINING];
    int n = 0;
    for (const char *const *phase = phases; *phase; phase++)
        for (int c = FIRST_DRAWN; c < N_TRAINING; c++) {
            panel[n] = (FigurePanel){arena_format(arena, "%s: %s", *phase, training_columns[c]),
                                     NEW_ARRAY(arena, FigureCurve, n_paths), 0};
            for (int i = 0; i < n_paths; i++) {
                FigureCurve curve = training_curve(i, &training[i], *phase, c, arena);
                if (!curve.n) continue;
                last_x = fmax(last_x, curve.value[2 * (curve.n - 1)]);
                panel[n].curve[panel[n].n++] = curve;
            }
            n += panel[n].n > 0;
        }
    if (n == 0) return err_set(err, ERR_DATA, "%s: no values, so there is nothing to draw", path[0]);
    const FigureSetting setting[] = {{"xname", "Step", 0}, {"last_x", NULL, last_x}, {NULL, NULL, 0}};
    const Figure figure = {.name = "training",
                           .columns = "step of the phase, value",
                           .n_columns = 2,
                           .script = figure_training,
                           .series = series,
                           .n_series = n_paths,
                           .panel = panel,
                           .n_panels = n,
                           .setting = setting};
    return figure_draw(&figure, dir, drawn, arena, err);
}
