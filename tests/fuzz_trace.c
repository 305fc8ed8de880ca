/* tests/fuzz_trace.c -- any bytes as a trace, through every reader: balanced counters or one sentence. */
#include <stdint.h>
#include <string.h>

#include "traces/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_jobs(const Workload *w)
{
    int64_t accounted = w->counts.usable;
    for (int r = 0; r < N_SKIP_REASONS; r++) accounted += w->counts.skipped[r];
    MUST(w->counts.read == accounted && w->n == w->counts.usable && w->n > 0);
    for (int i = 0; i < w->n; i++) {
        const JobSpec *j = &w->job[i];
        MUST(j->submit >= 0 && j->submit <= TIME_LIMIT && j->duration >= 0 && j->n_gpus >= 1 && *j->name);
        MUST(i == 0 || w->job[i - 1].submit <= j->submit);
    }
}

/* The first byte chooses the keys and the format, the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const units[] = {"trace.unit=s", "trace.unit=ms", "trace.unit=min", "trace.unit=us"};
    static const char *const runtimes[] = {"trace.runtime=sum", "trace.runtime=span", "trace.runtime=last"};
    static const char *const formats[] = {NULL, "philly", "helios", "csv"};
    if (!size) return 0;
    unsigned choice = data[0];
    Arena arena = {0};
    Err err = {0};
    Params params = {.arena = &arena};
    params_add(&params, "trace", trace_params);
    MUST(params_set_pair(&params, choice & 1 ? "trace.lenient=1" : "trace.lenient=0", &err));
    MUST(params_set_pair(&params, choice & 2 ? "trace.strict=1" : "trace.strict=0", &err));
    MUST(params_set_pair(&params, units[choice >> 2 & 3], &err));
    MUST(params_set_pair(&params, runtimes[(choice >> 4 & 3) % 3], &err));

    Workload workload;
    Source *source = source_open_bytes(&arena, "fuzz", data + 1, size - 1, &err);
    if (source && trace_read_source(source, formats[choice >> 6 & 3], &params, &arena, &workload, &err))
        check_jobs(&workload);
    else
        MUST(err.kind == ERR_DATA && *err.text && !strchr(err.text, '\n'));
    source_close(source);
    arena_free(&arena);
    return 0;
}
