/* sim/base/out.c -- buffer, temporary name, rename. */
#include "sim/base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/base/text.h"

struct Out {
    const char *path;    /* as the user named it */
    const char *written; /* the file being written: a temporary one, or `path` itself */
    bool temporary;
    int fd;
    bool packed; /* the name ends in .gz */
    gzFile gz;   /* NULL: written plain, and packed when all is there if it is to be packed */
    int failure; /* errno of the first failed write */
    Out *next;   /* in the image */
    Image *image;
    size_t used;
    char buffer[128 << 10];
};

/* gzip sees pieces of this size, however the bytes came: what it makes of them depends on it. */
enum { PIECE = 64 << 10 };

bool out_is_regular(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

/* Level 1: five times faster than the default and hardly larger on our tables. */
static gzFile open_gzip(int fd)
{
    gzFile gz = gzdopen(fd, "wb1");
    MUST(gz);
    return gz;
}

Out *out_open(Arena *arena, const char *path, Err *err)
{
    Out *out = NEW(arena, Out);
    out->path = strcmp(path, "-") == 0 ? "standard output" : path;
    out->temporary = out_is_regular(path);
    if (strcmp(path, "-") == 0) {
        out->fd = dup(STDOUT_FILENO);
    } else {
        out->written = out->temporary ? arena_format(arena, "%s.tmp.%ld", path, (long)getpid()) : path;
        out->fd = open(out->written, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (out->fd < 0) {
        err_set(err, ERR_MACHINE, "%s: cannot be written: %s", out->path, strerror(errno));
        return NULL;
    }
    out->packed = text_ends(path, ".gz");
    if (arena->image && out->temporary) { /* zlib's state is no part of an image */
        out->image = arena->image;
        out->next = out->image->outs;
        out->image->outs = out;
    } else if (out->packed) {
        out->gz = open_gzip(out->fd);
    }
    return out;
}

static size_t write_some(Out *out, const char *bytes, size_t length)
{
    ssize_t n;
    do {
        errno = 0;
        n = out->gz ? gzwrite(out->gz, bytes, (unsigned)length) : write(out->fd, bytes, length);
    } while (n < 0 && errno == EINTR && !out->gz);
    if (n > 0) return (size_t)n;
    out->failure = errno ? errno : EIO;
    return 0;
}

/* Whole pieces, and with `all` the rest. */
static void flush(Out *out, bool all)
{
    size_t done = 0;
    while (out->used - done >= (all ? 1 : PIECE) && !out->failure)
        done += write_some(out, out->buffer + done, out->used - done < PIECE ? out->used - done : PIECE);
    out->used = out->failure ? 0 : out->used - done;
    memmove(out->buffer, out->buffer + done, out->used);
}

static void close_file(Out *out)
{
    errno = 0;
    int status = out->gz ? gzclose(out->gz) : close(out->fd);
    if (status != 0 && !out->failure) out->failure = errno ? errno : EIO;
    for (Out **link = out->image ? &out->image->outs : NULL; link && *link; link = &(*link)->next)
        if (*link == out) {
            *link = out->next;
            break;
        }
}

/* The plain file that was written becomes a packed one of the same name. */
static void pack(Out *out)
{
    int plain = open(out->written, O_RDONLY | O_CLOEXEC);
    if (plain >= 0) unlink(out->written); /* what is open stays */
    int fd = plain < 0 ? -1 : open(out->written, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        out->failure = errno;
        if (plain >= 0) close(plain);
        return;
    }
    out->fd = fd;
    out->gz = open_gzip(fd);
    for (ssize_t n; !out->failure && (n = read(plain, out->buffer + out->used, sizeof out->buffer - out->used)) != 0;) {
        if (n > 0) out->used += (size_t)n;
        if (n < 0 && errno != EINTR) out->failure = errno;
        if (out->used == sizeof out->buffer) flush(out, false);
    }
    flush(out, true);
    close(plain);
    close_file(out);
}

bool out_close(Out *out, Err *err)
{
    flush(out, true);
    close_file(out);
    if (!out->failure && out->packed && !out->gz) pack(out);
    if (!out->failure && out->temporary && rename(out->written, out->path) != 0) out->failure = errno;
    if (!out->failure) return true;
    if (out->temporary) unlink(out->written);
    return err_set(err, ERR_MACHINE, "%s: cannot be written: %s", out->path, strerror(out->failure));
}

void out_abandon(Out *out)
{
    if (!out) return;
    close_file(out);
    if (out->temporary) unlink(out->written);
}

bool out_failed(const Out *out)
{
    return out->failure != 0;
}

bool out_is_file(const Out *out)
{
    return out->temporary;
}

const Out *out_next(const Image *image, const Out *out)
{
    return out ? out->next : image->outs;
}

const char *out_written(const Out *out)
{
    return out->temporary ? out->written : NULL;
}

bool out_reopen(Image *image, Err *err)
{
    for (Out *out = image->outs; out; out = out->next) {
        MUST(out->temporary);
        out->fd = open(out->written, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (out->fd < 0) return err_set(err, ERR_MACHINE, "%s: cannot be written: %s", out->path, strerror(errno));
    }
    return true;
}

void out_bytes(Out *out, const char *text, size_t length)
{
    while (length) {
        if (out->used == sizeof out->buffer) flush(out, false);
        size_t room = sizeof out->buffer - out->used, n = length < room ? length : room;
        memcpy(out->buffer + out->used, text, n);
        out->used += n;
        text += n;
        length -= n;
    }
}

void out_text(Out *out, const char *text)
{
    out_bytes(out, text, strlen(text));
}

void out_char(Out *out, char c)
{
    if (out->used == sizeof out->buffer) flush(out, false);
    out->buffer[out->used++] = c;
}

/* Where up to `most` more bytes can be put; `used` then grows by those that were. */
static char *place_for(Out *out, size_t most)
{
    if (sizeof out->buffer - out->used < most) flush(out, false);
    return out->buffer + out->used;
}

void out_int(Out *out, int64_t value)
{
    char *place = place_for(out, WHOLE_TEXT + 1);
    if (value < 0) {
        *place++ = '-';
        out->used++;
    }
    out->used += (size_t)text_from_whole(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, place);
}

void out_time(Out *out, SimTime time)
{
    if (time == TIME_NEVER) return;
    char *place = place_for(out, TIME_TEXT);
    out->used += (size_t)time_format(time, place);
}

void out_double(Out *out, double value)
{
    char text[DOUBLE_TEXT];
    if (isnan(value)) return;
    int length = text_from_double(value, text);
    out_bytes(out, text, (size_t)length);
}

void out_csv(Out *out, const char *text)
{
    if (!text) return;
    size_t plain = strcspn(text, ",\"\r\n");
    size_t length = strlen(text);
    bool blank_edge =
        length && (text[0] == ' ' || text[0] == '\t' || text[length - 1] == ' ' || text[length - 1] == '\t');
    if (plain == length && !blank_edge) {
        out_bytes(out, text, length);
        return;
    }
    out_char(out, '"');
    for (; *text; text++) {
        if (*text == '"') out_char(out, '"');
        out_char(out, *text);
    }
    out_char(out, '"');
}

void out_format(Out *out, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    MUST(length >= 0 && (size_t)length < sizeof text);
    out_bytes(out, text, (size_t)length);
}

bool make_folders(const char *path, Err *err)
{
    char part[4096];
    size_t length = strlen(path);
    if (!length || length >= sizeof part) return err_set(err, ERR_MACHINE, "%s: not a usable folder name", path);
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++)
        if (part[i] == '/' || part[i] == '\0') {
            part[i] = '\0';
            if (mkdir(part, 0777) != 0 && errno != EEXIST)
                return err_set(err, ERR_MACHINE, "%s: the folder cannot be made: %s", part, strerror(errno));
            if (i < length) part[i] = '/';
        }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return err_set(err, ERR_MACHINE, "%s: the folder cannot be made: a file is in its place", path);
    return true;
}
