/* sim/cli/plugin.h -- a policy from a shared object: docs/policies.md tells how to write one. */
#ifndef SIM_CLI_PLUGIN_H
#define SIM_CLI_PLUGIN_H

#include "sim/base/err.h"
#include "sim/engine/sched.h"

/* The object stays loaded until the program ends.  NULL: err tells. */
const Policy *plugin_load(const char *path, Err *err);

#endif
