/* emulator_math.h: CUDA's arithmetic and cached loads. The fast functions are exact here. On the
 * device they err by some units in the last place (CUDA C++ programming guide, mathematical
 * functions). A kernel's tolerance must allow for this. */
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

/* Macros, because the C library has functions of the same names. */
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __powf(x, y) powf((x), (y))
#define __fdividef(x, y) ((float)(x) / (float)(y))
#define rsqrtf(x) (1.0F / sqrtf(x))
#define __frcp_rn(x) (1.0F / (float)(x))
#define __fsqrt_rn(x) sqrtf(x)
#define __fmaf_rn(x, y, z) fmaf((x), (y), (z))
#define __fadd_rn(x, y) ((float)(x) + (float)(y))
#define __fmul_rn(x, y) ((float)(x) * (float)(y))

template <typename A, typename B> std::common_type_t<A, B> min(A a, B b)
{
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>)
        return std::fmin(static_cast<T>(a), static_cast<T>(b));
    else
        return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <typename A, typename B> std::common_type_t<A, B> max(A a, B b)
{
    using T = std::common_type_t<A, B>;
    if constexpr (std::is_floating_point_v<T>)
        return std::fmax(static_cast<T>(a), static_cast<T>(b));
    else
        return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}

template <typename T, typename F> T kg_emulated_bits(F from)
{
    static_assert(sizeof(T) == sizeof(F), "bits of another size");
    T to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float x)
{
    return kg_emulated_bits<unsigned>(x);
}
static inline int __float_as_int(float x)
{
    return kg_emulated_bits<int>(x);
}
static inline float __uint_as_float(unsigned x)
{
    return kg_emulated_bits<float>(x);
}
static inline float __int_as_float(int x)
{
    return kg_emulated_bits<float>(x);
}

#define KG_EMULATED_LOAD(name)                                                                     \
    template <typename T> T name(const T *from)                                                    \
    {                                                                                              \
        return *from;                                                                              \
    }
KG_EMULATED_LOAD(__ldg)
KG_EMULATED_LOAD(__ldca)
KG_EMULATED_LOAD(__ldcg)
KG_EMULATED_LOAD(__ldcs)
KG_EMULATED_LOAD(__ldlu)
KG_EMULATED_LOAD(__ldcv)
#undef KG_EMULATED_LOAD
#define KG_EMULATED_STORE(name)                                                                    \
    template <typename T> void name(T *to, T value)                                                \
    {                                                                                              \
        *to = value;                                                                               \
    }
KG_EMULATED_STORE(__stwb)
KG_EMULATED_STORE(__stcg)
KG_EMULATED_STORE(__stcs)
KG_EMULATED_STORE(__stwt)
#undef KG_EMULATED_STORE
