/* tests/unit_plot.c -- finding runs, cumulative distributions, and the figure that gnuplot draws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sim/base/rng.h"
#include "sim/report/plot.h"
#include "sim/report/policystyle.h"
#include "sim/report/stats.h"
#include "tests/madeupruns.h"

static void steps_merge_ties_and_end_at_one(void **state)
{
    (void)state;
    SimTime time[] = {0, 0, 3, 5, 5, 5, 9};
    CdfStep step[7];
    assert_int_equal(cdf_steps(time, 7, step), 4);
    assert_true(step[0].at == 0 && step[0].share == 2.0 / 7);
    assert_true(step[1].at == 3 && step[1].share == 3.0 / 7);
    assert_true(step[2].at == 5 && step[2].share == 6.0 / 7);
    assert_true(step[3].at == 9 && step[3].share == 1);
    assert_int_equal(cdf_steps(time, 0, step), 0);
    assert_int_equal(cdf_thin(step, 4, 1000), 4); /* short ones stay whole */
}

static void thinning_keeps_points_of_the_curve(void **state)
{
    (void)state;
    enum { N = 50000, MOST = 1000 };
    Arena arena = {0};
    SimTime *time = NEW_ARRAY(&arena, SimTime, N);
    CdfStep *all = NEW_ARRAY(&arena, CdfStep, N), *thin = NEW_ARRAY(&arena, CdfStep, N);
    Rng rng;
    rng_open(&rng, 1, "test", 0);
    for (int i = 0; i < N; i++) time[i] = time_from_seconds(exp(12 * rng_uniform(&rng)) - 1);
    time[0] = time[1] = 0;
    sort_integers(time, N, NEW_ARRAY(&arena, int64_t, N));
    int64_t n_all = cdf_steps(time, N, all);
    memcpy(thin, all, (size_t)n_all * sizeof *all);
    int64_t n = cdf_thin(thin, n_all, MOST);
    assert_true(n <= MOST && n > MOST / 3);
    assert_true(thin[0].at == 0 && thin[n - 1].share == 1);
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        while (k < n_all && all[k].at < thin[i].at) k++;
        assert_true(k < n_all && all[k].at == thin[i].at && all[k].share == thin[i].share);
        if (i) assert_true(thin[i].share - thin[i - 1].share < 0.005);
    }
    arena_free(&arena);
}

static void runs_are_found_in_name_order(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    put_run(&arena, "found/srtf", "srtf", 1, 3, (const char *const[]){"9", "5", "", "7", NULL});
    put_run(&arena, "found/fifo/seed-1", "fifo", 0, 9, (const char *const[]){"1", NULL});
    put_run(&arena, "found/fifo/seed-2", "fifo", 0, 9, (const char *const[]){"2", NULL});
    put_run(&arena, "found/.fifo.tmp.1", "fifo", 0, 9, (const char *const[]){"3", NULL});
    assert_true(make_folders(at(&arena, "found/empty"), &err));
    assert_true(runset_add(&set, at(&arena, "found/"), &arena, &err));
    assert_int_equal(set.n, 3);
    assert_string_equal(set.run[0].folder, at(&arena, "found/fifo/seed-1"));
    assert_string_equal(set.run[0].group, at(&arena, "found/fifo"));
    assert_string_equal(set.run[1].group, at(&arena, "found/fifo"));
    assert_string_equal(set.run[2].policy, "srtf");
    assert_string_equal(set.run[2].group, set.run[2].folder);

    int64_t n;
    SimTime *jct = run_read_jcts(&set.run[2], &arena, &n, &err);
    assert_non_null(jct);
    assert_int_equal(n, 1); /* job 1; job 2 did not complete, jobs 0 and 3 are not measured */
    assert_int_equal(jct[0], 5 * TIME_SECOND);

    assert_false(runset_add(&set, at(&arena, "found/empty"), &arena, &err));
    assert_int_equal(err.kind, ERR_USAGE);
    err = (Err){0};
    assert_false(runset_add(&set, at(&arena, "absent"), &arena, &err));
    assert_int_equal(err.kind, ERR_USAGE);

    put_file(&arena, at(&arena, "found/srtf/jobs.csv"), "job_id,jct_s\na,1\nb,x\n");
    err = (Err){0};
    assert_null(run_read_jcts(&set.run[2], &arena, &n, &err));
    assert_int_equal(err.kind, ERR_DATA);
    assert_non_null(strstr(err.text, "found/srtf/jobs.csv:3:3: "));
    put_file(&arena, at(&arena, "found/srtf/jobs.csv"), "job_id,wait_s\na,1\n");
    err = (Err){0};
    assert_null(run_read_jcts(&set.run[2], &arena, &n, &err));
    assert_int_equal(err.kind, ERR_DATA);
    put_file(&arena, at(&arena, "found/srtf/run.json"), "{\"policy\": ");
    err = (Err){0};
    assert_false(runset_add(&set, at(&arena, "found/srtf"), &arena, &err));
    assert_int_equal(err.kind, ERR_DATA);
    arena_free(&arena);
}

static void same_bytes(Arena *arena, const char *name)
{
    const char *command =
        arena_format(arena, "cd %s/figures && { test ! -e new/%s && test ! -e again/%s || cmp new/%s again/%s; }",
                     folder, name, name, name, name);
    if (system(command) != 0) fail_msg("%s differs", name);
}

static bool draw(const RunSet *set, const char *dir, Arena *arena, Err *err)
{
    Drawn drawn = {.n = 0};
    return plot_distributions(set, dir, &drawn, arena, err) && plot_cluster_use(set, dir, &drawn, arena, err);
}

static void the_figure_is_drawn_from_the_files(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    put_run(&arena, "runs/fifo", "fifo", 0, 9, (const char *const[]){"0", "60", "60", "7200.5", NULL});
    put_run(&arena, "runs/srtf", "srtf", 0, 9, (const char *const[]){"0", "60", "30", "7200", NULL});
    put_run(&arena, "other/fifo", "fifo", 0, 9, (const char *const[]){"10", NULL});
    put_run(&arena, "other/mine's", "mine's", 0, 9, (const char *const[]){"20", NULL});
    assert_true(runset_add(&set, at(&arena, "runs"), &arena, &err) &&
                runset_add(&set, at(&arena, "other"), &arena, &err));
    if (!draw(&set, at(&arena, "figures/new"), &arena, &err)) fail_msg("%s", err.text);
    assert_string_equal(content(&arena, at(&arena, "figures/new/jct_cdf.dat")),
                        "# jct_s share: this share of the completed jobs took no longer than that\n"
                        "# fifo (runs), jobs: 4\n0 0.25\n60 0.75\n7200.5 1\n\n\n"
                        "# srtf, jobs: 4\n0 0.25\n30 0.5\n60 0.75\n7200 1\n\n\n"
                        "# fifo (other), jobs: 1\n10 1\n\n\n"
                        "# mine's, jobs: 1\n20 1\n");
    assert_string_equal(content(&arena, at(&arena, "figures/new/jct_cdf_by_size.dat")),
                        "# jct_s share: this share of the completed jobs took no longer than that\n"
                        "# 1 GPU: fifo (runs), jobs: 2\n0 0.5\n60 1\n\n\n"
                        "# 1 GPU: srtf, jobs: 2\n0 0.5\n60 1\n\n\n"
                        "# 1 GPU: fifo (other), jobs: 1\n10 1\n\n\n"
                        "# 1 GPU: mine's, jobs: 1\n20 1\n\n\n"
                        "# 2-4 GPUs: fifo (runs), jobs: 2\n60 0.5\n7200.5 1\n\n\n"
                        "# 2-4 GPUs: srtf, jobs: 2\n30 0.5\n7200 1\n");
    /* Over time: 100 seconds with 1 busy, then 300 with 3; the queue 2 and 0. */
    const char *use = content(&arena, at(&arena, "figures/new/cluster_use.dat"));
    assert_non_null(strstr(use, "# GPUs busy: fifo (runs)\n0 1\n1 1\n"));
    assert_non_null(strstr(use, "\n99 1\n100 3\n"));
    assert_non_null(strstr(use, "\n399 3\n400 3\n\n\n# GPUs busy: srtf\n"));
    assert_non_null(strstr(use, "# Jobs waiting: fifo (runs)\n0 2\n"));

    const char *png = content(&arena, at(&arena, "figures/new/jct_cdf.png"));
    assert_memory_equal(png, "\x89PNG\r\n", 6);
    assert_memory_equal(content(&arena, at(&arena, "figures/new/jct_cdf.pdf")), "%PDF", 4);
    const char *svg = content(&arena, at(&arena, "figures/new/jct_cdf.svg"));
    assert_non_null(strstr(svg, "Job completion time"));
    assert_non_null(strstr(svg, "mine's"));
    assert_non_null(strstr(svg, "</svg>"));
    for (const char *const *colour = (const char *const[]){"rgb(  0, 114, 178)", "rgb(  0,   0,   0)", NULL}; *colour;
         colour++)
        assert_non_null(strstr(svg, *colour)); /* srtf blue, fifo black */

    /* Drawing again gives the same bytes. */
    assert_true(draw(&set, at(&arena, "figures/again"), &arena, &err));
    static const char *const names[] = {"jct_cdf", "jct_cdf_by_size", "jct_cdf_by_vc", "fairness", "cluster_use", NULL};
    for (const char *const *name = names; *name; name++)
        for (const char *const *kind = (const char *const[]){"png", "svg", "dat", "gp", NULL}; *kind; kind++)
            same_bytes(&arena, arena_format(&arena, "%s.%s", *name, *kind));
    arena_free(&arena);
}

/* Three policies: zeros and ties; one job; nothing but zeros, of which one class has none. */
static void odd_distributions_draw_without_a_word(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    put_run(&arena, "odd/fifo", "fifo", 0, 9, (const char *const[]){"0", "0", "5", "5", "5", NULL});
    put_run(&arena, "odd/sjf", "sjf", 0, 9, (const char *const[]){"3600", NULL});
    put_run(&arena, "odd/srtf", "srtf", 0, 9, (const char *const[]){"0", "0", NULL});
    assert_true(runset_add(&set, at(&arena, "odd"), &arena, &err));
    if (!draw(&set, at(&arena, "odd figures"), &arena, &err)) fail_msg("%s", err.text);
    const char *data = content(&arena, at(&arena, "odd figures/jct_cdf.dat"));
    assert_non_null(strstr(data, "fifo, jobs: 5\n0 0.4\n5 1\n"));
    assert_non_null(strstr(data, "sjf, jobs: 1\n3600 1\n"));
    assert_non_null(strstr(data, "srtf, jobs: 2\n0 1\n"));
    static const char *const names[] = {"jct_cdf", "jct_cdf_by_size", "jct_cdf_by_vc", "fairness", "cluster_use", NULL};
    for (const char *const *name = names; *name; name++) {
        const char *command = arena_format(&arena, "cd '%s' && gnuplot -d %s.gp >said 2>&1 && test ! -s said",
                                           at(&arena, "odd figures"), *name);
        if (strcmp(*name, "jct_cdf_by_vc") == 0) continue; /* nobody is in one */
        if (system(command) != 0) fail_msg("%s: %s", *name, content(&arena, at(&arena, "odd figures/said")));
    }
    arena_free(&arena);
}

/* A policy and a virtual cluster with all that could end a string, a line, a text or an element. */
static void hostile_names_are_text(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    char *longest = NEW_ARRAY(&arena, char, 10001);
    memset(longest, 'x', 10000);
    const char *names[] = {
        "a'b`c$d@e_f^{g}\\n%s", "</script><b>&amp;\"\"", "line\nend,\r\ttab", longest, "\xff\xc3 caf\xc3\xa9", NULL};
    const char *rows = "job_id,n_gpus,vc,state,jct_s,wait_s,fairness\n";
    for (const char **name = names; *name; name++) {
        const char *quoted = "";
        for (const char *c = *name; *c; c++)
            if (*name != longest) quoted = arena_format(&arena, "%s%s%c", quoted, *c == '"' ? "\"" : "", *c);
        rows = arena_format(&arena, "%sj,1,\"%s\",completed,10,0,1\n", rows, *name == longest ? longest : quoted);
    }
    const char *dir = put_run_json(&arena, "hostile/one", names[0], 1, "aa", 0, 99);
    put_file(&arena, arena_format(&arena, "%s/jobs.csv", dir), rows);
    put_file(&arena, arena_format(&arena, "%s/timeline.csv", dir), timeline);
    assert_true(runset_add(&set, at(&arena, "hostile"), &arena, &err));
    if (!draw(&set, at(&arena, "hostile figures"), &arena, &err)) fail_msg("%s", err.text);
    const char *svg = content(&arena, at(&arena, "hostile figures/jct_cdf_by_vc.svg"));
    assert_non_null(strstr(svg, "a'b`c$d@e_f^{g}\\n%s"));
    assert_non_null(strstr(svg, "VC &lt;/script>&lt;b>&amp;amp;"));
    assert_non_null(strstr(svg, "VC xxxxxxxx"));
    assert_non_null(strstr(svg, "VC ?? caf\xc3\xa9"));
    arena_free(&arena);
}

static void training_is_drawn_column_by_column(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Drawn drawn = {.n = 0};
    const char *path[] = {at(&arena, "curve.csv")};
    put_file(&arena, path[0],
             "phase,step,loss,entropy,agreement,decisions,reward,reward_mlf_h,spread,load,start_s,check\n"
             "imitate,0,2.5,,0.5,10,,,,1,0,\nimitate,1,1.5,,,10,,,,1,0,\nreinforce,0,0.25,1,,10,-5,-6,,1,0,\n");
    if (!plot_training(path, 1, at(&arena, "trained"), &drawn, &arena, &err)) fail_msg("%s", err.text);
    assert_string_equal(content(&arena, at(&arena, "trained/training.dat")),
                        "# step of the phase, value\n"
                        "# imitate: loss: curve.csv\n0 2.5\n1 1.5\n\n\n# imitate: agreement: curve.csv\n0 0.5\n\n\n"
                        "# reinforce: loss: curve.csv\n0 0.25\n\n\n# reinforce: entropy: curve.csv\n0 1\n\n\n"
                        "# reinforce: reward: curve.csv\n0 -5\n\n\n# reinforce: reward_mlf_h: curve.csv\n0 -6\n");
    assert_true(drawn.n == 1 && exists(at(&arena, "trained/training.pdf")));
    put_file(&arena, path[0], "iteration\n0\n");
    assert_false(plot_training(path, 1, at(&arena, "trained"), &drawn, &arena, &err));
    assert_int_equal(err.kind, ERR_DATA);
    arena_free(&arena);
}

static void without_gnuplot_data_and_script_stay(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    put_run(&arena, "one/fifo", "fifo", 0, 9, (const char *const[]){"60", "61", NULL});
    assert_true(runset_add(&set, at(&arena, "one"), &arena, &err));
    const char *path = arena_format(&arena, "%s", getenv("PATH"));
    setenv("PATH", folder, 1);
    assert_false(draw(&set, at(&arena, "bare"), &arena, &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_non_null(strstr(err.text, "apt-get install gnuplot-nox"));
    assert_true(exists(at(&arena, "bare/jct_cdf.dat")) && exists(at(&arena, "bare/jct_cdf.gp")));
    assert_false(exists(at(&arena, "bare/jct_cdf.png")) || exists(at(&arena, "bare/jct_cdf.svg")));

    /* One that fails half-way: its complaint is told, no picture stays. */
    put_file(&arena, at(&arena, "gnuplot"),
             "#!/bin/sh\necho x > jct_cdf.png\necho '\"jct_cdf.gp\" line 7: no such colour' >&2\nexit 1\n");
    chmod(at(&arena, "gnuplot"), 0755);
    err = (Err){0};
    assert_false(draw(&set, at(&arena, "bare"), &arena, &err));
    assert_non_null(strstr(err.text, "line 7: no such colour"));
    assert_false(exists(at(&arena, "bare/jct_cdf.png")));
    setenv("PATH", path, 1);

    put_run(&arena, "none/fifo", "fifo", 0, 9, (const char *const[]){"", NULL});
    set = (RunSet){0};
    err = (Err){0};
    assert_true(runset_add(&set, at(&arena, "none"), &arena, &err));
    assert_false(draw(&set, at(&arena, "bare"), &arena, &err));
    assert_int_equal(err.kind, ERR_DATA);
    arena_free(&arena);
}

/* Pages take their colours from the style of the figures. */
static void styles_are_those_of_the_figures(void **state)
{
    (void)state;
    PolicyStyle fifo = policy_style("fifo", 0), srtf = policy_style("srtf", 0), mlfs = policy_style("mlfs", 0);
    assert_string_equal(fifo.colour, "#000000"); /* by its word, black */
    assert_string_equal(srtf.colour, "#0072B2");
    assert_true(!srtf.dashed && !srtf.thick && mlfs.thick);
    assert_string_equal(mlfs.colour, "#D55E00");
    assert_string_equal(policy_style("mlf-rl", 0).colour, "#EE9259"); /* a tint */
    assert_string_equal(policy_style("mlf-h", 0).colour, "#8A3B00");  /* a shade */
    assert_true(policy_style("borg", 0).dashed);
    assert_string_equal(policy_style("srtf", 1).colour, "#00375A"); /* a second one */
    assert_int_equal(policy_style("nobody's", 0).colour[0], '#');   /* a name that could not stand in the style */
    int unlisted = policy_style_unlisted("a policy of mine");
    assert_true(unlisted >= 10 && unlisted < 90 && unlisted % 10 < 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_merge_ties_and_end_at_one),
        cmocka_unit_test(thinning_keeps_points_of_the_curve),
        cmocka_unit_test(runs_are_found_in_name_order),
        cmocka_unit_test(odd_distributions_draw_without_a_word),
        cmocka_unit_test(hostile_names_are_text),
        cmocka_unit_test(styles_are_those_of_the_figures),
        cmocka_unit_test(training_is_drawn_column_by_column),
        cmocka_unit_test(the_figure_is_drawn_from_the_files),
        cmocka_unit_test(without_gnuplot_data_and_script_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
