/* policies/slaq.c -- GPUs to the jobs whose losses are about to fall furthest.
 *
 * Zhang, Stafman, Or and Freedman, "SLAQ: Quality-Driven Scheduling for Distributed Machine Learning", SoCC 2017.  A
 * job's loss is extrapolated (lossfit.h).  What it is expected to fall in the next `horizon_s`, in units of the largest
 * change from one epoch to the next seen of this job, is comparable between jobs, and the sum of that over the jobs is
 * what SLAQ makes large.
 *
 * There a job runs on any number of cores, and cores go one by one to who gains most from one more.  Here a job is a
 * gang of fixed width: its score is the fall for each of its GPUs, GPUs are granted in order of the scores, and what
 * does not fit is skipped.  A waiting job takes the place of a running one only if its score is higher by `hysteresis`
 * and the other has run for `min_run_s`.  Of a job of which fewer than `explore` epochs have been seen nothing can be
 * said: it comes before all that is known, in order of submission, and is not sent away.  Scores are those at the
 * latest epoch; nothing is fitted as long as nobody waits.
 *
 * elastic=1 is nearer to the paper: a job runs with any number of its replicas, and each replica is granted for what it
 * adds to the fall (widths.h), after one for every job.
 *
 * Knows:   losses observed, how long a job's epochs took so far, how many it has.
 * Ignores: predicted run times, deadlines, urgency, accuracies.
 */
#include "policies/lossfit.h"
#include "policies/ranking.h"
#include "policies/widths.h"

typedef struct Learner { /* a job of which an epoch has ended */
    LossTrack track;
    double done;  /* epochs when it was last looked at, ... */
    double speed; /* ... so many a second with one replica, so far ... */
    double score; /* ... and what it is expected to fall, for each GPU of a whole gang */
    bool listed;  /* among those with new epochs */
    struct Learner *next_free;
} Learner;

typedef struct Slaq {
    Ranking ranking;
    Widths widths; /* elastic=1 */
    LossTable table;
    SimTime min_run;
    double horizon, hysteresis;
    int explore;
    Learner **learner; /* [jobs], NULL: no epoch yet */
    Learner *free;
    JobId *news; /* [jobs]: with epochs that ended since their score was worked out; some may have ended themselves */
    int n_news;
} Slaq;

static const Param slaq_params[] = {
    NUMBER_PARAM("horizon_s", "60", 0.001, 1e9, "seconds ahead for which the fall of a loss is predicted"),
    NUMBER_PARAM("hysteresis", "0.2", 0, 1e6,
                 "a waiting job needs a score higher by this share to displace a running one"),
    NUMBER_PARAM("min_run_s", "120", 0, 1e9, "seconds a started job is safe from preemption"),
    INTEGER_PARAM("explore", "3", 2, 1e6, "epochs of a job before its loss is predicted; till then it goes first"),
    INTEGER_PARAM("elastic", "0", 0, 1, "1: jobs run with any number of their replicas, which are granted one by one"),
    NUMBER_PARAM("decay", "0.9", 0.01, 1, "weight of an epoch in a fit, relative to the next"),
    {0},
};

static void slaq_init(Sched *s, void *state)
{
    Slaq *me = state;
    int n_jobs = sched_live(s)->size;
    ranking_init(&me->ranking, s);
    losstable_open(&me->table, sched_memory(s), sched_number(s, "decay"));
    me->min_run = time_from_seconds(sched_number(s, "min_run_s"));
    if (sched_number(s, "elastic") > 0) widths_open(&me->widths, s, me->min_run);
    me->horizon = sched_number(s, "horizon_s");
    me->hysteresis = sched_number(s, "hysteresis");
    me->explore = (int)sched_number(s, "explore");
    me->learner = NEW_ARRAY(sched_memory(s), Learner *, n_jobs);
    me->news = NEW_ARRAY(sched_memory(s), JobId, n_jobs);
}

/* ---- what is known of a job ---- */

static void slaq_on_epoch(Sched *s, void *state, const Job *job)
{
    Slaq *me = state;
    Learner *l = me->learner[job->id];
    if (!l) {
        l = me->free;
        if (l)
            me->free = l->next_free;
        else
            l = NEW(sched_memory(s), Learner);
        *l = (Learner){0};
        me->learner[job->id] = l;
    }
    if (!l->listed) me->news[me->n_news++] = job->id;
    l->listed = true;
}

static void slaq_on_end(Sched *s, void *state, const Job *job)
{
    (void)s;
    Slaq *me = state;
    Learner *l = me->learner[job->id];
    if (!l) return;
    if (l->listed) /* it leaves the list, whose order is of no account */
        for (int i = me->n_news - 1; i >= 0; i--)
            if (me->news[i] == job->id) {
                me->news[i] = me->news[--me->n_news];
                break;
            }
    me->learner[job->id] = NULL;
    l->next_free = me->free;
    me->free = l;
}

static bool is_known(const Slaq *me, JobId id)
{
    return me->learner[id] && me->learner[id]->track.history.n_epochs >= me->explore;
}

/* The fall of its normalised loss that is expected of so many replicas. */
static double fall_with(const Slaq *me, const Job *job, const Learner *l, int width)
{
    double more = me->horizon * l->speed * width, rest = job->epochs - l->done, largest = l->track.history.largest;
    double fall = loss_track_fall(&l->track, l->done, more < rest ? more : rest);
    return largest > 0 && fall > 0 ? fall / largest : 0;
}

static void look_at_news(Sched *s, Slaq *me)
{
    for (int i = 0; i < me->n_news; i++) {
        const Job *job = sched_job(s, me->news[i]);
        Learner *l = me->learner[job->id];
        LossHistory *history = &l->track.history;
        for (int done = sched_epochs_done(s, job); history->n_epochs < done;)
            loss_observe(history, sched_observed_loss(s, job, history->n_epochs + 1));
        double time = widths_replica_seconds(&me->widths, job, sched_now(s));
        l->done = job_progress(job, sched_now(s)) * job->epochs;
        l->speed = time > 0 ? l->done / time : 0;
        loss_track_fit(&l->track, &me->table);
        if (is_known(me, job->id)) l->score = fall_with(me, job, l, job->graph->replicas) / job->n_gpus;
        l->listed = false;
    }
    me->n_news = 0;
}

/* ---- the order ---- */

static bool is_safe(const Slaq *me, const Job *job, SimTime now)
{
    return job->state == JOB_RUNNING && (!is_known(me, job->id) || now - job->started < me->min_run);
}

static int64_t slaq_key(const Sched *s, const void *state, const Job *job)
{
    const Slaq *me = state;
    if (is_safe(me, job, sched_now(s))) return -1;
    if (!is_known(me, job->id)) return job->id;
    double bonus = job->state == JOB_RUNNING ? 1 + me->hysteresis : 1;
    return (int64_t)INT32_MAX + 1 + rank_by_score(me->learner[job->id]->score * bonus);
}

/* ---- elastic ---- */

/* What is known keeps the replicas it has while others gain no more by hysteresis; the first replica of each job comes
 * before the second of any, so that nobody starves. */
static int64_t slaq_width_key(const Sched *s, const void *state, const Job *job, int width, int has)
{
    const Slaq *me = state;
    const Learner *l = me->learner[job->id];
    int64_t front = (int64_t)INT32_MAX + 1, others = front + 2 * RANK_SCORES;
    (void)s;
    if (!is_known(me, job->id)) return width <= has ? -1 : width == 1 ? job->id : others + job->id;
    double gain = (fall_with(me, job, l, width) - fall_with(me, job, l, width - 1)) / job->graph->partitions;
    if (width <= has) gain *= 1 + me->hysteresis;
    return front + (width > 1 ? RANK_SCORES : 0) + rank_by_score(gain > 0 ? gain : 0);
}
static const WidthRule slaq_widths = {slaq_width_key, NULL};

/* ---- rounds ---- */

static void slaq_on_arrive(Sched *s, void *state, const Job *job)
{
    Slaq *me = state;
    if (me->learner[job->id]) look_at_news(s, me); /* it failed */
    if (!me->widths.log) ranking_arrive(&me->ranking, job, slaq_key(s, me, job));
}

static void slaq_schedule(Sched *s, void *state)
{
    Slaq *me = state;
    if (me->widths.log) {
        look_at_news(s, me);
        sched_wake_at(s, widths_round(&me->widths, s, &slaq_widths, me));
        return;
    }
    if (!sched_waiting(s)->n) return;
    look_at_news(s, me);
    ranking_preempt(&me->ranking, s, slaq_key, me);
    sched_wake_at(s, ranking_release(s, me->min_run));
}

static int slaq_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    const Slaq *me = state;
    const Learner *l = me->learner[job->id];
    int n = 0;
    (void)s;
    term[n++] = (Term){"epochs_seen", l ? l->track.history.n_epochs : 0};
    if (!l || !is_known(me, job->id)) return n;
    term[n++] = (Term){"largest_change", l->track.history.largest};
    term[n++] = (Term){"score", l->score};
    return n;
}

const Policy policy_slaq = {
    .name = "slaq",
    .summary = "SLAQ: largest predicted fall of the normalised loss first, preemptive",
    .needs = NEEDS_INSIDE,
    .state_size = sizeof(Slaq),
    .params = slaq_params,
    .init = slaq_init,
    .on_arrive = slaq_on_arrive,
    .on_epoch = slaq_on_epoch,
    .on_end = slaq_on_end,
    .schedule = slaq_schedule,
    .terms = slaq_terms,
};
