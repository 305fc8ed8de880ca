/* sim/base/rng.h -- named streams of random numbers.
 *
 * A stream is named by (seed, purpose, id), so that a draw never depends on the order of events, on the policy or on
 * the number of threads: job 17 gets the same numbers in every run with the same seed.  The generator is xoshiro256**
 * 1.0 (Blackman and Vigna 2018) behind a gsl_rng, whose state the name's hash fills through SplitMix64; every
 * gsl_ran_* function takes `&rng->gsl`.
 */
#ifndef SIM_BASE_RNG_H
#define SIM_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

#define RNG_NAME "xoshiro256**"

typedef struct Rng {
    gsl_rng gsl; /* points into this very struct: pass an Rng by pointer, do not copy it */
    uint64_t state[4];
} Rng;

void rng_open(Rng *rng, uint64_t seed, const char *purpose, uint64_t id);
uint64_t rng_bits(Rng *rng);            /* 64 random bits */
double rng_uniform(Rng *rng);           /* [0, 1), 53 bits */
int64_t rng_below(Rng *rng, int64_t n); /* 0 .. n-1, each as likely; n >= 1 */

/* The first 64 bits of the stream (seed, purpose, id), for one draw a name. */
uint64_t rng_hash(uint64_t seed, const char *purpose, uint64_t id);
double rng_fraction(uint64_t seed, const char *purpose, uint64_t id); /* the same, uniform on [0, 1) */
double rng_normal(uint64_t seed, const char *purpose, uint64_t id);   /* the same, of mean 0 and deviation 1 */

#endif
