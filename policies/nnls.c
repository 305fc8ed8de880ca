/* policies/nnls.c -- Cholesky and the active set of Lawson and Hanson. */
#include "policies/nnls.h"

#include <math.h>

#include "sim/base/err.h"

bool cholesky_solve(int n, const double gram[], const double rhs[], double x[])
{
    double l[NNLS_MOST][NNLS_MOST];
    MUST(n >= 0 && n <= NNLS_MOST);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = gram[i * n + j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (j < i)
                l[i][j] = sum / l[j][j];
            else if (sum > 1e-11 * gram[i * n + i])
                l[i][i] = sqrt(sum);
            else
                return false;
        }
    for (int i = 0; i < n; i++) {
        x[i] = rhs[i];
        for (int k = 0; k < i; k++) x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return true;
}

/* The unconstrained solution over the columns in use. */
static bool solve_used(int n, const double gram[], const double rhs[], const bool used[], double z[])
{
    double g[NNLS_MOST * NNLS_MOST] = {0}, h[NNLS_MOST] = {0}, solution[NNLS_MOST];
    int column[NNLS_MOST], m = 0;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        if (used[i]) column[m++] = i;
    }
    for (int i = 0; i < m; i++) {
        h[i] = rhs[column[i]];
        for (int j = 0; j < m; j++) g[i * m + j] = gram[column[i] * n + column[j]];
    }
    if (!cholesky_solve(m, g, h, solution)) return false;
    for (int i = 0; i < m; i++) z[column[i]] = solution[i];
    return true;
}

/* Walks from x to z as far as no entry falls below zero, and drops those that reach it.  False: z itself was reached.
 */
static bool step_back(int n, double x[], const double z[], bool used[])
{
    double step = 1;
    for (int i = 0; i < n; i++)
        if (used[i] && z[i] <= 0) step = fmin(step, x[i] / (x[i] - z[i]));
    bool blocked = false;
    for (int i = 0; i < n; i++) {
        if (!used[i]) continue;
        bool falls = z[i] <= 0 && x[i] / (x[i] - z[i]) <= step;
        x[i] = falls ? 0 : x[i] + step * (z[i] - x[i]);
        if (falls) used[i] = false, blocked = true;
    }
    return blocked;
}

void nnls_solve(int n, const double gram[], const double rhs[], double x[])
{
    bool used[NNLS_MOST] = {false}, barred[NNLS_MOST] = {false};
    double z[NNLS_MOST], tiny = 0;
    MUST(n >= 0 && n <= NNLS_MOST);
    for (int i = 0; i < n; i++) {
        x[i] = 0;
        tiny = fmax(tiny, 1e-12 * fabs(rhs[i]));
    }
    for (int round = 0; round < 3 * n; round++) { /* the usual bound; each round lowers the sum of squares */
        int best = -1;
        double steepest = tiny;
        for (int i = 0; i < n; i++) {
            if (used[i] || barred[i]) continue;
            double gradient = rhs[i];
            for (int j = 0; j < n; j++) gradient -= gram[i * n + j] * x[j];
            if (gradient > steepest) steepest = gradient, best = i;
        }
        if (best < 0) return;
        used[best] = true;
        if (!solve_used(n, gram, rhs, used, z) || z[best] <= 0) { /* says nothing new: rounding made the gradient */
            used[best] = false;
            barred[best] = true;
            continue;
        }
        while (step_back(n, x, z, used))
            if (!solve_used(n, gram, rhs, used, z)) return;
    }
}
