/* sim/report/gputracks.c -- --timeline: the schedule as Chrome trace events, a track per GPU.
 *
 * A process is a server and a thread is a GPU; a slice is one stretch of time in which one task was there, written when
 * the stretch ends.  Slices of one track never overlap, as the format demands: a second task on the same GPU has a
 * track of its own, numbered behind those of all GPUs.  A stall (a resume, a move) is a slice within the task's.
 */
#include "sim/base/json.h"
#include "sim/base/out.h"
#include "sim/report/recorders.h"

typedef struct Stall {
    SimTime from, until;
    struct Stall *before;
} Stall;

/* One task's place on a GPU: a track. */
typedef struct Slot {
    JobId job;    /* -1: free */
    int32_t task; /* from n_gpus of the job on: their copies */
    SimTime since;
    Stall *stall;       /* the latest; NULL: none */
    struct Slot *below; /* on the same GPU */
} Slot;

typedef struct Spot {
    GpuId gpu;
    Slot *slot;  /* NULL: not placed */
    bool paused; /* it will be back on that GPU */
} Spot;

struct GpuTracks {
    Out *out;
    Arena *arena;
    SimTime origin;
    const JobSpec *spec;
    Cluster cluster; /* empty books, to tell servers by */
    Slot *slot;      /* [n_gpus]: the first of each GPU */
    Spot **spot;     /* [n_jobs][2 n_gpus of the job], by task, then their copies; NULL: it has not run yet */
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

static void put_thread(GpuTracks *tracks, GpuId gpu, int depth)
{
    ServerId s = cluster_server_of(&tracks->cluster, gpu);
    out_format(tracks->out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":", s,
               gpu + depth * tracks->cluster.spec->n_gpus);
    out_format(tracks->out, "\"GPU %d", gpu - tracks->cluster.server[s].first_gpu);
    if (depth) out_format(tracks->out, ", task %d", depth + 1);
    out_text(tracks->out, "\"}}");
}

static void put_names(GpuTracks *tracks, const ClusterSpec *spec, Arena *arena)
{
    for (ServerId s = 0; s < spec->n_servers; s++) {
        const Server *server = &tracks->cluster.server[s];
        const char *type = cluster_spec_class(spec, s)->gpu_type;
        const char *comma = s ? "," : "";
        out_format(tracks->out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":", comma, s);
        put_quoted(tracks->out, arena_format(arena, "server %d%s%s", s, type ? ", " : "", type ? type : ""));
        out_text(tracks->out, "}}");
        for (int i = 0; i < server->n_gpus; i++) put_thread(tracks, server->first_gpu + i, 0);
    }
}

GpuTracks *gpu_tracks_open(Arena *arena, const char *path, const Workload *workload, const ClusterSpec *cluster,
                           SimTime origin, Err *err)
{
    GpuTracks *tracks = NEW(arena, GpuTracks);
    *tracks = (GpuTracks){.arena = arena, .origin = origin, .spec = workload->job};
    tracks->out = out_open(arena, path, err);
    if (!tracks->out) return NULL;
    tracks->cluster = cluster_make(arena, cluster);
    MUST(tracks->cluster.server);
    tracks->slot = NEW_ARRAY(arena, Slot, cluster->n_gpus);
    for (int g = 0; g < cluster->n_gpus; g++) tracks->slot[g].job = -1;
    tracks->spot = NEW_ARRAY(arena, Spot *, workload->n);
    out_text(tracks->out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    put_names(tracks, cluster, arena);
    return tracks;
}

/* The beginning of a slice of a slot. */
static void put_slice(GpuTracks *tracks, GpuId gpu, const Slot *slot, const char *name, SimTime from, SimTime until)
{
    Out *out = tracks->out;
    int depth = 0;
    for (const Slot *s = &tracks->slot[gpu]; s != slot; s = s->below) depth++;
    out_text(out, ",\n{\"ph\":\"X\",\"name\":");
    put_quoted(out, name);
    out_text(out, ",\"pid\":");
    out_int(out, cluster_server_of(&tracks->cluster, gpu));
    out_text(out, ",\"tid\":");
    out_int(out, gpu + (int64_t)depth * tracks->cluster.spec->n_gpus);
    out_text(out, ",\"ts\":");
    out_int(out, from - tracks->origin);
    out_text(out, ",\"dur\":");
    out_int(out, until - from);
}

static void leave(GpuTracks *tracks, Spot *spot, SimTime now, const char *how)
{
    Slot *slot = spot->slot;
    const JobSpec *spec = &tracks->spec[slot->job];
    const char *copy = slot->task >= spec->n_gpus ? ",\"copy of task\":" : "";
    put_slice(tracks, spot->gpu, slot, spec->name, slot->since, now);
    out_format(tracks->out, ",\"args\":{\"gpus\":%d%s", spec->n_gpus, copy);
    if (*copy) out_int(tracks->out, slot->task - spec->n_gpus);
    out_format(tracks->out, ",\"left by\":\"%s\"}}", how);
    for (const Stall *s = slot->stall; s; s = s->before) { /* after the slice that they are within */
        put_slice(tracks, spot->gpu, slot, "stall", s->from, s->until < now ? s->until : now);
        out_char(tracks->out, '}');
    }
    slot->job = -1;
    spot->slot = NULL;
}

static void enter(GpuTracks *tracks, JobId job, int task, GpuId gpu, SimTime now)
{
    Slot *slot = &tracks->slot[gpu];
    for (int depth = 1; slot->job >= 0; depth++, slot = slot->below)
        if (!slot->below) {
            slot->below = NEW(tracks->arena, Slot);
            slot->below->job = -1;
            put_thread(tracks, gpu, depth);
        }
    *slot = (Slot){job, task, now, NULL, slot->below};
    if (!tracks->spot[job]) tracks->spot[job] = NEW_ARRAY(tracks->arena, Spot, 2 * tracks->spec[job].n_gpus);
    tracks->spot[job][task] = (Spot){gpu, slot, false};
}

/* The whole job waits, wherever its tasks are. */
static void stall(GpuTracks *tracks, JobId job, SimTime now, SimTime until)
{
    for (int k = 0; k < 2 * tracks->spec[job].n_gpus; k++) {
        Slot *slot = tracks->spot[job][k].slot;
        if (!slot) continue;
        if (!slot->stall || slot->stall->until <= now) {
            Stall *stall = NEW(tracks->arena, Stall);
            *stall = (Stall){now, until, slot->stall};
            slot->stall = stall;
        }
        slot->stall->until = until;
    }
}

static void leave_all(GpuTracks *tracks, JobId job, SimTime now, const char *how, bool paused)
{
    for (int k = 0; tracks->spot[job] && k < 2 * tracks->spec[job].n_gpus; k++) {
        Spot *spot = &tracks->spot[job][k];
        spot->paused = paused && spot->slot;
        if (spot->slot) leave(tracks, spot, now, how);
    }
}

static void come_back(GpuTracks *tracks, JobId job, SimTime now)
{
    for (int k = 0; k < tracks->spec[job].n_gpus; k++)
        if (tracks->spot[job][k].paused) enter(tracks, job, k, tracks->spot[job][k].gpu, now);
}

static void gpu_tracks_happening(void *self, const Happening *h)
{
    GpuTracks *tracks = self;
    JobId job = h->job->id;
    const char *how = happen_name(h->kind);
    bool on_gpu = h->task < tracks->spec[job].n_gpus; /* else a parameter server, which needs none */
    switch (h->kind) {
    case HAPPENS_RESUME: come_back(tracks, job, h->at); break;
    case HAPPENS_START:
        for (int i = 0; i < h->n_gpus; i++) enter(tracks, job, i, h->gpus[i], h->at);
        break;
    case HAPPENS_PLACE:
        if (on_gpu) enter(tracks, job, h->task, h->gpus[0], h->at);
        break;
    case HAPPENS_EVICT:
        if (on_gpu) leave(tracks, &tracks->spot[job][h->task], h->at, how);
        break;
    case HAPPENS_MIGRATE:
        if (!on_gpu) break;
        if (tracks->spot[job][h->task].paused) {
            tracks->spot[job][h->task].gpu = h->gpus[1];
            break;
        }
        leave(tracks, &tracks->spot[job][h->task], h->at, how);
        enter(tracks, job, h->task, h->gpus[1], h->at);
        break;
    case HAPPENS_DUPLICATE: enter(tracks, job, tracks->spec[job].n_gpus + h->task, h->gpus[0], h->at); break;
    case HAPPENS_DROP: leave(tracks, &tracks->spot[job][tracks->spec[job].n_gpus + h->task], h->at, how); break;
    case HAPPENS_END:
    case HAPPENS_STOP:
    case HAPPENS_PREEMPT:
    case HAPPENS_PAUSE:
    case HAPPENS_FAIL: leave_all(tracks, job, h->at, how, h->kind == HAPPENS_PAUSE); return;
    case HAPPENS_ARRIVE:
    case HAPPENS_UNSCHEDULABLE: return;
    }
    if (h->stalled > h->at && tracks->spot[job]) stall(tracks, job, h->at, h->stalled);
}

bool gpu_tracks_close(GpuTracks *tracks, SimTime stopped_at, Err *err)
{
    for (GpuId g = 0; g < tracks->cluster.spec->n_gpus; g++)
        for (Slot *slot = &tracks->slot[g]; slot; slot = slot->below)
            if (slot->job >= 0) leave(tracks, &tracks->spot[slot->job][slot->task], stopped_at, "end of the run");
    out_text(tracks->out, "\n]}\n");
    return out_close(tracks->out, err);
}

void gpu_tracks_abandon(GpuTracks *tracks)
{
    if (tracks) out_abandon(tracks->out);
}

const Observer gpu_tracks_observer = {.name = "gputracks", .on_happening = gpu_tracks_happening};
