/* rl/modelfile.h -- a trained net in a file, and a training that can be taken up again.
 *
 * The bytes are little-endian whatever the machine: magic, format version, kind, the policy the net is for, version and
 * number of features, layer widths, seed, the constants of the reward, the parameters; a checkpoint goes on with the
 * optimiser's state and whatever the trainer added; SHA-256 of all before it ends the file (docs/rl.md has the table).
 * Nothing in it depends on when or where it was made: equal trainings write equal files.
 */
#ifndef RL_MODELFILE_H
#define RL_MODELFILE_H

#include "rl/adam.h"
#include "rl/mlp.h"
#include "sim/base/source.h"

/* Measured under MLF-H on the training half, and what rewards are measured by. */
typedef enum { MODEL_JCT_REF_S, MODEL_BYTES_REF, MODEL_ENDED_PER_TICK, N_MODEL_CONSTANTS } ModelConstant;

enum { MODEL_NAME = 16 };

typedef struct ModelHead {
    char policy[MODEL_NAME]; /* "mlf-rl" or "rl", NUL-padded: at most 15 letters */
    uint32_t feature_version;
    MlpShape shape;
    uint64_t seed; /* of the training */
    double constant[N_MODEL_CONSTANTS];
} ModelHead;

typedef struct Model {
    ModelHead head;
    double *parameter; /* [mlp_parameters(&head.shape)] */
} Model;

/* A training between two steps: what is in a Model and these. */
typedef struct Checkpoint {
    Model model;
    Adam adam;
    int64_t iteration;
    const unsigned char *extra; /* [n_extra] the trainer's own */
    int64_t n_extra;
} Checkpoint;

/* Doubles as little-endian bytes, eight each: for what the trainer adds. */
void bytes_of_doubles(const double value[], int64_t n, unsigned char bytes[]);
void doubles_of_bytes(const unsigned char bytes[], int64_t n, double value[]);

bool model_save(const Model *model, Arena *scratch, const char *path, Err *err);
bool checkpoint_save(const Checkpoint *checkpoint, Arena *scratch, const char *path, Err *err);

/* Loads what fits `wanted` in policy, feature version and shape (its seed and constants are not looked at); anything
 * else, and any damage, is one sentence in err. */
bool model_load(const char *path, const ModelHead *wanted, Arena *arena, Model *model, Err *err);
bool checkpoint_load(const char *path, const ModelHead *wanted, Arena *arena, Checkpoint *checkpoint, Err *err);

/* The same from an open source. */
bool model_read(Source *source, const ModelHead *wanted, Arena *arena, Model *model, Err *err);
bool checkpoint_read(Source *source, const ModelHead *wanted, Arena *arena, Checkpoint *checkpoint, Err *err);

#endif
