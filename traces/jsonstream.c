/* traces/jsonstream.c -- a byte scanner that knows brackets and strings and leaves the rest to cJSON. */
#include "traces/jsonstream.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/jsontext.h"

enum { BLOCK = 256 << 10, LARGEST_ELEMENT = 64 << 20 };

/* What may come next between elements. */
typedef enum {
    EXPECT_BRACKET,        /* of {"KEY": [, whose beginning was checked */
    EXPECT_VALUE_OR_CLOSE, /* behind [ */
    EXPECT_VALUE,          /* behind a comma */
    EXPECT_COMMA_OR_CLOSE,
    EXPECT_BRACE, /* the last of {"KEY": [...]} */
    EXPECT_NOTHING,
    EXPECT_OBJECT_OR_END, /* NDJSON */
} Expect;

static const char *const expectation[] = {
    "'['", "'{' or ']'", "'{'", "',' or ']'", "'}'", "the end of the file", "'{'",
};

typedef struct Stream {
    Source *source;
    Arena *scratch;
    Expect expect;
    bool wrapped, lines; /* {"KEY": ...}; NDJSON */

    int64_t line;
    int64_t offset;     /* of the block in the file */
    int64_t line_start; /* offset of the line */

    int depth; /* of brackets inside an element, 0 between elements */
    bool in_string, escaped;
    JsonElement element;
    char *text;
    size_t capacity;
} Stream;

/* The bytes at which the scanner has to think, by where it is. */
enum { PLAIN, QUOTE, OPEN, CLOSE, NEWLINE, ESCAPE, CONTROL };
static const unsigned char outside[256] = {
    ['"'] = QUOTE, ['{'] = OPEN, ['['] = OPEN, ['}'] = CLOSE, [']'] = CLOSE, ['\n'] = NEWLINE,
};
#define EIGHT CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL, CONTROL
static const unsigned char inside[256] = {
    [0] = EIGHT, EIGHT, EIGHT, EIGHT, ['"'] = QUOTE, ['\\'] = ESCAPE,
};

static int column_at(const Stream *s, size_t i)
{
    return (int)(s->offset + (int64_t)i - s->line_start) + 1;
}

static bool append(Stream *s, const char *bytes, size_t n, Err *err)
{
    size_t wanted = s->element.length + n + 1;
    if (wanted > LARGEST_ELEMENT)
        return err_set(err, ERR_DATA, "%s:%lld:%d: a job larger than %d MiB", source_path(s->source),
                       (long long)s->element.line, s->element.column, LARGEST_ELEMENT >> 20);
    if (wanted > s->capacity) {
        size_t larger = s->capacity ? s->capacity : 4096;
        while (larger < wanted) larger *= 2;
        s->text = arena_grow(s->scratch, s->text, s->element.length, larger, 1);
        s->capacity = larger;
    }
    memcpy(s->text + s->element.length, bytes, n);
    s->element.length += n;
    s->text[s->element.length] = '\0';
    return true;
}

/* From block[*at], inside an element, to its end or to the end of the block. */
static bool scan_element(Stream *s, const char *block, size_t end, size_t *at, Err *err)
{
    size_t i = *at;
    while (i < end && s->depth) {
        if (s->escaped) {
            s->escaped = false;
            i++;
            continue;
        }
        const unsigned char *kind = s->in_string ? inside : outside;
        while (i < end && kind[(unsigned char)block[i]] == PLAIN) i++;
        if (i == end) break;
        switch (kind[(unsigned char)block[i]]) {
        case QUOTE: s->in_string = !s->in_string; break;
        case ESCAPE: s->escaped = true; break;
        case OPEN:
            if (++s->depth <= JSON_NESTING) break;
            return err_set(err, ERR_DATA, "%s:%lld:%d: expected brackets nested %d deep at most, found one more",
                           source_path(s->source), (long long)s->line, column_at(s, i), JSON_NESTING);
        case CLOSE: s->depth--; break;
        case NEWLINE:
            s->line++;
            s->line_start = s->offset + (int64_t)i + 1;
            break;
        default:
            return err_set(err, ERR_DATA, "%s:%lld:%d: expected the end of a string, found %s", source_path(s->source),
                           (long long)s->line, column_at(s, i),
                           block[i] == '\n' ? "the end of the line" : "a control character");
        }
        i++;
    }
    bool good = append(s, block + *at, i - *at, err);
    *at = i;
    return good;
}

static bool unexpected(const Stream *s, size_t i, char c, Err *err)
{
    char found[8];
    snprintf(found, sizeof found, c > ' ' && c < 0x7f ? "'%c'" : "0x%02x", (unsigned char)c);
    return err_set(err, ERR_DATA, "%s:%lld:%d: expected %s, found %s", source_path(s->source), (long long)s->line,
                   column_at(s, i), expectation[s->expect], found);
}

/* One byte between elements. */
static bool step(Stream *s, size_t i, char c, Err *err)
{
    if (c == '\n') {
        s->line++;
        s->line_start = s->offset + (int64_t)i + 1;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') return true;

    bool value = s->expect == EXPECT_VALUE || s->expect == EXPECT_VALUE_OR_CLOSE || s->expect == EXPECT_OBJECT_OR_END;
    bool close = s->expect == EXPECT_VALUE_OR_CLOSE || s->expect == EXPECT_COMMA_OR_CLOSE;
    if (s->expect == EXPECT_BRACKET) {
        if (c == '[') s->expect = EXPECT_VALUE_OR_CLOSE;
    } else if (value && c == '{') {
        s->depth = 1;
        s->element = (JsonElement){.line = s->line, .column = column_at(s, i)};
        return append(s, &c, 1, err);
    } else if (close && c == ']') {
        s->expect = s->wrapped ? EXPECT_BRACE : EXPECT_NOTHING;
    } else if (s->expect == EXPECT_COMMA_OR_CLOSE && c == ',') {
        s->expect = EXPECT_VALUE;
    } else if (s->expect == EXPECT_BRACE && c == '}') {
        s->expect = EXPECT_NOTHING;
    } else {
        return unexpected(s, i, c, err);
    }
    return true;
}

static bool scan_block(Stream *s, const char *block, size_t end,
                       bool (*take)(void *context, const JsonElement *element, Err *err), void *context, Err *err)
{
    for (size_t i = 0; i < end;) {
        if (!s->depth) {
            if (!step(s, i, block[i], err)) return false;
            i++;
            continue;
        }
        if (!scan_element(s, block, end, &i, err)) return false;
        if (s->depth) continue;
        s->expect = s->lines ? EXPECT_OBJECT_OR_END : EXPECT_COMMA_OR_CLOSE;
        s->element.text = s->text;
        if (!take(context, &s->element, err)) return false;
    }
    return true;
}

static size_t skip_blanks(const char *text, size_t i, size_t n)
{
    while (i < n && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) i++;
    return i;
}

/* Which of the three forms this is; the BOM is behind. */
static bool find_form(Stream *s, const char *head, size_t n, const char *key, Err *err)
{
    size_t i = skip_blanks(head, 0, n), length = strlen(key);
    s->expect = EXPECT_BRACKET;
    if (i == n || head[i] == '[') return true;
    if (head[i] != '{')
        return err_set(err, ERR_DATA, "%s: expected JSON that begins with '[' or '{'", source_path(s->source));
    i = skip_blanks(head, i + 1, n);
    if (n - i > length + 2 && head[i] == '"' && memcmp(head + i + 1, key, length) == 0 && head[i + 1 + length] == '"') {
        i = skip_blanks(head, i + length + 2, n);
        if (i < n && head[i] == ':') {
            i = skip_blanks(head, i + 1, n);
            s->wrapped = i < n && head[i] == '[';
        }
    }
    s->lines = !s->wrapped;
    if (s->lines) s->expect = EXPECT_OBJECT_OR_END;
    return true;
}

static bool check_end(const Stream *s, Err *err)
{
    if (s->depth)
        return err_set(err, ERR_DATA, "%s:%lld:%d: expected the end of this job, found the end of the file",
                       source_path(s->source), (long long)s->element.line, s->element.column);
    if (s->expect == EXPECT_NOTHING || s->expect == EXPECT_OBJECT_OR_END) return true;
    return err_set(err, ERR_DATA, "%s:%lld: expected %s, found the end of the file", source_path(s->source),
                   (long long)s->line, expectation[s->expect]);
}

bool json_stream(Source *source, const char *key, Arena *scratch,
                 bool (*take)(void *context, const JsonElement *element, Err *err), void *context, Err *err)
{
    Stream s = {.source = source, .scratch = scratch, .line = 1};
    const char *head;
    long n = source_peek(source, &head, err);
    if (n < 0) return false;
    size_t bom = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (!find_form(&s, head + bom, (size_t)n - bom, key, err)) return false;

    char *block = NEW_ARRAY(scratch, char, BLOCK);
    if (bom && source_read(source, block, bom, err) != (long)bom) return false;
    while ((n = source_read(source, block, BLOCK, err)) > 0) {
        if (!scan_block(&s, block, (size_t)n, take, context, err)) return false;
        s.offset += n;
    }
    return n == 0 && check_end(&s, err);
}
