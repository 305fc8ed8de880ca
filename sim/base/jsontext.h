/* sim/base/jsontext.h -- reading JSON through cJSON, with places for messages and without its traps.
 *
 * cJSON cuts a string at an escaped NUL, looks keys up without regard to case and keeps keys that repeat; here the
 * first is an error, members are walked one by one, and json_repeated finds the last.
 */
#ifndef SIM_BASE_JSONTEXT_H
#define SIM_BASE_JSONTEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JSON_NESTING = 64 }; /* brackets in brackets; more is refused */

/* The tree of `text`, NUL-terminated and `length` bytes long; free it with cJSON_Delete.  NULL: a syntax error, and
 * *line and *column, given as the place of text[0], become that of the error. */
cJSON *json_parse(const char *text, size_t length, int64_t *line, int *column);

/* The first key of an object that stood there before, or NULL. */
const char *json_repeated(const cJSON *object);

static inline bool json_key_is(const cJSON *member, const char *key)
{
    return member->string[0] == key[0] && strcmp(member->string, key) == 0;
}

/* A whole number within low..high. */
bool json_to_int(const cJSON *item, int64_t low, int64_t high, int64_t *value);

#endif
