/* bfs.cuh: common code of the GPU's versions. For .cu files. */
#pragma once
#include "bfs/bfs.h"
#include "device/code/launch.cuh"

enum { KG_BFS_UNREACHED = -1, KG_BFS_BLOCK = 256 };

/* Number of blocks for n threads. The limit fills a large GPU a few times over; the kernels' loops
 * do the rest. */
static inline unsigned kg_bfs_grid(size_t n, unsigned block)
{
    const size_t blocks = (n + block - 1) / block, most = (1U << 20) / block;
    return (unsigned)(blocks < most ? blocks : most);
}

static __device__ inline size_t kg_bfs_thread()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ inline size_t kg_bfs_threads()
{
    return (size_t)gridDim.x * blockDim.x;
}

/* pair[i], which as an index would put the pair into local memory. */
static __device__ inline uint32_t *kg_bfs_one_of(uint32_t *const pair[2], uint32_t i)
{
    return i ? pair[1] : pair[0];
}

/* Resets the state to that before the first level: only vertex 0 is reached, and it is the
 * frontier. */
void kg_bfs_launch_begin(const struct kg_bfs_device *device);
