/* gemm_tiled.cuh: a tile of a float product C = A B or C = A B' by one block, the core of gemm's
 * version `tiled`. A block makes ROWS by COLUMNS elements of C from strips of A and B in shared
 * memory. So it reads global memory about 100 times less. A thread makes 8 by 8 elements in
 * registers, so it reads shared memory 8 times less, in vectors of four. There are two strips of
 * DEPTH. While one is multiplied, the next comes from global memory through registers, so one
 * barrier per strip is enough.
 *
 * A tile has 16384 elements. COLUMNS is 128, or 64 if C has at most 64 columns. */
#pragma once
#include "device/code/launch.cuh"

enum { KG_TILED_DEPTH = 16, KG_TILED_THREADS = 256, KG_TILED_VECTOR = 4 };

/* Extents are below 2^31, offsets may be above. The steps are elements from a row to the next. */
struct kg_tiled_problem {
    const float *a; /* m by k */
    const float *b; /* k by n, or n by k for A B' */
    float *c;       /* m by n */
    int m;
    int n;
    int k;
    int a_step;
    int b_step;
    int c_step;
};

/* Whether all rows begin at multiples of 16 bytes, if the matrices do, and hold whole vectors. */
static inline bool kg_tiled_wide(const struct kg_tiled_problem &p)
{
    return (p.n | p.k | p.a_step | p.b_step | p.c_step) % KG_TILED_VECTOR == 0;
}

template <int COLUMNS> struct kg_tiled {
    static constexpr int ROWS = 16384 / COLUMNS;
    static constexpr int A_VECTORS = ROWS * KG_TILED_DEPTH / KG_TILED_VECTOR / KG_TILED_THREADS;
    static constexpr int B_VECTORS = COLUMNS * KG_TILED_DEPTH / KG_TILED_VECTOR / KG_TILED_THREADS;
    /* In shared memory. A, and B of A B', are transposed, and permuted by kg_tiled_place. */
    struct strips {
        float a[2][KG_TILED_DEPTH][ROWS];
        float b[2][KG_TILED_DEPTH][COLUMNS];
    };
    /* A thread's loads from global memory: its vectors of A's and of B's next strip. */
    struct luggage {
        float4 a[A_VECTORS];
        float4 b[B_VECTORS];
    };
};

/* Place of row `row` of a matrix in line l of its transposed strip. A warp stores 8 rows by 4
 * vectors along l. Unpermuted, the four vectors would meet in the same banks; the permutation moves
 * them 8 banks apart. It keeps vectors of four rows whole. */
static __device__ __forceinline__ int kg_tiled_place(int l, int row)
{
    return row ^ (l / KG_TILED_VECTOR % 4 * 8);
}

/* The first `count` of four elements at `x`, zeros after them. `wide`: rows begin at multiples of
 * 16 bytes, so all four exist or none. */
template <bool wide>
static __device__ __forceinline__ float4 kg_tiled_load(const float *x, int count)
{
    if constexpr (wide)
        return count > 0 ? *reinterpret_cast<const float4 *>(x) : make_float4(0, 0, 0, 0);
    else
        return make_float4(count > 0 ? x[0] : 0, count > 1 ? x[1] : 0, count > 2 ? x[2] : 0,
                           count > 3 ? x[3] : 0);
}

/* A thread's first vectors of the next strip, and their distance from the last row and column. Its
 * other vectors are some rows further down. A transposed strip is read 64 rows at a time, an
 * untransposed one 1024 elements at a time. */
enum { KG_TILED_ACROSS = KG_TILED_DEPTH / KG_TILED_VECTOR }; /* vectors of a row, transposed */
enum { KG_TILED_DOWN = KG_TILED_THREADS / KG_TILED_ACROSS };

struct kg_tiled_source {
    const float *a;
    const float *b;
    int a_rows;
    int b_left; /* columns of B; for A B', its rows */
};

template <int COLUMNS, bool transposed>
static __device__ __forceinline__ struct kg_tiled_source
kg_tiled_source_of(const struct kg_tiled_problem &p, int row0, int column0)
{
    const int thread = (int)threadIdx.x;
    const int down = thread / KG_TILED_ACROSS, l = thread % KG_TILED_ACROSS * KG_TILED_VECTOR;
    const float *a = p.a + (size_t)(row0 + down) * (size_t)p.a_step + (size_t)l;
    if constexpr (transposed)
        return {a, p.b + (size_t)(column0 + down) * (size_t)p.b_step + (size_t)l, p.m - row0 - down,
                p.n - column0 - down};
    const int line = thread / (COLUMNS / KG_TILED_VECTOR);
    const int column = column0 + thread % (COLUMNS / KG_TILED_VECTOR) * KG_TILED_VECTOR;
    return {a, p.b + (size_t)line * (size_t)p.b_step + (size_t)column, p.m - row0 - down,
            p.n - column};
}

/* The strips that begin at l0 along k, of which `depth` is left. */
template <int COLUMNS, bool wide, bool transposed>
static __device__ __forceinline__ void kg_tiled_fetch(const struct kg_tiled_problem &p, int depth,
                                                      struct kg_tiled_source *source,
                                                      typename kg_tiled<COLUMNS>::luggage *luggage)
{
    constexpr int LINES = KG_TILED_THREADS * KG_TILED_VECTOR / COLUMNS;
    const int thread = (int)threadIdx.x;
    const int across = depth - thread % KG_TILED_ACROSS * KG_TILED_VECTOR;
    const int lines = depth - thread / (COLUMNS / KG_TILED_VECTOR);
#pragma unroll
    for (int i = 0; i < kg_tiled<COLUMNS>::A_VECTORS; i++)
        luggage->a[i] =
            kg_tiled_load<wide>(source->a + (size_t)(i * KG_TILED_DOWN) * (size_t)p.a_step,
                                i * KG_TILED_DOWN < source->a_rows ? across : 0);
#pragma unroll
    for (int i = 0; i < kg_tiled<COLUMNS>::B_VECTORS; i++)
        if constexpr (transposed)
            luggage->b[i] =
                kg_tiled_load<wide>(source->b + (size_t)(i * KG_TILED_DOWN) * (size_t)p.b_step,
                                    i * KG_TILED_DOWN < source->b_left ? across : 0);
        else
            luggage->b[i] = kg_tiled_load<wide>(source->b + (size_t)(i * LINES) * (size_t)p.b_step,
                                                i * LINES < lines ? source->b_left : 0);
    source->a += KG_TILED_DEPTH;
    source->b += transposed ? (size_t)KG_TILED_DEPTH : (size_t)KG_TILED_DEPTH * (size_t)p.b_step;
}

template <int WIDTH>
static __device__ __forceinline__ void kg_tiled_turn(float (*strip)[WIDTH], int i, float4 vector)
{
    const int at = (int)threadIdx.x + i * KG_TILED_THREADS;
    const int row = at / KG_TILED_ACROSS, l = at % KG_TILED_ACROSS * KG_TILED_VECTOR;
    strip[l][kg_tiled_place(l, row)] = vector.x;
    strip[l + 1][kg_tiled_place(l, row)] = vector.y;
    strip[l + 2][kg_tiled_place(l, row)] = vector.z;
    strip[l + 3][kg_tiled_place(l, row)] = vector.w;
}

template <int COLUMNS, bool transposed>
static __device__ __forceinline__ void
kg_tiled_store(typename kg_tiled<COLUMNS>::strips *strips, int buffer,
               const typename kg_tiled<COLUMNS>::luggage &luggage)
{
    constexpr int VECTORS = COLUMNS / KG_TILED_VECTOR; /* of a line */
#pragma unroll
    for (int i = 0; i < kg_tiled<COLUMNS>::A_VECTORS; i++)
        kg_tiled_turn(strips->a[buffer], i, luggage.a[i]);
#pragma unroll
    for (int i = 0; i < kg_tiled<COLUMNS>::B_VECTORS; i++) {
        const int at = (int)threadIdx.x + i * KG_TILED_THREADS;
        if constexpr (transposed)
            kg_tiled_turn(strips->b[buffer], i, luggage.b[i]);
        else
            *reinterpret_cast<float4 *>(
                &strips->b[buffer][at / VECTORS][at % VECTORS * KG_TILED_VECTOR]) = luggage.b[i];
    }
}

/* Places of a thread's elements: 2 by 2 squares of 4 by 4, 16 rows and 32 columns apart. .x is the
 * first row, .y the first column. A warp makes 32 by 64. It reads 4 different vectors of A's strip
 * and 8 of B's, no bank twice. */
template <int COLUMNS> static __device__ __forceinline__ int2 kg_tiled_mine(int thread)
{
    constexpr int WARPS = COLUMNS / 64; /* side by side */
    const int warp = thread / 32, lane = thread % 32;
    return make_int2(warp / WARPS * 32 + lane / 8 * 4, warp % WARPS * 64 + lane % 8 * 4);
}

static __device__ __forceinline__ void kg_tiled_read(float x[4], const float *shared)
{
    const float4 v = *reinterpret_cast<const float4 *>(shared);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}

template <int COLUMNS, bool transposed>
static __device__ __forceinline__ void
kg_tiled_multiply(const typename kg_tiled<COLUMNS>::strips *strips, int buffer, int2 mine,
                  float sum[8][8])
{
#pragma unroll
    for (int l = 0; l < KG_TILED_DEPTH; l++) {
        float a[8], b[8];
        const int column = transposed ? kg_tiled_place(l, mine.y) : mine.y;
        kg_tiled_read(a, &strips->a[buffer][l][kg_tiled_place(l, mine.x)]);
        kg_tiled_read(a + 4, &strips->a[buffer][l][kg_tiled_place(l, mine.x + 16)]);
        kg_tiled_read(b, &strips->b[buffer][l][column]);
        kg_tiled_read(b + 4, &strips->b[buffer][l][column + 32]);
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++)
                sum[i][j] += a[i] * b[j];
    }
}

/* Writes up to four elements of a row of C, `count` at most. */
template <bool wide>
static __device__ __forceinline__ void kg_tiled_put(float *c, const float x[4], int count)
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

/* The finish of a sum before its write: none. Other finishes take the same arguments. */
struct kg_tiled_plain {
    __device__ float operator()(float sum, int, int) const
    {
        return sum;
    }
};

template <bool wide, class Finish>
static __device__ __forceinline__ void kg_tiled_write(const struct kg_tiled_problem &p, int row0,
                                                      int column0, float sum[8][8], Finish finish)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = row0 + i / 4 * 16 + i % 4;
        if (row >= p.m)
            continue;
        float *c = p.c + (size_t)row * (size_t)p.c_step;
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum[i][j] = finish(sum[i][j], row, column0 + j / 4 * 32 + j % 4);
        kg_tiled_put<wide>(c + column0, sum[i], p.n - column0);
        kg_tiled_put<wide>(c + column0 + 32, sum[i] + 4, p.n - column0 - 32);
    }
}

/* The tile of C whose first element is at row0 and column0, finish(sum, row, column) of each. By
 * all KG_TILED_THREADS threads of a block; `wide` as kg_tiled_wide says. */
template <int COLUMNS, bool wide, bool transposed, class Finish>
static __device__ __forceinline__ void
kg_tiled_product(const struct kg_tiled_problem &p, int row0, int column0,
                 typename kg_tiled<COLUMNS>::strips *strips, Finish finish)
{
    const int2 mine = kg_tiled_mine<COLUMNS>((int)threadIdx.x);
    float sum[8][8] = {};
    struct kg_tiled_source source = kg_tiled_source_of<COLUMNS, transposed>(p, row0, column0);
    typename kg_tiled<COLUMNS>::luggage luggage;
    kg_tiled_fetch<COLUMNS, wide, transposed>(p, p.k, &source, &luggage);
    kg_tiled_store<COLUMNS, transposed>(strips, 0, luggage);
    __syncthreads();
    int buffer = 0;
    for (int l0 = KG_TILED_DEPTH; l0 < p.k; l0 += KG_TILED_DEPTH, buffer ^= 1) {
        kg_tiled_fetch<COLUMNS, wide, transposed>(p, p.k - l0, &source, &luggage);
        kg_tiled_multiply<COLUMNS, transposed>(strips, buffer, mine, sum);
        kg_tiled_store<COLUMNS, transposed>(strips, buffer ^ 1, luggage);
        __syncthreads();
    }
    kg_tiled_multiply<COLUMNS, transposed>(strips, buffer, mine, sum);
    kg_tiled_write<wide>(p, row0 + mine.x, column0 + mine.y, sum, finish);
}
