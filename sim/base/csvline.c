/* sim/base/csvline.c -- a lexer that works in place on a window of the file.
 *
 * The window always holds the whole record being read; when it does not, more is read and the record is taken from its
 * start again, which happens once per window.  Doubled quotes are undone only when a record is whole.
 */
#include "sim/base/csvline.h"

#include <string.h>

enum { WINDOW = 256 << 10, LARGEST_RECORD = 64 << 20 };

CsvLexer csv_open(Source *source, Arena *arena)
{
    CsvLexer lexer = {.source = source, .arena = arena, .capacity = WINDOW, .line = 1, .room = 32};
    lexer.buffer = NEW_ARRAY(arena, char, WINDOW);
    lexer.field = NEW_ARRAY(arena, CsvField, lexer.room);
    return lexer;
}

bool csv_is(const CsvField *field, const char *word)
{
    return strlen(word) == field->length && memcmp(field->text, word, field->length) == 0;
}

/* Fills the window from the source, keeping buffer[at..end). */
static bool refill(CsvLexer *lexer, Err *err)
{
    size_t kept = lexer->end - lexer->at;
    bool first = lexer->end == 0;
    if (kept == lexer->capacity) {
        if (kept >= LARGEST_RECORD)
            return err_set(err, ERR_DATA, "%s:%lld: a record larger than %d MiB", source_path(lexer->source),
                           (long long)lexer->line, LARGEST_RECORD >> 20);
        lexer->buffer = arena_grow(lexer->arena, lexer->buffer, kept, kept * 2, 1);
        lexer->capacity = kept * 2;
    } else if (kept) {
        memmove(lexer->buffer, lexer->buffer + lexer->at, kept);
    }
    lexer->at = 0;
    lexer->end = kept;
    while (lexer->end < lexer->capacity) {
        long n = source_read(lexer->source, lexer->buffer + lexer->end, lexer->capacity - lexer->end, err);
        if (n < 0) return false;
        lexer->drained = n == 0;
        if (n == 0) break;
        lexer->end += (size_t)n;
    }
    if (first && lexer->end >= 3 && memcmp(lexer->buffer, "\xef\xbb\xbf", 3) == 0) lexer->at = 3;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Length of the line end at buffer[i]: 2 for CRLF, 1 for LF, 0 for anything else.  A CR that ends the file counts. */
static size_t line_end(const CsvLexer *lexer, size_t i)
{
    if (lexer->buffer[i] == '\n') return 1;
    if (lexer->buffer[i] != '\r') return 0;
    if (i + 1 < lexer->end) return lexer->buffer[i + 1] == '\n' ? 2 : 0;
    return lexer->drained;
}

/* Where the scan of one record stands. */
typedef struct Scan {
    size_t i, line_start;
    int64_t line;
} Scan;

typedef enum { SCAN_DONE, SCAN_NEED_MORE, SCAN_FAULT } ScanResult;

static ScanResult fault(CsvLexer *lexer, const char *what, int64_t line, size_t column)
{
    lexer->fault = what;
    lexer->fault_line = line;
    lexer->fault_column = (int)column;
    return SCAN_FAULT;
}

/* From behind the opening quote to behind the closing one. */
static ScanResult scan_quoted(CsvLexer *lexer, Scan *scan, CsvField *field)
{
    size_t begin = scan->i;
    for (;; scan->i++) {
        if (scan->i == lexer->end) {
            if (!lexer->drained) return SCAN_NEED_MORE;
            return fault(lexer, "expected a closing quote, found the end of the file", field->line,
                         (size_t)field->column);
        }
        char c = lexer->buffer[scan->i];
        if (c == '\n') {
            scan->line++;
            scan->line_start = scan->i + 1;
        } else if (c == '"') {
            if (scan->i + 1 == lexer->end && !lexer->drained) return SCAN_NEED_MORE;
            if (scan->i + 1 == lexer->end || lexer->buffer[scan->i + 1] != '"') break;
            lexer->unquoted = true;
            scan->i++;
        }
    }
    field->text = lexer->buffer + begin;
    field->length = scan->i++ - begin;
    while (scan->i < lexer->end && is_blank(lexer->buffer[scan->i])) scan->i++;
    if (scan->i == lexer->end) return lexer->drained ? SCAN_DONE : SCAN_NEED_MORE;
    if (lexer->buffer[scan->i] == '\r' && scan->i + 1 == lexer->end && !lexer->drained) return SCAN_NEED_MORE;
    if (lexer->buffer[scan->i] != ',' && !line_end(lexer, scan->i))
        return fault(lexer, "expected a comma after the closing quote", scan->line, scan->i - scan->line_start + 1);
    return SCAN_DONE;
}

/* One field, up to its comma or line end. */
static ScanResult scan_field(CsvLexer *lexer, Scan *scan, CsvField *field)
{
    const char *b = lexer->buffer;
    while (scan->i < lexer->end && is_blank(b[scan->i])) scan->i++;
    *field = (CsvField){.line = scan->line, .column = (int)(scan->i - scan->line_start) + 1};
    if (scan->i < lexer->end && b[scan->i] == '"') {
        scan->i++;
        return scan_quoted(lexer, scan, field);
    }
    size_t begin = scan->i, stop;
    for (; scan->i < lexer->end && b[scan->i] != ','; scan->i++)
        if ((b[scan->i] == '\n' || b[scan->i] == '\r') && line_end(lexer, scan->i)) break;
    if (scan->i == lexer->end && !lexer->drained) return SCAN_NEED_MORE;
    for (stop = scan->i; stop > begin && is_blank(b[stop - 1]);) stop--;
    field->text = b + begin;
    field->length = stop - begin;
    return SCAN_DONE;
}

static ScanResult scan_record(CsvLexer *lexer, Scan *scan)
{
    lexer->n_fields = 0;
    lexer->unquoted = false;
    for (;;) {
        if (lexer->n_fields == lexer->room) {
            lexer->field = arena_grow(lexer->arena, lexer->field, (size_t)lexer->room, (size_t)lexer->room * 2,
                                      sizeof *lexer->field);
            lexer->room *= 2;
        }
        ScanResult result = scan_field(lexer, scan, &lexer->field[lexer->n_fields]);
        if (result != SCAN_DONE) return result;
        lexer->n_fields++;
        if (scan->i == lexer->end) return SCAN_DONE;
        if (lexer->buffer[scan->i] != ',') {
            scan->i += line_end(lexer, scan->i);
            scan->line++;
            return SCAN_DONE;
        }
        scan->i++;
    }
}

static void undo_doubled_quotes(CsvField *field, char *text)
{
    size_t to = 0;
    for (size_t from = 0; from < field->length; from++) {
        text[to++] = text[from];
        if (text[from] == '"') from++; /* inside quotes a quote is always the first of two */
    }
    field->length = to;
}

/* A quote that opened a field stands right before its text. */
static bool was_quoted(const CsvLexer *lexer, const CsvField *field)
{
    return field->text > lexer->buffer && field->text[-1] == '"';
}

/* Behind the end of the line where the fault is; false if the window does not reach so far. */
static bool skip_line(CsvLexer *lexer, Scan *scan)
{
    const char *newline = memchr(lexer->buffer + scan->i, '\n', lexer->end - scan->i);
    if (!newline && !lexer->drained) return false;
    scan->i = newline ? (size_t)(newline - lexer->buffer) + 1 : lexer->end;
    scan->line++;
    return true;
}

CsvResult csv_next(CsvLexer *lexer, Err *err)
{
    for (;;) {
        Scan scan = {.i = lexer->at, .line_start = lexer->at, .line = lexer->line};
        if (lexer->at == lexer->end && lexer->drained) return CSV_END;
        ScanResult result = lexer->at == lexer->end ? SCAN_NEED_MORE : scan_record(lexer, &scan);
        if (result == SCAN_FAULT && !skip_line(lexer, &scan)) result = SCAN_NEED_MORE;
        if (result == SCAN_NEED_MORE) {
            if (!refill(lexer, err)) return CSV_FAILED;
            continue;
        }
        const char *nul = memchr(lexer->buffer + lexer->at, '\0', scan.i - lexer->at);
        if (result == SCAN_DONE && nul)
            result = fault(lexer, "expected text, found a NUL byte", lexer->line,
                           (size_t)(nul - lexer->buffer) - lexer->at + 1);

        lexer->record_line = lexer->line;
        lexer->at = scan.i;
        lexer->line = scan.line;
        if (result == SCAN_FAULT) return CSV_FAULT;
        if (lexer->n_fields == 1 && lexer->field[0].length == 0 && !was_quoted(lexer, &lexer->field[0])) continue;
        for (int k = 0; lexer->unquoted && k < lexer->n_fields; k++)
            if (was_quoted(lexer, &lexer->field[k]))
                undo_doubled_quotes(&lexer->field[k], lexer->buffer + (lexer->field[k].text - lexer->buffer));
        return CSV_RECORD;
    }
}
