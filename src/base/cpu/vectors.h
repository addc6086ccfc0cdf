/* vectors.h: instructions that kernels may use beyond the compiler's target. Thread-safe. */
#pragma once
#include <stdbool.h>

/* Whether to use AVX-512: the processor has it (avx512f), and the environment does not say
 * KGATE_AVX512=no. Both are asked once per process.
 *
 * KGATE_AVX512=no makes code take the same path everywhere. Valgrind 3.19 shows a program a
 * processor without AVX-512: without the variable, kgate would count other code than it times. */
bool kg_avx512(void);
