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
    if (!plot_jct_cdf(&set, at(&arena, "figures/new"), &arena, &err)) fail_msg("%s", err.text);
    assert_string_equal(content(&arena, at(&arena, "figures/new/jct_cdf.dat")),
                        arena_format(&arena,
                                     "# jct_s share: this share of the completed jobs took no longer than that\n"
                                     "# fifo (%s), jobs: 4\n0 0.25\n60 0.75\n7200.5 1\n\n\n"
                                     "# srtf, jobs: 4\n0 0.25\n30 0.5\n60 0.75\n7200 1\n\n\n"
                                     "# fifo (%s), jobs: 1\n10 1\n\n\n"
                                     "# mine's, jobs: 1\n20 1\n",
                                     at(&arena, "runs/fifo"), at(&arena, "other/fifo")));
    const char *png = content(&arena, at(&arena, "figures/new/jct_cdf.png"));
    assert_memory_equal(png, "\x89PNG\r\n", 6);
    const char *svg = content(&arena, at(&arena, "figures/new/jct_cdf.svg"));
    assert_non_null(strstr(svg, "Job completion time"));
    assert_non_null(strstr(svg, "mine's"));
    assert_non_null(strstr(svg, "</svg>"));
    for (const char *const *colour = (const char *const[]){"rgb(  0, 114, 178)", "rgb(  0,   0,   0)", NULL}; *colour;
         colour++)
        assert_non_null(strstr(svg, *colour)); /* srtf blue, fifo black */

    /* Drawing again gives the same bytes. */
    assert_true(plot_jct_cdf(&set, at(&arena, "figures/again"), &arena, &err));
    assert_string_equal(content(&arena, at(&arena, "figures/again/jct_cdf.svg")), svg);
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
    assert_false(plot_jct_cdf(&set, at(&arena, "bare"), &arena, &err));
    assert_int_equal(err.kind, ERR_MACHINE);
    assert_non_null(strstr(err.text, "apt-get install gnuplot-nox"));
    assert_true(exists(at(&arena, "bare/jct_cdf.dat")) && exists(at(&arena, "bare/jct_cdf.gp")));
    assert_false(exists(at(&arena, "bare/jct_cdf.png")) || exists(at(&arena, "bare/jct_cdf.svg")));

    /* One that fails half-way: its complaint is told, no picture stays. */
    put_file(&arena, at(&arena, "gnuplot"),
             "#!/bin/sh\necho x > jct_cdf.png\necho '\"jct_cdf.gp\" line 7: no such colour' >&2\nexit 1\n");
    chmod(at(&arena, "gnuplot"), 0755);
    err = (Err){0};
    assert_false(plot_jct_cdf(&set, at(&arena, "bare"), &arena, &err));
    assert_non_null(strstr(err.text, "line 7: no such colour"));
    assert_false(exists(at(&arena, "bare/jct_cdf.png")));
    setenv("PATH", path, 1);

    put_run(&arena, "none/fifo", "fifo", 0, 9, (const char *const[]){"", NULL});
    set = (RunSet){0};
    err = (Err){0};
    assert_true(runset_add(&set, at(&arena, "none"), &arena, &err));
    assert_false(plot_jct_cdf(&set, at(&arena, "bare"), &arena, &err));
    assert_int_equal(err.kind, ERR_DATA);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_merge_ties_and_end_at_one),      cmocka_unit_test(thinning_keeps_points_of_the_curve),
        cmocka_unit_test(runs_are_found_in_name_order),         cmocka_unit_test(the_figure_is_drawn_from_the_files),
        cmocka_unit_test(without_gnuplot_data_and_script_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
