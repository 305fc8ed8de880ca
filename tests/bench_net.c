/* tests/bench_net.c -- what a training step and a decision of the 40-64-32-1 net cost: a table for scripts/bench.sh, no
 * test.
 *
 * Each figure is the median of many, in microseconds of CPU time of this thread.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rl/agent.h"
#include "sim/base/rng.h"

enum { ROWS = 256, CANDIDATES = 16, REPETITIONS = 2000 };

static const MlpShape shape = {3, {40, 64, 32, 1}};

static double cpu_us(void)
{
    struct timespec t;
    MUST(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef struct Bench {
    Agent agent;
    Chooser chooser;
    DecisionLog log;
} Bench;

/* Forward, the losses, backward, Adam: on 16 decisions of 16 candidates. */
static void training_step(Bench *b)
{
    Loss loss = {.kind = LOSS_IMITATION, .smoothing = .05};
    BatchPart part = {.log = &b->log, .n = b->log.n};
    Err err = {0};
    batch_gradient(&b->agent.room, &b->agent.net, &loss, &part, 1, b->agent.gradient);
    MUST(adam_step(&b->agent.adam, 1e-3, 1, b->agent.gradient, b->agent.net.parameter, &err));
}

static void decision(Bench *b)
{
    MUST(chooser_choose(&b->chooser, CANDIDATES + 1, b->log.feature, NULL, NULL) >= 0);
}

static double median_us(Bench *b, void (*what)(Bench *))
{
    static double taken[REPETITIONS];
    for (int i = 0; i < REPETITIONS; i++) {
        double start = cpu_us();
        what(b);
        taken[i] = cpu_us() - start;
    }
    qsort(taken, REPETITIONS, sizeof *taken, ascending);
    return taken[REPETITIONS / 2];
}

static void row(Kernel kernel, const char *name)
{
    Arena arena = {0};
    AgentRule rule = {0};
    Bench b = {.agent = agent_open(&arena, &rule, shape, kernel, 1, 1), .log = decision_log(&arena, shape.width[0])};
    b.chooser = chooser(&arena, &b.agent.net);
    Rng rng;
    rng_open(&rng, 1, "bench", 0);
    for (int d = 0; d < ROWS / CANDIDATES; d++) {
        float x[CANDIDATES * 40];
        for (int i = 0; i < CANDIDATES * 40; i++) x[i] = (float)rng_uniform(&rng);
        decision_add(&b.log, CANDIDATES, x, NULL, (int)rng_below(&rng, CANDIDATES), d);
    }
    double step = median_us(&b, training_step);
    printf("| %-9s | %17.1f | %21.1f |\n", name, step, median_us(&b, decision));
    arena_free(&arena);
}

int main(void)
{
    kernel_one_thread();
    KernelFacts facts = kernel_facts(KERNEL_OPENBLAS);
    printf("%s, kernels for %s, %d thread; medians of CPU time, microseconds\n\n", facts.build, facts.core,
           facts.threads);
    printf("| kernel    | step on %d rows  | decision of %d hosts  |\n", ROWS, CANDIDATES + 1);
    printf("|-----------|------------------:|----------------------:|\n");
    row(KERNEL_OPENBLAS, "openblas");
    row(KERNEL_REFERENCE, "reference");
    return 0;
}
