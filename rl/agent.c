/* rl/agent.c -- batches, their parts, and a step of the optimiser on each. */
#include "rl/agent.h"

#include <math.h>

#include "rl/softmax.h"

enum { PART = 16 }; /* decisions a part of a batch in imitation */

Chooser chooser(Arena *arena, const Mlp *net)
{
    return (Chooser){.net = net, .arena = arena, .pass = mlp_pass(arena, &net->shape)};
}

int chooser_choose(Chooser *chooser, int n, const float *feature, const bool *legal, Rng *rng)
{
    const double *score = mlp_forward(chooser->net, &chooser->pass, feature, n);
    if (!rng) return softmax_best(score, legal, n);
    if (n > chooser->room) {
        chooser->room = 2 * n;
        chooser->log_p = NEW_ARRAY(chooser->arena, double, chooser->room);
    }
    softmax_log(score, legal, n, chooser->log_p);
    return softmax_sample(chooser->log_p, n, rng);
}

AgentRule agent_rule(const Params *params)
{
    return (AgentRule){
        .imitate_rate = params_number(params, "rl", "imitate_rate"),
        .imitate_batch = params_integer(params, "rl", "imitate_batch"),
        .smoothing = params_number(params, "rl", "smoothing"),
        .rate = params_number(params, "rl", "rate"),
        .entropy_first = params_number(params, "rl", "entropy_first"),
        .entropy_last = params_number(params, "rl", "entropy_last"),
        .longest_gradient = params_number(params, "rl", "longest_gradient"),
        .iterations = params_integer(params, "rl", "iterations"),
    };
}

double agent_entropy_weight(const AgentRule *rule, int iteration)
{
    if (iteration >= rule->iterations - 1) return rule->entropy_last;
    return rule->entropy_first + (rule->entropy_last - rule->entropy_first) * iteration / (rule->iterations - 1);
}

Agent agent_open(Arena *arena, const AgentRule *rule, MlpShape shape, Kernel kernel, uint64_t seed, int n_threads)
{
    Agent agent = {.rule = *rule, .seed = seed, .net = mlp_open(arena, shape, kernel)};
    agent.adam = adam_open(arena, agent.net.n_parameters);
    agent.room = batch_room(arena, &shape, n_threads);
    agent.gradient = NEW_ARRAY(arena, double, agent.net.n_parameters);
    mlp_draw(&agent.net, seed);
    return agent;
}

void agent_forget_steps(Agent *agent)
{
    adam_forget(&agent->adam);
}

/* A step on the mean of the parts' decisions, if there are any; what they add up to goes to *total. */
static bool step(Agent *agent, double rate, const Loss *loss, const BatchPart part[], int n_parts, BatchSum *total,
                 Err *err)
{
    double *gradient = agent->gradient;
    BatchSum sum = batch_gradient(&agent->room, &agent->net, loss, part, n_parts, gradient);
    if (!isfinite(sum.loss))
        return err_set(err, ERR_DATA, "training step %lld: the loss is not finite", (long long)agent->adam.step + 1);
    if (!sum.n) return true;
    for (int i = 0; i < agent->net.n_parameters; i++) gradient[i] /= (double)sum.n;
    total->loss += sum.loss;
    total->entropy += sum.entropy;
    total->n_agreeing += sum.n_agreeing;
    total->n += sum.n;
    return adam_step(&agent->adam, rate, agent->rule.longest_gradient, gradient, agent->net.parameter, err);
}

static AgentProgress means(const BatchSum *sum)
{
    double n = sum->n ? (double)sum->n : 1;
    return (AgentProgress){sum->loss / n, sum->entropy / n, (double)sum->n_agreeing / n, sum->n};
}

/* [n] decisions in an order of the epoch's own (Fisher and Yates). */
static int *shuffled(Arena *arena, int n, uint64_t seed, int epoch)
{
    int *order = NEW_ARRAY(arena, int, n + 1);
    Rng rng;
    rng_open(&rng, seed, "imitation order", (uint64_t)epoch);
    for (int i = 0; i < n; i++) {
        int j = (int)rng_below(&rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

/* Cuts n decisions into parts; returns how many. */
static int cut(BatchPart part[], const DecisionLog *log, const int *order, int first, int n)
{
    int n_parts = 0;
    for (int i = 0; i < n; i += PART) {
        int size = n - i < PART ? n - i : PART;
        part[n_parts++] = (BatchPart){log, order ? order + first + i : NULL, first + i, size};
    }
    return n_parts;
}

bool agent_imitate(Agent *agent, const DecisionLog *log, int epoch, AgentProgress *progress, Err *err)
{
    Arena arena = {0};
    const int *order = shuffled(&arena, log->n, agent->seed, epoch);
    BatchPart *part = NEW_ARRAY(&arena, BatchPart, agent->rule.imitate_batch / PART + 1);
    Loss loss = {.kind = LOSS_IMITATION, .smoothing = agent->rule.smoothing};
    BatchSum total = {0};
    bool good = true;
    for (int first = 0; good && first < log->n; first += agent->rule.imitate_batch) {
        int left = log->n - first, n = left < agent->rule.imitate_batch ? left : agent->rule.imitate_batch;
        int n_parts = cut(part, log, order, first, n);
        good = step(agent, agent->rule.imitate_rate, &loss, part, n_parts, &total, err);
    }
    *progress = means(&total);
    arena_free(&arena);
    return good;
}

AgentProgress agent_compare(Agent *agent, const DecisionLog *log)
{
    Arena arena = {0};
    BatchPart *part = NEW_ARRAY(&arena, BatchPart, log->n / PART + 1);
    Loss loss = {.kind = LOSS_IMITATION, .smoothing = agent->rule.smoothing};
    BatchSum sum = batch_gradient(&agent->room, &agent->net, &loss, part, cut(part, log, NULL, 0, log->n), NULL);
    arena_free(&arena);
    return means(&sum);
}

bool agent_reinforce(Agent *agent, const DecisionLog log[], int n_logs, double entropy_weight, AgentProgress *progress,
                     Err *err)
{
    Arena arena = {0};
    BatchPart *part = NEW_ARRAY(&arena, BatchPart, n_logs + 1);
    Loss loss = {.kind = LOSS_REINFORCE, .entropy_weight = entropy_weight};
    BatchSum total = {0};
    for (int i = 0; i < n_logs; i++) part[i] = (BatchPart){.log = &log[i], .n = log[i].n};
    bool good = step(agent, agent->rule.rate, &loss, part, n_logs, &total, err);
    *progress = means(&total);
    arena_free(&arena);
    return good;
}
