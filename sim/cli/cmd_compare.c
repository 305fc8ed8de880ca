/* sim/cli/cmd_compare.c -- `mlfs-sim compare`: paired statistics over finished runs of the same workload. */
#include <stdio.h>
#include <string.h>

#include "sim/cli/commands.h"
#include "sim/cli/notices.h"
#include "sim/cli/settings.h"
#include "sim/report/compare.h"

static const Option compare_options[] = {
    {"metric", 0, "LIST", NULL,
     "comma list of jct_s, wait_s, deadline_met, accuracy_at_deadline, accuracy_met, bytes_moved (per job), "
     "jct_below_100min, makespan_s, gpu_allocation, gpu_utilisation, finish_time_fairness.mean, overloads, "
     "preemptions (per run); all that have values, without it",
     false},
    {"test", 0, "NAME", "none", "wilcoxon (signed ranks of the pairs) or mann-whitney (ranks, not paired) as well",
     false},
    {"resamples", 0, "N", "2000", "draws behind an interval", false},
    {"csv", 0, "FILE", NULL, "the same and more as CSV", false},
    {"json", 0, "FILE", NULL, "the same and more as JSON", false},
    {0},
};

static bool read_test(const Invocation *inv, CompareTest *test, Err *err)
{
    const char *name = invocation_value(inv, "test");
    if (!name) return true;
    NearMiss miss = {.typed = name};
    for (int t = 0; compare_test_names[t]; t++) {
        *test = (CompareTest)t;
        if (strcmp(compare_test_names[t], name) == 0) return true;
        near_miss_try(&miss, compare_test_names[t]);
    }
    char hint[HINT_TEXT];
    return err_set(err, ERR_USAGE, "%s: expected none, wilcoxon or mann-whitney%s", invocation_spelling(inv, "test"),
                   near_miss_hint(&miss, hint));
}

static bool write_file(const Invocation *inv, const char *option, const Comparison *comparison,
                       void (*write)(Out *out, const Comparison *comparison), Err *err)
{
    const char *path = invocation_value(inv, option);
    if (!path) return true;
    Out *out = out_open(inv->arena, path, err);
    if (!out) return false;
    write(out, comparison);
    return out_close(out, err);
}

static bool compare_run(const Invocation *inv, Err *err)
{
    CompareOptions options = {.metrics = invocation_value(inv, "metric")};
    int64_t seed = 1, resamples = 2000;
    Params params = settings_known(inv->arena); /* none of them matters here, but a mistyped key is told all the same */
    if (!settings_apply(inv, &params, err) || !read_test(inv, &options.test, err) ||
        !invocation_integer(inv, "seed", 0, MAX_SEED, &seed, err) ||
        !invocation_integer(inv, "resamples", 2, 1000000, &resamples, err))
        return false;
    options.seed = (uint64_t)seed;
    options.resamples = (int)resamples;

    RunSet set = {0};
    Comparison comparison;
    for (int i = 0; i < inv->n_operands; i++)
        if (!runset_add(&set, inv->operand[i], inv->arena, err)) return false;
    if (!compare_runs(&set, options, inv->arena, &comparison, err)) return false;
    if (!invocation_has(inv, "quiet")) {
        notice_interrupted(&set);
        if (comparison.left_out)
            fprintf(stderr, "mlfs-sim: notice: runs without a partner of the same seed, left out: %lld\n",
                    (long long)comparison.left_out);
    }
    if (!write_file(inv, "csv", &comparison, compare_write_csv, err) ||
        !write_file(inv, "json", &comparison, compare_write_json, err))
        return false;
    Out *out = out_open(inv->arena, "-", err);
    if (!out) return false;
    compare_write_text(out, &comparison, inv->arena);
    return out_close(out, err);
}

const Command command_compare = {
    .name = "compare",
    .operands = "RUN RUN...",
    .least = 1,
    .most = -1,
    .summary = "paired statistics over finished runs of the same workload",
    .details =
        "A RUN is the folder of a run or one above such folders, which are taken in name order; the first policy found "
        "is what "
        "the others are compared with. Jobs are paired by name, folders seed-N by seed. The interval is the percentile "
        "bootstrap's: of the jobs, or with several seeds of the seeds. The improvement is |difference| / the first "
        "policy's "
        "value. Runs of other jobs or another cluster are refused.",
    .options = compare_options,
    .example = "mlfs-sim run traces/samples/philly-2k.csv -c 16x8 -p fifo,srtf -o results/runs/pair && "
               "mlfs-sim compare results/runs/pair --metric jct_s --test wilcoxon",
    .run = compare_run,
};
