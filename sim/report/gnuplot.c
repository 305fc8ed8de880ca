/* sim/report/gnuplot.c -- fork, exec, listen to what it complains about. */
#include "sim/report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_GNUPLOT = 127, NO_FOLDER = 126 }; /* the child's status, as a shell would have it */

/* The child: `complaints` takes its stderr.  Settings of the user's own (-d) must not change a figure. */
_Noreturn static void become_gnuplot(const char *dir, const char *script, int complaints)
{
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    dup2(complaints, STDERR_FILENO);
    if (chdir(dir) != 0) _exit(NO_FOLDER);
    execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
    _exit(NO_GNUPLOT);
}

/* The first line that says something: gnuplot shows the line it stumbled over and points at it with a caret. */
static void keep_complaint(char *text)
{
    char *rest, *line = strtok_r(text, "\n", &rest);
    while (line && !strstr(line, "line ")) line = strtok_r(NULL, "\n", &rest);
    memmove(text, line ? line : "", line ? strlen(line) + 1 : 1);
}

static size_t read_all(int fd, char *text, size_t room)
{
    char rest[512];
    size_t length = 0;
    for (ssize_t got = 1; got != 0;) {
        bool full = length == room - 1;
        got = full ? read(fd, rest, sizeof rest) : read(fd, text + length, room - 1 - length);
        if (got < 0 && errno != EINTR) break;
        if (got > 0 && !full) length += (size_t)got;
    }
    text[length] = '\0';
    return length;
}

bool gnuplot_draw(const char *dir, const char *name, Arena *arena, Err *err)
{
    const char *script = arena_format(arena, "%s.gp", name);
    int ends[2], status = 0;
    char complaint[2000];
    if (pipe2(ends, O_CLOEXEC) != 0) return err_set(err, ERR_MACHINE, "gnuplot cannot be run: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) become_gnuplot(dir, script, ends[1]);
    close(ends[1]);
    if (child > 0) {
        read_all(ends[0], complaint, sizeof complaint);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    if (child < 0) return err_set(err, ERR_MACHINE, "gnuplot cannot be run: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;

    for (const char *const *kind = (const char *const[]){"png", "svg", "pdf", NULL}; *kind; kind++)
        unlink(arena_format(arena, "%s/%s.%s", dir, name, *kind));
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_GNUPLOT)
        return err_set(err, ERR_MACHINE,
                       "gnuplot is missing: install it with `apt-get install gnuplot-nox`, then `cd %s && gnuplot %s` "
                       "draws the figure",
                       dir, script);
    keep_complaint(complaint);
    return err_set(err, ERR_MACHINE, "gnuplot failed on %s/%s%s%s", dir, script, *complaint ? ": " : "", complaint);
}
