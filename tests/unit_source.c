/* tests/unit_source.c -- stored and unpacked bytes; every damage is told. */
#include "tests/testing.h"

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/base/source.h"
#include "tests/shared.h"

enum { ROOM = 1 << 16 };

typedef struct Packed {
    unsigned char bytes[ROOM];
    size_t n;
} Packed;

static void add_gzip(Packed *p, const char *text, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = p->bytes + p->n;
    z.avail_out = (uInt)(ROOM - p->n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    p->n += z.total_out;
    deflateEnd(&z);
}

static void add_zstd(Packed *p, const char *text, size_t n)
{
    size_t made = ZSTD_compress(p->bytes + p->n, ROOM - p->n, text, n, 3);
    assert_false(ZSTD_isError(made));
    p->n += made;
}

/* "" when the bytes unpack to `expected`, else the message. */
static const char *unpacked(const char *name, const void *bytes, size_t n, const char *expected)
{
    static Err err;
    Arena arena = {0};
    err = (Err){0};
    Source *source = source_open_bytes(&arena, name, bytes, n, &err);
    size_t length;
    char *text = source ? source_read_all(source, &arena, ROOM, &length, &err) : NULL;
    if (text) {
        assert_string_equal(text, expected);
        assert_int_equal(length, strlen(expected));
    } else {
        assert_int_equal(err.kind, ERR_DATA);
    }
    source_close(source);
    arena_free(&arena);
    return err.text;
}

static void members_and_padding(void **state)
{
    (void)state;
    Packed gz = {0}, zst = {0};
    add_gzip(&gz, "one ", 4);
    add_gzip(&gz, "", 0);
    add_gzip(&gz, "two", 3);
    assert_string_equal(unpacked("a.gz", gz.bytes, gz.n, "one two"), "");
    gz.n += 700; /* zeros, as tapes leave them */
    assert_string_equal(unpacked("a.gz", gz.bytes, gz.n, "one two"), "");
    gz.bytes[gz.n - 1] = 0x1f;
    assert_string_equal(unpacked("a.gz", gz.bytes, gz.n, ""), "a.gz: garbage after the end of the compressed data");

    add_zstd(&zst, "one ", 4);
    add_zstd(&zst, "", 0);
    add_zstd(&zst, "two", 3);
    assert_string_equal(unpacked("a.zst", zst.bytes, zst.n, "one two"), "");
    zst.bytes[zst.n++] = 'x';
    assert_string_equal(unpacked("a.zst", zst.bytes, zst.n, ""), "a.zst: garbage after the end of the compressed data");
}

static void names_do_not_matter(void **state)
{
    (void)state;
    Packed gz = {0};
    add_gzip(&gz, "one", 3);
    assert_string_equal(unpacked("trace.csv", gz.bytes, gz.n, "one"), "");
    assert_string_equal(unpacked("trace.gz", "plain", 5, "plain"), "");
    assert_string_equal(unpacked("empty.csv", "", 0, ""), "");
}

static void u11_truncated_at_every_length(void **state)
{
    (void)state;
    char text[6000];
    Packed gz = {0}, zst = {0};
    for (int i = 0; i < 6000; i++) text[i] = (char)('a' + (i * i + i / 7) % 23);
    text[5999] = '\0';
    add_gzip(&gz, text, 3000);
    add_gzip(&gz, text + 3000, 2999);
    size_t first = 0;
    {
        Packed half = {0};
        add_gzip(&half, text, 3000);
        first = half.n;
    }
    for (size_t cut = 0; cut < gz.n; cut++)
        if (cut != first) /* a whole number of members is a sound file */
            assert_string_equal(unpacked("cut.gz", gz.bytes, cut, ""), "cut.gz: unexpected end of compressed data");
    assert_string_equal(unpacked("cut.gz", gz.bytes, gz.n, text), "");
    add_zstd(&zst, text, 5999);
    for (size_t cut = 0; cut < zst.n; cut++)
        assert_string_equal(unpacked("cut.zst", zst.bytes, cut, ""), "cut.zst: unexpected end of compressed data");
    assert_string_equal(unpacked("cut.zst", zst.bytes, zst.n, text), "");
}

static void any_changed_byte_is_found(void **state)
{
    (void)state;
    Packed gz = {0};
    const char *text = "job_id,submit_time,num_gpu,duration\n1,0,1,10\n";
    add_gzip(&gz, text, strlen(text));
    int unnoticed = 0;                   /* spare bits behind the last block decode to the same text */
    for (size_t i = 10; i < gz.n; i++) { /* behind the header, whose flags and times mean little */
        gz.bytes[i] ^= 0x40;
        unnoticed += *unpacked("bad.gz", gz.bytes, gz.n, text) == '\0';
        gz.bytes[i] ^= 0x40;
    }
    assert_in_range(unnoticed, 0, 1);
}

static void paths_that_cannot_be_opened(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    assert_null(source_open(&arena, "/no/such/file.csv", &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_string_equal(err.text, "/no/such/file.csv: cannot be opened: No such file or directory");
    err = (Err){0};
    assert_null(source_open(&arena, "/tmp", &err));
    assert_int_equal(err.kind, ERR_USAGE);
    assert_string_equal(err.text, "/tmp: cannot be opened: Is a directory");
    arena_free(&arena);
}

static void peek_does_not_consume(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    const char *head;
    char text[16], digits[65];
    Source *source = source_open_bytes(&arena, "x", "abc", 3, &err);
    assert_int_equal(source_peek(source, &head, &err), 3);
    assert_memory_equal(head, "abc", 3);
    assert_int_equal(source_read(source, text, 2, &err), 2);
    assert_int_equal(source_read(source, text + 2, 9, &err), 1);
    assert_memory_equal(text, "abc", 3);
    assert_int_equal(source_read(source, text, 9, &err), 0);
    source_sha256(source, digits); /* FIPS 180-2, appendix B.1 */
    assert_string_equal(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    source_close(source);
    arena_free(&arena);
}

static void sha256_is_that_of_the_stored_bytes(void **state)
{
    (void)state;
    if (!shared_is_here()) return;
    Arena arena = {0};
    Err err = {0};
    static char block[ROOM];
    char digits[65];
    Source *source = source_open(&arena, shared_path("golden/helios/cluster_log.csv.gz"), &err);
    assert_non_null(source);
    while (source_read(source, block, sizeof block, &err) > 0) continue;
    assert_int_equal(err.kind, ERR_NONE);
    source_sha256(source, digits); /* sha256sum says */
    assert_string_equal(digits, "36f8375b60b1cdf91dc866084c24e42dbefcb277a7d835f7c77dba6bcbc162ae");
    source_close(source);
    arena_free(&arena);
}

static void larger_than_allowed(void **state)
{
    (void)state;
    Arena arena = {0};
    Err err = {0};
    size_t length;
    static char zeros[3 << 20];
    Source *source = source_open_bytes(&arena, "big", zeros, sizeof zeros, &err);
    assert_null(source_read_all(source, &arena, 1 << 20, &length, &err));
    assert_string_equal(err.text, "big: larger than 1 MiB");
    source_close(source);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_padding),
        cmocka_unit_test(names_do_not_matter),
        cmocka_unit_test(u11_truncated_at_every_length),
        cmocka_unit_test(any_changed_byte_is_found),
        cmocka_unit_test(paths_that_cannot_be_opened),
        cmocka_unit_test(peek_does_not_consume),
        cmocka_unit_test(sha256_is_that_of_the_stored_bytes),
        cmocka_unit_test(larger_than_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
