/* sim/model/jobmodel.c -- the keys, the draws, and what a trace may not contradict.
 *
 * job.curve.key = rng_hash(seed, "job", hash of the name); every draw below is the stream (that key, attribute, 0), or
 * (that key, attribute, task or epoch).
 */
#include "sim/model/jobmodel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/base/names.h"
#include "sim/base/number.h"
#include "sim/base/rng.h"
#include "sim/base/text.h"

#define MB   1e6
#define HOUR (3600 * TIME_SECOND)

const Param model_params[] = {
    CHOICE_PARAM("gang", "job", "job|replica|task",
                 "what must find GPUs at once for a policy that looks inside jobs: all of it, a replica, a task"),
    CHOICE_PARAM("gpus", "trace", "trace|uniform", "GPUs of a job: the trace's, or uniform over workload.gpu_choices"),
    TEXT_PARAM("families", "alexnet,resnet,mlp,lstm,svm", "families a job without a model is drawn from, comma list"),
    CHOICE_PARAM("unknown", "error", "error|draw", "a model name of no known family is an error, or draws a family"),
    CHOICE_PARAM("partition", "limit", "limit|gpus",
                 "model partitions: largest divisor of the GPUs up to the family's limit, or as many as GPUs"),
    CHOICE_PARAM("topology", "coin", "coin|ring|server", "how replicas agree, families that need a server aside"),
    CHOICE_PARAM("bytes", "paper", "paper|model", "volumes drawn from volume_mb, or the family's activations and size"),
    NUMBERS_PARAM("volume_mb", "50,100", 0, 1e6, "least and most MB per round and direction, each of two draws"),
    NUMBERS_PARAM("data_mb", "100,1000", 0.001, 1e9, "least and most MB of training data"),
    CHOICE_PARAM("comm_per", "epoch_round", "epoch_round|minibatch",
                 "communication rounds: one per mini-batch, but in an epoch at most comm_rounds, or without limit"),
    INTEGER_PARAM("comm_rounds", "10", 1, 1e6, "most rounds per epoch with comm_per=epoch_round"),
    CHOICE_PARAM("schedule", "sequential", "sequential|pipeline", "stages one after another, or with micro-batches"),
    NUMBER_PARAM("deadline_factor", "1.1", 0, 1e6, "a deadline is at least this many run times"),
    NUMBERS_PARAM("deadline_h", "0.5,24", 0, 1e6, "and at least a uniform draw from these hours"),
    NUMBERS_PARAM("urgency", "1,10", 0, 1e6, "least and most urgency, whole numbers, each as likely"),
    NUMBERS_PARAM("accuracy", "0.90,0.98", 0, 1,
                  "required accuracy: share of that after the last epoch, least and most"),
    CHOICE_PARAM("stop", "optstop", "epochs|optstop|accuracy", "when users want training to end"),
    CHOICE_PARAM("stop_limit", "accuracy", "epochs|optstop|accuracy", "the most relaxed end users permit"),
    INTEGER_PARAM("overfit", "0", 0, 1, "1: validation loss rises again late in training"),
    CHOICE_PARAM("estimate", "predicted", "predicted|exact", "predictions carry errors, or are the truth"),
    NUMBERS_PARAM("estimate_sd", "0.14,0.37", 0, 3, "sd of the log error of run times: groups seen before, new ones"),
    NUMBER_PARAM("accuracy_sd", "0.03", 0, 1, "sd of the error of predicted accuracies"),
    CHOICE_PARAM("demand", "varying", "varying|constant", "whether a running task's GPU demand changes"),
    NUMBER_PARAM("demand_sd", "0.15", 0, 1, "its sd relative to the base demand"),
    NUMBER_PARAM("demand_phi", "0.9", 0, 0.999999, "its correlation from tick to tick"),
    CHOICE_PARAM("demand_base", "family", "family|uniform", "base GPU demand by family, or uniform on demand_range"),
    NUMBERS_PARAM("demand_range", "0.1,0.3", 0.02, 1, "least and most base demand with demand_base=uniform"),
    {0},
};

enum { MOST_FAMILIES = 32, LEAST_DEMAND = 20, WHOLE_GPU = 1000 };

typedef struct Range {
    double low, high;
} Range;

/* The keys, read once. */
typedef struct Draws {
    uint64_t seed;
    const Family *family[MOST_FAMILIES];
    int n_families;
    bool draw_unknown, partition_gpus, model_bytes, every_batch, overfit, exact;
    const char *topology;
    int comm_rounds;
    double deadline_factor, accuracy_sd;
    Range volume_mb, data_mb, deadline_h, urgency, accuracy, estimate_sd;
    StopOption stop, stop_limit;
} Draws;

static bool chosen(const Params *params, const char *name, const char *choice)
{
    return strcmp(params_text(params, "model", name), choice) == 0;
}

static bool read_pair(const Params *params, const char *name, bool ordered, Range *range, Err *err)
{
    double value[3];
    if (params_numbers(params, "model", name, value, 3) != 2)
        return err_set(err, ERR_USAGE, "model.%s: expected two numbers, not '%s'", name,
                       params_text(params, "model", name));
    if (ordered && value[0] > value[1])
        return err_set(err, ERR_USAGE, "model.%s: %g is more than %g", name, value[0], value[1]);
    *range = (Range){value[0], value[1]};
    return true;
}

static StopOption stop_named(const char *name)
{
    if (strcmp(name, "epochs") == 0) return STOP_EPOCHS;
    if (strcmp(name, "optstop") == 0) return STOP_OPTSTOP;
    MUST(strcmp(name, "accuracy") == 0);
    return STOP_ACCURACY;
}

static bool read_families(const char *list, Draws *draws, Err *err)
{
    char name[SHOWN_TEXT], hint[HINT_TEXT];
    for (const char *c = list;; c++) {
        size_t n = strcspn(c, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, c);
        if (draws->n_families == MOST_FAMILIES)
            return err_set(err, ERR_USAGE, "model.families: more than %d names", MOST_FAMILIES);
        if (!(draws->family[draws->n_families++] = family_find(name))) {
            NearMiss miss = {.typed = name};
            for (int i = 0; i < N_FAMILIES; i++) near_miss_try(&miss, families[i].name);
            return err_set(err, ERR_USAGE, "model.families: unknown family '%s'%s", name, near_miss_hint(&miss, hint));
        }
        if (!*(c += n)) return true;
    }
}

static bool read_keys(const Params *params, uint64_t seed, Draws *draws, JobModels *models, Err *err)
{
    *draws = (Draws){
        .seed = seed,
        .draw_unknown = chosen(params, "unknown", "draw"),
        .partition_gpus = chosen(params, "partition", "gpus"),
        .model_bytes = chosen(params, "bytes", "model"),
        .every_batch = chosen(params, "comm_per", "minibatch"),
        .overfit = params_integer(params, "model", "overfit"),
        .exact = chosen(params, "estimate", "exact"),
        .topology = params_text(params, "model", "topology"),
        .comm_rounds = params_integer(params, "model", "comm_rounds"),
        .deadline_factor = params_number(params, "model", "deadline_factor"),
        .accuracy_sd = params_number(params, "model", "accuracy_sd"),
        .stop = stop_named(params_text(params, "model", "stop")),
        .stop_limit = stop_named(params_text(params, "model", "stop_limit")),
    };
    Range base;
    if (!read_families(params_text(params, "model", "families"), draws, err) ||
        !read_pair(params, "volume_mb", true, &draws->volume_mb, err) ||
        !read_pair(params, "data_mb", true, &draws->data_mb, err) ||
        !read_pair(params, "deadline_h", true, &draws->deadline_h, err) ||
        !read_pair(params, "urgency", true, &draws->urgency, err) ||
        !read_pair(params, "accuracy", true, &draws->accuracy, err) ||
        !read_pair(params, "estimate_sd", false, &draws->estimate_sd, err) ||
        !read_pair(params, "demand_range", true, &base, err))
        return false;
    if (draws->urgency.low != floor(draws->urgency.low) || draws->urgency.high != floor(draws->urgency.high))
        return err_set(err, ERR_USAGE, "model.urgency: expected whole numbers");
    *models = (JobModels){
        .exact = draws->exact,
        .pipeline = chosen(params, "schedule", "pipeline"),
        .varying = chosen(params, "demand", "varying"),
        .uniform_base = chosen(params, "demand_base", "uniform"),
        .base_low = base.low,
        .base_high = base.high,
        .demand_sd = params_number(params, "model", "demand_sd"),
        .demand_phi = params_number(params, "model", "demand_phi"),
    };
    return true;
}

static double between(Range range, uint64_t key, const char *what)
{
    return range.low + (range.high - range.low) * rng_fraction(key, what, 0);
}

/* An opinion about time, kept where the clock can still add to it. */
static SimTime scaled(SimTime time, double factor)
{
    double product = (double)time * factor;
    return product < 2 * (double)TIME_LIMIT ? llrint(product) : 2 * TIME_LIMIT;
}

static bool choose_family(const Draws *draws, const JobSpec *spec, uint64_t key, JobModel *job, Err *err)
{
    job->family = spec->model ? family_find(spec->model) : NULL;
    if (!job->family && spec->model && !draws->draw_unknown)
        return err_set(err, ERR_DATA,
                       "job '%s': model '%s' is of no known family (alexnet, resnet, mlp, lstm, svm, transformer); "
                       "model.unknown=draw draws one",
                       spec->name, spec->model);
    if (!job->family) job->family = draws->family[(int)(draws->n_families * rng_fraction(key, "family", 0))];
    return true;
}

/* PAPER: asks for a number of GPUs and for as many partitions, and for data parallelism besides; one of them must give.
 * We keep one task per GPU asked for and cut the network as far as its family allows, so D·M = n_gpus;
 * model.partition=gpus is M = n_gpus with a single replica. */
static bool shape(const Draws *draws, const JobSpec *spec, uint64_t key, JobModel *job, Err *err)
{
    int n = spec->n_gpus, d = spec->replicas, m = spec->partitions;
    if ((d && n % d) || (m && n % m) || (d && m && (int64_t)d * m != n)) {
        if (d && m)
            return err_set(err, ERR_DATA, "job '%s': %d replicas of %d partitions are not %d GPUs", spec->name, d, m,
                           n);
        return err_set(err, ERR_DATA, "job '%s': %d GPUs cannot be split into %d %s", spec->name, n, d ? d : m,
                       d ? "replicas" : "partitions");
    }
    if (!m && d) m = n / d;
    if (!m && draws->partition_gpus && job->family->partition != PARTITION_NONE) m = n;

    bool ring = strcmp(draws->topology, "ring") == 0;
    if (strcmp(draws->topology, "coin") == 0) ring = rng_fraction(key, "topology", 0) < .5;
    job->topology = ring && !job->family->server_only ? TOPOLOGY_RING : TOPOLOGY_SERVER;
    job->graph = taskgraph_make(job->family, n, m, job->topology);
    return true;
}

/* PAPER: moves 50 to 100 MB after each mini-batch of 1 MB or 1.5 KB out of 100 to 1000 MB of data, 10² to 10⁶ times an
 * epoch, but its own totals are some 400 times a job.  We let an epoch have at most comm_rounds of them, for time and
 * bytes alike; model.comm_per=minibatch is the letter. */
static void draw_traffic(const Draws *draws, uint64_t key, JobModel *job)
{
    const Family *family = job->family;
    job->volumes = draws->model_bytes ? (Volumes){family->activation_bytes, family->parameter_bytes}
                                      : (Volumes){llrint(MB * between(draws->volume_mb, key, "edge bytes")),
                                                  llrint(MB * between(draws->volume_mb, key, "sync bytes"))};
    job->data_bytes = llrint(MB * between(draws->data_mb, key, "data bytes"));
    double batches = ceil((double)job->data_bytes / (double)family->batch_bytes);
    double limit = draws->every_batch ? INT32_MAX : draws->comm_rounds;
    job->rounds = (int32_t)number_max(1, number_min(batches, limit));
}

/* What its user wants, and what is believed of it; `seen`: one of its group came earlier.
 *
 * PAPER: the required accuracy is "the highest accuracy when the job finished", which the public log does not have.  We
 * draw it as a share of the accuracy after the last epoch, so that a job that runs to its end has always reached it. */
static void draw_wishes(const Draws *draws, const JobSpec *spec, bool seen, uint64_t key, JobModel *job)
{
    job->deadline = spec->deadline;
    if (job->deadline == TIME_NEVER) {
        SimTime from_run = scaled(spec->duration, draws->deadline_factor);
        SimTime drawn = scaled(HOUR, between(draws->deadline_h, key, "deadline"));
        job->deadline = from_run > drawn ? from_run : drawn;
    }
    double steps = draws->urgency.high - draws->urgency.low + 1;
    job->urgency =
        isnan(spec->urgency) ? draws->urgency.low + floor(steps * rng_fraction(key, "urgency", 0)) : spec->urgency;
    job->accuracy_required = isnan(spec->accuracy_required)
                                 ? between(draws->accuracy, key, "accuracy") * curve_accuracy(&job->curve, job->epochs)
                                 : spec->accuracy_required;
    job->stop = spec->stop_option ? stop_named(spec->stop_option) : draws->stop;
    job->stop_limit = job->stop > draws->stop_limit ? job->stop : draws->stop_limit;

    job->estimate = spec->duration;
    if (draws->exact) return;
    double sd = seen ? draws->estimate_sd.low : draws->estimate_sd.high;
    job->estimate = scaled(spec->duration, exp(sd * rng_normal(key, "estimate", 0)));
    job->accuracy_error = draws->accuracy_sd * rng_normal(key, "accuracy error", 0);
}

/* Whether a job of this user, virtual cluster and size came earlier.  Nobody remembers a job without a user. */
static bool was_seen(Names *groups, const JobSpec *spec)
{
    char group[80]; /* user and VC are interned */
    if (!spec->user) return false;
    int n = snprintf(group, sizeof group, "%p %p %d", (const void *)spec->user, (const void *)spec->vc, spec->n_gpus);
    bool is_new;
    names_add(groups, group, (size_t)n, &is_new);
    return !is_new;
}

bool jobmodels_build(const Workload *workload, const Params *params, uint64_t seed, Arena *arena, JobModels *models,
                     Err *err)
{
    Draws draws;
    if (!read_keys(params, seed, &draws, models, err)) return false;
    Arena scratch = {0};
    Names groups = {.arena = &scratch};
    JobModel *table = NEW_ARRAY(arena, JobModel, workload->n);
    bool good = true;
    for (int i = 0; i < workload->n && good; i++) {
        const JobSpec *spec = &workload->job[i];
        JobModel *job = &table[i];
        uint64_t key = rng_hash(seed, "job", hash_text(HASH_START, spec->name));
        good = choose_family(&draws, spec, key, job, err) && shape(&draws, spec, key, job, err);
        if (!good) break;
        int range = job->family->max_epochs - job->family->min_epochs + 1;
        job->epochs =
            spec->epochs ? spec->epochs : job->family->min_epochs + (int32_t)(range * rng_fraction(key, "epochs", 0));
        job->curve = curve_draw(job->family, key, job->epochs, draws.overfit);
        draw_traffic(&draws, key, job);
        draw_wishes(&draws, spec, was_seen(&groups, spec), key, job);
    }
    arena_free(&scratch);
    models->job = table;
    models->n = workload->n;
    return good;
}

TaskNeed jobmodel_need(const JobModel *job, int k)
{
    if (task_is_server(&job->graph, k)) return (TaskNeed){SERVER_CORES, SERVER_MEMORY_MIB, 0};
    return (TaskNeed){job->family->cores, job->family->memory_mib, job->family->gpu_memory_mib};
}

int64_t jobmodel_parameter_bytes(const JobModel *job, int k)
{
    double share = task_is_server(&job->graph, k) ? 1 : taskgraph_share(&job->graph, job->family, k);
    return llrint(share * (double)job->family->parameter_bytes);
}

static int32_t demand_rounded(double milli)
{
    return (int32_t)number_max(LEAST_DEMAND, number_min(WHOLE_GPU, nearbyint(milli)));
}

int32_t jobmodel_base_demand(const JobModels *models, JobId id, int k)
{
    const JobModel *job = &models->job[id];
    uint64_t task = (uint64_t)k;
    if (task_is_server(&job->graph, k)) return 0;
    double base = models->uniform_base
                      ? models->base_low +
                            (models->base_high - models->base_low) * rng_fraction(job->curve.key, "base demand", task)
                      : job->family->gpu_demand_mean +
                            job->family->gpu_demand_sd * rng_normal(job->curve.key, "base demand", task);
    return demand_rounded(WHOLE_GPU * base);
}

double jobmodel_demand_step(const JobModels *models, JobId id, int k, int64_t count, double x)
{
    uint64_t task = rng_hash(models->job[id].curve.key, "demand", (uint64_t)k);
    double fresh = models->demand_sd * rng_normal(task, "step", (uint64_t)count), phi = models->demand_phi;
    return count ? phi * x + sqrt(1 - phi * phi) * fresh : fresh;
}

int32_t jobmodel_demand_now(int32_t base, double x)
{
    return demand_rounded(base * (1 + x));
}
