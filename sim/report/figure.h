/* sim/report/figure.h -- a figure: data, a gnuplot script that draws it, and the pictures.
 *
 * DIR/NAME.dat holds a block of numbers for each curve; DIR/NAME.gp is the style, what is drawn, and a script of
 * scripts/figures/, and makes NAME.png, NAME.svg and NAME.pdf.  Both stay, to be edited.
 */
#ifndef SIM_REPORT_FIGURE_H
#define SIM_REPORT_FIGURE_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/report/runset.h"

enum { MOST_POINTS = 1000 }; /* of a curve: a picture that is a text stays small */

/* Who is drawn: a line of the legend. */
typedef struct FigureSeries {
    const char *title, *policy;
    int shift; /* how many series of the same policy came before */
} FigureSeries;

/* One block of data: n rows of n_columns numbers, NaN where there is none. */
typedef struct FigureCurve {
    int series;
    const char *note; /* for readers of the data */
    const double *value;
    int64_t n;
} FigureCurve;

typedef struct FigurePanel {
    const char *title; /* NULL: none */
    FigureCurve *curve;
    int n;
} FigurePanel;

/* A variable of the script. */
typedef struct FigureSetting {
    const char *name;
    const char *text; /* NULL: the number */
    double number;
} FigureSetting;

typedef struct Figure {
    const char *name;
    const char *columns; /* what the numbers are, for readers of the data */
    int n_columns;
    const char *const *script;
    FigureSeries *series;
    int n_series;
    FigurePanel *panel;
    int n_panels;
    const FigureSetting *setting; /* ends with {0} */
} Figure;

FigureSeries *figure_series_of(const RunGroup group[], int n, Arena *arena);

/* The figures that were drawn, by name; a figure without data is passed over. */
typedef struct Drawn {
    const char *name[32];
    int n;
} Drawn;

/* Where gnuplot is missing or fails, data and script are there and no picture is; err tells. */
bool figure_draw(const Figure *figure, const char *dir, Drawn *drawn, Arena *arena, Err *err);

#endif
