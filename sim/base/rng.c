/* sim/base/rng.c -- xoshiro256** as a gsl_rng_type, seeded by name. */
#include "sim/base/rng.h"

#include <gsl/gsl_cdf.h>

#include "sim/base/err.h"
#include "sim/base/hash.h"

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static uint64_t scramble(uint64_t word) /* of the state, the second */
{
    return rotate(word * 5, 7) * 9;
}

static uint64_t next(void *state)
{
    uint64_t *s = state;
    uint64_t result = scramble(s[1]), t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static uint64_t split_mix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void set(void *state, unsigned long seed)
{
    uint64_t *s = state, x = seed;
    for (int i = 0; i < 4; i++) s[i] = split_mix(&x);
}

static unsigned long get(void *state)
{
    return next(state);
}
static double get_double(void *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type xoshiro = {
    .name = RNG_NAME,
    .max = ~0ul,
    .min = 0,
    .size = 4 * sizeof(uint64_t),
    .set = set,
    .get = get,
    .get_double = get_double,
};

/* Each part goes through the mixer before the next one is added: neighbouring seeds and ids stay unrelated. */
static uint64_t mix(uint64_t seed, const char *purpose, uint64_t id)
{
    uint64_t x = seed;
    x = split_mix(&x) ^ hash_text(HASH_START, purpose);
    return split_mix(&x) ^ id;
}

void rng_open(Rng *rng, uint64_t seed, const char *purpose, uint64_t id)
{
    uint64_t x = mix(seed, purpose, id);
    for (int i = 0; i < 4; i++) rng->state[i] = split_mix(&x);
    rng->gsl.type = &xoshiro;
    rng->gsl.state = rng->state;
}

uint64_t rng_bits(Rng *rng)
{
    return next(rng->state);
}

double rng_uniform(Rng *rng)
{
    return get_double(rng->state);
}

int64_t rng_below(Rng *rng, int64_t n)
{
    MUST(n >= 1);
    uint64_t bound = (uint64_t)n, excess = -bound % bound; /* draws below `excess` would favour small results */
    for (;;) {
        uint64_t x = next(rng->state);
        if (x >= excess) return (int64_t)(x % bound);
    }
}

uint64_t rng_hash(uint64_t seed, const char *purpose, uint64_t id)
{
    uint64_t x = mix(seed, purpose, id); /* the first draw of the stream, for which half of its state will do */
    split_mix(&x);
    return scramble(split_mix(&x));
}

double rng_fraction(uint64_t seed, const char *purpose, uint64_t id)
{
    return (double)(rng_hash(seed, purpose, id) >> 11) * 0x1p-53;
}

double rng_normal(uint64_t seed, const char *purpose, uint64_t id)
{
    return gsl_cdf_ugaussian_Pinv(rng_fraction(seed, purpose, id) + 0x1p-54); /* in the middle of its step: never 0 */
}
