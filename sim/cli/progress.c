/* sim/cli/progress.c -- one line for all runs. */
#include "sim/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS ((int64_t)1000000000)

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND_NS + t.tv_nsec;
}

void progress_reopen(Progress *progress)
{
    const char *terminal = getenv("TERM");
    progress->terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    progress->drawn = false;
    progress->began_ns = progress->drawn_ns = now_ns();
}

void progress_open(Progress *progress, int n_runs, int64_t jobs_per_run, bool quiet, Arena *arena)
{
    *progress = (Progress){.quiet = quiet, .slot = NEW_ARRAY(arena, ProgressSlot, n_runs), .n_runs = n_runs};
    progress_reopen(progress);
    for (int i = 0; i < n_runs; i++) progress->slot[i].jobs = jobs_per_run;
    pthread_mutex_init(&progress->lock, NULL);
}

/* "0:07", "2:04:05", "3 d 04:05:06" */
static void put_span(char *text, size_t room, double seconds)
{
    int64_t s = (int64_t)seconds;
    int days = (int)(s / 86400), hours = (int)(s / 3600 % 24), minutes = (int)(s / 60 % 60), rest = (int)(s % 60);
    if (days)
        snprintf(text, room, "%d d %02d:%02d:%02d", days, hours, minutes, rest);
    else if (hours)
        snprintf(text, room, "%d:%02d:%02d", hours, minutes, rest);
    else
        snprintf(text, room, "%d:%02d", minutes, rest);
}

static void compose(const Progress *p, int64_t now, char *line, size_t room)
{
    int64_t done = 0, all = 0, events = 0, running = 0, waiting = 0;
    SimTime at = 0;
    for (int i = 0; i < p->n_runs; i++) {
        const ProgressSlot *s = &p->slot[i];
        done += s->jobs_done;
        all += s->jobs;
        events += s->events;
        if (!s->active) continue;
        running += s->jobs_running;
        waiting += s->jobs_waiting;
        if (s->at > at) at = s->at;
    }
    double share = all ? (double)done / (double)all : 0;
    double elapsed = (double)(now - p->began_ns) / (double)SECOND_NS;
    char runs[48] = "", simulated[40], remaining[40] = "-:--";
    if (p->n_runs > 1) snprintf(runs, sizeof runs, "run %d/%d ", p->n_over + (p->n_over < p->n_runs), p->n_runs);
    put_span(simulated, sizeof simulated, time_seconds(at));
    if (share > 0) put_span(remaining, sizeof remaining, elapsed / share - elapsed);
    snprintf(line, room, "%5.1f %% of jobs done, %s left, %sat %s, %lld running, %lld waiting, %.0f events/s",
             100 * share, remaining, runs, simulated, (long long)running, (long long)waiting,
             elapsed > 0 ? (double)events / elapsed : 0);
}

static void wipe(Progress *p)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->drawn = false;
}

static void draw(Progress *p)
{
    int64_t now = now_ns();
    int64_t pause = p->terminal ? SECOND_NS / 10 : 60 * SECOND_NS;
    if (p->quiet || now - p->drawn_ns < pause) return;
    char line[256];
    compose(p, now, line, sizeof line);
    p->drawn_ns = now;
    if (p->terminal) {
        struct winsize window;
        bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
        wipe(p);
        fprintf(stderr, "%.*s", known ? window.ws_col - 1 : 79, line); /* a line that wraps could not be redrawn */
        fflush(stderr);
        p->drawn = true;
    } else {
        fprintf(stderr, "mlfs-sim: %s\n", line + strspn(line, " "));
    }
}

void progress_report(Progress *progress, int run, const ProgressSlot *now)
{
    pthread_mutex_lock(&progress->lock);
    progress->slot[run] = *now;
    draw(progress);
    pthread_mutex_unlock(&progress->lock);
}

void progress_run_over(Progress *progress, int run)
{
    pthread_mutex_lock(&progress->lock);
    ProgressSlot *s = &progress->slot[run];
    s->jobs_done = s->jobs;
    s->active = false;
    progress->n_over++;
    pthread_mutex_unlock(&progress->lock);
}

void progress_say(Progress *progress, const char *line)
{
    pthread_mutex_lock(&progress->lock);
    wipe(progress);
    fprintf(stderr, "mlfs-sim: %s\n", line);
    pthread_mutex_unlock(&progress->lock);
}

void progress_close(Progress *progress)
{
    wipe(progress);
    pthread_mutex_destroy(&progress->lock);
}
