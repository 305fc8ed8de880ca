/* policies/gittins.c -- counts and sums over a sorted sample by binary search. */
#include "policies/gittins.h"

#include <gsl/gsl_sort.h>
#include <math.h>

void gittins_add(Gittins *g, double size)
{
    if (g->n == g->capacity) {
        int larger = g->capacity ? g->capacity * 2 : 256;
        g->size = arena_grow(g->arena, g->size, (size_t)g->n, (size_t)larger, sizeof *g->size);
        g->capacity = larger;
    }
    g->size[g->n++] = size;
}

void gittins_sort(Gittins *g)
{
    if (g->n == g->n_sorted) return;
    gsl_sort(g->size, 1, (size_t)g->n);
    if (g->sum_capacity < g->n + 1) {
        g->sum_capacity = g->capacity + 1;
        g->sum = NEW_ARRAY(g->arena, double, g->sum_capacity);
    }
    g->sum[0] = 0;
    for (int i = 0; i < g->n; i++) g->sum[i + 1] = g->sum[i] + g->size[i];
    g->n_sorted = g->n;
}

/* How many sizes are <= x. */
static int count_up_to(const Gittins *g, double x)
{
    int low = 0, high = g->n_sorted;
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->size[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* p/e where sizes first .. last-1 end within the quantum and those from last on do not; their number cancels. */
static double index_of(const Gittins *g, double attained, double quantum, int first, int last)
{
    int ending = last - first, longer = g->n_sorted - last;
    if (ending <= 0) return 0;
    double spent = g->sum[last] - g->sum[first] - attained * ending;
    if (longer) spent += quantum * longer;
    return ending / spent;
}

double gittins_index(const Gittins *g, double attained, double quantum)
{
    return index_of(g, attained, quantum, count_up_to(g, attained), count_up_to(g, attained + quantum));
}

/* count_up_to, from a place that is not behind it. */
static int count_from(const Gittins *g, int from, double x)
{
    for (int i = from; i < from + 8; i++)
        if (i == g->n_sorted || g->size[i] > x) return i;
    return count_up_to(g, x);
}

double gittins_index_from(const Gittins *g, GittinsPlace *place, double attained, double quantum)
{
    if (place->n_sorted != g->n_sorted) *place = (GittinsPlace){.n_sorted = g->n_sorted};
    place->first = count_from(g, place->first, attained);
    place->last = count_from(g, place->last, attained + quantum);
    return index_of(g, attained, quantum, place->first, place->last);
}

double gittins_supremum(const Gittins *g, double attained)
{
    /* Between two sizes a longer quantum only adds cost: the best one ends exactly at a size of the sample. */
    double best = 0;
    int first = count_up_to(g, attained);
    for (int i = first; i < g->n_sorted; i++)
        best = fmax(best, index_of(g, attained, g->size[i] - attained, first, i + 1));
    return best;
}

double gittins_released(const Gittins *g, double attained, double quantum)
{
    int n = g->n_sorted;
    if (n == 0 || attained > g->size[n - 1] - 1 || (n > 1 && attained > g->size[n - 2])) return 0;
    int first = count_up_to(g, attained), last = count_up_to(g, attained + quantum);
    if (attained + quantum > g->size[n - 1] - 1) last = n - 1;
    double p = (double)(last - first) / (n - first);
    double e = (g->sum[last] - g->sum[first] + quantum * (n - last)) / (n - first);
    return 1e6 * p / e;
}
