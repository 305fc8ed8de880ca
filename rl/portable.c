/* rl/portable.c -- argument reduction and a series, summed in a fixed order. */
#include "rl/portable.h"

#include <math.h>

#include "sim/base/err.h"

/* ln 2 in two parts: the first has 32 bits, so that its product with an exponent is exact (as in fdlibm). */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33

double portable_exp(double x)
{
    if (isnan(x)) return x;
    if (x < -708) return 0;
    if (x > 709.78) return (double)INFINITY;
    double k = floor(x * 0x1.71547652b82fep+0 + .5); /* x / ln 2, rounded */
    double high = x - k * LN2_HIGH, low = k * LN2_LOW;
    double r = high - low; /* |r| <= ln 2 / 2, so r^14 / 14! < 5e-18 */
    static const double share[] = {1. / 2,       1. / 6,        1. / 24,        1. / 120,
                                   1. / 720,     1. / 5040,     1. / 40320,     1. / 362880,
                                   1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
    double sum = 0; /* 1/2! + r/3! + ... + r^11/13! */
    for (int i = 11; i >= 0; i--) sum = sum * r + share[i];
    /* 1 + r + r^2 sum, the small parts first */
    return ldexp(1 + (high - (low - r * r * sum)), (int)k);
}

double portable_log(double x)
{
    if (isnan(x) || x < 0) return (double)NAN;
    if (x == 0) return (double)-INFINITY;
    if (isinf(x)) return x;
    int k;
    double m = frexp(x, &k); /* x = m 2^k, brought to sqrt(1/2) <= m < sqrt 2 */
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double f = m - 1, s = f / (2 + f), z = s * s; /* log m = 2 (s + s^3/3 + s^5/5 + ...), z < .0295, z^12/25 < 2e-20 */
    static const double share[] = {1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11, 1. / 13,
                                   1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23};
    double sum = 0;
    for (int i = 10; i >= 0; i--) sum = (sum + share[i]) * z;
    /* 2 s = f - s f: so the leading f carries no rounding */
    return k * LN2_HIGH + (f - (s * f - (2 * s * sum + k * LN2_LOW)));
}

double portable_power(double x, int64_t n)
{
    MUST(n >= 0);
    double power = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) power *= x;
    return power;
}
