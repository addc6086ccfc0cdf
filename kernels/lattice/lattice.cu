#include "lattice/lattice.h"

#include "device/code/launch.cuh"

enum : unsigned { THREADS = 128, WARP = 32, MOST = KG_LATTICE_DIMENSIONS_MOST };

/* What every kernel is handed: the arrays it needs of these, and the plan in constant memory. */
struct job {
    const float *x;
    void *codes;
    uint8_t *counts;
    float *decoded;
    size_t batch;
    struct kg_lattice_plan plan;
};

/* Blocks for n threads. */
static unsigned blocks_for(size_t n)
{
    return static_cast<unsigned>((n + THREADS - 1) / THREADS);
}

static __device__ __forceinline__ size_t thread_number()
{
    return static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
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

    __device__ __forceinline__ share()
    {
        const size_t thread = thread_number();
        base = thread / WARP * (WARP * VECTORS);
        lane = threadIdx.x % WARP;
    }

    /* The lane's vector k. */
    __device__ __forceinline__ size_t vector(unsigned k) const
    {
        return base + (KIND == KG_LATTICE_E8 ? lane / 2 + lane % 2 * 16 : lane * VECTORS + k);
    }

    /* Of 16 bytes, access `quad`: which of the array. */
    __device__ __forceinline__ size_t at(unsigned quad) const
    {
        return base * N / 4 + quad * WARP + lane;
    }
};

/* Swaps `mine` with the other lane of the pair. */
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

/* Of an odd count of Z2's vectors the last is half of 16 bytes. */
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

/* The codes of Z2's two vectors are written at once where both are there. */
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

/* The counts of vectors 2 k and 2 k + 1 make a byte: Z2's lanes have both, D4's vectors are a lane
 * apart, E8's two. All lanes call it. */
template <kg_lattice_kind KIND>
static __device__ __forceinline__ void counts_store(const struct share<KIND> &share,
                                                    const struct job &job, const unsigned *counts)
{
    const unsigned apart = KIND == KG_LATTICE_E8 ? 2 : 1;
    const size_t v = share.vector(0);
    const unsigned next =
        KIND == KG_LATTICE_Z2 ? counts[1] : __shfl_down_sync(0xffffffffU, counts[0], apart);
    if (v % 2 == 0 && v < job.batch)
        job.counts[v / 2] = static_cast<uint8_t>(counts[0] | next << 4);
}

/* --- 1 fast ----------------------------------------------------------------------------------- */
template <kg_lattice_kind KIND>
static __global__ void __launch_bounds__(THREADS)
    encode_fast(const __grid_constant__ struct job job)
{
    const struct share<KIND> share;
    float x[8];
    uint64_t codes[2] = {};
    unsigned counts[2] = {};
    share_load(share, job.x, job.batch, x);
#pragma unroll
    for (unsigned k = 0; k < share.VECTORS; k++) {
        struct kg_lattice_code code;
        counts[k] = kg_lattice_encode_one(KIND, &job.plan, x + k * share.N, &code);
        codes[k] = kg_lattice_code_join(KIND, &job.plan, code);
    }
    codes_store(share, job, codes);
    counts_store(share, job, counts);
}

template <kg_lattice_kind KIND>
static __global__ void __launch_bounds__(THREADS)
    decode_fast(const __grid_constant__ struct job job)
{
    const struct share<KIND> share;
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
    const struct share<KIND> share;
    float x[8], quantized[8];
    share_load(share, job.x, job.batch, x);
#pragma unroll
    for (unsigned k = 0; k < share.VECTORS; k++)
        kg_lattice_quantize_one(KIND, &job.plan, x + k * share.N, quantized + k * share.N);
    share_store(share, job.decoded, job.batch, quantized);
}

/* --- The host's side -------------------------------------------------------------------------- */
typedef void kernel_function(const struct job job);

/* Puts the lattice's kernel of three on the stream, with `threads` threads at the least. */
static void launch(const struct kg_lattice *lattice, kernel_function *const kernels[],
                   size_t threads)
{
    const struct job job = {lattice->x,       lattice->codes, lattice->counts,
                            lattice->decoded, lattice->batch, lattice->plan};
    kernel_function *const kernel = kernels[lattice->kind];
    KG_LAUNCH(kernel, blocks_for(threads), THREADS, 0, lattice->stream, job);
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
    launch(lattice, encode_plain_kernels, (lattice->batch + 1) / 2);
}

extern "C" void kg_lattice_decode_cuda_plain(struct kg_lattice *lattice)
{
    launch(lattice, decode_plain_kernels, lattice->batch);
}

extern "C" void kg_lattice_quantize_cuda_plain(struct kg_lattice *lattice)
{
    launch(lattice, quantize_plain_kernels, lattice->batch);
}

extern "C" void kg_lattice_encode_cuda_fast(struct kg_lattice *lattice)
{
    launch(lattice, encode_fast_kernels, threads_fast(lattice));
}

extern "C" void kg_lattice_decode_cuda_fast(struct kg_lattice *lattice)
{
    launch(lattice, decode_fast_kernels, threads_fast(lattice));
}

extern "C" void kg_lattice_quantize_cuda_separate(struct kg_lattice *lattice)
{
    kg_lattice_encode_cuda_fast(lattice);
    kg_lattice_decode_cuda_fast(lattice);
}

extern "C" void kg_lattice_quantize_cuda_fused(struct kg_lattice *lattice)
{
    launch(lattice, quantize_fused_kernels, threads_fast(lattice));
}
