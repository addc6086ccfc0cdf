/* xor_transform.h: out[i] = in[i] ^ key[i mod 8] ^ mix(i) over n = bytes / 8 words. mix(i) = (i *
 * 0x9e3779b97f4a7c15) ^ (i * 0x9e3779b97f4a7c15 >> 29): a transform of data with a little integer
 * arithmetic per moved word. Not a cipher.
 *
 * bytes 2 * `bytes`, items n, no flops.
 * Versions on the CPU: plain, word by word; fast, vectorised on all threads. On the GPU: plain, one
 * word per thread; vector, two words at once; fast, several such loads in flight, the key in
 * registers. Error: number of words that differ from the reference, tolerance 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "common/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KG_XOR_KEY_WORDS = 8 };

/* On the GPU the data is in its memory. */
struct kg_xor_transform {
    struct kg_call call;
    uint64_t *in;
    uint64_t *out;
    size_t n;
    uint64_t key[KG_XOR_KEY_WORDS];
};

void kg_xor_transform_plain(void *state);
void kg_xor_transform_fast(void *state);

void kg_xor_transform_cuda_plain(void *state);
void kg_xor_transform_cuda_vector(void *state);
void kg_xor_transform_cuda_fast(void *state);

/* Word i of the output. */
uint64_t kg_xor_transform_reference(const struct kg_xor_transform *transform, size_t i);

extern const struct kgate_workload kg_kernel_xor_transform;

#ifdef __cplusplus
}
#endif
