/* tests/unit_digits.c -- whole numbers and times as text, against printf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_numbers), cmocka_unit_test(times_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
