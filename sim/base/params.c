/* sim/base/params.c -- looking keys up, checking what is set. */
#include "sim/base/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/text.h"

static ParamValue *find(const Params *params, const char *group, const char *name)
{
    for (int i = 0; i < params->n; i++)
        if (strcmp(params->entry[i].group, group) == 0 && strcmp(params->entry[i].param->name, name) == 0)
            return &params->entry[i];
    return NULL;
}

void params_add(Params *params, const char *group, const Param *table)
{
    if (!table || !table->name || find(params, group, table->name)) return;
    for (const Param *p = table; p->name; p++) {
        if (params->n == params->capacity) {
            int larger = params->capacity ? params->capacity * 2 : 64;
            params->entry =
                arena_grow(params->arena, params->entry, (size_t)params->n, (size_t)larger, sizeof *params->entry);
            params->capacity = larger;
        }
        params->entry[params->n++] = (ParamValue){group, p, p->value};
    }
}

Params params_copy(const Params *params, Arena *arena)
{
    Params copy = {.arena = arena, .n = params->n, .capacity = params->n};
    copy.entry = arena_grow(arena, params->entry, (size_t)params->n, (size_t)params->n, sizeof *params->entry);
    return copy;
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *c = choices; *c;) {
        size_t length = strcspn(c, "|");
        if (length == n && memcmp(c, value, n) == 0) return true;
        c += length + (c[length] == '|');
    }
    return false;
}

/* One number of a value, `length` bytes of text. */
static bool check_number(const char *key, const Param *p, const char *text, size_t length, Err *err)
{
    double number;
    if (!text_to_double(text, length, &number) || (p->kind == PARAM_INTEGER && number != floor(number)))
        return err_set(err, ERR_USAGE, "%s: expected %s, not '%.*s'", key,
                       p->kind == PARAM_INTEGER ? "a whole number" : "a number", (int)length, text);
    if (number < p->low || number > p->high)
        return err_set(err, ERR_USAGE, "%s: %.*s is outside %g to %g", key, (int)length, text, p->low, p->high);
    return true;
}

static bool check_value(const char *key, const Param *p, const char *value, Err *err)
{
    if (strcmp(p->value, "auto") == 0 && strcmp(value, "auto") == 0) return true;
    switch (p->kind) {
    case PARAM_TEXT: return true;
    case PARAM_CHOICE:
        if (is_choice(p->choices, value)) return true;
        return err_set(err, ERR_USAGE, "%s: expected %s, not '%s'", key, p->choices, value);
    case PARAM_NUMBER:
    case PARAM_INTEGER: return check_number(key, p, value, strlen(value), err);
    case PARAM_NUMBERS:
        for (const char *c = value;;) {
            size_t length = strcspn(c, ",");
            if (!check_number(key, p, c, length, err)) return false;
            if (!c[length]) return true;
            c += length + 1;
        }
    }
    return true;
}

bool params_set(Params *params, const char *key, const char *value, Err *err)
{
    char known[96], hint[HINT_TEXT];
    NearMiss miss = {.typed = key};
    for (int i = 0; i < params->n; i++) {
        ParamValue *e = &params->entry[i];
        snprintf(known, sizeof known, "%s.%s", e->group, e->param->name);
        if (strcmp(known, key) == 0) {
            if (!check_value(key, e->param, value, err)) return false;
            e->value = arena_copy_text(params->arena, value, strlen(value));
            return true;
        }
        near_miss_try(&miss, arena_copy_text(params->arena, known, strlen(known)));
    }
    return err_set(err, ERR_USAGE, "unknown key '%s'%s; `mlfs-sim list params` names them all", key,
                   near_miss_hint(&miss, hint));
}

bool params_set_pair(Params *params, const char *pair, Err *err)
{
    const char *equals = strchr(pair, '=');
    if (!equals) return err_set(err, ERR_USAGE, "--set %s: expected KEY=VALUE", pair);
    const char *key = arena_copy_text(params->arena, pair, (size_t)(equals - pair));
    return params_set(params, key, equals + 1, err);
}

const char *params_text(const Params *params, const char *group, const char *name)
{
    const ParamValue *entry = find(params, group, name);
    MUST(entry);
    return entry->value;
}

double params_number(const Params *params, const char *group, const char *name)
{
    double number;
    const char *text = params_text(params, group, name);
    MUST(text_to_double(text, strlen(text), &number));
    return number;
}

int params_integer(const Params *params, const char *group, const char *name)
{
    return (int)params_number(params, group, name);
}

int params_numbers(const Params *params, const char *group, const char *name, double value[], int room)
{
    int n = 0;
    for (const char *c = params_text(params, group, name); n < room; n++) {
        size_t length = strcspn(c, ",");
        MUST(text_to_double(c, length, &value[n]));
        if (!c[length]) return n + 1;
        c += length + 1;
    }
    return n;
}
