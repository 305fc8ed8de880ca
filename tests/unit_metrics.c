/* tests/unit_metrics.c -- the numbers of a summary, on runs worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/report/metrics.h"
#include "tests/handmade.h"

static Metrics all_of(HandRun *run)
{
    return metrics_of(&run->result, &run->workload, &run->cluster, MEASURE_ALL, &run->arena);
}

static void check_sums(const Metrics *m)
{
    int64_t states = 0, measured = 0, completed = 0;
    for (int s = 0; s < N_REPORT_STATES; s++) states += m->state[s];
    for (int c = 0; c < N_SIZE_CLASSES; c++) {
        measured += m->by_size[c].measured;
        completed += m->by_size[c].completed;
    }
    assert_int_equal(states, m->submitted);
    assert_int_equal(measured, m->measured);
    assert_int_equal(completed, m->jct.n);
}

static void u21_makespan_counts_from_first_submission(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 2, (HandJob[]){{"a", 1000, 2, 50, 1000, 1050, 0}, {"b", 1010, 2, 30, 1050, 1080, 0}}, 2, -1);
    Metrics m = all_of(&run);
    assert_int_equal(m.makespan, hand_time(80));
    assert_true(m.jct.mean == 60);
    check_sums(&m);
    arena_free(&run.arena);
}

static void u25_nothing_completed(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, -1, 0}}, 1, 5);
    Metrics m = all_of(&run);
    assert_int_equal(m.submitted, 1);
    assert_int_equal(m.state[STATE_COMPLETED], 0);
    assert_int_equal(m.state[STATE_RUNNING], 1);
    assert_int_equal(m.state[STATE_QUEUED], 0);
    assert_int_equal(m.jct.n, 0);
    assert_true(isnan(m.jct.mean) && isnan(m.jct_below_100min) && isnan(m.deadline_met));
    assert_int_equal(m.makespan, TIME_NEVER);
    assert_true(m.wait.n == 1 && m.wait.mean == 0 && m.gpu_allocation == 1);
    check_sums(&m);
    arena_free(&run.arena);
}

static void u39_offered_load_and_backlog(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 1,
              (HandJob[]){{"a", 0, 1, 100, 0, 100, 0},
                          {"b", 1, 1, 100, 100, 200, 0},
                          {"c", 2, 1, 100, 200, 300, 0},
                          {"d", 3, 1, 100, 300, 400, 0}},
              4, -1);
    Metrics m = all_of(&run);
    assert_true(m.jct.mean == 248.5 && m.jct.max == 397);
    assert_int_equal(m.makespan, hand_time(400));
    assert_true(m.offered_load == 400.0 / 3);
    assert_true(m.backlog == (WideTime)hand_time(397));
    arena_free(&run.arena);

    /* One instant of arrivals has no rate; a run cut before the last arrival has no backlog there. */
    hand_make(&run, 1, 1, (HandJob[]){{"a", 5, 1, 10, 5, 15, 0}}, 1, -1);
    m = all_of(&run);
    assert_true(isnan(m.offered_load) && m.backlog == (WideTime)hand_time(10));
    arena_free(&run.arena);
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 10, 0, -1, 0}, {"b", 9, 1, 10, -1, -1, 0}}, 2, 5);
    m = all_of(&run);
    assert_true(m.backlog == -1);
    assert_int_equal(m.state[STATE_NOT_ARRIVED], 1);
    assert_int_equal(m.wait.n, 1);
    check_sums(&m);
    arena_free(&run.arena);
}

static void u41_measured_jobs_only(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 1,
              (HandJob[]){{"w0", 0, 1, 100, 0, 100, 0},
                          {"m1", 50, 1, 10, 100, 110, 0},
                          {"m2", 60, 1, 10, 110, 120, 0},
                          {"c1", 70, 1, 10, 120, 130, 0}},
              4, -1);
    Metrics m = all_of(&run);
    assert_true(m.jct.mean == 70 && m.measured == 4);
    m = metrics_of(&run.result, &run.workload, &run.cluster, (Measure){1, 3}, &run.arena);
    assert_true(m.jct.mean == 60 && m.jct.n == 2 && m.measured == 2 && m.submitted == 4);
    assert_int_equal(m.state[STATE_COMPLETED], 4);
    assert_int_equal(m.makespan, hand_time(130));
    assert_true(m.gpu_allocation == 1);
    check_sums(&m);
    Measure late = measure_by_submit(&run.workload, hand_time(50), TIME_NEVER);
    m = metrics_of(&run.result, &run.workload, &run.cluster, late, &run.arena);
    assert_true(m.jct.mean == 60 && m.measured == 3);
    late = measure_by_submit(&run.workload, hand_time(51), hand_time(70)); /* half open */
    assert_true(late.first == 2 && late.last == 3);
    arena_free(&run.arena);
}

static void u43_allocation_is_time_weighted(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 4, (HandJob[]){{"a", 0, 2, 10, 0, 10, 0}, {"b", 20, 4, 5, 20, 25, 0}}, 2, -1);
    Metrics m = all_of(&run);
    assert_true(m.useful == (WideTime)hand_time(40));
    assert_int_equal(m.span, hand_time(25));
    assert_true(m.gpu_allocation == 0.40);
    arena_free(&run.arena);

    /* Cut at 22 s: the span ends there, and so does what is held. */
    hand_make(&run, 1, 4, (HandJob[]){{"a", 0, 2, 10, 0, 10, 0}, {"b", 20, 4, 5, 20, -1, 0}}, 2, 22);
    m = all_of(&run);
    assert_int_equal(m.span, hand_time(22));
    assert_true(m.gpu_allocation == 28.0 / 88);
    arena_free(&run.arena);
}

static void u47_deadlines(void **state)
{
    (void)state;
    HandRun run;
    hand_make(
        &run, 1, 1,
        (HandJob[]){{"a", 0, 1, 100, 0, 100, 100}, {"b", 0, 1, 50, 100, 150, 150}, {"c", 0, 1, 25, 150, 175, 100}}, 3,
        -1);
    Metrics m = all_of(&run);
    assert_true(m.deadline_met == 2.0 / 3); /* at equality: met */
    arena_free(&run.arena);
    hand_make(&run, 1, 1,
              (HandJob[]){{"a", 0, 1, 100, 0, 100, 100}, {"b", 0, 1, 50, 100, 150, 150}, {"c", 0, 1, 25, 150, -1, 100}},
              3, 160);
    m = all_of(&run);
    assert_true(m.deadline_met == 2.0 / 3); /* unfinished: stays in the denominator */
    arena_free(&run.arena);
}

static void u49_size_classes_lose_no_job(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 64, 64,
              (HandJob[]){{"a", 0, 1, 10, 0, 10, 0},
                          {"b", 0, 4, 10, 10, 20, 0},
                          {"c", 0, 8, 10, 20, 30, 0},
                          {"d", 0, 4096, 10, 30, 40, 0}},
              4, -1);
    Metrics m = all_of(&run);
    check_sums(&m);
    for (int c = 0; c < N_SIZE_CLASSES; c++) {
        assert_int_equal(m.by_size[c].measured, 1);
        assert_true(m.by_size[c].wait_mean_s == 10 * c && m.by_size[c].jct_mean_s == 10 * c + 10);
    }
    assert_true(m.wait.mean == 15);
    arena_free(&run.arena);
}

static void u51_tenths_stay_tenths(void **state)
{
    (void)state;
    HandRun run;
    HandJob jobs[10];
    static const char *const names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8", "j9"};
    for (int i = 0; i < 10; i++) jobs[i] = (HandJob){names[i], 0, 1, 1, i, i + 1, 0};
    hand_make(&run, 1, 1, jobs, 10, -1);
    for (int i = 0; i < 10; i++) { /* seconds become tenths */
        run.job[i].started /= 10;
        run.job[i].first_started /= 10;
        run.job[i].ended /= 10;
        run.job[i].attained /= 10;
    }
    run.result.last_end /= 10;
    run.result.stopped_at /= 10;
    run.result.gpu_time /= 10;
    Metrics m = all_of(&run);
    assert_true(m.jct.mean == 0.55 && m.gpu_allocation == 1);
    char text[TIME_TEXT];
    time_format(m.makespan, text);
    assert_string_equal(text, "1");
    arena_free(&run.arena);
}

static void u53_sums_beyond_32_and_64_bits(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 2474, (HandJob[]){{"a", 0, 2474, 1000000, 0, 1000000, 0}}, 1, -1);
    Metrics m = all_of(&run);
    assert_true(m.useful == (WideTime)2474000000 * TIME_SECOND);
    arena_free(&run.arena);
    hand_make(&run, 1, 2474, (HandJob[]){{"a", 0, 2474, 3000000000, 0, 3000000000, 0}}, 1, -1);
    m = all_of(&run);
    assert_true(m.jct.max == 3e9 && m.gpu_allocation == 1);
    assert_true(m.useful == (WideTime)3000000000 * 2474 * TIME_SECOND);
    arena_free(&run.arena);
}

/* Preempted for 30 s, then running again when the horizon comes: waits and service add up to the time in the system. */
static void waits_count_up_to_the_end_of_the_run(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 1, (HandJob[]){{"a", 0, 1, 100, 10, -1, 0}, {"b", 20, 1, 100, -1, -1, 0}}, 2, 90);
    run.job[0].attained = hand_time(25); /* 10 .. 35 */
    run.job[0].started = hand_time(65);  /* and again from 65 on */
    JobFigures a = job_figures(&run.result, 0);
    assert_int_equal(a.service, hand_time(50));
    assert_int_equal(a.wait, hand_time(40));
    assert_int_equal(a.wait_first, hand_time(10));
    assert_int_equal(a.jct, TIME_NEVER);
    JobFigures b = job_figures(&run.result, 1);
    assert_int_equal(b.wait, hand_time(70));
    assert_int_equal(b.service, 0);
    assert_int_equal(b.wait_first, TIME_NEVER);
    arena_free(&run.arena);
}

static void stopped_and_unschedulable_and_zero_seconds(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 4,
              (HandJob[]){{"zero", 0, 1, 0, 0, 0, 0},
                          {"stopped", 0, 1, 100, 0, 50, 0},
                          {"wide", 0, 9, 10, -1, -1, 20},
                          {"edge", 0, 1, 1500, 4500, 6000, 0},
                          {"late", 0, 1, 1501, 4500, 6001, 0}},
              5, -1);
    run.job[1].stop_reason = "accuracy";
    run.job[2].state = JOB_UNSCHEDULABLE;
    Metrics m = all_of(&run);
    check_sums(&m);
    assert_int_equal(m.state[STATE_COMPLETED], 4);
    assert_int_equal(m.stopped_early, 1);
    assert_int_equal(m.state[STATE_UNSCHEDULABLE], 1);
    assert_int_equal(m.slowdown.n, 3); /* a zero-second job has none */
    assert_true(m.slowdown.max == 4);
    assert_int_equal(m.wait.n, 4);
    assert_true(m.jct_below_100min == 0.75); /* 6000 s counts, 6001 s does not */
    assert_true(m.deadline_met == 0);        /* the job that never fits had one */
    arena_free(&run.arena);
}

/* Four GPUs.  a, 3 GPUs, lives 0-40 with b from 5 and c from 6 to 26: N = (40 + 35 + 20) / 40, its share of 4/N GPUs
 * would slow it down by 3 N/4 = 1.78125: rho = 1 / 1.78125.  b, 4 GPUs, lives 5-100.5 with a 35 s and c 20 s: N =
 * 150.5 / 95.5, rho = 95.5 / (60.5 N).  c never sees fewer than three, but 1/3 of the GPUs is more than it needs: rho =
 * 1.  d has nothing to do, and e did not end. */
static void finish_time_fairness_by_hand(void **state)
{
    (void)state;
    HandRun run;
    hand_make(&run, 1, 4,
              (HandJob[]){{"a", 0, 3, 40, 0, 40, 0},
                          {"b", 5, 4, 60, 40, 100, 0},
                          {"c", 6, 1, 20, 6, 26, 0},
                          {"d", 110, 1, 0, 110, 110, 0},
                          {"e", 110, 4, 50, 111, -1, 0}},
              5, 120);
    run.spec[1].duration = 60500000;
    run.job[1].ended = 100500000;
    run.job[1].attained = 60500000;
    Metrics m = all_of(&run);
    double a = 40 / (40 * (3 * (95 / 40.0) / 4)), b = 95.5 / (60.5 * (150.5 / 95.5)), c = 1;
    assert_true(fabs(m.fairness.max - b) < 1e-12 && b > 1);
    assert_true(fabs(m.fairness.mean - (a + b + c) / 3) < 1e-12);
    assert_true(m.fairness.unfair == 1.0 / 3);
    arena_free(&run.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u21_makespan_counts_from_first_submission),
        cmocka_unit_test(u25_nothing_completed),
        cmocka_unit_test(u39_offered_load_and_backlog),
        cmocka_unit_test(u41_measured_jobs_only),
        cmocka_unit_test(u43_allocation_is_time_weighted),
        cmocka_unit_test(u47_deadlines),
        cmocka_unit_test(u49_size_classes_lose_no_job),
        cmocka_unit_test(u51_tenths_stay_tenths),
        cmocka_unit_test(u53_sums_beyond_32_and_64_bits),
        cmocka_unit_test(waits_count_up_to_the_end_of_the_run),
        cmocka_unit_test(stopped_and_unschedulable_and_zero_seconds),
        cmocka_unit_test(finish_time_fairness_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
