#include "reduce/reduce.h"

#include "common/common.h"
#include "common/device.h"
#include "device/code/launch.cuh"

/* Floats of one access, threads of a block, lanes of a warp, and most accesses in flight per thread
 * of `fast`. Fewer accesses if its blocks would not fill the device. */
enum : unsigned { FLOATS = 4, THREADS = 256, WARP = 32, FLIGHT_MOST = 4 };

/* The sum of the block's values, in thread 0, in an order that does not change. By a tree in shared
 * memory, with a barrier for each level. */
static __device__ float block_sum_tree(float value)
{
    __shared__ float sum[THREADS];
    sum[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    return sum[0];
}

static __device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffffU, value, step);
    return value;
}

/* block_sum_tree from register to register within warps; one barrier, and 4 bytes of shared memory
 * per warp. */
static __device__ float block_sum(float value)
{
    __shared__ float sum[THREADS / WARP];
    value = warp_sum(value);
    if (threadIdx.x % WARP == 0)
        sum[threadIdx.x / WARP] = value;
    __syncthreads();
    if (threadIdx.x < WARP)
        value = warp_sum(threadIdx.x < THREADS / WARP ? sum[threadIdx.x] : 0.0F);
    return value;
}

/* 0 plain: each thread adds floats one grid apart, so a warp reads 128 contiguous bytes. A second
 * kernel adds the sums of the blocks. One load is in flight per thread, and the next addition waits
 * for it. */
static __global__ void __launch_bounds__(THREADS)
    sum_plain(const float *__restrict__ x, size_t n, float *__restrict__ result)
{
    const size_t stride = static_cast<size_t>(gridDim.x) * THREADS;
    float sum = 0;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < n; i += stride)
        sum += x[i];
    sum = block_sum_tree(sum);
    if (threadIdx.x == 0)
        result[blockIdx.x] = sum;
}

static __device__ __forceinline__ float sum_of(float4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* The up to three floats behind the last whole vector, one for each of the grid's first threads. */
static __device__ __forceinline__ float leftover(const float *x, size_t n)
{
    const size_t i = n / FLOATS * FLOATS + threadIdx.x;
    return blockIdx.x == 0 && i < n ? x[i] : 0.0F;
}

/* 1 vector: 16 bytes at a time, four additions to a load, and sums from register to register. */
static __global__ void __launch_bounds__(THREADS)
    sum_vector(const float *__restrict__ x, size_t n, float *__restrict__ result)
{
    const float4 *from = reinterpret_cast<const float4 *>(x);
    const size_t stride = static_cast<size_t>(gridDim.x) * THREADS;
    float sum = leftover(x, n);
    for (size_t v = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; v < n / FLOATS;
         v += stride)
        sum += sum_of(from[v]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        result[blockIdx.x] = sum;
}

/* The calling thread's sum in `fast`. */
template <unsigned FLIGHT>
static __device__ __forceinline__ float thread_sum(const float *x, size_t n)
{
    const float4 *from = reinterpret_cast<const float4 *>(x);
    const size_t vectors = n / FLOATS, stride = static_cast<size_t>(gridDim.x) * THREADS * FLIGHT;
    size_t start = static_cast<size_t>(blockIdx.x) * THREADS * FLIGHT;
    float sum[FLIGHT_MOST] = {leftover(x, n)};
    for (; start + THREADS * FLIGHT <= vectors; start += stride) {
        float4 v[FLIGHT];
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            v[k] = __ldcs(from + start + k * THREADS + threadIdx.x);
#pragma unroll
        for (unsigned k = 0; k < FLIGHT; k++)
            sum[k] += sum_of(v[k]);
    }
    for (size_t v = start + threadIdx.x; v < vectors && v < start + THREADS * FLIGHT; v += THREADS)
        sum[0] += sum_of(from[v]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Whether the calling block is the last of the grid to finish. The fences make the sums of all
 * earlier blocks visible to it. The count returns to 0 for the next call. */
static __device__ bool is_last_block(unsigned *arrived)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/* 2 fast: four loads in flight with an accumulator for each, so no addition waits for the one
 * before. The cache need not keep its lines. The last block to finish adds the sums of all blocks,
 * which saves a launch. It adds in the order of blocks, so the result does not depend on which
 * block is last. */
template <unsigned FLIGHT>
static __global__ void __launch_bounds__(THREADS)
    sum_fast(const float *__restrict__ x, size_t n, float *part, unsigned *arrived,
             float *__restrict__ result)
{
    const float sum = block_sum(thread_sum<FLIGHT>(x, n));
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
    if (!is_last_block(arrived))
        return;
    float total = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += THREADS)
        total += __ldcg(part + i); /* from the cache level that sees other processors' writes */
    total = block_sum(total);
    if (threadIdx.x == 0)
        *result = total;
}

static unsigned flight_for(const struct kg_reduce *reduce)
{
    return kg_device_flight(reduce->n / FLOATS, THREADS, FLIGHT_MOST, reduce->call.processors);
}

static auto *fast_of(unsigned flight)
{
    return flight == 4 ? sum_fast<4> : flight == 2 ? sum_fast<2> : sum_fast<1>;
}

extern "C" bool kg_reduce_cuda_prepare(struct kgate_context *context, void *state)
{
    auto *reduce = static_cast<struct kg_reduce *>(state);
    const unsigned flight = flight_for(reduce);
    int blocks;
    const cudaError_t status =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fast_of(flight), THREADS, 0);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    const size_t at_once = reduce->call.processors * static_cast<size_t>(blocks);
    const size_t needed = reduce->n / (THREADS * FLOATS * flight) + 1;
    const size_t most = KG_REDUCE_BLOCKS_MOST;
    reduce->blocks = static_cast<unsigned>(min(min(at_once, needed), most));
    return true;
}

extern "C" void kg_reduce_cuda_plain(void *state)
{
    const auto *reduce = static_cast<const struct kg_reduce *>(state);
    KG_LAUNCH(sum_plain, reduce->blocks, THREADS, 0, reduce->call.stream, reduce->x, reduce->n,
              reduce->part);
    KG_LAUNCH(sum_plain, 1, THREADS, 0, reduce->call.stream, reduce->part,
              static_cast<size_t>(reduce->blocks), reduce->total);
}

extern "C" void kg_reduce_cuda_vector(void *state)
{
    const auto *reduce = static_cast<const struct kg_reduce *>(state);
    KG_LAUNCH(sum_vector, reduce->blocks, THREADS, 0, reduce->call.stream, reduce->x, reduce->n,
              reduce->part);
    KG_LAUNCH(sum_vector, 1, THREADS, 0, reduce->call.stream, reduce->part,
              static_cast<size_t>(reduce->blocks), reduce->total);
}

extern "C" void kg_reduce_cuda_fast(void *state)
{
    const auto *reduce = static_cast<const struct kg_reduce *>(state);
    KG_LAUNCH(fast_of(flight_for(reduce)), reduce->blocks, THREADS, 0, reduce->call.stream,
              reduce->x, reduce->n, reduce->part, reduce->arrived, reduce->total);
}
