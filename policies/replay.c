/* policies/replay.c -- each job starts when the log says it did.
 *
 * No policy at all, but a check of everything else: with as many GPUs as the log held at its peak, the curve of busy
 * GPUs is the log's own, to the microsecond.  Each round: start the waiting jobs whose recorded start has come,
 * earliest first, skipping what does not fit; wake up at the next recorded start.  A job whose start the log puts
 * before its submission starts at submission; one that was preempted by a failure has its start behind it and starts
 * again at once.
 *
 * Knows:   the recorded starts, and how many GPUs a job wants.
 * Ignores: run times, deadlines, where the log had its jobs.
 */
#include "policies/ranking.h"

typedef struct Later { /* a job that waits for its start to come */
    SimTime start;
    JobId id;
} Later;

typedef struct {
    Ranking due;
    Later *later; /* [n_later], the latest first */
    int n_later, room;
} Replay;

static void replay_init(Sched *s, void *state)
{
    Replay *me = state;
    ranking_init(&me->due, s);
}

static void replay_on_arrive(Sched *s, void *state, const Job *job)
{
    Replay *me = state;
    SimTime start = sched_recorded_start(s, job);
    if (start <= sched_now(s)) {
        ranking_arrive(&me->due, job, start);
        return;
    }
    if (me->n_later == me->room) {
        int larger = me->room ? 2 * me->room : 64;
        me->later = arena_grow(sched_memory(s), me->later, (size_t)me->n_later, (size_t)larger, sizeof *me->later);
        me->room = larger;
    }
    int place = me->n_later++;
    for (; place > 0 && me->later[place - 1].start <= start; place--) me->later[place] = me->later[place - 1];
    me->later[place] = (Later){start, job->id}; /* before its equals: they are taken from the end */
}

static void replay_schedule(Sched *s, void *state)
{
    Replay *me = state;
    while (me->n_later && me->later[me->n_later - 1].start <= sched_now(s)) {
        const Later *next = &me->later[--me->n_later];
        ranking_arrive(&me->due, sched_job(s, next->id), next->start);
    }
    ranking_fill(&me->due, s, false);
    sched_wake_at(s, me->n_later ? me->later[me->n_later - 1].start : TIME_NEVER);
}

static int replay_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    (void)state;
    term[0] = (Term){"late_s", time_seconds(sched_now(s) - sched_recorded_start(s, job))};
    return 1;
}

const Policy policy_replay = {
    .name = "replay",
    .summary = "each job at the start that the log has for it",
    .needs = NEEDS_STARTS,
    .state_size = sizeof(Replay),
    .init = replay_init,
    .on_arrive = replay_on_arrive,
    .schedule = replay_schedule,
    .terms = replay_terms,
};
