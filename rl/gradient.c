/* rl/gradient.c -- parts are handed to threads as these come free; only their sums have an order. */
#include "rl/gradient.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "rl/softmax.h"

enum { BATCH_ROWS = 256 }; /* rows of a product: enough to be quick, few enough to stay in the cache */

typedef struct Work {
    const Mlp *net;
    const Loss *loss;
    const BatchPart *part;
    int n_parts;
    BatchSum *sum;    /* [n_parts] */
    double *gradient; /* (n_parts, n_parameters), or NULL */
    atomic_int next;
} Work;

typedef struct Room { /* of one thread */
    Arena arena;
    MlpPass pass;
    int rows; /* of the arrays below */
    float *x;
    double *log_p, *dscore;
} Room;

static void make_room(Room *room, int rows, int n_features)
{
    if (rows <= room->rows) return;
    room->rows = rows;
    room->x = NEW_ARRAY(&room->arena, float, rows *n_features);
    room->log_p = NEW_ARRAY(&room->arena, double, rows);
    room->dscore = NEW_ARRAY(&room->arena, double, rows);
}

static const Decision *decision_of(const BatchPart *part, int i)
{
    return &part->log->decision[part->order ? part->order[i] : part->first + i];
}

static double loss_of(const Loss *loss, const Decision *d, const double *log_p, double *dscore)
{
    if (loss->kind == LOSS_IMITATION) return softmax_imitation(log_p, d->n, d->chosen, loss->smoothing, dscore);
    return softmax_reinforce(log_p, d->n, d->chosen, d->advantage, loss->entropy_weight, dscore);
}

/* Decisions from..to-1 of a part, `rows` candidates in all. */
static void add_up(const Work *work, Room *room, const BatchPart *part, int from, int to, int rows, BatchSum *sum,
                   double *gradient)
{
    size_t features = (size_t)part->log->n_features;
    make_room(room, rows, part->log->n_features);
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

static void add_up_part(const Work *work, Room *room, const BatchPart *part, BatchSum *sum, double *gradient)
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
    Room room = {0};
    room.pass = mlp_pass(&room.arena, &work->net->shape);
    for (int p; (p = atomic_fetch_add(&work->next, 1)) < work->n_parts;)
        add_up_part(work, &room, &work->part[p], &work->sum[p],
                    work->gradient ? work->gradient + (size_t)p * (size_t)work->net->n_parameters : NULL);
    arena_free(&room.arena);
    return NULL;
}

BatchSum batch_gradient(const Mlp *net, const Loss *loss, const BatchPart part[], int n_parts, int n_threads,
                        double *gradient)
{
    Arena arena = {0};
    size_t n = (size_t)net->n_parameters;
    Work work = {
        .net = net, .loss = loss, .part = part, .n_parts = n_parts, .sum = NEW_ARRAY(&arena, BatchSum, n_parts)};
    if (gradient) work.gradient = NEW_ARRAY(&arena, double, (size_t)n_parts *n);
    MUST(net->shape.width[net->shape.n_layers] == 1);
    for (int p = 0; p < n_parts; p++) MUST(part[p].log->n_features == net->shape.width[0]);

    int n_helpers = (n_threads < n_parts ? n_threads : n_parts) - 1,
        n_started = 0; /* the calling thread works as well */
    pthread_t *helper = NEW_ARRAY(&arena, pthread_t, n_helpers > 0 ? n_helpers : 1);
    while (n_started < n_helpers && pthread_create(&helper[n_started], NULL, work_on_parts, &work) == 0) n_started++;
    work_on_parts(&work);
    for (int i = 0; i < n_started; i++) pthread_join(helper[i], NULL);

    BatchSum total = {0};
    if (gradient) memset(gradient, 0, n * sizeof *gradient);
    for (int p = 0; p < n_parts; p++) {
        total.loss += work.sum[p].loss;
        total.entropy += work.sum[p].entropy;
        total.n_agreeing += work.sum[p].n_agreeing;
        total.n += work.sum[p].n;
        for (size_t i = 0; gradient && i < n; i++) gradient[i] += work.gradient[(size_t)p * n + i];
    }
    arena_free(&arena);
    return total;
}
