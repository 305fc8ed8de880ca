/* policies/mlf_priority.c -- two factors per job, one pair of constants per task of a graph. */
#include "policies/mlf_priority.h"

#include <math.h>
#include <string.h>

#include "sim/base/number.h"

enum { TICK_S = 60 }; /* where decisions do not fall on ticks */

static bool is(const Sched *s, const char *name, const char *choice)
{
    return strcmp(params_text(sched_params(s), "mlf_h", name), choice) == 0;
}

static double number(const Sched *s, const char *name)
{
    return params_number(sched_params(s), "mlf_h", name);
}

/* From group mlf_h, whoever's run it is. */
static PriorityRule read_rule(const Sched *s)
{
    SimTime tick = sched_tick(s);
    return (PriorityRule){
        .alpha = number(s, "alpha"),
        .gamma = number(s, "gamma"),
        .gamma_d = number(s, "deadline") != 0 ? number(s, "gamma_d") : 0,
        .gamma_r = number(s, "gamma_r"),
        .gamma_w = number(s, "gamma_w"),
        .children = is(s, "child_agg", "sum")    ? CHILDREN_SUM
                    : is(s, "child_agg", "mean") ? CHILDREN_MEAN
                                                 : CHILDREN_MAX,
        .urgency = number(s, "urgency") != 0,
        .cap_late = is(s, "late", "cap"),
        .total_wait = is(s, "wait", "total"),
        .task_deadline = number(s, "task_deadline") != 0,
        .paper_rest = is(s, "remaining", "paper"),
        .loss_share = number(s, "loss_share"),
        .unit = is(s, "unit", "h")     ? 3600 * TIME_SECOND
                : is(s, "unit", "min") ? 60 * TIME_SECOND
                                       : TIME_SECOND,
        .floor = tick ? tick : TICK_S * TIME_SECOND,
    };
}

void loss_trend_add(LossTrend *trend, double share, double loss_start, double loss)
{
    double before = trend->epochs ? trend->smooth : loss_start;
    trend->smooth = trend->epochs ? share * loss + (1 - share) * before : loss;
    trend->last = number_max(0, before - trend->smooth);
    trend->sum += trend->last;
    trend->epochs++;
}

double loss_trend_ratio(const LossTrend *trend)
{
    if (trend->epochs < 2) return 1;
    return trend->sum > 1e-12 ? trend->last / trend->sum : 0;
}

double priority_learning(const PriorityRule *rule, double urgency, int epochs_done, double ratio)
{
    return (rule->urgency ? urgency : 1) * ratio / (epochs_done + 1); /* eq. 2 */
}

static double in_units(const PriorityRule *rule, SimTime t)
{
    return (double)t / (double)rule->unit;
}

/* gamma_r/r. */
static double rest_term(const PriorityRule *rule, SimTime rest)
{
    return rule->gamma_r / in_units(rule, rest > rule->floor ? rest : rule->floor);
}

static double computation(const PriorityRule *rule, SimTime slack, double rest, SimTime waited)
{
    double sum = rule->gamma_w * in_units(rule, waited); /* eq. 4 */
    sum += rest;
    if (slack <= 0 && !rule->cap_late) return sum;
    return sum + rule->gamma_d / in_units(rule, slack > rule->floor ? slack : rule->floor);
}

double priority_computation(const PriorityRule *rule, SimTime slack, SimTime rest, SimTime waited)
{
    return computation(rule, slack, rest_term(rule, rest), waited);
}

void priorities_open(Priorities *p, Sched *s)
{
    int size = sched_live(s)->size;
    *p = (Priorities){
        .rule = read_rule(s),
        .arena = sched_memory(s),
        .trend = NEW_ARRAY(sched_memory(s), LossTrend, size),
        .shape = NEW_ARRAY(sched_memory(s), const PriorityShape *, size),
        .size = size,
    };
}

/* ---- shapes ---- */

static bool same_graph(const TaskGraph *a, const TaskGraph *b)
{
    return a->partitions == b->partitions && a->stages == b->stages; /* replicas are alike */
}

/* The tasks no other one outdoes in both constants. */
static void find_top(PriorityShape *shape)
{
    int m = shape->graph.partitions;
    for (int i = 0; i < m; i++) {
        bool outdone = false;
        for (int j = 0; j < m && !outdone; j++) {
            bool no_less = shape->ml[j] >= shape->ml[i] && shape->c[j] >= shape->c[i];
            bool equal = shape->ml[j] == shape->ml[i] && shape->c[j] == shape->c[i];
            outdone = no_less && (!equal || j < i);
        }
        if (!outdone) shape->top[shape->n_top++] = i;
    }
}

static const PriorityShape *find_shape(Priorities *p, const Job *job)
{
    PriorityShape **link = &p->shapes;
    for (; *link; link = &(*link)->next)
        if ((*link)->family == job->family && same_graph(&(*link)->graph, job->graph)) return *link;
    PriorityShape *shape = *link = NEW(p->arena, PriorityShape);
    int m = job->graph->partitions;
    *shape = (PriorityShape){.family = job->family,
                             .graph = *job->graph,
                             .ml = NEW_ARRAY(p->arena, double, m),
                             .c = NEW_ARRAY(p->arena, double, m),
                             .top = NEW_ARRAY(p->arena, int32_t, m)};
    taskgraph_priorities(job->graph, job->family, p->rule.gamma, p->rule.children, shape->ml, shape->c);
    find_top(shape);
    return shape;
}

static const PriorityShape *shape_of(Priorities *p, const Job *job)
{
    const PriorityShape **shape = &p->shape[job->id];
    if (!*shape) *shape = find_shape(p, job);
    return *shape;
}

/* ---- jobs ---- */

typedef struct Factors {
    double ml, c; /* alpha L (1/I) rho; (1 - alpha) P0_C */
} Factors;

/* The epochs that ended since the last look. */
static double follow_loss(Priorities *p, const Sched *s, const Job *job, int *done)
{
    *done = 0;
    if (job->first_started == TIME_NEVER) return 1;
    LossTrend *trend = &p->trend[job->id];
    *done = sched_epochs_done(s, job);
    while (trend->epochs < *done)
        loss_trend_add(trend, p->rule.loss_share, log(job->family->n_classes),
                       sched_observed_loss(s, job, trend->epochs + 1));
    return loss_trend_ratio(trend);
}

double priority_loss_ratio(Priorities *p, Sched *s, const Job *job, int *epochs_done)
{
    return follow_loss(p, s, job, epochs_done);
}

static SimTime rest_of(const PriorityRule *rule, const Job *job, SimTime now)
{
    return rule->paper_rest ? job->estimate - job_attained(job, now) : job_remaining(job, now);
}

/* Since when it waits; TIME_NEVER: it does not. */
static SimTime waits_since(const PriorityRule *rule, const Job *job, SimTime now)
{
    return rule->total_wait ? job->submit + job_attained(job, now) : job->waits_since;
}

static SimTime waited(SimTime since, SimTime now)
{
    return since == TIME_NEVER ? 0 : now - since;
}

/* Slack of a task's own deadline: what is below it, as many stages' share of an epoch, must be done by then too. */
static SimTime slack_of(const Job *job, SimTime now, int stages_below)
{
    if (job->deadline == TIME_NEVER) return TIME_NEVER;
    SimTime slack = job->deadline - now;
    return slack - job->estimate / job->epochs / job->graph->stages * stages_below;
}

Standing priority_standing(Priorities *p, Sched *s, const Job *job)
{
    const PriorityRule *rule = &p->rule;
    SimTime now = sched_now(s);
    int done;
    double ratio = follow_loss(p, s, job, &done);
    return (Standing){
        .ml = rule->alpha * priority_learning(rule, job->urgency, done, ratio),
        .rest = rest_term(rule, rest_of(rule, job, now)),
        .since = waits_since(rule, job, now),
        .deadline = job->deadline,
        .shape = shape_of(p, job),
    };
}

static Factors factors_at(const PriorityRule *rule, const Standing *standing, SimTime now)
{
    SimTime slack = standing->deadline == TIME_NEVER ? TIME_NEVER : standing->deadline - now;
    return (Factors){
        .ml = standing->ml,
        .c = (1 - rule->alpha) * computation(rule, slack, standing->rest, waited(standing->since, now)),
    };
}

static Factors factors(Priorities *p, Sched *s, const Job *job)
{
    Standing standing = priority_standing(p, s, job);
    return factors_at(&p->rule, &standing, sched_now(s));
}

static double largest_of(const PriorityShape *shape, Factors f)
{
    double largest = 0;
    for (int t = 0; t < shape->n_top; t++)
        largest = number_max(largest, f.ml * shape->ml[shape->top[t]] + f.c * shape->c[shape->top[t]]);
    return largest;
}

double priority_at(const Priorities *p, const Standing *standing, SimTime now)
{
    return largest_of(standing->shape, factors_at(&p->rule, standing, now));
}

/* With deadlines of their own, tasks do not share P0_C: the recursion of eq. 5 stage by stage, all parts of one being
 * alike in it. */
static void by_task_deadlines(Priorities *p, const Sched *s, const Job *job, double c[])
{
    const PriorityRule *rule = &p->rule;
    SimTime now = sched_now(s), rest = rest_of(rule, job, now), wait = waited(waits_since(rule, job, now), now);
    int last = job->graph->stages - 1, width = job->graph->width;
    double below = 0;
    for (int stage = last; stage >= 0; stage--) {
        double own = priority_computation(rule, slack_of(job, now, last - stage), rest, wait) + below;
        for (int i = 0; i < width; i++) c[stage * width + i] = own;
        below = rule->gamma * own * (rule->children == CHILDREN_SUM ? width : 1);
    }
}

void priorities_of_tasks(Priorities *p, Sched *s, const Job *job, double priority[])
{
    const PriorityShape *shape = shape_of(p, job);
    Factors f = factors(p, s, job);
    int m = job->graph->partitions, n = taskgraph_n_gpu_tasks(job->graph);
    double largest = 0;
    if (p->rule.task_deadline) by_task_deadlines(p, s, job, priority);
    for (int i = 0; i < m; i++) {
        double c = p->rule.task_deadline ? (1 - p->rule.alpha) * priority[i] : f.c * shape->c[i];
        priority[i] = f.ml * shape->ml[i] + c; /* eq. 6 */
        largest = number_max(largest, priority[i]);
    }
    for (int k = m; k < n; k++) priority[k] = priority[k - m];
    if (job->graph->has_server) priority[n] = largest;
}

double priority_of_job(Priorities *p, Sched *s, const Job *job)
{
    if (!p->rule.task_deadline) return largest_of(shape_of(p, job), factors(p, s, job));
    double largest = 0, *priority = NEW_ARRAY(sched_scratch(s), double, job->n_tasks);
    priorities_of_tasks(p, s, job, priority);
    for (int k = 0; k < job->n_tasks; k++) largest = number_max(largest, priority[k]);
    return largest;
}

double priority_of_task(Priorities *p, Sched *s, const Job *job, int k)
{
    if (task_is_server(job->graph, k)) return priority_of_job(p, s, job);
    if (p->rule.task_deadline) {
        double *priority = NEW_ARRAY(sched_scratch(s), double, job->n_tasks);
        priorities_of_tasks(p, s, job, priority);
        return priority[k];
    }
    const PriorityShape *shape = shape_of(p, job);
    Factors f = factors(p, s, job);
    int i = k % job->graph->partitions;
    return f.ml * shape->ml[i] + f.c * shape->c[i];
}

int priority_terms(Priorities *p, Sched *s, const Job *job, Term term[MOST_TERMS])
{
    const PriorityRule *rule = &p->rule;
    SimTime now = sched_now(s);
    Factors f = factors(p, s, job);
    int done, n = 0;
    double ratio = follow_loss(p, s, job, &done);
    term[n++] = (Term){"priority", priority_of_job(p, s, job)};
    term[n++] = (Term){"learning", f.ml};
    term[n++] = (Term){"computation", f.c};
    term[n++] = (Term){"urgency", job->urgency};
    term[n++] = (Term){"loss_ratio", ratio};
    if (job->deadline != TIME_NEVER) term[n++] = (Term){"slack_s", time_seconds(slack_of(job, now, 0))};
    term[n++] = (Term){"remaining_s", time_seconds(rest_of(rule, job, now))};
    term[n++] = (Term){"waited_s", time_seconds(waited(waits_since(rule, job, now), now))};
    return n;
}
