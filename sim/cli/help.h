/* sim/cli/help.h -- the program explaining itself, on stdout. */
#ifndef SIM_CLI_HELP_H
#define SIM_CLI_HELP_H

#include "sim/base/out.h"
#include "sim/cli/commands.h"

void help_program(Out *out);
void help_command(Out *out, const Command *command);

/* `text` broken at blanks into lines of at most 100 columns, each after `indent` blanks; the first line continues at
 * column `column`. */
void help_wrapped(Out *out, int column, int indent, const char *text);

#endif
