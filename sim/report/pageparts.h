/* sim/report/pageparts.h -- the files of sim/report/page/, built into the program: NAME.EXT is page_NAME_EXT.
 *
 * Each is a text and ends with a NUL.  uPlot (MIT, its licence beside it) comes from npm: scripts/vendor-uplot.sh.
 */
#ifndef SIM_REPORT_PAGEPARTS_H
#define SIM_REPORT_PAGEPARTS_H

extern const unsigned char page_page_html[]; /* the body, between head and scripts */
extern const unsigned char page_page_css[];
extern const unsigned char page_page_js[];
extern const unsigned char page_tables_js[];
extern const unsigned char page_charts_js[];
extern const unsigned char page_uplot_js[];
extern const unsigned char page_uplot_css[];
extern const unsigned char page_uplot_LICENSE[];

#endif
