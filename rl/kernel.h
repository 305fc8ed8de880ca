/* rl/kernel.h -- the one matrix product of the net, by OpenBLAS or by plain C.
 *
 * OpenBLAS is quick, but its last bits differ between processor types and versions.  The reference kernel sums every
 * element in ascending order of the inner index, so that it gives the same bits on every machine, with every compiler
 * and optimisation, whatever is vectorised (-ffp-contract=off).  Both may be called from many threads at once; a build
 * of OpenBLAS that cannot bear it is called by one after the other.
 *
 * OpenBLAS runs one thread here: with another number of threads its results differ as well, and the parallelism of this
 * program is over runs and rollouts.
 */
#ifndef RL_KERNEL_H
#define RL_KERNEL_H

#include <stdbool.h>

#include "sim/base/err.h"
#include "sim/base/params.h"

typedef enum { KERNEL_OPENBLAS, KERNEL_REFERENCE } Kernel;

/* What key rl.blas says.  False: the library at hand cannot be held to one thread, err tells. */
bool kernel_choose(const Params *params, Kernel *kernel, Err *err);

/* One thread, whatever the environment says: at the start of the program, before any thread. */
void kernel_one_thread(void);

/* Compares products of awkward shapes with the reference's: versions of OpenBLAS have been wrong on processors newer
 * than they.  Takes under a millisecond; before a training. */
bool kernel_self_test(Kernel kernel, Err *err);

/* Matrices are row after row without gaps.  A is (m, depth), or with KERNEL_TURN_A stored as (depth, m); B is (depth,
 * n), or with KERNEL_TURN_B stored as (n, depth); C is (m, n) and becomes A B, or with KERNEL_ADD C + A B. */
enum { KERNEL_TURN_A = 1, KERNEL_TURN_B = 2, KERNEL_ADD = 4 };
void kernel_product(Kernel kernel, unsigned how, int m, int n, int depth, const double *a, const double *b, double *c);

/* What did the work, for overhead.json.  The reference has neither core type nor build. */
typedef struct KernelFacts {
    const char *build; /* version and options of OpenBLAS, or "reference" */
    const char *core;  /* the processor type it took its kernels for; NULL: none */
    int threads;
} KernelFacts;
KernelFacts kernel_facts(Kernel kernel);

#endif
