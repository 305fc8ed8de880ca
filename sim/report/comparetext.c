/* sim/report/comparetext.c -- a comparison as a table to read, a CSV to compute with, a JSON object. */
#include <math.h>

#include "sim/base/json.h"
#include "sim/base/version.h"
#include "sim/report/compare.h"
#include "sim/report/grid.h"

enum { METRIC, POLICY, JOBS, VALUE, MEDIAN, P1, P99, BASE, DIFFERENCE, LOW, HIGH, IMPROVEMENT, P, N_COLUMNS };

/* One unit for a metric in all its rows. */
static GridUnit unit_of(const Comparison *comparison, const CompareMetric *metric)
{
    double largest = 0;
    for (int i = 0; i < comparison->n; i++)
        if (comparison->row[i].metric == metric) largest = fmax(largest, comparison->row[i].difference.other);
    switch (metric->unit) {
    case UNIT_SECONDS: return grid_time_unit(largest);
    case UNIT_SHARE: return (GridUnit){"%", 0.01, 2};
    case UNIT_BYTES: return largest >= 1e12 ? (GridUnit){"TB", 1e12, 3} : (GridUnit){"GB", 1e9, 3};
    case UNIT_PLAIN: break;
    }
    return (GridUnit){"", 1, largest >= 100 ? 1 : 3};
}

static const char *number(Arena *scratch, double value, GridUnit unit, bool is_signed)
{
    if (isnan(value)) return NULL;
    return arena_format(scratch, is_signed ? "%+.*f" : "%.*f", unit.decimals, value / unit.size);
}

static const char *metric_text(const CompareRow *row, GridUnit unit, Arena *scratch)
{
    const char *comma = *unit.name ? ", " : "";
    return row->metric->of_jobs
               ? arena_format(scratch, "%s %s%s%s", compare_statistic_name(row), row->metric->title, comma, unit.name)
               : arena_format(scratch, "%s%s%s", row->metric->title, comma, unit.name);
}

static const char *improvement_text(const CompareRow *row, Arena *scratch)
{
    if (isnan(row->improvement)) return NULL;
    const char *word = row->better == 1                 ? " better"
                       : row->better == 0               ? " worse"
                       : row->difference.difference > 0 ? " more"
                       : row->difference.difference < 0 ? " less"
                                                        : "";
    return arena_format(scratch, "%.1f %%%s", 100 * row->improvement, word);
}

static void fill_row(const char **cell, const Comparison *comparison, const CompareRow *row, Arena *scratch)
{
    const Difference *d = &row->difference;
    GridUnit unit = unit_of(comparison, row->metric);
    bool is_base = row->group == &comparison->group[0];
    cell[METRIC] = is_base ? metric_text(row, unit, scratch) : NULL;
    cell[POLICY] = row->group->title;
    cell[JOBS] = row->metric->of_jobs ? arena_format(scratch, "%lld", (long long)row->pairs) : NULL;
    cell[VALUE] = isnan(d->other) ? "-" : number(scratch, d->other, unit, false);
    cell[MEDIAN] = number(scratch, row->seeds.median, unit, false);
    cell[P1] = number(scratch, row->seeds.p1, unit, false);
    cell[P99] = number(scratch, row->seeds.p99, unit, false);
    cell[BASE] = is_base ? NULL : number(scratch, d->base, unit, false);
    cell[DIFFERENCE] = number(scratch, d->difference, unit, true);
    cell[LOW] = number(scratch, d->low, unit, true);
    cell[HIGH] = number(scratch, d->high, unit, true);
    cell[IMPROVEMENT] = improvement_text(row, scratch);
    cell[P] = isnan(row->test.p) ? NULL : arena_format(scratch, "%.3g", row->test.p);
}

void compare_write_text(Out *out, const Comparison *comparison, Arena *scratch)
{
    Grid grid = {.arena = scratch, .n_columns = N_COLUMNS, .n_left = 2};
    const char **header = grid_add(&grid);
    header[METRIC] = "metric";
    header[POLICY] = "policy";
    header[JOBS] = "jobs";
    header[VALUE] = comparison->n_seeds > 1 ? "mean" : "value";
    if (comparison->n_seeds > 1) {
        header[MEDIAN] = "median";
        header[P1] = "p1";
        header[P99] = "p99";
    }
    header[BASE] = comparison->group[0].title;
    header[DIFFERENCE] = "difference";
    header[LOW] = "95 % from";
    header[HIGH] = "to";
    header[IMPROVEMENT] = "improvement";
    if (comparison->options.test != TEST_NONE) header[P] = "p";
    for (int i = 0; i < comparison->n; i++) fill_row(grid_add(&grid), comparison, &comparison->row[i], scratch);
    grid_write(out, &grid);
}

static const char *unit_name(const CompareRow *row)
{
    static const char *const names[] = {"s", "share", "bytes", ""};
    return names[row->metric->unit];
}

static void put_number(Out *out, double value)
{
    out_char(out, ',');
    out_double(out, value);
}

static void put_overview(Out *out, const OverSeeds *seeds)
{
    put_number(out, seeds->median);
    put_number(out, seeds->p1);
    put_number(out, seeds->p99);
}

void compare_write_csv(Out *out, const Comparison *comparison)
{
    const CompareTest test = comparison->options.test;
    out_text(out, "policy,folder,metric,statistic,unit,jobs,jobs_alone,seeds,base,value,difference,low,high,"
                  "improvement,better,median,p1,p99,base_median,base_p1,base_p99,test,test_statistic,p\n");
    for (int i = 0; i < comparison->n; i++) {
        const CompareRow *row = &comparison->row[i];
        const Difference *d = &row->difference;
        out_csv(out, row->group->policy);
        out_char(out, ',');
        out_csv(out, row->group->folder);
        out_format(out, ",%s,%s,%s,", row->metric->name, compare_statistic_name(row), unit_name(row));
        if (row->metric->of_jobs) out_format(out, "%lld,%lld", (long long)row->pairs, (long long)row->alone);
        if (!row->metric->of_jobs) out_char(out, ',');
        out_format(out, ",%d", comparison->n_seeds);
        put_number(out, d->base);
        put_number(out, d->other);
        put_number(out, d->difference);
        put_number(out, d->low);
        put_number(out, d->high);
        put_number(out, row->improvement);
        out_text(out, row->better < 0 ? "," : row->better ? ",1" : ",0");
        put_overview(out, &row->seeds);
        put_overview(out, &row->base_seeds);
        out_format(out, ",%s", test == TEST_NONE || isnan(row->test.p) ? "" : compare_test_names[test]);
        put_number(out, row->test.statistic);
        put_number(out, row->test.p);
        out_char(out, '\n');
    }
}

static void set_overview(cJSON *object, const char *key, const OverSeeds *seeds)
{
    if (isnan(seeds->median)) {
        json_set_null(object, key);
        return;
    }
    cJSON *overview = json_set_object(object, key);
    json_set_double(overview, "median", seeds->median);
    json_set_double(overview, "p1", seeds->p1);
    json_set_double(overview, "p99", seeds->p99);
}

static void put_row(cJSON *object, const Comparison *comparison, const CompareRow *row)
{
    const Difference *d = &row->difference;
    json_set_text(object, "policy", row->group->policy);
    json_set_text(object, "folder", row->group->folder);
    json_set_text(object, "metric", row->metric->name);
    json_set_text(object, "statistic", compare_statistic_name(row));
    json_set_text(object, "unit", unit_name(row));
    json_set_double(object, "jobs", row->metric->of_jobs ? (double)row->pairs : (double)NAN);
    json_set_double(object, "jobs_alone", row->metric->of_jobs ? (double)row->alone : (double)NAN);
    json_set_double(object, "base", d->base);
    json_set_double(object, "value", d->other);
    json_set_double(object, "difference", d->difference);
    json_set_double(object, "low", d->low);
    json_set_double(object, "high", d->high);
    json_set_double(object, "improvement", row->improvement);
    if (row->better < 0)
        json_set_null(object, "better");
    else
        json_set_bool(object, "better", row->better);
    set_overview(object, "over_seeds", &row->seeds);
    set_overview(object, "base_over_seeds", &row->base_seeds);
    if (comparison->options.test != TEST_NONE) {
        json_set_double(object, "test_statistic", row->test.statistic);
        json_set_double(object, "p", row->test.p);
    }
}

void compare_write_json(Out *out, const Comparison *comparison)
{
    const CompareOptions *options = &comparison->options;
    cJSON *json = json_object();
    json_set_text(json, "program", "mlfs-sim");
    json_set_text(json, "version", version_text());
    json_set_text(json, "base", comparison->group[0].folder);
    json_set_int(json, "seeds", comparison->n_seeds);
    json_set_text(json, "drawn_anew", comparison->n_seeds > 1 ? "seeds" : "jobs");
    json_set_int(json, "resamples", options->resamples);
    json_set_int(json, "seed", (int64_t)options->seed);
    json_set_text(json, "test", options->test == TEST_NONE ? NULL : compare_test_names[options->test]);
    cJSON *rows = json_set_array(json, "rows");
    for (int i = 0; i < comparison->n; i++) put_row(json_add_object(rows), comparison, &comparison->row[i]);
    json_write(out, json);
    cJSON_Delete(json);
}
