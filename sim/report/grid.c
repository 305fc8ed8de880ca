/* sim/report/grid.c -- widths are counted in characters, so that names in any script line up. */
#include "sim/report/grid.h"

#include <string.h>

const char **grid_add(Grid *grid)
{
    if (grid->n_rows == grid->room) {
        int room = grid->room ? 2 * grid->room : 16;
        grid->cell = arena_grow(grid->arena, grid->cell, (size_t)grid->n_rows * (size_t)grid->n_columns,
                                (size_t)room * (size_t)grid->n_columns, sizeof *grid->cell);
        grid->room = room;
    }
    return &grid->cell[grid->n_rows++ * grid->n_columns];
}

GridUnit grid_time_unit(double largest_s)
{
    if (largest_s >= 360000) return (GridUnit){"h", 3600, 3};
    if (largest_s >= 6000) return (GridUnit){"min", 60, 2};
    return (GridUnit){"s", 1, 2};
}

static int width_of(const char *text)
{
    int width = 0;
    for (; text && *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80; /* all but UTF-8's later bytes */
    return width;
}

static void put_blanks(Out *out, int n)
{
    while (n-- > 0) out_char(out, ' ');
}

/* A name may hold anything, a table is lines. */
static void put_shown(Out *out, const char *text)
{
    for (; *text; text++) out_char(out, (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

void grid_write(Out *out, const Grid *grid)
{
    int *width = NEW_ARRAY(grid->arena, int, grid->n_columns);
    for (int i = 0; i < grid->n_rows * grid->n_columns; i++) {
        int w = width_of(grid->cell[i]), *widest = &width[i % grid->n_columns];
        if (w > *widest) *widest = w;
    }
    for (int r = 0; r < grid->n_rows; r++) {
        int pending = 0; /* blanks are put before a text only: none at the end of a line */
        for (int c = 0; c < grid->n_columns; c++) {
            const char *text = grid->cell[r * grid->n_columns + c];
            if (!width[c]) continue;
            int fill = width[c] - width_of(text), lead = c < grid->n_left ? 0 : fill;
            pending += lead;
            if (text && *text) {
                put_blanks(out, pending);
                put_shown(out, text);
                pending = 0;
            }
            pending += fill - lead + 2;
        }
        out_char(out, '\n');
    }
}
