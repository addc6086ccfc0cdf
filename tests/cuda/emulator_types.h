/* emulator_types.h: CUDA's vector types, dim3 and 16-bit floats, with CUDA's alignment. */
#pragma once
#include <cstdint>
#include <cstring>

#define KG_EMULATED_VECTOR_2(name, element, alignment)                                             \
    struct alignas(alignment) name {                                                               \
        element x, y;                                                                              \
    };                                                                                             \
    static inline name make_##name(element x, element y)                                           \
    {                                                                                              \
        return {x, y};                                                                             \
    }
#define KG_EMULATED_VECTOR_3(name, element)                                                        \
    struct name {                                                                                  \
        element x, y, z;                                                                           \
    };                                                                                             \
    static inline name make_##name(element x, element y, element z)                                \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }
#define KG_EMULATED_VECTOR_4(name, element, alignment)                                             \
    struct alignas(alignment) name {                                                               \
        element x, y, z, w;                                                                        \
    };                                                                                             \
    static inline name make_##name(element x, element y, element z, element w)                     \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
KG_EMULATED_VECTOR_2(float2, float, 8)
KG_EMULATED_VECTOR_3(float3, float)
KG_EMULATED_VECTOR_4(float4, float, 16)
KG_EMULATED_VECTOR_2(double2, double, 16)
KG_EMULATED_VECTOR_2(int2, int, 8)
KG_EMULATED_VECTOR_3(int3, int)
KG_EMULATED_VECTOR_4(int4, int, 16)
KG_EMULATED_VECTOR_2(uint2, unsigned, 8)
KG_EMULATED_VECTOR_3(uint3, unsigned)
KG_EMULATED_VECTOR_4(uint4, unsigned, 16)
KG_EMULATED_VECTOR_2(longlong2, long long, 16)
KG_EMULATED_VECTOR_2(ulonglong2, unsigned long long, 16)
KG_EMULATED_VECTOR_2(ushort2, unsigned short, 4)
KG_EMULATED_VECTOR_4(ushort4, unsigned short, 8)
KG_EMULATED_VECTOR_4(uchar4, unsigned char, 4)
#undef KG_EMULATED_VECTOR_2
#undef KG_EMULATED_VECTOR_3
#undef KG_EMULATED_VECTOR_4

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

/* --- bfloat16: the upper half of a float
 * ------------------------------------------------------------ */
struct alignas(2) __nv_bfloat16 {
    uint16_t bits;
    __nv_bfloat16() = default;
    explicit __nv_bfloat16(float value);
    operator float() const;
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    __nv_bfloat16 result;
    result.bits = bits;
    return result;
}
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value)
{
    return value.bits;
}
/* To the nearest, of two as near the even one; NaN to the one NaN that CUDA gives. */
static inline __nv_bfloat16 __float2bfloat16_rn(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return __ushort_as_bfloat16(0x7fff);
    return __ushort_as_bfloat16(static_cast<uint16_t>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16));
}
static inline __nv_bfloat16 __float2bfloat16(float value)
{
    return __float2bfloat16_rn(value);
}
static inline float __bfloat162float(__nv_bfloat16 value)
{
    const uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}
inline __nv_bfloat16::__nv_bfloat16(float value) : bits(__float2bfloat16_rn(value).bits)
{
}
inline __nv_bfloat16::operator float() const
{
    return __bfloat162float(*this);
}
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y)
{
    return {x, y};
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__float2bfloat16_rn(x), __float2bfloat16_rn(y)};
}
static inline __nv_bfloat162 __float22bfloat162_rn(float2 value)
{
    return __floats2bfloat162_rn(value.x, value.y);
}
static inline float2 __bfloat1622float2(__nv_bfloat162 value)
{
    return {__bfloat162float(value.x), __bfloat162float(value.y)};
}
static inline float __low2float(__nv_bfloat162 value)
{
    return __bfloat162float(value.x);
}
static inline float __high2float(__nv_bfloat162 value)
{
    return __bfloat162float(value.y);
}

/* --- The runtime's
 * ------------------------------------------------------------------------------------ */
typedef struct CUstream_st *cudaStream_t;
