/* sim/base/err.h -- the voices for our own mistakes (MUST) and for the user's or the world's (Err).
 *
 * A function that can fail for reasons outside the program returns bool and fills an Err; nobody but sim/cli prints it.
 */
#ifndef SIM_BASE_ERR_H
#define SIM_BASE_ERR_H

#include <stdbool.h>

/* The value is the program's exit status. */
typedef enum {
    ERR_NONE = 0,
    ERR_MACHINE = 1, /* write error, disk full, a folder that cannot be made */
    ERR_USAGE = 2,   /* the command line cannot be carried out as written */
    ERR_DATA = 3,    /* the input data is bad */
    ERR_POLICY = 4,  /* a policy broke a rule */
} ErrKind;

typedef struct Err {
    ErrKind kind;
    char text[1000]; /* one sentence, no newline, no final full stop needed */
} Err;

/* Fills *err unless it already tells of an earlier failure; false, so that `return err_set(...)` reads well.  Control
 * characters become question marks, so that it stays one line whatever a file's names are made of. */
#define err_set(...)                                                                                                   \
    __extension__({                                                                                                    \
        err_fill(__VA_ARGS__);                                                                                         \
        false;                                                                                                         \
    })
void err_fill(Err *err, ErrKind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Our own mistake: never compiled out, so a broken invariant never becomes a wrong result. */
#define MUST(cond) ((cond) ? (void)0 : must_fail(#cond, __FILE__, __LINE__))
_Noreturn void must_fail(const char *claim, const char *file, int line);

#endif
