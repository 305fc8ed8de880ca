/* sim/base/params.h -- every knob is a key `group.name` with a default, a range and a sentence of help.
 *
 * A module declares a const table of Param; the command line gathers the tables into one Params, applies presets,
 * --config and --set in that order, and what is in force is written to run.json.  An unknown key, a value out of range
 * or no number at all is an error with a near-miss hint, never a silent default.
 */
#ifndef SIM_BASE_PARAMS_H
#define SIM_BASE_PARAMS_H

#include <stdbool.h>

#include "sim/base/arena.h"
#include "sim/base/err.h"

typedef enum { PARAM_NUMBER = 1, PARAM_INTEGER, PARAM_CHOICE, PARAM_TEXT, PARAM_NUMBERS } ParamKind;

typedef struct Param {
    const char *name;
    ParamKind kind;
    const char
        *value; /* the default, as it would be typed; "auto" of any kind: the module works it out, so can be set back */
    double low, high;    /* of a number, or of each in a comma list */
    const char *choices; /* "a|b|c" for PARAM_CHOICE */
    const char *help;    /* one clause, unit included */
} Param;

/* Table entries; a table ends with {0}. */
#define NUMBER_PARAM(name_, value_, low_, high_, help_)                                                                \
    {                                                                                                                  \
        .name = (name_), .kind = PARAM_NUMBER, .value = (value_), .low = (low_), .high = (high_), .help = (help_)      \
    }
#define INTEGER_PARAM(name_, value_, low_, high_, help_)                                                               \
    {                                                                                                                  \
        .name = (name_), .kind = PARAM_INTEGER, .value = (value_), .low = (low_), .high = (high_), .help = (help_)     \
    }
#define NUMBERS_PARAM(name_, value_, low_, high_, help_)                                                               \
    {                                                                                                                  \
        .name = (name_), .kind = PARAM_NUMBERS, .value = (value_), .low = (low_), .high = (high_), .help = (help_)     \
    }
#define CHOICE_PARAM(name_, value_, choices_, help_)                                                                   \
    {                                                                                                                  \
        .name = (name_), .kind = PARAM_CHOICE, .value = (value_), .choices = (choices_), .help = (help_)               \
    }
#define TEXT_PARAM(name_, value_, help_)                                                                               \
    {                                                                                                                  \
        .name = (name_), .kind = PARAM_TEXT, .value = (value_), .help = (help_)                                        \
    }

typedef struct ParamValue {
    const char *group;
    const Param *param;
    const char *value;
} ParamValue;

typedef struct Params {
    Arena *arena;
    ParamValue *entry; /* [n], groups in the order they were added */
    int n, capacity;
} Params;

/* Adds a table at its defaults; a group that is there already is left alone. */
void params_add(Params *params, const char *group, const Param *table);

/* Independent copy, so that one run's values can be changed. */
Params params_copy(const Params *params, Arena *arena);

bool params_set(Params *params, const char *key, const char *value, Err *err);
bool params_set_pair(Params *params, const char *key_equals_value, Err *err); /* "group.name=value" */

/* Reading a key that exists; asking for another is our mistake. */
const char *params_text(const Params *params, const char *group, const char *name);
double params_number(const Params *params, const char *group, const char *name);
int params_integer(const Params *params, const char *group, const char *name);
int params_numbers(const Params *params, const char *group, const char *name, double value[], int room);

#endif
