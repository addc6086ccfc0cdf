/* multiply_add.h: a * b + c where one instruction does it. Pure; thread-safe. */
#pragma once
#include <math.h>

/* a * b + c, with one rounding where the processor has an instruction for it, with two where fmaf
 * would be a call of the library's. ISO C lets no compiler join the two by itself (gcc does not
 * under -std=c17), and half of the arithmetic that a processor has lies idle. */
static inline float kg_multiply_add(float a, float b, float c)
{
#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined FP_FAST_FMAF
    return fmaf(a, b, c);
#else
    return a * b + c;
#endif
}
