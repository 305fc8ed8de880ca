/* rl/shipped.h -- the trained models of rl/models/, built into the program so that it needs no file beside it. */
#ifndef RL_SHIPPED_H
#define RL_SHIPPED_H

#include <stddef.h>
#include <string.h>

typedef struct ShippedModel {
    const char *policy; /* the file is rl/models/POLICY.model */
    const unsigned char *bytes;
    size_t n;
} ShippedModel;

extern const ShippedModel shipped_models[]; /* ends with {0}; `make` writes the definition */

/* The one for a policy, or NULL. */
static inline const ShippedModel *shipped_find(const char *policy)
{
    for (const ShippedModel *m = shipped_models; m->policy; m++)
        if (strcmp(m->policy, policy) == 0) return m;
    return NULL;
}

#endif
