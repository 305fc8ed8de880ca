/* sim/base/out.h -- a buffered output file that appears under its name only when it is whole.
 *
 * Text goes to NAME.tmp.PID; out_close checks every write, renames, and so never leaves a file that looks finished but
 * is not.  Names ending in .gz are compressed; a path that is no regular file (/dev/stdout, a pipe, /dev/full) and "-"
 * are written directly.  Writers do not check calls one by one: the first failure is kept and told by out_close.
 */
#ifndef SIM_BASE_OUT_H
#define SIM_BASE_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/image.h"
#include "sim/base/simtime.h"

typedef struct Out Out;

Out *out_open(Arena *arena, const char *path, Err *err); /* NULL: err tells */
bool out_close(Out *out, Err *err);                      /* flush, check, rename; the Out is gone either way */
void out_abandon(Out *out);                              /* forget it all, remove the temporary file; NULL is fine */
bool out_failed(const Out *out);                         /* a long writer may stop early */
bool out_is_file(const Out *out);                        /* a regular file, which other files can lie beside */
bool out_is_regular(const char *path);                   /* what out_open would write there is one */

/* Files whose Out lies in an image are saved with it: what each has on disk so far (out_written), and after the image
 * and these files are back, out_reopen goes on writing where it stopped. */
const Out *out_next(const Image *image, const Out *out); /* one after the other; NULL first and last */
const char *out_written(const Out *out);                 /* the file on disk; NULL: no regular file */
bool out_reopen(Image *image, Err *err);

void out_bytes(Out *out, const char *text, size_t length);
void out_text(Out *out, const char *text);
void out_char(Out *out, char c);
void out_int(Out *out, int64_t value);
void out_time(Out *out, SimTime time);    /* seconds as time_format; TIME_NEVER writes nothing */
void out_double(Out *out, double value);  /* shortest that reads back; NaN writes nothing */
void out_csv(Out *out, const char *text); /* a CSV field, quoted where RFC 4180 wants it; NULL writes nothing */
void out_format(Out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes the folder and those above it. */
bool make_folders(const char *path, Err *err);

#endif
