/* policies/nnls.h -- least squares in a few unknowns, free or not below zero, from the normal equations. */
#ifndef POLICIES_NNLS_H
#define POLICIES_NNLS_H

#include <stdbool.h>

enum { NNLS_MOST = 12 };

/* Solves gram x = rhs by Cholesky; gram is (n, n), symmetric, row by row.  False: singular to working accuracy. */
bool cholesky_solve(int n, const double gram[], const double rhs[], double x[]);

/* The x >= 0 that minimises x'gram x - 2 rhs'x (Lawson and Hanson 1974, chapter 23), n <= NNLS_MOST.  A column that
 * adds nothing to those in use, for instance a copy of one, gets 0. */
void nnls_solve(int n, const double gram[], const double rhs[], double x[]);

#endif
