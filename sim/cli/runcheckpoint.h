/* sim/cli/runcheckpoint.h -- a run of runs written down while it goes on, to go on in a later process.
 *
 * A checkpoint is the memory of the whole command (sim/base/snapshot.h) with the files it has written so far, so that
 * nothing has to know how to save itself, no policy either.  It lies in DIR/POLICY/checkpoint, where the finished
 * result takes its place.
 */
#ifndef SIM_CLI_RUNCHECKPOINT_H
#define SIM_CLI_RUNCHECKPOINT_H

#include "sim/base/arena.h"
#include "sim/base/image.h"

typedef struct RunCheckpoint {
    Image *image;
    const char *command; /* the command line but for --resume */
    void *root;          /* of what the later process goes on with */
    const char *last;    /* the folder where the last one lies; NULL: none yet */
} RunCheckpoint;

/* Saves into `folder`, whose name must be in the image, made if need be, with all that lies in working[n_working] so
 * far; the checkpoint before it goes. */
bool run_checkpoint_save(RunCheckpoint *checkpoint, const char *folder, const char *const working[], int n_working,
                         Err *err);

/* The command line in one text, but for --resume. */
const char *run_checkpoint_command(int argc, char *const argv[], Arena *arena);

#endif
