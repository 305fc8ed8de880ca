/* sim/base/csvline.h -- the records and fields of a CSV file, as RFC 4180 has it, with exact places.
 *
 * Accepted beyond the letter of the RFC: LF for CRLF, a missing final newline, a UTF-8 byte-order mark, blanks around
 * commas (trimmed outside quotes), blank lines (skipped), a quote inside an unquoted field (an ordinary character).
 * Fields lie in the lexer's own buffer and are good until the next record is asked for.
 */
#ifndef SIM_BASE_CSVLINE_H
#define SIM_BASE_CSVLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/source.h"

typedef struct CsvField {
    const char *text; /* not NUL-terminated; holds no NUL */
    size_t length;
    int64_t line; /* of its first byte, counted from 1 */
    int column;   /* in bytes, counted from 1 */
} CsvField;

typedef struct CsvLexer {
    Source *source;
    Arena *arena;
    char *buffer; /* the record being read begins at `at`, bytes end at `end` */
    size_t at, end, capacity;
    bool drained;  /* the source has no more */
    int64_t line;  /* of buffer[at] */
    bool unquoted; /* the record has fields with doubled quotes in them, not undone yet */

    CsvField *field; /* [n_fields] of the latest record */
    int n_fields, room;
    int64_t record_line; /* where that record begins */

    const char *fault; /* CSV_FAULT: what was expected and what was there ... */
    int64_t fault_line;
    int fault_column; /* ... and where */
} CsvLexer;

/* CSV_FAULT is a record that is no CSV: `fault` tells, and the lexer stands behind the end of its line.  CSV_FAILED:
 * the file itself cannot be read on, err tells. */
typedef enum { CSV_RECORD, CSV_END, CSV_FAULT, CSV_FAILED } CsvResult;

CsvLexer csv_open(Source *source, Arena *arena);
CsvResult csv_next(CsvLexer *lexer, Err *err);

bool csv_is(const CsvField *field, const char *word);

#endif
