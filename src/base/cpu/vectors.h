/* vectors.h: which instructions kernels may use beyond those that they were compiled for.
 * Thread-safe. */
#pragma once
#include <stdbool.h>

/* Whether to use AVX-512: the processor has it (avx512f), and the environment does not say
 * KGATE_AVX512=no. Both are asked once in a process.
 *
 * That variable is for what must take one path wherever it runs. Valgrind 3.19 shows a program a
 * processor without AVX-512, so what is counted there is otherwise not what is timed. */
bool kg_avx512(void);
