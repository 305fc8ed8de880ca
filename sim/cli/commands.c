/* sim/cli/commands.c -- the list of commands, in the order in which the help shows them. */
#include "sim/cli/commands.h"

#include <string.h>

const Command *const command_list[] = {
    &command_run,     &command_generate, &command_describe, &command_convert,    &command_train,
    &command_compare, &command_plot,     &command_report,   &command_list_names, NULL,
};

const Command *command_find(const char *name, NearMiss *miss)
{
    for (const Command *const *c = command_list; *c; c++) {
        if (strcmp((*c)->name, name) == 0) return *c;
        near_miss_try(miss, (*c)->name);
    }
    return NULL;
}
