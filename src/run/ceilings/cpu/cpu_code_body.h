/* cpu_code_body.h: the loops of cpu_code.c for one instruction set; cpu_code.c includes it once for
 * each set. It needs these macros:
 *   NAME(function)           the function's name in this set;
 *   TARGET                   the attribute by which the compiler may use the set;
 *   VECTOR_BYTES             the size of a vector;
 *   MULTIPLY_ADD(a, b, c)    for vectors of floats; SCALAR_MULTIPLY_ADD for floats;
 *   STREAM(to, vector)       writes a vector of words past the caches; STREAM_END() ends the writes.
 *
 * Loops are unrolled to eight vectors: more than any processor keeps in flight between two iterations.
 * The memory clobbers force the compiler to repeat the work each time. */
typedef uint32_t NAME(words) __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float NAME(floats) __attribute__((vector_size(VECTOR_BYTES)));

TARGET static float NAME(scalar)(uint32_t steps)
{
    float chains[KG_CPU_CHAINS], one = 1, sum = 0;
    HIDE_SCALAR(one);
    for (uint32_t c = 0; c < KG_CPU_CHAINS; c++)
        chains[c] = (float)c;
    for (uint32_t step = 0; step < steps; step++) {
        UNROLL(12)
        for (uint32_t c = 0; c < KG_CPU_CHAINS; c++) {
            float next = SCALAR_MULTIPLY_ADD(chains[c], one, one);
            HIDE_SCALAR(next); /* or chains beside each other become a vector */
            chains[c] = next;
        }
    }
    for (uint32_t c = 0; c < KG_CPU_CHAINS; c++)
        sum += chains[c];
    return sum;
}

TARGET static float NAME(vector)(uint32_t steps)
{
    enum { LANES = VECTOR_BYTES / sizeof(float) };
    NAME(floats) chains[KG_CPU_CHAINS], one;
    float sum = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        one[lane] = 1;
    HIDE(one);
    for (uint32_t c = 0; c < KG_CPU_CHAINS; c++)
        chains[c] = one * (float)c;
    for (uint32_t step = 0; step < steps; step++) {
        UNROLL(12)
        for (uint32_t c = 0; c < KG_CPU_CHAINS; c++)
            chains[c] = MULTIPLY_ADD(chains[c], one, one);
    }
    for (uint32_t c = 0; c < KG_CPU_CHAINS; c++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            sum += chains[c][lane];
    return sum;
}

TARGET static uint32_t NAME(read)(const uint32_t *words, size_t count, uint32_t times)
{
    enum { VECTORS = 8, LANES = VECTOR_BYTES / sizeof(uint32_t) };
    NAME(words) sums[VECTORS], all = {0};
    uint32_t sum = 0;
    UNROLL(8)
    for (uint32_t v = 0; v < VECTORS; v++)
        sums[v] = all;
    for (uint32_t time = 0; time < times; time++) {
        const NAME(words) *vectors = (const void *)words;
        const NAME(words) *end = (const void *)(words + count);
        for (; vectors < end; vectors += VECTORS) {
            UNROLL(8)
            for (uint32_t v = 0; v < VECTORS; v++)
                sums[v] += vectors[v];
        }
        __asm__ volatile("" : : : "memory");
    }
    UNROLL(8)
    for (uint32_t v = 0; v < VECTORS; v++)
        all += sums[v];
    for (uint32_t lane = 0; lane < LANES; lane++)
        sum += all[lane];
    return sum;
}

#define MOVE(value, store)                                                                         \
    for (uint32_t time = 0; time < times; time++) {                                                \
        for (size_t i = 0; i < count / (VECTOR_BYTES / sizeof(uint32_t)); i += 8) {                \
            UNROLL(8)                                                                              \
            for (size_t v = i; v < i + 8; v++)                                                     \
                store(target + v, value);                                                          \
        }                                                                                          \
        __asm__ volatile("" : : : "memory");                                                       \
    }
#define STORE(to, vector) (*(to) = (vector))

TARGET static void NAME(copy)(uint32_t *to, const uint32_t *from, size_t count, uint32_t times)
{
    NAME(words) *target = (void *)to;
    const NAME(words) *source = (const void *)from;
    MOVE(source[v], STORE)
}

TARGET static void NAME(add)(uint32_t *to, const uint32_t *a, const uint32_t *b, size_t count,
                             uint32_t times)
{
    NAME(words) *target = (void *)to;
    const NAME(words) *left = (const void *)a, *right = (const void *)b;
    MOVE(left[v] + right[v], STORE)
}

TARGET static void NAME(stream_copy)(uint32_t *to, const uint32_t *from, size_t count,
                                     uint32_t times)
{
    NAME(words) *target = (void *)to;
    const NAME(words) *source = (const void *)from;
    MOVE(source[v], STREAM)
    STREAM_END();
}

TARGET static void NAME(stream_add)(uint32_t *to, const uint32_t *a, const uint32_t *b,
                                    size_t count, uint32_t times)
{
    NAME(words) *target = (void *)to;
    const NAME(words) *left = (const void *)a, *right = (const void *)b;
    MOVE(left[v] + right[v], STREAM)
    STREAM_END();
}

static const struct kg_cpu_code NAME(code) = {
    .name = CODE_NAME,
    .scalar = NAME(scalar),
    .vector = NAME(vector),
    .lanes = (float)VECTOR_BYTES / sizeof(float),
    .read = NAME(read),
    .copy = NAME(copy),
    .add = NAME(add),
    .stream_copy = NAME(stream_copy),
    .stream_add = NAME(stream_add),
};
#undef MOVE
#undef STORE
