/* sim/report/usage.c -- steps averaged over equal stretches. */
#include "sim/report/usage.h"

#include <math.h>

#include "sim/report/readback.h"

/* Spreads a value that holds from a to b over the stretches, in value x stretches. */
static void spread(double sum[], int n, double a, double b, double value)
{
    int first = (int)fmin(a, n - 1), last = (int)fmin(b, n - 1);
    for (int i = first; i <= last; i++) sum[i] += value * fmax(0, fmin(b, i + 1) - fmax(a, i));
}

/* A timeline is read by others' hands too. */
static bool check_order(const char *path, const SimTime time[], int64_t n, Err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (time[i] == TIME_NEVER || (i && time[i] < time[i - 1]))
            return err_set(err, ERR_DATA, "%s: expected in time_s of row %lld a time not before that of the last row",
                           path, (long long)i + 1);
    return true;
}

bool usage_read(const FoundRun *run, int n, Usage *usage, Arena *arena, Err *err)
{
    enum { TIME, BUSY, TOTAL, WAITING, RUNNING, N };
    ReadColumn column[N] = {[TIME] = {.name = "time_s", .kind = COLUMN_TIME},
                            [BUSY] = {.name = "gpus_busy", .kind = COLUMN_NUMBER},
                            [TOTAL] = {.name = "gpus_total", .kind = COLUMN_NUMBER},
                            [WAITING] = {.name = "jobs_waiting", .kind = COLUMN_NUMBER},
                            [RUNNING] = {.name = "jobs_running", .kind = COLUMN_NUMBER}};
    Arena scratch = {0};
    int64_t rows;
    *usage = (Usage){.n = 0};
    const char *path = run_file(run, "timeline.csv", arena);
    bool fine = readback_csv(path, column, N, &rows, &scratch, err) && check_order(path, column[TIME].time, rows, err);
    const SimTime *time = column[TIME].time;
    SimTime span = fine && rows > 1 ? time[rows - 1] - time[0] : 0;
    if (span > 0) {
        *usage = (Usage){.from = 0,
                         .stretch = (span + n - 1) / n,
                         .busy_gpus = NEW_ARRAY(arena, double, n),
                         .waiting_jobs = NEW_ARRAY(arena, double, n),
                         .running_jobs = NEW_ARRAY(arena, double, n),
                         .gpus = column[TOTAL].number[0],
                         .n = n};
        double per_stretch = 1 / (double)usage->stretch;
        for (int64_t i = 0; i + 1 < rows; i++) {
            double a = (double)(time[i] - time[0]) * per_stretch, b = (double)(time[i + 1] - time[0]) * per_stretch;
            spread(usage->busy_gpus, n, a, b, column[BUSY].number[i]);
            spread(usage->waiting_jobs, n, a, b, column[WAITING].number[i]);
            spread(usage->running_jobs, n, a, b, column[RUNNING].number[i]);
        }
    }
    arena_free(&scratch);
    return fine;
}
