/* sim/cli/commit.c -- the Makefile gives MLFS_COMMIT to this file alone. */
#include "sim/cli/commit.h"

const char *commit_text(void)
{
    return MLFS_COMMIT;
}
