/* rl/ranks_one.c -- one process: nothing to deal out and nobody to tell. */
#include "rl/ranks.h"

void ranks_open(void) {}

void ranks_close(void) {}

int ranks_count(void)
{
    return 1;
}

bool ranks_is_first(void)
{
    return true;
}

bool ranks_owns(int i, int n)
{
    return i < n;
}

void ranks_share(void *list, int n, size_t size)
{
    (void)list, (void)n, (void)size;
}
