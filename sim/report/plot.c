/* sim/report/plot.c -- cumulative distributions: of all jobs, by size, by virtual cluster, and of fairness. */
#include "sim/report/plot.h"

#include <math.h>
#include <string.h>

#include "sim/base/names.h"
#include "sim/report/figures.h"
#include "sim/report/metrics.h"
#include "sim/report/readback.h"
#include "sim/report/stats.h"

enum { MOST_VCS = 6 };

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

/* The measured jobs of a policy that completed, over all its seeds. */
typedef struct Outcomes {
    int64_t n;
    SimTime *jct;
    SimTime *fairness; /* rho in millionths, TIME_NEVER: none */
    int *size, *vc;    /* classes */
} Outcomes;

typedef struct AllOutcomes {
    const RunSet *set;
    Arena *arena;
    RunGroup *group;
    Outcomes *pool; /* [n_groups] */
    int n_groups;
    Names vcs;
    FigureSeries *series;
} AllOutcomes;

static bool fill_pool(AllOutcomes *pools, const RunGroup *group, Outcomes *pool, Err *err)
{
    enum { JCT, GPUS, VC, RHO, N };
    int64_t room = 0;
    for (int k = 0; k < group->n; k++) {
        const FoundRun *run = &pools->set->run[group->run[k]];
        ReadColumn column[N] = {[JCT] = {.name = "jct_s", .kind = COLUMN_TIME},
                                [GPUS] = {.name = "n_gpus", .kind = COLUMN_NUMBER},
                                [VC] = {.name = "vc", .kind = COLUMN_TEXT},
                                [RHO] = {.name = "fairness", .kind = COLUMN_NUMBER}};
        Arena scratch = {0};
        int64_t rows;
        bool fine = readback_csv(run_file(run, "jobs.csv", pools->arena), column, N, &rows, &scratch, err);
        if (fine) {
            size_t before = (size_t)pool->n, after = (size_t)(room += rows + 1);
            pool->jct = arena_grow(pools->arena, pool->jct, before, after, sizeof *pool->jct);
            pool->fairness = arena_grow(pools->arena, pool->fairness, before, after, sizeof *pool->fairness);
            pool->size = arena_grow(pools->arena, pool->size, before, after, sizeof *pool->size);
            pool->vc = arena_grow(pools->arena, pool->vc, before, after, sizeof *pool->vc);
        }
        for (int64_t i = 0; fine && i < rows; i++) {
            if (!run_measures(run, i) || column[JCT].time[i] == TIME_NEVER) continue;
            const char *vc = column[VC].text[i];
            double rho = column[RHO].number[i];
            pool->jct[pool->n] = column[JCT].time[i];
            pool->fairness[pool->n] = isnan(rho) ? TIME_NEVER : time_from_seconds(rho);
            pool->size[pool->n] = size_class_of((int64_t)column[GPUS].number[i]);
            pool->vc[pool->n] = *vc ? names_add(&pools->vcs, vc, strlen(vc), NULL) : -1;
            pool->n++;
        }
        arena_free(&scratch);
        if (!fine) return false;
    }
    return true;
}

static bool fill_pools(AllOutcomes *pools, Err *err)
{
    pools->vcs.arena = pools->arena;
    pools->group = runset_groups(pools->set, &pools->n_groups, pools->arena);
    pools->series = figure_series_of(pools->group, pools->n_groups, pools->arena);
    pools->pool = NEW_ARRAY(pools->arena, Outcomes, pools->n_groups);
    int64_t all = 0;
    for (int g = 0; g < pools->n_groups; g++) {
        if (!fill_pool(pools, &pools->group[g], &pools->pool[g], err)) return false;
        all += pools->pool[g].n;
    }
    return all || err_set(err, ERR_DATA, "%s: no job completed in these runs, so there is nothing to draw",
                          pools->set->run[0].folder);
}

/* A panel being drawn: which values, of which class of jobs (NULL: all). */
typedef struct Choice {
    const SimTime *(*values)(const Outcomes *pool);
    const int *(*classes)(const Outcomes *pool);
    int wanted;
    const char *title;
} Choice;

static const SimTime *jct_of(const Outcomes *pool)
{
    return pool->jct;
}

static const SimTime *fairness_values(const Outcomes *pool)
{
    return pool->fairness;
}

static const int *size_of_jobs(const Outcomes *pool)
{
    return pool->size;
}

static const int *vc_of_jobs(const Outcomes *pool)
{
    return pool->vc;
}

/* A curve of steps (value, share); false: no job. */
static bool make_curve(const AllOutcomes *pools, int g, const Choice *choice, FigureCurve *curve)
{
    const Outcomes *pool = &pools->pool[g];
    const SimTime *value = choice->values(pool);
    Arena scratch = {0};
    SimTime *sorted = NEW_ARRAY(&scratch, SimTime, pool->n + 1);
    int64_t n = 0;
    for (int64_t i = 0; i < pool->n; i++)
        if (value[i] != TIME_NEVER && (!choice->classes || choice->classes(pool)[i] == choice->wanted))
            sorted[n++] = value[i];
    sort_integers(sorted, n, NEW_ARRAY(&scratch, int64_t, n + 1));
    CdfStep *step = NEW_ARRAY(&scratch, CdfStep, n + 1);
    int64_t n_steps = cdf_thin(step, cdf_steps(sorted, n, step), MOST_POINTS);
    double *point = NEW_ARRAY(pools->arena, double, 2 * n_steps + 1);
    for (int64_t i = 0; i < n_steps; i++) {
        point[2 * i] = time_seconds(step[i].at);
        point[2 * i + 1] = step[i].share;
    }
    arena_free(&scratch);
    *curve = (FigureCurve){g, arena_format(pools->arena, "jobs: %lld", (long long)n), point, n_steps};
    return n > 0;
}

static FigurePanel make_panel(const AllOutcomes *pools, const Choice *choice)
{
    FigurePanel panel = {.title = choice->title, .curve = NEW_ARRAY(pools->arena, FigureCurve, pools->n_groups)};
    for (int g = 0; g < pools->n_groups; g++) panel.n += make_curve(pools, g, choice, &panel.curve[panel.n]);
    return panel;
}

/* The decade below all but the fastest hundredth of each curve's jobs, zeros apart; a round number above the slowest.
 */
static void find_edges(const Figure *figure, double *left, double *right)
{
    double low = HUGE_VAL, high = 0;
    for (int p = 0; p < figure->n_panels; p++)
        for (int c = 0; c < figure->panel[p].n; c++) {
            const FigureCurve *curve = &figure->panel[p].curve[c];
            const double *v = curve->value;
            double from = 0.01 + (v[0] == 0 ? v[1] : 0);
            for (int64_t i = 0; i < curve->n; i++) {
                if (v[2 * i] > 0 && (v[2 * i + 1] >= from || i == curve->n - 1)) low = fmin(low, v[2 * i]);
                high = fmax(high, v[2 * i]);
            }
        }
    if (low == HUGE_VAL) low = high = 1; /* nothing but zeros */
    *left = pow(10, floor(log10(low)));
    double decade = pow(10, floor(log10(high))), round = high / decade;
    *right = decade * (round < 2 ? 2 : round < 5 ? 5 : 10);
    if (*right < 10 * *left) *right = 10 * *left;
}

typedef struct Look {
    const char *name, *columns, *xname;
    bool seconds;
    double marked;
    const char *mark_text;
} Look;

static const Look jct_look = {
    "jct_cdf", "jct_s share: this share of the completed jobs took no longer than that", "Job completion time", true,
    6000, /* the headline number of the MLFS paper is the share of jobs below that */
    "100 min"};
static const Look fairness_look = {"fairness",
                                   "rho share: this share of the completed jobs has no larger finish-time fairness",
                                   "Completion time / that on an isolated equal share",
                                   false,
                                   1,
                                   "equal share"};

static bool draw(const AllOutcomes *pools, const char *name, const Look *look, const Choice choice[], int n_choices,
                 const char *dir, Drawn *drawn, Err *err)
{
    FigurePanel *panel = NEW_ARRAY(pools->arena, FigurePanel, n_choices + 1);
    int n = 0;
    for (int p = 0; p < n_choices; p++) {
        panel[n] = make_panel(pools, &choice[p]);
        n += panel[n].n > 0;
    }
    if (n == 0) return true;
    double left, right;
    Figure figure = {.name = name,
                     .columns = look->columns,
                     .n_columns = 2,
                     .script = figure_cdf,
                     .series = pools->series,
                     .n_series = pools->n_groups,
                     .panel = panel,
                     .n_panels = n};
    find_edges(&figure, &left, &right);
    const FigureSetting setting[] = {{"left", NULL, left},
                                     {"right", NULL, right},
                                     {"seconds", NULL, look->seconds},
                                     {"marked", NULL, look->marked},
                                     {"mark_text", look->mark_text, 0},
                                     {"xname", look->xname, 0},
                                     {"yname", "Jobs completed (%)", 0},
                                     {NULL, NULL, 0}};
    figure.setting = setting;
    return figure_draw(&figure, dir, drawn, pools->arena, err);
}

static bool draw_by_size(const AllOutcomes *pools, const char *dir, Drawn *drawn, Err *err)
{
    Choice choice[N_SIZE_CLASSES];
    for (int c = 0; c < N_SIZE_CLASSES; c++)
        choice[c] =
            (Choice){jct_of, size_of_jobs, c, arena_format(pools->arena, "%s GPU%s", size_class_name(c), c ? "s" : "")};
    return draw(pools, "jct_cdf_by_size", &jct_look, choice, N_SIZE_CLASSES, dir, drawn, err);
}

/* The virtual clusters with most jobs, largest first. */
static bool draw_by_vc(const AllOutcomes *pools, const char *dir, Drawn *drawn, Err *err)
{
    Choice choice[MOST_VCS];
    int64_t *count = NEW_ARRAY(pools->arena, int64_t, pools->vcs.n + 1);
    for (int g = 0; g < pools->n_groups; g++)
        for (int64_t i = 0; i < pools->pool[g].n; i++)
            if (pools->pool[g].vc[i] >= 0) count[pools->pool[g].vc[i]]++;
    int n = 0;
    for (; n < MOST_VCS && n < pools->vcs.n; n++) {
        int largest = 0;
        for (int v = 1; v < pools->vcs.n; v++)
            if (count[v] > count[largest]) largest = v;
        choice[n] =
            (Choice){jct_of, vc_of_jobs, largest, arena_format(pools->arena, "VC %s", pools->vcs.text[largest])};
        count[largest] = -1;
    }
    return draw(pools, "jct_cdf_by_vc", &jct_look, choice, n, dir, drawn, err);
}

bool plot_distributions(const RunSet *set, const char *dir, Drawn *drawn, Arena *arena, Err *err)
{
    AllOutcomes pools = {.set = set, .arena = arena};
    const Choice all = {.values = jct_of}, fairness = {.values = fairness_values};
    return fill_pools(&pools, err) && draw(&pools, "jct_cdf", &jct_look, &all, 1, dir, drawn, err) &&
           draw_by_size(&pools, dir, drawn, err) && draw_by_vc(&pools, dir, drawn, err) &&
           draw(&pools, "fairness", &fairness_look, &fairness, 1, dir, drawn, err);
}

bool plot_jct_curve(const RunSet *set, const RunGroup *group, int series, FigureCurve *curve, Arena *arena, Err *err)
{
    Outcomes pool = {.n = 0};
    AllOutcomes all = {.set = set, .arena = arena, .pool = &pool, .n_groups = 1, .vcs.arena = arena};
    const Choice choice = {.values = jct_of};
    if (!fill_pool(&all, group, &pool, err)) return false;
    make_curve(&all, 0, &choice, curve);
    curve->series = series;
    return true;
}
