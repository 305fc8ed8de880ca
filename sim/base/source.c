/* sim/base/source.c -- stored bytes from a file or from memory, unpacked on the way by zlib or libzstd.
 *
 * gzread is not used: it takes a truncated file for a short one until it is closed, lets garbage after the last member
 * pass, and never shows the stored bytes.  A loop around inflate() is as short and sees everything.
 */
#include "sim/base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/base/text.h"

typedef enum { KIND_PLAIN, KIND_GZIP, KIND_ZSTD } Kind;

enum { BLOCK = 128 << 10, MAGIC = 4 };

struct Source {
    const char *path;
    int fd; /* -1: memory */
    const unsigned char *memory;
    size_t memory_left;

    Kind kind;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool between;   /* compressed: before a member, so that the data may end here */
    bool unpacked;  /* a member is behind us */
    bool ended;     /* all was read and found sound */
    bool exhausted; /* no stored bytes are left behind block[at..end) */

    struct sha256_ctx sha;
    size_t at, end; /* the part of `block` not used yet */
    unsigned char block[BLOCK];
    char peeked[SOURCE_PEEK];
    size_t peek_at, peek_end;
};

/* ---- stored bytes ---- */

/* Appends stored bytes to block[..end). */
static bool fetch(Source *s, Err *err)
{
    ssize_t n;
    size_t room = BLOCK - s->end;
    if (s->fd < 0) {
        n = (ssize_t)(s->memory_left < room ? s->memory_left : room);
        if (n) memcpy(s->block + s->end, s->memory, (size_t)n);
        s->memory += n;
        s->memory_left -= (size_t)n;
    } else {
        do n = read(s->fd, s->block + s->end, room);
        while (n < 0 && errno == EINTR);
        if (n < 0) return err_set(err, ERR_MACHINE, "%s: cannot be read: %s", s->path, strerror(errno));
    }
    sha256_update(&s->sha, (size_t)n, s->block + s->end);
    s->end += (size_t)n;
    s->exhausted = n == 0;
    return true;
}

static bool refill(Source *s, Err *err)
{
    if (s->at < s->end || s->exhausted) return true;
    s->at = s->end = 0;
    return fetch(s, err);
}

/* ---- unpacking ---- */

static bool cut_short(const Source *s, Err *err)
{
    return err_set(err, ERR_DATA, "%s: unexpected end of compressed data", s->path);
}

static bool corrupt(const Source *s, const char *why, Err *err)
{
    return err_set(err, ERR_DATA, "%s: corrupt compressed data%s%s%s", s->path, why ? " (" : "", why ? why : "",
                   why ? ")" : "");
}

/* What may follow a member: nothing, zeros to the end, or another member of the same kind, which is left in `block`. */
static bool after_member(Source *s, Err *err)
{
    static const unsigned char gzip_start = 0x1f, zstd_start = 0x28;
    bool padding = false;
    for (;;) {
        if (!refill(s, err)) return false;
        if (s->at == s->end) {
            s->ended = true;
            return true;
        }
        unsigned char c = s->block[s->at];
        if (c != 0 && !padding) {
            bool skippable = s->kind == KIND_ZSTD && (c & 0xf0) == 0x50; /* a frame that carries no data */
            if (c == (s->kind == KIND_GZIP ? gzip_start : zstd_start) || skippable) return true;
        }
        if (c != 0) return err_set(err, ERR_DATA, "%s: garbage after the end of the compressed data", s->path);
        padding = true;
        s->at++;
    }
}

/* One step each: consumes stored bytes, fills `out`; false when err tells. */
static bool inflate_some(Source *s, char *buffer, size_t room, size_t *made, Err *err)
{
    z_stream *z = &s->gzip;
    z->next_in = s->block + s->at;
    z->avail_in = (uInt)(s->end - s->at);
    z->next_out = (unsigned char *)buffer;
    z->avail_out = (uInt)(room < BLOCK ? room : BLOCK);
    uInt offered = z->avail_out;
    int status = inflate(z, Z_NO_FLUSH);
    s->at = s->end - z->avail_in;
    *made = offered - z->avail_out;
    if (status == Z_STREAM_END) {
        s->between = s->unpacked = true;
        MUST(inflateReset(z) == Z_OK);
    } else if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
        return corrupt(s, z->msg, err);
    } else {
        MUST(status == Z_OK || status == Z_BUF_ERROR);
    }
    return true;
}

static bool unzstd_some(Source *s, char *buffer, size_t room, size_t *made, Err *err)
{
    ZSTD_inBuffer in = {s->block, s->end, s->at};
    ZSTD_outBuffer out = {buffer, room, 0};
    size_t status = ZSTD_decompressStream(s->zstd, &out, &in);
    if (ZSTD_isError(status)) return corrupt(s, ZSTD_getErrorName(status), err);
    s->at = in.pos;
    *made = out.pos;
    if (status == 0) s->between = s->unpacked = true;
    return true;
}

static long unpack(Source *s, char *buffer, size_t room, Err *err)
{
    for (;;) {
        if (s->between && s->unpacked && !after_member(s, err)) return -1;
        if (s->ended) return 0;
        if (!refill(s, err)) return -1;
        size_t made = 0, before = s->at;
        s->between = false;
        if (!(s->kind == KIND_GZIP ? inflate_some : unzstd_some)(s, buffer, room, &made, err)) return -1;
        if (made) return (long)made;
        if (s->at == before && s->exhausted && !s->between) {
            cut_short(s, err);
            return -1;
        }
    }
}

static long read_plain(Source *s, char *buffer, size_t room, Err *err)
{
    if (!refill(s, err)) return -1;
    size_t n = s->end - s->at < room ? s->end - s->at : room;
    memcpy(buffer, s->block + s->at, n);
    s->at += n;
    s->ended = n == 0;
    return (long)n;
}

static long read_some(Source *s, char *buffer, size_t room, Err *err)
{
    if (s->ended || !room) return 0;
    return s->kind == KIND_PLAIN ? read_plain(s, buffer, room, err) : unpack(s, buffer, room, err);
}

/* ---- opening ---- */

static bool starts_like(const Source *s, const void *magic, size_t n)
{
    return s->end >= n && memcmp(s->block, magic, n) == 0;
}

/* A file named .gz or .zst that is shorter than its first mark was cut there; otherwise names do not matter. */
static bool is_stub(const Source *s, const char *ending, const void *magic, size_t n)
{
    return s->end < n && text_ends(s->path, ending) && memcmp(s->block, magic, s->end) == 0;
}

static bool find_kind(Source *s, Err *err)
{
    while (s->end < MAGIC && !s->exhausted)
        if (!fetch(s, err)) return false;
    if (is_stub(s, ".gz", "\x1f\x8b", 2) || is_stub(s, ".zst", "\x28\xb5\x2f\xfd", 4)) return cut_short(s, err);
    s->between = true;
    if (starts_like(s, "\x1f\x8b", 2)) {
        s->kind = KIND_GZIP;
        MUST(inflateInit2(&s->gzip, 15 + 16) == Z_OK); /* 16: gzip only, no zlib streams */
    } else if (starts_like(s, "\x28\xb5\x2f\xfd", 4) ||
               (s->end >= MAGIC && (s->block[0] & 0xf0) == 0x50 && memcmp(s->block + 1, "\x2a\x4d\x18", 3) == 0)) {
        s->kind = KIND_ZSTD;
        s->zstd = ZSTD_createDStream();
        MUST(s->zstd);
    }
    return true;
}

static Source *start(Source *s, Err *err)
{
    sha256_init(&s->sha);
    if (find_kind(s, err)) return s;
    source_close(s);
    return NULL;
}

Source *source_open(Arena *arena, const char *path, Err *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat info;
    int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    int failure = fd < 0 || fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
    const char *name = standard ? "standard input" : path;
    if (failure) {
        if (fd >= 0) close(fd);
        err_set(err, ERR_USAGE, "%s: cannot be opened: %s", name, strerror(failure));
        return NULL;
    }
    Source *s = NEW(arena, Source);
    s->path = name;
    s->fd = fd;
    return start(s, err);
}

Source *source_open_bytes(Arena *arena, const char *name, const void *bytes, size_t n, Err *err)
{
    Source *s = NEW(arena, Source);
    s->path = name;
    s->fd = -1;
    s->memory = bytes;
    s->memory_left = n;
    return start(s, err);
}

const char *source_path(const Source *source)
{
    return source->path;
}

long source_read(Source *source, char *buffer, size_t room, Err *err)
{
    size_t peeked = source->peek_end - source->peek_at;
    if (!peeked) return read_some(source, buffer, room, err);
    size_t n = peeked < room ? peeked : room;
    memcpy(buffer, source->peeked + source->peek_at, n);
    source->peek_at += n;
    return (long)n;
}

long source_peek(Source *source, const char **bytes, Err *err)
{
    MUST(source->peek_at == 0);
    while (source->peek_end < SOURCE_PEEK) {
        long n = read_some(source, source->peeked + source->peek_end, SOURCE_PEEK - source->peek_end, err);
        if (n < 0) return -1;
        if (n == 0) break;
        source->peek_end += (size_t)n;
    }
    *bytes = source->peeked;
    return (long)source->peek_end;
}

char *source_read_all(Source *source, Arena *arena, size_t limit, size_t *length, Err *err)
{
    size_t capacity = BLOCK, used = 0;
    char *text = arena_alloc(arena, capacity, 1);
    for (;;) {
        long n = source_read(source, text + used, capacity - used, err);
        if (n < 0) return NULL;
        if (n == 0) break;
        used += (size_t)n;
        if (used > limit) {
            err_set(err, ERR_DATA, "%s: larger than %zu MiB", source->path, limit >> 20);
            return NULL;
        }
        if (used == capacity) {
            text = arena_grow(arena, text, used, capacity * 2, 1);
            capacity *= 2;
        }
    }
    text[used] = '\0'; /* libzstd may scribble behind what it returned */
    *length = used;
    return text;
}

void source_sha256(Source *source, char text[65])
{
    MUST(source->ended);
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_digest(&source->sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void source_close(Source *source)
{
    if (!source) return;
    if (source->kind == KIND_GZIP) inflateEnd(&source->gzip);
    if (source->kind == KIND_ZSTD) ZSTD_freeDStream(source->zstd);
    if (source->fd >= 0) close(source->fd);
}
