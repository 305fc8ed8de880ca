/* tests/unit_paper.c -- runs find their figure by their run.json; the paper's own order of policies has tau 1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sim/report/paper.h"
#include "sim/report/readback.h"
#include "tests/madeupruns.h"

/* A run of a paper's preset with one part of MLF-H switched off (NULL: none). */
static void put_paper_run(Arena *arena, const char *preset, const char *policy, const char *off, int jobs, double load,
                          int seed, double jct_s)
{
    const char *name =
        arena_format(arena, "paper/%s-%d-%g-%s/%s/seed-%d", preset, jobs, load, off ? off : "full", policy, seed);
    const char *dir = put_run_json(arena, name, policy, seed, "aa", 0, 9);
    put_file(arena, arena_format(arena, "%s/run.json", dir),
             arena_format(arena,
                          "{\"policy\": \"%s\", \"seed\": %d, \"workload_hash\": \"aa\", \"complete\": true, "
                          "\"selection\": {\"measure_first\": 0, \"measure_last\": 9, \"jobs\": %d, \"load\": %g}, "
                          "\"options\": {\"preset\": \"%s\"}, \"parameters\": {\"mlf_h.urgency\": \"1\"%s}}",
                          policy, seed, jobs, load, preset, off ? arena_format(arena, ", \"%s\": \"0\"", off) : ""));
    put_file(arena, arena_format(arena, "%s/summary.json", dir),
             arena_format(arena,
                          "{\"jct_s\": {\"mean\": %g}, \"wait_s\": {\"mean\": 60}, \"deadline_met\": 0.5, "
                          "\"bandwidth_bytes\": 2e15, \"overloads\": 7}",
                          jct_s));
    put_file(arena, arena_format(arena, "%s/overhead.json", dir), "{\"round_us\": {\"mean\": 250}}");
    put_file(arena, arena_format(arena, "%s/jobs.csv", dir),
             "job_id,n_gpus,vc,state,jct_s,wait_s,fairness\na,1,,completed,60,0,1\nb,1,,completed,600,0,1\n");
}

static const PaperValue *value_of(const PaperTable *table, int figure, const char *panel, double load,
                                  const char *policy)
{
    for (int i = 0; i < table->n; i++) {
        const PaperValue *v = &table->value[i];
        if (v->figure == figure && v->load == load && strcmp(v->panel, panel) == 0 && strcmp(v->policy, policy) == 0)
            return v;
    }
    fail_msg("no value %d%s %s", figure, panel, policy);
    return NULL;
}

static void runs_find_their_figure(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    PaperTable table;
    const double minutes[] = {40, 35, 37};
    for (int seed = 1; seed <= 3; seed++)
        put_paper_run(&arena, "paper-real", "mlf-h", NULL, 155, 1, seed, 60 * minutes[seed - 1]);
    put_paper_run(&arena, "paper-real", "mlf-h", "mlf_h.bandwidth", 155, 1, 1, 60 * 41);
    put_paper_run(&arena, "paper-real", "mlf-h-c", NULL, 155, 1, 1, 60 * 20);
    put_paper_run(&arena, "paper-real", "tiresias-g", NULL, 155, 1, 1, 60 * 39);
    put_paper_run(&arena, "paper-real", "slaq", NULL, 155, 1, 1, 60 * 45);
    put_paper_run(&arena, "paper-real", "fifo", NULL, 155, 1, 1, 60 * 3000);
    put_paper_run(&arena, "paper-sim", "slaq", NULL, 4000, 0.5, 1, 60 * 45);
    put_paper_run(&arena, "plain", "slaq", NULL, 155, 1, 1, 1);
    assert_true(runset_add(&set, at(&arena, "paper"), &arena, &err));
    if (!paper_gather(&table, &set, &arena, &err)) fail_msg("%s", err.text);

    const PaperValue *v = value_of(&table, 4, "b", 155, "mlf-h");
    assert_true(v->paper == 33.6 && v->n_ours == 3 && paper_median(v, &arena) == 37);
    v = value_of(&table, 4, "b", 155, "tiresias");
    assert_true(v->paper == 35.3 && v->n_ours == 1 && v->ours[0] == 39);
    v = value_of(&table, 4, "b", 155, "mlf-h-c");
    assert_true(isnan(v->paper) && v->ours[0] == 20);
    assert_true(value_of(&table, 4, "h", 155, "slaq")->ours[0] == 0.25); /* 250 us in ms */
    assert_true(value_of(&table, 4, "g", 155, "slaq")->ours[0] == 2000 &&
                value_of(&table, 5, "g", 0.5, "slaq")->ours[0] == 2);
    v = value_of(&table, 7, "b", 155, "with");
    assert_true(v->paper == 30.2 && v->n_ours == 3);
    v = value_of(&table, 7, "b", 155, "without");
    assert_true(v->paper == 36.3 && v->n_ours == 1 && v->ours[0] == 41);
    assert_true(value_of(&table, 9, "b", 155, "with")->ours[0] == 20 &&
                value_of(&table, 9, "b", 155, "without")->n_ours == 3);
    assert_true(value_of(&table, 6, "a", 155, "without")->n_ours == 0);
    assert_true(value_of(&table, 4, "b", 1860, "slaq")->paper == 106 &&
                value_of(&table, 5, "b", 4, "mlfs")->paper == 81.8);

    Drawn drawn = {.n = 0};
    if (!plot_paper(&set, at(&arena, "drawn"), &drawn, &arena, &err)) fail_msg("%s", err.text);
    for (int i = 0; i < drawn.n; i++)
        for (const char *const *kind = (const char *const[]){"png", "svg", "pdf", NULL}; *kind; kind++)
            assert_true(exists(at(&arena, arena_format(&arena, "drawn/%s.%s", drawn.name[i], *kind))));
    assert_string_equal(drawn.name[0], "fig4a");
    const char *csv = content(&arena, at(&arena, "drawn/paper.csv"));
    /* Ours: mlf-h 37, tiresias 39, slaq 45, the paper's order. */
    assert_non_null(strstr(csv, "\n4,b,155,mlf-h,33.6,37,35.0"));
    assert_non_null(strstr(csv, "\n7,b,155,without,36.3,41,41,41,1,\n"));
    assert_non_null(strstr(csv, "\n4,b,155,slaq,53.3,45,45,45,1,1\n"));
    assert_null(strstr(csv, "\n4,b,310,")); /* no run */
    assert_null(strstr(csv, "\n6,"));       /* one side only */
    assert_false(exists(at(&arena, "drawn/fig6a.gp")));
    assert_non_null(strstr(content(&arena, at(&arena, "drawn/fig4b.svg")), "τ 1.00"));
    /* From 20 to 3000 minutes; shares; what is alike. */
    assert_non_null(strstr(content(&arena, at(&arena, "drawn/fig4b.gp")), "\nbottom = 10\ntop = 10000\n"));
    assert_non_null(strstr(content(&arena, at(&arena, "drawn/fig4c.gp")), "\nbottom = 0\ntop = 1.01\n"));
    assert_non_null(strstr(content(&arena, at(&arena, "drawn/fig4d.gp")), "\nbottom = 0\ntop = 0\n"));
    arena_free(&arena);
}

static void other_presets_are_told(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    Drawn drawn = {.n = 0};
    put_run(&arena, "none/fifo", "fifo", 0, 9, (const char *const[]){"60", NULL});
    assert_true(runset_add(&set, at(&arena, "none"), &arena, &err));
    assert_false(plot_paper(&set, at(&arena, "nothing"), &drawn, &arena, &err));
    assert_non_null(strstr(err.text, "no run of the preset paper-real or paper-sim"));
    arena_free(&arena);
}

static void one_policy_twice_is_refused(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    PaperTable table;
    put_paper_run(&arena, "paper-real", "slaq", NULL, 310, 1, 1, 60);
    put_paper_run(&arena, "paper-real", "slaq", NULL, 310, 1, 2, 60);
    assert_true(runset_add(&set, at(&arena, "paper/paper-real-310-1-full"), &arena, &err));
    if (!paper_gather(&table, &set, &arena, &err)) fail_msg("%s", err.text);
    put_paper_run(&arena, "paper-real", "slaq", "trace.lenient", 310, 1, 2, 90);
    assert_true(runset_add(&set, at(&arena, "paper/paper-real-310-1-trace.lenient"), &arena, &err));
    assert_false(paper_gather(&table, &set, &arena, &err));
    assert_non_null(strstr(err.text, "/seed-2 are the same policy, load and seed with other parameters"));
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_find_their_figure),
                                       cmocka_unit_test(other_presets_are_told),
                                       cmocka_unit_test(one_policy_twice_is_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
