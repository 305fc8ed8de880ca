/* rl/decisions.c -- three arrays that grow by doubling. */
#include "rl/decisions.h"

#include <string.h>

#include "sim/base/err.h"

DecisionLog decision_log(Arena *arena, int n_features)
{
    MUST(n_features >= 1);
    return (DecisionLog){.arena = arena, .n_features = n_features};
}

static void make_room(DecisionLog *log, int more)
{
    if (log->n == log->room) {
        int room = log->room ? 2 * log->room : 256;
        log->decision = arena_resize(log->arena, log->decision, (size_t)log->n, (size_t)room, sizeof *log->decision);
        log->room = room;
    }
    if (log->n_rows + more > log->row_room) {
        size_t used = (size_t)log->n_rows, room = 2 * (used + (size_t)more) + 1024;
        log->feature = arena_resize(log->arena, log->feature, used * (size_t)log->n_features,
                                    room * (size_t)log->n_features, sizeof *log->feature);
        log->legal = arena_resize(log->arena, log->legal, used, room, sizeof *log->legal);
        log->row_room = (int64_t)room;
    }
}

void decision_add(DecisionLog *log, int n, const float *feature, const bool *legal, int chosen, int tick)
{
    MUST(n >= 1 && chosen >= 0 && chosen < n && (!legal || legal[chosen]));
    make_room(log, n);
    memcpy(log->feature + log->n_rows * log->n_features, feature,
           (size_t)n * (size_t)log->n_features * sizeof *feature);
    for (int i = 0; i < n; i++) log->legal[log->n_rows + i] = !legal || legal[i];
    log->decision[log->n++] = (Decision){.first = log->n_rows, .n = n, .chosen = chosen, .tick = tick};
    log->n_rows += n;
}

void decision_log_thin(DecisionLog *log, int stride)
{
    size_t features = (size_t)log->n_features;
    int n = log->n;
    decision_log_clear(log);
    for (int i = 0; i < n; i++) {
        Decision d = log->decision[i];
        if (d.tick % stride) continue;
        memmove(log->feature + (size_t)log->n_rows * features, log->feature + (size_t)d.first * features,
                (size_t)d.n * features * sizeof *log->feature);
        memmove(log->legal + log->n_rows, log->legal + d.first, (size_t)d.n * sizeof *log->legal);
        d.first = log->n_rows;
        log->decision[log->n++] = d;
        log->n_rows += d.n;
    }
}

void decision_log_clear(DecisionLog *log)
{
    log->n_rows = 0;
    log->n = 0;
}
