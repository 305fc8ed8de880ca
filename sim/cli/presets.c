/* sim/cli/presets.c -- what each preset sets. */
#include "sim/cli/presets.h"

#include <string.h>

static const PresetKey plain_keys[] = {
    {"run.tick", "0"},
    {0},
};

#define INSIDE_KEYS                                                                                                    \
    {"run.physics", "1"},                                                                                              \
    {                                                                                                                  \
        "run.tick", "60"                                                                                               \
    }

static const PresetKey philly_keys[] = {
    INSIDE_KEYS,
    {"model.demand", "constant"},
    {"trace.attempts", "replay"},
    {0},
};

/* The MLFS paper's experiments: GPUs, run times and span are not the log's (docs/model.md). */
#define PAPER_KEYS                                                                                                     \
    INSIDE_KEYS, {"model.demand", "varying"}, {"trace.status", "pass"}, {"model.gpus", "uniform"},                     \
        {"workload.durations", "lognormal"}, {"workload.duration_median_s", "480"},                                    \
    {                                                                                                                  \
        "workload.span", "scaled"                                                                                      \
    }

static const PresetKey paper_real_keys[] = {
    PAPER_KEYS,
    {"workload.duration_mean_s", "1800"},
    {"workload.span_h", "36"},
    {"workload.span_jobs", "155"},
    {"workload.span_power", "0.3333333333333333"},
    {0},
};

static const PresetKey paper_sim_keys[] = {
    PAPER_KEYS,
    {"workload.duration_mean_s", "3600"},
    {"workload.span_h", "63"},
    {"workload.span_jobs", "58663"},
    {"workload.span_power", "0.8"},
    {"model.demand_base", "uniform"},
    {"model.demand_range", "0.1,0.3"},
    {"place.share", "0.9"}, /* exclusive policies would queue most of the work */
    {0},
};

const Preset preset_list[] = {
    {"plain",
     "the textbook's world: jobs run as long as the trace says wherever they are placed, each GPU is one job's alone, "
     "nothing costs anything, decisions fall whenever something happened; needs -c",
     NULL, plain_keys},
    {"philly",
     "the trace's jobs with an inside: what the trace says of them and, where it is silent, families, tasks, traffic, "
     "deadlines and accuracies drawn with the seed; speed depends on the placement, GPUs can be shared, restarts and "
     "moves cost time, decisions fall every minute; cluster philly",
     "philly", philly_keys},
    {"paper-real",
     "the MLFS paper's experiments on 80 GPUs: as philly, with demands that vary, GPUs and run times drawn, and N jobs "
     "arriving within 36 h (N/155)^(1/3); take N with --sample 155, 310, 620, 1240 or 1860; cluster p3",
     "p3", paper_real_keys},
    {"paper-sim",
     "the MLFS paper's simulation on 2,474 GPUs: as paper-real, with longer jobs of small demands, N of them arriving "
     "within 63 h (N/58,663)^0.8; the paper's points are --load 0.5, 1, 2, 3 and 4; cluster philly",
     "philly", paper_sim_keys},
    {0},
};

const Preset *preset_find(const char *name, NearMiss *miss)
{
    for (const Preset *p = preset_list; p->name; p++) {
        if (strcmp(p->name, name) == 0) return p;
        near_miss_try(miss, p->name);
    }
    return NULL;
}
