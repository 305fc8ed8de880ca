/* sim/base/json.c -- numbers as raw text into cJSON trees. */
#include "sim/base/json.h"

#include <math.h>
#include <stdio.h>

#include "sim/base/err.h"
#include "sim/base/text.h"

/* cJSON gives NULL for one reason only, that memory is out, and that ends the program here as in arena.c. */
static cJSON *made(cJSON *item)
{
    MUST(item);
    return item;
}

cJSON *json_object(void)
{
    return made(cJSON_CreateObject());
}

cJSON *json_double(double value)
{
    char text[DOUBLE_TEXT];
    if (!isfinite(value)) return made(cJSON_CreateNull());
    text_from_double(value, text);
    return made(cJSON_CreateRaw(text));
}

cJSON *json_int(int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return made(cJSON_CreateRaw(text));
}

cJSON *json_time(SimTime time)
{
    char text[TIME_TEXT];
    if (time == TIME_NEVER) return made(cJSON_CreateNull());
    time_format(time, text);
    return made(cJSON_CreateRaw(text));
}

cJSON *json_text(const char *text)
{
    return made(text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void json_set(cJSON *object, const char *key, cJSON *item)
{
    MUST(!cJSON_GetObjectItemCaseSensitive(object, key));
    MUST(cJSON_AddItemToObject(object, key, item));
}

void json_set_double(cJSON *object, const char *key, double value)
{
    json_set(object, key, json_double(value));
}

void json_set_int(cJSON *object, const char *key, int64_t value)
{
    json_set(object, key, json_int(value));
}

void json_set_time(cJSON *object, const char *key, SimTime time)
{
    json_set(object, key, json_time(time));
}

void json_set_text(cJSON *object, const char *key, const char *text)
{
    json_set(object, key, json_text(text));
}

void json_set_bool(cJSON *object, const char *key, bool value)
{
    json_set(object, key, made(cJSON_CreateBool(value)));
}

void json_set_null(cJSON *object, const char *key)
{
    json_set(object, key, made(cJSON_CreateNull()));
}

cJSON *json_set_object(cJSON *object, const char *key)
{
    cJSON *item = json_object();
    json_set(object, key, item);
    return item;
}

cJSON *json_set_array(cJSON *object, const char *key)
{
    cJSON *item = made(cJSON_CreateArray());
    json_set(object, key, item);
    return item;
}

cJSON *json_add_object(cJSON *array)
{
    cJSON *item = json_object();
    MUST(cJSON_AddItemToArray(array, item));
    return item;
}

void json_write(Out *out, const cJSON *tree)
{
    char *text = cJSON_Print(tree);
    MUST(text);
    out_text(out, text);
    out_char(out, '\n');
    cJSON_free(text);
}
