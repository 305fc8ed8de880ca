/* sim/base/simtime.c -- times from text and to text, without floating point. */
#include "sim/base/simtime.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/err.h"
#include "sim/base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent of "12.5e3", which spreadsheet programs like to write; *mantissa becomes the length before it. */
static bool split_exponent(const char *text, size_t length, size_t *mantissa, int *exponent)
{
    size_t e = 0;
    while (e < length && text[e] != 'e' && text[e] != 'E') e++;
    *mantissa = e;
    *exponent = 0;
    if (e == length) return true;
    size_t i = e + 1;
    bool minus = i < length && text[i] == '-';
    if (i < length && (text[i] == '-' || text[i] == '+')) i++;
    if (i == length) return false;
    for (; i < length; i++) {
        if (!is_digit(text[i]) || *exponent > 100) return false;
        *exponent = *exponent * 10 + (text[i] - '0');
    }
    if (minus) *exponent = -*exponent;
    return true;
}

bool time_parse_seconds(const char *text, size_t length, SimTime *time)
{
    size_t mantissa;
    int exponent;
    if (!split_exponent(text, length, &mantissa, &exponent)) return false;

    /* Digits become units of 10^-(6 + places to come); what is finer than a microsecond must be zero. */
    bool digits = false, point = false;
    int shift = exponent + 6; /* power of ten still to apply to `value` */
    int64_t value = 0;
    size_t i = mantissa && text[0] == '+' ? 1 : 0;
    for (; i < mantissa; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(text[i])) return false;
        digits = true;
        if (point && shift <= 0) {
            if (text[i] != '0') return false;
            continue;
        }
        if (value > TIME_LIMIT / 10) return false;
        value = value * 10 + (text[i] - '0');
        if (point) shift--;
    }
    if (!digits) return false;
    for (; shift > 0 && value; shift--) {
        if (value > TIME_LIMIT / 10) return false;
        value *= 10;
    }
    for (; shift < 0 && value; shift++) {
        if (value % 10) return false;
        value /= 10;
    }
    if (value > TIME_LIMIT) return false;
    *time = value;
    return true;
}

/* Days since 1970-01-01 of a date in the Gregorian calendar, by counting from 1 March of year 0. */
static int64_t days_from_date(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t m = month <= 2 ? month + 9 : month - 3; /* March = 0 */
    return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719468;
}

static bool two_digits(const char *text, int *value)
{
    if (!is_digit(text[0]) || !is_digit(text[1])) return false;
    *value = (text[0] - '0') * 10 + (text[1] - '0');
    return true;
}

bool time_parse_date(const char *text, size_t length, SimTime *time)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int century, years, month, day, hour, minute, second;

    if (length < 19) return false;
    if (!two_digits(text, &century) || !two_digits(text + 2, &years) || text[4] != '-' ||
        !two_digits(text + 5, &month) || text[7] != '-' || !two_digits(text + 8, &day) ||
        (text[10] != ' ' && text[10] != 'T') || !two_digits(text + 11, &hour) || text[13] != ':' ||
        !two_digits(text + 14, &minute) || text[16] != ':' || !two_digits(text + 17, &second))
        return false;
    int year = century * 100 + years;
    if (year < 1970 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (day < 1 || day > month_days[month - 1] + (month == 2 && leap)) return false;

    SimTime fraction = 0;
    if (length > 19 && (text[19] != '.' || length == 20 || !is_digit(text[20]) ||
                        !time_parse_seconds(text + 19, length - 19, &fraction) || fraction >= TIME_SECOND))
        return false;
    int64_t seconds = ((days_from_date(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    *time = seconds * TIME_SECOND + fraction;
    return true;
}

void time_format_date(SimTime time, char text[TIME_TEXT])
{
    int64_t seconds = time / TIME_SECOND - (time % TIME_SECOND < 0);
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int rest = (int)(seconds - days * 86400);

    int64_t z = days + 719468; /* days since 1 March of year 0 */
    int64_t era = z / 146097 - (z % 146097 < 0);
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t m = (5 * doy + 2) / 153;
    int day = (int)(doy - (153 * m + 2) / 5 + 1);
    int month = (int)(m < 10 ? m + 3 : m - 9);
    int64_t year = yoe + era * 400 + (month <= 2);
    if (year < 0 || year > 9999) {
        snprintf(text, TIME_TEXT, "%s", "out of range");
        return;
    }
    snprintf(text, TIME_TEXT, "%04u-%02u-%02u %02u:%02u:%02u", (unsigned)year % 10000, (unsigned)month % 100,
             (unsigned)day % 100, (unsigned)rest / 3600 % 24, (unsigned)rest / 60 % 60, (unsigned)rest % 60);
}

int time_format(SimTime time, char text[TIME_TEXT])
{
    int length = 0;
    uint64_t magnitude = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    int fraction = (int)(magnitude % 1000000);

    if (time < 0) text[length++] = '-';
    length += text_from_whole(magnitude / 1000000, text + length);
    if (fraction) {
        text[length++] = '.';
        for (int unit = 100000; fraction; unit /= 10) {
            text[length++] = (char)('0' + fraction / unit);
            fraction %= unit;
        }
    }
    text[length] = '\0';
    return length;
}

SimTime time_add(SimTime a, SimTime b)
{
    if (a == TIME_NEVER || b == TIME_NEVER) return TIME_NEVER;
    SimTime sum;
    if (__builtin_add_overflow(a, b, &sum)) return TIME_NEVER;
    return sum;
}

SimTime time_from_seconds(double seconds)
{
    MUST(fabs(seconds) <= 9e12);
    return llrint(seconds * 1e6);
}
