#include "stream/stream.h"

#include "common/device.h"
#include "device/code/launch.cuh"

/* Floats of one access, threads of a block, and most accesses in flight per thread of `fast`. Fewer
 * accesses if its blocks would not fill the device. */
enum : unsigned { FLOATS = 4, THREADS = 256, COPY_FLIGHT = 4, TRIAD_FLIGHT = 2 };

/* Number of blocks of `items` items for n items. At least one, which does the leftover. */
static unsigned blocks_for(size_t n, size_t items)
{
    return n > items ? static_cast<unsigned>((n + items - 1) / items) : 1;
}

/* The up to three floats behind the last whole vector, for threads of the last block. Returns
 * whether the calling thread has one. */
static __device__ __forceinline__ bool has_leftover(size_t n, size_t *i)
{
    *i = n / FLOATS * FLOATS + threadIdx.x;
    return blockIdx.x == gridDim.x - 1 && *i < n;
}

/* 0 plain: a float a thread. A warp's accesses are 128 bytes in a row, as they should be; but each
 * thread has 4 bytes in flight, and half of the instructions reckon addresses. */
static __global__ void copy_plain(const float *__restrict__ a, float *__restrict__ b, size_t n)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

/* 1 vector: 16 bytes at once. A quarter of the instructions and four times the bytes in flight,
 * since a thread waits for its load before it can store. */
static __global__ void copy_vector(const float *__restrict__ a, float *__restrict__ b, size_t n)
{
    const size_t v = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    size_t i;
    if (v < n / FLOATS)
        reinterpret_cast<float4 *>(b)[v] = reinterpret_cast<const float4 *>(a)[v];
    if (has_leftover(n, &i))
        b[i] = a[i];
}

/* 2 fast: four vector loads before the first store. Full blocks need no comparisons. Each line is
 * used once. Marked as first to be evicted, it does not evict lines that still wait for their
 * write-back. */
template <unsigned FLIGHT>
static __global__ void __launch_bounds__(THREADS)
    copy_fast(const float *__restrict__ a, float *__restrict__ b, size_t n)
{
    const float4 *from = reinterpret_cast<const float4 *>(a);
    float4 *to = reinterpret_cast<float4 *>(b);
    const size_t start = static_cast<size_t>(blockIdx.x) * (THREADS * FLIGHT);
    const size_t v = start + threadIdx.x, vectors = n / FLOATS;
    if (start + THREADS * FLIGHT <= vectors) {
        float4 value[FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            value[k] = __ldcs(from + v + k * THREADS);
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            __stcs(to + v + k * THREADS, value[k]);
    } else {
        for (size_t k = v; k < vectors; k += THREADS)
            to[k] = from[k];
    }
    size_t i;
    if (has_leftover(n, &i))
        b[i] = a[i];
}

/* 0 plain: a float a thread. */
static __global__ void triad_plain(const float *__restrict__ a, const float *__restrict__ b,
                                   float *__restrict__ c, float scale, size_t n)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + scale * b[i];
}

static __device__ __forceinline__ float4 triad_of(float4 a, float4 b, float scale)
{
    return make_float4(a.x + scale * b.x, a.y + scale * b.y, a.z + scale * b.z, a.w + scale * b.w);
}

/* 1 vector: 16 bytes at once from each array. */
static __global__ void triad_vector(const float *__restrict__ a, const float *__restrict__ b,
                                    float *__restrict__ c, float scale, size_t n)
{
    const size_t v = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    size_t i;
    if (v < n / FLOATS)
        reinterpret_cast<float4 *>(c)[v] = triad_of(reinterpret_cast<const float4 *>(a)[v],
                                                    reinterpret_cast<const float4 *>(b)[v], scale);
    if (has_leftover(n, &i))
        c[i] = a[i] + scale * b[i];
}

/* 2 fast: two such loads from each array, four in all, before the first store, as in copy; with
 * more, registers would cost threads. */
template <unsigned FLIGHT>
static __global__ void __launch_bounds__(THREADS)
    triad_fast(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
               float scale, size_t n)
{
    const float4 *left = reinterpret_cast<const float4 *>(a);
    const float4 *right = reinterpret_cast<const float4 *>(b);
    float4 *to = reinterpret_cast<float4 *>(c);
    const size_t start = static_cast<size_t>(blockIdx.x) * (THREADS * FLIGHT);
    const size_t v = start + threadIdx.x, vectors = n / FLOATS;
    if (start + THREADS * FLIGHT <= vectors) {
        float4 x[FLIGHT], y[FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++) {
            x[k] = __ldcs(left + v + k * THREADS);
            y[k] = __ldcs(right + v + k * THREADS);
        }
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            __stcs(to + v + k * THREADS, triad_of(x[k], y[k], scale));
    } else {
        for (size_t k = v; k < vectors; k += THREADS)
            to[k] = triad_of(left[k], right[k], scale);
    }
    size_t i;
    if (has_leftover(n, &i))
        c[i] = a[i] + scale * b[i];
}

static unsigned flight_for(const struct kg_stream *stream, unsigned most)
{
    return kg_device_flight(stream->n / FLOATS, THREADS, most, stream->call.processors);
}

extern "C" void kg_copy_cuda_plain(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    KG_LAUNCH(copy_plain, blocks_for(stream->n, THREADS), THREADS, 0, stream->call.stream,
              stream->a, stream->b, stream->n);
}

extern "C" void kg_copy_cuda_vector(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    KG_LAUNCH(copy_vector, blocks_for(stream->n / FLOATS, THREADS), THREADS, 0, stream->call.stream,
              stream->a, stream->b, stream->n);
}

extern "C" void kg_copy_cuda_fast(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    const size_t vectors = stream->n / FLOATS;
    const unsigned flight = flight_for(stream, COPY_FLIGHT);
    auto *const kernel = flight == 4 ? copy_fast<4> : flight == 2 ? copy_fast<2> : copy_fast<1>;
    KG_LAUNCH(kernel, blocks_for(vectors, THREADS * flight), THREADS, 0, stream->call.stream,
              stream->a, stream->b, stream->n);
}

/* The driver's own copy: the speed to expect from a copy within the device. */
extern "C" void kg_copy_cuda_memcpy(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    (void)cudaMemcpyAsync(stream->b, stream->a, stream->n * sizeof(float), cudaMemcpyDeviceToDevice,
                          (cudaStream_t)stream->call.stream);
}

extern "C" void kg_triad_cuda_plain(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    KG_LAUNCH(triad_plain, blocks_for(stream->n, THREADS), THREADS, 0, stream->call.stream,
              stream->a, stream->b, stream->c, kg_stream_scale, stream->n);
}

extern "C" void kg_triad_cuda_vector(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    KG_LAUNCH(triad_vector, blocks_for(stream->n / FLOATS, THREADS), THREADS, 0,
              stream->call.stream, stream->a, stream->b, stream->c, kg_stream_scale, stream->n);
}

extern "C" void kg_triad_cuda_fast(void *state)
{
    const auto *stream = static_cast<const struct kg_stream *>(state);
    const size_t vectors = stream->n / FLOATS;
    const unsigned flight = flight_for(stream, TRIAD_FLIGHT);
    auto *const kernel = flight == 2 ? triad_fast<2> : triad_fast<1>;
    KG_LAUNCH(kernel, blocks_for(vectors, THREADS * flight), THREADS, 0, stream->call.stream,
              stream->a, stream->b, stream->c, kg_stream_scale, stream->n);
}
