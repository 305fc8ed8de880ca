/* sim/cli/settings.h -- the parameters in force: every group's defaults, then preset, --config and --set. */
#ifndef SIM_CLI_SETTINGS_H
#define SIM_CLI_SETTINGS_H

#include "sim/base/params.h"
#include "sim/cli/options.h"
#include "sim/cli/presets.h"
#include "sim/engine/sched.h"

/* Every group the program has, at its defaults. */
Params settings_known(Arena *arena);

/* The keys of a policy from a shared object; its group must not be there yet. */
bool settings_add_plugin(Params *params, const Policy *policy, Err *err);

/* The preset the user named, or the default one.  NULL: there is no such preset, err tells. */
const Preset *settings_preset(const Invocation *inv, Err *err);

/* Sets what preset, --config and --set say, in this order; `--tick S` counts as `--set run.tick=S`,
 * `--oracle` as `--set model.estimate=exact`. */
bool settings_apply(const Invocation *inv, Params *params, Err *err);

#endif
