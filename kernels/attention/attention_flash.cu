/* 3 flash: FlashAttention (Dao, Fu, Ermon, Rudra and Re 2022) as version 2 arranges it (Dao 2023),
 * on tensor cores. A block takes 128 queries of a head, or 64 if 128 would give too few blocks for
 * the device. A warp takes 32 queries. The block goes through the keys by 64. The warp makes its 32
 * by 64 scores in registers, turns them into weights there, and rounds them to bfloat16. They are
 * then the left factor of the product with the values, in the layout of the instruction, and never
 * in memory. The kernel writes only H: memory is O(N), and K and V are read once for each 128
 * queries.
 *
 * The four threads that hold a query's row keep its running maximum and sum. They agree on the
 * maximum at each tile, and add their four parts of the sum at the end. A warp has 32 rows, not 16,
 * so each fragment of K and V from shared memory serves two products. With one product per
 * fragment, shared memory would be as busy as the tensor cores. Keys and values of the next tile
 * are on their way (cp.async) during the product: one barrier per tile. The kernel skips tiles
 * behind the diagonal. It masks only tiles that cross the diagonal or the end of the keys.
 *
 * Heads of at most 64 columns keep their queries in registers. Wider heads read them from shared
 * memory again with each tile, a quarter more traffic. The reason is registers: sums (32 by 128)
 * and scores (32 by 64) fill 192 of a thread's 255.
 *
 * The projections are gemm's `tensor`, the first with its result rounded to bfloat16. */
#include <cmath>

#include "attention/attention.cuh"
#include "attention/attention_flash.cuh"
#include "common/common.h"
#include "common/device.h"
#include "device/code/mma.cuh"
#include "gemm/gemm.h"

enum {
    CHUNK = KG_FLASH_CHUNK,
    STEP = 16, /* of mma along its sum */
    WARP_ROWS = 32,
    TILES_M = WARP_ROWS / 16, /* of mma, of a warp */
    TILES_KEYS = KG_FLASH_KEYS / 8
};

template <int WIDTH> static constexpr bool keeps_queries = WIDTH <= 64;

struct flash_problem {
    struct kg_attention_shape shape; /* scale is the scores' times log2(e): exponentials are powers
                                        of two */
    const uint16_t *qkv;
    uint16_t *h;
    int tiles; /* of queries, of each head */
};

/* A thread of ROWS copies the same chunk of every AT_ONCE-th line. */
template <int WIDTH, int ROWS> struct flash_copy {
    static constexpr int CHUNKS = WIDTH / CHUNK, AT_ONCE = ROWS / CHUNKS;
    static __device__ __forceinline__ int line()
    {
        return (int)threadIdx.x / CHUNKS;
    }
    static __device__ __forceinline__ int chunk()
    {
        return (int)threadIdx.x % CHUNKS;
    }
};

/* Begins to copy LINES lines. `from` is the thread's chunk of the first line; `rows` lines exist.
 * Other lines, and columns behind a line's end, become zeros: elements with weight 0 must be
 * numbers. */
template <int WIDTH, int ROWS, int LINES>
static __device__ __forceinline__ void lines_copy(const struct kg_attention_shape &shape,
                                                  uint16_t (*shared)[WIDTH], const uint16_t *from,
                                                  int rows)
{
    using copy = flash_copy<WIDTH, ROWS>;
    const int line = copy::line(), place = kg_flash_place(line, copy::chunk()) * CHUNK;
    const bool inside = copy::chunk() * CHUNK < shape.d_head;
    /* The lowest three bits of line + i are those of line or of i: no bit is set in both. */
    static_assert((copy::AT_ONCE & (copy::AT_ONCE - 1)) == 0, "AT_ONCE is a power of two");
#pragma unroll
    for (int i = 0; i < LINES; i += copy::AT_ONCE)
        kg_cp_async_16(&shared[line + i][place ^ i % 8 * CHUNK],
                       from + (size_t)i * (size_t)(3 * shape.d_model), inside && line + i < rows);
}

/* Begins to copy a tile of keys and values with `rows` lines; `from` points to the queries. */
template <int WIDTH, int ROWS>
static __device__ __forceinline__ void slot_copy(const struct kg_attention_shape &shape,
                                                 struct kg_flash_slot<WIDTH> *slot,
                                                 const uint16_t *from, int rows)
{
    lines_copy<WIDTH, ROWS, KG_FLASH_KEYS>(shape, slot->k, from + shape.d_model, rows);
    lines_copy<WIDTH, ROWS, KG_FLASH_KEYS>(shape, slot->v, from + 2 * (size_t)shape.d_model, rows);
}

/* Lane i gives the address of line i % 8 of matrix i / 8, as kg_ldmatrix_x4 wants it. Of Q the
 * matrices are 16 rows' upper and lower eight, then the same of the next eight columns. */
template <int WIDTH, int ROWS>
static __device__ __forceinline__ void
queries_read(const struct kg_flash_shared<WIDTH, ROWS> *shared, int step, uint32_t a[TILES_M][4])
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int line = lane % 16, chunk = kg_flash_place(line, lane / 16) ^ step * 2;
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
        kg_ldmatrix_x4(a[i], &shared->q[warp * WARP_ROWS + i * 16 + line][chunk * CHUNK]);
}

/* Scores of the warp's queries against a tile's keys, unscaled. K in memory is B by columns. For 16
 * keys the matrices are: the upper eight's first and next eight columns, then the lower eight's. */
template <int WIDTH, int ROWS>
static __device__ __forceinline__ void
scores_make(const struct kg_flash_shared<WIDTH, ROWS> *shared,
            const struct kg_flash_slot<WIDTH> *slot, const uint32_t (*kept)[TILES_M][4],
            float s[TILES_M][TILES_KEYS][4])
{
    const int lane = (int)threadIdx.x % 32, line = lane / 16 * 8 + lane % 8;
#pragma unroll
    for (int step = 0; step < WIDTH / STEP; step++) {
        uint32_t read[TILES_M][4];
        const int chunk = kg_flash_place(line, lane / 8 % 2) ^ step * 2;
        if constexpr (!keeps_queries<WIDTH>)
            queries_read(shared, step, read);
        const uint32_t(*a)[4] = keeps_queries<WIDTH> ? kept[step] : read;
#pragma unroll
        for (int j = 0; j < TILES_KEYS / 2; j++) {
            uint32_t b[4];
            kg_ldmatrix_x4(b, &slot->k[j * 16 + line][chunk * CHUNK]);
#pragma unroll
            for (int i = 0; i < TILES_M; i++) {
                kg_mma_bf16_16x8x16(s[i][2 * j], a[i], b);
                kg_mma_bf16_16x8x16(s[i][2 * j + 1], a[i], b + 2);
            }
        }
    }
}

/* A thread has elements e = 0 … 3 of each 16 by 8 tile. Rows: lane / 4, and 8 further from e = 2
 * on. Columns: lane % 4 * 2 and the next. The thread's first row is `row`, its first key `key`. */
static __device__ __forceinline__ void scores_mask(const struct kg_attention_shape &shape, int row,
                                                   int key, float s[TILES_M][TILES_KEYS][4])
{
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int query = row + i * 16 + e / 2 * 8;
            const int end = shape.causal ? min(query + 1, shape.seq_len) : shape.seq_len;
#pragma unroll
            for (int j = 0; j < TILES_KEYS; j++)
                if (key + j * 8 + e % 2 >= end)
                    s[i][j][e] = -INFINITY;
        }
}

/* The running state of the warp's queries. Each of a row's four threads has a part of its sum. */
template <int WIDTH> struct flash_state {
    float out[TILES_M][WIDTH / 8][4];
    float largest[TILES_M][2];
    float sum[TILES_M][2];
};

static __device__ __forceinline__ float row_largest(float largest)
{
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 1));
    return fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 2));
}

/* Turns scores into weights relative to the new maximum, and corrects the sums relative to the old
 * one. Before the first tile the maximum is -infinity, so the correction is 0. Every query sees key
 * 0 in the first tile, so the maximum is finite afterwards. */
template <int WIDTH>
static __device__ __forceinline__ void weights_make(float scale, struct flash_state<WIDTH> &state,
                                                    float s[TILES_M][TILES_KEYS][4])
{
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            float largest = state.largest[i][half], sum = 0;
#pragma unroll
            for (int j = 0; j < TILES_KEYS; j++)
                largest = fmaxf(largest, fmaxf(s[i][j][half * 2], s[i][j][half * 2 + 1]));
            largest = row_largest(largest);
            const float correction = kg_power_of_two((state.largest[i][half] - largest) * scale);
            const float offset = largest * scale;
#pragma unroll
            for (int j = 0; j < TILES_KEYS; j++)
#pragma unroll
                for (int e = half * 2; e < half * 2 + 2; e++) {
                    s[i][j][e] = kg_power_of_two(s[i][j][e] * scale - offset);
                    sum += s[i][j][e];
                }
#pragma unroll
            for (int j = 0; j < WIDTH / 8; j++) {
                state.out[i][j][half * 2] *= correction;
                state.out[i][j][half * 2 + 1] *= correction;
            }
            state.sum[i][half] = state.sum[i][half] * correction + sum;
            state.largest[i][half] = largest;
        }
}

/* Adds the weighted values. Two tiles of weights (C, 16 by 8) form one A (16 by 16) in the same
 * threads. V is read transposed: the matrices are the upper and lower eight of 16 keys, then the
 * next eight columns. */
template <int WIDTH>
static __device__ __forceinline__ void values_add(const struct kg_flash_slot<WIDTH> *slot,
                                                  const float s[TILES_M][TILES_KEYS][4],
                                                  struct flash_state<WIDTH> &state)
{
    const int lane = (int)threadIdx.x % 32, line = lane % 16;
    const int chunk = kg_flash_place(line, lane / 16);
#pragma unroll
    for (int step = 0; step < KG_FLASH_KEYS / STEP; step++) {
        uint32_t a[TILES_M][4];
#pragma unroll
        for (int i = 0; i < TILES_M; i++)
#pragma unroll
            for (int part = 0; part < 4; part++) {
                const float *pair = s[i][step * 2 + part / 2] + part % 2 * 2;
                a[i][part] = kg_bf16_pair(pair[0], pair[1]);
            }
#pragma unroll
        for (int j = 0; j < WIDTH / 16; j++) {
            uint32_t b[4];
            kg_ldmatrix_x4_trans(b, &slot->v[step * STEP + line][(chunk ^ j * 2) * CHUNK]);
#pragma unroll
            for (int i = 0; i < TILES_M; i++) {
                kg_mma_bf16_16x8x16(state.out[i][2 * j], a[i], b);
                kg_mma_bf16_16x8x16(state.out[i][2 * j + 1], a[i], b + 2);
            }
        }
    }
}

/* `h` is the head's first element, `row` the thread's first row. */
template <int WIDTH>
static __device__ __forceinline__ void rows_write(const struct kg_attention_shape &shape,
                                                  uint16_t *h, int row,
                                                  const struct flash_state<WIDTH> &state)
{
    const int column = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int query = row + i * 16 + half * 8;
            float sum = state.sum[i][half];
            sum += __shfl_xor_sync(0xffffffffU, sum, 1);
            sum += __shfl_xor_sync(0xffffffffU, sum, 2);
            if (query >= shape.seq_len)
                continue;
            /* One division for a row: each is some ten instructions and may call a subroutine. */
            const float inverse = 1.0F / sum;
            uint16_t *to = h + (size_t)query * (size_t)shape.d_model;
#pragma unroll
            for (int j = 0; j < WIDTH / 8; j++)
                if (j * 8 < shape.d_head)
                    *reinterpret_cast<uint32_t *>(to + j * 8 + column) =
                        kg_bf16_pair(state.out[i][j][half * 2] * inverse,
                                     state.out[i][j][half * 2 + 1] * inverse);
        }
}

/* Brings the block's queries and the first tile of keys. kept: the warp's queries in registers, if
 * narrow. */
template <int WIDTH, int ROWS>
static __device__ __forceinline__ void
queries_fetch(const struct kg_attention_shape &shape, struct kg_flash_shared<WIDTH, ROWS> *shared,
              const uint16_t *from, int first, uint32_t (*kept)[TILES_M][4])
{
    lines_copy<WIDTH, ROWS, ROWS>(shape, shared->q,
                                  from + (size_t)first * (size_t)(3 * shape.d_model),
                                  shape.seq_len - first);
    kg_cp_async_commit();
    slot_copy<WIDTH, ROWS>(shape, &shared->slots[0], from, shape.seq_len);
    kg_cp_async_commit();
    if constexpr (keeps_queries<WIDTH>) {
        kg_cp_async_wait<1>();
        __syncthreads();
#pragma unroll
        for (int step = 0; step < WIDTH / STEP; step++)
            queries_read(shared, step, kept[step]);
    }
}

/* At the top of the loop only this tile's copies are on their way. After the barrier they are
 * visible to all threads, and no thread reads the other slot any more. */
template <int WIDTH, int ROWS>
static __global__ void __launch_bounds__(ROWS) flash(struct flash_problem p)
{
    using shared_type = struct kg_flash_shared<WIDTH, ROWS>;
    using copy = flash_copy<WIDTH, ROWS>;
    KG_DYNAMIC_SHARED(shared_type, shared);
    const struct kg_attention_shape &shape = p.shape;
    const int2 block = kg_flash_block(p.tiles, (int)gridDim.x, shape.causal, (int)blockIdx.x);
    const int first = block.y * ROWS, lane = (int)threadIdx.x % 32;
    const int row = first + (int)threadIdx.x / 32 * WARP_ROWS; /* of the warp */
    const int end = shape.causal ? min(first + ROWS, shape.seq_len) : shape.seq_len;
    const int seen = min(shape.causal ? row + 1 : shape.seq_len, shape.seq_len);
    const uint16_t *from = kg_head_qkv(shape, p.qkv, block.x) +
                           (size_t)copy::line() * (size_t)(3 * shape.d_model) +
                           copy::chunk() * CHUNK;
    uint32_t kept[keeps_queries<WIDTH> ? WIDTH / STEP : 1][TILES_M][4];
    flash_state<WIDTH> state = {};
#pragma unroll
    for (int i = 0; i < TILES_M; i++)
        state.largest[i][0] = state.largest[i][1] = -INFINITY;
    queries_fetch(shape, shared, from, first, kept);
    for (int key = 0; key < end; key += KG_FLASH_KEYS) {
        struct kg_flash_slot<WIDTH> *now = &shared->slots[key / KG_FLASH_KEYS % 2];
        from += (size_t)KG_FLASH_KEYS * (size_t)(3 * shape.d_model);
        kg_cp_async_wait<0>();
        __syncthreads();
        if (key + KG_FLASH_KEYS < end)
            slot_copy<WIDTH, ROWS>(shape, &shared->slots[(key / KG_FLASH_KEYS + 1) % 2], from,
                                   shape.seq_len - key - KG_FLASH_KEYS);
        kg_cp_async_commit();
        if (key >= seen + WARP_ROWS - 1)
            continue; /* the warp's queries see none of these */
        float s[TILES_M][TILES_KEYS][4] = {};
        scores_make(shared, now, kept, s);
        if (key + KG_FLASH_KEYS > seen)
            scores_mask(shape, row + lane / 4, key + lane % 4 * 2, s);
        weights_make(shape.scale, state, s);
        values_add(now, s, state);
    }
    rows_write(shape, kg_head_h(shape, p.h, block.x), row + lane / 4, state);
}

/* d_head to the width of the tiles that hold it, with many queries a block and with few. */
struct plan {
    int width;
    int rows;
    void (*kernel)(struct flash_problem p);
    size_t shared_bytes;
};
#define PLAN(width, rows)                                                                          \
    {                                                                                              \
        width, rows, flash<width, rows>, sizeof(struct kg_flash_shared<width, rows>)               \
    }
static const struct plan plans[][2] = {
    {PLAN(64, KG_FLASH_ROWS), PLAN(64, KG_FLASH_ROWS_FEW)},
    {PLAN(KG_FLASH_WIDTH_MOST, KG_FLASH_ROWS), PLAN(KG_FLASH_WIDTH_MOST, KG_FLASH_ROWS_FEW)}};
#undef PLAN

static int tiles_for(const struct kg_attention *attention, int rows)
{
    return ((int)attention->seq_len + rows - 1) / rows;
}

/* A multiprocessor has room for two blocks of many queries. */
static const struct plan *plan_of(const struct kg_attention *attention)
{
    const int heads = kg_attention_shape_of(attention).heads;
    const int blocks = heads * tiles_for(attention, KG_FLASH_ROWS);
    const bool few = blocks < 2 * (int)attention->device.processors;
    return &plans[attention->d_head > 64][few];
}

extern "C" bool kg_attention_flash_prepare(struct kgate_context *context,
                                           struct kg_attention *attention)
{
    int device = 0, major = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    if (major < 8 || attention->d_head > KG_FLASH_WIDTH_MOST || attention->d_head % CHUNK != 0) {
        context->unavailable = true;
        return kg_kernel_refuse(context,
                                "version 'flash' needs a GPU of compute capability 8.0 or later, "
                                "and heads of a multiple of %d columns up to %d",
                                CHUNK, KG_FLASH_WIDTH_MOST);
    }
    if (!kg_device_processors(context, &attention->device.processors))
        return false;
    const struct plan *plan = plan_of(attention);
    struct kg_gemm first = kg_attention_projection(attention, false);
    struct kg_gemm last = kg_attention_projection(attention, true);
    first.device.c_bf16 = true;
    if (!kg_attention_allow(context, plan->kernel, plan->shared_bytes, "flash") ||
        !kg_gemm_tensor_prepare(context, &first) || !kg_gemm_tensor_prepare(context, &last))
        return false;
    attention->device.stages = first.device.stages;
    return true;
}

static void project(const struct kg_attention *attention, bool output)
{
    struct kg_gemm gemm = kg_attention_projection(attention, output);
    gemm.device.c_bf16 = !output;
    gemm.device.stages = attention->device.stages;
    gemm.device.processors = attention->device.processors;
    kg_gemm_cuda_tensor(&gemm);
}

static void attend(const struct kg_attention *attention)
{
    const struct plan *plan = plan_of(attention);
    struct kg_attention_shape shape = kg_attention_shape_of(attention);
    shape.scale *= 1.44269504F; /* log2(e) */
    const int tiles = tiles_for(attention, plan->rows);
    const struct flash_problem p = {shape, (const uint16_t *)attention->device.arrays.qkv,
                                    (uint16_t *)attention->device.arrays.h, tiles};
    KG_LAUNCH(plan->kernel, (unsigned)(shape.heads * tiles), (unsigned)plan->rows,
              plan->shared_bytes, attention->device.stream, p);
}

extern "C" void kg_attention_cuda_flash(struct kg_attention *attention)
{
    kg_attention_in_three(attention, project, attend);
}
