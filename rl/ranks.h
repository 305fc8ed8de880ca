/* rl/ranks.h -- one training on many processes: who does what, and how all come to know it.
 *
 * A list of n things (rollouts, parts of a batch) is dealt out in contiguous stretches; each process fills in its own
 * and ranks_share gives everybody all of them, in their order.  Sums over the list are then the same for any number of
 * processes.  Without MPI there is one process, which owns everything (`make MPI=1` builds the other).
 *
 * Every process runs the same program on the same input and comes to the same decisions; only the first one writes
 * files and speaks.  Call from the main thread.
 */
#ifndef RL_RANKS_H
#define RL_RANKS_H

#include <stdbool.h>
#include <stddef.h>

void ranks_open(void);  /* by a training only, so that other commands run without mpirun */
void ranks_close(void); /* when all went well; a process that ends without it makes mpirun end the others */

int ranks_count(void);
bool ranks_is_first(void);
bool ranks_owns(int i, int n);

/* `list` has n elements of `size` bytes; those that this process owns are its own, the others become their owners'. */
void ranks_share(void *list, int n, size_t size);

#endif
