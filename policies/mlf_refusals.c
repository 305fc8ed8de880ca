/* policies/mlf_refusals.c -- a list of refusals, and bars drawn from it as it grows. */
#include "policies/mlf_refusals.h"

#include <string.h>

static void clear_bars(Refusals *r)
{
    for (int kind = 0; kind < BAR_KINDS && r->bar; kind++)
        for (int n = 0; n <= BAR_SIZES; n++) {
            Bar *bar = &r->bar[kind][n];
            bar->least = INT32_MAX;
            bar->n_read = bar->n_strikes = 0;
        }
}

void refusals_open(Refusals *r, Arena *arena, int strikes, bool bars)
{
    *r = (Refusals){
        .strikes = strikes < MOST_REFUSALS ? strikes : MOST_REFUSALS + 1, /* so many are never noted */
        .refusal = NEW_ARRAY(arena, NoRoom, MOST_REFUSALS),
    };
    if (!bars) return;
    r->bar = arena_alloc(arena, BAR_KINDS, sizeof *r->bar);
    for (int kind = 0; kind < BAR_KINDS; kind++)
        for (int n = 0; n <= BAR_SIZES; n++) r->bar[kind][n].strike = NEW_ARRAY(arena, Milli, r->strikes + 1);
    clear_bars(r);
}

void refusals_forget(Refusals *r)
{
    if (!r->n) return;
    r->n = 0;
    clear_bars(r);
}

void refusals_note(Refusals *r, NoRoom refusal)
{
    if (r->n < MOST_REFUSALS) r->refusal[r->n++] = refusal;
}

/* Whether what is asked for is no less than what was refused, GPU demand aside. */
static bool is_no_less(const NoRoom *asks, const NoRoom *r)
{
    return asks->n >= r->n && asks->rate >= r->rate && asks->need.cores >= r->need.cores &&
           asks->need.memory_mib >= r->need.memory_mib && asks->need.gpu_memory_mib >= r->need.gpu_memory_mib;
}

bool refusals_cover(const Refusals *r, const NoRoom *asks)
{
    int n = 0;
    for (int i = 0; i < r->n; i++) {
        if (asks->gpu < r->refusal[i].gpu || !is_no_less(asks, &r->refusal[i])) continue;
        if (r->refusal[i].final || ++n == r->strikes) return true;
    }
    return false;
}

/* One strike more at this demand: the bar is at the latest of the first `strikes`. */
static void strike(Bar *bar, Milli gpu, int strikes)
{
    int at = bar->n_strikes < strikes ? bar->n_strikes++ : strikes; /* [strikes]: falls off the end */
    for (; at > 0 && bar->strike[at - 1] > gpu; at--) bar->strike[at] = bar->strike[at - 1];
    bar->strike[at] = gpu;
    if (strikes && bar->n_strikes == strikes && bar->strike[strikes - 1] < bar->least)
        bar->least = bar->strike[strikes - 1];
}

bool refusals_cover_gang(Refusals *r, int n, Milli least_gpu, int kind, const TaskNeed *need)
{
    NoRoom asks = {.n = n, .gpu = least_gpu, .need = *need};
    if (n > BAR_SIZES || kind >= BAR_KINDS) return refusals_cover(r, &asks);
    Bar *bar = &r->bar[kind][n];
    for (; bar->n_read < r->n; bar->n_read++) {
        const NoRoom *refusal = &r->refusal[bar->n_read];
        if (!is_no_less(&asks, refusal)) continue;
        if (!refusal->final)
            strike(bar, refusal->gpu, r->strikes);
        else if (refusal->gpu < bar->least)
            bar->least = refusal->gpu;
    }
    return least_gpu >= bar->least;
}
