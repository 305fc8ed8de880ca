/* sim/cli/cmd_describe.c -- `mlfs-sim describe`: what is in a trace. */
#include "sim/cli/commands.h"
#include "sim/cli/tracein.h"
#include "sim/report/describe.h"
#include "traces/reshape.h"

static const Option options[] = {SELECTING_OPTIONS, {0}};

static bool describe_run(const Invocation *inv, Err *err)
{
    TraceIn in;
    Workload selected, chosen;
    if (!trace_in_read(inv, &in, err) ||
        !select_jobs(&in.whole, &in.selecting.selection, in.seed, inv->arena, &selected, err) ||
        !reshape_workload(&selected, &in.params, in.seed, inv->arena, &chosen, err))
        return false;
    Description description = describe_workload(&chosen, inv->arena);
    Out *out = out_open(inv->arena, "-", err);
    if (!out) return false;
    description_write(out, &description, &chosen);
    return out_close(out, err);
}

const Command command_describe = {
    .name = "describe",
    .operands = "TRACE",
    .least = 1,
    .most = 1,
    .summary = "what is in a trace: counts, skipped records by reason, distributions, offered load",
    .details = "Records are counted as read; everything else is about the jobs that the options select, "
               "in the shape that the preset gives them.",
    .options = options,
    .example = "mlfs-sim describe traces/samples/philly-2k.csv",
    .run = describe_run,
};
