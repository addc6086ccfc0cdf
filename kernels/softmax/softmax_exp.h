/* softmax_exp.h: the exponential as arithmetic alone, to be inlined and vectorised. Pure; C only.
 */
#pragma once
#include <stdint.h>

/* exp(x) for x up to 0, from -87 (what is below counts as -87), to 2 u relative: x = k ln 2 + r, a
 * polynomial of degree 6 in r (Taylor terms; |r| <= ln 2 / 2 leaves 1.2e-7 / 3 of truncation), the
 * exponent put together by its bits. */
static inline float kg_softmax_exp(float x)
{
    /* 1.5 * 2^23: adding and subtracting it rounds to a whole number, without a conversion */
    const float magic = 12582912.0F;
    const float log2_e = 1.44269504F, ln2_high = 0.693145752F, ln2_low = 1.42860677e-6F;
    const float clamped = x < -87.0F ? -87.0F : x;
    const float shifted = clamped * log2_e + magic, k = shifted - magic;
    const float r = clamped - k * ln2_high - k * ln2_low;
    float p = 1.0F / 720;
    p = p * r + 1.0F / 120;
    p = p * r + 1.0F / 24;
    p = p * r + 1.0F / 6;
    p = p * r + 0.5F;
    p = p * r + 1.0F;
    p = p * r + 1.0F;
    /* a union, not memcpy: the compiler vectorises through it */
    const union {
        uint32_t bits;
        float value;
    } power = {.bits = (uint32_t)((int32_t)k + 127) << 23};
    return p * power.value;
}
