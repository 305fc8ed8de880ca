/* rl/rlkeys.c -- one table for training and inference, so that a model's training can be told from its run.json. */
#include "rl/rlkeys.h"

const Param rl_params[] = {
    TEXT_PARAM("model", "", "file of the trained net of policy `rl`; empty: the one that the program has"),
    CHOICE_PARAM("blas", "openblas", "openblas|reference",
                 "kernel of the net's matrix products; reference: the same bits on every machine"),
    INTEGER_PARAM("seed", "1", 0, 2147483647, "of the net's first weights and of everything drawn in training"),
    NUMBER_PARAM("imitate_rate", "1e-3", 0, 1, "Adam's step in imitation"),
    INTEGER_PARAM("imitate_batch", "256", 1, 1e6, "decisions a step of imitation"),
    NUMBER_PARAM("smoothing", "0.05", 0, 1, "label smoothing in imitation: spread over all legal candidates"),
    NUMBER_PARAM("rate", "1e-4", 0, 1, "Adam's step in REINFORCE"),
    NUMBER_PARAM("entropy_first", "0.1", 0, 10, "weight of the entropy in the first iteration of REINFORCE ..."),
    NUMBER_PARAM("entropy_last", "0.001", 0, 10, "... and in the last, linear between"),
    NUMBER_PARAM("longest_gradient", "1", 0, 1e9, "a longer gradient is shortened to this; 0: never"),
    INTEGER_PARAM("iterations", "200", 0, 1e6, "of REINFORCE, at most"),
    INTEGER_PARAM("rollouts", "16", 2, 1024, "of the same arrivals in an iteration"),
    NUMBER_PARAM("discount", "0.95", 0, 1, "of the reward from tick to tick (the paper's eta)"),
    INTEGER_PARAM("window", "60", 1, 1e4, "ticks of reward that a decision is credited with"),
    {0},
};
