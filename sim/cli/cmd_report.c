/* sim/cli/cmd_report.c -- `mlfs-sim report`: one self-contained page about finished runs. */
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/notices.h"
#include "sim/cli/settings.h"
#include "sim/report/page.h"

static const Option report_options[] = {
    {"out", 'o', "FILE.html", NULL, "where the page goes; needed", false},
    {0},
};

static bool report_command(const Invocation *inv, Err *err)
{
    const char *path = invocation_value(inv, "out");
    if (!path) return err_set(err, ERR_USAGE, "report: expected --out FILE.html, where the page goes");
    Params params = settings_known(inv->arena); /* none of them matters here, but a mistyped key is told all the same */
    if (!settings_apply(inv, &params, err)) return false;
    RunSet set = {0};
    for (int i = 0; i < inv->n_operands; i++)
        if (!runset_add(&set, inv->operand[i], inv->arena, err)) return false;
    if (!invocation_has(inv, "quiet")) notice_interrupted(&set);
    return page_write(&set, path, inv->arena, err);
}

const Command command_report = {
    .name = "report",
    .operands = "RUN...",
    .least = 1,
    .most = -1,
    .summary = "one self-contained HTML page: table, curves, jobs, parameters, command lines",
    .details =
        "A RUN is the folder of a run or one above such folders, which are taken in name order. The page loads nothing "
        "from anywhere and can be sent and kept; it holds the first 5,000 jobs of each policy's first seed and links "
        "to jobs.csv by a relative path.",
    .options = report_options,
    .example = "mlfs-sim run traces/samples/philly-2k.csv -c 16x8 -p fifo,srtf -o results/runs/pair && "
               "mlfs-sim report results/runs/pair -o results/runs/pair/report.html",
    .run = report_command,
};
