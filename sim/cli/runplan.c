/* sim/cli/runplan.c -- which runs there are and where each of them writes. */
#include "sim/cli/runplan.h"

#include <string.h>

#include "sim/base/text.h"
#include "sim/report/report.h"
#include "traces/reshape.h"

/* "events.csv" gives "events-srtf-seed-2.csv", "log.csv.gz" gives "log-srtf.csv.gz"; a lone run keeps the name. */
static const char *own_path(const RunPlan *plan, const char *path, const PlannedRun *run)
{
    if (!path || plan->n_runs == 1) return path;
    const char *slash = strrchr(path, '/');
    size_t base = slash ? (size_t)(slash - path) + 1 : 0;
    size_t stem = strlen(path) - (text_ends(path, ".gz") ? 3 : 0);
    for (size_t i = stem; i-- > base + 1;)
        if (path[i] == '.') {
            stem = i;
            break;
        }
    const char *seed =
        plan->options->seeds ? arena_format(plan->arena, "-seed-%llu", (unsigned long long)run->seed) : "";
    return arena_format(plan->arena, "%.*s-%s%s%s", (int)stem, path, run->policy->choice->folder, seed, path + stem);
}

static bool check_path(const RunPlan *plan, const char *option, const char *path, Err *err)
{
    if (!path) return true;
    if (!*path) return err_set(err, ERR_USAGE, "--%s: expected the name of a file", option);
    if (plan->n_runs > 1 && (strcmp(path, "-") == 0 || text_starts(path, "/dev/")))
        return err_set(err, ERR_USAGE, "--%s %s: several runs need a file each, so give the name of a file", option,
                       path);
    return true;
}

static bool has_inside(const Params *params)
{
    return params_integer(params, "run", "physics");
}

static bool depends_on_seed(const RunPlan *plan)
{
    const Selection *selection = &plan->options->selecting.selection;
    return selection->sample > 0 || selection->load != 1 || reshape_draws(plan->params) || has_inside(plan->params);
}

static void make_lists(RunPlan *plan, const Choice choice[], int n_choices)
{
    const RunOptions *o = plan->options;
    int n_seeds = (int)(o->last_seed - o->first_seed) + 1;
    plan->n_policies = n_choices;
    plan->policy = NEW_ARRAY(plan->arena, PolicyFolder, n_choices);
    plan->n_tables = depends_on_seed(plan) ? n_seeds : 1;
    plan->table = NEW_ARRAY(plan->arena, JobTable, plan->n_tables);
    plan->n_runs = n_choices * n_seeds;
    plan->run = NEW_ARRAY(plan->arena, PlannedRun, plan->n_runs);

    for (int t = 0; t < plan->n_tables; t++) {
        plan->table[t].seed = (uint64_t)(o->first_seed + t);
        plan->table[t].n_left = plan->n_runs / plan->n_tables;
        plan->table[t].arena.image = plan->arena->image;
        pthread_mutex_init(&plan->table[t].lock, NULL);
    }
    for (int p = 0; p < n_choices; p++) {
        plan->policy[p].choice = &choice[p];
        plan->policy[p].n_left = n_seeds;
        for (int s = 0; s < n_seeds; s++) {
            PlannedRun *run = &plan->run[p * n_seeds + s];
            run->policy = &plan->policy[p];
            run->table = &plan->table[plan->n_tables > 1 ? s : 0];
            run->seed = (uint64_t)(o->first_seed + s);
            run->subfolder = o->seeds ? arena_format(plan->arena, "/seed-%llu", (unsigned long long)run->seed) : "";
            run->events = own_path(plan, o->events, run);
            run->timeline = own_path(plan, o->timeline, run);
        }
    }
}

bool run_plan_open(RunPlan *plan, const Choice choice[], int n_choices, Err *err)
{
    pthread_mutex_init(&plan->lock, NULL);
    make_lists(plan, choice, n_choices);
    return check_path(plan, "events", plan->options->events, err) &&
           check_path(plan, "timeline", plan->options->timeline, err);
}

void run_plan_close(RunPlan *plan)
{
    for (int p = 0; p < plan->n_policies; p++) outdir_abandon(&plan->policy[p].dir);
    for (int t = 0; t < plan->n_tables; t++) {
        arena_free(&plan->table[t].arena);
        pthread_mutex_destroy(&plan->table[t].lock);
    }
    pthread_mutex_destroy(&plan->lock);
}

/* The job of --explain. */
static bool find_explained(JobTable *table, const char *id, Err *err)
{
    NearMiss miss = {.typed = id};
    char hint[HINT_TEXT];
    for (int i = 0; i < table->jobs.n; i++) {
        if (strcmp(table->jobs.job[i].name, id) == 0) {
            table->explained = &table->jobs.job[i];
            return true;
        }
        near_miss_try(&miss, table->jobs.job[i].name);
    }
    return err_set(err, ERR_USAGE, "--explain: no job of the run has the id '%.200s'%s", id,
                   near_miss_hint(&miss, hint));
}

static bool make_jobs(JobTable *table, const RunPlan *plan, Err *err)
{
    Workload chosen;
    table->has_inside = has_inside(plan->params);
    if (!select_jobs(plan->trace, &plan->options->selecting.selection, table->seed, &table->arena, &chosen, err) ||
        !reshape_workload(&chosen, plan->params, table->seed, &table->arena, &table->jobs, err) ||
        !run_options_measure(plan->options, &table->jobs, &table->measure, err))
        return false;
    if (table->has_inside &&
        !jobmodels_build(&table->jobs, plan->params, table->seed, &table->arena, &table->models, err))
        return false;
    report_hash_workload(&table->jobs, plan->cluster, table->hash);
    return !plan->options->explain || find_explained(table, plan->options->explain, err);
}

bool job_table_take(JobTable *table, const RunPlan *plan, Err *err)
{
    pthread_mutex_lock(&table->lock);
    if (!table->made && table->err.kind == ERR_NONE) table->made = make_jobs(table, plan, &table->err);
    bool made = table->made;
    if (!made) err_set(err, table->err.kind, "%s", table->err.text);
    pthread_mutex_unlock(&table->lock);
    return made;
}

void job_table_give(JobTable *table)
{
    pthread_mutex_lock(&table->lock);
    if (--table->n_left == 0) {
        arena_free(&table->arena);
        table->made = false;
    }
    pthread_mutex_unlock(&table->lock);
}
