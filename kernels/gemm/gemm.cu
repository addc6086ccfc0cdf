/* The GPU's versions in float. Extents are below 2^31 (gemm.c allows 10^6), offsets may be above.
 */
#include "common/launch.cuh"
#include "gemm/gemm.h"

struct problem {
    const float *a;
    const float *b;
    float *c;
    int m;
    int n;
    int k;
};

static struct problem problem_of(const struct kg_gemm *gemm)
{
    return {(const float *)gemm->device.a,
            (const float *)gemm->device.b,
            gemm->device.c,
            (int)gemm->m,
            (int)gemm->n,
            (int)gemm->k};
}

static int blocks_for(size_t extent, int tile)
{
    return (int)((extent + (size_t)tile - 1) / (size_t)tile);
}

/* 0 naive: the definition, a thread for each element of C. A warp reads a row of B together and one
 * element of A; every element comes from the caches k times over. Rows are the grid's x: its y is
 * at most 65535. */
enum { NAIVE_ROWS = 8, NAIVE_COLUMNS = 32 };

static __global__ void __launch_bounds__(NAIVE_ROWS *NAIVE_COLUMNS) naive(struct problem p)
{
    const int row = (int)(blockIdx.x * NAIVE_ROWS + threadIdx.y);
    const int column = (int)(blockIdx.y * NAIVE_COLUMNS + threadIdx.x);
    if (row >= p.m || column >= p.n)
        return;
    const float *a = p.a + (size_t)row * (size_t)p.k;
    const float *b = p.b + column;
    float sum = 0;
    for (int l = 0; l < p.k; l++, b += p.n)
        sum += a[l] * *b;
    p.c[(size_t)row * (size_t)p.n + (size_t)column] = sum;
}

extern "C" void kg_gemm_cuda_naive(struct kg_gemm *gemm)
{
    const dim3 grid((unsigned)blocks_for(gemm->m, NAIVE_ROWS),
                    (unsigned)blocks_for(gemm->n, NAIVE_COLUMNS));
    const dim3 block(NAIVE_COLUMNS, NAIVE_ROWS);
    KG_LAUNCH(naive, grid, block, 0, gemm->device.stream, problem_of(gemm));
}

/* 1 tiled: a block makes TILE by TILE elements of C from strips of A and B in shared memory, so
 * that global memory is read TILE times less; a thread makes 8 by 8 of them in registers, so that
 * shared memory is read 8 times less, in vectors of four. Two strips of DEPTH: while one is
 * multiplied, the next is on its way from global memory in registers, and one barrier a strip is
 * enough. */
enum { TILE = 128, DEPTH = 16, TILED_THREADS = 256, VECTOR = 4 };
enum { VECTORS = TILE * DEPTH / VECTOR / TILED_THREADS }; /* of A and of B, for each thread */

struct strips {
    float a[2][DEPTH][TILE]; /* transposed, and permuted by a_place */
    float b[2][DEPTH][TILE];
};

/* Where row `row` of A lies in line l of its strip. A warp stores 8 rows by 4 vectors along l: the
 * permutation moves the four, which would meet in the same banks, 8 banks apart. It keeps vectors
 * of four rows whole. */
static __device__ __forceinline__ int a_place(int l, int row)
{
    return row ^ (l / VECTOR % 4 * 8);
}

/* Elements at `x`, the first `count` of four, zeros after them. `wide`: rows begin at multiples of
 * 16 bytes, hence four are there or none. */
template <bool wide> static __device__ __forceinline__ float4 vector_load(const float *x, int count)
{
    if constexpr (wide)
        return count > 0 ? *reinterpret_cast<const float4 *>(x) : make_float4(0, 0, 0, 0);
    else
        return make_float4(count > 0 ? x[0] : 0, count > 1 ? x[1] : 0, count > 2 ? x[2] : 0,
                           count > 3 ? x[3] : 0);
}

/* What one thread brings from global memory: its vectors of A's and of B's next strip. */
struct luggage {
    float4 a[VECTORS];
    float4 b[VECTORS];
};

/* Where a thread's first vectors of the next strip are, and how far that is from the last row of A
 * and column of B; its other vectors are A_STEP rows of A and B_STEP rows of B further down. */
enum { A_STEP = TILED_THREADS * VECTOR / DEPTH, B_STEP = TILED_THREADS * VECTOR / TILE };

struct source {
    const float *a;
    const float *b;
    int a_rows;
    int b_columns;
};

static __device__ __forceinline__ struct source source_of(const struct problem &p, int row0,
                                                          int column0)
{
    const int thread = (int)threadIdx.x;
    const int row = row0 + thread / (DEPTH / VECTOR), l = thread % (DEPTH / VECTOR) * VECTOR;
    const int line = thread / (TILE / VECTOR), column = column0 + thread % (TILE / VECTOR) * VECTOR;
    return {p.a + (size_t)row * (size_t)p.k + (size_t)l,
            p.b + (size_t)line * (size_t)p.n + (size_t)column, p.m - row, p.n - column};
}

template <bool wide>
static __device__ __forceinline__ void strip_fetch(const struct problem &p, int l0,
                                                   struct source *source, struct luggage *luggage)
{
    const int thread = (int)threadIdx.x;
    const int a_depth = p.k - l0 - thread % (DEPTH / VECTOR) * VECTOR;
    const int b_depth = p.k - l0 - thread / (TILE / VECTOR);
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        luggage->a[i] = vector_load<wide>(source->a + (size_t)(i * A_STEP) * (size_t)p.k,
                                          i * A_STEP < source->a_rows ? a_depth : 0);
        luggage->b[i] = vector_load<wide>(source->b + (size_t)(i * B_STEP) * (size_t)p.n,
                                          i * B_STEP < b_depth ? source->b_columns : 0);
    }
    source->a += DEPTH;
    source->b += (size_t)DEPTH * (size_t)p.n;
}

static __device__ __forceinline__ void strip_store(struct strips *strips, int buffer,
                                                   const struct luggage &luggage)
{
    const int thread = (int)threadIdx.x;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const int at = thread + i * TILED_THREADS;
        const int row = at / (DEPTH / VECTOR), l = at % (DEPTH / VECTOR) * VECTOR;
        const float4 a = luggage.a[i];
        strips->a[buffer][l][a_place(l, row)] = a.x;
        strips->a[buffer][l + 1][a_place(l, row)] = a.y;
        strips->a[buffer][l + 2][a_place(l, row)] = a.z;
        strips->a[buffer][l + 3][a_place(l, row)] = a.w;
        *reinterpret_cast<float4 *>(
            &strips->b[buffer][at / (TILE / VECTOR)][at % (TILE / VECTOR) * VECTOR]) = luggage.b[i];
    }
}

/* Where a thread's elements are: 2 by 2 squares of 4 by 4, from `row` and `column`, 16 rows and 32
 * columns apart. A warp makes 32 by 64: it reads 4 different vectors of A's strip and 8 of B's, no
 * bank twice. */
struct place {
    int row;
    int column;
};

static __device__ __forceinline__ struct place place_of(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    return {warp / 2 * 32 + lane / 8 * 4, warp % 2 * 64 + lane % 8 * 4};
}

static __device__ __forceinline__ void vector_read(float x[4], const float *shared)
{
    const float4 v = *reinterpret_cast<const float4 *>(shared);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}

static __device__ __forceinline__ void strip_multiply(const struct strips *strips, int buffer,
                                                      struct place place, float sum[8][8])
{
#pragma unroll
    for (int l = 0; l < DEPTH; l++) {
        float a[8], b[8];
        vector_read(a, &strips->a[buffer][l][a_place(l, place.row)]);
        vector_read(a + 4, &strips->a[buffer][l][a_place(l, place.row + 16)]);
        vector_read(b, &strips->b[buffer][l][place.column]);
        vector_read(b + 4, &strips->b[buffer][l][place.column + 32]);
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[i][j] += a[i] * b[j];
    }
}

/* Four elements of a row of C, as many as there are columns. */
template <bool wide>
static __device__ __forceinline__ void vector_write(float *c, const float x[4], int count)
{
    if constexpr (wide) {
        if (count > 0)
            *reinterpret_cast<float4 *>(c) = make_float4(x[0], x[1], x[2], x[3]);
    } else {
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (j < count)
                c[j] = x[j];
    }
}

template <bool wide>
static __device__ __forceinline__ void tile_write(const struct problem &p, int row0, int column0,
                                                  const float sum[8][8])
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = row0 + i / 4 * 16 + i % 4;
        if (row >= p.m)
            continue;
        float *c = p.c + (size_t)row * (size_t)p.n;
        vector_write<wide>(c + column0, sum[i], p.n - column0);
        vector_write<wide>(c + column0 + 32, sum[i] + 4, p.n - column0 - 32);
    }
}

template <bool wide>
static __global__ void __launch_bounds__(TILED_THREADS, wide ? 2 : 1) tiled(struct problem p)
{
    __shared__ struct strips strips;
    const int row0 = (int)blockIdx.x * TILE, column0 = (int)blockIdx.y * TILE;
    const struct place place = place_of((int)threadIdx.x);
    float sum[8][8] = {};
    struct source source = source_of(p, row0, column0);
    struct luggage luggage;
    strip_fetch<wide>(p, 0, &source, &luggage);
    strip_store(&strips, 0, luggage);
    __syncthreads();
    int buffer = 0;
    for (int l0 = DEPTH; l0 < p.k; l0 += DEPTH, buffer ^= 1) {
        strip_fetch<wide>(p, l0, &source, &luggage);
        strip_multiply(&strips, buffer, place, sum);
        strip_store(&strips, buffer ^ 1, luggage);
        __syncthreads();
    }
    strip_multiply(&strips, buffer, place, sum);
    tile_write<wide>(p, row0 + place.row, column0 + place.column, sum);
}

extern "C" void kg_gemm_cuda_tiled(struct kg_gemm *gemm)
{
    const dim3 grid((unsigned)blocks_for(gemm->m, TILE), (unsigned)blocks_for(gemm->n, TILE));
    if (gemm->k % VECTOR == 0 && gemm->n % VECTOR == 0)
        KG_LAUNCH(tiled<true>, grid, TILED_THREADS, 0, gemm->device.stream, problem_of(gemm));
    else
        KG_LAUNCH(tiled<false>, grid, TILED_THREADS, 0, gemm->device.stream, problem_of(gemm));
}
