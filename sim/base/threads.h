/* sim/base/threads.h -- the same work by several threads at once. */
#ifndef SIM_BASE_THREADS_H
#define SIM_BASE_THREADS_H

/* Calls work(self) from n threads, the calling one among them, and returns when all have returned; from fewer, if the
 * system gives no more.  They settle among themselves who takes what, and results must not depend on it. */
void threads_work(int n, void *(*work)(void *self), void *self);

#endif
