/* rl/mlp.h -- a multilayer perceptron: forward and backward over a batch of rows, one block of parameters.
 *
 * Layer l has widths in = width[l], out = width[l + 1], weights w (in, out) and biases b (out); with x (rows, in) its
 * output is y = f(x w + b), (rows, out), where f is the leaky ReLU with slope 1/5 below 0 (as Decima's), and nothing
 * after the last layer.  The block holds w, then b, layer by layer, each row after row; a gradient has the same layout.
 *
 * The net is const while it is used, so that many threads can share it; what a pass needs is in an MlpPass of one's
 * own.
 */
#ifndef RL_MLP_H
#define RL_MLP_H

#include <stdint.h>

#include "rl/kernel.h"
#include "sim/base/arena.h"

enum { MLP_MOST_LAYERS = 4, MLP_MOST_WIDTH = 1024 };
#define MLP_LEAK .2

typedef struct MlpShape {
    int n_layers;                   /* 1 .. MLP_MOST_LAYERS */
    int width[MLP_MOST_LAYERS + 1]; /* inputs, hidden ..., outputs: each 1 .. MLP_MOST_WIDTH */
} MlpShape;

int mlp_parameters(const MlpShape *shape); /* how many */

typedef struct Mlp {
    MlpShape shape;
    Kernel kernel;
    int n_parameters;
    double *parameter; /* [n_parameters], the block */
} Mlp;

/* All parameters 0, from the arena. */
Mlp mlp_open(Arena *arena, MlpShape shape, Kernel kernel);

/* Weights uniform within +-sqrt(6/(in + out)) (Glorot and Bengio 2010), biases 0; one stream for each seed. */
void mlp_draw(Mlp *net, uint64_t seed);

/* The outputs of every layer for the latest batch, and room for their gradients; grows with the batch. */
typedef struct MlpPass {
    Arena *arena;
    MlpShape shape;
    int room, rows;
    double *y[MLP_MOST_LAYERS + 1];  /* y[0] is the input, y[l + 1] what layer l made of y[l]: (rows, width[l]) */
    double *dy[MLP_MOST_LAYERS + 1]; /* of the loss with respect to them; dy[0] is not computed */
} MlpPass;

MlpPass mlp_pass(Arena *arena, const MlpShape *shape);
void mlp_pass_room(MlpPass *pass, int rows); /* makes room ahead of a batch, where the arena is not one's own later */

/* x is (rows, width[0]); the result is (rows, width[n_layers]), in the pass until the next call. */
const double *mlp_forward(const Mlp *net, MlpPass *pass, const float *x, int rows);

/* After mlp_forward: adds to the gradient, laid out as the parameters, that of a loss whose derivative with respect to
 * the outputs is dout, shaped as they are. */
void mlp_backward(const Mlp *net, MlpPass *pass, const double *dout, double *gradient);

#endif
