/* bf16.h: bfloat16 on the host: the upper half of a float. Pure functions; thread-safe. */
#pragma once
#include <stdint.h>
#include <string.h>

/* The bfloat16 nearest to a finite x, ties to even. */
static inline uint16_t kg_bf16_round(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

static inline float kg_bf16_value(uint16_t bf16)
{
    const uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
