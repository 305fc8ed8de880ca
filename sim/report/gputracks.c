/* sim/report/gputracks.c -- --timeline: the schedule as Chrome trace events, a track per GPU.
 *
 * A process is a server and a thread is a GPU; a slice is one stretch of time in which one job held it, written when
 * the stretch ends.  Slices of one track never overlap, as the format demands.
 */
#include "sim/base/json.h"
#include "sim/base/out.h"
#include "sim/report/recorders.h"

struct GpuTracks {
    Out *out;
    SimTime origin;
    const JobSpec *spec;
    Cluster cluster; /* empty books, to tell servers by */
    JobId *holder;   /* [n_gpus], -1: free */
    SimTime *since;  /* [n_gpus]: when its holder took it */
};

/* Text inside a JSON string. */
static void put_quoted(Out *out, const char *text)
{
    cJSON *item = json_text(text);
    char *quoted = cJSON_PrintUnformatted(item);
    MUST(quoted);
    out_text(out, quoted);
    cJSON_free(quoted);
    cJSON_Delete(item);
}

static void put_names(GpuTracks *tracks, Arena *arena)
{
    const ClusterSpec *spec = tracks->cluster.spec;
    for (ServerId s = 0; s < spec->n_servers; s++) {
        const Server *server = &tracks->cluster.server[s];
        const char *type = spec->class_of[spec->server[s].class_index].gpu_type;
        const char *comma = s ? "," : "";
        out_format(tracks->out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":", comma, s);
        put_quoted(tracks->out, arena_format(arena, "server %d%s%s", s, type ? ", " : "", type ? type : ""));
        out_text(tracks->out, "}}");
        for (int i = 0; i < server->n_gpus; i++)
            out_format(
                tracks->out,
                ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"GPU %d\"}}", s,
                server->first_gpu + i, i);
    }
}

GpuTracks *gpu_tracks_open(Arena *arena, const char *path, const Workload *workload, const ClusterSpec *cluster,
                           SimTime origin, Err *err)
{
    GpuTracks *tracks = NEW(arena, GpuTracks);
    *tracks = (GpuTracks){.origin = origin, .spec = workload->job};
    tracks->out = out_open(arena, path, err);
    if (!tracks->out) return NULL;
    tracks->cluster = cluster_make(arena, cluster);
    tracks->holder = NEW_ARRAY(arena, JobId, cluster->n_gpus);
    tracks->since = NEW_ARRAY(arena, SimTime, cluster->n_gpus);
    for (int g = 0; g < cluster->n_gpus; g++) tracks->holder[g] = -1;
    out_text(tracks->out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    put_names(tracks, arena);
    return tracks;
}

static void put_slice(GpuTracks *tracks, GpuId gpu, SimTime until, const char *how)
{
    const JobSpec *spec = &tracks->spec[tracks->holder[gpu]];
    Out *out = tracks->out;
    out_text(out, ",\n{\"ph\":\"X\",\"name\":");
    put_quoted(out, spec->name);
    out_text(out, ",\"pid\":");
    out_int(out, cluster_server_of(&tracks->cluster, gpu));
    out_text(out, ",\"tid\":");
    out_int(out, gpu);
    out_text(out, ",\"ts\":");
    out_int(out, tracks->since[gpu] - tracks->origin);
    out_text(out, ",\"dur\":");
    out_int(out, until - tracks->since[gpu]);
    out_format(out, ",\"args\":{\"gpus\":%d,\"left by\":\"%s\"}}", spec->n_gpus, how);
    tracks->holder[gpu] = -1;
}

static void gpu_tracks_happening(void *self, const Happening *happening)
{
    GpuTracks *tracks = self;
    for (int i = 0; happening->gpus && i < happening->n_gpus; i++) {
        GpuId gpu = happening->gpus[i];
        if (happening->kind == HAPPENS_START) {
            tracks->holder[gpu] = happening->job->id;
            tracks->since[gpu] = happening->at;
        } else
            put_slice(tracks, gpu, happening->at, happen_name(happening->kind));
    }
}

bool gpu_tracks_close(GpuTracks *tracks, SimTime stopped_at, Err *err)
{
    for (GpuId g = 0; g < tracks->cluster.spec->n_gpus; g++)
        if (tracks->holder[g] >= 0) put_slice(tracks, g, stopped_at, "end of the run");
    out_text(tracks->out, "\n]}\n");
    return out_close(tracks->out, err);
}

void gpu_tracks_abandon(GpuTracks *tracks)
{
    if (tracks) out_abandon(tracks->out);
}

const Observer gpu_tracks_observer = {.name = "gputracks", .on_happening = gpu_tracks_happening};
