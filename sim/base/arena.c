/* sim/base/arena.c -- blocks from calloc or an image, handed out front to back.
 *
 * Under AddressSanitizer pieces stand apart and what is between them may not be touched, so that it notices who goes
 * beyond the end of one (not in an image, whose every byte is written to a file).
 */
#include "sim/base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include "sim/base/err.h"
#include "sim/base/image.h"

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { RED_ZONE = 16 };
#else
enum { RED_ZONE = 0 };
#endif

enum { ALIGNMENT = 16, BLOCK_BYTES = 64 << 10, HUGE_PAGE = 2 << 20, HUGE_BYTES = 2 * HUGE_PAGE };

typedef struct ArenaBlock {
    struct ArenaBlock *older;
    size_t size, used;
    bool single; /* holds one piece */
    _Alignas(ALIGNMENT) unsigned char bytes[];
} ArenaBlock;

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "mlfs-sim: out of memory (%zu bytes asked for)\n", bytes);
    exit(ERR_MACHINE);
}

static ArenaBlock *new_block(const Arena *arena, ArenaBlock *older, size_t size)
{
    /* calloc: large blocks come zeroed from the system for free */
    ArenaBlock *block = arena->image ? image_take(arena->image, sizeof *block + size) : calloc(1, sizeof *block + size);
    if (!block) out_of_memory(size);
    if (size >= HUGE_BYTES) { /* first touches in pages of 2 MiB: a fifth of a whole run's time otherwise */
        uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
        uintptr_t end = ((uintptr_t)block + sizeof *block + size) & ~(uintptr_t)(HUGE_PAGE - 1);
        if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* only a wish: failing is fine */
    }
    block->older = older;
    block->size = size;
    if (!arena->image) ASAN_POISON_MEMORY_REGION(block->bytes, size);
    return block;
}

static void *hand_out(ArenaBlock *block, size_t want, size_t bytes)
{
    void *piece = block->bytes + block->used;
    block->used += want;
    ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
    return piece;
}

void *arena_alloc(Arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - sizeof(ArenaBlock) - ALIGNMENT - RED_ZONE) / size) out_of_memory(SIZE_MAX);
    size_t want = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!arena->image) want += RED_ZONE;
    ArenaBlock *head = arena->head;

    if (!head || head->size - head->used < want) {
        if (head && want > BLOCK_BYTES / 4) {
            /* A large piece gets a block of its own behind the head, whose rest stays in use. */
            head->older = new_block(arena, head->older, want);
            head->older->single = true;
            return hand_out(head->older, want, count * size);
        }
        head = arena->head = new_block(arena, head, want > BLOCK_BYTES ? want : BLOCK_BYTES);
        head->single = want > BLOCK_BYTES;
    }
    return hand_out(head, want, count * size);
}

void arena_reset(Arena *arena)
{
    if (arena->head && !arena->head->older) { /* the common case: one block, reused in place */
        ASAN_UNPOISON_MEMORY_REGION(arena->head->bytes, arena->head->used);
        memset(arena->head->bytes, 0, arena->head->used);
        if (!arena->image) ASAN_POISON_MEMORY_REGION(arena->head->bytes, arena->head->used);
        arena->head->single = false;
        arena->head->used = 0;
        return;
    }
    size_t total = 0;
    for (ArenaBlock *b = arena->head; b; b = b->older) total += b->used;
    arena_free(arena);
    if (total) arena->head = new_block(arena, NULL, total + total / 2); /* next time all of it fits one block */
}

void arena_free(Arena *arena)
{
    for (ArenaBlock *block = arena->head, *older; block; block = older) {
        older = block->older;
        if (arena->image)
            image_give(arena->image, block, sizeof *block + block->size);
        else
            free(block);
    }
    arena->head = NULL;
}

static ArenaBlock *resize_block(const Arena *arena, ArenaBlock *block, size_t size)
{
    return arena->image ? image_resize(arena->image, block, sizeof *block + block->size, sizeof *block + size)
                        : realloc(block, sizeof *block + size);
}

void *arena_grow(Arena *arena, const void *array, size_t count, size_t capacity, size_t size)
{
    void *larger = arena_alloc(arena, capacity, size);
    MUST(array || !count);
    if (count) memcpy(larger, array, count * size);
    return larger;
}

void *arena_resize(Arena *arena, void *array, size_t count, size_t capacity, size_t size)
{
    MUST(count <= capacity && capacity);
    for (ArenaBlock **link = &arena->head; array && *link; link = &(*link)->older) {
        ArenaBlock *block = *link;
        if (block->bytes != array) continue;
        if (!block->single) break;
        size_t want = (capacity * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
        if (capacity > (SIZE_MAX - sizeof *block - ALIGNMENT) / size || !(block = resize_block(arena, block, want)))
            out_of_memory(capacity);
        block->size = block->used = want;
        *link = block;
        return block->bytes;
    }
    return arena_grow(arena, array, count, capacity, size);
}

char *arena_copy_text(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_format(Arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    MUST(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
