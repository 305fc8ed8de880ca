/* tests/testing.h -- reading typed traces in tests. */
#ifndef TESTS_TESTING_H
#define TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "traces/reader.h"

typedef struct Reading {
    Arena arena;
    Params params;
    Workload workload;
    Err err;
} Reading;

/* `settings`: KEY=VALUE, separated by blanks. */
static inline void reading_open(Reading *r, const char *settings)
{
    memset(r, 0, sizeof *r);
    r->params.arena = &r->arena;
    params_add(&r->params, "trace", trace_params);
    for (const char *s = settings; *s;) {
        size_t n = strcspn(s, " ");
        if (!params_set_pair(&r->params, arena_copy_text(&r->arena, s, n), &r->err)) fail_msg("%s", r->err.text);
        s += n + (s[n] == ' ');
    }
}

static inline bool reading_bytes(Reading *r, const char *settings, const char *name, const void *bytes, size_t n)
{
    reading_open(r, settings);
    Source *source = source_open_bytes(&r->arena, name, bytes, n, &r->err);
    bool good = source && trace_read_source(source, NULL, &r->params, &r->arena, &r->workload, &r->err);
    source_close(source);
    assert_true(good == (r->err.kind == ERR_NONE));
    if (!good) assert_null(strchr(r->err.text, '\n'));
    return good;
}

/* A trace that is read. */
static inline void reads(Reading *r, const char *settings, const char *name, const char *text)
{
    if (!reading_bytes(r, settings, name, text, strlen(text))) fail_msg("%s", r->err.text);
    const TraceCounts *c = &r->workload.counts;
    int64_t skipped = 0;
    for (int i = 0; i < N_SKIP_REASONS; i++) skipped += c->skipped[i];
    assert_int_equal(c->read, c->usable + skipped);
    assert_int_equal(c->usable, r->workload.n);
}

/* A trace that is refused as bad data, with these words. */
static inline void refuses(const char *settings, const char *name, const char *text, const char *words)
{
    Reading r;
    if (reading_bytes(&r, settings, name, text, strlen(text))) fail_msg("read, but expected: %s", words);
    assert_int_equal(r.err.kind, ERR_DATA);
    if (!strstr(r.err.text, words)) fail_msg("expected \"%s\" in \"%s\"", words, r.err.text);
    arena_free(&r.arena);
}

static inline void reading_close(Reading *r)
{
    arena_free(&r->arena);
}

/* Submission and duration in seconds, and GPUs, of the job at a position. */
static inline void assert_job(const Reading *r, int position, const char *name, double submit, double duration,
                              int n_gpus)
{
    const JobSpec *job = &r->workload.job[position];
    assert_string_equal(job->name, name);
    assert_int_equal(job->submit, time_from_seconds(submit));
    assert_int_equal(job->duration, time_from_seconds(duration));
    assert_int_equal(job->n_gpus, n_gpus);
}

#endif
