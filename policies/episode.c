/* policies/episode.c -- segments cut from the stage, and threads that take rollouts off a list. */
#include "policies/episode.h"

#include <pthread.h>

#include "sim/base/threads.h"
#include "traces/select.h"

static bool fill(Segment *segment, const Stage *stage, const Selection *selection, uint64_t seed, Err *err)
{
    return select_jobs(stage->jobs, selection, seed, &segment->arena, &segment->jobs, err) &&
           jobmodels_build(&segment->jobs, stage->params, stage->seed, &segment->arena, &segment->models, err);
}

bool segment_draw(Segment *segment, const Stage *stage, int n_ticks, int lead, const double load[], int n_loads,
                  uint64_t seed, const char *purpose, uint64_t number, Err *err)
{
    const Workload *jobs = stage->jobs;
    Rng rng;
    rng_open(&rng, seed, purpose, number);
    *segment = (Segment){.n_ticks = n_ticks, .load = load[rng_below(&rng, n_loads)]};
    SimTime tick = (SimTime)((double)stage->tick * segment->load), first = jobs->job[0].submit;
    SimTime start = jobs->job[rng_below(&rng, jobs->n)].submit - first - lead * tick;
    SimTime latest = jobs->job[jobs->n - 1].submit - first + 1 - n_ticks * tick;
    if (start > latest) start = latest;
    segment->start = start > 0 ? start : 0;
    Selection selection = SELECT_ALL;
    selection.window_from = first + segment->start;
    selection.window_to = selection.window_from + n_ticks * tick;
    selection.arrival_scale = 1 / segment->load; /* no copies: a trace may have its own already */
    return fill(segment, stage, &selection, rng_bits(&rng), err);
}

bool segment_first(Segment *segment, const Stage *stage, int n_jobs, Err *err)
{
    Selection selection = SELECT_ALL;
    selection.last = n_jobs;
    *segment = (Segment){.load = 1};
    return fill(segment, stage, &selection, stage->seed, err);
}

void segment_close(Segment *segment)
{
    arena_free(&segment->arena);
}

/* ---- rollouts ---- */

typedef struct Party {
    Rollout *rollout;
    int n, n_taken;
    const Stage *stage;
    const RewardRule *rule;
    pthread_mutex_t lock;
} Party;

static void run(const Party *party, Rollout *r)
{
    Arena arena = {0};
    SimResult result;
    const Segment *segment = r->segment;
    SimConfig config = {
        .workload = &segment->jobs,
        .cluster = party->stage->cluster,
        .policy = &policy_lesson,
        .given = &r->lesson,
        .params = party->stage->params,
        .models = &segment->models,
        .seed = party->stage->seed,
        .horizon = segment->n_ticks ? segment->n_ticks * party->stage->tick : TIME_NEVER,
    };
    if (sim_run(&config, &arena, &result, &r->err)) {
        if (r->reward) reward_by_tick(party->rule, &result, party->stage->tick, segment->n_ticks, r->reward, &arena);
        if (r->own) reward_by_job(party->rule, &result, party->stage->tick, segment->n_ticks, r->own);
        if (!reward_measure(&result, party->stage->tick, r->constant)) r->constant[MODEL_ENDED_PER_TICK] = 0;
    }
    arena_free(&arena);
}

static void *work(void *self)
{
    Party *party = self;
    for (;;) {
        pthread_mutex_lock(&party->lock);
        int i = party->n_taken++;
        pthread_mutex_unlock(&party->lock);
        if (i >= party->n) return NULL;
        if (!party->rollout[i].elsewhere) run(party, &party->rollout[i]);
    }
}

bool rollouts_run(Rollout rollout[], int n, const Stage *stage, const RewardRule *rule, int n_threads, Err *err)
{
    Party party = {.rollout = rollout, .n = n, .stage = stage, .rule = rule};
    pthread_mutex_init(&party.lock, NULL);
    threads_work(n_threads < n ? n_threads : n, work, &party);
    pthread_mutex_destroy(&party.lock);
    for (int i = 0; i < n; i++)
        if (rollout[i].err.kind != ERR_NONE) return err_set(err, rollout[i].err.kind, "%s", rollout[i].err.text);
    return true;
}
