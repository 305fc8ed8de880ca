/* sim/report/readback.h -- reading what we wrote: the one place where results come back in.
 *
 * Comparisons, figures and pages are made from the files of finished runs, so that they can be made on another day and
 * another machine.  Files of another program are told apart by the first thing that is missing.
 */
#ifndef SIM_REPORT_READBACK_H
#define SIM_REPORT_READBACK_H

#include <cjson/cJSON.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/simtime.h"

/* The tree of a file; free it with cJSON_Delete.  NULL: err tells. */
cJSON *readback_json(const char *path, Arena *arena, Err *err);

/* "jct_s.mean" of an object within an object; NaN: not there, or null.  Truth is 1 or 0. */
double readback_number(const cJSON *tree, const char *path);

typedef enum { COLUMN_TEXT, COLUMN_TIME, COLUMN_NUMBER } ColumnKind;

/* A column asked for by name; the array of its kind is filled.  An empty cell is "", TIME_NEVER, NaN. */
typedef struct ReadColumn {
    const char *name;
    ColumnKind kind;
    const char **text;
    SimTime *time;
    double *number;
} ReadColumn;

/* The columns of a CSV file, all rows.  False: unreadable, a column that is not there, a cell that is no number. */
bool readback_csv(const char *path, ReadColumn column[], int n_columns, int64_t *n_rows, Arena *arena, Err *err);

/* The same of a table that is built into the program, line by line, the last one NULL. */
void readback_lines(const char *name, const char *const line[], ReadColumn column[], int n_columns, int64_t *n_rows,
                    Arena *arena);

#endif
