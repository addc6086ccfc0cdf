/* emulator.h: the part of CUDA C++ that the kernels use, on the host. So the same .cu files run
 * under the sanitizers on a machine without a GPU. src/device/code/launch.cuh includes it if
 * KGATE_EMULATE_CUDA is defined.
 *
 * Blocks run one after the other, in an order that the seed decides. Between two barriers, the
 * threads of a block also run one after the other, each on a stack of its own. So code fails here
 * if it relies on an order, on a missing barrier or on lanes in step. Shared memory is filled with
 * bytes 0xff before each block. Device memory is plain memory. The emulator refuses the same
 * launches as CUDA. If no thread of a block can continue, the process ends and prints where each
 * thread waits.
 *
 * The blocks of a cluster run at the same time, their threads in any order.
 *
 * The emulator lacks time, and more than one block or cluster at once. It also lacks races within
 * stretches between barriers, and inline PTX (src/device/code/mma.cuh has host versions of its
 * own). In templates g++ excludes `__shared__` arrays from the filled memory; clang does not. One
 * thread of the system only. */
#pragma once
#ifndef __cplusplus
#error "the emulator is C++; tests in C include cuda/emulated.h"
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>

#include "cuda/emulator_types.h"

/* --- Words of the language ----------------------------------------------------------------- */
#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define KG_CLUSTER(blocks)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("kg_shared"), aligned(16)))

/* --- The indices of a thread --------------------------------------------------------------- */
extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
constexpr int warpSize = 32;

/* --- Launches ------------------------------------------------------------------------------ */
/* Puts a launch on the stream, if CUDA would accept it: each thread of all blocks calls `body`. */
void kg_emulated_launch_put(const char *name, const void *kernel, dim3 grid, dim3 block,
                            size_t shared_bytes, cudaStream_t stream, std::function<void()> body,
                            unsigned cluster);
void *kg_emulated_dynamic_shared();
/* The shared memory of block `rank` of the cluster, and the rank of the calling thread's block. */
void *kg_emulated_dynamic_shared_of(unsigned rank);
unsigned kg_emulated_rank();

template <typename... P, typename... A>
void kg_emulated_launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
                        size_t shared_bytes, cudaStream_t stream, unsigned cluster,
                        A &&...arguments)
{
    const std::tuple<P...> copies(static_cast<P>(arguments)...);
    kg_emulated_launch_put(
        name, reinterpret_cast<const void *>(kernel), grid, block, shared_bytes, stream,
        [kernel, copies] { std::apply(kernel, copies); }, cluster);
}

#define KG_LAUNCH_CLUSTERS(kernel, cluster, grid, block, shared_bytes, stream, ...)                \
    kg_emulated_launch(#kernel, kernel, dim3(grid), dim3(block), (shared_bytes),                   \
                       (cudaStream_t)(stream), (cluster), __VA_ARGS__)
#define KG_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                  \
    KG_LAUNCH_CLUSTERS(kernel, 1, grid, block, shared_bytes, stream, __VA_ARGS__)
#define KG_DYNAMIC_SHARED(type, name)                                                              \
    type *name = reinterpret_cast<type *>(kg_emulated_dynamic_shared())

/* The order of blocks and threads from here on; the same seed gives the same order. */
void kg_emulated_seed(uint64_t seed);
/* The default stream. The emulator refuses work on a stream that was not created. */
cudaStream_t kg_emulated_stream();

/* --- Joint operations of threads -------------------------------------------------------------- */
enum kg_emulated_vote { KG_VOTE_NONE, KG_VOTE_COUNT, KG_VOTE_AND, KG_VOTE_OR, KG_VOTE_CLUSTER };
int kg_emulated_barrier(enum kg_emulated_vote vote, int predicate);

/* The lanes of `mask` meet at `where`. Each passes `bytes` bytes (at most 256) at `mine`. all_32
 * receives the bytes of all lanes, in order of lanes. A lane outside the mask, or one that has
 * ended, gives bytes 0xff. */
void kg_emulated_meet(const char *where, unsigned mask, const void *mine, size_t bytes,
                      void *all_32);
unsigned kg_emulated_lane();

/* kg_emulated_meet for the whole warp. */
static inline void kg_emulated_warp_exchange(const void *mine, size_t bytes, void *all_32)
{
    kg_emulated_meet("kg_emulated_warp_exchange", 0xffffffffU, mine, bytes, all_32);
}

static inline void __syncthreads()
{
    kg_emulated_barrier(KG_VOTE_NONE, 0);
}
static inline int __syncthreads_count(int predicate)
{
    return kg_emulated_barrier(KG_VOTE_COUNT, predicate);
}
static inline int __syncthreads_and(int predicate)
{
    return kg_emulated_barrier(KG_VOTE_AND, predicate);
}
static inline int __syncthreads_or(int predicate)
{
    return kg_emulated_barrier(KG_VOTE_OR, predicate);
}
static inline void __syncwarp(unsigned mask = 0xffffffffU)
{
    kg_emulated_meet("__syncwarp", mask, nullptr, 0, nullptr);
}

/* Reads `source`. If `source` is outside the part of `width` lanes, reads the lane's own value. */
template <typename T>
T kg_emulated_shuffle(const char *where, unsigned mask, T value, int source, int width)
{
    T all[warpSize];
    kg_emulated_meet(where, mask, &value, sizeof value, all);
    const int lane = static_cast<int>(kg_emulated_lane()), start = lane & ~(width - 1);
    return source >= start && source < start + width ? all[source] : value;
}
template <typename T> T __shfl_sync(unsigned mask, T value, int source, int width = warpSize)
{
    const int start = static_cast<int>(kg_emulated_lane()) & ~(width - 1);
    return kg_emulated_shuffle("__shfl_sync", mask, value, start + (source & (width - 1)), width);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int with, int width = warpSize)
{
    /* A lane of an earlier part may be read, one of a later part may not. */
    const int lane = static_cast<int>(kg_emulated_lane()), source = lane ^ with;
    T all[warpSize];
    kg_emulated_meet("__shfl_xor_sync", mask, &value, sizeof value, all);
    return source < (lane & ~(width - 1)) + width ? all[source & (warpSize - 1)] : value;
}
template <typename T> T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize)
{
    const int source = static_cast<int>(kg_emulated_lane() + by);
    return kg_emulated_shuffle("__shfl_down_sync", mask, value, source, width);
}
template <typename T> T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize)
{
    const int source = static_cast<int>(kg_emulated_lane()) - static_cast<int>(by);
    return kg_emulated_shuffle("__shfl_up_sync", mask, value, source, width);
}

unsigned __ballot_sync(unsigned mask, int predicate);
static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
int __all_sync(unsigned mask, int predicate);
/* Only this lane: CUDA does not promise that other lanes are in step. */
static inline unsigned __activemask()
{
    return 1U << kg_emulated_lane();
}
static inline void __threadfence()
{
}
static inline void __threadfence_block()
{
}

/* --- Atomics: one thread runs at a time
 * ------------------------------------------------------------ */
template <typename T> struct kg_emulated_same {
    typedef T type;
};
template <typename T, typename F> T kg_emulated_update(T *place, F change)
{
    const T old = *place;
    *place = change(old);
    return old;
}
#define KG_EMULATED_ATOMIC(name, result)                                                           \
    template <typename T> T name(T *place, typename kg_emulated_same<T>::type value)               \
    {                                                                                              \
        return kg_emulated_update(place, [value](T old) { return static_cast<T>(result); });       \
    }
KG_EMULATED_ATOMIC(atomicAdd, old + value)
KG_EMULATED_ATOMIC(atomicSub, old - value)
KG_EMULATED_ATOMIC(atomicMin, value < old ? value : old)
KG_EMULATED_ATOMIC(atomicMax, value > old ? value : old)
KG_EMULATED_ATOMIC(atomicOr, old | value)
KG_EMULATED_ATOMIC(atomicAnd, old &value)
KG_EMULATED_ATOMIC(atomicXor, old ^ value)
KG_EMULATED_ATOMIC(atomicExch, ((void)old, value))
KG_EMULATED_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
#undef KG_EMULATED_ATOMIC
template <typename T>
T atomicCAS(T *place, typename kg_emulated_same<T>::type expected,
            typename kg_emulated_same<T>::type value)
{
    return kg_emulated_update(place, [=](T old) { return old == expected ? value : old; });
}

#include "cuda/emulator_math.h"
#include "cuda/emulator_runtime.h"
#include "cuda/emulator_streams.h"
