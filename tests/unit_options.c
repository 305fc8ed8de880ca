/* tests/unit_options.c -- command lines, and "A:B" in its readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/cli/commands.h"
#include "sim/cli/spans.h"

static const Option some_options[] = {
    {"policy", 'p', "LIST", "fifo", "which", false},
    {"postpone", 0, "S", NULL, "how long", false},
    {"strict", 0, NULL, NULL, "no mercy", false},
    {0},
};

static const Command some_command = {
    .name = "some", .operands = "TRACE", .least = 1, .most = 1, .options = some_options};

enum { MOST_WORDS = 16 };

/* Splits at blanks and parses; the words live in static memory until the next call. */
static bool parse(Invocation *inv, Arena *arena, const char *line, Err *err)
{
    char *word[MOST_WORDS + 1] = {arena_copy_text(arena, "mlfs-sim", 8), arena_copy_text(arena, "some", 4)};
    int n = 2;
    char *copy = arena_copy_text(arena, line, strlen(line));
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
        assert_true(n < MOST_WORDS);
        word[n++] = w;
    }
    return invocation_parse(inv, &some_command, n, word, arena, err);
}

static void expect_error(const char *line, const char *sentence)
{
    Arena arena = {0};
    Err err = {0};
    Invocation inv;
    if (parse(&inv, &arena, line, &err) && invocation_check_operands(&inv, &err)) fail_msg("accepted: %s", line);
    assert_string_equal(err.text, sentence);
    assert_int_equal(err.kind, ERR_USAGE);
    arena_free(&arena);
}

static void options_and_operands_in_any_order(void **state)
{
    (void)state;
    static const char *const lines[] = {"t.csv -p srtf --strict -j 3", "-p srtf t.csv --strict --threads=3",
                                        "--strict --policy=srtf -j3 t.csv", "--strict -psrtf -j3 -- t.csv",
                                        "--pol srtf --str -j 3 t.csv"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        Arena arena = {0};
        Err err = {0};
        Invocation inv;
        int64_t threads = 0;
        assert_true(parse(&inv, &arena, lines[i], &err));
        assert_true(invocation_check_operands(&inv, &err));
        assert_string_equal(inv.operand[0], "t.csv");
        assert_string_equal(invocation_value(&inv, "policy"), "srtf");
        assert_true(invocation_has(&inv, "strict"));
        assert_false(invocation_has(&inv, "quiet"));
        assert_null(invocation_value(&inv, "postpone"));
        assert_true(invocation_integer(&inv, "threads", 1, 9, &threads, &err));
        assert_int_equal(threads, 3);
        arena_free(&arena);
    }
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Invocation inv;
    assert_true(parse(&inv, &arena, "-q -- --strict", &err));
    assert_int_equal(inv.n_operands, 1);
    assert_string_equal(inv.operand[0], "--strict");
    assert_false(invocation_has(&inv, "strict"));
    assert_true(parse(&inv, &arena, "-", &err)); /* standard input is an operand */
    assert_string_equal(inv.operand[0], "-");
    arena_free(&arena);
}

static void the_last_of_equal_options_counts(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    Invocation inv;
    assert_true(parse(&inv, &arena, "t -p a --set x.y=1 -p b --set x.y=2 -qv", &err));
    assert_string_equal(invocation_value(&inv, "policy"), "b");
    int n_set = 0;
    for (int i = 0; i < inv.n_given; i++) n_set += strcmp(inv.given[i].option->name, "set") == 0;
    assert_int_equal(n_set, 2); /* this one repeats: all are kept, in order */
    assert_true(invocation_has(&inv, "quiet") && invocation_has(&inv, "verbose"));
    arena_free(&arena);
}

static void mistakes_get_one_sentence(void **state)
{
    (void)state;
    expect_error("t --polcy srtf",
                 "unknown option --polcy (did you mean '--policy'?); `mlfs-sim some --help` lists all");
    expect_error("t --zzzzzz=3", "unknown option --zzzzzz; `mlfs-sim some --help` lists all");
    expect_error("t -x", "unknown option -x; `mlfs-sim some --help` lists all");
    expect_error("t -qx", "unknown option -x; `mlfs-sim some --help` lists all");
    expect_error("t --po 3", "option --po is ambiguous: --policy, --postpone");
    expect_error("t --policy", "option --policy needs an argument: --policy LIST");
    expect_error("t -p", "option -p needs an argument: -p LIST");
    expect_error("t --strict=1", "option --strict takes no argument");
    expect_error("-q", "some needs TRACE; `mlfs-sim some --help` shows an example");
    expect_error("a b", "unexpected 'b': some takes TRACE");
}

static void numbers_are_read_whole_and_in_range(void **state)
{
    (void)state;
    static const char *const bad[] = {"3x", "1e3", "2.0", "-1", "11", "0x3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Arena arena = {0};
        Err err = {0};
        Invocation inv;
        int64_t threads = 7;
        char line[64];
        snprintf(line, sizeof line, "t -j %s", bad[i]);
        assert_true(parse(&inv, &arena, line, &err));
        assert_false(invocation_integer(&inv, "threads", 0, 10, &threads, &err));
        assert_int_equal(threads, 7);
        assert_non_null(strstr(err.text, "expected a whole number from 0 to 10"));
        assert_non_null(strstr(err.text, bad[i]));
        arena_free(&arena);
    }
    Arena arena = {0};
    Err err = {0};
    Invocation inv;
    double number = 0;
    assert_true(parse(&inv, &arena, "t --postpone 2.385", &err));
    assert_true(invocation_number(&inv, "postpone", 0, 3, &number, &err));
    assert_true(number == 2.385);
    assert_false(invocation_number(&inv, "postpone", 0, 2, &number, &err));
    assert_string_equal(err.text, "--postpone 2.385: expected a number from 0 to 2");
    arena_free(&arena);
}

static void positions(void **state)
{
    (void)state;
    int64_t from, to;
    assert_true(span_parse_positions("10:20", &from, &to) && from == 10 && to == 20);
    assert_true(span_parse_positions(":20", &from, &to) && from == 0 && to == 20);
    assert_true(span_parse_positions("10:", &from, &to) && from == 10 && to == INT64_MAX);
    assert_true(span_parse_positions(":", &from, &to) && from == 0 && to == INT64_MAX);
    static const char *const bad[] = {"", "10", "20:10", "-1:3", "1:2:3", "a:b", "1.5:2", "1: 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(span_parse_positions(bad[i], &from, &to));
}

static void seeds(void **state)
{
    (void)state;
    int64_t first, last;
    assert_true(span_parse_seeds("3:3", 9, &first, &last) && first == 3 && last == 3);
    assert_true(span_parse_seeds("0:9", 9, &first, &last) && first == 0 && last == 9);
    static const char *const bad[] = {"", "3", "3:", ":3", "4:3", "0:10", "1:2:3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(span_parse_seeds(bad[i], 9, &first, &last));
}

/* 2017-10-03 00:00:00 UTC is 1506988800 (date -u -d 2017-10-03 +%s). */
static void instants(void **state)
{
    (void)state;
    const SimTime day = 1506988800 * TIME_SECOND;
    SimTime from, to;
    bool dated;
    assert_true(span_parse_times("1.5:2", &from, &to, &dated) && from == 1500000 && to == 2 * TIME_SECOND && !dated);
    assert_true(span_parse_times(":", &from, &to, &dated) && from == 0 && to == TIME_NEVER && !dated);
    assert_true(span_parse_times("2017-10-03:", &from, &to, &dated) && from == day && to == TIME_NEVER && dated);
    assert_true(span_parse_times(":2017-10-03 00:00:07", &from, &to, &dated));
    assert_true(from == 0 && to == day + 7 * TIME_SECOND && dated);
    assert_true(span_parse_times("2017-10-03 00:01:00:2017-10-03T02:00:00", &from, &to, &dated));
    assert_true(from == day + TIME_MINUTE && to == day + 120 * TIME_MINUTE && dated);
    assert_true(span_parse_times("2017-10-03:1506988801", &from, &to, &dated) && to == day + TIME_SECOND && dated);
    static const char *const bad[] = {
        "", "5", "3:2", "2017-10-03", "2017-10-03 10:20:30", "2017-13-03:", "x:y", "1:2:3", "2017-10-04:2017-10-03"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(span_parse_times(bad[i], &from, &to, &dated));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_and_operands_in_any_order),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(the_last_of_equal_options_counts),
        cmocka_unit_test(mistakes_get_one_sentence),
        cmocka_unit_test(numbers_are_read_whole_and_in_range),
        cmocka_unit_test(positions),
        cmocka_unit_test(seeds),
        cmocka_unit_test(instants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
