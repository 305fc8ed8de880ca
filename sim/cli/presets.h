/* sim/cli/presets.h -- named sets of parameters: how much of the world a run models. */
#ifndef SIM_CLI_PRESETS_H
#define SIM_CLI_PRESETS_H

#include "sim/base/text.h"

typedef struct PresetKey {
    const char *key, *value; /* as `--set key=value` */
} PresetKey;

typedef struct Preset {
    const char *name;
    const char *summary;
    const char *cluster;   /* what holds without -c; NULL: -c is needed */
    const PresetKey *keys; /* ends with {0} */
} Preset;

extern const Preset preset_list[]; /* the first is the default; ends with {0} */
const Preset *preset_find(const char *name, NearMiss *miss);

#endif
