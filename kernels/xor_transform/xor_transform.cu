#include "xor_transform/xor_transform.h"

#include <string.h>

#include "common/device.h"
#include "device/code/launch.cuh"

/* Words of one access, threads of a block, and most accesses in flight per thread of `fast`. Fewer
 * accesses if its blocks would not fill the device. */
enum : unsigned { WORDS = 2, THREADS = 256, FLIGHT_MOST = 4 };

constexpr uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

/* An argument of the kernels: it comes with the launch, in constant memory, and stays there
 * (__grid_constant__). Otherwise a thread that reads a word by an index of its own would first copy
 * all words. */
struct key {
    uint64_t word[KG_XOR_KEY_WORDS];
};

static struct key key_of(const struct kg_xor_transform *transform)
{
    struct key key;
    memcpy(key.word, transform->key, sizeof key.word);
    return key;
}

/* Number of blocks of `items` items for n items. At least one, which does the leftover. */
static unsigned blocks_for(size_t n, size_t items)
{
    return n > items ? static_cast<unsigned>((n + items - 1) / items) : 1;
}

/* Word i of the output, with product = i * GOLDEN. */
static __device__ __forceinline__ uint64_t transformed(uint64_t word, uint64_t key,
                                                       uint64_t product)
{
    return word ^ key ^ product ^ product >> 29;
}

static __device__ __forceinline__ ulonglong2 transformed(ulonglong2 words, uint64_t key_0,
                                                         uint64_t key_1, uint64_t product)
{
    return make_ulonglong2(transformed(words.x, key_0, product),
                           transformed(words.y, key_1, product + GOLDEN));
}

/* The odd word behind the last whole vector: for a thread of the last block. */
static __device__ __forceinline__ void leftover(const uint64_t *in, uint64_t *out, size_t n,
                                                const struct key &key)
{
    if (n % WORDS && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        out[n - 1] = transformed(in[n - 1], key.word[(n - 1) % KG_XOR_KEY_WORDS], (n - 1) * GOLDEN);
}

/* 0 plain: one word per thread. The lanes of a warp read different words of the key, and the
 * constant cache serves them one after the other. */
static __global__ void transform_plain(const uint64_t *__restrict__ in, uint64_t *__restrict__ out,
                                       size_t n, const __grid_constant__ struct key key)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        out[i] = transformed(in[i], key.word[i % KG_XOR_KEY_WORDS], i * GOLDEN);
}

/* 1 vector: 16 bytes at once: half of the instructions, twice the bytes in flight, and a 64-bit
 * product for two words. */
static __global__ void transform_vector(const uint64_t *__restrict__ in, uint64_t *__restrict__ out,
                                        size_t n, const __grid_constant__ struct key key)
{
    const size_t v = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const unsigned at = threadIdx.x * WORDS % KG_XOR_KEY_WORDS;
    if (v < n / WORDS)
        reinterpret_cast<ulonglong2 *>(out)[v] =
            transformed(reinterpret_cast<const ulonglong2 *>(in)[v], key.word[at], key.word[at + 1],
                        v * WORDS * GOLDEN);
    leftover(in, out, n, key);
}

/* 2 fast: four vector loads before the first store. The key's length divides the words per block
 * and read, so each thread needs only two words of the key, read once. It has one product, and
 * additions from there. Lines are used once, and marked as first to be evicted. */
template <unsigned FLIGHT>
static __global__ void __launch_bounds__(THREADS)
    transform_fast(const uint64_t *__restrict__ in, uint64_t *__restrict__ out, size_t n,
                   const __grid_constant__ struct key key)
{
    const ulonglong2 *from = reinterpret_cast<const ulonglong2 *>(in);
    ulonglong2 *to = reinterpret_cast<ulonglong2 *>(out);
    const size_t start = static_cast<size_t>(blockIdx.x) * (THREADS * FLIGHT);
    const size_t v = start + threadIdx.x, vectors = n / WORDS;
    const unsigned at = threadIdx.x * WORDS % KG_XOR_KEY_WORDS;
    const uint64_t key_0 = key.word[at], key_1 = key.word[at + 1];
    const uint64_t product = v * WORDS * GOLDEN, step = THREADS * WORDS * GOLDEN;
    static_assert(THREADS * WORDS % KG_XOR_KEY_WORDS == 0, "the key begins anew with each access");
    if (start + THREADS * FLIGHT <= vectors) {
        ulonglong2 words[FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            words[k] = __ldcs(from + v + k * THREADS);
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            __stcs(to + v + k * THREADS, transformed(words[k], key_0, key_1, product + k * step));
    } else {
        for (size_t k = 0; v + k * THREADS < vectors; k++)
            to[v + k * THREADS] =
                transformed(from[v + k * THREADS], key_0, key_1, product + k * step);
    }
    leftover(in, out, n, key);
}

extern "C" void kg_xor_transform_cuda_plain(void *state)
{
    const auto *transform = static_cast<const struct kg_xor_transform *>(state);
    KG_LAUNCH(transform_plain, blocks_for(transform->n, THREADS), THREADS, 0,
              transform->call.stream, transform->in, transform->out, transform->n,
              key_of(transform));
}

extern "C" void kg_xor_transform_cuda_vector(void *state)
{
    const auto *transform = static_cast<const struct kg_xor_transform *>(state);
    KG_LAUNCH(transform_vector, blocks_for(transform->n / WORDS, THREADS), THREADS, 0,
              transform->call.stream, transform->in, transform->out, transform->n,
              key_of(transform));
}

extern "C" void kg_xor_transform_cuda_fast(void *state)
{
    const auto *transform = static_cast<const struct kg_xor_transform *>(state);
    const size_t vectors = transform->n / WORDS;
    const unsigned flight =
        kg_device_flight(vectors, THREADS, FLIGHT_MOST, transform->call.processors);
    auto *const kernel = flight == 4   ? transform_fast<4>
                         : flight == 2 ? transform_fast<2>
                                       : transform_fast<1>;
    KG_LAUNCH(kernel, blocks_for(vectors, THREADS * flight), THREADS, 0, transform->call.stream,
              transform->in, transform->out, transform->n, key_of(transform));
}
