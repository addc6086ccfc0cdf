/* launch.cuh: the one include of every .cu file of the kernels. A launch is a macro. So the host's
 * compiler can compile the same files, after the emulator of a block's threads. They then run
 * without a GPU and under the sanitizers. Such a build defines KGATE_EMULATE_CUDA and includes the
 * emulator first (tests/cuda/CMakeLists.txt). */
#pragma once

#ifndef KGATE_EMULATE_CUDA
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

/* grid and block are dim3 or a number. */
#define KG_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
    kernel<<<(grid), (block), (shared_bytes), (cudaStream_t)(stream)>>>(__VA_ARGS__)

#ifdef KGATE_RACE_DELAYS
/* For builds that find races (tests/gpu/repeats.c): before each barrier and wait, a warp sleeps for
 * up to two microseconds, at random by its clock. All lanes sleep together: they read the same
 * clock, and no branch is taken. */
static __device__ __forceinline__ void kg_race_delay()
{
    uint32_t chance = (uint32_t)clock() + threadIdx.x / 32 * 0x9e3779b9U + blockIdx.x;
    chance = (chance ^ chance >> 15) * 0x2c1b3c6dU;
    chance = (chance ^ chance >> 12) * 0x297a2d39U;
    __nanosleep((chance ^ chance >> 15) % 2048);
}
#define __syncthreads() (kg_race_delay(), __syncthreads())
#else
static __device__ __forceinline__ void kg_race_delay()
{
}
#endif

/* A kernel in clusters of `blocks` blocks, on devices with clusters; an attribute tells CUDA. The
 * grid is a multiple of `blocks`. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define KG_CLUSTER(blocks)
#else
#define KG_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#endif
#define KG_LAUNCH_CLUSTERS(kernel, cluster, grid, block, shared_bytes, stream, ...)                \
    KG_LAUNCH(kernel, grid, block, shared_bytes, stream, __VA_ARGS__)

/* Shared memory as an array of `type`, aligned to 128 bytes; the launch sets its size. */
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(128) unsigned char kg_dynamic_shared[];                            \
    type *name = reinterpret_cast<type *>(kg_dynamic_shared)
#endif
