/* rl/mlp.c -- products by the kernel, the rest in plain loops. */
#include "rl/mlp.h"

#include <math.h>
#include <string.h>

#include "sim/base/rng.h"

int mlp_parameters(const MlpShape *shape)
{
    int n = 0;
    for (int l = 0; l < shape->n_layers; l++) n += (shape->width[l] + 1) * shape->width[l + 1];
    return n;
}

Mlp mlp_open(Arena *arena, MlpShape shape, Kernel kernel)
{
    MUST(shape.n_layers >= 1 && shape.n_layers <= MLP_MOST_LAYERS);
    for (int l = 0; l <= shape.n_layers; l++) MUST(shape.width[l] >= 1 && shape.width[l] <= MLP_MOST_WIDTH);
    int n = mlp_parameters(&shape);
    return (Mlp){shape, kernel, n, NEW_ARRAY(arena, double, n)};
}

void mlp_draw(Mlp *net, uint64_t seed)
{
    Rng rng;
    rng_open(&rng, seed, "net weights", 0);
    double *w = net->parameter;
    for (int l = 0; l < net->shape.n_layers; l++) {
        int in = net->shape.width[l], out = net->shape.width[l + 1];
        double reach = sqrt(6. / (in + out));
        for (int i = 0; i < in * out; i++) *w++ = reach * (2 * rng_uniform(&rng) - 1);
        for (int i = 0; i < out; i++) *w++ = 0;
    }
}

MlpPass mlp_pass(Arena *arena, const MlpShape *shape)
{
    return (MlpPass){.arena = arena, .shape = *shape};
}

void mlp_pass_room(MlpPass *pass, int rows)
{
    if (rows <= pass->room) return;
    pass->room = rows > 2 * pass->room ? rows : 2 * pass->room;
    for (int l = 0; l <= pass->shape.n_layers; l++) {
        pass->y[l] = NEW_ARRAY(pass->arena, double, pass->room * pass->shape.width[l]);
        pass->dy[l] = NEW_ARRAY(pass->arena, double, pass->room * pass->shape.width[l]);
    }
}

const double *mlp_forward(const Mlp *net, MlpPass *pass, const float *x, int rows)
{
    const MlpShape *shape = &net->shape;
    MUST(memcmp(shape, &pass->shape, sizeof *shape) == 0);
    mlp_pass_room(pass, rows);
    pass->rows = rows;
    for (int i = 0; i < rows * shape->width[0]; i++) pass->y[0][i] = (double)x[i];

    const double *w = net->parameter;
    for (int l = 0; l < shape->n_layers; l++) {
        int in = shape->width[l], out = shape->width[l + 1];
        const double *b = w + in * out;
        double *y = pass->y[l + 1], leak = l + 1 < shape->n_layers ? MLP_LEAK : 1;
        kernel_product(net->kernel, 0, rows, out, in, pass->y[l], w, y);
        for (int r = 0; r < rows; r++, y += out)
            for (int j = 0; j < out; j++) {
                double sum = y[j] + b[j], low = leak * sum;
                y[j] = sum > low ? sum : low; /* a maximum has no branch to guess */
            }
        w = b + out;
    }
    return pass->y[shape->n_layers];
}

void mlp_backward(const Mlp *net, MlpPass *pass, const double *dout, double *gradient)
{
    const MlpShape *shape = &net->shape;
    int rows = pass->rows, n = shape->n_layers, at = net->n_parameters;
    memcpy(pass->dy[n], dout, (size_t)(rows * shape->width[n]) * sizeof *dout);
    for (int l = n - 1; l >= 0; l--) {
        int in = shape->width[l], out = shape->width[l + 1];
        at -= (in + 1) * out;
        const double *w = net->parameter + at, *dy = pass->dy[l + 1];
        double *dw = gradient + at, *db = dw + in * out;
        kernel_product(net->kernel, KERNEL_TURN_A | KERNEL_ADD, in, out, rows, pass->y[l], dy, dw); /* dw += x' dy */
        for (int r = 0; r < rows; r++)
            for (int j = 0; j < out; j++) db[j] += dy[r * out + j];
        if (l == 0) break;
        double *dx = pass->dy[l];
        kernel_product(net->kernel, KERNEL_TURN_B, rows, in, out, dy, w, dx); /* dx = dy w' */
        static const double slope[] = {MLP_LEAK, 1};
        for (int i = 0; i < rows * in; i++) dx[i] *= slope[pass->y[l][i] > 0]; /* an output has the sign of its sum */
    }
}
