/* sim/base/threads.c -- started, worked beside, waited for. */
#include "sim/base/threads.h"

#include <pthread.h>

#include "sim/base/arena.h"

void threads_work(int n, void *(*work)(void *self), void *self)
{
    Arena arena = {0};
    pthread_t *other = NEW_ARRAY(&arena, pthread_t, n);
    int n_started = 0;
    while (n_started < n - 1 && pthread_create(&other[n_started], NULL, work, self) == 0) n_started++;
    work(self);
    for (int i = 0; i < n_started; i++) pthread_join(other[i], NULL);
    arena_free(&arena);
}
