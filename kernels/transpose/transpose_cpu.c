#include "transpose/transpose.h"

#include "common/streaming.h"

/* A block of A: one whole cache line per row. In B, four whole lines per row. */
enum { ROWS = 64, COLS = KG_LINE_FLOATS, TILE = 8 };

/* 0 plain: row by row. Every write goes to another cache line, and for a large matrix that line is
 * gone before its neighbour is written. */
void kg_transpose_plain(void *state)
{
    const struct kg_transpose *transpose = state;
    for (size_t i = 0; i < transpose->rows; i++)
        for (size_t j = 0; j < transpose->cols; j++)
            transpose->b[j * transpose->rows + i] = transpose->a[i * transpose->cols + j];
}

/* A tile of 8 by 8 in registers: pairs of rows are interleaved, then pairs of pairs, then halves.
 * 24 shuffles instead of 64 loads and stores of an element. */
#ifdef __AVX__
static inline void tile_transpose(const float *a, size_t a_stride, float *b, size_t b_stride)
{
    __m256 row[TILE], pair[TILE], four[TILE];
    for (size_t i = 0; i < TILE; i++)
        row[i] = _mm256_loadu_ps(a + i * a_stride);
    for (size_t i = 0; i < TILE; i += 2) {
        pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (size_t i = 0; i < TILE; i += 4)
        for (size_t k = 0; k < 2; k++) {
            four[i + 2 * k] = _mm256_shuffle_ps(pair[i + k], pair[i + k + 2], 0x44);
            four[i + 2 * k + 1] = _mm256_shuffle_ps(pair[i + k], pair[i + k + 2], 0xee);
        }
    for (size_t j = 0; j < TILE / 2; j++) {
        _mm256_storeu_ps(b + j * b_stride, _mm256_permute2f128_ps(four[j], four[j + 4], 0x20));
        _mm256_storeu_ps(b + (j + 4) * b_stride,
                         _mm256_permute2f128_ps(four[j], four[j + 4], 0x31));
    }
}
#else
static inline void tile_transpose(const float *a, size_t a_stride, float *b, size_t b_stride)
{
    for (size_t j = 0; j < TILE; j++)
        for (size_t i = 0; i < TILE; i++)
            b[j * b_stride + i] = a[i * a_stride + j];
}
#endif

/* A whole block, through a buffer in the first-level cache. Lines of B that are a power of two
 * apart would otherwise evict each other before they are complete. */
static void block_transpose(const float *restrict a, float *restrict b, size_t rows, size_t cols,
                            bool streams)
{
    _Alignas(KG_LINE_BYTES) float buffer[COLS * ROWS];
    for (size_t i = 0; i < ROWS; i += TILE)
        for (size_t j = 0; j < COLS; j += TILE)
            tile_transpose(a + i * cols + j, cols, buffer + j * ROWS + i, ROWS);
    for (size_t j = 0; j < COLS; j++)
        for (size_t i = 0; i < ROWS; i += KG_LINE_FLOATS)
            if (streams)
                kg_stream_line(b + j * rows + i, buffer + j * ROWS + i);
            else
                memcpy(b + j * rows + i, buffer + j * ROWS + i, KG_LINE_BYTES);
}

static void part_transpose(const float *restrict a, float *restrict b, size_t rows, size_t cols,
                           size_t i_end, size_t j_end)
{
    for (size_t j = 0; j < j_end; j++)
        for (size_t i = 0; i < i_end; i++)
            b[j * rows + i] = a[i * cols + j];
}

/* The edges: tiles, and parts smaller than a tile. */
static void edge_transpose(const float *restrict a, float *restrict b, size_t rows, size_t cols,
                           size_t i_end, size_t j_end)
{
    const size_t i_tiles = i_end - i_end % TILE, j_tiles = j_end - j_end % TILE;
    for (size_t j = 0; j < j_tiles; j += TILE)
        for (size_t i = 0; i < i_tiles; i += TILE)
            tile_transpose(a + i * cols + j, cols, b + j * rows + i, rows);
    part_transpose(a + i_tiles * cols, b + i_tiles, rows, cols, i_end - i_tiles, j_end);
    part_transpose(a + j_tiles, b + j_tiles * rows, rows, cols, i_tiles, j_end - j_tiles);
}

/* 1 fast: in blocks of 64 by 16, each line fetched and written once, with vectors. Each thread has
 * its own rows of blocks; the hardware prefetcher follows reads along a row. If B's rows are whole
 * lines and B is too large for the caches, blocks are written past them. */
void kg_transpose_fast(void *state)
{
    const struct kg_transpose *transpose = state;
    const size_t rows = transpose->rows, cols = transpose->cols;
    const float *a = transpose->a;
    float *b = transpose->b;
    const bool streams = rows % KG_LINE_FLOATS == 0 && kg_streams(b, rows * cols * sizeof *b);
#pragma omp parallel num_threads(transpose->call.threads)
    {
#pragma omp for collapse(2) schedule(static) nowait
        for (size_t i = 0; i < rows; i += ROWS)
            for (size_t j = 0; j < cols; j += COLS) {
                const size_t height = rows - i < ROWS ? rows - i : ROWS;
                const size_t width = cols - j < COLS ? cols - j : COLS;
                if (height == ROWS && width == COLS)
                    block_transpose(a + i * cols + j, b + j * rows + i, rows, cols, streams);
                else
                    edge_transpose(a + i * cols + j, b + j * rows + i, rows, cols, height, width);
            }
        kg_stream_end();
    }
}
