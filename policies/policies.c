/* policies/policies.c -- the list as an array; finding a policy by name. */
#include "policies/policies.h"

#include <string.h>

#define POLICY_POINTER(name) &policy_##name,
const Policy *const policy_list[] = {POLICIES(POLICY_POINTER) NULL};

const PolicyAlias policy_aliases[] = {{"tiresias", &policy_tiresias_g}, {NULL, NULL}};

const Policy *policy_find(const char *name)
{
    for (const PolicyAlias *a = policy_aliases; a->name; a++)
        if (strcmp(a->name, name) == 0) return a->policy;
    for (const Policy *const *p = policy_list; *p; p++)
        if (strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}
