/* rl/rlkeys.h -- the keys of group "rl": the net's kernel and how it learns. */
#ifndef RL_RLKEYS_H
#define RL_RLKEYS_H

#include "sim/base/params.h"

extern const Param rl_params[];

#endif
