/* cpu_code.h: the loops whose speed is the CPU's ceilings, for each width of vectors. Their results
 * are known beforehand, so that they can be checked. Thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    KG_CPU_BLOCK_WORDS = 128, /* arrays are multiples of it, and begin at a line of cache */
    KG_CPU_CHAINS = 12,       /* of multiply-adds: more than two units of latency five keep busy */
};

/* Loops of one instruction set. Arrays do not overlap; all is done `times` times. */
struct kg_cpu_code {
    const char *name; /* "AVX-512", "AVX2", "plain" */
    /* Multiply-adds, one a step on each lane of each chain; the sum of all lanes, which is
     * kg_cpu_chains_sum. In scalars, and in vectors. */
    float (*scalar)(uint32_t steps);
    float (*vector)(uint32_t steps);
    float lanes; /* of a vector */
    /* The sum of all words, modulo 2^32. */
    uint32_t (*read)(const uint32_t *words, size_t count, uint32_t times);
    void (*copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    /* to[i] = a[i] + b[i] */
    void (*add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count, uint32_t times);
    /* The same past the caches, where the processor can. */
    void (*stream_copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times);
    void (*stream_add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count,
                       uint32_t times);
};

/* That of the widest vectors that kernels use here. */
const struct kg_cpu_code *kg_cpu_code(void);

/* All that this processor has, the plain one last, then NULL: for tests. */
const struct kg_cpu_code *kg_cpu_code_of(size_t index);

/* What `scalar` (lanes 1) and `vector` give: exact below 2^24. Pure. */
float kg_cpu_chains_sum(float lanes, uint32_t steps);
