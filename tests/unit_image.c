/* tests/unit_image.c -- memory at a fixed address: what is handed out is zeroed and apart, and comes back from a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/arena.h"
#include "sim/base/image.h"
#include "sim/base/rng.h"
#include "sim/base/snapshot.h"
#include "tests/tempfolder.h"

enum { PIECES = 40 };

typedef struct Piece {
    unsigned char *at;
    size_t bytes;
    unsigned char mark;
} Piece;

static void check_marked(const Piece *piece)
{
    for (size_t i = 0; i < piece->bytes; i++) assert_int_equal(piece->at[i], piece->mark);
}

static void check_zero(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) assert_int_equal(at[i], 0);
}

/* Random pieces taken, grown, shrunk and given back: each keeps its own bytes, new bytes are zeros. */
static void test_pieces_keep_apart(void **state)
{
    (void)state;
    Err err = {0};
    Image *image = image_open(0, &err);
    assert_non_null(image);
    Rng rng;
    rng_open(&rng, 7, "image", 0);
    Piece piece[PIECES] = {{0}};
    for (int step = 0; step < 4000; step++) {
        Piece *p = &piece[rng_below(&rng, PIECES)];
        size_t bytes = 1 + (size_t)rng_below(&rng, rng_below(&rng, 4) ? 9000 : 60000);
        if (!p->at) {
            *p = (Piece){image_take(image, bytes), bytes, (unsigned char)(1 + step % 255)};
            check_zero(p->at, bytes);
        } else if (rng_below(&rng, 3)) {
            check_marked(p);
            p->at = image_resize(image, p->at, p->bytes, bytes);
            if (bytes > p->bytes) check_zero(p->at + p->bytes, bytes - p->bytes);
            if (bytes < p->bytes) p->bytes = bytes;
            check_marked(p);
            p->bytes = bytes;
        } else {
            check_marked(p);
            image_give(image, p->at, p->bytes);
            p->at = NULL;
            continue;
        }
        memset(p->at, p->mark, p->bytes);
    }
    /* Given back, all of it is one hole again: what was used once is used again. */
    for (int i = 0; i < PIECES; i++)
        if (piece[i].at) image_give(image, piece[i].at, piece[i].bytes);
    size_t used = image->used;
    assert_ptr_equal(image_take(image, used - 4096), (char *)image + 4096);
    assert_int_equal(image->used, used);
    image_close(image);
}

typedef struct Link {
    struct Link *next;
    int value;
} Link;

/* A list with its pointers, through a file. */
static void test_a_snapshot_brings_pointers_back(void **state)
{
    (void)state;
    Err err = {0};
    char path[64];
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    Image *image = image_open(0, &err);
    assert_non_null(image);
    Arena arena = {.image = image};
    Link *list = NULL;
    for (int i = 0; i < 10000; i++) {
        Link *link = NEW(&arena, Link);
        *link = (Link){list, i};
        list = link;
    }
    assert_true(snapshot_save(image, path, "the command", list, NULL, 0, &err));
    image_close(image);

    assert_null(snapshot_load(path, "another command", &err));
    assert_int_equal(err.kind, ERR_USAGE);
    err = (Err){0};
    const Link *back = snapshot_load(path, "the command", &err);
    assert_ptr_equal(back, list);
    for (int i = 9999; i >= 0; i--, back = back->next) assert_int_equal(back->value, i);
    assert_null(back);
    image_close(IMAGE_BASE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_keep_apart),
        cmocka_unit_test(test_a_snapshot_brings_pointers_back),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
