/* sim/cli/config.c -- a JSON object becomes options, settings and an operand. */
#include "sim/cli/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/jsontext.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "sim/cli/commands.h"

enum { LARGEST = 16 << 20 }; /* bytes; a configuration is a page of text */

typedef struct Config {
    Invocation *inv;
    const char *path;
    Given *given; /* [n_given] */
    int n_given;
    Setting *setting; /* [n_settings] */
    int n_settings;
    const char *trace; /* NULL: not named */
    Err *err;
} Config;

static const char *number_text(Arena *arena, double number)
{
    char text[DOUBLE_TEXT];
    if (number == floor(number) && fabs(number) < 9007199254740992.0) return arena_format(arena, "%.0f", number);
    text_from_double(number, text);
    return arena_format(arena, "%s", text);
}

static const char *list_text(Arena *arena, const cJSON *list);

/* The value as it would be typed: a list with commas between; NULL: null or an object, which cannot be typed. */
static const char *value_text(Arena *arena, const cJSON *item)
{
    if (cJSON_IsString(item)) return arena_copy_text(arena, item->valuestring, strlen(item->valuestring));
    if (cJSON_IsNumber(item)) return number_text(arena, item->valuedouble);
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? "1" : "0";
    return cJSON_IsArray(item) ? list_text(arena, item) : NULL;
}

static const char *list_text(Arena *arena, const cJSON *list)
{
    int n = cJSON_GetArraySize(list), i = 0;
    if (!n) return NULL;
    const char **part = NEW_ARRAY(arena, const char *, n);
    size_t length = 0;
    for (const cJSON *item = list->child; item; item = item->next) {
        const char *text = cJSON_IsArray(item) ? NULL : value_text(arena, item);
        if (!text) return NULL;
        part[i++] = text;
        length += strlen(text) + 1;
    }
    char *text = NEW_ARRAY(arena, char, length), *end = text;
    for (i = 0; i < n; i++) {
        if (i) *end++ = ',';
        end = stpcpy(end, part[i]);
    }
    return text;
}

static bool add_setting(Config *config, const char *key, const cJSON *item)
{
    Arena *arena = config->inv->arena;
    const char *value = value_text(arena, item);
    if (!value) return err_set(config->err, ERR_USAGE, "%s: %s: expected a number or a text", config->path, key);
    config->setting[config->n_settings++] = (Setting){arena_copy_text(arena, key, strlen(key)), value, config->path};
    return true;
}

/* {"srtf.hold_s": 60} and {"srtf": {"hold_s": 60}} say the same. */
static bool add_parameters(Config *config, const cJSON *parameters)
{
    if (!cJSON_IsObject(parameters))
        return err_set(config->err, ERR_USAGE, "%s: parameters: expected an object", config->path);
    for (const cJSON *item = parameters->child; item; item = item->next) {
        if (!cJSON_IsObject(item)) {
            if (!add_setting(config, item->string, item)) return false;
            continue;
        }
        for (const cJSON *inner = item->child; inner; inner = inner->next)
            if (!add_setting(config, arena_format(config->inv->arena, "%s.%s", item->string, inner->string), inner))
                return false;
    }
    return true;
}

static bool add_option(Config *config, const Option *option, const cJSON *item)
{
    if (strcmp(option->name, "set") == 0 || strcmp(option->name, "config") == 0 || strcmp(option->name, "help") == 0)
        return err_set(config->err, ERR_USAGE, "%s: '%s' has no place in a configuration file", config->path,
                       option->name);
    if (cJSON_IsNull(item)) return true; /* as run.json writes what was not given */
    if (!option->argument && !cJSON_IsBool(item))
        return err_set(config->err, ERR_USAGE, "%s: %s: expected true or false", config->path, option->name);
    if (!option->argument && cJSON_IsFalse(item)) return true;

    const char *value = option->argument ? value_text(config->inv->arena, item) : "";
    if (!value)
        return err_set(config->err, ERR_USAGE, "%s: %s: expected a number or a text", config->path, option->name);
    config->given[config->n_given++] = (Given){option, value, config->path};
    return true;
}

/* An option of some other command: one file may serve several. */
static bool is_option_elsewhere(const char *key)
{
    for (const Command *const *c = command_list; *c; c++)
        if (option_find(*c, key, NULL)) return true;
    return false;
}

static bool add_member(Config *config, const cJSON *item)
{
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = item->string};
    const Option *option = option_find(config->inv->command, item->string, &miss);
    if (option) return add_option(config, option, item);
    if (strchr(item->string, '.')) return add_setting(config, item->string, item);
    if (strcmp(item->string, "trace") == 0) {
        if (!cJSON_IsString(item))
            return err_set(config->err, ERR_USAGE, "%s: trace: expected the path of a trace", config->path);
        config->trace = value_text(config->inv->arena, item);
        return true;
    }
    if (is_option_elsewhere(item->string)) return true;
    near_miss_try(&miss, "trace");
    near_miss_try(&miss, "parameters");
    return err_set(config->err, ERR_USAGE, "%s: unknown key '%s'%s", config->path, item->string,
                   near_miss_hint(&miss, hint));
}

static bool add_members(Config *config, const cJSON *object)
{
    for (const cJSON *item = object->child; item; item = item->next)
        if (!(strcmp(item->string, "parameters") == 0 ? add_parameters(config, item) : add_member(config, item)))
            return false;
    return true;
}

static bool has_unique_keys(Config *config, const cJSON *object)
{
    const char *repeated = cJSON_IsObject(object) ? json_repeated(object) : NULL;
    if (repeated) return err_set(config->err, ERR_USAGE, "%s: key '%s' is there twice", config->path, repeated);
    for (const cJSON *item = object->child; item; item = item->next)
        if (cJSON_IsObject(item) && !has_unique_keys(config, item)) return false;
    return true;
}

static bool add_tree(Config *config, const cJSON *tree)
{
    if (!cJSON_IsObject(tree)) return err_set(config->err, ERR_USAGE, "%s: expected a JSON object", config->path);
    if (!has_unique_keys(config, tree)) return false;

    /* A run.json says more about its run than --config asks for. */
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(tree, "options");
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(tree, "parameters");
    if (!cJSON_IsObject(options) || !parameters) return add_members(config, tree);
    return add_members(config, options) && add_parameters(config, parameters);
}

/* As many as the file can hold at most: each key needs a colon. */
static size_t count_colons(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += *text == ':';
    return n;
}

bool config_read(Invocation *inv, const char *path, Err *err)
{
    Source *source = source_open(inv->arena, path, err);
    if (!source) return false;
    size_t length;
    char *text = source_read_all(source, inv->arena, LARGEST, &length, err);
    source_close(source);
    if (!text) return false;

    int64_t line = 1;
    int column = 1;
    cJSON *tree = json_parse(text, length, &line, &column);
    if (!tree) return err_set(err, ERR_USAGE, "%s:%lld:%d: this is not JSON", path, (long long)line, column);

    size_t most = count_colons(text) + 1;
    Config config = {.inv = inv,
                     .path = path,
                     .given = NEW_ARRAY(inv->arena, Given, most + (size_t)inv->n_given),
                     .setting = NEW_ARRAY(inv->arena, Setting, most),
                     .err = err};
    bool done = add_tree(&config, tree);
    cJSON_Delete(tree);
    if (!done) return false;

    for (int i = 0; i < inv->n_given; i++) config.given[config.n_given++] = inv->given[i];
    inv->given = config.given;
    inv->n_given = config.n_given;
    inv->setting = config.setting;
    inv->n_settings = config.n_settings;
    if (config.trace && inv->n_operands == 0 && text_starts(inv->command->operands, "TRACE")) {
        const char **operand = NEW_ARRAY(inv->arena, const char *, 1);
        operand[0] = config.trace;
        inv->operand = operand;
        inv->n_operands = 1;
    }
    return true;
}
