/* sim/report/gnuplot.h -- gnuplot as a child process. */
#ifndef SIM_REPORT_GNUPLOT_H
#define SIM_REPORT_GNUPLOT_H

#include "sim/base/arena.h"
#include "sim/base/err.h"

/* Runs DIR/NAME.gp inside DIR; it draws NAME.png, NAME.svg and NAME.pdf, which are removed if it fails. */
bool gnuplot_draw(const char *dir, const char *name, Arena *arena, Err *err);

#endif
