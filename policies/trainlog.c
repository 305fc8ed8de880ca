/* policies/trainlog.c -- rows kept and written. */
#include "policies/trainlog.h"

#include <math.h>

#include "sim/base/out.h"

double *trainlog_add(TrainLog *log, int phase, int step)
{
    if (log->n == log->room) {
        int room = log->room ? 2 * log->room : 64;
        log->row = arena_grow(log->arena, log->row, (size_t)log->n, (size_t)room, sizeof *log->row);
        log->room = room;
    }
    double *row = log->row[log->n++];
    for (int i = 0; i < N_TRAIN_COLUMNS; i++) row[i] = (double)NAN;
    row[TRAIN_PHASE] = phase;
    row[TRAIN_STEP] = step;
    return row;
}

bool trainlog_write(const TrainLog *log, const char *path, Arena *scratch, Err *err)
{
    Out *out = out_open(scratch, path, err);
    if (!out) return false;
    out_text(out, "phase,step,loss,entropy,agreement,decisions,reward,reward_mlf_h,spread,load,start_s,check\n");
    for (int i = 0; i < log->n; i++) {
        out_text(out, log->row[i][TRAIN_PHASE] > 0 ? "reinforce" : "imitate");
        for (int c = TRAIN_STEP; c < N_TRAIN_COLUMNS; c++) {
            out_char(out, ',');
            out_double(out, log->row[i][c]);
        }
        out_char(out, '\n');
    }
    return out_close(out, err);
}
