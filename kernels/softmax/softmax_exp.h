/* softmax_exp.h: the exponential as arithmetic alone, to be inlined and vectorised. Pure; C only.
 */
#pragma once
#include <stdint.h>

#include "common/multiply_add.h"

union kg_float_bits {
    float value;
    uint32_t bits;
};

/* exp(x) for x from -87 to 0, to 2 u relative, and 0 below: x = k ln 2 + r, a polynomial of degree
 * 6 in r (Taylor terms; |r| <= ln 2 / 2 leaves 1.2e-7 / 3 of truncation), the exponent put together
 * by its bits. Without a branch, a conversion or a call, so that a compiler can do it for a vector
 * at once: gcc gives up on `x < -87 ? ...`, of which it makes a branch. */
static inline float kg_softmax_exp(float x)
{
    /* 1.5 * 2^23: adding and subtracting it rounds to a whole number, which is then to be found in
     * the lowest bits of the sum */
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
