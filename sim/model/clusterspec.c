/* sim/model/clusterspec.c -- the forms of -c: SxG, a known name, a Philly machine list, JSON; and the VC file. */
#include "sim/model/clusterspec.h"

#include <string.h>
#include <unistd.h>

#include "sim/base/csvline.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "sim/model/specbuilder.h"

enum { LARGEST_FILE = 64 << 20, GIB = 1024 };

#define FORMS "SxG such as 16x4, philly, p3, a Philly machine list or a JSON file"

/* ---- words ---- */

/* "16x4"; the word is used up as a number form even when the numbers are out of range. */
static bool is_grid(const char *spec)
{
    size_t digits = strspn(spec, "0123456789");
    return digits && spec[digits] == 'x' && spec[digits + 1] &&
           strspn(spec + digits + 1, "0123456789") == strlen(spec + digits + 1);
}

static bool add_grid(SpecBuilder *builder, const char *spec, Err *err)
{
    size_t digits = strspn(spec, "0123456789");
    int64_t servers, gpus;
    if (!text_to_int(spec, digits, 1, MOST_GPUS, &servers) ||
        !text_to_int(spec + digits + 1, strlen(spec + digits + 1), 1, MOST_GPUS_A_SERVER, &gpus) ||
        servers * gpus > MOST_GPUS)
        return err_set(err, ERR_USAGE,
                       "cluster '%s': expected SxG with S of 1 or more, G from 1 to %d and at most %d GPUs in all",
                       spec, MOST_GPUS_A_SERVER, MOST_GPUS);
    int class_index = spec_add_class(builder, (ServerClass){.n_gpus = (int32_t)gpus});
    MUST(spec_add_servers(builder, class_index, servers, -1, 0));
    return true;
}

static void add_philly(SpecBuilder *builder)
{
    /* MLFS section 4.1: 550 servers, 2,474 GPUs; with the two kinds of the machine list that is 321 x 2 + 229 x 8.
     * Memory of a GPU as listed; host sizes are not published, ours follow the usual server of each kind. */
    ServerClass small = {.n_gpus = 2, .gpu_memory_mib = 12 * GIB, .memory_mib = 128 * GIB, .cores = 20};
    ServerClass large = {.n_gpus = 8, .gpu_memory_mib = 24 * GIB, .memory_mib = 512 * GIB, .cores = 64};
    MUST(spec_add_servers(builder, spec_add_class(builder, small), 321, -1, 0));
    MUST(spec_add_servers(builder, spec_add_class(builder, large), 229, -1, 0));
}

static void add_p3(SpecBuilder *builder)
{
    /* MLFS section 4.1: 20 x p3.8xlarge. */
    ServerClass p3 = {.gpu_type = "V100",
                      .n_gpus = 4,
                      .gpu_memory_mib = 16 * GIB,
                      .memory_mib = 244 * GIB,
                      .cores = 32,
                      .network_bytes_per_s = 10e9 / 8};
    MUST(spec_add_servers(builder, spec_add_class(builder, p3), 20, -1, 0));
}

/* ---- files ---- */

static char first_letter(const char *text)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    return text[strspn(text, " \t\r\n")];
}

static bool bad_field(const char *path, const CsvField *field, const char *expected, Err *err)
{
    char shown[SHOWN_TEXT];
    return err_set(err, ERR_DATA, "%s:%lld:%d: expected %s, found '%s'", path, (long long)field->line, field->column,
                   expected, text_shown(field->text, field->length, shown));
}

/* "12GB" in MiB. */
static bool parse_memory(const CsvField *field, int32_t *mib)
{
    int64_t number;
    size_t digits = 0;
    while (digits < field->length && field->text[digits] >= '0' && field->text[digits] <= '9') digits++;
    CsvField unit = {.text = field->text + digits, .length = field->length - digits};
    bool in_gib = csv_is(&unit, "GB") || csv_is(&unit, "GiB");
    if (!in_gib && !csv_is(&unit, "MB") && !csv_is(&unit, "MiB")) return false;
    if (!text_to_int(field->text, digits, 1, INT32_MAX / GIB, &number)) return false;
    *mib = (int32_t)(in_gib ? number * GIB : number);
    return true;
}

/* One record with a fixed number of fields, or what is wrong with it. */
static CsvResult next_of(CsvLexer *lexer, const char *path, int n_fields, const char *what, Err *err)
{
    CsvResult result = csv_next(lexer, err);
    if (result == CSV_FAULT)
        err_set(err, ERR_DATA, "%s:%lld:%d: %s", path, (long long)lexer->fault_line, lexer->fault_column, lexer->fault);
    if (result == CSV_RECORD && lexer->n_fields != n_fields) {
        err_set(err, ERR_DATA, "%s:%lld: expected %d fields (%s), found %d", path, (long long)lexer->record_line,
                n_fields, what, lexer->n_fields);
        result = CSV_FAULT;
    }
    return result;
}

static bool add_machines(SpecBuilder *builder, CsvLexer *lexer, Err *err)
{
    Names machines = {.arena = builder->arena};
    CsvResult result;
    while ((result = next_of(lexer, builder->path, 3, "machine, GPUs, memory of a GPU", err)) == CSV_RECORD) {
        const CsvField *name = &lexer->field[0], *gpus = &lexer->field[1], *memory = &lexer->field[2];
        ServerClass facts = {0};
        int64_t count;
        bool is_new;
        if (lexer->record_line == 1 && csv_is(name, "machineId")) continue;
        if (!name->length) return bad_field(builder->path, name, "the name of a machine", err);
        names_add(&machines, name->text, name->length, &is_new);
        if (!is_new) return bad_field(builder->path, name, "each machine once", err);
        if (!text_to_int(gpus->text, gpus->length, 1, MOST_GPUS_A_SERVER, &count))
            return bad_field(builder->path, gpus, "a number of GPUs from 1 to 4096", err);
        if (!parse_memory(memory, &facts.gpu_memory_mib))
            return bad_field(builder->path, memory, "a memory size such as 12GB", err);
        facts.n_gpus = (int32_t)count;
        if (!spec_add_servers(builder, spec_add_class(builder, facts), 1, -1, 0))
            return bad_field(builder->path, gpus, "at most 1000000 GPUs in all", err);
    }
    return result == CSV_END;
}

static bool add_vc_lines(SpecBuilder *builder, CsvLexer *lexer, Err *err)
{
    CsvResult result;
    bool first = true;
    for (; (result = next_of(lexer, builder->path, 2, "vc, servers", err)) == CSV_RECORD; first = false) {
        const CsvField *name = &lexer->field[0], *servers = &lexer->field[1];
        int64_t count;
        bool counted = text_to_int(servers->text, servers->length, 1, MOST_GPUS, &count);
        bool header =
            first && !counted &&
            (csv_is(name, "vc") || csv_is(name, "VC") || csv_is(name, "name") || csv_is(name, "virtual_cluster"));
        if (header) continue;
        if (!name->length) return bad_field(builder->path, name, "the name of a virtual cluster", err);
        if (!counted) return bad_field(builder->path, servers, "a number of servers, 1 or more", err);
        if (!spec_add_vc(builder, name->text, name->length, count))
            return bad_field(builder->path, name, "each virtual cluster once", err);
    }
    if (result == CSV_END && !builder->n_vcs) return err_set(err, ERR_DATA, "%s: no virtual cluster", builder->path);
    return result == CSV_END;
}

/* A file that is JSON by its first letter goes to `from_json`, any other to `from_lines`. */
static bool read_file(SpecBuilder *builder, Source *source,
                      bool (*from_json)(SpecBuilder *, const char *, size_t, Err *),
                      bool (*from_lines)(SpecBuilder *, CsvLexer *, Err *), Arena *scratch, Err *err)
{
    const char *head;
    long length = source_peek(source, &head, err);
    if (length < 0) return false;
    char *start = arena_copy_text(scratch, head, (size_t)length);
    char letter = first_letter(start);
    if (letter == '{' || letter == '[') {
        size_t n;
        char *text = source_read_all(source, scratch, LARGEST_FILE, &n, err);
        if (!text) return false;
        if (memchr(text, '\0', n)) return err_set(err, ERR_DATA, "%s: a NUL byte in JSON", builder->path);
        return from_json(builder, text, n, err);
    }
    CsvLexer lexer = csv_open(source, scratch);
    return from_lines(builder, &lexer, err);
}

bool cluster_spec_read_source(Source *source, SpecBuilder *builder, Arena *scratch, Err *err)
{
    return read_file(builder, source, spec_from_json, add_machines, scratch, err);
}

bool cluster_vcs_read_source(Source *source, SpecBuilder *builder, Arena *scratch, Err *err)
{
    return read_file(builder, source, spec_vcs_from_json, add_vc_lines, scratch, err);
}

/* Opens, reads and closes. */
static bool read_path(const char *path, SpecBuilder *builder, bool (*read)(Source *, SpecBuilder *, Arena *, Err *),
                      Err *err)
{
    Arena scratch = {0};
    Source *source = source_open(&scratch, path, err);
    bool good = source && read(source, builder, &scratch, err);
    source_close(source);
    arena_free(&scratch);
    return good;
}

/* A word that is no file and does not look like a path is more likely a mistyped name. */
static bool unknown_word(const char *spec, Err *err)
{
    char hint[HINT_TEXT];
    NearMiss miss = {.typed = spec};
    near_miss_try(&miss, "philly");
    near_miss_try(&miss, "p3");
    return err_set(err, ERR_USAGE, "no cluster and no file '%s'%s: expected %s", spec, near_miss_hint(&miss, hint),
                   FORMS);
}

static bool add_servers(SpecBuilder *builder, const char *spec, Err *err)
{
    if (is_grid(spec)) return add_grid(builder, spec, err);
    if (strcmp(spec, "philly") == 0) {
        add_philly(builder);
    } else if (strcmp(spec, "p3") == 0) {
        add_p3(builder);
    } else if (strpbrk(spec, "/.") || strcmp(spec, "-") == 0 || access(spec, F_OK) == 0) {
        if (!read_path(spec, builder, cluster_spec_read_source, err)) return false;
        if (!builder->n_servers) return err_set(err, ERR_DATA, "%s: no server", spec);
    } else {
        return unknown_word(spec, err);
    }
    return true;
}

bool cluster_spec_read(const char *spec, const char *vc_file, Arena *arena, ClusterSpec *cluster, Err *err)
{
    SpecBuilder builder = spec_builder(arena, spec);
    if (!add_servers(&builder, spec, err)) return false;
    if (vc_file && *vc_file) {
        SpecBuilder split = spec_builder(arena, vc_file);
        if (!read_path(vc_file, &split, cluster_vcs_read_source, err)) return false;
        builder.path = vc_file;
        builder.vc = split.vc;
        builder.n_vcs = split.n_vcs;
    }
    int64_t wanted = 0;
    for (int v = 0; v < builder.n_vcs; v++) wanted += builder.vc[v].n_servers;
    if (wanted > builder.n_servers)
        return err_set(err, ERR_DATA, "%s: virtual clusters want %lld servers, but the cluster has %d", builder.path,
                       (long long)wanted, builder.n_servers);
    *cluster = (ClusterSpec){
        .name = arena_copy_text(arena, spec, strlen(spec)),
        .class_of = builder.class_of,
        .n_classes = builder.n_classes,
        .server = builder.server,
        .n_servers = builder.n_servers,
        .n_gpus = (int)builder.n_gpus,
        .vc = builder.vc,
        .n_vcs = builder.n_vcs,
    };
    return true;
}
