/* sim/report/paper.c -- sorting runs into the paper's figures by what their run.json says. */
#include "sim/report/paper.h"

#include <math.h>
#include <string.h>

#include "sim/report/bootstrap.h"
#include "sim/report/figures.h"
#include "sim/report/readback.h"

typedef struct Metric {
    const char *panel, *key;
    double scale;
    bool overhead; /* in overhead.json */
} Metric;

/* Panels b to h of figures 4 and 5. */
static const Metric metrics[] = {{"b", "jct_s.mean", 1.0 / 60, false}, {"c", "deadline_met", 1, false},
                                 {"d", "wait_s.mean", 1, false},       {"e", "accuracy_mean", 1, false},
                                 {"f", "accuracy_met", 1, false},      {"g", "bandwidth_bytes", 1e-12, false},
                                 {"h", "round_us.mean", 0.001, true},  {NULL, NULL, 0, false}};

typedef struct Ablation {
    int figure;
    const char *panel, *key;
    double scale;
    const char *with;    /* the policy as it is */
    const char *without; /* the policy without the part ... */
    const char *part;    /* ... because this parameter is 0; NULL: it never has it */
} Ablation;

static const Ablation ablations[] = {{6, "a", "deadline_met_urgent", 1, "mlf-h", "mlf-h", "mlf_h.urgency"},
                                     {6, "b", "deadline_met", 1, "mlf-h", "mlf-h", "mlf_h.deadline"},
                                     {7, "a", "bandwidth_bytes", 1e-12, "mlf-h", "mlf-h", "mlf_h.bandwidth"},
                                     {7, "b", "jct_s.mean", 1.0 / 60, "mlf-h", "mlf-h", "mlf_h.bandwidth"},
                                     {8, "a", "bandwidth_bytes", 1e-12, "mlf-h", "mlf-h", "mlf_h.migrate"},
                                     {8, "b", "overloads", 1, "mlf-h", "mlf-h", "mlf_h.migrate"},
                                     {8, "c", "accuracy_mean", 1, "mlf-h", "mlf-h", "mlf_h.migrate"},
                                     {8, "d", "jct_s.mean", 1.0 / 60, "mlf-h", "mlf-h", "mlf_h.migrate"},
                                     {9, "a", "accuracy_met", 1, "mlf-h-c", "mlf-h", NULL},
                                     {9, "b", "jct_s.mean", 1.0 / 60, "mlf-h-c", "mlf-h", NULL},
                                     {0, NULL, NULL, 0, NULL, NULL, NULL}};

static const char *const parts[] = {"mlf_h.urgency", "mlf_h.deadline", "mlf_h.bandwidth", "mlf_h.migrate", NULL};

static PaperValue *value_at(PaperTable *table, int figure, const char *panel, double load, const char *policy)
{
    for (int i = 0; i < table->n; i++) {
        PaperValue *v = &table->value[i];
        if (v->figure == figure && v->load == load && strcmp(v->panel, panel) == 0 && strcmp(v->policy, policy) == 0)
            return v;
    }
    if (table->n == table->room) {
        table->room = table->room ? 2 * table->room : 1024;
        table->value =
            arena_grow(table->arena, table->value, (size_t)table->n, (size_t)table->room, sizeof *table->value);
    }
    PaperValue *v = &table->value[table->n++];
    *v = (PaperValue){.figure = figure, .panel = panel, .load = load, .policy = policy, .paper = (double)NAN};
    return v;
}

static void enter_paper(PaperTable *table)
{
    enum { FIGURE, PANEL, LOAD, POLICY, VALUE, N };
    int64_t rows;
    ReadColumn bars[N] = {[FIGURE] = {.name = "figure", .kind = COLUMN_NUMBER},
                          [PANEL] = {.name = "panel", .kind = COLUMN_TEXT},
                          [LOAD] = {.name = "load", .kind = COLUMN_NUMBER},
                          [POLICY] = {.name = "policy", .kind = COLUMN_TEXT},
                          [VALUE] = {.name = "value", .kind = COLUMN_NUMBER}};
    readback_lines("paper_bars.csv", figure_paper_bars, bars, N, &rows, table->arena);
    for (int64_t i = 0; i < rows; i++)
        value_at(table, (int)bars[FIGURE].number[i], bars[PANEL].text[i], bars[LOAD].number[i], bars[POLICY].text[i])
            ->paper = bars[VALUE].number[i];

    ReadColumn pairs[N] = {[FIGURE] = bars[FIGURE],
                           [PANEL] = bars[PANEL],
                           [LOAD] = bars[LOAD],
                           [POLICY] = {.name = "with", .kind = COLUMN_NUMBER},
                           [VALUE] = {.name = "without", .kind = COLUMN_NUMBER}};
    readback_lines("paper_ablations.csv", figure_paper_ablations, pairs, N, &rows, table->arena);
    for (int64_t i = 0; i < rows; i++) {
        int figure = (int)pairs[FIGURE].number[i];
        value_at(table, figure, pairs[PANEL].text[i], pairs[LOAD].number[i], "with")->paper = pairs[POLICY].number[i];
        value_at(table, figure, pairs[PANEL].text[i], pairs[LOAD].number[i], "without")->paper = pairs[VALUE].number[i];
    }
}

static void enter_ours(PaperTable *table, PaperValue *v, double ours)
{
    if (isnan(ours)) return;
    if (v->n_ours == v->room) {
        v->room = v->room ? 2 * v->room : 16;
        v->ours = arena_grow(table->arena, v->ours, (size_t)v->n_ours, (size_t)v->room, sizeof *v->ours);
    }
    v->ours[v->n_ours++] = ours;
}

static const char *text_in(const cJSON *json, const char *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(json, object), key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* The one part that is switched off; NULL: none is.  False: more than one, which the paper has no figure of. */
static bool find_part(const cJSON *json, const char **part)
{
    int n = 0;
    *part = NULL;
    for (const char *const *p = parts; *p; p++)
        if (strcmp(text_in(json, "parameters", *p), "0") == 0) {
            *part = *p;
            n++;
        }
    return n < 2;
}

static void enter_ablations(PaperTable *table, const FoundRun *run, const char *part, double load, const cJSON *summary)
{
    for (const Ablation *a = ablations; a->panel; a++) {
        double ours = readback_number(summary, a->key) * a->scale;
        bool is_off = a->part && part && strcmp(part, a->part) == 0;
        if (!part && strcmp(run->policy, a->with) == 0)
            enter_ours(table, value_at(table, a->figure, a->panel, load, "with"), ours);
        else if (strcmp(run->policy, a->without) == 0 && (a->part ? is_off : !part))
            enter_ours(table, value_at(table, a->figure, a->panel, load, "without"), ours);
    }
}

const char *paper_policy(const char *policy)
{
    return strcmp(policy, "tiresias-g") == 0 ? "tiresias" : policy;
}

/* 4, 5 or 0, and the load there. */
static int figure_of(const cJSON *json, double *load)
{
    const char *preset = text_in(json, "options", "preset");
    int figure = strcmp(preset, "paper-real") == 0 ? 4 : strcmp(preset, "paper-sim") == 0 ? 5 : 0;
    *load = readback_number(json, figure == 4 ? "selection.jobs" : "selection.load");
    return isnan(*load) ? 0 : figure;
}

bool paper_is_at(const FoundRun *run, int figure, double load, Arena *arena, Err *err)
{
    cJSON *json = readback_json(run_file(run, "run.json", arena), arena, err);
    const char *part;
    double its_load;
    bool is_at = json && figure_of(json, &its_load) == figure && its_load == load && find_part(json, &part) && !part;
    cJSON_Delete(json);
    return is_at;
}

/* Where a run belongs; two there, such as those of two models, are no two seeds. */
typedef struct Spot {
    const FoundRun *run;
    int figure;
    double load;
    const char *part;
} Spot;

static bool is_alone(const Spot spot[], int n, const Spot *added, Err *err)
{
    for (int i = 0; i < n; i++) {
        const Spot *s = &spot[i];
        if (s->figure == added->figure && s->load == added->load && s->part == added->part &&
            s->run->seed == added->run->seed &&
            strcmp(paper_policy(s->run->policy), paper_policy(added->run->policy)) == 0)
            return err_set(err, ERR_USAGE,
                           "%s and %s are the same policy, load and seed with other parameters; give one of them",
                           s->run->folder, added->run->folder);
    }
    return true;
}

static bool enter_run(PaperTable *table, const FoundRun *run, Spot spot[], int *n_spots, Err *err)
{
    cJSON *json = readback_json(run_file(run, "run.json", table->arena), table->arena, err);
    if (!json) return false;
    const char *part, *policy = paper_policy(run->policy);
    double load;
    int figure = figure_of(json, &load);
    bool fine = true;
    if (figure && find_part(json, &part)) {
        Spot *its = &spot[(*n_spots)++];
        *its = (Spot){run, figure, load, part};
        fine = is_alone(spot, *n_spots - 1, its, err);
        cJSON *summary = fine ? readback_json(run_file(run, "summary.json", table->arena), table->arena, err) : NULL;
        cJSON *overhead = fine ? readback_json(run_file(run, "overhead.json", table->arena), table->arena, err) : NULL;
        fine = summary && overhead;
        if (fine && figure == 4) enter_ablations(table, run, part, load, summary);
        for (const Metric *m = metrics; fine && !part && m->panel; m++)
            enter_ours(table, value_at(table, figure, m->panel, load, policy),
                       readback_number(m->overhead ? overhead : summary, m->key) * m->scale *
                           (figure == 5 && strcmp(m->panel, "g") == 0 ? 0.001 : 1)); /* petabytes */
        cJSON_Delete(summary);
        cJSON_Delete(overhead);
    }
    cJSON_Delete(json);
    return fine;
}

bool paper_gather(PaperTable *table, const RunSet *set, Arena *arena, Err *err)
{
    *table = (PaperTable){.set = set, .arena = arena};
    enter_paper(table);
    Spot *spot = NEW_ARRAY(arena, Spot, set->n);
    int n_spots = 0;
    for (int r = 0; r < set->n; r++)
        if (!enter_run(table, &set->run[r], spot, &n_spots, err)) return false;
    for (int i = 0; i < table->n; i++)
        if (table->value[i].n_ours) return true;
    return err_set(err, ERR_DATA, "%s: no run of the preset paper-real or paper-sim, so there is nothing to compare",
                   set->run[0].folder);
}

double paper_median(const PaperValue *value, Arena *arena)
{
    return statistic_of(500, value->ours, value->n_ours, arena);
}
