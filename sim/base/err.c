/* sim/base/err.c -- filling an Err; ending the program on a broken invariant. */
#include "sim/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void err_fill(Err *err, ErrKind kind, const char *format, ...)
{
    if (err->kind != ERR_NONE) return; /* the first failure is the cause, later ones follow from it */
    err->kind = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    for (char *c = err->text; *c; c++) /* names from files may hold line ends and what moves a terminal's cursor */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
}

void must_fail(const char *claim, const char *file, int line)
{
    fprintf(stderr, "mlfs-sim: broken invariant at %s:%d: %s\n", file, line, claim);
    abort();
}
