/* sim/report/timeline.c -- timeline.csv: a row per change.
 *
 * A row is kept back until the clock moves on, so that several rounds at one instant leave one row, the last state; and
 * until something else than the bytes moved has changed, as policies that want to know of each epoch's end make
 * millions of instants at which nothing has.
 */
#include "sim/report/recorders.h"

#include <math.h>

#include "sim/base/out.h"

struct Timeline {
    Out *out;
    SimTime origin;
    Census census; /* the row kept back */
    Census latest; /* the same state later on, but for the bytes; or that row */
    bool kept;
};

static const char header[] = "time_s,gpus_busy,gpus_total,jobs_running,jobs_waiting,jobs_done,tasks_waiting,load_mean,"
                             "servers_overloaded,bytes_moved\n";

Timeline *timeline_open(Arena *arena, const char *path, SimTime origin, Err *err)
{
    Timeline *timeline = NEW(arena, Timeline);
    timeline->origin = origin;
    timeline->out = out_open(arena, path, err);
    if (!timeline->out) return NULL;
    out_text(timeline->out, header);
    return timeline;
}

static void put_row(Timeline *timeline)
{
    const Census *c = &timeline->census;
    Out *out = timeline->out;
    out_time(out, c->at - timeline->origin);
    int64_t counts[] = {c->gpus_busy, c->gpus_total, c->jobs_running, c->jobs_waiting, c->jobs_done, c->tasks_waiting};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        out_char(out, ',');
        out_int(out, counts[i]);
    }
    out_char(out, ',');
    out_double(out, c->load_mean);
    out_char(out, ',');
    if (c->servers_overloaded >= 0) out_int(out, c->servers_overloaded);
    out_char(out, ',');
    if (c->bytes_moved >= 0) out_int(out, c->bytes_moved);
    out_char(out, '\n');
}

static bool same_state(const Census *a, const Census *b)
{
    return a->gpus_busy == b->gpus_busy && a->gpus_total == b->gpus_total && a->jobs_running == b->jobs_running &&
           a->jobs_waiting == b->jobs_waiting && a->jobs_done == b->jobs_done && a->tasks_waiting == b->tasks_waiting &&
           a->servers_overloaded == b->servers_overloaded &&
           (a->load_mean == b->load_mean || (isnan(a->load_mean) && isnan(b->load_mean)));
}

static void timeline_round(void *self, const Census *census, const Cluster *cluster)
{
    Timeline *timeline = self;
    (void)cluster;
    timeline->latest = *census;
    if (timeline->kept && same_state(&timeline->census, census)) return;
    if (timeline->kept && timeline->census.at != census->at) put_row(timeline);
    timeline->census = *census;
    timeline->kept = true;
}

bool timeline_close(Timeline *timeline, Err *err)
{
    if (timeline->kept) put_row(timeline);
    if (timeline->latest.bytes_moved != timeline->census.bytes_moved) { /* cut in the middle: bytes up to there */
        timeline->census = timeline->latest;
        put_row(timeline);
    }
    return out_close(timeline->out, err);
}

void timeline_abandon(Timeline *timeline)
{
    if (timeline) out_abandon(timeline->out);
}

const Observer timeline_observer = {.name = "timeline", .on_round = timeline_round};
