/* policies/training.c -- the second phase, and what leads to and from it. */
#include "policies/training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/mlf_model.h"
#include "policies/trainstate.h"
#include "rl/credit.h"
#include "rl/ranks.h"

enum { CHECKPOINT_EVERY = 10 };

double training_number(const Training *t, const char *name)
{
    return params_number(t->setup->params, "rl", name);
}

int training_whole(const Training *t, const char *name)
{
    return params_integer(t->setup->params, "rl", name);
}

void training_tell(const Training *t, const char *line)
{
    if (t->setup->tell && ranks_is_first()) t->setup->tell(t->setup->self, line);
}

bool training_may_go_on(const Training *t)
{
    bool may = !t->setup->go_on || t->setup->go_on(t->setup->self);
    ranks_share(&may, 1, sizeof may);
    return may;
}

/* A rollout of REINFORCE: filling the cluster, what is learnt from, and what the last of it brings. */
static int episode_ticks(const Training *t)
{
    return t->warm + t->ticks + t->window;
}

/* ---- opening ---- */

static bool open_training(Training *t)
{
    Kernel kernel;
    const TrainingSetup *setup = t->setup;
    if (!kernel_choose(setup->params, &kernel, t->err) || !kernel_self_test(kernel, t->err)) return false;
    t->half = *setup->jobs;
    t->half.n = setup->jobs->n / 2;
    if (t->half.n < 2)
        return err_set(t->err, ERR_DATA, "%s: %d jobs are too few to learn from", setup->jobs->source, setup->jobs->n);
    t->stage = (Stage){.jobs = &t->half,
                       .cluster = setup->cluster,
                       .params = setup->params,
                       .seed = setup->seed,
                       .tick = time_from_seconds(params_number(setup->params, "run", "tick"))};
    if (!t->stage.tick) return err_set(t->err, ERR_USAGE, "run.tick=0: training counts rewards by ticks, so give one");
    t->plain = strcmp(setup->policy, "rl") == 0;
    t->rule.kind = t->plain ? REWARD_LIVE : REWARD_MLFS;
    if (params_numbers(setup->params, "rl", "beta", t->rule.beta, N_OBJECTIVES) != N_OBJECTIVES)
        return err_set(t->err, ERR_USAGE, "rl.beta: expected %d numbers", N_OBJECTIVES);
    t->n_loads = params_numbers(setup->params, "rl", "loads", t->load, MOST_LOADS);
    t->seed = (uint64_t)training_whole(t, "seed");
    t->warm = training_whole(t, "warm");
    t->ticks = training_whole(t, "ticks");
    t->window = training_whole(t, "window");
    t->n_rollouts = training_whole(t, "rollouts");
    t->check_every = training_whole(t, "check");
    t->discount = training_number(t, "discount");
    t->selfish = training_number(t, "own");
    t->best_check = -HUGE_VAL;
    t->log.arena = t->arena;

    AgentRule rule = agent_rule(setup->params);
    t->agent = agent_open(t->arena, &rule, mlf_model_head(setup->policy).shape, kernel, t->seed, setup->n_threads);
    t->best = NEW_ARRAY(t->arena, double, t->agent.net.n_parameters);
    t->average = NEW_ARRAY(t->arena, double, t->agent.net.n_parameters);
    t->memory = training_number(t, "memory");
    t->record = NEW_ARRAY(t->arena, DecisionLog, t->n_rollouts);
    t->record_arena = NEW_ARRAY(t->arena, Arena, t->n_rollouts);
    for (int i = 0; i < t->n_rollouts; i++) t->record[i] = decision_log(&t->record_arena[i], N_FEATURES);
    t->reward = NEW_ARRAY(t->arena, double, (t->n_rollouts + 1) * episode_ticks(t));
    return true;
}

static void close_training(Training *t)
{
    for (int i = 0; i < t->n_checks; i++) segment_close(&t->check[i]);
    for (int i = 0; t->record_arena && i < t->n_rollouts; i++) arena_free(&t->record_arena[i]);
}

/* ---- trials on longer segments ---- */

static double mean(const double value[], int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += value[i];
    return n ? sum / n : 0;
}

/* Mean rewards of a net's favourites, or MLF-H's if it is NULL, on each check segment. */
static bool try_on_checks(Training *t, const Mlp *net, double reward[])
{
    Arena arena = {0};
    int n_ticks = t->check[0].n_ticks;
    Rollout *rollout = NEW_ARRAY(&arena, Rollout, t->n_checks);
    double *by_tick = NEW_ARRAY(&arena, double, t->n_checks *n_ticks);
    for (int i = 0; i < t->n_checks; i++)
        rollout[i] = (Rollout){.segment = &t->check[i],
                               .elsewhere = !ranks_owns(i, t->n_checks),
                               .lesson = {.plain = t->plain, .net = net, .warm = t->warm, .best = true},
                               .reward = by_tick + i * n_ticks};
    bool good = rollouts_run(rollout, t->n_checks, &t->stage, &t->rule, t->setup->n_threads, t->err);
    for (int i = 0; good && i < t->n_checks; i++) reward[i] = mean(rollout[i].reward + t->warm, n_ticks - t->warm);
    if (good) ranks_share(reward, t->n_checks, sizeof *reward);
    arena_free(&arena);
    return good;
}

static bool open_checks(Training *t)
{
    int n = training_whole(t, "check_segments");
    if (!t->check_every) return true;
    t->check = NEW_ARRAY(t->arena, Segment, n);
    t->check_teacher = NEW_ARRAY(t->arena, double, n);
    for (; t->n_checks < n; t->n_checks++)
        if (!segment_draw(&t->check[t->n_checks], &t->stage, t->warm + training_whole(t, "check_ticks"), t->warm,
                          t->load, t->n_loads, t->seed, "check", (uint64_t)t->n_checks, t->err))
            return false;
    return try_on_checks(t, NULL, t->check_teacher);
}

/* Tries the average and keeps it if none did better; *gain is its mean reward less MLF-H's, *error the standard error
 * of that, paired over the segments. */
static bool check(Training *t, double *gain, double *error)
{
    double *more = NEW_ARRAY(t->arena, double, t->n_checks), squares = 0;
    Mlp net = t->agent.net;
    net.parameter = t->average;
    if (!try_on_checks(t, &net, more)) return false;
    for (int i = 0; i < t->n_checks; i++) more[i] -= t->check_teacher[i];
    *gain = mean(more, t->n_checks);
    for (int i = 0; i < t->n_checks; i++) squares += (more[i] - *gain) * (more[i] - *gain);
    *error = sqrt(squares / t->n_checks / fmax(1, t->n_checks - 1));
    if (*gain > t->best_check) {
        t->best_check = *gain;
        memcpy(t->best, t->average, (size_t)net.n_parameters * sizeof *t->best);
    }
    return true;
}

/* A step goes where the draws of 16 rollouts point to; what many steps have in common is the average's. */
static void remember(Training *t)
{
    for (int i = 0; i < t->agent.net.n_parameters; i++)
        t->average[i] = t->memory * t->average[i] + (1 - t->memory) * t->agent.net.parameter[i];
}

/* ---- REINFORCE ---- */

static double *reward_of(const Training *t, int rollout)
{
    return t->reward + rollout * episode_ticks(t);
}

/* All rollouts of one segment, and MLF-H on it as the last.  Each process has the decisions of its own rollouts and the
 * rewards of all. */
static bool roll_out(Training *t, const Segment *segment, double *own)
{
    Arena arena = {0};
    Rollout *rollout = NEW_ARRAY(&arena, Rollout, t->n_rollouts + 1);
    for (int i = 0; i <= t->n_rollouts; i++) {
        rollout[i] = (Rollout){.segment = segment, .lesson = {.plain = t->plain}, .reward = reward_of(t, i)};
        rollout[i].elsewhere = i < t->n_rollouts ? !ranks_owns(i, t->n_rollouts) : !ranks_owns(0, 1);
        if (i == t->n_rollouts) break;
        rollout[i].own = own + (size_t)i * (size_t)segment->jobs.n;
        decision_log_clear(&t->record[i]);
        rollout[i].lesson = (Lesson){.plain = t->plain,
                                     .net = &t->agent.net,
                                     .warm = t->warm,
                                     .recorded = t->ticks,
                                     .seed = t->seed,
                                     .number = (uint64_t)t->iteration * 1024 + (uint64_t)i,
                                     .log = &t->record[i]};
    }
    bool good = rollouts_run(rollout, t->n_rollouts + 1, &t->stage, &t->rule, t->setup->n_threads, t->err);
    size_t size = (size_t)episode_ticks(t) * sizeof(double);
    if (good) ranks_share(reward_of(t, 0), t->n_rollouts, size);
    if (good) ranks_share(own, t->n_rollouts, (size_t)segment->jobs.n * sizeof *own);
    if (good) ranks_share(reward_of(t, t->n_rollouts), 1, size);
    arena_free(&arena);
    return good;
}

/* Advantages of all decisions; returns the spread of what ticks are worth.  A decision about one job gets a share
 * t->selfish of its credit by what became of that job, compared with the same job in the other rollouts. */
static double give_credit(Training *t, const double *own, int n_jobs)
{
    Arena arena = {0};
    double *returns = NEW_ARRAY(&arena, double, t->n_rollouts * t->ticks);
    double *by_tick = NEW_ARRAY(&arena, double, t->n_rollouts * t->ticks);
    double *by_job = NEW_ARRAY(&arena, double, t->n_rollouts *n_jobs);
    for (int i = 0; i < t->n_rollouts; i++)
        credit_returns(reward_of(t, i) + t->warm, t->ticks, t->discount, t->window, returns + i * t->ticks);
    double spread = credit_advantages(returns, t->n_rollouts, t->ticks, by_tick);
    credit_advantages(own, t->n_rollouts, n_jobs, by_job);
    for (int i = 0; i < t->n_rollouts; i++)
        for (int d = 0; d < t->record[i].n; d++) {
            Decision *decision = &t->record[i].decision[d];
            double shared = by_tick[i * t->ticks + decision->tick];
            double its_own = decision->job >= 0 ? by_job[i * n_jobs + decision->job] : shared;
            decision->advantage = (1 - t->selfish) * shared + t->selfish * its_own;
        }
    arena_free(&arena);
    return spread;
}

/* Decisions of one tick share what they are worth, so that a part of them tells nearly as much. */
static void thin_out(Training *t)
{
    double most = (double)training_whole(t, "most_decisions") / t->n_rollouts;
    for (int i = 0; i < t->n_rollouts; i++) {
        DecisionLog *log = &t->record[i];
        double share = most / log->n;
        if (!(share < 1)) continue;
        Rng rng;
        rng_open(&rng, t->seed, "thinning", (uint64_t)t->iteration * 1024 + (uint64_t)i);
        int kept = 0;
        for (int d = 0; d < log->n; d++)
            if (rng_uniform(&rng) < share) log->decision[kept++] = log->decision[d];
        log->n = kept;
    }
}

static bool iterate(Training *t)
{
    Segment segment;
    AgentProgress progress;
    double *row = NULL, gain = (double)NAN, error = 0;
    int n = t->ticks + t->window;
    double weight = agent_entropy_weight(&t->agent.rule, t->iteration), spread = 0;
    bool good = segment_draw(&segment, &t->stage, episode_ticks(t), t->warm, t->load, t->n_loads, t->seed, "segment",
                             (uint64_t)t->iteration, t->err);
    if (good) {
        double *own = NEW_ARRAY(&segment.arena, double, t->n_rollouts *segment.jobs.n);
        good = roll_out(t, &segment, own);
        if (good) spread = give_credit(t, own, segment.jobs.n);
        thin_out(t);
    }
    good = good && agent_reinforce(&t->agent, t->record, t->n_rollouts, weight, &progress, t->err);
    if (good) remember(t);
    good = good && (!t->check_every || (t->iteration + 1) % t->check_every || check(t, &gain, &error));
    if (good) {
        double sum = 0;
        for (int i = 0; i < t->n_rollouts; i++) sum += mean(reward_of(t, i) + t->warm, n);
        row = trainlog_add(&t->log, 1, t->iteration);
        row[TRAIN_LOSS] = progress.loss;
        row[TRAIN_ENTROPY] = progress.entropy;
        row[TRAIN_AGREEMENT] = progress.agreement;
        row[TRAIN_DECISIONS] = (double)progress.n;
        row[TRAIN_REWARD] = sum / t->n_rollouts;
        row[TRAIN_TEACHER] = mean(reward_of(t, t->n_rollouts) + t->warm, n);
        row[TRAIN_SPREAD] = spread;
        row[TRAIN_LOAD] = segment.load;
        row[TRAIN_START_S] = time_seconds(segment.start);
        row[TRAIN_CHECK] = gain;
        char checked[96] = "";
        if (!isnan(gain))
            snprintf(checked, sizeof checked, ", on checks %+.4f +- %.4f (best %+.4f)", gain, error, t->best_check);
        training_tell(t, arena_format(t->arena, "iteration %d of %d: reward %.4f (mlf-h %.4f), entropy %.4f%s%s",
                                      t->iteration + 1, t->agent.rule.iterations, row[TRAIN_REWARD], row[TRAIN_TEACHER],
                                      progress.entropy, checked,
                                      spread > 0 ? "" : "; all rollouts were worth the same: nothing to learn"));
    }
    segment_close(&segment);
    t->iteration++;
    return good;
}

static bool has_settled(const Training *t)
{
    double *reward = NEW_ARRAY(t->arena, double, t->log.n + 1);
    int n = 0;
    if (!training_whole(t, "settle")) return false;
    for (int i = 0; i < t->log.n; i++)
        if (t->log.row[i][TRAIN_PHASE] > 0) reward[n++] = t->log.row[i][TRAIN_REWARD];
    return credit_is_settled(reward, n);
}

static bool improve(Training *t, bool *finished)
{
    double gain, error;
    *finished = false;
    if (!open_checks(t)) return false;
    if (t->check_every && t->best_check == -HUGE_VAL) { /* as it was taught */
        if (!check(t, &gain, &error)) return false;
        training_tell(t, arena_format(t->arena, "before REINFORCE: on checks %+.4f +- %.4f", gain, error));
    }
    while (t->iteration < t->agent.rule.iterations && !has_settled(t)) {
        if (!training_may_go_on(t)) return training_keep(t);
        if (!iterate(t)) return false;
        if (t->iteration % CHECKPOINT_EVERY == 0 && !training_keep(t)) return false;
    }
    *finished = true;
    return true;
}

bool training_run(const TrainingSetup *setup, Arena *arena, bool *finished, Err *err)
{
    Training *t = NEW(arena, Training);
    t->setup = setup;
    t->arena = arena;
    t->err = err;
    *finished = false;
    bool good = open_training(t) && (setup->resume ? training_take_up(t) : training_begin(t)) &&
                (t->stopped || improve(t, finished)) && (!*finished || training_finish(t));
    close_training(t);
    return good;
}
