/* sim/base/image.c -- pages handed out from a fixed address upwards; those given back are used again.
 *
 * What is free reads as zeros but for a few bytes at its beginning, and a saved image leaves out pages of zeros: the
 * file is as large as what is in use.
 */
#include "sim/base/image.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GRAIN = 4096, STEP = 16 << 20 };

typedef struct Hole { /* pages given back */
    size_t bytes;
    struct Hole *next; /* at a higher address, and not touching */
} Hole;

static size_t pages(size_t bytes)
{
    return (bytes + (bytes == 0) + GRAIN - 1) / GRAIN * GRAIN;
}

/* More memory up to `end` bytes from the beginning; false: the system refuses. */
static bool map_up_to(size_t mapped, size_t end)
{
    void *at = (char *)IMAGE_BASE + mapped;
    void *got =
        mmap(at, end - mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == at) return true;
    if (got != MAP_FAILED) munmap(got, end - mapped); /* a kernel that does not know the flag */
    return false;
}

static size_t steps(size_t bytes)
{
    return (bytes + STEP - 1) / STEP * STEP;
}

Image *image_open(size_t used, Err *err)
{
    used = used > GRAIN ? pages(used) : GRAIN;
    if (!map_up_to(0, steps(used))) {
        err_set(err, ERR_MACHINE, "checkpoints need the memory at address %p, which the system does not give: %s",
                IMAGE_BASE, strerror(errno));
        return NULL;
    }
    Image *image = IMAGE_BASE;
    *image = (Image){.used = used, .mapped = steps(used)};
    return image;
}

void image_close(Image *image)
{
    if (image) munmap(image, image->mapped);
}

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "mlfs-sim: out of memory (%zu bytes asked for)\n", bytes);
    exit(ERR_MACHINE);
}

static void grow(Image *image, size_t bytes)
{
    if (bytes > SIZE_MAX / 2 - image->used) out_of_memory(bytes);
    size_t end = steps(image->used + bytes);
    if (end > image->mapped) {
        if (!map_up_to(image->mapped, end)) out_of_memory(bytes);
        image->mapped = end;
    }
    image->used += bytes;
}

void *image_take(Image *image, size_t bytes)
{
    bytes = pages(bytes);
    for (Hole **link = &image->holes; *link; link = &(*link)->next) {
        Hole *hole = *link, was = *hole;
        if (was.bytes < bytes) continue;
        *hole = (Hole){0};
        if (was.bytes > bytes) {
            Hole *rest = (Hole *)(void *)((char *)hole + bytes);
            *rest = (Hole){was.bytes - bytes, was.next};
            *link = rest;
        } else {
            *link = was.next;
        }
        return hole;
    }
    void *piece = (char *)image + image->used;
    grow(image, bytes);
    return piece;
}

static bool touches(const Hole *low, const Hole *high)
{
    return low && high && (const char *)low + low->bytes == (const char *)high;
}

static void join(Hole *low, Hole *high)
{
    *low = (Hole){low->bytes + high->bytes, high->next};
    *high = (Hole){0};
}

void image_give(Image *image, void *piece, size_t bytes)
{
    bytes = pages(bytes);
    MUST(madvise(piece, bytes, MADV_DONTNEED) == 0); /* zeros again, and the pages are the system's */
    Hole *before = NULL, **link = &image->holes;
    while (*link && (void *)*link < piece) {
        before = *link;
        link = &before->next;
    }
    Hole *hole = piece;
    *hole = (Hole){bytes, *link};
    *link = hole;
    if (touches(hole, hole->next)) join(hole, hole->next);
    if (touches(before, hole)) join(before, hole);
}

void *image_resize(Image *image, void *piece, size_t old_bytes, size_t bytes)
{
    size_t had = pages(old_bytes), want = pages(bytes);
    if (bytes <= old_bytes) {
        if (want < had) image_give(image, (char *)piece + want, had - want);
        memset((char *)piece + bytes, 0, (want < old_bytes ? want : old_bytes) - bytes);
        return piece;
    }
    if (want == had) return piece;
    if ((char *)piece + had == (char *)image + image->used) { /* the last piece grows where it stands */
        grow(image, want - had);
        return piece;
    }
    void *moved = image_take(image, bytes);
    memcpy(moved, piece, old_bytes);
    image_give(image, piece, old_bytes);
    return moved;
}
