/* The GPU's versions in float. Extents are below 2^31 (gemm.c allows 10^6),
 * offsets may be above. */
#include "device/code/launch.cuh"
#include "gemm/gemm.h"
#include "gemm/gemm_tiled.cuh"

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

/* 1 tiled: tiles of 128 by 128 by way of shared memory and registers (gemm_tiled.cuh). */
enum { TILE = 128 };

template <bool wide>
static __global__ void __launch_bounds__(KG_TILED_THREADS, wide ? 2 : 1)
    tiled(struct kg_tiled_problem p)
{
    __shared__ struct kg_tiled<TILE>::strips strips;
    kg_tiled_product<TILE, wide, false>(p, (int)blockIdx.x * TILE, (int)blockIdx.y * TILE, &strips,
                                        kg_tiled_plain{});
}

extern "C" void kg_gemm_cuda_tiled(struct kg_gemm *gemm)
{
    const dim3 grid((unsigned)blocks_for(gemm->m, TILE), (unsigned)blocks_for(gemm->n, TILE));
    const struct problem p = problem_of(gemm);
    const struct kg_tiled_problem tiles = {p.a, p.b, p.c, p.m, p.n, p.k, p.k, p.n, p.n};
    if (kg_tiled_wide(tiles))
        KG_LAUNCH(tiled<true>, grid, KG_TILED_THREADS, 0, gemm->device.stream, tiles);
    else
        KG_LAUNCH(tiled<false>, grid, KG_TILED_THREADS, 0, gemm->device.stream, tiles);
}
