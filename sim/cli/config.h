/* sim/cli/config.h -- options and parameters from a JSON file (--config).
 *
 * An object whose keys are option names ("policy", "cluster", "seed", ...; "trace" stands for the operand), dotted
 * parameter keys ("srtf.hold_s"), and "parameters", an object of such keys.  The run.json of an earlier run is one as
 * well: its "options" and "parameters" count, what it says about results does not.  What is given on the command line
 * wins.  A key that no command has is an error.
 */
#ifndef SIM_CLI_CONFIG_H
#define SIM_CLI_CONFIG_H

#include "sim/cli/options.h"

/* Adds what the file says to the invocation, behind what was typed. */
bool config_read(Invocation *inv, const char *path, Err *err);

#endif
