/* launch.cuh: the one include of every .cu of the kernels. A launch is written as a macro, so that
 * the very same files, compiled by the host's compiler after the emulator of a block's threads, run
 * without a GPU and under the sanitizers. Who compiles them so defines KGATE_EMULATE_CUDA and puts
 * the emulator in front (tests/cuda/CMakeLists.txt). */
#pragma once

#ifndef KGATE_EMULATE_CUDA
#include <cuda_bf16.h>
#include <cuda_runtime.h>

/* grid and block are dim3 or a number. */
#define KG_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
    kernel<<<(grid), (block), (shared_bytes), (cudaStream_t)(stream)>>>(__VA_ARGS__)

/* Shared memory whose size the launch says, as an array of `type`, aligned to 128 bytes. */
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    extern __shared__ __align__(128) unsigned char kg_dynamic_shared[];                            \
    type *name = reinterpret_cast<type *>(kg_dynamic_shared)
#endif
