/* policies/trainfiles.c -- what a training leaves behind: the model, its curve, and checkpoints to go on from. */
#include "policies/trainstate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "policies/mlf_model.h"
#include "rl/ranks.h"
#include "sim/base/hash.h"

static const char *beside(const Training *t, const char *ending)
{
    return arena_format(t->arena, "%s%s", t->setup->path, ending);
}

static Model the_model(const Training *t, double *parameter)
{
    Model model = {.head = mlf_model_head(t->setup->policy), .parameter = parameter};
    model.head.seed = t->seed;
    memcpy(model.head.constant, t->rule.constant, sizeof model.head.constant);
    return model;
}

/* Of all that the training depends on, so that a checkpoint of another one is told. */
static double fingerprint(const Training *t)
{
    const Params *params = t->setup->params;
    char jobs[17];
    workload_hash(t->setup->jobs, jobs);
    uint64_t hash = hash_text(hash_text(HASH_START, jobs), t->setup->policy);
    hash = hash_text(hash, t->setup->from);
    hash = hash_bytes(hash, &t->setup->seed, sizeof t->setup->seed);
    for (int i = 0; i < params->n; i++) {
        hash = hash_text(hash, params->entry[i].param->name);
        hash = hash_text(hash, params->entry[i].value);
    }
    return (double)(hash >> 11); /* exact in a double */
}

/* The trainer's own part of a checkpoint: fingerprint, best check, the net that had it, the average, the rows so far.
 */
bool training_keep(Training *t)
{
    if (!ranks_is_first()) return true;
    int n = t->agent.net.n_parameters;
    int64_t n_rows = (int64_t)t->log.n * N_TRAIN_COLUMNS, n_all = 3 + 2 * n + n_rows;
    Arena scratch = {0};
    double *all = NEW_ARRAY(&scratch, double, n_all);
    unsigned char *bytes = NEW_ARRAY(&scratch, unsigned char, 8 * n_all);
    all[0] = fingerprint(t);
    all[1] = t->best_check;
    all[2] = t->log.n;
    memcpy(all + 3, t->best, (size_t)n * sizeof *all);
    memcpy(all + 3 + n, t->average, (size_t)n * sizeof *all);
    if (n_rows) memcpy(all + 3 + 2 * n, t->log.row, (size_t)n_rows * sizeof *all);
    bytes_of_doubles(all, n_all, bytes);
    Checkpoint checkpoint = {.model = the_model(t, t->agent.net.parameter),
                             .adam = t->agent.adam,
                             .iteration = t->iteration,
                             .extra = bytes,
                             .n_extra = 8 * n_all};
    bool kept = checkpoint_save(&checkpoint, &scratch, beside(t, ".checkpoint"), t->err) &&
                trainlog_write(&t->log, beside(t, ".checkpoint.csv"), &scratch, t->err); /* MODEL.csv is MODEL's */
    arena_free(&scratch);
    return kept;
}

bool training_take_up(Training *t)
{
    const char *path = beside(t, ".checkpoint");
    ModelHead wanted = mlf_model_head(t->setup->policy);
    Checkpoint c;
    int n = t->agent.net.n_parameters;
    if (!checkpoint_load(path, &wanted, t->arena, &c, t->err)) return false;
    int64_t n_all = c.n_extra / 8;
    double *all = NEW_ARRAY(t->arena, double, n_all + 3);
    doubles_of_bytes(c.extra, n_all, all);
    if (n_all < 3 + 2 * n || all[0] != fingerprint(t) || n_all != 3 + 2 * n + (int64_t)all[2] * N_TRAIN_COLUMNS)
        return err_set(t->err, ERR_USAGE, "%s: of a training with other jobs or keys, so it cannot be resumed as this",
                       path);
    memcpy(t->agent.net.parameter, c.model.parameter, (size_t)n * sizeof *all);
    memcpy(t->rule.constant, c.model.head.constant, sizeof t->rule.constant);
    t->agent.adam = c.adam;
    t->iteration = (int)c.iteration;
    t->best_check = all[1];
    memcpy(t->best, all + 3, (size_t)n * sizeof *all);
    memcpy(t->average, all + 3 + n, (size_t)n * sizeof *all);
    for (int i = 0; i < (int)all[2]; i++)
        memcpy(trainlog_add(&t->log, 0, 0), all + 3 + 2 * n + i * N_TRAIN_COLUMNS, sizeof *t->log.row);
    return true;
}

bool training_finish(Training *t)
{
    if (!ranks_is_first()) return true;
    Model model = the_model(t, t->best_check > -HUGE_VAL ? t->best : t->average);
    Arena scratch = {0};
    bool good = model_save(&model, &scratch, t->setup->path, t->err) &&
                trainlog_write(&t->log, beside(t, ".csv"), &scratch, t->err);
    arena_free(&scratch);
    if (good) unlink(beside(t, ".checkpoint"));
    if (good) unlink(beside(t, ".checkpoint.csv"));
    return good;
}
