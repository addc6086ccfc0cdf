#include "xor_transform/xor_transform.h"

#include "common/streaming.h"

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

/* 0 plain: word by word, with the key looked up for each. */
void kg_xor_transform_plain(void *state)
{
    const struct kg_xor_transform *transform = state;
    for (size_t i = 0; i < transform->n; i++) {
        const uint64_t product = i * GOLDEN;
        transform->out[i] =
            transform->in[i] ^ transform->key[i % KG_XOR_KEY_WORDS] ^ product ^ product >> 29;
    }
}

/* One key's length. Sums replace products: AVX2 vectors add 64-bit words, but cannot multiply
 * them. */
static void block(const uint64_t *restrict in, uint64_t *restrict out, const uint64_t *key,
                  const uint64_t *step, uint64_t product)
{
#pragma omp simd
    for (size_t k = 0; k < KG_XOR_KEY_WORDS; k++) {
        const uint64_t p = product + step[k];
        out[k] = in[k] ^ key[k] ^ p ^ p >> 29;
    }
}

/* A key's length is a line: whole ones, past the caches. */
static void blocks_stream(const uint64_t *in, uint64_t *out, size_t blocks, const uint64_t *key,
                          const uint64_t *step, int threads)
{
    _Static_assert(KG_XOR_KEY_WORDS * sizeof *out == KG_LINE_BYTES, "a key is a line");
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t b = 0; b < blocks; b++) {
            uint64_t line[KG_XOR_KEY_WORDS];
            block(in + b * KG_XOR_KEY_WORDS, line, key, step, b * KG_XOR_KEY_WORDS * GOLDEN);
            kg_stream_line(out + b * KG_XOR_KEY_WORDS, line);
        }
        kg_stream_end();
    }
}

static void blocks_write(const uint64_t *in, uint64_t *out, size_t blocks, const uint64_t *key,
                         const uint64_t *step, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t b = 0; b < blocks; b++)
        block(in + b * KG_XOR_KEY_WORDS, out + b * KG_XOR_KEY_WORDS, key, step,
              b * KG_XOR_KEY_WORDS * GOLDEN);
}

/* 1 fast: eight words at a time with the key in registers, all threads. Additions replace 64-bit
 * products, which AVX2 lacks. Outputs too large for the caches are written past them. */
void kg_xor_transform_fast(void *state)
{
    const struct kg_xor_transform *transform = state;
    const size_t n = transform->n, blocks = n / KG_XOR_KEY_WORDS;
    const uint64_t *in = transform->in, *key = transform->key;
    uint64_t *out = transform->out;
    uint64_t step[KG_XOR_KEY_WORDS];
    for (size_t k = 0; k < KG_XOR_KEY_WORDS; k++)
        step[k] = k * GOLDEN;
    if (kg_streams(out, n * sizeof *out))
        blocks_stream(in, out, blocks, key, step, transform->call.threads);
    else
        blocks_write(in, out, blocks, key, step, transform->call.threads);
    for (size_t i = blocks * KG_XOR_KEY_WORDS; i < n; i++) {
        const uint64_t product = i * GOLDEN;
        out[i] = in[i] ^ key[i % KG_XOR_KEY_WORDS] ^ product ^ product >> 29;
    }
}
