/* rl/modelfile.c -- one list of fields, written and read in the same order.
 *
 * The checksum is looked at before anything but magic and versions, so that damage is never told as a mismatch.
 */
#include "rl/modelfile.h"

#include <math.h>
#include <nettle/sha2.h>
#include <string.h>

#include "sim/base/out.h"
#include "sim/base/text.h"

#define MAGIC "mlfs-net"

enum { VERSION = 1, KIND_MODEL = 1, KIND_CHECKPOINT = 2, MAGIC_SIZE = 8, START = MAGIC_SIZE + 8, LARGEST = 64 << 20 };

/* ---- doubles ---- */

void bytes_of_doubles(const double value[], int64_t n, unsigned char bytes[])
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        for (int b = 0; b < 8; b++) bytes[8 * i + b] = (unsigned char)(bits >> (8 * b) & 0xff);
    }
}

void doubles_of_bytes(const unsigned char bytes[], int64_t n, double value[])
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (int b = 0; b < 8; b++) bits |= (uint64_t)bytes[8 * i + b] << (8 * b);
        memcpy(&value[i], &bits, sizeof bits);
    }
}

/* ---- writing ---- */

typedef struct Writer {
    Out *out;
    struct sha256_ctx sha;
} Writer;

static void put(Writer *w, const void *bytes, size_t n)
{
    sha256_update(&w->sha, n, bytes);
    out_bytes(w->out, bytes, n);
}

static void put_whole(Writer *w, uint64_t value, int n_bytes)
{
    unsigned char bytes[8];
    for (int i = 0; i < n_bytes; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    put(w, bytes, (size_t)n_bytes);
}

static void put_doubles(Writer *w, const double v[], int n)
{
    for (int i = 0; i < n; i++) {
        unsigned char bytes[8];
        bytes_of_doubles(&v[i], 1, bytes);
        put(w, bytes, sizeof bytes);
    }
}

static void put_model(Writer *w, const Model *model, uint32_t kind)
{
    const ModelHead *head = &model->head;
    const MlpShape *shape = &head->shape;
    put(w, MAGIC, MAGIC_SIZE);
    put_whole(w, VERSION, 4);
    put_whole(w, kind, 4);
    put(w, head->policy, MODEL_NAME);
    put_whole(w, head->feature_version, 4);
    put_whole(w, (uint64_t)shape->n_layers, 4);
    for (int l = 0; l <= shape->n_layers; l++) put_whole(w, (uint64_t)shape->width[l], 4);
    put_whole(w, head->seed, 8);
    put_doubles(w, head->constant, N_MODEL_CONSTANTS);
    put_doubles(w, model->parameter, mlp_parameters(shape));
}

static void put_training(Writer *w, const Checkpoint *c)
{
    put_whole(w, (uint64_t)c->adam.step, 8);
    put_doubles(w, c->adam.mean, c->adam.n);
    put_doubles(w, c->adam.square, c->adam.n);
    put_whole(w, (uint64_t)c->iteration, 8);
    put_whole(w, (uint64_t)c->n_extra, 8);
    put(w, c->extra, (size_t)c->n_extra);
}

static bool save(const Model *model, const Checkpoint *checkpoint, Arena *scratch, const char *path, Err *err)
{
    Writer w = {.out = out_open(scratch, path, err)};
    if (!w.out) return false;
    sha256_init(&w.sha);
    put_model(&w, model, checkpoint ? KIND_CHECKPOINT : KIND_MODEL);
    if (checkpoint) put_training(&w, checkpoint);
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_digest(&w.sha, sizeof digest, digest);
    out_bytes(w.out, (const char *)digest, sizeof digest);
    return out_close(w.out, err);
}

bool model_save(const Model *model, Arena *scratch, const char *path, Err *err)
{
    return save(model, NULL, scratch, path, err);
}

bool checkpoint_save(const Checkpoint *checkpoint, Arena *scratch, const char *path, Err *err)
{
    MUST(checkpoint->adam.n == mlp_parameters(&checkpoint->model.head.shape));
    return save(&checkpoint->model, checkpoint, scratch, path, err);
}

/* ---- reading ---- */

typedef struct Reader {
    const char *path;
    const unsigned char *at, *end; /* of what the checksum covers */
    Arena *arena;
    Err *err;
} Reader;

static bool take(Reader *r, void *bytes, size_t n)
{
    if ((size_t)(r->end - r->at) < n)
        return err_set(r->err, ERR_DATA, "%s: expected more of the net, found the end of the file", r->path);
    memcpy(bytes, r->at, n);
    r->at += n;
    return true;
}

static bool take_whole(Reader *r, uint64_t *value, int n_bytes)
{
    unsigned char bytes[8];
    if (!take(r, bytes, (size_t)n_bytes)) return false;
    *value = 0;
    for (int i = 0; i < n_bytes; i++) *value |= (uint64_t)bytes[i] << (8 * i);
    return true;
}

/* A whole number of at most `high`. */
static bool take_count(Reader *r, const char *what, uint64_t low, uint64_t high, int n_bytes, uint64_t *value)
{
    if (!take_whole(r, value, n_bytes)) return false;
    if (*value >= low && *value <= high) return true;
    return err_set(r->err, ERR_DATA, "%s: expected %s from %llu to %llu, found %llu", r->path, what,
                   (unsigned long long)low, (unsigned long long)high, (unsigned long long)*value);
}

static bool take_doubles(Reader *r, double v[], int n)
{
    for (int i = 0; i < n; i++) {
        unsigned char bytes[8];
        if (!take(r, bytes, sizeof bytes)) return false;
        doubles_of_bytes(bytes, 1, &v[i]);
        if (!isfinite(v[i])) return err_set(r->err, ERR_DATA, "%s: a number of the net is not finite", r->path);
    }
    return true;
}

/* "40-64-32-1" */
static const char *shape_text(const MlpShape *shape, Arena *arena)
{
    const char *text = arena_format(arena, "%d", shape->width[0]);
    for (int l = 1; l <= shape->n_layers; l++) text = arena_format(arena, "%s-%d", text, shape->width[l]);
    return text;
}

static bool take_head(Reader *r, ModelHead *head)
{
    uint64_t value;
    if (!take(r, head->policy, MODEL_NAME) || !take_whole(r, &value, 4)) return false;
    head->feature_version = (uint32_t)value;
    head->policy[MODEL_NAME - 1] = '\0';
    if (!take_count(r, "a number of layers", 1, MLP_MOST_LAYERS, 4, &value)) return false;
    head->shape = (MlpShape){.n_layers = (int)value};
    for (int l = 0; l <= head->shape.n_layers; l++) {
        if (!take_count(r, "a layer's width", 1, MLP_MOST_WIDTH, 4, &value)) return false;
        head->shape.width[l] = (int)value;
    }
    return take_whole(r, &head->seed, 8) && take_doubles(r, head->constant, N_MODEL_CONSTANTS);
}

static bool fits(Reader *r, const ModelHead *head, const ModelHead *wanted)
{
    if (strcmp(head->policy, wanted->policy) != 0) {
        char shown[SHOWN_TEXT];
        return err_set(r->err, ERR_DATA, "%s: expected a model for policy '%s', found one for '%s'", r->path,
                       wanted->policy, text_shown(head->policy, strlen(head->policy), shown));
    }
    if (head->feature_version != wanted->feature_version)
        return err_set(r->err, ERR_DATA,
                       "%s: expected a model for features of version %u, found version %u: train it again", r->path,
                       wanted->feature_version, head->feature_version);
    if (memcmp(&head->shape, &wanted->shape, sizeof head->shape) != 0)
        return err_set(r->err, ERR_DATA, "%s: expected a net of shape %s, found %s", r->path,
                       shape_text(&wanted->shape, r->arena), shape_text(&head->shape, r->arena));
    return true;
}

static bool take_model(Reader *r, const ModelHead *wanted, Model *model)
{
    *model = (Model){0};
    if (!take_head(r, &model->head) || !fits(r, &model->head, wanted)) return false;
    int n = mlp_parameters(&model->head.shape);
    model->parameter = NEW_ARRAY(r->arena, double, n);
    return take_doubles(r, model->parameter, n);
}

static bool take_training(Reader *r, Checkpoint *c)
{
    uint64_t step, iteration, n_extra;
    c->adam = adam_open(r->arena, mlp_parameters(&c->model.head.shape));
    if (!take_count(r, "a number of steps", 0, INT64_MAX, 8, &step) || !take_doubles(r, c->adam.mean, c->adam.n) ||
        !take_doubles(r, c->adam.square, c->adam.n) ||
        !take_count(r, "a number of iterations", 0, INT64_MAX, 8, &iteration) ||
        !take_count(r, "a number of bytes", 0, (uint64_t)(r->end - r->at), 8, &n_extra))
        return false;
    for (int i = 0; i < c->adam.n; i++)
        if (c->adam.square[i] < 0) return err_set(r->err, ERR_DATA, "%s: a mean square is negative", r->path);
    c->adam.step = (int64_t)step;
    c->iteration = (int64_t)iteration;
    unsigned char *extra = NEW_ARRAY(r->arena, unsigned char, n_extra + 1);
    c->n_extra = (int64_t)n_extra;
    c->extra = extra;
    return take(r, extra, n_extra);
}

static const char *kind_text(uint64_t kind)
{
    return kind == KIND_MODEL ? "a model" : kind == KIND_CHECKPOINT ? "a training checkpoint" : "something unknown";
}

/* All of the file, sound; r->at stands behind the kind. */
static bool open_file(Reader *r, Source *source, uint64_t kind)
{
    size_t length;
    const char *bytes = source_read_all(source, r->arena, LARGEST, &length, r->err);
    if (!bytes) return false;
    uint64_t version, found;
    r->at = (const unsigned char *)bytes;
    r->end = r->at + length;
    if (length < MAGIC_SIZE || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return err_set(r->err, ERR_DATA, "%s: expected a net trained by mlfs-sim, found something else", r->path);
    r->at += MAGIC_SIZE;
    if (!take_whole(r, &version, 4)) return false;
    if (version != VERSION)
        return err_set(r->err, ERR_DATA, "%s: expected a net in format version %d, found version %llu", r->path,
                       VERSION, (unsigned long long)version);
    if (length < START + SHA256_DIGEST_SIZE)
        return err_set(r->err, ERR_DATA, "%s: expected more of the net, found the end of the file", r->path);
    r->end -= SHA256_DIGEST_SIZE;
    struct sha256_ctx sha;
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_init(&sha);
    sha256_update(&sha, length - sizeof digest, (const unsigned char *)bytes);
    sha256_digest(&sha, sizeof digest, digest);
    if (memcmp(digest, r->end, sizeof digest) != 0)
        return err_set(r->err, ERR_DATA, "%s: the checksum is wrong: the file is cut short or damaged", r->path);
    if (!take_whole(r, &found, 4)) return false;
    if (found != kind)
        return err_set(r->err, ERR_DATA, "%s: expected %s, found %s", r->path, kind_text(kind), kind_text(found));
    return true;
}

static bool at_end(const Reader *r)
{
    return r->at == r->end || err_set(r->err, ERR_DATA, "%s: expected the end of the file, found %lld bytes more",
                                      r->path, (long long)(r->end - r->at));
}

bool model_read(Source *source, const ModelHead *wanted, Arena *arena, Model *model, Err *err)
{
    Reader r = {.path = source_path(source), .arena = arena, .err = err};
    return open_file(&r, source, KIND_MODEL) && take_model(&r, wanted, model) && at_end(&r);
}

bool checkpoint_read(Source *source, const ModelHead *wanted, Arena *arena, Checkpoint *checkpoint, Err *err)
{
    Reader r = {.path = source_path(source), .arena = arena, .err = err};
    return open_file(&r, source, KIND_CHECKPOINT) && take_model(&r, wanted, &checkpoint->model) &&
           take_training(&r, checkpoint) && at_end(&r);
}

bool model_load(const char *path, const ModelHead *wanted, Arena *arena, Model *model, Err *err)
{
    Source *source = source_open(arena, path, err);
    bool good = source && model_read(source, wanted, arena, model, err);
    source_close(source);
    return good;
}

bool checkpoint_load(const char *path, const ModelHead *wanted, Arena *arena, Checkpoint *checkpoint, Err *err)
{
    Source *source = source_open(arena, path, err);
    bool good = source && checkpoint_read(source, wanted, arena, checkpoint, err);
    source_close(source);
    return good;
}
