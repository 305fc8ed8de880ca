/* sim/base/jsontext.c -- cJSON_ParseWithLengthOpts, and the places of its errors. */
#include "sim/base/jsontext.h"

#include <math.h>
#include <string.h>

#include "sim/base/names.h"

/* The first `\u0000` that is an escape, not the end of an escaped backslash. */
static const char *find_escaped_nul(const char *text, size_t length)
{
    static const char nul[] = "\\u0000";
    if (!memchr(text, '\\', length)) return NULL; /* the usual case, and quickly found */
    for (const char *at = text; (at = memmem(at, length - (size_t)(at - text), nul, sizeof nul - 1)); at++) {
        const char *first = at;
        while (first > text && first[-1] == '\\') first--;
        if ((at - first) % 2 == 0) return at;
    }
    return NULL;
}

/* The first bracket below JSON_NESTING others, or NULL. */
static const char *find_too_deep(const char *text, size_t length)
{
    int depth = 0;
    for (const char *c = text, *end = text + length; c < end; c++)
        if (*c == '"') {
            for (c++; c < end && *c != '"'; c++) c += *c == '\\';
        } else if (*c == '{' || *c == '[') {
            if (++depth > JSON_NESTING) return c;
        } else if (*c == '}' || *c == ']') {
            depth--;
        }
    return NULL;
}

cJSON *json_parse(const char *text, size_t length, int64_t *line, int *column)
{
    const char *stop = find_too_deep(text, length);
    if (!stop && length) stop = memchr(text, '\0', length); /* cJSON takes it, and texts would end there */
    if (!stop) {
        cJSON *tree = cJSON_ParseWithLengthOpts(text, length + 1, &stop, 1);
        const char *nul = find_escaped_nul(text, length);
        if (tree && !nul) return tree;
        cJSON_Delete(tree);
        if (tree) stop = nul;
    }
    for (const char *c = text; c < stop && c < text + length; c++)
        if (*c == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    return NULL;
}

const char *json_repeated(const cJSON *object)
{
    Arena arena = {0};
    Names names = {.arena = &arena};
    const cJSON *member = object->child;
    for (bool is_new; member; member = member->next) {
        names_add(&names, member->string, strlen(member->string), &is_new);
        if (!is_new) break;
    }
    arena_free(&arena);
    return member ? member->string : NULL;
}

bool json_to_int(const cJSON *item, int64_t low, int64_t high, int64_t *value)
{
    if (!cJSON_IsNumber(item)) return false;
    double number = item->valuedouble;
    if (!(number >= (double)low && number <= (double)high) || number != floor(number)) return false;
    *value = (int64_t)number;
    return true;
}
