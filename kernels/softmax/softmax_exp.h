/* softmax_exp.h: the exponential as arithmetic alone, inlined and vectorised. Pure; C only. */
#pragma once
#include <stdint.h>

#include "common/multiply_add.h"

union kg_float_bits {
    float value;
    uint32_t bits;
};

/* exp(x) for x from -87 to 0, and 0 below: x = k ln 2 + r, a polynomial of degree 6 in r, the
 * exponent composed by its bits. Within 5 u relative, u = 2^-24. Over all floats from -87 to -5e-10
 * the largest error is 3.9 u, without fused multiply-adds 4.3 u. At most 2.9 u come from the
 * omitted terms, r^7 / 5040, relative to exp(r), at r = -ln 2 / 2; this part is a function of r.
 * The rest are roundings. There is no branch, conversion or call, so compilers can vectorise it.
 * gcc does not vectorise `x < -87 ? ...`: it makes a branch. */
static inline float kg_softmax_exp(float x)
{
    /* 1.5 * 2^23: adding and subtracting it rounds to a whole number; the lowest bits of the sum
     * contain this number */
    const float magic = 12582912.0F;
    const float log2_e = 1.44269504F, ln2_high = 0.693145752F, ln2_low = 1.42860677e-6F;
    const float shifted = kg_multiply_add(x, log2_e, magic), k = shifted - magic;
    const float r = kg_multiply_add(k, -ln2_low, kg_multiply_add(k, -ln2_high, x));
    float p = 1.0F / 720;
    p = kg_multiply_add(p, r, 1.0F / 120);
    p = kg_multiply_add(p, r, 1.0F / 24);
    p = kg_multiply_add(p, r, 1.0F / 6);
    p = kg_multiply_add(p, r, 0.5F);
    p = kg_multiply_add(p, r, 1.0F);
    p = kg_multiply_add(p, r, 1.0F);
    /* 2^k: unions, not memcpy: clang vectorises through them */
    union kg_float_bits power = {.value = shifted};
    power.bits = (power.bits + 127) << 23;
    union kg_float_bits result = {.value = p * power.value};
    result.bits &= 0U - (uint32_t) !(x < -87.0F);
    return result.value;
}
