/* policies/policies.c -- the list as an array; finding a policy by name. */
#include "policies/policies.h"

#include <string.h>

#define POLICY_POINTER(name) &policy_##name,
const Policy *const policy_list[] = {POLICIES(POLICY_POINTER) NULL};

const Policy *policy_find(const char *name)
{
    if (strcmp(name, "tiresias") == 0) return &policy_tiresias_g;
    for (const Policy *const *p = policy_list; *p; p++)
        if (strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}
