/* sim/report/timeline.c -- timeline.csv: a row per instant.
 *
 * A row is kept back until the clock moves on, so that several rounds at one instant leave one row, the last state.
 */
#include "sim/report/recorders.h"

#include "sim/base/out.h"

struct Timeline {
    Out *out;
    SimTime origin;
    Census census; /* the row kept back */
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

static void timeline_round(void *self, const Census *census, const Cluster *cluster)
{
    Timeline *timeline = self;
    (void)cluster;
    if (timeline->kept && timeline->census.at != census->at) put_row(timeline);
    timeline->census = *census;
    timeline->kept = true;
}

bool timeline_close(Timeline *timeline, Err *err)
{
    if (timeline->kept) put_row(timeline);
    return out_close(timeline->out, err);
}

void timeline_abandon(Timeline *timeline)
{
    if (timeline) out_abandon(timeline->out);
}

const Observer timeline_observer = {.name = "timeline", .on_round = timeline_round};
