/* sim/base/image.h -- memory at one fixed address, so that all of a run can be written to a file and put back.
 *
 * Arenas with `.image` set take their blocks here.  The program is linked at a fixed address as well, so a pointer into
 * the image or to the program's own code and constants means the same in a later process.  What must not be in it:
 * pointers into libraries, the stack or malloc's memory.  Open files are written again and reopened by whoever has them
 * (out_reopen).
 */
#ifndef SIM_BASE_IMAGE_H
#define SIM_BASE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/base/err.h"

/* Far from where the system puts programs, libraries and stacks, and from what the sanitizers keep for themselves. */
#define IMAGE_BASE ((void *)0x200000000000)

typedef struct Image { /* lies at IMAGE_BASE, in the first page of the memory it describes */
    size_t used;       /* bytes from its beginning that were ever handed out */
    size_t mapped;     /* bytes from its beginning that are memory now */
    struct Hole *holes;
    struct Out *outs; /* files being written whose Out lies here */
} Image;

/* The one image of this process, with `used` bytes of zeros but for the Image itself; NULL: err tells. */
Image *image_open(size_t used, Err *err);
void image_close(Image *image); /* everything in it is gone; NULL is fine */

void *image_take(Image *image, size_t bytes);                                  /* zeroed; never NULL */
void *image_resize(Image *image, void *piece, size_t old_bytes, size_t bytes); /* the new part is zeroed */
void image_give(Image *image, void *piece, size_t bytes);                      /* back, as large as it is */

#endif
