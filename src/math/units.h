/* Typical sizes as powers of two, by which numbers are scaled without rounding. */
#ifndef LM_MATH_UNITS_H
#define LM_MATH_UNITS_H

#include <math.h>

/* The nearest of 1, 1024, 1024^2, ... and their inverses; 1 for what is no positive number. Values
 * from 1/32 to 32 give 1. */
static inline double lm_power_of_1024(double x)
{
    if (!(x > 0) || !isfinite(x)) return 1;
    return ldexp(1, 10 * (int)round(log2(x) / 10));
}

#endif
