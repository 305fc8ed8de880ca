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
    gzFile gz;   /* NULL: plain */
    int failure; /* errno of the first failed write */
    size_t used;
    char buffer[128 << 10];
};

static bool is_regular_or_absent(const char *path)
{
    struct stat info;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

Out *out_open(Arena *arena, const char *path, Err *err)
{
    Out *out = NEW(arena, Out);
    out->path = strcmp(path, "-") == 0 ? "standard output" : path;
    out->temporary = strcmp(path, "-") != 0 && is_regular_or_absent(path);
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
    if (text_ends(path, ".gz")) { /* level 1: five times faster than the default and hardly larger on our tables */
        out->gz = gzdopen(out->fd, "wb1");
        MUST(out->gz);
    }
    return out;
}

static void flush(Out *out)
{
    size_t done = 0;
    while (done < out->used && !out->failure) {
        ssize_t n;
        if (out->gz) {
            errno = 0;
            n = gzwrite(out->gz, out->buffer + done, (unsigned)(out->used - done));
            if (n <= 0) out->failure = errno ? errno : EIO;
        } else {
            n = write(out->fd, out->buffer + done, out->used - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) out->failure = n < 0 ? errno : EIO;
        }
        if (n > 0) done += (size_t)n;
    }
    out->used = 0;
}

static void close_file(Out *out)
{
    errno = 0;
    int status = out->gz ? gzclose(out->gz) : close(out->fd);
    if (status != 0 && !out->failure) out->failure = errno ? errno : EIO;
}

bool out_close(Out *out, Err *err)
{
    flush(out);
    close_file(out);
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

void out_bytes(Out *out, const char *text, size_t length)
{
    while (length) {
        if (out->used == sizeof out->buffer) flush(out);
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
    if (out->used == sizeof out->buffer) flush(out);
    out->buffer[out->used++] = c;
}

/* Where up to `most` more bytes can be put; `used` then grows by those that were. */
static char *place_for(Out *out, size_t most)
{
    if (sizeof out->buffer - out->used < most) flush(out);
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
