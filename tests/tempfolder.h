/* tests/tempfolder.h -- a folder of its own for a test program, gone when the group has run. */
#ifndef TESTS_TEMPFOLDER_H
#define TESTS_TEMPFOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/mlfs-test-XXXXXX";

/* Set-up and tear-down of the group. */
static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
