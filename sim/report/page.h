/* sim/report/page.h -- one HTML file that says what some finished runs did and how they were made.
 *
 * Nothing is loaded from anywhere: style, scripts and data are in the file, which so can be sent, kept and opened from
 * a disk.  The data is JSON in an element of its own, in which no `<` stands, whatever the names of jobs are.  Of each
 * run the first PAGE_JOBS rows are there; the CSV files are linked by a path relative to the page.
 */
#ifndef SIM_REPORT_PAGE_H
#define SIM_REPORT_PAGE_H

#include "sim/report/runset.h"

enum { PAGE_JOBS = 5000 };

bool page_write(const RunSet *set, const char *path, Arena *arena, Err *err);

#endif
