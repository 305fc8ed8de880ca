/* policies/episode.c -- segments cut from the stage, and threads that take rollouts off a list. */
#include "policies/episode.h"

#include <pthread.h>

#include "sim/base/threads.h"
#include "traces/select.h"

enum { MOST_DRAWS = 1000 };

static bool fill(Segment *segment, const Stage *stage, const Selection *selection, uint64_t seed, Err *err)
{
    return select_jobs(stage->jobs, selection, seed, &segment->arena, &segment->jobs, err) &&
           jobmodels_build(&segment->jobs, stage->params, stage->seed, &segment->arena, &segment->models, err);
}

static bool any_within(const Workload *jobs, SimTime from, SimTime to)
{
    for (int i = 0; i < jobs->n && jobs->job[i].submit < to; i++)
        if (jobs->job[i].submit >= from) return true;
    return false;
}

bool segment_draw(Segment *segment, const Stage *stage, int n_ticks, const double load[], int n_loads, uint64_t seed,
                  const char *purpose, uint64_t number, Err *err)
{
    const Workload *jobs = stage->jobs;
    Rng rng;
    rng_open(&rng, seed, purpose, number);
    *segment = (Segment){.n_ticks = n_ticks, .load = load[rng_below(&rng, n_loads)]};
    SimTime first = jobs->job[0].submit, length = (SimTime)((double)(n_ticks * stage->tick) * segment->load);
    SimTime room = jobs->job[jobs->n - 1].submit - first - length;
    for (int i = 0; i < MOST_DRAWS; i++) {
        segment->start = room > 0 ? rng_below(&rng, room) : 0;
        SimTime from = first + segment->start;
        if (!any_within(jobs, from, from + length)) continue;
        Selection selection = SELECT_ALL;
        selection.window_from = from;
        selection.window_to = from + length;
        selection.arrival_scale = 1 / segment->load; /* no copies: a trace may have its own already */
        return fill(segment, stage, &selection, rng_bits(&rng), err);
    }
    return err_set(err, ERR_DATA, "%s: jobs arrive too rarely to learn from: hardly any within %d ticks", jobs->source,
                   n_ticks);
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
