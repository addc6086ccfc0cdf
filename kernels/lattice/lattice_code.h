/* lattice_code.h: the hierarchical code of one vector, for host and device, on the nearest points
 * of lattice_point.h. Pure functions without branches, except for the loop over overloads. So
 * compilers can vectorise a loop over vectors around them. */
#pragma once
#include <stddef.h>

#include "lattice/lattice_point.h"

/* --- Numbers and bits ----------------------------------------------------------------------------
 * 2^23 + k, as bits, ends in k: conversions that every device does at full speed. */
KG_BOTH uint32_t kg_lattice_bits(float whole)
{
    union {
        float value;
        uint32_t bits;
    } number;
    number.value = whole + 8388608.0F;
    return number.bits & 0x7fffffU;
}

KG_BOTH float kg_lattice_whole(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } number;
    number.bits = bits | 0x4b000000U;
    return number.value - 8388608.0F;
}

/* --- The code of one vector ------------------------------------------------------------------- */

/* A code before it is packed: coordinates 0 to n/2 - 1, and n/2 to n - 1, coordinate_bits each,
 * the lowest first; each coordinate's digit of layer 0 lowest. */
struct kg_lattice_code {
    uint32_t low;
    uint32_t high;
};

/* x / (beta alpha^count), clipped. NaN is taken for +infinity. */
KG_BOTH float kg_lattice_scaled(float x, float inverse_scale, float limit)
{
#ifdef __CUDA_ARCH__
    const float y = __fmul_rn(x, inverse_scale);
#else
    const float y = x * inverse_scale;
#endif
    return kg_lattice_more(kg_lattice_less(y, limit), -limit);
}

/* One layer: adds the digits of g, (G^-1 g) mod q, times `place`, to the digits of earlier layers.
 * Then sets g = Q_L(g / q). */
KG_BOTH void kg_lattice_encode_layer(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                     unsigned layer, float place, float *g, float *digits)
{
    float b[KG_LATTICE_DIMENSIONS_MOST] = {0}, next[KG_LATTICE_DIMENSIONS_MOST] = {0};
    const float nudge = 0.125F * plan->inverse_q;
    kg_lattice_coordinates(kind, g, b);
    kg_lattice_nearest_layer(kind, plan, g, kg_lattice_tie(plan, layer), next);
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++) {
        const float quotient = floorf(KG_EXACT_FMA(b[i], plan->inverse_q, nudge));
        digits[i] = KG_EXACT_FMA(place, KG_EXACT_FMA(-plan->q, quotient, b[i]), digits[i]);
        g[i] = next[i];
    }
}

/* Whether something is left after the last layer. */
KG_BOTH int kg_lattice_overloads(enum kg_lattice_kind kind, const float *g)
{
    float left = 0;
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        left += fabsf(g[i]);
    return left > 0;
}

KG_BOTH struct kg_lattice_code
kg_lattice_pack(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan, const float *digits)
{
    const unsigned half = kg_lattice_dimensions(kind) / 2;
    struct kg_lattice_code code = {0, 0};
    for (unsigned i = 0; i < half; i++) {
        code.low |= kg_lattice_bits(digits[i]) << (i * plan->coordinate_bits);
        code.high |= kg_lattice_bits(digits[half + i]) << (i * plan->coordinate_bits);
    }
    return code;
}

KG_BOTH float kg_lattice_place(const struct kg_lattice_plan *plan)
{
    return (float)(1U << plan->digit_bits);
}

/* Encodes x with that count; whether it overloads. */
KG_BOTH int kg_lattice_encode_try(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                  const float *x, unsigned count, float *digits)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float y[KG_LATTICE_DIMENSIONS_MOST] = {0}, g[KG_LATTICE_DIMENSIONS_MOST] = {0}, place = 1;
    for (unsigned i = 0; i < n; i++) {
        y[i] = kg_lattice_scaled(x[i], plan->inverse_scale[count], plan->limit[count]);
        digits[i] = 0;
    }
    kg_lattice_nearest_real(kind, y, g);
    for (unsigned m = 0; m < plan->layers; m++) {
        kg_lattice_encode_layer(kind, plan, m, place, g, digits);
        place *= kg_lattice_place(plan);
    }
    return kg_lattice_overloads(kind, g);
}

/* Encodes x, of which the counts below `count` are known to overload, and gives the first that does
 * not. */
KG_BOTH unsigned kg_lattice_encode_from(enum kg_lattice_kind kind,
                                        const struct kg_lattice_plan *plan, unsigned count,
                                        const float *x, struct kg_lattice_code *code)
{
    float digits[KG_LATTICE_DIMENSIONS_MOST] = {0};
    while (kg_lattice_encode_try(kind, plan, x, count, digits) && count < KG_LATTICE_COUNTS - 1)
        count++;
    *code = kg_lattice_pack(kind, plan, digits);
    return count;
}

/* Encodes x, and gives the count of overloads. */
KG_BOTH unsigned kg_lattice_encode_one(enum kg_lattice_kind kind,
                                       const struct kg_lattice_plan *plan, const float *x,
                                       struct kg_lattice_code *code)
{
    return kg_lattice_encode_from(kind, plan, 0, x, code);
}

/* Adds power x_m, x_m = G b - q Q_L(G b / q), the digits b of a layer. */
KG_BOTH void kg_lattice_decode_layer(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                     unsigned layer, float power, struct kg_lattice_code code,
                                     float *sum)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const unsigned shift = layer * plan->digit_bits;
    const uint32_t mask = (1U << plan->digit_bits) - 1;
    float b[KG_LATTICE_DIMENSIONS_MOST], v[KG_LATTICE_DIMENSIONS_MOST] = {0};
    float nearest[KG_LATTICE_DIMENSIONS_MOST] = {0};
    for (unsigned i = 0; i < n; i++) {
        const uint32_t half = i < n / 2 ? code.low : code.high;
        b[i] = kg_lattice_whole(half >> (i % (n / 2) * plan->coordinate_bits + shift) & mask);
    }
    kg_lattice_point(kind, b, v);
    kg_lattice_nearest_layer(kind, plan, v, kg_lattice_tie(plan, layer), nearest);
    for (unsigned i = 0; i < n; i++)
        sum[i] = KG_EXACT_FMA(power, KG_EXACT_FMA(-plan->q, nearest[i], v[i]), sum[i]);
}

/* Decodes into x. */
KG_BOTH void kg_lattice_decode_one(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                   struct kg_lattice_code code, unsigned count, float *x)
{
    float sum[KG_LATTICE_DIMENSIONS_MOST] = {0}, power = 1;
    for (unsigned m = 0; m < plan->layers; m++) {
        kg_lattice_decode_layer(kind, plan, m, power, code, sum);
        power *= plan->q;
    }
    for (unsigned i = 0; i < kg_lattice_dimensions(kind); i++)
        x[i] = sum[i] * plan->scale[count];
}

/* The decoded value of x with this count, without its code: Q_L(x / (beta alpha^t)) beta alpha^t.
 * Returns whether it overloads: then there is no code. */
KG_BOTH int kg_lattice_quantize_try(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                    const float *x, unsigned count, float *quantized)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float y[KG_LATTICE_DIMENSIONS_MOST] = {0}, g[KG_LATTICE_DIMENSIONS_MOST] = {0};
    float next[KG_LATTICE_DIMENSIONS_MOST] = {0};
    for (unsigned i = 0; i < n; i++)
        y[i] = kg_lattice_scaled(x[i], plan->inverse_scale[count], plan->limit[count]);
    kg_lattice_nearest_real(kind, y, g);
    for (unsigned i = 0; i < n; i++)
        quantized[i] = g[i] * plan->scale[count];
    for (unsigned m = 0; m < plan->layers; m++) {
        kg_lattice_nearest_layer(kind, plan, g, kg_lattice_tie(plan, m), next);
        for (unsigned i = 0; i < n; i++)
            g[i] = next[i];
    }
    return kg_lattice_overloads(kind, g);
}

/* kg_lattice_quantize_try with the first count from `count` on that does not overload. x and
 * `quantized` do not overlap. */
KG_BOTH void kg_lattice_quantize_from(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                      unsigned count, const float *x, float *quantized)
{
    while (kg_lattice_quantize_try(kind, plan, x, count, quantized) &&
           count < KG_LATTICE_COUNTS - 1)
        count++;
}

/* --- Packed codes ----------------------------------------------------------------------------- */

KG_BOTH uint64_t kg_lattice_code_join(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                      struct kg_lattice_code code)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    return code.low | (uint64_t)code.high << half_bits;
}

KG_BOTH struct kg_lattice_code kg_lattice_code_split(enum kg_lattice_kind kind,
                                                     const struct kg_lattice_plan *plan,
                                                     uint64_t joined)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    const uint64_t mask = ((uint64_t)1 << half_bits) - 1;
    struct kg_lattice_code code;
    code.low = (uint32_t)(joined & mask);
    code.high = (uint32_t)(joined >> half_bits & mask);
    return code;
}

KG_BOTH void kg_lattice_code_write(void *codes, size_t index, unsigned bytes, uint64_t joined)
{
    if (bytes == 1)
        ((uint8_t *)codes)[index] = (uint8_t)joined;
    else if (bytes == 2)
        ((uint16_t *)codes)[index] = (uint16_t)joined;
    else if (bytes == 4)
        ((uint32_t *)codes)[index] = (uint32_t)joined;
    else
        ((uint64_t *)codes)[index] = joined;
}

KG_BOTH uint64_t kg_lattice_code_read(const void *codes, size_t index, unsigned bytes)
{
    return bytes == 1   ? ((const uint8_t *)codes)[index]
           : bytes == 2 ? ((const uint16_t *)codes)[index]
           : bytes == 4 ? ((const uint32_t *)codes)[index]
                        : ((const uint64_t *)codes)[index];
}

/* A vector's count: 4 bits, the even one's in the byte's lower half. */
KG_BOTH unsigned kg_lattice_count_read(const uint8_t *counts, size_t index)
{
    return (unsigned)counts[index / 2] >> index % 2 * 4 & 15U;
}
