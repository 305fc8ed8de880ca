/* tests/fuzz_model.c -- any bytes as a trained net or as a checkpoint of its training. */
#include <math.h>
#include <nettle/sha2.h>
#include <stdint.h>
#include <string.h>

#include "rl/modelfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ModelHead fuzz_wanted = {.policy = "mlf-rl", .feature_version = 1, .shape = {2, {3, 2, 1}}};

static void check_model(const Model *m)
{
    MUST(strcmp(m->head.policy, fuzz_wanted.policy) == 0);
    for (int i = 0; i < N_MODEL_CONSTANTS; i++) MUST(isfinite(m->head.constant[i]));
    for (int i = 0; i < mlp_parameters(&fuzz_wanted.shape); i++) MUST(isfinite(m->parameter[i]));
}

static void check_checkpoint(const Checkpoint *c)
{
    check_model(&c->model);
    MUST(c->adam.step >= 0 && c->iteration >= 0 && c->n_extra >= 0);
    for (int i = 0; i < c->adam.n; i++) MUST(isfinite(c->adam.mean[i]) && c->adam.square[i] >= 0);
    uint64_t sum = 0;
    for (int64_t i = 0; i < c->n_extra; i++) sum += c->extra[i];
    MUST(sum <= 255 * (uint64_t)c->n_extra);
}

/* Bit 0 of the first byte chooses between net and checkpoint, bit 1 puts the right checksum behind the rest: few inputs
 * would get past it otherwise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    Arena arena = {0};
    Err err = {0};
    uint8_t *bytes = NEW_ARRAY(&arena, uint8_t, size + SHA256_DIGEST_SIZE);
    size_t n = size - 1;
    memcpy(bytes, data + 1, n);
    if (data[0] & 2) {
        struct sha256_ctx sha;
        sha256_init(&sha);
        sha256_update(&sha, n, bytes);
        sha256_digest(&sha, SHA256_DIGEST_SIZE, bytes + n);
        n += SHA256_DIGEST_SIZE;
    }
    Source *source = source_open_bytes(&arena, "fuzz", bytes, n, &err);
    Checkpoint checkpoint = {0};
    bool good;
    if (data[0] & 1) {
        good = source && checkpoint_read(source, &fuzz_wanted, &arena, &checkpoint, &err);
        if (good) check_checkpoint(&checkpoint);
    } else {
        good = source && model_read(source, &fuzz_wanted, &arena, &checkpoint.model, &err);
        if (good) check_model(&checkpoint.model);
    }
    if (!good) MUST(err.kind == ERR_DATA && *err.text && !strchr(err.text, '\n'));
    source_close(source);
    arena_free(&arena);
    return 0;
}
