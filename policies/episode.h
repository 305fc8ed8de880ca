/* policies/episode.h -- pieces of a trace replayed to learn from: segments, and runs of them on several threads. */
#ifndef POLICIES_EPISODE_H
#define POLICIES_EPISODE_H

#include "policies/lesson.h"
#include "policies/mlf_reward.h"
#include "sim/engine/sim.h"

typedef struct Stage {    /* what all runs share */
    const Workload *jobs; /* that may be learnt from: the training half */
    const ClusterSpec *cluster;
    const Params *params;
    uint64_t seed; /* of the jobs' inside */
    SimTime tick;
} Stage;

/* The jobs that arrive within a piece of the stage, pressed or stretched to so many ticks. */
typedef struct Segment {
    Arena arena;
    Workload jobs;
    JobModels models;
    int n_ticks;   /* and so long is a run of it */
    SimTime start; /* since the first submission of the stage */
    double load;
} Segment;

/* `lead` ticks before the arrival of a job that is drawn uniformly, at one of the loads, by draws named (seed, purpose,
 * number): busy times are seen as often as jobs see them.  False: err tells. */
bool segment_draw(Segment *segment, const Stage *stage, int n_ticks, int lead, const double load[], int n_loads,
                  uint64_t seed, const char *purpose, uint64_t number, Err *err);
/* The first jobs of the stage, as they are, run to their end. */
bool segment_first(Segment *segment, const Stage *stage, int n_jobs, Err *err);
void segment_close(Segment *segment);

typedef struct Rollout {
    const Segment *segment;
    Lesson lesson;
    bool elsewhere;                     /* not run: it is another process's (rl/ranks.h) */
    double *reward;                     /* [segment->n_ticks]; NULL: not wanted */
    double *own;                        /* [segment->jobs.n]: by job; NULL: not wanted */
    double constant[N_MODEL_CONSTANTS]; /* of this run */
    Err err;
} Rollout;

/* Whatever the number of threads, the same results.  False: err has the failure of the first that failed. */
bool rollouts_run(Rollout rollout[], int n, const Stage *stage, const RewardRule *rule, int n_threads, Err *err);

#endif
