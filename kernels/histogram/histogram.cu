#include "device/code/launch.cuh"
#include "histogram/histogram.h"

/* Threads of a block, one for each count, and words of a thread: enough that adding up a block's
 * table is little. */
enum : unsigned { THREADS = KG_HISTOGRAM_BINS, WORDS = 16 };

static __device__ void word_count(uint64_t word, uint32_t *counts)
{
    for (unsigned at = 0; at < 8; at++)
        atomicAdd(counts + (word >> 8 * at & 0xff), 1U);
}

/* 0 plain: one table in device memory, whose counts all threads raise: they queue up at the cache
 * that does it. */
static __global__ void histogram_plain(const uint64_t *words, size_t n, uint32_t *counts)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        word_count(words[i], counts);
}

/* 1 fast: a table for each block in shared memory, near to its threads and known to no others; it
 * is added to the result once. */
static __global__ void __launch_bounds__(THREADS)
    histogram_fast(const uint64_t *__restrict__ words, size_t n, uint32_t *counts)
{
    __shared__ uint32_t own[KG_HISTOGRAM_BINS];
    const size_t start = static_cast<size_t>(blockIdx.x) * (THREADS * WORDS) + threadIdx.x;
    own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < WORDS && start + k * THREADS < n; k++)
        word_count(words[start + k * THREADS], own);
    __syncthreads();
    atomicAdd(counts + threadIdx.x, own[threadIdx.x]);
}

static unsigned blocks_for(size_t n, size_t words)
{
    return static_cast<unsigned>((n + words - 1) / words);
}

static void counts_clear(const struct kg_histogram *histogram)
{
    (void)cudaMemsetAsync(histogram->counts, 0, KG_HISTOGRAM_BINS * sizeof *histogram->counts,
                          static_cast<cudaStream_t>(histogram->call.stream));
}

extern "C" void kg_histogram_cuda_plain(void *state)
{
    const auto *histogram = static_cast<const struct kg_histogram *>(state);
    counts_clear(histogram);
    KG_LAUNCH(histogram_plain, blocks_for(histogram->n, THREADS), THREADS, 0,
              histogram->call.stream, histogram->words, histogram->n, histogram->counts);
}

extern "C" void kg_histogram_cuda_fast(void *state)
{
    const auto *histogram = static_cast<const struct kg_histogram *>(state);
    counts_clear(histogram);
    KG_LAUNCH(histogram_fast, blocks_for(histogram->n, THREADS * WORDS), THREADS, 0,
              histogram->call.stream, histogram->words, histogram->n, histogram->counts);
}
