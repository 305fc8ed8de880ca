/* traces/jsonstream.h -- the elements of a JSON array, one at a time, in memory bounded by the largest of them.
 *
 * Accepted forms: [ {...}, {...} ], {"KEY": [ ... ]} with a given key, and objects one after another (NDJSON).
 */
#ifndef TRACES_JSONSTREAM_H
#define TRACES_JSONSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/source.h"

typedef struct JsonElement {
    const char *text; /* NUL-terminated; an object by its brackets, not parsed yet */
    size_t length;
    int64_t line; /* of its first byte, from 1 */
    int column;   /* from 1 */
} JsonElement;

/* Calls `take` for each element until it returns false.  Bad structure between elements, an end that is missing or
 * anything behind it: false, err tells the place. */
bool json_stream(Source *source, const char *key, Arena *scratch,
                 bool (*take)(void *context, const JsonElement *element, Err *err), void *context, Err *err);

#endif
