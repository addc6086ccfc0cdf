#include "xor_transform/xor_transform.h"

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

/* 0 plain: word by word, with the key looked up for each. */
void kg_xor_transform_plain(struct kg_xor_transform *transform)
{
    for (size_t i = 0; i < transform->n; i++) {
        const uint64_t product = i * GOLDEN;
        transform->out[i] =
            transform->in[i] ^ transform->key[i % KG_XOR_KEY_WORDS] ^ product ^ product >> 29;
    }
}

/* One key's length: the products are sums, which vectors can do where they cannot multiply. */
static void block(const uint64_t *restrict in, uint64_t *restrict out, const uint64_t *key,
                  const uint64_t *step, uint64_t product)
{
#pragma omp simd
    for (size_t k = 0; k < KG_XOR_KEY_WORDS; k++) {
        const uint64_t p = product + step[k];
        out[k] = in[k] ^ key[k] ^ p ^ p >> 29;
    }
}

/* 1 fast: eight words at a time with the key in registers and additions in place of 64-bit
 * products, which AVX2 lacks; all threads. */
void kg_xor_transform_fast(struct kg_xor_transform *transform)
{
    const size_t blocks = transform->n / KG_XOR_KEY_WORDS;
    const uint64_t *in = transform->in;
    uint64_t *out = transform->out;
    uint64_t step[KG_XOR_KEY_WORDS];
    for (size_t k = 0; k < KG_XOR_KEY_WORDS; k++)
        step[k] = k * GOLDEN;
#pragma omp parallel for num_threads(transform->threads) schedule(static)
    for (size_t b = 0; b < blocks; b++)
        block(in + b * KG_XOR_KEY_WORDS, out + b * KG_XOR_KEY_WORDS, transform->key, step,
              b * KG_XOR_KEY_WORDS * GOLDEN);
    for (size_t i = blocks * KG_XOR_KEY_WORDS; i < transform->n; i++) {
        const uint64_t product = i * GOLDEN;
        out[i] = in[i] ^ transform->key[i % KG_XOR_KEY_WORDS] ^ product ^ product >> 29;
    }
}
