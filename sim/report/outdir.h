/* sim/report/outdir.h -- DIR/POLICY: a folder of results that appears whole or not at all.
 *
 * Files are written into a hidden working folder beside it, DIR/.POLICY.tmp.PID; outdir_commit puts that in the place
 * of an earlier DIR/POLICY.  What a killed process left under such names goes when the next one begins.  Other folders
 * in DIR are left alone, and so is a DIR/POLICY that holds something else than results.
 */
#ifndef SIM_REPORT_OUTDIR_H
#define SIM_REPORT_OUTDIR_H

#include "sim/base/arena.h"
#include "sim/base/err.h"

typedef struct OutDir {
    const char *folder;  /* DIR/POLICY; NULL once it is done with */
    const char *working; /* write here */
    const char *old;     /* where the earlier one goes for a moment */
} OutDir;

bool outdir_begin(OutDir *outdir, Arena *arena, const char *dir, const char *policy, Err *err);
bool outdir_again(OutDir *outdir, Err *err); /* the working folder anew, empty, for one that an image kept */
bool outdir_commit(OutDir *outdir, Err *err);
void outdir_abandon(OutDir *outdir); /* removes the working folder; fine at any time, also after a commit */

#endif
