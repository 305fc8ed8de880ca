/* rl/kernel.c -- cblas_dgemm, and a blocked product with a fixed order of summation beside it; nobody else includes
 * cblas.h.
 */
#include "rl/kernel.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "sim/base/rng.h"

bool kernel_choose(const Params *params, Kernel *kernel, Err *err)
{
    *kernel = strcmp(params_text(params, "rl", "blas"), "reference") == 0 ? KERNEL_REFERENCE : KERNEL_OPENBLAS;
    if (*kernel == KERNEL_REFERENCE) return true;
    kernel_one_thread();
    /* The OpenMP build keeps a number of threads for each calling thread, so that ours would not bind rollouts. */
    if (openblas_get_parallel() == OPENBLAS_OPENMP || openblas_get_num_threads() != 1)
        return err_set(err, ERR_USAGE,
                       "this OpenBLAS (%s) cannot be held to one thread: install libopenblas0-serial or use "
                       "--set rl.blas=reference",
                       openblas_get_config());
    return true;
}

void kernel_one_thread(void)
{
    openblas_set_num_threads(1);
}

KernelFacts kernel_facts(Kernel kernel)
{
    if (kernel == KERNEL_REFERENCE) return (KernelFacts){.build = "reference", .threads = 1};
    return (KernelFacts){openblas_get_config(), openblas_get_corename(), openblas_get_num_threads()};
}

/* ---- the reference ---- */

/* Two neighbours of a row, for one vector instruction of any processor; each is summed by itself. */
typedef double Two __attribute__((vector_size(16)));

/* A block of C stays in registers while its inner index runs; B is copied so that it can be read in that order. */
enum { ROWS = 4, COLUMNS = 4, DEPTH = 256 };

typedef struct Packed {
    Two left, right;
} Packed;

/* The first `depth` rows of `width` columns of B, from `b` on, with zeros up to COLUMNS; `down` and `along` are the
 * steps to the next row and column. */
static void pack(Packed packed[], const double *b, int down, int along, int depth, int width)
{
    for (int p = 0; p < depth; p++, b += down) {
        double row[COLUMNS] = {0};
        for (int j = 0; j < width; j++) row[j] = b[j * along];
        packed[p] = (Packed){{row[0], row[1]}, {row[2], row[3]}};
    }
}

static void load(Packed *sum, const double *c, int width)
{
    double row[COLUMNS] = {0};
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a memset of m x n is not followed
    for (int j = 0; j < width; j++) row[j] = c[j];
    *sum = (Packed){{row[0], row[1]}, {row[2], row[3]}};
}

static void store(double *c, const Packed *sum, int width)
{
    double row[COLUMNS] = {sum->left[0], sum->left[1], sum->right[0], sum->right[1]};
    for (int j = 0; j < width; j++) c[j] = row[j];
}

/* Adds `height` rows of A, `depth` long, times packed to C.  Rows that are not there repeat the last one. */
static void block(const double *a, int down, int along, const Packed packed[], int depth, double *c, int c_down,
                  int height, int width)
{
    const double *a0 = a, *a1 = height > 1 ? a0 + down : a0;
    const double *a2 = height > 2 ? a1 + down : a1, *a3 = height > 3 ? a2 + down : a2;
    Packed sum[ROWS] = {{{0}, {0}}};
    for (int i = 0; i < height; i++) load(&sum[i], c + i * c_down, width);
    Packed s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (int p = 0, at = 0; p < depth; p++, at += along) {
        Two left = packed[p].left, right = packed[p].right;
        s0.left += a0[at] * left, s0.right += a0[at] * right;
        s1.left += a1[at] * left, s1.right += a1[at] * right;
        s2.left += a2[at] * left, s2.right += a2[at] * right;
        s3.left += a3[at] * left, s3.right += a3[at] * right;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
    for (int i = 0; i < height; i++) store(c + i * c_down, &sum[i], width);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void reference(unsigned how, int m, int n, int depth, const double *a, const double *b, double *c)
{
    int a_down = how & KERNEL_TURN_A ? 1 : depth, a_along = how & KERNEL_TURN_A ? m : 1;
    int b_down = how & KERNEL_TURN_B ? 1 : n, b_along = how & KERNEL_TURN_B ? depth : 1;
    Packed packed[DEPTH];
    if (!(how & KERNEL_ADD)) memset(c, 0, (size_t)m * (size_t)n * sizeof *c);
    for (int j = 0; j < n; j += COLUMNS)
        for (int p = 0; p < depth; p += DEPTH) {
            int width = least(COLUMNS, n - j), deep = least(DEPTH, depth - p);
            pack(packed, b + p * b_down + j * b_along, b_down, b_along, deep, width);
            for (int i = 0; i < m; i += ROWS)
                block(a + i * a_down + p * a_along, a_down, a_along, packed, deep, c + i * n + j, n, least(ROWS, m - i),
                      width);
        }
}

/* A build without threads keeps its buffers without locks (OpenBLAS issues #1755, #2126; Debian's is one): called from
 * two threads at once it gave one wrong product in ten thousand.  Other builds have locks of their own. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void kernel_product(Kernel kernel, unsigned how, int m, int n, int depth, const double *a, const double *b, double *c)
{
    if (kernel == KERNEL_REFERENCE) {
        reference(how, m, n, depth, a, b, c);
        return;
    }
    bool turn_a = how & KERNEL_TURN_A, turn_b = how & KERNEL_TURN_B,
         alone = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
    if (alone) MUST(pthread_mutex_lock(&one_at_a_time) == 0);
    cblas_dgemm(CblasRowMajor, turn_a ? CblasTrans : CblasNoTrans, turn_b ? CblasTrans : CblasNoTrans, m, n, depth, 1,
                a, turn_a ? m : depth, b, turn_b ? depth : n, how & KERNEL_ADD ? 1 : 0, c, n);
    if (alone) MUST(pthread_mutex_unlock(&one_at_a_time) == 0);
}

/* ---- the self-test ---- */

enum { TEST_M = 37, TEST_N = 21, TEST_DEPTH = 67 };

static bool agrees(Kernel kernel, unsigned how, int m, int n, int depth, const double *a, const double *b, Err *err)
{
    double seen[TEST_M * TEST_N], wanted[TEST_M * TEST_N];
    for (int i = 0; i < m * n; i++) seen[i] = wanted[i] = a[i];
    kernel_product(kernel, how, m, n, depth, a, b, seen);
    kernel_product(KERNEL_REFERENCE, how, m, n, depth, a, b, wanted);
    for (int i = 0; i < m * n; i++)
        if (!(fabs(seen[i] - wanted[i]) <= 1e-13 * depth)) {
            KernelFacts facts = kernel_facts(kernel);
            return err_set(
                err, ERR_MACHINE,
                "the matrix product of this OpenBLAS (%s, kernels for %s) is wrong: element %d of %d x %d x %d "
                "is %.17g, not %.17g; use --set rl.blas=reference",
                facts.build, facts.core, i, m, n, depth, seen[i], wanted[i]);
        }
    return true;
}

bool kernel_self_test(Kernel kernel, Err *err)
{
    static const int shape[][3] = {{1, 1, 1},    {1, 21, 40},  {17, 1, 32}, {16, 16, 64},
                                   {37, 21, 67}, {32, 20, 64}, {5, 7, 3},   {4, 8, 0}};
    double a[TEST_M * TEST_DEPTH], b[TEST_N * TEST_DEPTH];
    Rng rng;
    rng_open(&rng, 0, "kernel self-test", 0);
    for (int i = 0; i < TEST_M * TEST_DEPTH; i++) a[i] = 2 * rng_uniform(&rng) - 1;
    for (int i = 0; i < TEST_N * TEST_DEPTH; i++) b[i] = 2 * rng_uniform(&rng) - 1;
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (unsigned how = 0; how < 8; how++)
            if (!agrees(kernel, how, shape[s][0], shape[s][1], shape[s][2], a, b, err)) return false;
    return true;
}
