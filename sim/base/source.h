/* sim/base/source.h -- the bytes of an input file: plain, gzip or zstd, from a path or from standard input ("-").
 *
 * Kinds are told apart by their first bytes.  Damage is an error wherever it shows: a compressed stream that ends
 * early, fails its checksum, or is followed by something that is neither another member nor zero padding.  The SHA-256
 * is that of the bytes as stored, taken on the way, so that a pipe can be named too.
 *
 * A path that cannot be opened is ERR_USAGE, damaged data ERR_DATA, a failing disk ERR_MACHINE.
 */
#ifndef SIM_BASE_SOURCE_H
#define SIM_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"

typedef struct Source Source;

enum { SOURCE_PEEK = 4096 };

Source *source_open(Arena *arena, const char *path, Err *err); /* NULL: err tells; the caller must source_close */
const char *source_path(const Source *source);                 /* for messages: the path, or "standard input" */

/* The same over `n` stored bytes in memory, which must outlive it. */
Source *source_open_bytes(Arena *arena, const char *name, const void *bytes, size_t n, Err *err);

/* Up to `room` bytes into `buffer`; 0 at the sound end of the data, -1 when err tells. */
long source_read(Source *source, char *buffer, size_t room, Err *err);

/* The first bytes (up to SOURCE_PEEK, fewer only if the file is shorter) without consuming them; -1 when err tells.
 * Only before the first source_read. */
long source_peek(Source *source, const char **bytes, Err *err);

/* All that is left, NUL-terminated, or NULL when err tells; more than `limit` bytes is an error. */
char *source_read_all(Source *source, Arena *arena, size_t limit, size_t *length, Err *err);

/* After the end was read: 64 hexadecimal digits. */
void source_sha256(Source *source, char text[65]);
void source_close(Source *source); /* NULL is fine */

#endif
