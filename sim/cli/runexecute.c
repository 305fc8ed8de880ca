/* sim/cli/runexecute.c -- one run: simulate, measure, write; and the threads that take runs off the list. */
#include <string.h>
#include <time.h>

#include "sim/base/out.h"
#include "sim/base/threads.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/runplan.h"
#include "sim/report/recorders.h"
#include "sim/report/report.h"
#include "sim/report/story.h"

enum { MAX_RECORDED = 20 };

/* What is open while a run goes. */
typedef struct Running {
    RunPlan *plan;
    PlannedRun *run;
    Arena arena; /* everything of this run, its result included */
    Timeline *timeline;
    EventLog *events;
    GpuTracks *tracks;
    Story *story;
    Watcher watcher[5];
    SimConfig config;
    SimResult result;
    const char *folder;
    double began, seconds; /* wall clock; before that, in earlier processes */
    SimTime due;           /* the next checkpoint */
    bool saved_last;       /* the one at the end, when a signal came to this process */
} Running;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool go_on(void *self, const Census *census, int64_t n_events)
{
    const Running *r = self;
    const Workload *jobs = r->config.workload;
    ProgressSlot now = {.events = n_events,
                        .jobs = jobs->n,
                        .jobs_done = census->jobs_done,
                        .jobs_running = census->jobs_running,
                        .jobs_waiting = census->jobs_waiting,
                        .at = census->at - jobs->job[0].submit,
                        .active = true};
    progress_report(&r->plan->progress, (int)(r->run - r->plan->run), &now);
    return interrupt_signal() == 0 && r->run->err.kind == ERR_NONE;
}

/* ---- checkpoints ---- */

static void save(Running *r, const char *folder)
{
    const RunPlan *plan = r->plan;
    Arena arena = {0};
    const char **working = NEW_ARRAY(&arena, const char *, plan->n_policies);
    int n = 0;
    for (int i = 0; i < plan->n_policies; i++)
        if (plan->policy[i].n_left) working[n++] = plan->policy[i].dir.working;
    double seconds = r->seconds;
    r->seconds += seconds_now() - r->began; /* for the process that goes on from here */
    run_checkpoint_save(plan->checkpoint, folder, working, n, &r->run->err);
    r->seconds = seconds;
    arena_free(&arena);
}

static void on_round(void *self, const Census *census, const Cluster *cluster)
{
    Running *r = self;
    SimTime every = r->plan->options->checkpoint, first = r->config.workload->job[0].submit;
    (void)cluster;
    if (r->run->err.kind != ERR_NONE) return;
    if (census->at >= r->due) {
        r->due = first + ((census->at - first) / every + 1) * every;
        save(r, r->run->policy->dir.folder);
    }
    if (interrupt_signal() && !r->saved_last) { /* in the folder of the partial result, which takes the other's place */
        r->saved_last = true;
        save(r, r->run->policy->dir.working);
    }
}

static const Observer checkpointer = {.name = "checkpoint", .on_round = on_round};

/* ---- recorders ---- */

static void watch(Running *r, const Observer *type, void *self)
{
    r->watcher[r->config.n_watchers++] = (Watcher){type, self};
}

static bool open_recorders(Running *r, const char *folder, Err *err)
{
    const Workload *jobs = r->config.workload;
    const ClusterSpec *cluster = r->config.cluster;
    SimTime origin = out_origin(r->config.params, jobs);
    r->timeline = timeline_open(&r->arena, arena_format(&r->arena, "%s/timeline.csv", folder), origin, err);
    if (!r->timeline) return false;
    watch(r, &timeline_observer, r->timeline);
    if (r->run->events) {
        r->events = event_log_open(&r->arena, r->run->events, jobs, cluster, origin, err);
        if (!r->events) return false;
        watch(r, &event_log_observer, r->events);
    }
    if (r->run->timeline) {
        r->tracks = gpu_tracks_open(&r->arena, r->run->timeline, jobs, cluster, origin, err);
        if (!r->tracks) return false;
        watch(r, &gpu_tracks_observer, r->tracks);
    }
    if (r->config.explained) {
        r->story = story_open(&r->arena, jobs, r->config.explained, cluster, origin);
        watch(r, &story_observer, r->story);
    }
    return true;
}

/* Each is closed or abandoned here, whatever comes. */
static bool close_recorders(Running *r, bool keep, Err *err)
{
    if (keep && r->timeline)
        keep = timeline_close(r->timeline, err);
    else
        timeline_abandon(r->timeline);
    if (keep && r->events)
        keep = event_log_close(r->events, err);
    else
        event_log_abandon(r->events);
    if (keep && r->tracks)
        keep = gpu_tracks_close(r->tracks, r->result.stopped_at, err);
    else
        gpu_tracks_abandon(r->tracks);
    return keep;
}

/* The options that make this run again, for run.json: those that change results. */
static int record_options(Running *r, RunOption option[MAX_RECORDED])
{
    static const char *const copied[] = {"format",  "load",    "arrival-scale", "jobs",   "sample", "window",
                                         "measure", "horizon", "strict",        "oracle", NULL};
    const RunOptions *o = r->plan->options;
    const Invocation *inv = r->plan->inv;
    int n = 0;
    option[n++] = (RunOption){"trace", o->trace};
    option[n++] = (RunOption){"policy", r->run->policy->choice->typed};
    option[n++] = (RunOption){"cluster", o->cluster};
    option[n++] = (RunOption){"preset", o->preset};
    option[n++] = (RunOption){"seed", arena_format(&r->arena, "%llu", (unsigned long long)r->run->seed)};
    for (const char *const *c = copied; *c; c++) {
        const char *value = invocation_value(inv, *c);
        if (value) option[n++] = (RunOption){*c, option_find(inv->command, *c, NULL)->argument ? value : NULL};
    }
    return n;
}

static bool write_report(Running *r, const char *folder, double seconds, Err *err)
{
    RunOption option[MAX_RECORDED];
    const RunPlan *plan = r->plan;
    RunReport report = {.command = (const char *const *)plan->inv->argv,
                        .n_command = plan->inv->argc,
                        .policy = r->run->policy->choice->folder,
                        .config = &r->config,
                        .workload_hash = r->run->table->hash,
                        .result = &r->result,
                        .metrics = &r->run->metrics,
                        .selection = &plan->options->selecting.selection,
                        .measure = r->run->table->measure,
                        .option = option,
                        .n_options = record_options(r, option),
                        .seconds = seconds,
                        .threads = plan->options->threads};
    Kernel kernel;
    if (r->config.policy->needs & NEEDS_MODEL_FILE) {
        if (!kernel_choose(r->config.params, &kernel, err)) return false;
        report.blas = kernel_facts(kernel);
    }
    return report_run(&report, folder, &r->arena, err);
}

static void say_done(Running *r, double seconds)
{
    const Metrics *m = &r->run->metrics;
    progress_say(&r->plan->progress,
                 arena_format(&r->arena, "%s, seed %llu: %lld events, %lld preemptions, %lld refusals, %.2f s",
                              r->run->policy->choice->folder, (unsigned long long)r->run->seed,
                              (long long)r->result.n_events, (long long)m->preemptions, (long long)m->refusals,
                              seconds));
}

static bool write_story(Running *r, Err *err)
{
    Out *out = out_open(&r->arena, arena_format(&r->arena, "%s/explain.txt", r->folder), err);
    if (!out) return false;
    const char *title = r->run->policy->choice->folder;
    if (*r->run->subfolder) title = arena_format(&r->arena, "%s, seed %llu", title, (unsigned long long)r->run->seed);
    story_write(r->story, out, title, r->result.stopped_at, r->plan->options->verbose);
    return out_close(out, err);
}

/* Jobs that were to start when the log did and did not; those that the run ended before are none. */
static int count_late(const Running *r)
{
    const JobSpec *spec = r->config.workload->job;
    int n = 0;
    if (!(r->config.policy->needs & NEEDS_STARTS)) return 0;
    for (int i = 0; i < r->result.n; i++) {
        SimTime recorded = spec[i].submit + spec[i].waited, first = r->result.job[i].first_started;
        n += first == TIME_NEVER ? recorded <= r->result.stopped_at : first != recorded;
    }
    return n;
}

/* Closes and writes what belongs to a run that was simulated, or was not. */
static bool conclude(Running *r, bool done, Err *err)
{
    const RunPlan *plan = r->plan;
    PlannedRun *run = r->run;
    r->seconds += seconds_now() - r->began;
    done &= err->kind == ERR_NONE; /* a checkpoint that could not be written */
    if (!close_recorders(r, done, err) || !done) return false;
    run->metrics = metrics_of(&r->result, &run->table->jobs, plan->cluster, run->table->measure, &r->arena);
    bool written = write_report(r, r->folder, r->seconds, err);
    run->n_late = count_late(r);
    run->metrics.fairness.rho = NULL; /* goes with the run's memory */
    if (!written || (r->story && !write_story(r, err))) return false;
    if (plan->options->verbose) say_done(r, r->seconds);
    return true;
}

static bool simulate(Running *r, Err *err)
{
    const RunPlan *plan = r->plan;
    PlannedRun *run = r->run;
    r->config = (SimConfig){.workload = &run->table->jobs,
                            .cluster = plan->cluster,
                            .policy = run->policy->choice->policy,
                            .params = plan->params,
                            .models = run->table->has_inside ? &run->table->models : NULL,
                            .seed = run->seed,
                            .horizon = plan->options->horizon,
                            .strict = plan->options->strict,
                            .watcher = r->watcher,
                            .go_on = go_on,
                            .go_on_self = r,
                            .explained = run->table->explained,
                            .time_rounds = true};
    r->folder = arena_format(&r->arena, "%s%s", run->policy->dir.working, run->subfolder);
    r->began = seconds_now();
    bool opened = make_folders(r->folder, err) && open_recorders(r, r->folder, err);
    if (opened && plan->checkpoint) {
        r->due = time_add(r->config.workload->job[0].submit, plan->options->checkpoint);
        watch(r, &checkpointer, r); /* last: what the others have to say of this round is said */
    }
    return conclude(r, opened && sim_run(&r->config, &r->arena, &r->result, err), err);
}

static void forget(Running *r)
{
    Arena arena = r->arena; /* of which it is a part itself */
    arena_free(&arena);
}

static void carry_out(RunPlan *plan, PlannedRun *run)
{
    if (interrupt_signal()) return;
    Arena arena = {.image = plan->arena->image};
    Running *r = NEW(&arena, Running);
    *r = (Running){.plan = plan, .run = run, .arena = arena};
    if (plan->checkpoint) plan->running = r;
    run->written = job_table_take(run->table, plan, &run->err) && simulate(r, &run->err);
    forget(r);
}

/* The policy's folder takes its place once nothing more goes in. */
static void finish(RunPlan *plan, PlannedRun *run)
{
    PolicyFolder *p = run->policy;
    pthread_mutex_lock(&plan->lock);
    p->n_written += run->written;
    p->failed |= run->err.kind != ERR_NONE;
    if (--p->n_left == 0) {
        if (p->failed || !p->n_written)
            outdir_abandon(&p->dir);
        else
            outdir_commit(&p->dir, &run->err);
    }
    pthread_mutex_unlock(&plan->lock);
    progress_run_over(&plan->progress, (int)(run - plan->run));
}

/* Policy by policy, so that results appear early; seed by seed where each seed has jobs of its own, which then are in
 * memory once. */
static PlannedRun *take_next(RunPlan *plan)
{
    pthread_mutex_lock(&plan->lock);
    int i = plan->n_taken < plan->n_runs ? plan->n_taken++ : -1;
    pthread_mutex_unlock(&plan->lock);
    if (i < 0) return NULL;
    if (plan->n_tables > 1) i = i % plan->n_policies * plan->n_tables + i / plan->n_policies;
    return &plan->run[i];
}

static void let_go(RunPlan *plan, PlannedRun *run)
{
    job_table_give(run->table);
    finish(plan, run);
}

static void *work(void *self)
{
    RunPlan *plan = self;
    for (PlannedRun *run; (run = take_next(plan));) {
        carry_out(plan, run);
        let_go(plan, run);
    }
    return NULL;
}

static bool first_failure(const RunPlan *plan, Err *err)
{
    for (int i = 0; i < plan->n_runs; i++) {
        const Err *first = &plan->run[i].err;
        if (first->kind != ERR_NONE) return err_set(err, first->kind, "%s", first->text);
    }
    return true;
}

bool run_plan_execute(RunPlan *plan, Err *err)
{
    for (int i = 0; i < plan->n_policies; i++) {
        PolicyFolder *p = &plan->policy[i];
        if (!outdir_begin(&p->dir, plan->arena, plan->options->out, p->choice->folder, err)) return false;
    }
    int n_threads = plan->options->threads < plan->n_runs ? plan->options->threads : plan->n_runs;
    threads_work(n_threads, work, plan);
    return first_failure(plan, err);
}

bool run_plan_continue(RunPlan *plan, Err *err)
{
    Running *r = plan->running;
    PlannedRun *run = r->run;
    r->began = seconds_now();
    r->saved_last = false;
    progress_reopen(&plan->progress);
    run->written = conclude(r, sim_continue(&r->result, &run->err), &run->err);
    forget(r);
    let_go(plan, run);
    work(plan);
    return first_failure(plan, err);
}
