/* sim/report/readback.c -- trees by cJSON, tables by the lexer of the traces. */
#include "sim/report/readback.h"

#include <math.h>
#include <string.h>

#include "sim/base/csvline.h"
#include "sim/base/jsontext.h"
#include "sim/base/source.h"
#include "sim/base/text.h"

enum { LARGEST_JSON = 16 << 20 };

cJSON *readback_json(const char *path, Arena *arena, Err *err)
{
    Source *source = source_open(arena, path, err);
    if (!source) return NULL;
    size_t length;
    const char *text = source_read_all(source, arena, LARGEST_JSON, &length, err);
    source_close(source);
    if (!text) return NULL;
    int64_t line = 1;
    int column = 1;
    cJSON *json = json_parse(text, length, &line, &column);
    if (!json) err_set(err, ERR_DATA, "%s:%lld:%d: expected JSON as mlfs-sim writes it", path, (long long)line, column);
    return json;
}

double readback_number(const cJSON *tree, const char *path)
{
    char key[64];
    const cJSON *item = tree;
    for (size_t length; item && *path; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        MUST(length < sizeof key);
        memcpy(key, path, length);
        key[length] = '\0';
        item = cJSON_GetObjectItemCaseSensitive(item, key);
    }
    if (!item) return (double)NAN;
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

/* A table being read: where the wanted columns are and how much room their arrays have. */
typedef struct Table {
    const char *path;
    CsvLexer csv;
    Arena *arena;
    ReadColumn *column;
    int *place; /* [n] */
    int n;
    int64_t rows, room;
} Table;

static bool find_columns(Table *table, Err *err)
{
    for (int c = 0; c < table->n; c++) {
        int *place = &table->place[c];
        for (*place = 0; *place < table->csv.n_fields; ++*place)
            if (csv_is(&table->csv.field[*place], table->column[c].name)) break;
        if (*place == table->csv.n_fields)
            return err_set(err, ERR_DATA, "%s:%lld: expected a column %s", table->path,
                           (long long)table->csv.record_line, table->column[c].name);
    }
    return true;
}

static void make_room(Table *table)
{
    if (table->rows < table->room) return;
    size_t n = (size_t)table->rows, room = n ? 2 * n : 1024;
    for (int c = 0; c < table->n; c++) {
        ReadColumn *column = &table->column[c];
        switch (column->kind) {
        case COLUMN_TEXT: column->text = arena_resize(table->arena, column->text, n, room, sizeof *column->text); break;
        case COLUMN_TIME: column->time = arena_resize(table->arena, column->time, n, room, sizeof *column->time); break;
        case COLUMN_NUMBER:
            column->number = arena_resize(table->arena, column->number, n, room, sizeof *column->number);
            break;
        }
    }
    table->room = (int64_t)room;
}

/* Durations are never negative, instants may be: a trace's clock can start below zero when counted from elsewhere. */
static bool parse_time(const CsvField *field, SimTime *time)
{
    bool negative = field->length && field->text[0] == '-';
    if (!time_parse_seconds(field->text + negative, field->length - negative, time)) return false;
    if (negative) *time = -*time;
    return true;
}

static bool read_cell(Table *table, ReadColumn *column, const CsvField *field, Err *err)
{
    int64_t row = table->rows;
    bool fine = true;
    switch (column->kind) {
    case COLUMN_TEXT: column->text[row] = arena_copy_text(table->arena, field->text, field->length); break;
    case COLUMN_TIME:
        column->time[row] = TIME_NEVER;
        fine = !field->length || parse_time(field, &column->time[row]);
        break;
    case COLUMN_NUMBER:
        column->number[row] = (double)NAN;
        fine = !field->length || text_to_double(field->text, field->length, &column->number[row]);
        break;
    }
    char shown[SHOWN_TEXT];
    return fine || err_set(err, ERR_DATA, "%s:%lld:%d: expected %s, not '%s'", table->path, (long long)field->line,
                           field->column, column->kind == COLUMN_TIME ? "seconds" : "a number",
                           text_shown(field->text, field->length, shown));
}

/* The next record; *end when there is none. */
static bool next(Table *table, bool *end, Err *err)
{
    CsvResult result = csv_next(&table->csv, err);
    *end = result == CSV_END;
    if (result == CSV_FAULT)
        return err_set(err, ERR_DATA, "%s:%lld:%d: %s", table->path, (long long)table->csv.fault_line,
                       table->csv.fault_column, table->csv.fault);
    return result != CSV_FAILED;
}

static bool read_rows(Table *table, Err *err)
{
    bool end;
    if (!next(table, &end, err)) return false;
    if (end) return err_set(err, ERR_DATA, "%s: expected a table, found nothing", table->path);
    if (!find_columns(table, err)) return false;
    int width = table->csv.n_fields;
    make_room(table); /* an array is there even when no row is */
    for (; next(table, &end, err) && !end; table->rows++) {
        if (table->csv.n_fields != width)
            return err_set(err, ERR_DATA, "%s:%lld: expected %d fields, found %d", table->path,
                           (long long)table->csv.record_line, width, table->csv.n_fields);
        make_room(table);
        for (int c = 0; c < table->n; c++)
            if (!read_cell(table, &table->column[c], &table->csv.field[table->place[c]], err)) return false;
    }
    return end;
}

static bool read_table(Source *source, ReadColumn column[], int n_columns, int64_t *n_rows, Arena *arena, Err *err)
{
    Table table = {.path = source_path(source),
                   .csv = csv_open(source, arena),
                   .arena = arena,
                   .column = column,
                   .place = NEW_ARRAY(arena, int, n_columns + 1),
                   .n = n_columns};
    for (int c = 0; c < n_columns; c++) {
        column[c].text = NULL;
        column[c].time = NULL;
        column[c].number = NULL;
    }
    bool fine = read_rows(&table, err);
    source_close(source);
    *n_rows = table.rows;
    return fine;
}

bool readback_csv(const char *path, ReadColumn column[], int n_columns, int64_t *n_rows, Arena *arena, Err *err)
{
    Source *source = source_open(arena, path, err);
    return source && read_table(source, column, n_columns, n_rows, arena, err);
}

void readback_lines(const char *name, const char *const line[], ReadColumn column[], int n_columns, int64_t *n_rows,
                    Arena *arena)
{
    size_t length = 0;
    for (int i = 0; line[i]; i++) length += strlen(line[i]);
    char *text = NEW_ARRAY(arena, char, length + 1), *end = text;
    for (int i = 0; line[i]; i++) end = stpcpy(end, line[i]);
    Err err = {0};
    Source *source = source_open_bytes(arena, name, text, length, &err);
    MUST(source && read_table(source, column, n_columns, n_rows, arena, &err));
}
