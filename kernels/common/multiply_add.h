/* multiply_add.h: a * b + c in one instruction, if the processor has it. Pure; thread-safe. */
#pragma once
#include <math.h>

/* a * b + c: one rounding if the processor has an instruction for it, two if fmaf would be a
 * library call. ISO C forbids a compiler to fuse the two by itself (gcc does not under -std=c17).
 * Without fusion, half of the processor's arithmetic is idle. */
static inline float kg_multiply_add(float a, float b, float c)
{
#if defined __FMA__ || defined __ARM_FEATURE_FMA || defined FP_FAST_FMAF
    return fmaf(a, b, c);
#else
    return a * b + c;
#endif
}
