/* sim/cli/commands.h -- the commands of mlfs-sim, one file each: cmd_NAME.c.
 *
 * Adding one: write sim/cli/cmd_NAME.c with `const Command command_NAME`, declare it here, list it in commands.c.
 */
#ifndef SIM_CLI_COMMANDS_H
#define SIM_CLI_COMMANDS_H

#include "sim/cli/options.h"

typedef struct Command {
    const char *name;
    const char *operands; /* as the usage line shows them, "TRACE"; "" for none */
    int least, most;      /* how many; most < 0: any number */
    const char *summary;  /* one line, no full stop */
    const char *details;  /* a paragraph for --help; NULL: the summary says it all */
    const Option *options;
    const char *example; /* a whole command line that works from the repository's root */

    /* False: err tells, and the program ends with its kind as exit status.  Results go to stdout through
     * out_open(arena, "-", err); nothing else prints errors. */
    bool (*run)(const Invocation *inv, Err *err);
} Command;

extern const Command command_run, command_generate, command_describe, command_convert, command_train, command_compare,
    command_plot, command_report, command_list_names;

extern const Command *const command_list[]; /* ends with NULL */
const Command *command_find(const char *name, NearMiss *miss);

#endif
