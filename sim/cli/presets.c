/* sim/cli/presets.c -- what each preset sets. */
#include "sim/cli/presets.h"

#include <string.h>

static const PresetKey plain_keys[] = {
    {"run.tick", "0"},
    {0},
};

const Preset preset_list[] = {
    {"plain",
     "the textbook's world: jobs run as long as the trace says wherever they are placed, each GPU is one job's alone, "
     "nothing costs anything, decisions fall whenever something happened; needs -c",
     NULL, plain_keys},
    {0},
};

const Preset *preset_find(const char *name, NearMiss *miss)
{
    for (const Preset *p = preset_list; p->name; p++) {
        if (strcmp(p->name, name) == 0) return p;
        near_miss_try(miss, p->name);
    }
    return NULL;
}
