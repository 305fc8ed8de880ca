/* sim/report/compare.c -- partners by seed, pairs by job, a row for each statistic. */
#include "sim/report/compare.h"

#include <math.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/text.h"
#include "sim/report/readback.h"

const CompareMetric compare_metrics[] = {
    {"jct_s", "JCT", UNIT_SECONDS, LOWER_BETTER, true, 4, {STATISTIC_MEAN, 500, 900, 990}},
    {"wait_s", "wait", UNIT_SECONDS, LOWER_BETTER, true, 2, {STATISTIC_MEAN, 990}},
    {"deadline_met", "deadline met", UNIT_SHARE, HIGHER_BETTER, true, 1, {STATISTIC_MEAN}},
    {"accuracy_at_deadline", "accuracy", UNIT_SHARE, HIGHER_BETTER, true, 1, {STATISTIC_MEAN}},
    {"accuracy_met", "accuracy met", UNIT_SHARE, HIGHER_BETTER, true, 1, {STATISTIC_MEAN}},
    {"bytes_moved", "bandwidth of a job", UNIT_BYTES, LOWER_BETTER, true, 1, {STATISTIC_MEAN}},
    {"jct_below_100min", "JCT <= 100 min", UNIT_SHARE, HIGHER_BETTER, false, 1, {0}},
    {"makespan_s", "makespan", UNIT_SECONDS, LOWER_BETTER, false, 1, {0}},
    {"gpu_allocation", "GPUs held", UNIT_SHARE, NEITHER_BETTER, false, 1, {0}},
    {"gpu_utilisation", "GPUs used", UNIT_SHARE, HIGHER_BETTER, false, 1, {0}},
    {"finish_time_fairness.mean", "unfairness", UNIT_PLAIN, LOWER_BETTER, false, 1, {0}},
    {"overloads", "overloads", UNIT_PLAIN, LOWER_BETTER, false, 1, {0}},
    {"preemptions", "preemptions", UNIT_PLAIN, NEITHER_BETTER, false, 1, {0}},
    {0},
};

const char *const compare_test_names[] = {"none", "wilcoxon", "mann-whitney", NULL};

enum { MOST_METRICS = 16 };

const char *compare_statistic_name(const CompareRow *row)
{
    if (!row->metric->of_jobs) return "value";
    switch (row->statistic) {
    case STATISTIC_MEAN: return "mean";
    case 500: return "p50";
    case 900: return "p90";
    default: return "p99";
    }
}

static bool is_wanted(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) return true;
    }
    return false;
}

static bool check_metrics(const char *list, Arena *arena, Err *err)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        const char *name = arena_copy_text(arena, at, strcspn(at, ","));
        NearMiss miss = {.typed = name};
        const CompareMetric *m = compare_metrics;
        for (; m->name && strcmp(m->name, name) != 0; m++) near_miss_try(&miss, m->name);
        char hint[HINT_TEXT], shown[SHOWN_TEXT];
        if (!m->name)
            return err_set(err, ERR_USAGE, "unknown metric '%s'%s; `mlfs-sim compare --help` lists all",
                           text_shown(name, strlen(name), shown), near_miss_hint(&miss, hint));
    }
    return true;
}

/* The values of one run, of the metrics in their order: per job, or one for the whole run. */
typedef struct RunValues {
    int64_t n_jobs;
    const char **job; /* [n_jobs] */
    double *of_job[MOST_METRICS];
    double of_run[MOST_METRICS];
} RunValues;

static bool read_values(const FoundRun *run, RunValues *values, Arena *arena, Err *err)
{
    ReadColumn column[MOST_METRICS + 1] = {{.name = "job_id", .kind = COLUMN_TEXT}};
    int n = 1;
    for (const CompareMetric *m = compare_metrics; m->name; m++)
        if (m->of_jobs) column[n++] = (ReadColumn){.name = m->name, .kind = COLUMN_NUMBER};
    if (!readback_csv(run_file(run, "jobs.csv", arena), column, n, &values->n_jobs, arena, err)) return false;
    cJSON *summary = readback_json(run_file(run, "summary.json", arena), arena, err);
    if (!summary) return false;
    values->job = column[0].text;
    n = 1;
    for (int m = 0; compare_metrics[m].name; m++)
        if (compare_metrics[m].of_jobs)
            values->of_job[m] = column[n++].number;
        else
            values->of_run[m] = readback_number(summary, compare_metrics[m].name);
    cJSON_Delete(summary);
    return true;
}

/* The same jobs in the same order are the workload: its hash says so, and each id is looked at all the same. */
static bool check_jobs(const FoundRun *a, const RunValues *x, const FoundRun *b, const RunValues *y, Err *err)
{
    int64_t n = x->n_jobs < y->n_jobs ? x->n_jobs : y->n_jobs;
    for (int64_t i = 0; i < n; i++)
        if (strcmp(x->job[i], y->job[i]) != 0) n = -1;
    return (n == x->n_jobs && n == y->n_jobs) ||
           err_set(err, ERR_DATA, "%s/jobs.csv and %s/jobs.csv do not list the same jobs", a->folder, b->folder);
}

typedef struct Pairs {
    double *base, *other;
    int64_t n, alone;
} Pairs;

/* Jobs that have a value in both runs. */
static Pairs pair_jobs(const FoundRun *run, const RunValues *x, const RunValues *y, int metric, Arena *arena)
{
    Pairs pairs = {NEW_ARRAY(arena, double, x->n_jobs + 1), NEW_ARRAY(arena, double, x->n_jobs + 1), 0, 0};
    for (int64_t i = 0; i < x->n_jobs; i++) {
        double a = x->of_job[metric][i], b = y->of_job[metric][i];
        if (!run_measures(run, i) || (isnan(a) && isnan(b))) continue;
        if (isnan(a) || isnan(b)) {
            pairs.alone++;
            continue;
        }
        pairs.base[pairs.n] = a;
        pairs.other[pairs.n++] = b;
    }
    return pairs;
}

static const FoundRun *partner_of(const RunSet *set, const RunGroup *base, const RunGroup *group, const FoundRun *run)
{
    if (base->n == 1 && group->n == 1) return &set->run[base->run[0]]; /* nothing to choose from */
    for (int i = 0; i < base->n; i++)
        if (set->run[base->run[i]].seed == run->seed) return &set->run[base->run[i]];
    return NULL;
}

/* What one group came to against the base, seed by seed. */
typedef struct Contest {
    const RunGroup *group;
    int n_seeds;
    int64_t pairs[MOST_METRICS], alone[MOST_METRICS];
    double *base[MOST_METRICS][MOST_OF_METRIC], *other[MOST_METRICS][MOST_OF_METRIC]; /* [n_seeds] */
    Pairs jobs[MOST_METRICS];                                                         /* of the only seed */
} Contest;

static void enter_seed(Contest *contest, const FoundRun *run, const RunValues *x, const RunValues *y, Arena *arena)
{
    for (int m = 0; compare_metrics[m].name; m++) {
        const CompareMetric *metric = &compare_metrics[m];
        Pairs pairs = metric->of_jobs ? pair_jobs(run, x, y, m, arena) : (Pairs){NULL, NULL, 0, 0};
        contest->pairs[m] += pairs.n;
        contest->alone[m] += pairs.alone;
        contest->jobs[m] = pairs;
        for (int s = 0; s < metric->n_statistics; s++) {
            contest->base[m][s][contest->n_seeds] =
                metric->of_jobs ? statistic_of(metric->statistic[s], pairs.base, pairs.n, arena) : x->of_run[m];
            contest->other[m][s][contest->n_seeds] =
                metric->of_jobs ? statistic_of(metric->statistic[s], pairs.other, pairs.n, arena) : y->of_run[m];
        }
    }
    contest->n_seeds++;
}

static bool hold_contest(const RunSet *set, Comparison *comparison, const RunGroup *group, Contest *contest,
                         Arena *arena, Err *err)
{
    const RunGroup *base = &comparison->group[0];
    contest->group = group;
    for (int m = 0; compare_metrics[m].name; m++)
        for (int s = 0; s < compare_metrics[m].n_statistics; s++) {
            contest->base[m][s] = NEW_ARRAY(arena, double, group->n + 1);
            contest->other[m][s] = NEW_ARRAY(arena, double, group->n + 1);
        }
    int n_partners = 0;
    for (int i = 0; i < group->n; i++) n_partners += partner_of(set, base, group, &set->run[group->run[i]]) != NULL;
    for (int i = 0; i < group->n; i++) {
        const FoundRun *run = &set->run[group->run[i]], *partner = partner_of(set, base, group, run);
        if (!partner) continue;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a group with runs is of a set with runs
        if (strcmp(run->workload_hash, partner->workload_hash) != 0 || run->measure_first != partner->measure_first ||
            run->measure_last != partner->measure_last)
            return err_set(err, ERR_USAGE,
                           "%s and %s are not runs of the same jobs, measured alike, on the same cluster: they cannot "
                           "be compared",
                           partner->folder, run->folder);
        Arena scratch = {0};
        RunValues x, y;
        bool sound = read_values(partner, &x, &scratch, err) && read_values(run, &y, &scratch, err) &&
                     check_jobs(partner, &x, run, &y, err);
        /* The pairs of jobs are needed further on only when there is one seed. */
        if (sound) enter_seed(contest, run, &x, &y, n_partners == 1 ? arena : &scratch);
        arena_free(&scratch);
        if (!sound) return false;
    }
    comparison->left_out += group->n + base->n - 2 * contest->n_seeds;
    return contest->n_seeds || err_set(err, ERR_USAGE, "%s and %s have no seed in common: they cannot be compared",
                                       base->folder, group->folder);
}

static OverSeeds over_seeds(const double value[], int n, Arena *arena)
{
    return (OverSeeds){statistic_of(500, value, n, arena), statistic_of(10, value, n, arena),
                       statistic_of(990, value, n, arena)};
}

static CompareRow blank_row(const RunGroup *group, const CompareMetric *metric, Statistic statistic)
{
    const double none = (double)NAN;
    return (CompareRow){.group = group,
                        .metric = metric,
                        .statistic = statistic,
                        .difference = {none, none, none, none, none},
                        .improvement = none,
                        .better = -1,
                        .seeds = {none, none, none},
                        .base_seeds = {none, none, none},
                        .test = {none, none}};
}

static void add_row(Comparison *comparison, CompareRow row, Arena *arena)
{
    if (comparison->n == comparison->room) {
        comparison->room = comparison->room ? 2 * comparison->room : 64;
        comparison->row = arena_grow(arena, comparison->row, (size_t)comparison->n, (size_t)comparison->room,
                                     sizeof *comparison->row);
    }
    comparison->row[comparison->n++] = row;
}

static RankTest test_of(CompareTest test, const double base[], const double other[], int64_t n, Arena *arena)
{
    switch (test) {
    case TEST_WILCOXON: return ranktest_wilcoxon(base, other, n, arena);
    case TEST_MANN_WHITNEY: return ranktest_mann_whitney(base, n, other, n, arena);
    case TEST_NONE: break;
    }
    return (RankTest){(double)NAN, (double)NAN};
}

static void judge(CompareRow *row)
{
    const Difference *d = &row->difference;
    if (d->base > 0) row->improvement = fabs(d->difference) / d->base;
    if (d->difference != 0 && !isnan(d->difference) && row->metric->sense != NEITHER_BETTER)
        row->better = (d->difference < 0) == (row->metric->sense == LOWER_BETTER);
}

/* Seeds that have a value on both sides, moved to the front; how many. */
static int keep_valued(double base[], double other[], int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(base[i]) && !isnan(other[i])) {
            base[kept] = base[i];
            other[kept++] = other[i];
        }
    return kept;
}

/* The statistics of one metric of one contest.  Draws are named by the metric, the same for every group. */
static void settle(const Comparison *comparison, Contest *contest, int m, CompareRow row[], Arena *arena)
{
    const CompareMetric *metric = &compare_metrics[m];
    const CompareOptions *options = &comparison->options;
    Difference found[MOST_OF_METRIC];
    Rng rng;
    rng_open(&rng, options->seed, "bootstrap", hash_text(HASH_START, metric->name));
    const Pairs *jobs = &contest->jobs[m];
    bool of_seeds = contest->n_seeds > 1 || !metric->of_jobs;
    if (!of_seeds && jobs->n)
        bootstrap_difference(jobs->base, jobs->other, jobs->n, metric->statistic, metric->n_statistics,
                             options->resamples, &rng, found, arena);
    for (int s = 0; s < metric->n_statistics; s++) {
        double *base = contest->base[m][s], *other = contest->other[m][s];
        int n = keep_valued(base, other, contest->n_seeds);
        if (!n) continue;
        if (of_seeds) {
            rng_open(&rng, options->seed, "bootstrap", hash_text(HASH_START, metric->name));
            bootstrap_difference(base, other, n, (Statistic[]){STATISTIC_MEAN}, 1, options->resamples, &rng, &found[s],
                                 arena);
        }
        row[s].difference = found[s];
        judge(&row[s]);
        if (contest->n_seeds > 1) {
            row[s].seeds = over_seeds(other, n, arena);
            row[s].base_seeds = over_seeds(base, n, arena);
        }
        if (of_seeds && n > 1)
            row[s].test = test_of(options->test, base, other, n, arena);
        else if (!of_seeds && s == 0) /* of the jobs, whatever the statistic */
            row[s].test = test_of(options->test, jobs->base, jobs->other, jobs->n, arena);
    }
}

/* The base's own row: of the jobs that the first contest is about. */
static CompareRow base_row(const RunGroup *base, const CompareRow *first)
{
    CompareRow row = blank_row(base, first->metric, first->statistic);
    row.pairs = first->pairs;
    row.difference.other = first->difference.base;
    row.seeds = first->base_seeds;
    return row;
}

/* All rows of one metric, unless no run has a value and nobody asked for it. */
static void add_metric(Comparison *comparison, Contest contest[], int m, Arena *arena)
{
    const CompareMetric *metric = &compare_metrics[m];
    int n = comparison->n_groups - 1;
    CompareRow(*row)[MOST_OF_METRIC] = arena_alloc(arena, (size_t)n, sizeof *row);
    bool any = comparison->options.metrics != NULL;
    for (int c = 0; c < n; c++) {
        for (int s = 0; s < metric->n_statistics; s++) {
            row[c][s] = blank_row(contest[c].group, metric, metric->statistic[s]);
            row[c][s].pairs = contest[c].pairs[m];
            row[c][s].alone = contest[c].alone[m];
        }
        settle(comparison, &contest[c], m, row[c], arena);
        any |= !isnan(row[c][0].difference.base);
    }
    for (int s = 0; any && s < metric->n_statistics; s++) {
        add_row(comparison, base_row(&comparison->group[0], &row[0][s]), arena);
        for (int c = 0; c < n; c++) add_row(comparison, row[c][s], arena);
    }
}

bool compare_runs(const RunSet *set, CompareOptions options, Arena *arena, Comparison *comparison, Err *err)
{
    *comparison = (Comparison){.options = options};
    comparison->group = runset_groups(set, &comparison->n_groups, arena);
    int n_contests = comparison->n_groups - 1;
    if (!check_metrics(options.metrics, arena, err)) return false;
    if (n_contests < 1)
        return err_set(err, ERR_USAGE, "%s: comparing takes at least two policies or folders of runs",
                       set->run[0].folder);
    Contest *contest = NEW_ARRAY(arena, Contest, n_contests);
    for (int c = 0; c < n_contests; c++) {
        if (!hold_contest(set, comparison, &comparison->group[c + 1], &contest[c], arena, err)) return false;
        if (contest[c].n_seeds > comparison->n_seeds) comparison->n_seeds = contest[c].n_seeds;
    }
    for (int m = 0; compare_metrics[m].name; m++)
        if (!options.metrics || is_wanted(options.metrics, compare_metrics[m].name))
            add_metric(comparison, contest, m, arena);
    return true;
}
