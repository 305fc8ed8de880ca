/* rl/gradient.c -- parts are handed to threads as these come free; only their sums have an order. */
#include "rl/gradient.h"

#include <stdatomic.h>
#include <string.h>

#include "rl/ranks.h"
#include "rl/softmax.h"
#include "sim/base/threads.h"

enum { BATCH_ROWS = 256 }; /* rows of a product: enough to be quick, few enough to stay in the cache */

typedef struct ThreadRoom {
    MlpPass pass;
    int rows; /* of the arrays below */
    float *x;
    double *log_p, *dscore;
} ThreadRoom;

typedef struct Work {
    BatchRoom *room;
    const Mlp *net;
    const Loss *loss;
    const BatchPart *part;
    int n_parts;
    bool wants_gradient;
    atomic_int next, n_threads; /* the next part; threads so far */
} Work;

BatchRoom batch_room(Arena *arena, const MlpShape *shape, int n_threads)
{
    MUST(n_threads >= 1);
    BatchRoom room = {.arena = arena, .n_threads = n_threads, .thread = NEW_ARRAY(arena, ThreadRoom, n_threads)};
    for (int i = 0; i < n_threads; i++) room.thread[i].pass = mlp_pass(arena, shape);
    return room;
}

static const Decision *decision_of(const BatchPart *part, int i)
{
    return &part->log->decision[part->order ? part->order[i] : part->first + i];
}

/* Room for every part and, in each thread, for the widest product; the arena belongs to one thread only. */
static void make_room(BatchRoom *room, const Mlp *net, const BatchPart part[], int n_parts)
{
    int rows = BATCH_ROWS;
    for (int p = 0; p < n_parts; p++)
        for (int i = 0; i < part[p].n; i++)
            if (decision_of(&part[p], i)->n > rows) rows = decision_of(&part[p], i)->n;
    for (int t = 0; t < room->n_threads; t++) {
        ThreadRoom *r = &room->thread[t];
        if (rows <= r->rows) continue;
        r->rows = rows;
        r->x = NEW_ARRAY(room->arena, float, (size_t)rows *(size_t)net->shape.width[0]);
        r->log_p = NEW_ARRAY(room->arena, double, rows);
        r->dscore = NEW_ARRAY(room->arena, double, rows);
        mlp_pass_room(&r->pass, rows);
    }
    if (n_parts > room->part_room) {
        room->part_room = n_parts > 2 * room->part_room ? n_parts : 2 * room->part_room;
        room->sum = NEW_ARRAY(room->arena, BatchSum, room->part_room);
        room->gradient = NEW_ARRAY(room->arena, double, (size_t)room->part_room *(size_t)net->n_parameters);
    }
}

static double loss_of(const Loss *loss, const Decision *d, const double *log_p, double *dscore)
{
    if (loss->kind == LOSS_IMITATION) return softmax_imitation(log_p, d->n, d->chosen, loss->smoothing, dscore);
    return softmax_reinforce(log_p, d->n, d->chosen, d->advantage, loss->entropy_weight, dscore);
}

/* Decisions from..to-1 of a part, `rows` candidates in all. */
static void add_up(const Work *work, ThreadRoom *room, const BatchPart *part, int from, int to, int rows, BatchSum *sum,
                   double *gradient)
{
    size_t features = (size_t)part->log->n_features;
    float *x = room->x;
    for (int i = from; i < to; i++) {
        const Decision *d = decision_of(part, i);
        memcpy(x, part->log->feature + (size_t)d->first * features, (size_t)d->n * features * sizeof *x);
        x += (size_t)d->n * features;
    }
    const double *score = mlp_forward(work->net, &room->pass, room->x, rows);
    for (int i = from, row = 0; i < to; i++) {
        const Decision *d = decision_of(part, i);
        const bool *legal = part->log->legal + d->first;
        softmax_log(score + row, legal, d->n, room->log_p);
        sum->loss += loss_of(work->loss, d, room->log_p, room->dscore + row);
        sum->entropy += softmax_entropy(room->log_p, d->n);
        sum->n_agreeing += softmax_best(score + row, legal, d->n) == d->chosen;
        sum->n++;
        row += d->n;
    }
    if (gradient) mlp_backward(work->net, &room->pass, room->dscore, gradient);
}

static void add_up_part(const Work *work, ThreadRoom *room, const BatchPart *part, BatchSum *sum, double *gradient)
{
    for (int from = 0, to; from < part->n; from = to) {
        int rows = decision_of(part, from)->n;
        for (to = from + 1; to < part->n && rows + decision_of(part, to)->n <= BATCH_ROWS; to++)
            rows += decision_of(part, to)->n;
        add_up(work, room, part, from, to, rows, sum, gradient);
    }
}

static void *work_on_parts(void *context)
{
    Work *work = context;
    ThreadRoom *room = &work->room->thread[atomic_fetch_add(&work->n_threads, 1)];
    size_t n = (size_t)work->net->n_parameters;
    for (int p; (p = atomic_fetch_add(&work->next, 1)) < work->n_parts;) {
        if (!ranks_owns(p, work->n_parts)) continue;
        double *gradient = work->wants_gradient ? work->room->gradient + (size_t)p * n : NULL;
        if (gradient) memset(gradient, 0, n * sizeof *gradient);
        work->room->sum[p] = (BatchSum){0};
        add_up_part(work, room, &work->part[p], &work->room->sum[p], gradient);
    }
    return NULL;
}

BatchSum batch_gradient(BatchRoom *room, const Mlp *net, const Loss *loss, const BatchPart part[], int n_parts,
                        double *gradient)
{
    size_t n = (size_t)net->n_parameters;
    MUST(net->shape.width[net->shape.n_layers] == 1);
    for (int p = 0; p < n_parts; p++) MUST(part[p].log->n_features == net->shape.width[0]);
    make_room(room, net, part, n_parts);
    Work work = {room, net, loss, part, n_parts, gradient, 0, 0};
    threads_work(room->n_threads < n_parts ? room->n_threads : n_parts, work_on_parts, &work);
    ranks_share(room->sum, n_parts, sizeof *room->sum);
    if (gradient) ranks_share(room->gradient, n_parts, n * sizeof *gradient);

    BatchSum total = {0};
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    for (int p = 0; p < n_parts; p++) {
        const BatchSum *sum = &room->sum[p];
        total.loss += sum->loss;
        total.entropy += sum->entropy;
        total.n_agreeing += sum->n_agreeing;
        total.n += sum->n;
        for (size_t i = 0; gradient && i < n; i++) gradient[i] += room->gradient[(size_t)p * n + i];
    }
    return total;
}
