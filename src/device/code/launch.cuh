/* launch.cuh: the one include of every .cu of the kernels. A launch is written as a macro, so that
 * the very same files, compiled by the host's compiler after the emulator of a block's threads, run
 * without a GPU and under the sanitizers. Who compiles them so defines KGATE_EMULATE_CUDA and puts
 * the emulator in front (tests/cuda/CMakeLists.txt). */
#pragma once

#ifndef KGATE_EMULATE_CUDA
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

/* grid and block are dim3 or a number. */
#define KG_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
    kernel<<<(grid), (block), (shared_bytes), (cudaStream_t)(stream)>>>(__VA_ARGS__)

#ifdef KGATE_RACE_DELAYS
/* For a build that looks for races (tests/gpu/repeats.c): a warp sleeps for up to two microseconds,
 * by its clock at random, before each barrier and wait. All its lanes do together: they read the
 * same clock, and no branch is taken. */
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

/* A kernel in clusters of so many blocks, which an attribute of its tells CUDA, where devices have
 * clusters; the grid is a multiple of it. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define KG_CLUSTER(blocks)
#else
#define KG_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#endif
#define KG_LAUNCH_CLUSTERS(kernel, cluster, grid, block, shared_bytes, stream, ...)                \
    KG_LAUNCH(kernel, grid, block, shared_bytes, stream, __VA_ARGS__)

/* Shared memory whose size the launch says, as an array of `type`, aligned to 128 bytes. */
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(128) unsigned char kg_dynamic_shared[];                            \
    type *name = reinterpret_cast<type *>(kg_dynamic_shared)
#endif
