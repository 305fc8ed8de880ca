/* tests/handmade.h -- a finished run made by hand, for testing what is reported about it. */
#ifndef TESTS_HANDMADE_H
#define TESTS_HANDMADE_H

#include <math.h>
#include <string.h>

#include "sim/engine/sim.h"

/* One job in whole seconds; start or end of -1: not yet.  No preemption. */
typedef struct HandJob {
    const char *name;
    int64_t submit, n_gpus, duration, start, end;
    int64_t deadline; /* 0: none */
} HandJob;

typedef struct HandRun {
    Arena arena;
    Workload workload;
    ServerClass class_of;
    ServerSpec server[64];
    ClusterSpec cluster;
    SimResult result;
    Job *job;      /* the result's, to change */
    JobSpec *spec; /* the workload's, to change */
} HandRun;

static SimTime hand_time(int64_t seconds)
{
    return seconds * TIME_SECOND;
}

static SimTime hand_overlap(SimTime from, SimTime to, SimTime start, SimTime end)
{
    SimTime low = from > start ? from : start, high = to < end ? to : end;
    return high > low ? high - low : 0;
}

/* Jobs in submit order on `servers` x `gpus`; the clock stood at stopped_at (-1: at the last end). */
static void hand_make(HandRun *run, int servers, int gpus, const HandJob jobs[], int n, int64_t stopped_at)
{
    memset(run, 0, sizeof *run);
    MUST(servers <= 64 && n > 0);
    run->class_of = (ServerClass){.n_gpus = gpus};
    for (int i = 0; i < servers; i++) run->server[i].rack = -1;
    run->cluster = (ClusterSpec){"hand", &run->class_of, 1, run->server, servers, servers * gpus, NULL, 0};
    run->job = NEW_ARRAY(&run->arena, Job, n);
    run->spec = NEW_ARRAY(&run->arena, JobSpec, n);
    run->workload = (Workload){.job = run->spec, .n = n, .source = "hand.csv", .format = "csv", .load = 1};
    run->workload.arrival_scale = 1;
    run->workload.counts.read = run->workload.counts.usable = n;
    memset(run->workload.sha256, 'a', 64);

    SimResult *r = &run->result;
    *r = (SimResult){.job = run->job, .n = n, .complete = true, .last_end = TIME_NEVER, .cut = stopped_at >= 0};
    r->first_submit = hand_time(jobs[0].submit);
    r->last_submit = hand_time(jobs[n - 1].submit);
    for (int i = 0; i < n; i++)
        if (jobs[i].end >= 0 && (r->last_end == TIME_NEVER || hand_time(jobs[i].end) > r->last_end))
            r->last_end = hand_time(jobs[i].end);
    r->stopped_at = stopped_at >= 0 ? hand_time(stopped_at) : r->last_end;

    for (int i = 0; i < n; i++) {
        const HandJob *h = &jobs[i];
        SimTime submit = hand_time(h->submit), start = h->start < 0 ? TIME_NEVER : hand_time(h->start);
        SimTime end = h->end < 0 ? TIME_NEVER : hand_time(h->end);
        run->spec[i] = (JobSpec){.name = h->name,
                                 .submit = submit,
                                 .duration = hand_time(h->duration),
                                 .deadline = h->deadline ? hand_time(h->deadline) : TIME_NEVER,
                                 .urgency = (double)NAN,
                                 .accuracy_required = (double)NAN,
                                 .n_gpus = (int32_t)h->n_gpus};
        run->job[i] = (Job){.id = i,
                            .n_gpus = (int32_t)h->n_gpus,
                            .n_tasks = (int32_t)h->n_gpus,
                            .submit = submit,
                            .deadline = h->deadline ? submit + hand_time(h->deadline) : TIME_NEVER,
                            .estimate = hand_time(h->duration),
                            .started = start,
                            .first_started = start,
                            .ended = end,
                            .first_gpu = -1};
        if (end != TIME_NEVER) {
            run->job[i].state = JOB_DONE;
            run->job[i].attained = end - start;
        } else if (start != TIME_NEVER)
            run->job[i].state = JOB_RUNNING;
        else
            run->job[i].state = submit <= r->stopped_at ? JOB_WAITING : JOB_FUTURE;
        SimTime until = end == TIME_NEVER ? r->stopped_at : end;
        if (start != TIME_NEVER) r->gpu_time += (WideTime)(until - start) * h->n_gpus;
        if (submit <= r->last_submit) {
            SimTime done = start == TIME_NEVER ? 0 : hand_overlap(start, until, submit, r->last_submit);
            r->backlog += (WideTime)(hand_time(h->duration) - done) * h->n_gpus;
        }
    }
}

#endif
