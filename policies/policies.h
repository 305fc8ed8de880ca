/* policies/policies.h -- the one list of all policies: add a line here and a file beside it. */
#ifndef POLICIES_POLICIES_H
#define POLICIES_POLICIES_H

#include "sim/engine/sched.h"

#define POLICIES(X)                                                                                                    \
    X(fifo)                                                                                                            \
    X(fit)                                                                                                             \
    X(easy)                                                                                                            \
    X(smallest)                                                                                                        \
    X(sjf)                                                                                                             \
    X(srtf)                                                                                                            \
    X(srsf)                                                                                                            \
    X(las)                                                                                                             \
    X(edf)                                                                                                             \
    X(random)                                                                                                          \
    X(replay)                                                                                                          \
    X(tiresias_l)                                                                                                      \
    X(tiresias_g)                                                                                                      \
    X(gandiva)                                                                                                         \
    X(slaq)                                                                                                            \
    X(hypersched)                                                                                                      \
    X(borg)                                                                                                            \
    X(graphene)                                                                                                        \
    X(tetris)                                                                                                          \
    X(mlf_h)                                                                                                           \
    X(mlf_h_c)                                                                                                         \
    X(mlf_rl)                                                                                                          \
    X(mlfs)                                                                                                            \
    X(rl)

#define DECLARE_POLICY(name) extern const Policy policy_##name;
POLICIES(DECLARE_POLICY)
#undef DECLARE_POLICY

extern const Policy *const policy_list[]; /* in the order above, ends with NULL */

typedef struct PolicyAlias { /* another name for a policy */
    const char *name;
    const Policy *policy;
} PolicyAlias;
extern const PolicyAlias policy_aliases[]; /* ends with {NULL} */

/* By name or by an alias (`tiresias` is tiresias-g); NULL: unknown. */
const Policy *policy_find(const char *name);

#endif
