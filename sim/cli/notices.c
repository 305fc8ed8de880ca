/* sim/cli/notices.c -- sentences on stderr that are no errors. */
#include "sim/cli/notices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/rng.h"
#include "sim/base/text.h"

static const char *source_name(const Workload *trace)
{
    return strcmp(trace->source, "-") == 0 ? "standard input" : trace->source;
}

void notice_trace(const Workload *trace, bool verbose)
{
    const TraceCounts *c = &trace->counts;
    if (c->read != c->usable) {
        fprintf(stderr, "mlfs-sim: %s: %" PRId64 " of %" PRId64 " records skipped:", source_name(trace),
                c->read - c->usable, c->read);
        const char *comma = "";
        for (SkipReason r = 0; r < N_SKIP_REASONS; r++)
            if (c->skipped[r]) {
                fprintf(stderr, "%s %s %" PRId64, comma, skip_reason_name(r), c->skipped[r]);
                comma = ",";
            }
        fputc('\n', stderr);
    }
    if (trace->notice) fprintf(stderr, "mlfs-sim: %s: %s\n", source_name(trace), trace->notice);
    if (verbose && c->out_of_order)
        fprintf(stderr, "mlfs-sim: %s: %" PRId64 " records came before an earlier submission and were sorted\n",
                source_name(trace), c->out_of_order);
    if (verbose && c->partial)
        fprintf(stderr, "mlfs-sim: %s: %" PRId64 " jobs have attempts that are not complete\n", source_name(trace),
                c->partial);
}

/* Work that arrives / work the cluster can do between first and last submission; 0 where that is one instant. */
static double offered_load(const Workload *jobs, const ClusterSpec *cluster)
{
    SimTime span = jobs->job[jobs->n - 1].submit - jobs->job[0].submit;
    return span ? (double)workload_gpu_time(jobs) / ((double)cluster->n_gpus * (double)span) : 0;
}

void notice_plan(const RunPlan *plan)
{
    char load_text[DOUBLE_TEXT], scale_text[DOUBLE_TEXT];
    const RunOptions *o = plan->options;
    const Workload *jobs = &plan->table[0].jobs;
    text_from_double(jobs->load, load_text);
    text_from_double(jobs->arrival_scale, scale_text);
    fprintf(stderr, "mlfs-sim: %s: %d job%s on %s (%d GPU%s), preset %s, seed", source_name(plan->trace), jobs->n,
            jobs->n == 1 ? "" : "s", plan->cluster->name, plan->cluster->n_gpus, plan->cluster->n_gpus == 1 ? "" : "s",
            o->preset);
    if (o->seeds && o->first_seed != o->last_seed)
        fprintf(stderr, "s %" PRId64 " to %" PRId64, o->first_seed, o->last_seed);
    else
        fprintf(stderr, " %" PRId64, o->first_seed);
    fprintf(stderr, " (%s), load %s, arrival scale %s\n", RNG_NAME, load_text, scale_text);

    double offered = offered_load(jobs, plan->cluster);
    if (offered > 1)
        fprintf(stderr,
                "mlfs-sim: warning: offered load %.2f is more than the cluster can do: the queue grows until the last "
                "arrival\n",
                offered);
}

void notice_unschedulable(const RunPlan *plan)
{
    int64_t n = plan->run[0].metrics.state[STATE_UNSCHEDULABLE]; /* the same for every policy */
    if (n)
        fprintf(stderr, "mlfs-sim: %" PRId64 " job%s need%s more GPUs than there are and never ran: unschedulable\n", n,
                n == 1 ? "" : "s", n == 1 ? "s" : "");
}

void notice_late(const RunPlan *plan)
{
    for (int i = 0; i < plan->n_runs; i++) {
        const PlannedRun *run = &plan->run[i];
        if (run->n_late)
            fprintf(stderr, "mlfs-sim: %s%s: %d of %d jobs did not start when the log did\n",
                    run->policy->choice->folder, run->subfolder, run->n_late, run->table->jobs.n);
    }
}

void notice_interrupted(const RunSet *set)
{
    for (int i = 0; i < set->n; i++)
        if (!set->run[i].complete)
            fprintf(stderr, "mlfs-sim: notice: %s was interrupted before its end\n", set->run[i].folder);
}
