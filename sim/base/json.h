/* sim/base/json.h -- filling a JSON object so that every number reads back as it was.
 *
 * cJSON keeps numbers as doubles and prints them with 15 digits; these put the digits in themselves.  What does not
 * exist is null: a NaN, an infinity, TIME_NEVER, a NULL text.  The caller frees the tree with cJSON_Delete.
 */
#ifndef SIM_BASE_JSON_H
#define SIM_BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/out.h"
#include "sim/base/simtime.h"

cJSON *json_object(void); /* an empty one */

/* Items of their own, for arrays: cJSON_AddItemToArray(array, json_double(x)). */
cJSON *json_double(double value); /* the shortest decimal that reads back */
cJSON *json_int(int64_t value);
cJSON *json_time(SimTime time); /* seconds as time_format */
cJSON *json_text(const char *text);

/* Members of an object, in the order of the calls; a key must be new. */
void json_set(cJSON *object, const char *key, cJSON *item); /* the object owns the item from here on */
void json_set_double(cJSON *object, const char *key, double value);
void json_set_int(cJSON *object, const char *key, int64_t value);
void json_set_time(cJSON *object, const char *key, SimTime time);
void json_set_text(cJSON *object, const char *key, const char *text);
void json_set_bool(cJSON *object, const char *key, bool value);
void json_set_null(cJSON *object, const char *key);
cJSON *json_set_object(cJSON *object, const char *key); /* a new, empty one to fill */
cJSON *json_set_array(cJSON *object, const char *key);
cJSON *json_add_object(cJSON *array); /* a new, empty one at the end */

/* The tree, indented, with a final newline. */
void json_write(Out *out, const cJSON *tree);

#endif
