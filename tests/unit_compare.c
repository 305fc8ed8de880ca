/* tests/unit_compare.c -- pairs, intervals that hold what they promise, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>

#include "sim/base/text.h"
#include "sim/report/compare.h"
#include "sim/report/readback.h"
#include "tests/madeupruns.h"

/* P(X + Y <= t) of exponentials with these means. */
static double share_below(double t, double a, double b)
{
    return 1 - (a * exp(-t / a) - b * exp(-t / b)) / (a - b);
}

static double quantile_of_sum(double q, double a, double b)
{
    double low = 0, high = 10000;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (share_below(middle, a, b) < q)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A job's own work, exponential of mean 100, and waits of means 50 and 30: the difference of the means is -20, those of
 * the percentiles follow from the distribution of such sums.  Of 1,000 intervals that hold the truth 95 times in 100,
 * 930 to 970 do (the standard deviation is 7).  Of high percentiles of few pairs whose values go together the
 * bootstrap's intervals are too wide rather than too narrow: with 4,000 pairs instead of 300, 96 of 100 hold the truth.
 */
static void intervals_cover_the_truth(void **state)
{
    (void)state;
    enum { TRIALS = 1000, N = 300, RESAMPLES = 500, N_STATISTICS = 3 };
    const Statistic statistic[N_STATISTICS] = {STATISTIC_MEAN, 500, 900};
    double truth[N_STATISTICS] = {-20, quantile_of_sum(0.5, 100, 30) - quantile_of_sum(0.5, 100, 50),
                                  quantile_of_sum(0.9, 100, 30) - quantile_of_sum(0.9, 100, 50)};
    int covered[N_STATISTICS] = {0}, below[N_STATISTICS] = {0};
    Arena arena = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        double base[N], other[N];
        Rng world, draws;
        rng_open(&world, 7, "world", (uint64_t)trial);
        rng_open(&draws, 7, "bootstrap", (uint64_t)trial);
        for (int i = 0; i < N; i++) {
            double work = gsl_ran_exponential(&world.gsl, 100);
            base[i] = work + gsl_ran_exponential(&world.gsl, 50);
            other[i] = work + gsl_ran_exponential(&world.gsl, 30);
        }
        Difference found[N_STATISTICS];
        bootstrap_difference(base, other, N, statistic, N_STATISTICS, RESAMPLES, &draws, found, &arena);
        for (int s = 0; s < N_STATISTICS; s++) {
            assert_true(found[s].low <= found[s].high);
            covered[s] += found[s].low <= truth[s] && truth[s] <= found[s].high;
            below[s] += found[s].high < truth[s];
        }
        arena_reset(&arena);
    }
    for (int s = 0; s < N_STATISTICS; s++) {
        print_message("statistic %d: %d of %d intervals cover the truth, %d lie below it\n", statistic[s], covered[s],
                      TRIALS, below[s]);
        assert_in_range(covered[s], 930, statistic[s] < 900 ? 970 : TRIALS);
    }
    arena_free(&arena);
}

static void draws_repeat_and_one_pair_says_nothing(void **state)
{
    (void)state;
    Arena arena = {0};
    const double base[] = {10, 20, 30, 47}, other[] = {9, 22, 27, 40};
    const Statistic statistic[] = {STATISTIC_MEAN, 500, 990};
    Difference first[3] = {{0}}, again[3] = {{0}};
    for (int k = 0; k < 2; k++) {
        Rng rng;
        rng_open(&rng, 1, "bootstrap", 0);
        bootstrap_difference(base, other, 4, statistic, 3, 200, &rng, k ? again : first, &arena);
    }
    assert_memory_equal(first, again, sizeof first);
    assert_true(first[0].base == 26.75 && first[0].other == 24.5 && first[0].difference == -2.25);
    assert_true(first[1].base == 25 && first[1].other == 24.5);
    assert_true(fabs(first[2].base - 46.49) < 1e-9 && first[2].low >= -7 && first[2].high <= 2);
    Rng rng;
    rng_open(&rng, 1, "bootstrap", 0);
    bootstrap_difference(base, other, 1, statistic, 1, 200, &rng, first, &arena);
    assert_true(first[0].difference == -1 && isnan(first[0].low) && isnan(first[0].high));
    arena_free(&arena);
}

static const char header[] = "job_id,jct_s,wait_s,deadline_met,accuracy_at_deadline,accuracy_met,bytes_moved\n";

static void put_compared(Arena *arena, const char *name, const char *policy, int seed, const char *hash,
                         const char *rows, const char *makespan)
{
    const char *dir = put_run_json(arena, name, policy, seed, hash, 0, 9);
    put_file(arena, arena_format(arena, "%s/jobs.csv", dir), arena_format(arena, "%s%s", header, rows));
    put_file(arena, arena_format(arena, "%s/summary.json", dir), arena_format(arena, "{\"makespan_s\": %s}", makespan));
}

static const CompareRow *row_of(const Comparison *c, const char *policy, const char *metric, Statistic statistic)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->row[i].group->policy, policy) == 0 && strcmp(c->row[i].metric->name, metric) == 0 &&
            (c->row[i].statistic == statistic || !c->row[i].metric->of_jobs))
            return &c->row[i];
    fail_msg("no row %s %s", policy, metric);
    return NULL;
}

static const CompareOptions plainly = {NULL, TEST_WILCOXON, 100, 1};

static void jobs_are_paired_by_name(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    Comparison c;
    put_compared(&arena, "pair/fifo", "fifo", 1, "aa", "a,10,0,1,,,\nb,20,5,0,,,\nc,30,5,0,,,\nd,,,0,,,\n", "100");
    put_compared(&arena, "pair/srtf", "srtf", 2, "aa", "a,12,2,1,,,\nb,10,1,1,,,\nc,,,0,,,\nd,,,0,,,\n", "90");
    assert_true(runset_add(&set, at(&arena, "pair"), &arena, &err));
    assert_true(runset_add(&set, at(&arena, "pair/fifo"), &arena, &err)); /* there already */
    assert_int_equal(set.n, 2);
    if (!compare_runs(&set, plainly, &arena, &c, &err)) fail_msg("%s", err.text);
    const CompareRow *mean = row_of(&c, "srtf", "jct_s", STATISTIC_MEAN);
    assert_true(mean->pairs == 2 && mean->alone == 1); /* c ended in one run, d in none */
    assert_true(mean->difference.base == 15 && mean->difference.other == 11 && mean->difference.difference == -4);
    assert_true(mean->better == 1 && fabs(mean->improvement - 4.0 / 15) < 1e-12);
    assert_true(mean->difference.low == -10 && mean->difference.high == 2);
    assert_true(mean->test.statistic == 1 && mean->test.p == 1);
    assert_true(row_of(&c, "srtf", "deadline_met", STATISTIC_MEAN)->difference.difference == 0.25);
    const CompareRow *makespan = row_of(&c, "srtf", "makespan_s", 0);
    assert_true(makespan->difference.difference == -10 && isnan(makespan->difference.low) && isnan(makespan->test.p));
    assert_true(row_of(&c, "fifo", "jct_s", STATISTIC_MEAN)->difference.other == 15);
    for (int i = 0; i < c.n; i++) assert_string_not_equal(c.row[i].metric->name, "accuracy_met"); /* nobody has one */
    arena_free(&arena);
}

static void seeds_are_paired_by_number(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    Comparison c;
    for (int seed = 1; seed <= 3; seed++) {
        const char *hash = arena_format(&arena, "h%d", seed);
        put_compared(&arena, arena_format(&arena, "seeds/fifo/seed-%d", seed), "fifo", seed, hash,
                     arena_format(&arena, "a,%d,0,,,,\n", 100 * seed), "100");
        if (seed > 1)
            put_compared(&arena, arena_format(&arena, "seeds/srtf/seed-%d", seed), "srtf", seed, hash,
                         arena_format(&arena, "a,%d,0,,,,\n", 100 * seed - 10 * seed), "90");
    }
    assert_true(runset_add(&set, at(&arena, "seeds"), &arena, &err));
    if (!compare_runs(&set, plainly, &arena, &c, &err)) fail_msg("%s", err.text);
    assert_true(c.n_seeds == 2 && c.left_out == 1);
    const CompareRow *mean = row_of(&c, "srtf", "jct_s", STATISTIC_MEAN);
    assert_true(mean->pairs == 2 && mean->difference.base == 250 && mean->difference.difference == -25);
    assert_true(mean->difference.low == -30 && mean->difference.high == -20);
    assert_true(mean->seeds.median == 225 && fabs(mean->seeds.p1 - 180.9) < 1e-9 &&
                fabs(mean->seeds.p99 - 269.1) < 1e-9);
    assert_true(mean->base_seeds.median == 250);

    Out *out = out_open(&arena, at(&arena, "all.csv"), &err);
    compare_write_csv(out, &c);
    assert_true(out_close(out, &err));
    assert_non_null(strstr(content(&arena, at(&arena, "all.csv")),
                           "/seeds/srtf,jct_s,mean,s,2,0,2,250,225,-25,-30,-20,0.1,1,225,"));
    out = out_open(&arena, at(&arena, "all.json"), &err);
    compare_write_json(out, &c);
    assert_true(out_close(out, &err));
    assert_non_null(strstr(content(&arena, at(&arena, "all.json")), "\"drawn_anew\":\t\"seeds\""));
    arena_free(&arena);
}

/* Policies and folders with all that could end a field, a string, a line or an element come back as they were. */
static void hostile_names_are_text(void **state)
{
    (void)state;
    enum { N = 5 };
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    Comparison c;
    char *longest = NEW_ARRAY(&arena, char, 10001);
    memset(longest, 'x', 10000);
    const char *names[N] = {"plain", "\"a\",\"\"b'`$c$%s\\n_^@{}", "</script><b>&amp;", "line\nend,\r\n\ttab\x01",
                            longest};
    for (int i = 0; i < N; i++) {
        char *below = arena_copy_text(&arena, names[i], strlen(names[i]) < 200 ? strlen(names[i]) : 200);
        for (char *slash = below; (slash = strchr(slash, '/'));) *slash = '|';
        put_compared(&arena, arena_format(&arena, "hostile/%d %s", i, below), names[i], 1, "aa",
                     "a,10,0,1,,,\nb,20,5,0,,,\n", "100");
    }
    assert_true(runset_add(&set, at(&arena, "hostile"), &arena, &err));
    if (!compare_runs(&set, plainly, &arena, &c, &err)) fail_msg("%s", err.text);
    Out *csv = out_open(&arena, at(&arena, "hostile.csv"), &err),
        *json = out_open(&arena, at(&arena, "hostile.json"), &err);
    compare_write_csv(csv, &c);
    compare_write_json(json, &c);
    assert_true(out_close(csv, &err) && out_close(json, &err));

    ReadColumn column[] = {{.name = "policy", .kind = COLUMN_TEXT},
                           {.name = "folder", .kind = COLUMN_TEXT},
                           {.name = "value", .kind = COLUMN_NUMBER}};
    int64_t n;
    if (!readback_csv(at(&arena, "hostile.csv"), column, 3, &n, &arena, &err)) fail_msg("%s", err.text);
    cJSON *tree = readback_json(at(&arena, "hostile.json"), &arena, &err);
    if (!tree) fail_msg("%s", err.text);
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(tree, "rows");
    assert_true(n == c.n && n >= N && cJSON_GetArraySize(rows) == n);
    for (int i = 0; i < n; i++) {
        const RunGroup *group = c.row[i].group;
        const cJSON *row = cJSON_GetArrayItem(rows, i);
        assert_string_equal(group->policy, names[i % N]);
        assert_string_equal(column[0].text[i], group->policy);
        assert_string_equal(column[1].text[i], group->folder);
        assert_true(column[2].number[i] == c.row[i].difference.other);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "policy")), group->policy);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, "folder")), group->folder);
        assert_true(readback_number(row, "value") == c.row[i].difference.other);
    }
    const char *header_line = content(&arena, at(&arena, "hostile.csv")); /* the keys of a row are the columns */
    for (const cJSON *key = cJSON_GetArrayItem(rows, 0)->child; key; key = key->next) {
        assert_memory_equal(header_line, key->string, strlen(key->string));
        header_line += strlen(key->string);
        assert_int_equal(*header_line++, key->next ? ',' : '\n');
    }
    cJSON_Delete(tree);
    arena_free(&arena);
}

static void refuses(Arena *arena, const RunSet *set, CompareOptions options, const char *says)
{
    Err err = {0};
    Comparison c;
    assert_false(compare_runs(set, options, arena, &c, &err));
    if (!strstr(err.text, says)) fail_msg("%s", err.text);
    assert_null(strchr(err.text, '\n'));
}

static void what_is_not_alike_is_refused(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    RunSet set = {0};
    put_compared(&arena, "unlike/fifo", "fifo", 1, "aa", "a,10,0,1,,,\n", "100");
    assert_true(runset_add(&set, at(&arena, "unlike"), &arena, &err));
    refuses(&arena, &set, plainly, "takes at least two");
    put_compared(&arena, "unlike/sjf", "sjf", 1, "bb", "a,10,0,1,,,\n", "100");
    assert_true(runset_add(&set, at(&arena, "unlike"), &arena, &err));
    refuses(&arena, &set, plainly, "are not runs of the same jobs");
    put_compared(&arena, "unlike/sjf", "sjf", 1, "aa", "b,10,0,1,,,\n", "100");
    set = (RunSet){0};
    assert_true(runset_add(&set, at(&arena, "unlike"), &arena, &err));
    refuses(&arena, &set, plainly, "do not list the same jobs");
    CompareOptions typo = plainly;
    typo.metrics = "wait_s,jtc_s";
    refuses(&arena, &set, typo, "unknown metric 'jtc_s' (did you mean 'jct_s'?)");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_the_truth), cmocka_unit_test(draws_repeat_and_one_pair_says_nothing),
        cmocka_unit_test(jobs_are_paired_by_name),   cmocka_unit_test(seeds_are_paired_by_number),
        cmocka_unit_test(hostile_names_are_text),    cmocka_unit_test(what_is_not_alike_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
