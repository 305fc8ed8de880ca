/* sim/report/recorders.h -- three ways to write a run down while it goes, each an Observer for SimConfig.watcher.
 *
 * Open one, put {&NAME_observer, it} among the watchers, and after the run either close it, which says whether all was
 * written, or abandon it.  `origin` is taken from every time (out_origin).
 */
#ifndef SIM_REPORT_RECORDERS_H
#define SIM_REPORT_RECORDERS_H

#include "sim/engine/observer.h"

/* timeline.csv: how full the cluster and the queue were, a row per instant at which anything changed. */
typedef struct Timeline Timeline;
extern const Observer timeline_observer;
Timeline *timeline_open(Arena *arena, const char *path, SimTime origin, Err *err); /* NULL: err tells */
bool timeline_close(Timeline *timeline, Err *err);
void timeline_abandon(Timeline *timeline); /* NULL is fine */

/* --events: every event and every granted request, in the order in which they took effect. */
typedef struct EventLog EventLog;
extern const Observer event_log_observer;
EventLog *event_log_open(Arena *arena, const char *path, const Workload *workload, const ClusterSpec *cluster,
                         SimTime origin, Err *err);
bool event_log_close(EventLog *log, Err *err);
void event_log_abandon(EventLog *log);

/* --timeline: who held each GPU when, as Chrome trace events, which ui.perfetto.dev opens.  Jobs that still run at
 * `stopped_at` are drawn up to there. */
typedef struct GpuTracks GpuTracks;
extern const Observer gpu_tracks_observer;
GpuTracks *gpu_tracks_open(Arena *arena, const char *path, const Workload *workload, const ClusterSpec *cluster,
                           SimTime origin, Err *err);
bool gpu_tracks_close(GpuTracks *tracks, SimTime stopped_at, Err *err);
void gpu_tracks_abandon(GpuTracks *tracks);

#endif
