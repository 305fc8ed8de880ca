/* sim/report/eventlog.c -- --events: one CSV line for each event and each granted request. */
#include "sim/base/out.h"
#include "sim/report/recorders.h"

struct EventLog {
    Out *out;
    SimTime origin;
    const JobSpec *spec;
    Cluster cluster; /* empty books, to tell servers by */
};

EventLog *event_log_open(Arena *arena, const char *path, const Workload *workload, const ClusterSpec *cluster,
                         SimTime origin, Err *err)
{
    EventLog *log = NEW(arena, EventLog);
    *log = (EventLog){out_open(arena, path, err), origin, workload->job, cluster_make(arena, cluster)};
    if (!log->out) return NULL;
    out_text(log->out, "time_s,event,job_id,n_gpus,gpus\n");
    return log;
}

static void event_log_happening(void *self, const Happening *happening)
{
    EventLog *log = self;
    Out *out = log->out;
    out_time(out, happening->at - log->origin);
    out_char(out, ',');
    out_text(out, happen_name(happening->kind));
    out_char(out, ',');
    out_csv(out, log->spec[happening->job->id].name);
    out_char(out, ',');
    out_int(out, happening->job->n_gpus);
    out_char(out, ',');
    for (int i = 0; happening->gpus && i < happening->n_gpus; i++) {
        GpuId gpu = happening->gpus[i];
        ServerId server = cluster_server_of(&log->cluster, gpu);
        if (i) out_char(out, ' ');
        out_int(out, server);
        out_char(out, ':');
        out_int(out, gpu - log->cluster.server[server].first_gpu);
    }
    out_char(out, '\n');
}

bool event_log_close(EventLog *log, Err *err)
{
    return out_close(log->out, err);
}

void event_log_abandon(EventLog *log)
{
    if (log) out_abandon(log->out);
}

const Observer event_log_observer = {.name = "events", .on_happening = event_log_happening};
