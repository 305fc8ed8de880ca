/* sim/base/text.h -- numbers from text and to text, and hints for mistyped names. */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text, in range, or false.  Integers are plain decimal (an exponent or ".0" is no integer); doubles are
 * finite, in the C locale's notation whatever the user's locale. */
bool text_to_int(const char *text, size_t length, int64_t low, int64_t high, int64_t *value);
bool text_to_double(const char *text, size_t length, double *value);

/* The shortest decimal that reads back as the same double; returns its length. */
enum { DOUBLE_TEXT = 32 };
int text_from_double(double value, char text[DOUBLE_TEXT]);

/* At most 40 bytes of a text for a message, on one line: control characters and bytes that are no UTF-8 as '?', a
 * longer text ends in "...". */
enum { SHOWN_TEXT = 48 };
const char *text_shown(const char *text, size_t length, char shown[SHOWN_TEXT]);

/* The digits of a whole number, without a NUL; returns how many. */
enum { WHOLE_TEXT = 20 };
int text_from_whole(uint64_t value, char text[WHOLE_TEXT]);

bool text_starts(const char *text, const char *start);
bool text_ends(const char *text, const char *end);

/* How many letters must be typed, dropped, changed or swapped with their neighbour to make b of a. */
int text_distance(const char *a, const char *b);

/* Keeps the best candidate seen so far for a mistyped name: feed every known name, then read `best` (NULL: none near).
 */
typedef struct NearMiss {
    const char *typed, *best;
    int distance;
} NearMiss;
void near_miss_try(NearMiss *miss, const char *known);

/* " (did you mean 'fifo'?)" or "". */
enum { HINT_TEXT = 96 };
const char *near_miss_hint(const NearMiss *miss, char text[HINT_TEXT]);

#endif
