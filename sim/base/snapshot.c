/* sim/base/snapshot.c -- writing front to back; reading only after the checksum held. */
#include "sim/base/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/out.h"

enum { VERSION = 1, PAGE = 4096 };

typedef struct Header { /* in the machine's own byte order: another machine's program is another program */
    char magic[16];
    uint64_t version;
    uint8_t program[SHA256_DIGEST_SIZE]; /* of the program file */
    uint64_t used;                       /* the image's */
    uint64_t root;                       /* bytes from its beginning */
    uint64_t command;                    /* length of the text that follows */
    uint64_t n_files;                    /* then: a FileHeader, the path and the contents of each */
    uint64_t n_spans;                    /* then: a Span and its bytes each; last the checksum */
} Header;

typedef struct FileHeader {
    uint64_t path, size; /* bytes */
} FileHeader;

typedef struct Span {    /* pages that are not zeros */
    uint64_t from, size; /* bytes, from the beginning of the image */
} Span;

static const char MAGIC[16] = "mlfs-checkpoint";

/* ---- files as memory ---- */

typedef struct Mapped {
    const uint8_t *bytes;
    size_t size;
} Mapped;

static bool map_file(const char *path, Mapped *mapped, Err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    *mapped = (Mapped){NULL, 0};
    bool read = fd >= 0 && fstat(fd, &info) == 0;
    if (read && info.st_size > 0) {
        void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        read = at != MAP_FAILED;
        if (read) *mapped = (Mapped){at, (size_t)info.st_size};
    }
    if (!read) err_set(err, ERR_USAGE, "%s: cannot be opened: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return read;
}

static void unmap(Mapped *mapped)
{
    if (mapped->bytes) munmap((void *)(uintptr_t)mapped->bytes, mapped->size);
}

static void digest(const uint8_t *bytes, size_t size, uint8_t sum[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, size, bytes);
    sha256_digest(&sha, SHA256_DIGEST_SIZE, sum);
}

static bool know_program(uint8_t sum[SHA256_DIGEST_SIZE], Err *err)
{
    Mapped program;
    if (!map_file("/proc/self/exe", &program, err)) return false;
    digest(program.bytes, program.size, sum);
    unmap(&program);
    return true;
}

/* ---- writing ---- */

typedef struct Writer {
    Out *out;
    struct sha256_ctx sha;
} Writer;

static void put(Writer *w, const void *bytes, size_t size)
{
    out_bytes(w->out, bytes, size);
    sha256_update(&w->sha, size, bytes);
}

static bool put_file(Writer *w, const char *path, Err *err)
{
    Mapped file;
    if (!map_file(path, &file, err)) return false;
    FileHeader header = {strlen(path), file.size};
    put(w, &header, sizeof header);
    put(w, path, header.path);
    put(w, file.bytes, file.size);
    unmap(&file);
    return true;
}

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* The next run of pages with something in them, from *at on; false: no more. */
static bool next_span(const Image *image, size_t *at, Span *span)
{
    const uint8_t *bytes = (const uint8_t *)image;
    while (*at < image->used && is_zero(bytes + *at)) *at += PAGE;
    span->from = *at;
    while (*at < image->used && !is_zero(bytes + *at)) *at += PAGE;
    span->size = *at - span->from;
    return span->size > 0;
}

static bool put_all(Writer *w, const Image *image, Header *header, const char *command, const char *const file[],
                    Err *err)
{
    Span span;
    for (size_t at = 0; next_span(image, &at, &span);) header->n_spans++;
    put(w, header, sizeof *header);
    put(w, command, header->command);
    for (uint64_t i = 0; i < header->n_files; i++)
        if (!put_file(w, file[i], err)) return false;
    for (size_t at = 0; next_span(image, &at, &span);) {
        put(w, &span, sizeof span);
        put(w, (const uint8_t *)image + span.from, span.size);
    }
    uint8_t sum[SHA256_DIGEST_SIZE];
    sha256_digest(&w->sha, sizeof sum, sum);
    out_bytes(w->out, (const char *)sum, sizeof sum);
    return true;
}

bool snapshot_save(const Image *image, const char *path, const char *command, const void *root,
                   const char *const file[], int n_files, Err *err)
{
    Header header = {.version = VERSION,
                     .used = image->used,
                     .root = (uint64_t)((const char *)root - (const char *)image),
                     .command = strlen(command),
                     .n_files = (uint64_t)n_files};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    Arena arena = {0}; /* not in the image, which must not change while it is written */
    Writer writer = {.out = out_open(&arena, path, err)};
    bool written = writer.out && know_program(header.program, err);
    if (written) {
        sha256_init(&writer.sha);
        written = put_all(&writer, image, &header, command, file, err);
    }
    if (written)
        written = out_close(writer.out, err);
    else
        out_abandon(writer.out);
    arena_free(&arena);
    return written;
}

/* ---- reading ---- */

typedef struct Reader {
    const uint8_t *at, *end;
} Reader;

/* The next `size` bytes; NULL: there are fewer. */
static const void *get(Reader *r, uint64_t size)
{
    if (size > (uint64_t)(r->end - r->at)) return NULL;
    const void *bytes = r->at;
    r->at += size;
    return bytes;
}

static bool get_into(Reader *r, void *to, size_t size)
{
    const void *bytes = get(r, size);
    if (bytes) memcpy(to, bytes, size);
    return bytes != NULL;
}

static bool unsound(const char *path, Err *err)
{
    return err_set(err, ERR_DATA, "%s: damaged, though its checksum fits; remove it to start anew", path);
}

static bool check_header(const char *path, const Mapped *file, const uint8_t program[SHA256_DIGEST_SIZE],
                         const char *command, Header *header, Err *err)
{
    uint8_t sum[SHA256_DIGEST_SIZE];
    if (file->size < sizeof *header + sizeof sum || memcmp(file->bytes, MAGIC, sizeof MAGIC) != 0)
        return err_set(err, ERR_DATA, "%s: this is no checkpoint of mlfs-sim", path);
    memcpy(header, file->bytes, sizeof *header);
    if (header->version != VERSION)
        return err_set(err, ERR_DATA, "%s: a checkpoint of version %llu, and this program knows version %d", path,
                       (unsigned long long)header->version, VERSION);
    digest(file->bytes, file->size - sizeof sum, sum);
    if (memcmp(sum, file->bytes + file->size - sizeof sum, sizeof sum) != 0)
        return err_set(err, ERR_DATA, "%s: damaged or cut short: its checksum does not fit; remove it to start anew",
                       path);
    if (memcmp(program, header->program, sizeof header->program) != 0)
        return err_set(err, ERR_DATA,
                       "%s: written by another build of mlfs-sim, and only the same one can go on from it; remove it "
                       "to start anew",
                       path);
    Reader r = {file->bytes + sizeof *header, file->bytes + file->size - sizeof sum};
    const char *whose = get(&r, header->command);
    if (!whose || header->root >= header->used) return unsound(path, err);
    if (header->command == strlen(command) && memcmp(whose, command, header->command) == 0) return true;
    return err_set(err, ERR_USAGE, "%s: written by another command: %.*s", path,
                   header->command < 600 ? (int)header->command : 600, whose);
}

static bool write_file(const char *path, const void *bytes, size_t size, Err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const char *at = bytes;
    while (fd >= 0 && size) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        at += n;
        size -= (size_t)n;
    }
    bool written = fd >= 0 && !size;
    if (fd >= 0) written &= close(fd) == 0;
    return written || err_set(err, ERR_MACHINE, "%s: cannot be written: %s", path, strerror(errno));
}

static bool write_below(Arena *arena, const char *path, const void *bytes, size_t size, Err *err)
{
    const char *slash = strrchr(path, '/');
    if (slash && slash != path && !make_folders(arena_copy_text(arena, path, (size_t)(slash - path)), err))
        return false;
    return write_file(path, bytes, size, err);
}

/* Past them; `write` puts them where they were. */
static bool get_files(const char *path, Reader *r, uint64_t n, bool write, Err *err)
{
    Arena arena = {0};
    bool fine = true;
    for (uint64_t i = 0; i < n && fine; i++) {
        FileHeader header;
        bool whole = get_into(r, &header, sizeof header);
        const char *name = whole ? get(r, header.path) : NULL;
        const void *bytes = name ? get(r, header.size) : NULL;
        fine = bytes
                   ? !write || write_below(&arena, arena_copy_text(&arena, name, header.path), bytes, header.size, err)
                   : unsound(path, err);
    }
    arena_free(&arena);
    return fine;
}

static bool get_image(const char *path, Reader *r, const Header *header, Err *err)
{
    Image *image = image_open(header->used, err);
    if (!image) return false;
    size_t mapped = image->mapped; /* here; there may have been more */
    bool sound = true;
    for (uint64_t i = 0; i < header->n_spans && sound; i++) {
        Span span;
        sound = get_into(r, &span, sizeof span) && span.from <= header->used && span.size <= header->used - span.from &&
                get_into(r, (char *)image + span.from, span.size);
    }
    image->mapped = mapped;
    if (sound) return true;
    image_close(image);
    return unsound(path, err);
}

static bool open_snapshot(const char *path, const char *command, Mapped *file, Header *header, Reader *r, Err *err)
{
    uint8_t program[SHA256_DIGEST_SIZE];
    if (!know_program(program, err) || !map_file(path, file, err)) return false;
    if (!check_header(path, file, program, command, header, err)) {
        unmap(file);
        return false;
    }
    *r = (Reader){file->bytes + sizeof *header + header->command, file->bytes + file->size - SHA256_DIGEST_SIZE};
    return true;
}

void *snapshot_load(const char *path, const char *command, Err *err)
{
    Mapped file;
    Header header;
    Reader r;
    if (!open_snapshot(path, command, &file, &header, &r, err)) return NULL;
    bool loaded = get_files(path, &r, header.n_files, false, err) && get_image(path, &r, &header, err);
    unmap(&file);
    return loaded ? (char *)IMAGE_BASE + header.root : NULL;
}

bool snapshot_put_files(const char *path, const char *command, Err *err)
{
    Mapped file;
    Header header;
    Reader r;
    if (!open_snapshot(path, command, &file, &header, &r, err)) return false;
    bool written = get_files(path, &r, header.n_files, true, err);
    unmap(&file);
    return written;
}
