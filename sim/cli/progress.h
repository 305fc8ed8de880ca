/* sim/cli/progress.h -- telling on stderr how far a set of runs has come.
 *
 * On a terminal one line is redrawn, at most ten times a second; elsewhere a line is written each minute.  Several
 * threads may report at once.
 */
#ifndef SIM_CLI_PROGRESS_H
#define SIM_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/simtime.h"

typedef struct ProgressSlot { /* one run */
    int64_t events, jobs_done, jobs_running, jobs_waiting;
    int64_t jobs; /* of its table */
    SimTime at;   /* since its first submission */
    bool active;
} ProgressSlot;

typedef struct Progress {
    bool quiet, terminal;
    pthread_mutex_t lock;
    ProgressSlot *slot; /* [n_runs] */
    int n_runs, n_over;
    int64_t began_ns, drawn_ns; /* of a clock that only goes forward */
    bool drawn;                 /* a line is on the terminal */
} Progress;

void progress_open(Progress *progress, int n_runs, int64_t jobs_per_run, bool quiet, Arena *arena);
void progress_reopen(Progress *progress); /* in a later process, after its memory came back */
void progress_report(Progress *progress, int run, const ProgressSlot *now);
void progress_run_over(Progress *progress, int run);
void progress_close(Progress *progress); /* leaves a clean line */

/* Writes one line of its own to stderr, whatever is drawn there. */
void progress_say(Progress *progress, const char *line);

#endif
