/* policies/gittins.c -- counts and sums over a sorted sample by binary search. */
#include "policies/gittins.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

void gittins_add(Gittins *g, double size)
{
    if (g->n == g->capacity) {
        int larger = g->capacity ? g->capacity * 2 : 256;
        g->size = arena_grow(g->arena, g->size, (size_t)g->n, (size_t)larger, sizeof *g->size);
        g->capacity = larger;
    }
    g->size[g->n++] = size;
}

/* Sorts what came since last and merges it in from the back; sizes grow one percent at a time. */
void gittins_sort(Gittins *g)
{
    int n_new = g->n - g->n_sorted;
    if (n_new == 0) return;
    double *new = NEW_ARRAY(g->arena, double, n_new);
    memcpy(new, &g->size[g->n_sorted], (size_t)n_new * sizeof *new);
    gsl_sort(new, 1, (size_t)n_new);
    for (int to = g->n - 1, old = g->n_sorted - 1; n_new > 0; to--)
        g->size[to] = old >= 0 && g->size[old] > new[n_new - 1] ? g->size[old--] : new[--n_new];

    if (g->sum_capacity < g->n + 1) {
        g->sum_capacity = g->capacity + 1;
        g->sum = NEW_ARRAY(g->arena, double, g->sum_capacity);
    }
    g->sum[0] = 0;
    for (int i = 0; i < g->n; i++) g->sum[i + 1] = g->sum[i] + g->size[i];
    g->n_sorted = g->n;
}

/* How many of the sizes are <= x, when the first `low` are and those from `high` on are not. */
static int count_between(const Gittins *g, int low, int high, double x)
{
    while (low < high) {
        int middle = (low + high) / 2;
        if (g->size[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int count_up_to(const Gittins *g, double x)
{
    return count_between(g, 0, g->n_sorted, x);
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

/* count_up_to, when the first `from` are: strides that double, then between the last two. */
static int count_from(const Gittins *g, int from, double x)
{
    int low = from, stride = 1;
    if (from == g->n_sorted || g->size[from] > x) return from; /* mostly */
    while (low + stride <= g->n_sorted && g->size[low + stride - 1] <= x) {
        low += stride;
        stride *= 2;
    }
    return count_between(g, low, low + stride <= g->n_sorted ? low + stride - 1 : g->n_sorted, x);
}

double gittins_index_from(const Gittins *g, GittinsPlace *place, double attained, double quantum)
{
    if (place->n_sorted != g->n_sorted) *place = (GittinsPlace){.n_sorted = g->n_sorted};
    place->first = count_from(g, place->first, attained);
    place->last = isinf(quantum) ? g->n_sorted : count_from(g, place->last, attained + quantum);
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
