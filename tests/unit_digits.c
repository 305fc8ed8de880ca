/* tests/unit_digits.c -- whole numbers and times as text, against printf. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/rng.h"
#include "sim/base/simtime.h"
#include "sim/base/text.h"

static void check_whole(uint64_t value)
{
    char text[WHOLE_TEXT + 1], expected[32];
    text[text_from_whole(value, text)] = '\0';
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
    assert_string_equal(text, expected);
}

static void whole_numbers(void **state)
{
    (void)state;
    Rng rng;
    rng_open(&rng, 1, "test", 0);
    check_whole(0);
    check_whole(UINT64_MAX);
    for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
        check_whole(power - 1);
        check_whole(power);
        check_whole(power + 1);
    }
    for (int shift = 0; shift < 64; shift++) check_whole(rng_bits(&rng) >> shift);
}

static void times_read_back(void **state)
{
    (void)state;
    static const struct {
        SimTime time;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "0.000001"},
                 {-1, "-0.000001"},
                 {100000, "0.1"},
                 {-3250000, "-3.25"},
                 {1200000, "1.2"},
                 {3000000000 * TIME_SECOND, "3000000000"},
                 {1507593599999999, "1507593599.999999"},
                 {INT64_MIN, "-9223372036854.775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TIME_TEXT];
        SimTime back;
        int length = time_format(cases[i].time, text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
        if (cases[i].time >= 0) {
            assert_true(time_parse_seconds(text, (size_t)length, &back));
            assert_true(back == cases[i].time);
        }
    }
}

/* Fewer digits would read back as another number, and more are not needed. */
static void check_double(double value)
{
    char text[DOUBLE_TEXT], expected[DOUBLE_TEXT];
    int length = text_from_double(value, text);
    assert_int_equal(length, strlen(text));
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, value);
        if (strtod(expected, NULL) == value) break;
    }
    if (fabs(value) >= 1 && fabs(value) < 1e15 && strchr(expected, 'e')) /* 30, not 3e+01 */
        snprintf(expected, sizeof expected, "%.0f", value);
    assert_string_equal(text, expected);
}

static void doubles_are_the_shortest_that_read_back(void **state)
{
    (void)state;
    Rng rng;
    rng_open(&rng, 1, "test", 0);
    static const double cases[] = {0,    1,     30,   100,     1e14, 1e15,   1e16,   123456789012345678.0, 0.1,
                                   1e-4, 1e-05, 0.25, 1.0 / 3, 1e22, 1e-300, 2474.0, 0.30000000000000004,  5e-324};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_double(cases[i]);
        check_double(-cases[i]);
    }
    for (int i = 0; i < 20000; i++) {
        double value = rng_uniform(&rng) * pow(10, (double)rng_below(&rng, 40) - 20);
        check_double(value);
        check_double(round(value * 1e4) / 1e4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers), cmocka_unit_test(times_read_back),
                                       cmocka_unit_test(doubles_are_the_shortest_that_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
