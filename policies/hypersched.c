/* policies/hypersched.c -- GPUs to the jobs that will be more accurate by their deadlines; those that hardly learn
 * pause.
 *
 * Liaw, Bhardwaj, Dunlap, Zou, Gonzalez, Stoica and Tumanov, "HyperSched: Dynamic Resource Reallocation for Model
 * Development on a Deadline", SoCC 2019.  There one user tries many settings of one model under one deadline; here each
 * job is a trial with a deadline of its own, and its gang has a fixed width.  Jobs are granted GPUs in this order,
 * skipping what does not fit:
 *
 *   1  running jobs that started less than `min_run_s` ago
 *   2  jobs without a whole epoch, in order of submission, up to `explore` of the GPUs
 *   3  jobs before their deadline, by gain / (GPUs x time left): the accuracy that the curve fitted to the accuracies
 *      seen (curvefit.h) gains from now to the deadline, or to the last epoch if that comes first
 *   4  the other jobs without a whole epoch, in order of submission
 *   5  paused jobs, by the same score
 *   6  jobs past their deadline, in order of submission
 *
 * A job is paused at a rung (rungs.h: epochs 1, 4, 16, ...) if it is below the cutoff there, the best quarter of the
 * jobs of its family that came by, and gained less than `pause_gain` an epoch since the rung before.  If others want
 * its GPUs they get them (it is preempted), else it goes on.  It is no longer paused when the cutoff has come down to
 * it, or it passes the next rung well.  A waiting job takes the place of a running one of class 3 only if its score,
 * less the share of the time left that starting again costs, is higher by `resize`: the paper's rule for resizing.
 *
 * elastic=1: in this order everybody gets one replica; those of class 3 then get one more each, the most accurate
 * first, again and again, the others what is left (widths.h).
 *
 * Knows:   accuracies observed, deadlines, the family, how long epochs took so far and how many there are.
 * Ignores: predicted run times, losses, urgency.
 */
#include <math.h>

#include "policies/curvefit.h"
#include "policies/ranking.h"
#include "policies/rungs.h"
#include "policies/widths.h"

typedef enum { SAFE, SAMPLED, KEEN, UNSEEN, PAUSED, LATE } Class;

typedef struct Trial { /* a job of which an epoch has ended */
    CurveWatch watch;
    double accuracy; /* at its latest epoch */
    int rung;        /* the latest it passed, -1: none */
    double at_rung;  /* accuracy there */
    bool paused;
    double score; /* gain per GPU and second of the time left */
    struct Trial *next_free;
} Trial;

/* What is kept of every job. */
typedef struct Entry {
    Trial *trial; /* NULL: no epoch yet */
    SimTime due;  /* from here on it is to be looked at */
    bool sampled, late;
} Entry;

typedef struct HyperSched {
    Ranking ranking;
    Widths widths; /* elastic=1 */
    CurveTable table;
    Rungs rungs;
    SimTime min_run, overhead;
    double explore, resize, pause_gain, refresh, prior, prior_half, least_left;
    Entry *entry;  /* [jobs] */
    int n_sampled; /* GPUs of live jobs in class 2 */
    Trial *free;
} HyperSched;

static const Param hypersched_params[] = {
    NUMBER_PARAM("explore", "0.2", 0, 1, "share of the GPUs up to which jobs without a whole epoch go first"),
    NUMBER_PARAM("resize", "0.1", 0, 1e6, "a waiting job needs a score higher by this share to displace a running one"),
    NUMBER_PARAM("overhead_s", "30", 0, 1e9, "seconds that starting a job again is taken to cost"),
    NUMBER_PARAM("min_run_s", "120", 0, 1e9, "seconds a started job is safe from preemption"),
    INTEGER_PARAM("grace", "1", 1, 1e6, "epochs at the first rung"),
    NUMBER_PARAM("factor", "4", 2, 1000, "ratio of the epochs of one rung to the one before; 1 - 1/factor are cut"),
    NUMBER_PARAM("pause_gain", "0.002", 0, 1, "accuracy an epoch below which a job that is cut at a rung pauses"),
    NUMBER_PARAM("refresh", "0.05", 0.0001, 1, "scores are worked out anew when the time left shrank by this share"),
    NUMBER_PARAM("least_left_s", "60", 0.001, 1e9, "seconds below which less time left does not raise a score"),
    INTEGER_PARAM("elastic", "0", 0, 1,
                  "1: jobs run with any number of their replicas, one for each before more for any"),
    CHOICE_PARAM("curves", "fast", "fast|all", "four families of learning curves or all eleven"),
    NUMBER_PARAM("prior", "0.9", 0, 1, "accuracy that a job of fewer than five epochs is taken to approach"),
    NUMBER_PARAM("prior_half", "3", 0.01, 1e6, "epochs after which it is taken to be half-way there"),
    {0},
};

static void hypersched_init(Sched *s, void *state)
{
    HyperSched *me = state;
    ranking_init(&me->ranking, s);
    curvetable_open(&me->table, sched_memory(s), sched_is(s, "curves", "all") ? CURVE_ALL : CURVE_FAST);
    rungs_open(&me->rungs, (int)sched_number(s, "grace"), sched_number(s, "factor"));
    me->min_run = time_from_seconds(sched_number(s, "min_run_s"));
    if (sched_number(s, "elastic") > 0) widths_open(&me->widths, s, me->min_run);
    me->overhead = time_from_seconds(sched_number(s, "overhead_s"));
    me->explore = sched_number(s, "explore");
    me->resize = sched_number(s, "resize");
    me->pause_gain = sched_number(s, "pause_gain");
    me->refresh = sched_number(s, "refresh");
    me->least_left = sched_number(s, "least_left_s");
    me->prior = sched_number(s, "prior");
    me->prior_half = sched_number(s, "prior_half");
    me->entry = NEW_ARRAY(sched_memory(s), Entry, sched_live(s)->size);
}

/* ---- the order ---- */

/* Time from now to the deadline, > 0 if it is ahead. */
static SimTime time_left(const Job *job, SimTime now)
{
    return job->deadline == TIME_NEVER ? TIME_NEVER : job->deadline - now;
}

static Class class_of(const HyperSched *me, const Job *job, SimTime now)
{
    const Entry *e = &me->entry[job->id];
    if (job->state == JOB_RUNNING && !me->widths.log && now - job->started < me->min_run) return SAFE;
    if (e->late) return LATE;
    if (!e->trial) return e->sampled ? SAMPLED : UNSEEN;
    return e->trial->paused ? PAUSED : KEEN;
}

static int64_t hypersched_key(const Sched *s, const void *state, const Job *job)
{
    const HyperSched *me = state;
    SimTime now = sched_now(s);
    const Entry *e = &me->entry[job->id];
    Class class = class_of(me, job, now);
    int64_t front = (int64_t) class * RANK_SCORES;
    if (class != KEEN && class != PAUSED) return front + (class == SAFE ? 0 : job->id);
    double left = (double)time_left(job, now), again = left > 0 ? fmax(0, 1 - (double)me->overhead / left) : 0;
    return front + rank_by_score(e->trial->score * (job->state == JOB_RUNNING ? 1 + me->resize : again));
}

/* ---- what is known of a job ---- */

static void hypersched_on_arrive(Sched *s, void *state, const Job *job)
{
    HyperSched *me = state;
    me->entry[job->id].due = sched_now(s);
    if (!me->widths.log) ranking_arrive(&me->ranking, job, hypersched_key(s, me, job));
}

/* GPUs with which a job is looked at. */
static int sample_of(const HyperSched *me, const Job *job)
{
    return me->widths.log ? job->graph->partitions : job->n_gpus;
}

/* It is no longer one of those that are sampled. */
static void leave_sample(HyperSched *me, const Job *job)
{
    Entry *e = &me->entry[job->id];
    if (e->sampled) me->n_sampled -= sample_of(me, job);
    e->sampled = false;
}

static Trial *trial_of(HyperSched *me, Sched *s, const Job *job)
{
    Trial *trial = me->entry[job->id].trial;
    if (trial) return trial;
    leave_sample(me, job);
    trial = me->free;
    if (trial)
        me->free = trial->next_free;
    else
        trial = NEW(sched_memory(s), Trial);
    *trial = (Trial){.rung = -1};
    return me->entry[job->id].trial = trial;
}

/* At a rung: its accuracy is noted there, and whether it goes on. */
static void pass_rung(HyperSched *me, const Job *job, Trial *trial, int rung)
{
    rungs_add(&me->rungs, job->family, rung, trial->accuracy);
    trial->paused = false;
    if (trial->rung >= 0) {
        int epochs = me->rungs.milestone[rung] - me->rungs.milestone[trial->rung];
        trial->paused = (trial->accuracy - trial->at_rung) / epochs < me->pause_gain &&
                        rungs_below(&me->rungs, job->family, rung, trial->accuracy);
    }
    trial->rung = rung;
    trial->at_rung = trial->accuracy;
}

static void hypersched_on_epoch(Sched *s, void *state, const Job *job)
{
    HyperSched *me = state;
    Trial *trial = trial_of(me, s, job);
    CurveHistory *history = &trial->watch.history;
    for (int done = sched_epochs_done(s, job); history->n_epochs < done && history->n_epochs < CURVE_MOST_EPOCHS;) {
        trial->accuracy = sched_observed_accuracy(s, job, history->n_epochs + 1);
        curve_observe(history, trial->accuracy);
        int rung = rungs_at(&me->rungs, history->n_epochs);
        if (rung >= 0) pass_rung(me, job, trial, rung);
    }
    if (!me->entry[job->id].late) me->entry[job->id].due = sched_now(s);
}

static void hypersched_on_end(Sched *s, void *state, const Job *job)
{
    (void)s;
    HyperSched *me = state;
    Trial *trial = me->entry[job->id].trial;
    leave_sample(me, job);
    if (!trial) return;
    me->entry[job->id].trial = NULL;
    trial->next_free = me->free;
    me->free = trial;
}

/* Accuracy that it gains from epoch k to epoch k + more; before there is a curve, on a hyperbola from where it stands
 * towards the prior. */
static double gain(HyperSched *me, const Job *job, Trial *trial, double k, double more)
{
    const CurveFit *fit = curve_watch(&trial->watch, &me->table, job->epochs);
    double gained = fit ? curve_predict(fit, k + more) - curve_predict(fit, k)
                        : (me->prior - trial->accuracy) * more / (me->prior_half + k + more);
    return gained > 0 ? gained : 0;
}

static void set_score(HyperSched *me, const Job *job, Trial *trial, SimTime now)
{
    double left = time_seconds(time_left(job, now));
    double k = job_progress(job, now) * job->epochs;
    double time = widths_replica_seconds(&me->widths, job, now) / job->graph->replicas; /* at full width */
    double more = time > 0 ? fmin(left * k / time, job->epochs - k) : 0;
    trial->score = gain(me, job, trial, k, more) / job->n_gpus / fmax(left, me->least_left);
}

/* ---- rounds ---- */

/* Its deadline may have passed, its score be old, the cutoff have overtaken its pause. */
static void look_at(Sched *s, HyperSched *me, const Job *job)
{
    SimTime now = sched_now(s);
    Entry *e = &me->entry[job->id];
    Trial *trial = e->trial;
    e->due = job->deadline;
    if (job->deadline <= now) {
        leave_sample(me, job);
        e->late = true;
        e->due = TIME_NEVER;
    } else if (trial) {
        set_score(me, job, trial, now);
        trial->paused = trial->paused && rungs_below(&me->rungs, job->family, trial->rung, trial->at_rung);
        SimTime old = time_add(now, 1 + (SimTime)((double)time_left(job, now) * me->refresh));
        if (old < e->due) e->due = old;
    }
    if (job->state == JOB_WAITING && !me->widths.log) ranking_rekey(&me->ranking, job, hypersched_key(s, me, job));
}

/* Returns when there will be one to look at again. */
static SimTime look_at_jobs(Sched *s, HyperSched *me)
{
    SimTime now = sched_now(s), next = TIME_NEVER;
    EACH_JOB (id, sched_live(s)) {
        Entry *e = &me->entry[id];
        if (e->due <= now) look_at(s, me, sched_job(s, id));
        if (e->due < next) next = e->due;
    }
    return next;
}

/* Lets jobs without an epoch into the sample, in order of submission, until they hold their share of the GPUs: the one
 * with which they reach it may be wide. */
static void fill_sample(Sched *s, HyperSched *me)
{
    double share = me->explore * pool_working(sched_pool(s));
    JobId id = jobset_next(sched_live(s), 0);
    for (; id >= 0 && me->n_sampled < share; id = jobset_next(sched_live(s), id + 1)) {
        const Job *job = sched_job(s, id);
        Entry *e = &me->entry[id];
        if (e->trial || e->sampled || e->late) continue;
        e->sampled = true;
        me->n_sampled += sample_of(me, job);
        if (job->state == JOB_WAITING && !me->widths.log) ranking_rekey(&me->ranking, job, hypersched_key(s, me, job));
    }
}

/* ---- elastic ---- */

/* One replica for each in the order above, then one more for each of those that gain, the most accurate first, and so
 * on; then for the others. */
static int64_t hypersched_width_key(const Sched *s, const void *state, const Job *job, int width, int has)
{
    const HyperSched *me = state;
    const Trial *trial = me->entry[job->id].trial;
    bool keen = class_of(me, job, sched_now(s)) == KEEN;
    (void)has;
    if (width == 1) return hypersched_key(s, me, job);
    return ((int64_t)LATE + width + (keen ? 0 : 100000)) * RANK_SCORES + rank_by_score(trial ? trial->accuracy : 0);
}

/* PAPER: scale(new) (left - overhead) / (scale(old) left) > 1.1, its scale here the number of replicas. */
static bool hypersched_width_pays(const Sched *s, const void *state, const Job *job, int width, int has)
{
    const HyperSched *me = state;
    double left = (double)time_left(job, sched_now(s)), rest = left > 0 ? fmax(0, 1 - (double)me->overhead / left) : 1;
    return rest * width > (1 + me->resize) * has;
}
static const WidthRule hypersched_widths = {hypersched_width_key, hypersched_width_pays};

static void hypersched_schedule(Sched *s, void *state)
{
    HyperSched *me = state;
    bool elastic = me->widths.log;
    if (!elastic && !sched_waiting(s)->n) return;
    SimTime next = look_at_jobs(s, me), again;
    fill_sample(s, me);
    if (elastic) {
        again = widths_round(&me->widths, s, &hypersched_widths, me);
        if (!sched_waiting(s)->n) next = TIME_NEVER; /* who gains most matters to who gets the first replicas only */
    } else {
        ranking_preempt(&me->ranking, s, hypersched_key, me);
        again = ranking_release(s, me->min_run);
    }
    sched_wake_at(s, again < next ? again : next);
}

static int hypersched_terms(Sched *s, void *state, const Job *job, Term term[MOST_TERMS])
{
    const HyperSched *me = state;
    const Trial *trial = me->entry[job->id].trial;
    int n = 0;
    term[n++] = (Term){"class", class_of(me, job, sched_now(s)) + 1};
    if (job->deadline != TIME_NEVER) term[n++] = (Term){"slack_s", time_seconds(job->deadline - sched_now(s))};
    if (!trial) return n;
    term[n++] = (Term){"accuracy", trial->accuracy};
    term[n++] = (Term){"score", trial->score};
    term[n++] = (Term){"paused", trial->paused};
    return n;
}

const Policy policy_hypersched = {
    .name = "hypersched",
    .summary = "HyperSched: largest predicted gain of accuracy before the deadline first, preemptive; pauses at rungs",
    .needs = NEEDS_INSIDE,
    .state_size = sizeof(HyperSched),
    .params = hypersched_params,
    .init = hypersched_init,
    .on_arrive = hypersched_on_arrive,
    .on_epoch = hypersched_on_epoch,
    .on_end = hypersched_on_end,
    .schedule = hypersched_schedule,
    .terms = hypersched_terms,
};
