/* sim/base/number.h -- the lesser and the greater of two numbers, as one instruction.
 *
 * fmin and fmax of <math.h> do the same but are calls, since they must look for NaN: a few percent of a run.
 */
#ifndef SIM_BASE_NUMBER_H
#define SIM_BASE_NUMBER_H

/* The first of equal ones, and where one is NaN. */
static inline double number_min(double a, double b)
{
    return b < a ? b : a;
}
static inline double number_max(double a, double b)
{
    return a < b ? b : a;
}

#endif
