/* policies/shapefit.h -- y = c - a g_s(x): the best of a table of shapes s by weighted least squares.
 *
 * A family of curves is linear in c and a once its shape is fixed.  So its best member is found without start points
 * and without iterating: the sums over the data are gathered for all shapes side by side, then each shape's c and a
 * follow in closed form and the one with the least error is taken.  The rows of the table hold sums of g from epoch 1
 * on, so that a mean over a block of epochs is the difference of two rows.
 */
#ifndef POLICIES_SHAPEFIT_H
#define POLICIES_SHAPEFIT_H

#include "sim/base/arena.h"

enum { SHAPES = 64, SHAPE_POINTS = 96 };

typedef struct ShapeData {
    int n;
    int first[SHAPE_POINTS], last[SHAPE_POINTS]; /* point i is a mean over the epochs first+1 .. last */
    double y[SHAPE_POINTS], weight[SHAPE_POINTS];
    double w, wy, wyy; /* sums of weight, weight y, weight y^2 */
} ShapeData;

void shape_point(ShapeData *data, int first, int last, double y, double weight); /* one more */

/* Sums that go with one shape: of weight g, weight g^2, weight g y. */
typedef struct ShapeSums {
    double g[SHAPES], gg[SHAPES], gy[SHAPES];
} ShapeSums;

typedef struct ShapeLine {
    double c, a, error; /* error: weighted sum of squares */
} ShapeLine;

/* Writes g at epoch x for all shapes of a family. */
typedef void (*ShapeBasis)(int family, double x, double basis[SHAPES]);

/* The rows [n_rows][n_shapes] with so many more; row 0 is zero.  The old array is dead. */
double *shape_rows(Arena *arena, double *rows, int n_rows, int wanted, int capacity, int n_shapes, ShapeBasis basis,
                   int family);

/* Sums for all SHAPES shapes; rows is (epochs + 1, SHAPES). */
void shape_gather(const double *rows, const ShapeData *data, ShapeSums *sums);

/* y = c - a g with a >= 0 and c <= most: the free solution if it is allowed, else the better of the two borders. */
ShapeLine shape_line(const ShapeData *data, double g, double gg, double gy, double most);

#endif
