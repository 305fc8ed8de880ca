/* tests/fuzz_snapshot.c -- any bytes as a checkpoint of a run: memory as it says, or one sentence. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/snapshot.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bit 0 of the first byte puts this program's digest in its place, bit 1 the right checksum behind the rest: few inputs
 * would get past them otherwise.  Of the program a constant has to do, as its file takes long to read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t program[SHA256_DIGEST_SIZE] = "this program";
    if (!size) return 0;
    Err err = {0};
    size_t n = size - 1;
    uint8_t *bytes = malloc(n + SHA256_DIGEST_SIZE);
    MUST(bytes);
    memcpy(bytes, data + 1, n);
    if (data[0] & 1 && n >= sizeof(Header)) memcpy(bytes + offsetof(Header, program), program, sizeof program);
    if (data[0] & 2) {
        digest(bytes, n, bytes + n);
        n += SHA256_DIGEST_SIZE;
    }
    Mapped file = {bytes, n};
    Header header;
    bool good = check_header("fuzz", &file, program, "run t.csv", &header, &err);
    if (good) {
        Reader r = {file.bytes + sizeof header + header.command, file.bytes + file.size - SHA256_DIGEST_SIZE};
        good = get_files("fuzz", &r, header.n_files, false, &err) && get_image("fuzz", &r, &header, &err);
    }
    if (good) {
        Image *image = IMAGE_BASE;
        MUST(image->mapped >= header.used && header.root < header.used);
        image_close(image);
    } else {
        MUST(err.kind != ERR_NONE && *err.text && !strchr(err.text, '\n'));
    }
    free(bytes);
    return 0;
}
