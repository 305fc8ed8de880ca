/* sim/cli/spans.c -- reading "A:B". */
#include "sim/cli/spans.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

static bool parse_end(const char *text, size_t length, int64_t empty, int64_t *value)
{
    if (length == 0) {
        *value = empty;
        return true;
    }
    return text_to_int(text, length, 0, INT64_MAX, value);
}

bool span_parse_positions(const char *text, int64_t *from, int64_t *to)
{
    const char *colon = strchr(text, ':');
    return colon && parse_end(text, (size_t)(colon - text), 0, from) &&
           parse_end(colon + 1, strlen(colon + 1), INT64_MAX, to) && *from <= *to;
}

bool span_parse_seeds(const char *text, int64_t most, int64_t *first, int64_t *last)
{
    const char *colon = strchr(text, ':');
    return colon && text_to_int(text, (size_t)(colon - text), 0, most, first) &&
           text_to_int(colon + 1, strlen(colon + 1), *first, most, last);
}

/* Seconds, a date or a date with its time. */
static bool parse_instant(const char *text, size_t length, SimTime *time, bool *dated)
{
    if (time_parse_seconds(text, length, time)) return true;
    char midnight[32];
    bool date_only = length == strlen("2017-10-03");
    if (date_only) {
        snprintf(midnight, sizeof midnight, "%.*s 00:00:00", (int)length, text);
        text = midnight;
        length = strlen(midnight);
    }
    *dated = true;
    return time_parse_date(text, length, time);
}

/* A date holds colons of its own, so each colon is tried; no text can be read in two ways, for a part of a date is
 * neither seconds nor a date. */
bool span_parse_times(const char *text, SimTime *from, SimTime *to, bool *dated)
{
    for (const char *colon = text; (colon = strchr(colon, ':')); colon++) {
        size_t before = (size_t)(colon - text), after = strlen(colon + 1);
        *from = 0;
        *to = TIME_NEVER;
        *dated = false;
        if ((!before || parse_instant(text, before, from, dated)) &&
            (!after || parse_instant(colon + 1, after, to, dated)))
            return *from <= *to;
    }
    return false;
}
