/* sim/cli/cmd_run.c -- `mlfs-sim run`: one trace under any number of policies. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/snapshot.h"
#include "sim/base/source.h"
#include "sim/cli/commands.h"
#include "sim/cli/config.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/notices.h"
#include "sim/cli/runplan.h"
#include "sim/cli/settings.h"
#include "sim/model/clusterspec.h"
#include "sim/report/table.h"
#include "traces/reader.h"

/* Everything of one command: with checkpoints it lies in an image, and a later process goes on with it. */
typedef struct Setup {
    Arena arena; /* of which it is a part itself */
    Invocation inv;
    RunOptions options;
    Choice *choice;
    int n_choices;
    Params params;
    ClusterSpec cluster;
    Workload trace;
    RunPlan plan;
    RunCheckpoint checkpoint;
} Setup;

/* The command line first: its mistakes need no trace to be read. */
static bool set_up(Setup *setup, Err *err)
{
    const Invocation *inv = &setup->inv;
    Arena *arena = &setup->arena;
    RunOptions *o = &setup->options;
    if (!run_options_read(inv, o, err) || !choose_policies(o->policies, arena, &setup->choice, &setup->n_choices, err))
        return false;
    setup->params = settings_known(arena);
    for (int i = 0; i < setup->n_choices; i++)
        if (setup->choice[i].plugin && !settings_add_plugin(&setup->params, setup->choice[i].policy, err)) return false;
    if (!settings_apply(inv, &setup->params, err)) return false;
    if (!params_integer(&setup->params, "run", "physics") &&
        !choose_without_inside(setup->choice, &setup->n_choices, err))
        return false;
    return cluster_spec_read(o->cluster, params_text(&setup->params, "cluster", "vc"), arena, &setup->cluster, err) &&
           trace_read(o->trace, o->format, &setup->params, arena, &setup->trace, err) &&
           selecting_check(&o->selecting, &setup->trace, err);
}

static bool put_table(const RunPlan *plan, Err *err)
{
    int n_seeds = plan->n_runs / plan->n_policies;
    TableRow *row = NEW_ARRAY(plan->arena, TableRow, plan->n_policies);
    Metrics *metrics = NEW_ARRAY(plan->arena, Metrics, plan->n_runs);
    for (int i = 0; i < plan->n_runs; i++) metrics[i] = plan->run[i].metrics;
    for (int p = 0; p < plan->n_policies; p++)
        row[p] = (TableRow){plan->policy[p].choice->folder, metrics + p * n_seeds, n_seeds};

    Out *out = out_open(plan->arena, "-", err);
    if (!out) return false;
    table_write(out, row, plan->n_policies, plan->arena);
    return out_close(out, err);
}

/* The stories of all runs, from where they were written. */
static bool put_stories(const RunPlan *plan, Err *err)
{
    Out *out = out_open(plan->arena, "-", err);
    if (!out) return false;
    for (int i = 0; i < plan->n_runs; i++) {
        const PlannedRun *run = &plan->run[i];
        const char *path = arena_format(plan->arena, "%s/%s%s/explain.txt", plan->options->out,
                                        run->policy->choice->folder, run->subfolder);
        Source *source = source_open(plan->arena, path, err);
        if (i) out_char(out, '\n');
        char block[16 << 10];
        long got = -1;
        while (source && (got = source_read(source, block, sizeof block, err)) > 0) out_bytes(out, block, (size_t)got);
        if (source) source_close(source);
        if (got < 0) {
            out_abandon(out);
            return false;
        }
    }
    return out_close(out, err);
}

/* What there is to say once the runs are over. */
static bool conclude(RunPlan *plan, bool done, Err *err)
{
    const RunOptions *o = plan->options;
    progress_close(&plan->progress);
    if (interrupt_signal() && !o->quiet)
        fprintf(stderr,
                "mlfs-sim: interrupted: what is in %s is marked \"complete\": false where a run was cut short%s\n",
                o->out, plan->checkpoint ? "; the same command with --resume goes on from there" : "");
    if (!done || interrupt_signal()) return done;
    if (!(o->explain ? put_stories(plan, err) : put_table(plan, err))) return false;
    if (o->quiet) return true;
    notice_unschedulable(plan);
    notice_late(plan);
    fprintf(stderr, "mlfs-sim: results are in %s\n", o->out);
    return true;
}

static bool carry_out(RunPlan *plan, Err *err)
{
    const RunOptions *o = plan->options;
    if (!job_table_take(&plan->table[0], plan, err)) return false;
    if (!o->quiet) notice_plan(plan);
    interrupt_watch();
    progress_open(&plan->progress, plan->n_runs, plan->table[0].jobs.n, o->quiet, plan->arena);
    return conclude(plan, run_plan_execute(plan, err), err);
}

/* The command line again, with all of its texts in this arena. */
static bool keep_invocation(const Invocation *inv, Arena *arena, Invocation *kept, Err *err)
{
    char **argv = NEW_ARRAY(arena, char *, inv->argc + 1);
    for (int i = 0; i < inv->argc; i++) argv[i] = arena_copy_text(arena, inv->argv[i], strlen(inv->argv[i]));
    if (!invocation_parse(kept, inv->command, inv->argc, argv, arena, err)) return false;
    const char *config = invocation_value(kept, "config");
    return !config || config_read(kept, config, err);
}

static bool check_checkpoints(const Setup *setup, Err *err)
{
    const RunOptions *o = &setup->options;
    for (int i = 0; i < setup->n_choices; i++)
        if (setup->choice[i].plugin)
            return err_set(err, ERR_USAGE, "--checkpoint: %s is a shared object, which no checkpoint can hold",
                           setup->choice[i].typed);
    const char *const path[] = {o->events, o->timeline};
    for (int i = 0; i < 2; i++)
        if (path[i] && !out_is_regular(path[i]))
            return err_set(err, ERR_USAGE, "--checkpoint: %s is no regular file, and what went there cannot be saved",
                           path[i]);
    return true;
}

/* In an image, or with NULL in memory that no checkpoint keeps. */
static bool run_anew(const Invocation *inv, Image *image, Err *err)
{
    Arena arena = {.image = image};
    Setup *setup = NEW(&arena, Setup);
    *setup = (Setup){.arena = arena};
    RunPlan *plan = &setup->plan;
    *plan = (RunPlan){.arena = &setup->arena,
                      .inv = &setup->inv,
                      .options = &setup->options,
                      .trace = &setup->trace,
                      .cluster = &setup->cluster,
                      .params = &setup->params};
    bool done = keep_invocation(inv, &setup->arena, &setup->inv, err) && set_up(setup, err);
    if (done && image) {
        const char *command = run_checkpoint_command(inv->argc, inv->argv, &setup->arena);
        setup->checkpoint = (RunCheckpoint){.image = image, .command = command, .root = setup};
        plan->checkpoint = &setup->checkpoint;
        done = check_checkpoints(setup, err);
    }
    if (done) {
        if (!setup->options.quiet) notice_trace(&setup->trace, setup->options.verbose);
        done = run_plan_open(plan, setup->choice, setup->n_choices, err) && carry_out(plan, err);
        run_plan_close(plan);
    }
    arena = setup->arena;
    arena_free(&arena);
    return done;
}

static bool go_on_from(const char *path, const char *command, Err *err)
{
    Setup *setup = snapshot_load(path, command, err);
    if (!setup) return false;
    RunPlan *plan = &setup->plan;
    bool ready = true;
    for (int i = 0; i < plan->n_policies && ready; i++)
        if (plan->policy[i].n_left) ready = outdir_again(&plan->policy[i].dir, err);
    ready = ready && snapshot_put_files(path, command, err) && out_reopen(setup->checkpoint.image, err);
    if (ready) {
        if (!setup->options.quiet) fprintf(stderr, "mlfs-sim: going on from %s\n", path);
        interrupt_watch();
        ready = conclude(plan, run_plan_continue(plan, err), err);
    }
    run_plan_close(plan);
    image_close(setup->checkpoint.image);
    return ready;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* The checkpoint that the command left, the newest if it was killed before it could remove the one before; NULL: none.
 */
static const char *find_checkpoint(const RunOptions *o, Arena *arena, Err *err)
{
    Choice *choice;
    int n;
    const char *found = NULL;
    struct timespec when = {0};
    if (!choose_policies(o->policies, arena, &choice, &n, err)) return NULL;
    for (int i = 0; i < n; i++) {
        const char *path = arena_format(arena, "%s/%s/checkpoint", o->out, choice[i].folder);
        struct stat info;
        if (stat(path, &info) != 0 || (found && !is_newer(&info.st_mtim, &when))) continue;
        found = path;
        when = info.st_mtim;
    }
    return found;
}

static bool run_run(const Invocation *inv, Err *err)
{
    RunOptions options;
    if (!run_options_read(inv, &options, err)) return false;
    if (options.checkpoint == TIME_NEVER) return run_anew(inv, NULL, err);

    const char *left = options.resume ? find_checkpoint(&options, inv->arena, err) : NULL;
    if (err->kind != ERR_NONE) return false;
    if (left) return go_on_from(left, run_checkpoint_command(inv->argc, inv->argv, inv->arena), err);
    Image *image = image_open(0, err);
    bool done = image && run_anew(inv, image, err);
    image_close(image);
    return done;
}

const Command command_run = {
    .name = "run",
    .operands = "TRACE",
    .least = 1,
    .most = 1,
    .summary = "simulate a trace under one or more policies; print one comparison table",
    .details =
        "TRACE is a file, plain or compressed, or - for standard input; its format is told by its content.  All "
        "policies see the same jobs.  The table goes to standard output, everything else to standard error or "
        "into files.  When a run fails, the others are finished and written; the exit status and the sentence "
        "are those of the first that failed, and no table is printed.\n\n"
        "A --config file is a JSON object: option names (\"trace\", \"policy\", \"cluster\", \"seed\", ...), dotted "
        "keys (\"srtf.hold_s\") and \"parameters\", an object of such keys.  What is typed wins over it.  The "
        "run.json that a run leaves behind is such a file: --config run.json repeats the run, byte for byte.",
    .options = run_option_table,
    .example = "mlfs-sim run traces/samples/philly-2k.csv -c 16x8 -p fifo,srtf,tiresias",
    .run = run_run,
};
