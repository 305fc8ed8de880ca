/* sim/cli/choice.h -- which policies a run was asked for: built-in names, `all`, shared objects. */
#ifndef SIM_CLI_CHOICE_H
#define SIM_CLI_CHOICE_H

#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/engine/sched.h"

typedef struct Choice {
    const Policy *policy;
    const char *typed;  /* "tiresias", "./mine.so": what makes the same choice again */
    const char *folder; /* "tiresias", "mine": where its results go and how tables call it */
    bool plugin;
    bool by_all; /* brought by `all` */
} Choice;

/* From a comma list, in its order.  A name given twice is an error; `all` brings every one that needs no model file
 * and is not named on its own. */
bool choose_policies(const char *list, Arena *arena, Choice **choice, int *n, Err *err);

/* Where jobs have no inside, policies that look there are left out of `all` and refused by name. */
bool choose_without_inside(Choice choice[], int *n, Err *err);

#endif
