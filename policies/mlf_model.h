/* policies/mlf_model.h -- the net of a policy that learnt: from a file, or the one that the program brings along. */
#ifndef POLICIES_MLF_MODEL_H
#define POLICIES_MLF_MODEL_H

#include "rl/modelfile.h"
#include "sim/engine/sched.h"

/* What a model of this policy must look like: its features and widths. */
ModelHead mlf_model_head(const char *policy);

/* The net in `path`, or if that is empty the shipped one.  False: err tells why there is none. */
bool mlf_model_read(const char *policy, const char *path, Kernel kernel, Arena *arena, Mlp *net, Err *err);

/* The same for a policy that is opened, by its keys POLICY's `model` and rl.blas.  False: the run has failed. */
bool mlf_model_open(Sched *s, const char *policy, const char *group, Mlp *net);

#endif
