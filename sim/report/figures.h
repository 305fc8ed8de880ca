/* sim/report/figures.h -- the gnuplot scripts of scripts/figures/, built into the program line by line.
 *
 * Each array ends with NULL.  `make` writes the definitions: a new NAME.gp is figure_NAME.
 */
#ifndef SIM_REPORT_FIGURES_H
#define SIM_REPORT_FIGURES_H

extern const char *const figure_style[];
extern const char *const figure_cdf[];
extern const char *const figure_over_time[];
extern const char *const figure_training[];

#endif
