/* sim/base/text.c -- whole-text number parsing, shortest doubles, edit distance. */
#include "sim/base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 }; /* no number and no name of ours is longer */

bool text_to_int(const char *text, size_t length, int64_t low, int64_t high, int64_t *value)
{
    size_t i = 0;
    bool minus = length && text[0] == '-';
    if (minus || (length && text[0] == '+')) i = 1;
    if (i == length) return false;

    int64_t number = 0; /* kept negative while reading: that side has room for INT64_MIN */
    for (; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_sub_overflow(number, text[i] - '0', &number))
            return false;
    }
    if (!minus && __builtin_sub_overflow(0, number, &number)) return false;
    if (number < low || number > high) return false;
    *value = number;
    return true;
}

bool text_to_double(const char *text, size_t length, double *value)
{
    char copy[LONGEST];
    if (!length || length >= sizeof copy) return false;
    for (size_t i = 0; i < length; i++) /* leaves out what strtod also takes: blanks, hexadecimal, "inf", "nan" */
        if (!strchr("0123456789+-.eE", text[i]) || !text[i]) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

int text_from_double(double value, char text[DOUBLE_TEXT])
{
    int length = 0; /* where fewer than 15 digits are enough, %g drops the zeros behind them */
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
        length = snprintf(text, DOUBLE_TEXT, "%.*g", digits, value);
        if (digits == 17 || strtod(text, NULL) == value) break;
    }
    return length;
}

/* Bytes of the UTF-8 character at text[0], 0 if it is none. */
static size_t character(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0];
    size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (n > length) return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    return n;
}

const char *text_shown(const char *text, size_t length, char shown[SHOWN_TEXT])
{
    size_t n = 0;
    while (n < length) {
        size_t size = character(text + n, length - n);
        if (n + (size ? size : 1) > 40) break;
        memcpy(shown + n, text + n, size);
        if (size == 0 || (unsigned char)text[n] < 0x20 || text[n] == 0x7f) shown[n] = '?';
        n += size ? size : 1;
    }
    strcpy(shown + n, n < length ? "..." : "");
    return shown;
}

int text_from_whole(uint64_t value, char text[WHOLE_TEXT])
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
        "555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    char digits[WHOLE_TEXT];
    int from = WHOLE_TEXT;
    for (; value >= 100; value /= 100) memcpy(digits + (from -= 2), pairs + value % 100 * 2, 2);
    if (value >= 10)
        memcpy(digits + (from -= 2), pairs + value * 2, 2);
    else
        digits[--from] = (char)('0' + value);
    memcpy(text, digits + from, (size_t)(WHOLE_TEXT - from));
    return WHOLE_TEXT - from;
}

bool text_starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool text_ends(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && memcmp(text + n - m, end, m) == 0;
}

static int min3(int a, int b, int c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

int text_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n >= LONGEST || m >= LONGEST) return LONGEST;
    int row[LONGEST + 1][LONGEST + 1]; /* row[i][j]: from the first i letters of a to the first j of b */
    for (size_t i = 0; i <= n; i++) row[i][0] = (int)i;
    for (size_t j = 0; j <= m; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            int best = min3(row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[i - 2][j - 2] + 1 < best)
                best = row[i - 2][j - 2] + 1;
            row[i][j] = best;
        }
    return row[n][m];
}

void near_miss_try(NearMiss *miss, const char *known)
{
    int distance = text_distance(miss->typed, known);
    int limit = (int)strlen(miss->typed) / 3 + 1; /* farther than this it is another word */
    /* A name typed in part ("tiresias-" for "tiresias-l", "thresholds" for "tiresias.thresholds") is near as well. */
    if (distance > limit && strlen(miss->typed) >= 3 && strstr(known, miss->typed)) distance = limit;
    if (distance > limit || (miss->best && distance >= miss->distance)) return;
    miss->best = known;
    miss->distance = distance;
}

const char *near_miss_hint(const NearMiss *miss, char text[HINT_TEXT])
{
    text[0] = '\0';
    if (miss->best) snprintf(text, HINT_TEXT, " (did you mean '%s'?)", miss->best);
    return text;
}
