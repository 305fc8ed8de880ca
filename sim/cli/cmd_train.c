/* sim/cli/cmd_train.c -- `mlfs-sim train`: a net for MLF-RL, or for the baseline `rl`, from the first half of a trace.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "policies/training.h"
#include "rl/ranks.h"
#include "sim/cli/commands.h"
#include "sim/cli/interrupt.h"
#include "sim/cli/settings.h"
#include "sim/cli/tracein.h"
#include "sim/model/clusterspec.h"
#include "traces/reshape.h"

static const Option options[] = {
    {"out", 'o', "MODEL", "none; needed", "where the net goes; MODEL.csv beside it is the learning curve", false},
    {"policy", 'p', "NAME", "mlf-rl", "which policy it is for: mlf-rl or rl", false},
    {"cluster", 'c', "SPEC", "the preset's", "as for `run`", false},
    {"resume", 0, NULL, NULL, "take up the training that was interrupted, from MODEL.checkpoint", false},
    {"from", 0, "MODEL", "none", "go on with this net, on these jobs, instead of imitating", false},
    SELECTING_OPTIONS,
    {0},
};

typedef struct Progressing {
    bool quiet, terminal, drawn;
} Progressing;

static void tell(void *self, const char *line)
{
    Progressing *p = self;
    if (p->quiet) return;
    fprintf(stderr, p->terminal ? "\r%s\033[K" : "%s\n", line);
    p->drawn = p->terminal;
}

static bool go_on(void *self)
{
    (void)self;
    return interrupt_signal() == 0;
}

static bool read_setup(const Invocation *inv, TrainingSetup *setup, Err *err)
{
    int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);
    const char *policy = invocation_value(inv, "policy");
    setup->policy = policy ? policy : "mlf-rl";
    if (strcmp(setup->policy, "mlf-rl") != 0 && strcmp(setup->policy, "rl") != 0)
        return err_set(err, ERR_USAGE, "%s: expected mlf-rl or rl, the policies that learn",
                       invocation_spelling(inv, "policy"));
    setup->path = invocation_value(inv, "out");
    if (!setup->path) return err_set(err, ERR_USAGE, "where to? Give the model a name with -o MODEL");
    setup->resume = invocation_has(inv, "resume");
    setup->from = invocation_value(inv, "from");
    if (threads < 1) threads = 1;
    if (!invocation_integer(inv, "threads", 1, 1024, &threads, err)) return false;
    setup->n_threads = (int)threads;
    return true;
}

static bool train_run(const Invocation *inv, Err *err)
{
    Progressing progress = {.quiet = invocation_has(inv, "quiet"), .terminal = isatty(STDERR_FILENO)};
    TrainingSetup setup = {.tell = tell, .go_on = go_on, .self = &progress};
    TraceIn in = {0};
    ClusterSpec cluster;
    Workload chosen, jobs;
    const Preset *preset = settings_preset(inv, err);
    if (!preset || !read_setup(inv, &setup, err)) return false;
    const char *spec = invocation_value(inv, "cluster");
    if (!spec) spec = preset->cluster;
    if (!spec)
        return err_set(err, ERR_USAGE, "preset %s has no tasks to learn about; try --preset philly", preset->name);
    if (!trace_in_read(inv, &in, err)) return false;
    if (!params_integer(&in.params, "run", "physics"))
        return err_set(err, ERR_USAGE, "with run.physics=0 jobs have no tasks to learn about; try --preset philly");
    if (!cluster_spec_read(spec, params_text(&in.params, "cluster", "vc"), inv->arena, &cluster, err) ||
        !select_jobs(&in.whole, &in.selecting.selection, in.seed, inv->arena, &chosen, err) ||
        !reshape_workload(&chosen, &in.params, in.seed, inv->arena, &jobs, err))
        return false;
    setup.jobs = &jobs;
    setup.cluster = &cluster;
    setup.params = &in.params;
    setup.seed = in.seed;
    interrupt_watch();
    ranks_open();
    bool finished, good = training_run(&setup, inv->arena, &finished, err), speaks = ranks_is_first();
    if (good) ranks_close();
    if (progress.drawn) fputc('\n', stderr);
    if (good && !finished && speaks && !progress.quiet)
        fprintf(stderr, "mlfs-sim: interrupted: --resume goes on from %s.checkpoint, if there is one\n", setup.path);
    return good;
}

const Command command_train = {
    .name = "train",
    .operands = "TRACE",
    .least = 1,
    .most = 1,
    .summary = "train MLF-RL: MLF-H imitated, then policy gradient",
    .details =
        "Learns from the first half of the jobs chosen, so that runs can be judged by the second: `run --measure "
        "N/2:`.  Keys rl.* say how; docs/rl.md explains it.  The same inputs give the same bytes with "
        "--set rl.blas=reference, on any machine and with any number of threads.  Interrupted, it leaves "
        "MODEL.checkpoint behind.",
    .options = options,
    .example =
        "mlfs-sim train traces/samples/philly-2k.csv -c 8x4 --preset philly --set rl.iterations=2 -o /tmp/small.model",
    .run = train_run,
};
