/* sim/cli/cmd_run.c -- `mlfs-sim run`: one trace under any number of policies. */
#include <stdio.h>

#include "sim/cli/commands.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/notices.h"
#include "sim/cli/runplan.h"
#include "sim/cli/settings.h"
#include "sim/model/clusterspec.h"
#include "sim/report/table.h"
#include "traces/reader.h"

/* Everything a plan points to. */
typedef struct Setup {
    RunOptions options;
    Choice *choice;
    int n_choices;
    Params params;
    ClusterSpec cluster;
    Workload trace;
} Setup;

/* The command line first: its mistakes need no trace to be read. */
static bool set_up(const Invocation *inv, Setup *setup, Err *err)
{
    Arena *arena = inv->arena;
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

static bool carry_out(RunPlan *plan, Err *err)
{
    const RunOptions *o = plan->options;
    if (!job_table_take(&plan->table[0], plan, err)) return false;
    if (!o->quiet) notice_plan(plan);

    interrupt_watch();
    progress_open(&plan->progress, plan->n_runs, plan->table[0].jobs.n, o->quiet, plan->arena);
    bool done = run_plan_execute(plan, err);
    progress_close(&plan->progress);

    if (interrupt_signal() && !o->quiet)
        fprintf(stderr,
                "mlfs-sim: interrupted: what is in %s is marked \"complete\": false where a run was cut short\n",
                o->out);
    if (!done || interrupt_signal()) return done;
    if (!put_table(plan, err)) return false;
    if (o->quiet) return true;
    notice_unschedulable(plan);
    fprintf(stderr, "mlfs-sim: results are in %s\n", o->out);
    return true;
}

static bool run_run(const Invocation *inv, Err *err)
{
    Setup setup = {.options = {0}};
    if (!set_up(inv, &setup, err)) return false;
    if (!setup.options.quiet) notice_trace(&setup.trace, setup.options.verbose);

    RunPlan plan = {.arena = inv->arena,
                    .inv = inv,
                    .options = &setup.options,
                    .trace = &setup.trace,
                    .cluster = &setup.cluster,
                    .params = &setup.params};
    bool done = run_plan_open(&plan, setup.choice, setup.n_choices, err) && carry_out(&plan, err);
    run_plan_close(&plan);
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
