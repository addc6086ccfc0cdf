#include "run/ceilings/cpu/cpu_ceilings_parts.h"

#include <stdbool.h>

#include "base/cpu/vectors.h"

#ifdef __x86_64__
#include <immintrin.h>
#define HIDE_SCALAR(value) __asm__("" : "+x"(value))
#define HIDE(vector) __asm__("" : "+v"(vector))
#elif defined __aarch64__
#define HIDE_SCALAR(value) __asm__("" : "+w"(value))
#define HIDE(vector) __asm__("" : "+w"(vector))
#else
#define HIDE_SCALAR(value) __asm__("" : "+m"(value))
#define HIDE(vector) __asm__("" : "+m"(vector))
#endif

#ifdef __clang__
#define UNROLL(times) _Pragma("clang loop unroll(full)")
#else
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(times) PRAGMA(GCC unroll times)
#endif

/* --- Vectors of any processor; the compiler translates them to its instructions --- */
#define CODE_NAME "plain"
#define NAME(function) plain_##function
#define TARGET
#define VECTOR_BYTES 16
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define SCALAR_MULTIPLY_ADD MULTIPLY_ADD
#define STREAM(to, vector) (*(to) = (vector))
#define STREAM_END() (void)0
#include "run/ceilings/cpu/cpu_code_body.h"
#undef CODE_NAME
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef MULTIPLY_ADD
#undef SCALAR_MULTIPLY_ADD
#undef STREAM
#undef STREAM_END

#ifdef __x86_64__
#define SCALAR_MULTIPLY_ADD __builtin_fmaf
#define STREAM_END _mm_sfence

#define CODE_NAME "AVX2"
#define NAME(function) avx2_##function
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR_BYTES 32
#define MULTIPLY_ADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define STREAM(to, vector) _mm256_stream_si256((void *)(to), (__m256i)(vector))
#include "run/ceilings/cpu/cpu_code_body.h"
#undef CODE_NAME
#undef NAME
#undef TARGET
#undef VECTOR_BYTES
#undef MULTIPLY_ADD
#undef STREAM

#define CODE_NAME "AVX-512"
#define NAME(function) avx512_##function
#define TARGET __attribute__((target("avx512f,fma")))
#define VECTOR_BYTES 64
#define MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define STREAM(to, vector) _mm512_stream_si512((void *)(to), (__m512i)(vector))
#include "run/ceilings/cpu/cpu_code_body.h"
#endif

static bool has_avx512(void)
{
    return kg_avx512();
}

static bool has_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static bool has_plain(void)
{
    return true;
}

/* The widest first. */
static const struct {
    bool (*here)(void);
    const struct kg_cpu_code *code;
} codes[] = {
#ifdef __x86_64__
    {has_avx512, &avx512_code},
    {has_avx2, &avx2_code},
#endif
    {has_plain, &plain_code},
};

const struct kg_cpu_code *kg_cpu_code_of(size_t index)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].here() && index-- == 0)
            return codes[i].code;
    return NULL;
}

const struct kg_cpu_code *kg_cpu_code(void)
{
    return kg_cpu_code_of(0);
}

float kg_cpu_chains_sum(float lanes, uint32_t steps)
{
    const float chains = KG_CPU_CHAINS;
    return lanes * (chains * (chains - 1) / 2 + chains * (float)steps);
}
