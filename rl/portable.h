/* rl/portable.h -- exp and log with the same bits on every machine.
 *
 * The C library's differ in the last bit between processors with and without fused multiply-add, and what a net learns
 * would differ with them.  These use nothing but + - * / and exact scaling; the error is about one unit in the last
 * place.
 */
#ifndef RL_PORTABLE_H
#define RL_PORTABLE_H

#include <stdint.h>

double portable_exp(double x);              /* 0 below -708 (no subnormal results), infinity above 709.78 */
double portable_log(double x);              /* -infinity at 0, NaN below */
double portable_power(double x, int64_t n); /* x^n by repeated squaring, n >= 0 */

#endif
