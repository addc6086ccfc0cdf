#include "lattice/lattice.h"

#include "common/device.h"
#include "device/code/launch.cuh"

/* THREADS per block, and at most CHUNKS shares per block, one after the other. Fewer if the blocks
 * would not fill the device. */
enum : unsigned { THREADS = 256, CHUNKS = 4, WARP = 32, MOST = KG_LATTICE_DIMENSIONS_MOST };

/* Arguments of every kernel: the arrays that it needs, and the plan in constant memory. */
struct job {
    const float *x;
    void *codes;
    uint8_t *counts;
    float *decoded;
    size_t batch;
    unsigned chunks; /* of a block, in the versions that put overloads aside */
    struct kg_lattice_plan plan;
};

static __device__ __forceinline__ size_t thread_number()
{
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/* --- 0 plain -------------------------------------------------------------------------------------
 * Two vectors a thread, those whose counts share a byte, one number after the other: the lanes of a
 * warp are n numbers and more apart. */
template <kg_lattice_kind KIND>
static __global__ void encode_plain(const __grid_constant__ struct job job)
{
    const unsigned n = kg_lattice_dimensions(KIND);
    const size_t pair = thread_number();
    unsigned counts = 0;
    if (pair >= (job.batch + 1) / 2)
        return;
    for (size_t v = 2 * pair; v < 2 * pair + 2 && v < job.batch; v++) {
        struct kg_lattice_code code;
        float x[MOST];
        for (unsigned i = 0; i < n; i++)
            x[i] = job.x[v * n + i];
        counts |= kg_lattice_encode_one(KIND, &job.plan, x, &code) << (v % 2 * 4);
        kg_lattice_code_write(job.codes, v, job.plan.code_bytes,
                              kg_lattice_code_join(KIND, &job.plan, code));
    }
    job.counts[pair] = static_cast<uint8_t>(counts);
}

template <kg_lattice_kind KIND>
static __global__ void decode_plain(const __grid_constant__ struct job job)
{
    const unsigned n = kg_lattice_dimensions(KIND);
    const size_t v = thread_number();
    if (v >= job.batch)
        return;
    const uint64_t joined = kg_lattice_code_read(job.codes, v, job.plan.code_bytes);
    float x[MOST];
    kg_lattice_decode_one(KIND, &job.plan, kg_lattice_code_split(KIND, &job.plan, joined),
                          kg_lattice_count_read(job.counts, v), x);
    for (unsigned i = 0; i < n; i++)
        job.decoded[v * n + i] = x[i];
}

template <kg_lattice_kind KIND>
static __global__ void quantize_plain(const __grid_constant__ struct job job)
{
    const unsigned n = kg_lattice_dimensions(KIND);
    const size_t v = thread_number();
    if (v >= job.batch)
        return;
    struct kg_lattice_code code;
    float x[MOST];
    for (unsigned i = 0; i < n; i++)
        x[i] = job.x[v * n + i];
    const unsigned count = kg_lattice_encode_one(KIND, &job.plan, x, &code);
    kg_lattice_decode_one(KIND, &job.plan, code, count, x);
    for (unsigned i = 0; i < n; i++)
        job.decoded[v * n + i] = x[i];
}

/* --- How a warp moves its vectors ----------------------------------------------------------------
 * 16 bytes a lane at once, side by side: all bytes of every memory transaction are used, in the
 * very order in which they lie. A lane's share of that is
 *   Z2  two vectors, 2 lane and 2 lane + 1 of the warp's 64
 *   D4  one vector
 *   E8  half a vector, twice: the lanes of a pair swap halves, and the even one has vector lane / 2
 *       of the warp's 32, the odd one vector 16 + lane / 2.
 * Everything else is in registers. Vectors beyond the batch are read as 0 and not written. */
template <kg_lattice_kind KIND> struct share {
    static constexpr unsigned N = KIND == KG_LATTICE_Z2 ? 2 : KIND == KG_LATTICE_D4 ? 4 : 8;
    static constexpr unsigned VECTORS = KIND == KG_LATTICE_Z2 ? 2 : 1; /* of a lane */
    static constexpr unsigned QUADS = KIND == KG_LATTICE_E8 ? 2 : 1;   /* 16 bytes each */

    size_t base; /* the warp's first vector */
    unsigned lane;

    /* The share of the grid's thread number `thread`; in its warp it has the calling thread's
     * lane. */
    __device__ __forceinline__ explicit share(size_t thread)
    {
        base = thread / WARP * (WARP * VECTORS);
        lane = threadIdx.x % WARP;
    }

    /* The lane's vector k. */
    __device__ __forceinline__ size_t vector(unsigned k) const
    {
        return base + (KIND == KG_LATTICE_E8 ? lane / 2 + lane % 2 * 16 : lane * VECTORS + k);
    }

    /* Index in the array, in units of 16 bytes, of access `quad`. */
    __device__ __forceinline__ size_t at(unsigned quad) const
    {
        return base * N / 4 + quad * WARP + lane;
    }
};

/* Swaps `mine` with the other lane of the pair, for both lanes. */
static __device__ __forceinline__ float4 swapped(float4 mine)
{
    return make_float4(
        __shfl_xor_sync(0xffffffffU, mine.x, 1), __shfl_xor_sync(0xffffffffU, mine.y, 1),
        __shfl_xor_sync(0xffffffffU, mine.z, 1), __shfl_xor_sync(0xffffffffU, mine.w, 1));
}

/* From two quads as they lie in memory to the halves of the lane's own
 * vector, and back: the same. */
static __device__ __forceinline__ void pair_exchange(unsigned lane, float4 quads[2])
{
    const float4 other = swapped(lane % 2 ? quads[0] : quads[1]);
    if (lane % 2)
        quads[0] = other;
    else
        quads[1] = other;
}

/* If the number of Z2's vectors is odd, the last one is half of 16 bytes. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void share_load(const struct share<KIND> &share, const float *x,
                                                  size_t batch, float *vectors)
{
    const size_t whole = batch * share.N / 4;
    float4 quads[2] = {};
#pragma unroll
    for (unsigned k = 0; k < share.QUADS; k++) {
        const size_t at = share.at(k);
        if (at < whole)
            quads[k] = __ldcs(reinterpret_cast<const float4 *>(x) + at);
        else if (KIND == KG_LATTICE_Z2 && at * 4 < batch * share.N)
            quads[k] = make_float4(x[at * 4], x[at * 4 + 1], 0, 0);
    }
    if (KIND == KG_LATTICE_E8)
        pair_exchange(share.lane, quads);
#pragma unroll
    for (unsigned k = 0; k < share.QUADS; k++) {
        vectors[4 * k] = quads[k].x;
        vectors[4 * k + 1] = quads[k].y;
        vectors[4 * k + 2] = quads[k].z;
        vectors[4 * k + 3] = quads[k].w;
    }
}

template <kg_lattice_kind KIND>
static __device__ __forceinline__ void share_store(const struct share<KIND> &share, float *x,
                                                   size_t batch, const float *vectors)
{
    const size_t whole = batch * share.N / 4;
    float4 quads[2] = {};
#pragma unroll
    for (unsigned k = 0; k < share.QUADS; k++)
        quads[k] =
            make_float4(vectors[4 * k], vectors[4 * k + 1], vectors[4 * k + 2], vectors[4 * k + 3]);
    if (KIND == KG_LATTICE_E8)
        pair_exchange(share.lane, quads);
#pragma unroll
    for (unsigned k = 0; k < share.QUADS; k++) {
        const size_t at = share.at(k);
        if (at < whole) {
            __stcs(reinterpret_cast<float4 *>(x) + at, quads[k]);
        } else if (KIND == KG_LATTICE_Z2 && at * 4 < batch * share.N) {
            x[at * 4] = quads[k].x;
            x[at * 4 + 1] = quads[k].y;
        }
    }
}

/* If both of Z2's two vectors exist, their codes are written at once. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void codes_store(const struct share<KIND> &share,
                                                   const struct job &job, const uint64_t *codes)
{
    const unsigned bytes = job.plan.code_bytes;
    const size_t v = share.vector(0);
    if (KIND == KG_LATTICE_Z2 && v + 1 < job.batch)
        kg_lattice_code_write(job.codes, v / 2, 2 * bytes, codes[0] | codes[1] << (8 * bytes));
    else if (v < job.batch)
        kg_lattice_code_write(job.codes, v, bytes, codes[0]);
}

/* --- Overloads -----------------------------------------------------------------------------------
 * One lane with an overloading vector would delay its whole warp by another attempt. Every tenth
 * vector of E8 overloads, so this affects nearly every warp. Instead a block makes one attempt of
 * each of its vectors and notes the overloads. At the end it makes the further attempts with as few
 * warps as possible. It reads these vectors once more, usually from a cache, and overwrites their
 * results. */
template <kg_lattice_kind KIND> struct aside {
    static constexpr unsigned VECTORS = CHUNKS * THREADS * share<KIND>::VECTORS; /* of a block */
    uint16_t number[VECTORS];                                                    /* in the block */
    unsigned total;
};

template <kg_lattice_kind KIND>
static __device__ __forceinline__ void aside_begin(struct aside<KIND> *aside)
{
    if (threadIdx.x == 0)
        aside->total = 0;
    __syncthreads();
}

/* Notes the block's vector `number` if it overloads. All lanes call it; most warps have no
 * overload. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void aside_put(struct aside<KIND> *aside, bool overloads,
                                                 unsigned number)
{
    const unsigned lane = threadIdx.x % WARP, lanes = __ballot_sync(0xffffffffU, overloads);
    unsigned place = 0;
    if (!lanes)
        return;
    if (lane == 0)
        place = atomicAdd(&aside->total, static_cast<unsigned>(__popc(lanes)));
    place = __shfl_sync(0xffffffffU, place, 0) +
            static_cast<unsigned>(__popc(lanes & ((1U << lane) - 1)));
    if (overloads)
        aside->number[place] = static_cast<uint16_t>(number);
}

/* Vector v, alone. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void vector_load(const float *x, size_t v, float *vector)
{
#pragma unroll
    for (unsigned i = 0; i < share<KIND>::N; i += 2) {
        const float2 two = reinterpret_cast<const float2 *>(x)[(v * share<KIND>::N + i) / 2];
        vector[i] = two.x;
        vector[i + 1] = two.y;
    }
}

template <kg_lattice_kind KIND>
static __device__ __forceinline__ void vector_store(float *x, size_t v, const float *vector)
{
#pragma unroll
    for (unsigned i = 0; i < share<KIND>::N; i += 2)
        reinterpret_cast<float2 *>(x)[(v * share<KIND>::N + i) / 2] =
            make_float2(vector[i], vector[i + 1]);
}

/* The grid's first thread of a chunk of the block, and the block's first vector. */
static __device__ __forceinline__ size_t chunk_thread(const struct job &job, unsigned chunk)
{
    return (static_cast<size_t>(blockIdx.x) * job.chunks + chunk) * blockDim.x;
}

template <kg_lattice_kind KIND>
static __device__ __forceinline__ size_t block_vector(const struct job &job)
{
    return chunk_thread(job, 0) * share<KIND>::VECTORS;
}

/* --- 1 fast -----------------------------------------------------------------------------------
 * Two counts share a byte, so all of the block's are collected before they are written. */
template <kg_lattice_kind KIND> struct encoding {
    struct aside<KIND> list;
    uint8_t counts[aside<KIND>::VECTORS];
};

template <kg_lattice_kind KIND>
static __device__ __forceinline__ void chunk_encode(const struct job &job, unsigned chunk,
                                                    struct encoding<KIND> *shared)
{
    const struct share<KIND> share(chunk_thread(job, chunk) + threadIdx.x);
    float x[8];
    uint64_t codes[2] = {};
    share_load(share, job.x, job.batch, x);
#pragma unroll
    for (unsigned k = 0; k < share.VECTORS; k++) {
        const unsigned number = static_cast<unsigned>(share.vector(k) - block_vector<KIND>(job));
        float digits[8];
        const bool overloads =
            kg_lattice_encode_try(KIND, &job.plan, x + k * share.N, 0, digits) != 0;
        codes[k] = kg_lattice_code_join(KIND, &job.plan, kg_lattice_pack(KIND, &job.plan, digits));
        shared->counts[number] = 0;
        aside_put(&shared->list, overloads, number);
    }
    codes_store(share, job, codes);
}

template <kg_lattice_kind KIND>
static __device__ __forceinline__ void aside_encode(const struct job &job,
                                                    struct encoding<KIND> *shared)
{
    for (unsigned i = threadIdx.x; i < shared->list.total; i += blockDim.x) {
        const unsigned number = shared->list.number[i];
        const size_t v = block_vector<KIND>(job) + number;
        struct kg_lattice_code code;
        float x[8];
        vector_load<KIND>(job.x, v, x);
        shared->counts[number] =
            static_cast<uint8_t>(kg_lattice_encode_from(KIND, &job.plan, 1, x, &code));
        kg_lattice_code_write(job.codes, v, job.plan.code_bytes,
                              kg_lattice_code_join(KIND, &job.plan, code));
    }
}

/* The even vector's count is in the lower half. Counts beyond the batch are 0. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void counts_store(const struct job &job,
                                                    const struct encoding<KIND> &shared)
{
    const size_t first = block_vector<KIND>(job);
    const unsigned vectors = job.chunks * blockDim.x * share<KIND>::VECTORS;
    for (unsigned i = 2 * threadIdx.x; i < vectors && first + i < job.batch; i += 2 * blockDim.x)
        job.counts[(first + i) / 2] =
            static_cast<uint8_t>(shared.counts[i] | shared.counts[i + 1] << 4);
}

template <kg_lattice_kind KIND>
static __global__ void __launch_bounds__(THREADS)
    encode_fast(const __grid_constant__ struct job job)
{
    __shared__ struct encoding<KIND> shared;
    aside_begin(&shared.list);
    for (unsigned chunk = 0; chunk < job.chunks; chunk++)
        chunk_encode(job, chunk, &shared);
    __syncthreads();
    if (shared.list.total > 0) {
        aside_encode(job, &shared);
        __syncthreads();
    }
    counts_store(job, shared);
}

template <kg_lattice_kind KIND>
static __global__ void __launch_bounds__(THREADS)
    decode_fast(const __grid_constant__ struct job job)
{
    const struct share<KIND> share(thread_number());
    float x[8] = {};
#pragma unroll
    for (unsigned k = 0; k < share.VECTORS; k++) {
        const size_t v = share.vector(k);
        if (v < job.batch) {
            const uint64_t joined = kg_lattice_code_read(job.codes, v, job.plan.code_bytes);
            kg_lattice_decode_one(KIND, &job.plan, kg_lattice_code_split(KIND, &job.plan, joined),
                                  kg_lattice_count_read(job.counts, v), x + k * share.N);
        }
    }
    share_store(share, job.decoded, job.batch, x);
}

/* 2 fused: a read and a write of memory, and no code. */
template <kg_lattice_kind KIND>
static __global__ void __launch_bounds__(THREADS)
    quantize_fused(const __grid_constant__ struct job job)
{
    __shared__ struct aside<KIND> aside;
    const size_t first = block_vector<KIND>(job);
    aside_begin(&aside);
    for (unsigned chunk = 0; chunk < job.chunks; chunk++) {
        const struct share<KIND> share(chunk_thread(job, chunk) + threadIdx.x);
        float x[8], quantized[8] = {};
        share_load(share, job.x, job.batch, x);
#pragma unroll
        for (unsigned k = 0; k < share.VECTORS; k++) {
            const bool overloads = kg_lattice_quantize_try(KIND, &job.plan, x + k * share.N, 0,
                                                           quantized + k * share.N) != 0;
            aside_put(&aside, overloads, static_cast<unsigned>(share.vector(k) - first));
        }
        share_store(share, job.decoded, job.batch, quantized);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < aside.total; i += blockDim.x) {
        float x[8], quantized[8] = {};
        vector_load<KIND>(job.x, first + aside.number[i], x);
        kg_lattice_quantize_from(KIND, &job.plan, 1, x, quantized);
        vector_store<KIND>(job.decoded, first + aside.number[i], quantized);
    }
}

/* --- The host's side -------------------------------------------------------------------------- */
typedef void kernel_function(const struct job job);

/* Puts the kernel of this lattice on the stream, with the shares of at least `threads` threads, in
 * up to chunks_most chunks per block. */
static void launch(const struct kg_lattice *lattice, kernel_function *const kernels[],
                   size_t threads, unsigned chunks_most)
{
    const unsigned block =
        WARP * kg_device_flight(threads, WARP, THREADS / WARP, lattice->processors);
    const unsigned chunks = kg_device_flight(threads, block, chunks_most, lattice->processors);
    const size_t blocks = (threads + block * chunks - 1) / (block * chunks);
    const struct job job = {lattice->x,     lattice->codes, lattice->counts, lattice->decoded,
                            lattice->batch, chunks,         lattice->plan};
    kernel_function *const kernel = kernels[lattice->kind];
    KG_LAUNCH(kernel, static_cast<unsigned>(blocks), block, 0, lattice->stream, job);
}

#define KERNELS(function)                                                                          \
    static kernel_function *const function##_kernels[] = {                                         \
        function<KG_LATTICE_Z2>, function<KG_LATTICE_D4>, function<KG_LATTICE_E8>}

KERNELS(encode_plain);
KERNELS(decode_plain);
KERNELS(quantize_plain);
KERNELS(encode_fast);
KERNELS(decode_fast);
KERNELS(quantize_fused);

/* Threads of the fast versions: whole warps' shares. */
static size_t threads_fast(const struct kg_lattice *lattice)
{
    return lattice->kind == KG_LATTICE_Z2 ? (lattice->batch + 1) / 2
                                          : (lattice->batch + WARP - 1) / WARP * WARP;
}

extern "C" void kg_lattice_encode_cuda_plain(struct kg_lattice *lattice)
{
    launch(lattice, encode_plain_kernels, (lattice->batch + 1) / 2, 1);
}

extern "C" void kg_lattice_decode_cuda_plain(struct kg_lattice *lattice)
{
    launch(lattice, decode_plain_kernels, lattice->batch, 1);
}

extern "C" void kg_lattice_quantize_cuda_plain(struct kg_lattice *lattice)
{
    launch(lattice, quantize_plain_kernels, lattice->batch, 1);
}

extern "C" void kg_lattice_encode_cuda_fast(struct kg_lattice *lattice)
{
    launch(lattice, encode_fast_kernels, threads_fast(lattice), CHUNKS);
}

extern "C" void kg_lattice_decode_cuda_fast(struct kg_lattice *lattice)
{
    launch(lattice, decode_fast_kernels, threads_fast(lattice), 1);
}

extern "C" void kg_lattice_quantize_cuda_separate(struct kg_lattice *lattice)
{
    kg_lattice_encode_cuda_fast(lattice);
    kg_lattice_decode_cuda_fast(lattice);
}

extern "C" void kg_lattice_quantize_cuda_fused(struct kg_lattice *lattice)
{
    launch(lattice, quantize_fused_kernels, threads_fast(lattice), CHUNKS);
}
