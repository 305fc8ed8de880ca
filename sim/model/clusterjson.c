/* sim/model/clusterjson.c -- a cluster, or its VCs, from JSON; every key is known or refused. */
#include <string.h>

#include "sim/base/jsontext.h"
#include "sim/base/text.h"
#include "sim/model/specbuilder.h"

static bool bad(const SpecBuilder *builder, Err *err, const char *where, const char *what)
{
    return err_set(err, ERR_DATA, "%s: %s: %s", builder->path, where, what);
}

static const char *show(const char *text, char shown[SHOWN_TEXT])
{
    return text_shown(text, strlen(text), shown);
}

/* Each key of the object is in the list and stands there once. */
static bool check_keys(const SpecBuilder *builder, const cJSON *object, const char *where, const char *const known[],
                       Err *err)
{
    if (!cJSON_IsObject(object)) return bad(builder, err, where, "expected a JSON object");
    for (const cJSON *member = object->child; member; member = member->next) {
        NearMiss miss = {.typed = member->string};
        bool found = false;
        for (int i = 0; known[i] && !found; i++) {
            found = json_key_is(member, known[i]);
            near_miss_try(&miss, known[i]);
        }
        char hint[HINT_TEXT], shown[SHOWN_TEXT];
        if (!found)
            return err_set(err, ERR_DATA, "%s: %s: unknown key '%s'%s", builder->path, where,
                           show(member->string, shown), near_miss_hint(&miss, hint));
    }
    const char *twice = json_repeated(object);
    char shown[SHOWN_TEXT];
    if (twice)
        return err_set(err, ERR_DATA, "%s: %s: key '%s' stands there twice", builder->path, where, show(twice, shown));
    return true;
}

static bool get_count(const SpecBuilder *builder, const cJSON *object, const char *where, const char *key, int64_t low,
                      int64_t absent, int64_t *value, Err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *value = absent;
    if (!item && absent < 0) return err_set(err, ERR_DATA, "%s: %s: missing key '%s'", builder->path, where, key);
    if (!item || json_to_int(item, low, INT32_MAX / 2, value)) return true;
    return err_set(err, ERR_DATA, "%s: %s: '%s': expected a whole number from %lld to %d", builder->path, where, key,
                   (long long)low, INT32_MAX / 2);
}

/* The text under `key`, NULL where there is none. */
static bool get_text(const SpecBuilder *builder, const cJSON *object, const char *where, const char *key,
                     const char **value, Err *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *value = NULL;
    if (!item) return true;
    if (!cJSON_IsString(item) || !*item->valuestring)
        return err_set(err, ERR_DATA, "%s: %s: '%s': expected a text", builder->path, where, key);
    *value = item->valuestring;
    return true;
}

/* Servers of one class; racks get numbers in order of appearance, unnamed ones after those before. */
static bool add_class(SpecBuilder *builder, const cJSON *object, const char *where, Names *racks, int32_t *next_rack,
                      int32_t rack_of[], Err *err)
{
    static const char *const known[] = {"count", "gpus",         "gpu_type", "gpu_memory_mib",   "memory_mib",
                                        "cores", "network_gbps", "rack",     "servers_per_rack", NULL};
    ServerClass facts = {0};
    int64_t count, gpus, gpu_memory, memory, cores, per_rack;
    const char *type, *rack_name;
    if (!check_keys(builder, object, where, known, err) ||
        !get_count(builder, object, where, "count", 1, -1, &count, err) ||
        !get_count(builder, object, where, "gpus", 1, -1, &gpus, err) ||
        !get_count(builder, object, where, "gpu_memory_mib", 0, 0, &gpu_memory, err) ||
        !get_count(builder, object, where, "memory_mib", 0, 0, &memory, err) ||
        !get_count(builder, object, where, "cores", 0, 0, &cores, err) ||
        !get_count(builder, object, where, "servers_per_rack", 1, 0, &per_rack, err) ||
        !get_text(builder, object, where, "gpu_type", &type, err) ||
        !get_text(builder, object, where, "rack", &rack_name, err))
        return false;
    if (gpus > MOST_GPUS_A_SERVER) return bad(builder, err, where, "'gpus': a server has at most 4096");
    if (count > MOST_GPUS) return bad(builder, err, where, "more than 1000000 GPUs");
    if (rack_name && per_rack) return bad(builder, err, where, "'rack' and 'servers_per_rack' exclude each other");
    const cJSON *network = cJSON_GetObjectItemCaseSensitive(object, "network_gbps");
    if (network && (!cJSON_IsNumber(network) || !(network->valuedouble >= 0 && network->valuedouble <= 1e6)))
        return bad(builder, err, where, "'network_gbps': expected a number from 0 to 1e6");

    facts.n_gpus = (int32_t)gpus;
    facts.gpu_type = type ? arena_copy_text(builder->arena, type, strlen(type)) : NULL;
    facts.gpu_memory_mib = (int32_t)gpu_memory;
    facts.memory_mib = (int32_t)memory;
    facts.cores = (int32_t)cores;
    facts.network_bytes_per_s = network ? network->valuedouble * 1e9 / 8 : 0;

    int32_t rack = -1;
    if (rack_name) {
        bool is_new;
        int name = names_add(racks, rack_name, strlen(rack_name), &is_new);
        if (is_new) rack_of[name] = (*next_rack)++;
        rack = rack_of[name];
    } else if (per_rack) {
        rack = *next_rack;
        *next_rack += (int32_t)((count + per_rack - 1) / per_rack);
    }
    if (!spec_add_servers(builder, spec_add_class(builder, facts), count, rack, per_rack))
        return bad(builder, err, where, "more than 1000000 GPUs in all");
    return true;
}

static bool add_vc(SpecBuilder *builder, const char *name, const cJSON *servers, Err *err)
{
    int64_t count;
    char shown[SHOWN_TEXT];
    if (!*name) return bad(builder, err, "vcs", "a virtual cluster without a name");
    if (!json_to_int(servers, 1, MOST_GPUS, &count))
        return err_set(err, ERR_DATA, "%s: virtual cluster '%s': expected a whole number of servers, 1 or more",
                       builder->path, show(name, shown));
    if (!spec_add_vc(builder, name, strlen(name), count))
        return err_set(err, ERR_DATA, "%s: virtual cluster '%s' stands there twice", builder->path, show(name, shown));
    return true;
}

/* {"name": servers, ...} or [{"name": "...", "servers": n}, ...] */
static bool add_vcs(SpecBuilder *builder, const cJSON *vcs, Err *err)
{
    static const char *const known[] = {"name", "servers", NULL};
    if (!cJSON_IsObject(vcs) && !cJSON_IsArray(vcs)) return bad(builder, err, "vcs", "expected an object or a list");
    for (const cJSON *item = vcs->child; item; item = item->next) {
        const char *name = item->string;
        const cJSON *servers = item;
        if (cJSON_IsArray(vcs)) {
            if (!check_keys(builder, item, "vcs", known, err) || !get_text(builder, item, "vcs", "name", &name, err))
                return false;
            if (!name) return bad(builder, err, "vcs", "missing key 'name'");
            servers = cJSON_GetObjectItemCaseSensitive(item, "servers");
        }
        if (!add_vc(builder, name, servers, err)) return false;
    }
    if (!builder->n_vcs) return bad(builder, err, "vcs", "no virtual cluster");
    return true;
}

static cJSON *parse(const SpecBuilder *builder, const char *text, size_t length, Err *err)
{
    int64_t line = 1;
    int column = 1;
    cJSON *tree = json_parse(text, length, &line, &column);
    if (!tree) err_set(err, ERR_DATA, "%s:%lld:%d: not valid JSON", builder->path, (long long)line, column);
    return tree;
}

static bool add_cluster(SpecBuilder *builder, const cJSON *tree, Err *err)
{
    static const char *const known[] = {"servers", "vcs", NULL};
    if (!check_keys(builder, tree, "cluster", known, err)) return false;
    const cJSON *servers = cJSON_GetObjectItemCaseSensitive(tree, "servers");
    const cJSON *vcs = cJSON_GetObjectItemCaseSensitive(tree, "vcs");
    if (!servers) return bad(builder, err, "cluster", "missing key 'servers'");
    if (!cJSON_IsArray(servers)) return bad(builder, err, "servers", "expected a list of server classes");

    Names racks = {.arena = builder->arena};
    int32_t *rack_of = NEW_ARRAY(builder->arena, int32_t, cJSON_GetArraySize(servers)), next_rack = 0;
    int index = 0;
    for (const cJSON *item = servers->child; item; item = item->next) {
        const char *where = arena_format(builder->arena, "servers[%d]", index++);
        if (!add_class(builder, item, where, &racks, &next_rack, rack_of, err)) return false;
    }
    return !vcs || add_vcs(builder, vcs, err);
}

bool spec_from_json(SpecBuilder *builder, const char *text, size_t length, Err *err)
{
    cJSON *tree = parse(builder, text, length, err);
    bool good = tree && add_cluster(builder, tree, err);
    cJSON_Delete(tree);
    return good;
}

bool spec_vcs_from_json(SpecBuilder *builder, const char *text, size_t length, Err *err)
{
    cJSON *tree = parse(builder, text, length, err);
    bool good = tree && add_vcs(builder, tree, err);
    cJSON_Delete(tree);
    return good;
}
