/* sim/report/grid.h -- aligned columns of text: the first to the left, numbers to the right, two blanks between. */
#ifndef SIM_REPORT_GRID_H
#define SIM_REPORT_GRID_H

#include "sim/base/out.h"

typedef struct Grid {
    Arena *arena;
    int n_columns, n_rows, room;
    int n_left;        /* this many columns are words, aligned to the left */
    const char **cell; /* [n_rows * n_columns] */
} Grid;

/* The cells of a new row, to be filled with texts that live as long as the grid; NULL is empty. */
const char **grid_add(Grid *grid);

/* Columns that are empty in every row are left out. */
void grid_write(Out *out, const Grid *grid);

/* One unit for a whole column, so that it can be read downwards: seconds up to 100 minutes, minutes up to 100 hours,
 * then hours. */
typedef struct GridUnit {
    const char *name;
    double size;
    int decimals;
} GridUnit;
GridUnit grid_time_unit(double largest_s);

#endif
