/* rl/ranks_mpi.c -- the same by MPI, in a build with MPI=1. */
#include <limits.h>
#include <mpi.h>

#include "rl/ranks.h"
#include "sim/base/err.h"

/* Until ranks_open, and in a program that is no training, this is the only process. */
static bool is_open(void)
{
    int begun, ended;
    MUST(MPI_Initialized(&begun) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS);
    return begun && !ended;
}

static int mine(void)
{
    int rank = 0;
    if (is_open()) MUST(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS);
    return rank;
}

/* The first of n things that belongs to a process; that of the next one is where its stretch ends. */
static int first_of(int rank, int n)
{
    return (int)((long long)n * rank / ranks_count());
}

void ranks_open(void)
{
    int level; /* rollouts run on threads, but only the main one talks */
    MUST(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS && level >= MPI_THREAD_FUNNELED);
}

void ranks_close(void)
{
    MUST(MPI_Finalize() == MPI_SUCCESS);
}

int ranks_count(void)
{
    int n = 1;
    if (is_open()) MUST(MPI_Comm_size(MPI_COMM_WORLD, &n) == MPI_SUCCESS);
    return n;
}

bool ranks_is_first(void)
{
    return mine() == 0;
}

bool ranks_owns(int i, int n)
{
    int rank = mine();
    return i >= first_of(rank, n) && i < first_of(rank + 1, n);
}

void ranks_share(void *list, int n, size_t size)
{
    int n_ranks = ranks_count();
    if (n_ranks == 1) return;
    for (int rank = 0; rank < n_ranks; rank++) { /* MPI counts in int: one stretch after the other, in pieces */
        size_t from = (size_t)first_of(rank, n) * size, to = (size_t)first_of(rank + 1, n) * size;
        for (size_t at = from; at < to;) {
            int piece = to - at > INT_MAX / 2 ? INT_MAX / 2 : (int)(to - at);
            MUST(MPI_Bcast((char *)list + at, piece, MPI_BYTE, rank, MPI_COMM_WORLD) == MPI_SUCCESS);
            at += (size_t)piece;
        }
    }
}
