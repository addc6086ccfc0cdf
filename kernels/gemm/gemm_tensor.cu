/* 2 tensor: a warp's instruction multiplies 16 by 16 by 8 bfloat16 on tensor cores. The task is to
 * feed them. A block of 8 warps makes 128 by 256 of C, each warp 64 by 64. A larger tile per warp
 * means fewer reads of shared memory per product, and the registers of a thread hold 128 sums at
 * most. Shared memory has up to four stages of 64 along k. Copies from global memory bypass the
 * registers (cp.async) and run up to three stages ahead. This hides memory's latency, though one
 * block fills a multiprocessor. The lines are permuted so that no access meets a bank twice. The
 * fragments of the next 16 along k are read during this product, also across stages: one barrier
 * per stage of 64. If tiles of 128 rows would leave multiprocessors idle, a block makes 64 rows, a
 * warp 32.
 *
 * If k or n is not a multiple of 8, lines do not begin at multiples of 16 bytes, which cp.async
 * needs. Then threads load single elements through registers. Much slower, for completeness. */
#include "common/common.h"
#include "common/device.h"
#include "device/code/mma.cuh"
#include "gemm/gemm.h"
#include "gemm/gemm_tensor.cuh"

enum {
    CHUNK = KG_TENSOR_CHUNK,
    STEP = 16,                  /* of mma along k */
    STEPS = KG_TENSOR_K / STEP, /* in a stage */
    WARPS_M = 2,                /* the block's tile is 2 by 4 tiles of warps */
    WARP_N = 64,
    TILES_N = WARP_N / 8,                             /* of mma, in a warp's */
    A_LINES = KG_TENSOR_THREADS / KG_TENSOR_A_CHUNKS, /* that the threads copy at once */
    B_LINES = KG_TENSOR_THREADS / KG_TENSOR_B_CHUNKS,
    B_COPIES = KG_TENSOR_K / B_LINES
};

struct tensor_problem {
    const uint16_t *a;
    const uint16_t *b;
    void *c;
    int m;
    int n;
    int k;
    int tiles_m;
    int tiles_n;
};

/* A thread's copies: the first of its chunks of the next stage, in A and B. Also their distance
 * from the last row of A and the last column of B. The thread's other chunks are A_LINES and
 * B_LINES further down. */
struct tensor_source {
    const uint16_t *a;
    const uint16_t *b;
    int a_rows;
    int b_columns;
};

static __device__ __forceinline__ struct tensor_source source_of(const struct tensor_problem &p,
                                                                 int2 tile)
{
    const int thread = (int)threadIdx.x;
    const int row = tile.x + thread / KG_TENSOR_A_CHUNKS;
    const int column = tile.y + thread % KG_TENSOR_B_CHUNKS * CHUNK;
    return {p.a + (size_t)row * (size_t)p.k + (size_t)(thread % KG_TENSOR_A_CHUNKS * CHUNK),
            p.b + (size_t)(thread / KG_TENSOR_B_CHUNKS) * (size_t)p.n + (size_t)column, p.m - row,
            p.n - column};
}

/* Copies a chunk with `count` existing elements, and zeros for the others. */
template <bool wide>
static __device__ __forceinline__ void chunk_copy(uint16_t *shared, const uint16_t *global,
                                                  int count)
{
    if constexpr (wide) {
        kg_cp_async_16(shared, global, count > 0);
    } else {
        uint32_t word[CHUNK / 2];
#pragma unroll
        for (int i = 0; i < CHUNK / 2; i++) {
            word[i] = 2 * i < count ? global[2 * i] : 0;
            word[i] |= 2 * i + 1 < count ? (uint32_t)global[2 * i + 1] << 16 : 0;
        }
        *reinterpret_cast<uint4 *>(shared) = make_uint4(word[0], word[1], word[2], word[3]);
    }
}

/* Rows of a warp's tile in a block of ROWS, and tiles of mma along them. */
template <int ROWS> static constexpr int warp_m = ROWS / WARPS_M;
template <int ROWS> static constexpr int tiles_m = warp_m<ROWS> / 16;

/* Part `part` of STEPS of the copies of the stage that begins at l0 along k. */
template <int ROWS, bool wide>
static __device__ __forceinline__ void part_copy(const struct tensor_problem &p, int l0, int part,
                                                 const struct tensor_source &source,
                                                 struct kg_tensor_slot *slot)
{
    const int thread = (int)threadIdx.x;
    const int a_line = thread / KG_TENSOR_A_CHUNKS, a_chunk = thread % KG_TENSOR_A_CHUNKS;
    const int b_line = thread / KG_TENSOR_B_CHUNKS, b_chunk = thread % KG_TENSOR_B_CHUNKS;
    const int a_place = kg_tensor_place(a_line, a_chunk) * CHUNK;
    const int b_place = kg_tensor_place(b_line, b_chunk) * CHUNK;
#pragma unroll
    for (int i = part; i < ROWS / A_LINES; i += STEPS) {
        const int down = i * A_LINES;
        chunk_copy<wide>(&slot->a[a_line + down][a_place], source.a + (size_t)down * (size_t)p.k,
                         down < source.a_rows ? p.k - l0 - a_chunk * CHUNK : 0);
    }
#pragma unroll
    for (int i = 0; i < B_COPIES / STEPS; i++) {
        const int down = (part * (B_COPIES / STEPS) + i) * B_LINES;
        chunk_copy<wide>(&slot->b[b_line + down][b_place], source.b + (size_t)down * (size_t)p.n,
                         b_line + down < p.k - l0 ? source.b_columns : 0);
    }
}

static __device__ __forceinline__ void source_advance(const struct tensor_problem &p,
                                                      struct tensor_source *source)
{
    source->a += KG_TENSOR_K;
    source->b += (size_t)KG_TENSOR_K * (size_t)p.n;
}

/* A warp's factors of one step: 64 by 16 of A and 16 by 64 of B, in the layout of
 * kg_mma_bf16_16x8x16. b[j] has columns 16 j to 16 j + 15, two tiles of the instruction. */
template <int ROWS> struct fragments {
    uint32_t a[tiles_m<ROWS>][4];
    uint32_t b[TILES_N / 2][4];
};

/* Lane i gives the address of line i % 8 of matrix i / 8. Matrices of A: the upper and lower eight
 * of 16 rows, then the next eight columns. Matrices of B, read transposed: the upper and lower
 * eight of 16 lines, then the next eight columns. */
template <int ROWS>
static __device__ __forceinline__ void fragments_read(const struct kg_tensor_slot *slot, int step,
                                                      struct fragments<ROWS> *fragments)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int line = lane % 16, chunk = kg_tensor_place(line, lane / 16);
    const int a_row = warp / 4 * warp_m<ROWS> + line, b_chunk = warp % 4 * (WARP_N / CHUNK);
#pragma unroll
    for (int i = 0; i < tiles_m<ROWS>; i++)
        kg_ldmatrix_x4(fragments->a[i],
                       &slot->a[a_row + i * 16][(chunk ^ step * (STEP / CHUNK)) * CHUNK]);
#pragma unroll
    for (int j = 0; j < TILES_N / 2; j++)
        kg_ldmatrix_x4_trans(fragments->b[j],
                             &slot->b[step * STEP + line][(b_chunk + (chunk ^ j * 2)) * CHUNK]);
}

template <int ROWS>
static __device__ __forceinline__ void fragments_multiply(const struct fragments<ROWS> &fragments,
                                                          float sum[tiles_m<ROWS>][TILES_N][4])
{
#pragma unroll
    for (int i = 0; i < tiles_m<ROWS>; i++)
#pragma unroll
        for (int j = 0; j < TILES_N; j++)
            kg_mma_bf16_16x8x16(sum[i][j], fragments.a[i], fragments.b[j / 2] + j % 2 * 2);
}

/* Writes two sums to C as floats, or as bfloat16 for a next product. */
static __device__ __forceinline__ void pair_put(float *c, float x, float y)
{
    *reinterpret_cast<float2 *>(c) = make_float2(x, y);
}

static __device__ __forceinline__ void pair_put(uint16_t *c, float x, float y)
{
    *reinterpret_cast<uint32_t *>(c) = kg_bf16_pair(x, y);
}

static __device__ __forceinline__ void one_put(float *c, float x)
{
    *c = x;
}

static __device__ __forceinline__ void one_put(uint16_t *c, float x)
{
    *c = __bfloat16_as_ushort(__float2bfloat16_rn(x));
}

/* Two neighbours in a row of C. If n is even, they lie at a multiple of two elements. */
template <bool wide, class C>
static __device__ __forceinline__ void pair_write(const struct tensor_problem &p, int row,
                                                  int column, float x, float y)
{
    C *c = (C *)p.c + (size_t)row * (size_t)p.n + (size_t)column;
    if (row >= p.m || column >= p.n)
        return;
    if constexpr (wide) {
        pair_put(c, x, y);
    } else {
        one_put(c, x);
        if (column + 1 < p.n)
            one_put(c + 1, y);
    }
}

template <int ROWS, bool wide, class C>
static __device__ __forceinline__ void sums_write(const struct tensor_problem &p, int2 tile,
                                                  const float sum[tiles_m<ROWS>][TILES_N][4])
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int row0 = tile.x + warp / 4 * warp_m<ROWS> + lane / 4;
    const int column0 = tile.y + warp % 4 * WARP_N + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < tiles_m<ROWS>; i++)
#pragma unroll
        for (int j = 0; j < TILES_N; j++) {
            const float *s = sum[i][j];
            pair_write<wide, C>(p, row0 + i * 16, column0 + j * 8, s[0], s[1]);
            pair_write<wide, C>(p, row0 + i * 16 + 8, column0 + j * 8, s[2], s[3]);
        }
}

/* At the top of the loop, stage `now` has arrived for all threads, and its first fragments are in
 * registers. The later stages, except one, are on their way. The missing one goes to the slot of
 * the stage before `now`: all threads read its last fragments before the last barrier. */
template <int ROWS, int stages, bool wide, class C>
static __global__ void __launch_bounds__(KG_TENSOR_THREADS, 1) tensor(struct tensor_problem p)
{
    KG_DYNAMIC_SHARED(struct kg_tensor_slot, slots);
    const int2 tile = kg_tensor_tile(ROWS, p.tiles_m, p.tiles_n, (int)blockIdx.x);
    struct tensor_source source = source_of(p, tile);
    struct fragments<ROWS> fragments[2];
    float sum[tiles_m<ROWS>][TILES_N][4] = {};
    for (int stage = 0; stage < stages - 1; stage++, source_advance(p, &source)) {
#pragma unroll
        for (int part = 0; part < STEPS; part++)
            part_copy<ROWS, wide>(p, stage * KG_TENSOR_K, part, source, slots + stage);
        kg_cp_async_commit();
    }
    kg_cp_async_wait<stages - 2>();
    __syncthreads();
    fragments_read(slots, 0, &fragments[0]);
    int now = 0, spare = stages - 1;
    for (int l0 = 0; l0 < p.k; l0 += KG_TENSOR_K, source_advance(p, &source)) {
        const int next = now + 1 < stages ? now + 1 : 0;
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const bool last = step == STEPS - 1;
            part_copy<ROWS, wide>(p, l0 + (stages - 1) * KG_TENSOR_K, step, source, slots + spare);
            if (last) {
                kg_cp_async_commit();
                kg_cp_async_wait<stages - 2>();
                __syncthreads();
            }
            fragments_read(slots + (last ? next : now), (step + 1) % STEPS,
                           &fragments[(step + 1) % 2]);
            fragments_multiply(fragments[step % 2], sum);
        }
        spare = now;
        now = next;
    }
    kg_cp_async_wait<0>(); /* copies beyond the end, zeros */
    sums_write<ROWS, wide, C>(p, tile, sum);
}

struct plan {
    void (*kernel)(struct tensor_problem p);
    int stages;
};

/* By whether C is bfloat16, by whether tiles are small, and by stages, less KG_TENSOR_STAGES_LEAST;
 * the last is for lines that are not aligned, which have no small tiles. */
enum { MANY = KG_TENSOR_M, FEW = KG_TENSOR_M_FEW };
#define PLANS(ROWS, C)                                                                             \
    {                                                                                              \
        {tensor<ROWS, 2, true, C>, 2}, {tensor<ROWS, 3, true, C>, 3},                              \
            {tensor<ROWS, 4, true, C>, 4},                                                         \
        {                                                                                          \
            tensor<MANY, 2, false, C>, 2                                                           \
        }                                                                                          \
    }
static const struct plan plans[2][2][4] = {{PLANS(MANY, float), PLANS(FEW, float)},
                                           {PLANS(MANY, uint16_t), PLANS(FEW, uint16_t)}};
#undef PLANS

static int tiles_for(size_t extent, size_t tile)
{
    return (int)((extent + tile - 1) / tile);
}

extern "C" void kg_gemm_cuda_tensor(struct kg_gemm *gemm)
{
    const bool wide = gemm->k % CHUNK == 0 && gemm->n % CHUNK == 0;
    const int tiles_n = tiles_for(gemm->n, KG_TENSOR_N);
    const int many = tiles_for(gemm->m, MANY), few = tiles_for(gemm->m, FEW);
    const bool small =
        wide && kg_tensor_small(many * tiles_n, few * tiles_n, (int)gemm->device.processors);
    const struct plan *plan =
        &plans[gemm->device.c_bf16][small][wide ? gemm->device.stages - KG_TENSOR_STAGES_LEAST : 3];
    const struct tensor_problem p = {(const uint16_t *)gemm->device.a,
                                     (const uint16_t *)gemm->device.b,
                                     gemm->device.c,
                                     (int)gemm->m,
                                     (int)gemm->n,
                                     (int)gemm->k,
                                     small ? few : many,
                                     tiles_n};
    KG_LAUNCH(plan->kernel, (unsigned)(p.tiles_m * p.tiles_n), KG_TENSOR_THREADS,
              (size_t)plan->stages * sizeof(struct kg_tensor_slot), gemm->device.stream, p);
}

extern "C" bool kg_gemm_tensor_prepare(struct kgate_context *context, struct kg_gemm *gemm)
{
    int device = 0, major = 0, bytes = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    if (!kg_device_processors(context, &gemm->device.processors))
        return false;
    const int room = bytes / (int)sizeof(struct kg_tensor_slot);
    gemm->device.stages = room < KG_TENSOR_STAGES_MOST ? room : KG_TENSOR_STAGES_MOST;
    if (major < 8 || room < KG_TENSOR_STAGES_LEAST) {
        context->unavailable = true;
        return kg_kernel_refuse(context,
                                "version 'tensor' needs a GPU of compute capability 8.0 "
                                "or later with %zu KiB of shared memory for a block",
                                KG_TENSOR_STAGES_LEAST * sizeof(struct kg_tensor_slot) / 1024);
    }
    for (const auto &by_stages : plans[gemm->device.c_bf16])
        for (const struct plan &plan : by_stages)
            if (plan.stages <= room && status == cudaSuccess)
                status =
                    cudaFuncSetAttribute(plan.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         plan.stages * (int)sizeof(struct kg_tensor_slot));
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}
