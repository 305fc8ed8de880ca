/* tests/unit_select.c -- which jobs are replayed, and when they arrive. */
#include "tests/testing.h"

#include "tests/shared.h"
#include "traces/select.h"

enum { N = 1000 };

/* N jobs "0", "1", ... two at each of 0, 100, 200, ... seconds. */
static void many(Reading *r)
{
    char *text = malloc((size_t)N * 40 + 100);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "job_id,submit_time,num_gpu,duration\n");
    for (int i = 0; i < N; i++) used += (size_t)sprintf(text + used, "%d,%d,1,10\n", i, i / 2 * 100);
    reads(r, "", "t.csv", text);
    free(text);
}

static Workload selected(Reading *r, Selection selection, uint64_t seed)
{
    Workload to;
    if (!select_jobs(&r->workload, &selection, seed, &r->arena, &to, &r->err)) fail_msg("%s", r->err.text);
    for (int i = 1; i < to.n; i++) assert_true(to.job[i - 1].submit <= to.job[i].submit);
    assert_memory_equal(&to.counts, &r->workload.counts, sizeof to.counts);
    return to;
}

static void refused(Reading *r, Selection selection, const char *words)
{
    Workload to;
    assert_false(select_jobs(&r->workload, &selection, 1, &r->arena, &to, &r->err));
    assert_int_equal(r->err.kind, ERR_USAGE);
    if (!strstr(r->err.text, words)) fail_msg("expected \"%s\" in \"%s\"", words, r->err.text);
    r->err = (Err){0};
}

static void everything_is_shared(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Workload w = selected(&r, SELECT_ALL, 1);
    assert_ptr_equal(w.job, r.workload.job);
    assert_int_equal(w.n, N);
    reading_close(&r);
}

static void windows_and_ranges_are_half_open(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Selection s = SELECT_ALL;
    s.window_from = 100 * TIME_SECOND;
    s.window_to = 300 * TIME_SECOND;
    Workload w = selected(&r, s, 1);
    assert_int_equal(w.n, 4);
    assert_string_equal(w.job[0].name, "2");
    assert_string_equal(w.job[3].name, "5");
    s.first = 1; /* positions among those of the window */
    s.last = 3;
    w = selected(&r, s, 1);
    assert_int_equal(w.n, 2);
    assert_string_equal(w.job[0].name, "3");
    s.window_from = TIME_NEVER;
    s.first = 0;
    s.last = 1;
    assert_string_equal(selected(&r, s, 1).job[0].name, "0");
    s = SELECT_ALL;
    s.first = N - 1;
    assert_int_equal(selected(&r, s, 1).n, 1);
    s.first = N;
    refused(&r, s, "no job of the trace is selected");
    s = SELECT_ALL;
    s.window_from = 1;
    s.window_to = 2;
    refused(&r, s, "no job of the trace is selected");
    reading_close(&r);
}

static void samples_are_seeded_and_keep_order(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Selection s = SELECT_ALL;
    s.sample = 300;
    Workload a = selected(&r, s, 1), again = selected(&r, s, 1), other = selected(&r, s, 2);
    int same = 0, low = 0;
    assert_int_equal(a.n, 300);
    for (int i = 0; i < a.n; i++) {
        assert_string_equal(a.job[i].name, again.job[i].name);
        if (i) assert_true(atoi(a.job[i - 1].name) < atoi(a.job[i].name));
        same += strcmp(a.job[i].name, other.job[i].name) == 0;
        low += atoi(a.job[i].name) < N / 2;
    }
    assert_in_range(same, 0, 299);
    assert_in_range(low, 110, 190); /* 150 expected, standard deviation 7.2 */
    s.sample = N;
    assert_int_equal(selected(&r, s, 1).n, N);
    s.sample = N + 1;
    refused(&r, s, "a sample of 1001 jobs was asked for, but there are 1000 to choose from");
    reading_close(&r);
}

static void load_makes_named_copies(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Selection s = SELECT_ALL;
    s.load = 2.5;
    Workload w = selected(&r, s, 7);
    int originals = 0, second = 0, third = 0;
    SimTime farthest = 0;
    for (int i = 0; i < w.n; i++) {
        const char *mark = strchr(w.job[i].name, '#');
        SimTime traced = atoi(w.job[i].name) / 2 * 100 * TIME_SECOND;
        SimTime shift = w.job[i].submit - traced;
        assert_true(w.job[i].submit >= 0);
        assert_in_range(shift < 0 ? -shift : shift, 0, 30 * TIME_MINUTE);
        if (!mark) {
            originals++;
            assert_int_equal(shift, 0);
        } else {
            assert_true(strcmp(mark, "#2") == 0 || strcmp(mark, "#3") == 0);
            if (mark[1] == '2')
                second++;
            else
                third++;
            if (shift > farthest) farthest = shift;
        }
    }
    assert_int_equal(originals, N);
    assert_int_equal(second, N);
    assert_in_range(third, 430, 570); /* 500 expected, standard deviation 15.8 */
    assert_true(farthest > 29 * TIME_MINUTE);
    assert_true(w.load == 2.5 && w.arrival_scale == 1);
    reading_close(&r);
}

static void load_below_one_thins(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Selection s = SELECT_ALL;
    s.load = 0.25;
    Workload w = selected(&r, s, 1);
    assert_in_range(w.n, 195, 305); /* 250 expected, standard deviation 13.7 */
    for (int i = 0; i < w.n; i++) {
        assert_null(strchr(w.job[i].name, '#'));
        assert_int_equal(w.job[i].submit, atoi(w.job[i].name) / 2 * 100 * TIME_SECOND);
    }
    s.load = 1e-9;
    refused(&r, s, "load 1e-09 leaves no job of 1000");
    s.load = 0;
    refused(&r, s, "load: expected a number above 0");
    s.load = 20000;
    refused(&r, s, "load: expected a number above 0 and up to 10000");
    reading_close(&r);
}

static void draws_are_named_by_job(void **state)
{
    (void)state;
    Reading r;
    many(&r);
    Selection all = SELECT_ALL, part = SELECT_ALL;
    all.load = part.load = 3;
    part.first = 400;
    Workload w = selected(&r, all, 5), p = selected(&r, part, 5);
    int compared = 0;
    for (int k = 0; k < p.n; k++)
        for (int i = 0; i < w.n; i++)
            if (strcmp(w.job[i].name, p.job[k].name) == 0) {
                /* reflection at the part's own start is the only difference */
                if (p.job[k].submit == w.job[i].submit) compared++;
            }
    assert_true(compared > 600 * 3 - 40 && p.n == 600 * 3);
    reading_close(&r);
}

static void names_of_copies_are_new(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv", "job_id,submit_time,num_gpu,duration\na,0,1,10\na#2,5,1,10\n");
    Selection s = SELECT_ALL;
    s.load = 2;
    refused(&r, s, "the copy 'a#2' would bear the name of another job");
    reading_close(&r);
    reads(&r, "", "t.csv", "job_id,submit_time,num_gpu,duration\na,0,1,10\na#3,5,1,10\n");
    assert_int_equal(selected(&r, s, 1).n, 4);
    reading_close(&r);
}

static void u75_arrival_scale(void **state)
{
    (void)state;
    Reading r;
    reads(&r, "", "t.csv", "job_id,submit_time,num_gpu,duration\na,100,1,10\nb,1100,1,10\nc,1100.5,1,10\n");
    Selection s = SELECT_ALL;
    s.arrival_scale = 0.01;
    Workload w = selected(&r, s, 1);
    assert_int_equal(w.job[0].submit, 100 * TIME_SECOND);
    assert_int_equal(w.job[1].submit, 110 * TIME_SECOND);
    assert_int_equal(w.job[2].submit, 110005000);
    assert_int_equal(w.job[1].duration, 10 * TIME_SECOND);
    assert_true(w.arrival_scale == 0.01);
    s.arrival_scale = 0;
    assert_int_equal(selected(&r, s, 1).job[2].submit, 100 * TIME_SECOND);
    s.arrival_scale = 2;
    assert_int_equal(selected(&r, s, 1).job[1].submit, 2100 * TIME_SECOND);
    s.arrival_scale = 1e9;
    refused(&r, s, "would be submitted after 10^12 s");
    s.arrival_scale = -1;
    refused(&r, s, "arrival scale: expected a number from 0");
    reading_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_shared),
        cmocka_unit_test(windows_and_ranges_are_half_open),
        cmocka_unit_test(samples_are_seeded_and_keep_order),
        cmocka_unit_test(load_makes_named_copies),
        cmocka_unit_test(load_below_one_thins),
        cmocka_unit_test(draws_are_named_by_job),
        cmocka_unit_test(names_of_copies_are_new),
        cmocka_unit_test(u75_arrival_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
