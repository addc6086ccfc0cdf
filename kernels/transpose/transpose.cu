#include "transpose/transpose.h"

#include "device/code/launch.cuh"

/* Floats of one access. For `tiled`: tile, rows of threads and elements per thread. For `fast`:
 * tile and threads; each thread moves four accesses, a square of 4 by 4. */
enum : unsigned {
    FLOATS = 4,
    TILE = 32,
    TILE_ROWS = 8,
    WIDE_TILE = 64,
    WIDE_VECTORS = WIDE_TILE / FLOATS,
    WIDE_THREADS = WIDE_VECTORS * WIDE_VECTORS
};

/* Parts of `size` that cover n. */
static unsigned parts(size_t n, unsigned size)
{
    return static_cast<unsigned>((n + size - 1) / size);
}

/* The grid is a row of blocks, because a matrix may have more rows of tiles than a grid may have
 * rows. Neighbouring blocks are neighbours in a row of the matrix. */
struct place {
    size_t row, col;
};
static __device__ __forceinline__ struct place block_place(size_t cols, unsigned tile_rows,
                                                           unsigned tile_cols)
{
    const unsigned across = static_cast<unsigned>((cols + tile_cols - 1) / tile_cols);
    return {static_cast<size_t>(blockIdx.x / across) * tile_rows,
            static_cast<size_t>(blockIdx.x % across) * tile_cols};
}

/* 0 plain: an element a thread. A warp reads 128 bytes in a row, but each of its writes goes to
 * another line: 32 bytes are moved for 4. */
static __global__ void transpose_plain(const float *__restrict__ a, float *__restrict__ b,
                                       size_t rows, size_t cols)
{
    const struct place place = block_place(cols, TILE_ROWS, TILE);
    const size_t i = place.row + threadIdx.y, j = place.col + threadIdx.x;
    if (i < rows && j < cols)
        b[j * rows + i] = a[i * cols + j];
}

/* 1 tiled: through a tile in shared memory, read in rows and written in columns. So warps read and
 * write 128 contiguous bytes. One unused column puts the elements of a column into different banks.
 * Each thread moves four elements: four loads in flight. */
static __global__ void __launch_bounds__(TILE *TILE_ROWS)
    transpose_tiled(const float *__restrict__ a, float *__restrict__ b, size_t rows, size_t cols)
{
    __shared__ float tile[TILE][TILE + 1];
    const struct place place = block_place(cols, TILE, TILE);
#pragma unroll
    for (unsigned k = 0; k < TILE; k += TILE_ROWS) {
        const size_t i = place.row + threadIdx.y + k, j = place.col + threadIdx.x;
        if (i < rows && j < cols)
            tile[threadIdx.y + k][threadIdx.x] = a[i * cols + j];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < TILE; k += TILE_ROWS) {
        const size_t j = place.col + threadIdx.y + k, i = place.row + threadIdx.x;
        if (i < rows && j < cols)
            b[j * rows + i] = tile[threadIdx.x][threadIdx.y + k];
    }
}

/* Place in the tile of `fast` of the vector of four rows, from row 4 * group on, of column `col`.
 * Columns follow each other. The order of the vectors in a column changes every four columns. Eight
 * lanes that access 16 bytes each are served together. So they meet all banks, both in writes (same
 * group, columns 4 apart) and in reads (same column, groups in a row). */
static __device__ __forceinline__ unsigned tile_place(unsigned col, unsigned group)
{
    return col * WIDE_VECTORS + (group ^ col / FLOATS % WIDE_VECTORS);
}

static __device__ __forceinline__ float4 column(const float4 (&row)[FLOATS], unsigned k)
{
    switch (k) {
    case 0:
        return make_float4(row[0].x, row[1].x, row[2].x, row[3].x);
    case 1:
        return make_float4(row[0].y, row[1].y, row[2].y, row[3].y);
    case 2:
        return make_float4(row[0].z, row[1].z, row[2].z, row[3].z);
    default:
        return make_float4(row[0].w, row[1].w, row[2].w, row[3].w);
    }
}

/* 2 fast: 16 bytes at once everywhere. Each thread reads a square of 4 by 4, turns it in registers
 * and puts its columns as vectors into the tile; half a warp reads, and writes, 256 bytes in a row.
 * Marked as first to be evicted, since nothing is touched twice. rows and cols are multiples of 4,
 * so a vector is within the matrix or outside. */
static __global__ void __launch_bounds__(WIDE_THREADS)
    transpose_fast(const float *__restrict__ a, float *__restrict__ b, size_t rows, size_t cols)
{
    __shared__ float4 tile[WIDE_TILE * WIDE_VECTORS];
    const struct place place = block_place(cols, WIDE_TILE, WIDE_TILE);
    const unsigned x = threadIdx.x % WIDE_VECTORS, y = threadIdx.x / WIDE_VECTORS;
    const size_t i = place.row + y * FLOATS, j = place.col + x * FLOATS;
    if (i < rows && j < cols) {
        float4 row[FLOATS];
#pragma unroll
        for (unsigned k = 0; k < FLOATS; k++)
            row[k] = __ldcs(reinterpret_cast<const float4 *>(a + (i + k) * cols + j));
#pragma unroll
        for (unsigned k = 0; k < FLOATS; k++)
            tile[tile_place(x * FLOATS + k, y)] = column(row, k);
    }
    __syncthreads();
    const size_t to = place.row + x * FLOATS;
#pragma unroll
    for (unsigned k = 0; k < FLOATS; k++) {
        const unsigned col = y + k * WIDE_VECTORS;
        if (place.col + col < cols && to < rows)
            __stcs(reinterpret_cast<float4 *>(b + (place.col + col) * rows + to),
                   tile[tile_place(col, x)]);
    }
}

extern "C" void kg_transpose_cuda_plain(void *state)
{
    const auto *transpose = static_cast<const struct kg_transpose *>(state);
    KG_LAUNCH(transpose_plain, parts(transpose->rows, TILE_ROWS) * parts(transpose->cols, TILE),
              dim3(TILE, TILE_ROWS), 0, transpose->call.stream, transpose->a, transpose->b,
              transpose->rows, transpose->cols);
}

extern "C" void kg_transpose_cuda_tiled(void *state)
{
    const auto *transpose = static_cast<const struct kg_transpose *>(state);
    KG_LAUNCH(transpose_tiled, parts(transpose->rows, TILE) * parts(transpose->cols, TILE),
              dim3(TILE, TILE_ROWS), 0, transpose->call.stream, transpose->a, transpose->b,
              transpose->rows, transpose->cols);
}

extern "C" void kg_transpose_cuda_fast(void *state)
{
    const auto *transpose = static_cast<const struct kg_transpose *>(state);
    if (transpose->rows % FLOATS || transpose->cols % FLOATS) {
        kg_transpose_cuda_tiled(state);
        return;
    }
    KG_LAUNCH(transpose_fast, parts(transpose->rows, WIDE_TILE) * parts(transpose->cols, WIDE_TILE),
              WIDE_THREADS, 0, transpose->call.stream, transpose->a, transpose->b, transpose->rows,
              transpose->cols);
}
