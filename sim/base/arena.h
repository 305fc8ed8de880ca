/* sim/base/arena.h -- memory that is freed all at once.
 *
 * An arena is a growing list of zeroed blocks.  `Arena a = {0};` is an empty one, `{.image = image}` one whose blocks
 * lie in an image, to be saved and put back (image.h).  What it hands out is zeroed, never
 * NULL, and lives until arena_reset or arena_free: parameters never transfer ownership.  Running out of memory ends the
 * program here, so that no caller has to check.
 */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena {
    struct ArenaBlock *head; /* the block being filled; older ones behind it */
    struct Image *image;     /* NULL: blocks from the system */
} Arena;

void *arena_alloc(Arena *arena, size_t count, size_t size); /* count x size zeroed bytes, aligned for any type */
void arena_reset(Arena *arena);                             /* empty, but keeps its largest block for reuse */
void arena_free(Arena *arena);                              /* empty; everything goes back to the system */

/* The array of `count` elements moved to room for `capacity`, the new part zeroed.  The old copy stays behind until the
 * arena goes, so grow by doubling. */
void *arena_grow(Arena *arena, const void *array, size_t count, size_t capacity, size_t size);

/* The same for one large array that grows as it is filled: moved where it stands if it is large enough to have a block
 * of its own, so that no old copy stays behind and no page is touched twice.  The old pointer is dead, the new part is
 * not zeroed; a smaller capacity gives memory back. */
void *arena_resize(Arena *arena, void *array, size_t count, size_t capacity, size_t size);

char *arena_copy_text(Arena *arena, const char *text, size_t length); /* NUL-terminated copy */
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define NEW(arena, Type)          ((Type *)arena_alloc((arena), 1, sizeof(Type)))
#define NEW_ARRAY(arena, Type, n) ((Type *)arena_alloc((arena), (size_t)(n), sizeof(Type)))

#endif
