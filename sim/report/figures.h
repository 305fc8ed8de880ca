/* sim/report/figures.h -- scripts/figures/, gnuplot scripts and tables, built into the program line by line.
 *
 * Each array ends with NULL.  `make` writes the definitions: a new NAME.gp or NAME.csv is figure_NAME.
 */
#ifndef SIM_REPORT_FIGURES_H
#define SIM_REPORT_FIGURES_H

extern const char *const figure_style[];
extern const char *const figure_cdf[];
extern const char *const figure_over_time[];
extern const char *const figure_training[];
extern const char *const figure_bars[];
extern const char *const figure_bars_cdf[];

/* Values read off the figures of the MLFS paper, as CSV. */
extern const char *const figure_paper_bars[];
extern const char *const figure_paper_cdf[];
extern const char *const figure_paper_ablations[];

#endif
