/* sim/report/table.c -- values, then units that suit them, then aligned text. */
#include "sim/report/table.h"

#include <math.h>

#include "sim/report/grid.h"

typedef enum {
    SEEDS,
    JOBS,
    JCT_MEAN,
    JCT_P50,
    JCT_P99,
    BELOW,
    WAIT,
    MAKESPAN,
    DEADLINE,
    ACCURACY,
    BANDWIDTH,
    ALLOCATION,
    CHANGE,
    N_COLUMNS
} Column;

static const char *const titles[N_COLUMNS] = {
    [SEEDS] = "seeds",           [JOBS] = "jobs",           [JCT_MEAN] = "mean JCT",
    [JCT_P50] = "p50 JCT",       [JCT_P99] = "p99 JCT",     [BELOW] = "<= 100 min",
    [WAIT] = "mean wait",        [MAKESPAN] = "makespan",   [DEADLINE] = "deadline met",
    [ACCURACY] = "accuracy met", [BANDWIDTH] = "bandwidth", [ALLOCATION] = "GPUs held",
    [CHANGE] = "mean JCT",
};

static double value_of(const Metrics *m, Column column)
{
    switch (column) {
    case JOBS: return (double)m->jct.n;
    case JCT_MEAN: return m->jct.mean;
    case JCT_P50: return m->jct.p50;
    case JCT_P99: return m->jct.p99;
    case BELOW: return m->jct_below_100min;
    case WAIT: return m->wait.mean;
    case MAKESPAN: return m->makespan == TIME_NEVER ? (double)NAN : time_seconds(m->makespan);
    case DEADLINE: return m->deadline_met;
    case ALLOCATION: return m->gpu_allocation;
    case ACCURACY: return m->accuracy_met;
    case BANDWIDTH: return m->bytes < 0 ? (double)NAN : (double)m->bytes;
    case SEEDS: /* these are no figures of one run */
    case CHANGE:
    case N_COLUMNS: break;
    }
    return (double)NAN;
}

/* Over those seeds that have a value. */
static double mean_over_seeds(const TableRow *row, Column column)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < row->n_seeds; i++) {
        double value = value_of(&row->seed[i], column);
        if (isnan(value)) continue;
        sum += value;
        n++;
    }
    return n ? sum / n : (double)NAN;
}

static double largest(const double value[], int n)
{
    double best = (double)NAN;
    for (int i = 0; i < n; i++) best = fmax(best, value[i]); /* fmax passes NaN over */
    return best;
}

static GridUnit unit_of(Column column, GridUnit jct, GridUnit makespan)
{
    switch (column) {
    case JCT_MEAN:
    case JCT_P50:
    case JCT_P99:
    case WAIT: return jct; /* one unit, to compare along the row too */
    case MAKESPAN: return makespan;
    case BELOW:
    case DEADLINE:
    case ACCURACY:
    case ALLOCATION: return (GridUnit){"%", 0.01, 1};
    case BANDWIDTH: return (GridUnit){"TB", 1e12, 3};
    case CHANGE: return (GridUnit){"%", 0.01, 1};
    case SEEDS:
    case JOBS:
    case N_COLUMNS: break;
    }
    return (GridUnit){"", 1, 0};
}

static const char *cell_text(Arena *scratch, Column column, double value, GridUnit unit)
{
    if (isnan(value)) return "-";
    if (column == CHANGE) return arena_format(scratch, "%+.1f%%", fabs(value) < 0.0005 ? 0 : value * 100); /* no -0.0 */
    return arena_format(scratch, "%.*f", unit.decimals, value / unit.size);
}

void table_write(Out *out, const TableRow row[], int n_rows, Arena *scratch)
{
    double *column[N_COLUMNS];
    bool several_seeds = false;
    for (int c = 0; c < N_COLUMNS; c++) column[c] = NEW_ARRAY(scratch, double, n_rows + 1);
    for (int r = 0; r < n_rows; r++) {
        for (int c = 0; c < N_COLUMNS; c++) column[c][r] = mean_over_seeds(&row[r], (Column)c);
        several_seeds |= row[r].n_seeds > 1;
    }
    for (int r = 0; r < n_rows; r++) {
        column[SEEDS][r] = several_seeds ? row[r].n_seeds : (double)NAN;
        column[CHANGE][r] = n_rows > 1 && column[JCT_MEAN][0] > 0
                                ? (column[JCT_MEAN][r] - column[JCT_MEAN][0]) / column[JCT_MEAN][0]
                                : (double)NAN;
    }
    GridUnit jct = grid_time_unit(largest(column[JCT_MEAN], n_rows));
    GridUnit makespan = grid_time_unit(largest(column[MAKESPAN], n_rows));

    Grid grid = {.arena = scratch, .n_columns = N_COLUMNS + 1, .n_left = 1};
    for (int r = -2; r < n_rows; r++) { /* two rows of header */
        const char **cell = grid_add(&grid);
        cell[0] = r == -2 ? "policy" : r == -1 ? "" : row[r].policy;
        for (int c = 0; c < N_COLUMNS; c++) {
            if (isnan(largest(column[c], n_rows))) continue;
            GridUnit unit = unit_of((Column)c, jct, makespan);
            if (r == -2)
                cell[c + 1] = titles[c];
            else if (r == -1)
                cell[c + 1] = c == CHANGE ? arena_format(scratch, "vs %s", row[0].policy) : unit.name;
            else
                cell[c + 1] = cell_text(scratch, (Column)c, column[c][r], unit);
        }
    }
    grid_write(out, &grid);
}
