/* sim/cli/cmd_plot.c -- `mlfs-sim plot`: figures of finished runs. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/out.h"
#include "sim/cli/commands.h"
#include "sim/cli/notices.h"
#include "sim/cli/settings.h"
#include "sim/report/paper.h"

static const Option plot_options[] = {
    {"out", 'o', "DIR", NULL, "folder of the figures, their data and their gnuplot scripts; needed", false},
    {"paper", 0, NULL, NULL,
     "the figures of the MLFS paper with ours beside them instead: 4 and 6 to 9 of runs of preset paper-real, 5 of "
     "paper-sim; and their values with Kendall's tau of the orders as paper.csv",
     false},
    {0},
};

/* Policies can be compared on the same jobs and servers only; other pictures are drawn, but not without a word. */
static void notice_differences(const RunSet *set)
{
    bool same = true;
    notice_interrupted(set);
    for (int i = 0; i < set->n; i++) {
        const FoundRun *run = &set->run[i];
        same &=
            strcmp(run->group, set->run[0].group) == 0 || strcmp(run->workload_hash, set->run[0].workload_hash) == 0;
    }
    if (!same) fprintf(stderr, "mlfs-sim: notice: these runs are not all of the same jobs and cluster\n");
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool tell_pictures(const Invocation *inv, const char *dir, const Drawn *drawn, Err *err)
{
    Out *out = out_open(inv->arena, "-", err);
    if (!out) return false;
    for (int i = 0; i < drawn->n; i++)
        for (const char *const *kind = (const char *const[]){"png", "svg", "pdf", NULL}; *kind; kind++)
            out_text(out, arena_format(inv->arena, "%s/%s.%s\n", dir, drawn->name[i], *kind));
    return out_close(out, err);
}

static bool draw_runs(const RunSet *set, const char *const curve[], int n_curves, const char *dir, Drawn *drawn,
                      Arena *arena, Err *err)
{
    return (!set->n ||
            (plot_distributions(set, dir, drawn, arena, err) && plot_cluster_use(set, dir, drawn, arena, err))) &&
           (!n_curves || plot_training(curve, n_curves, dir, drawn, arena, err));
}

static bool plot_run(const Invocation *inv, Err *err)
{
    const char *dir = invocation_value(inv, "out");
    if (!dir) return err_set(err, ERR_USAGE, "plot: expected --out DIR, the folder of the figures");
    Params params = settings_known(inv->arena); /* none of them matters here, but a mistyped key is told all the same */
    if (!settings_apply(inv, &params, err)) return false;
    RunSet set = {0};
    Drawn drawn = {.n = 0};
    const char **curve = NEW_ARRAY(inv->arena, const char *, inv->n_operands);
    int n_curves = 0;
    for (int i = 0; i < inv->n_operands; i++)
        if (is_file(inv->operand[i]))
            curve[n_curves++] = inv->operand[i];
        else if (!runset_add(&set, inv->operand[i], inv->arena, err))
            return false;
    bool paper = invocation_has(inv, "paper");
    if (paper && !set.n) return err_set(err, ERR_USAGE, "plot --paper: expected runs, not a learning curve");
    if (set.n && !paper && !invocation_has(inv, "quiet")) notice_differences(&set);
    bool fine = paper ? plot_paper(&set, dir, &drawn, inv->arena, err)
                      : draw_runs(&set, curve, n_curves, dir, &drawn, inv->arena, err);
    return fine && tell_pictures(inv, dir, &drawn, err);
}

const Command command_plot = {
    .name = "plot",
    .operands = "RUN...",
    .least = 1,
    .most = -1,
    .summary = "figures of finished runs through gnuplot: completion times, fairness, use of the cluster",
    .details = "A RUN is the folder of a run or one above such folders, which are taken in name order, or a learning "
               "curve that "
               "`train` wrote. Drawn are the cumulative distributions of completion times (all jobs, by size, by "
               "virtual cluster) and "
               "of finish-time fairness, busy GPUs and waiting jobs over time, and training. Each picture is PNG, SVG "
               "and PDF; its "
               "data and its script lie beside it, to be edited. The names of the pictures are printed.",
    .options = plot_options,
    .example = "mlfs-sim run traces/samples/philly-2k.csv -c 16x8 -p fifo,srtf && "
               "mlfs-sim plot results/runs/philly-2k -o results/figures",
    .run = plot_run,
};
