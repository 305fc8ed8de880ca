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
    static const char *const units[] = {"s", "share", "bytes", ""};
    return units[row->metric->unit];
}

enum { N_CELLS = 24 };
static const char *const names[N_CELLS] = {
    "policy", "folder", "metric",      "statistic", "unit",     "jobs",        "jobs_alone",     "seeds",
    "base",   "value",  "difference",  "low",       "high",     "improvement", "better",         "median",
    "p1",     "p99",    "base_median", "base_p1",   "base_p99", "test",        "test_statistic", "p"};

/* With all digits; NULL and NaN: no value. */
typedef struct Cell {
    bool is_text;
    const char *text;
    double number;
} Cell;

static Cell text_cell(const char *text)
{
    return (Cell){.is_text = true, .text = text};
}

static Cell number_cell(double value)
{
    return (Cell){.number = value};
}

/* What the files say of a row, in the order of the names. */
static void fill_cells(Cell *cell, const Comparison *comparison, const CompareRow *row)
{
    const Difference *d = &row->difference;
    const bool of_jobs = row->metric->of_jobs, tested = !isnan(row->test.p);
    *cell++ = text_cell(row->group->policy);
    *cell++ = text_cell(row->group->folder);
    *cell++ = text_cell(row->metric->name);
    *cell++ = text_cell(compare_statistic_name(row));
    *cell++ = text_cell(unit_name(row));
    *cell++ = number_cell(of_jobs ? (double)row->pairs : (double)NAN);
    *cell++ = number_cell(of_jobs ? (double)row->alone : (double)NAN);
    *cell++ = number_cell(comparison->n_seeds);
    const double numbers[] = {d->base,
                              d->other,
                              d->difference,
                              d->low,
                              d->high,
                              row->improvement,
                              row->better < 0 ? (double)NAN : row->better,
                              row->seeds.median,
                              row->seeds.p1,
                              row->seeds.p99,
                              row->base_seeds.median,
                              row->base_seeds.p1,
                              row->base_seeds.p99};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *cell++ = number_cell(numbers[i]);
    *cell++ = text_cell(tested ? compare_test_names[comparison->options.test] : NULL);
    *cell++ = number_cell(row->test.statistic);
    *cell++ = number_cell(row->test.p);
}

void compare_write_csv(Out *out, const Comparison *comparison)
{
    for (int c = 0; c < N_CELLS; c++) out_format(out, "%s%s", c ? "," : "", names[c]);
    out_char(out, '\n');
    for (int i = 0; i < comparison->n; i++) {
        Cell cell[N_CELLS];
        fill_cells(cell, comparison, &comparison->row[i]);
        for (int c = 0; c < N_CELLS; c++) {
            if (c) out_char(out, ',');
            if (cell[c].is_text)
                out_csv(out, cell[c].text);
            else
                out_double(out, cell[c].number);
        }
        out_char(out, '\n');
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
    for (int i = 0; i < comparison->n; i++) {
        Cell cell[N_CELLS];
        cJSON *object = json_add_object(rows);
        fill_cells(cell, comparison, &comparison->row[i]);
        for (int c = 0; c < N_CELLS; c++)
            json_set(object, names[c], cell[c].is_text ? json_text(cell[c].text) : json_double(cell[c].number));
    }
    json_write(out, json);
    cJSON_Delete(json);
}
