/* sim/report/table.h -- the comparison on stdout: one row per policy, in the order given.
 *
 * Units stand in the header and hold for the whole column, so that a column can be read downwards; columns in which no
 * policy has a value are left out, and a missing value is "-".  With several seeds a row shows the mean over them.
 */
#ifndef SIM_REPORT_TABLE_H
#define SIM_REPORT_TABLE_H

#include "sim/base/out.h"
#include "sim/report/metrics.h"

typedef struct TableRow {
    const char *policy;
    const Metrics *seed; /* [n_seeds] */
    int n_seeds;
} TableRow;

void table_write(Out *out, const TableRow row[], int n_rows, Arena *scratch);

#endif
