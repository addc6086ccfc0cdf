/* ceilings_wgmma.cuh: products of a warpgroup (four warps) with both operands in shared memory.
 * mma.sync cannot use the tensor cores of compute capability 9.0 in full. Part of ceilings.cu, in
 * code compiled for 9.0a alone. */
#pragma once
#include "device/code/ceilings_code.h"
#include "device/code/hopper.cuh"

#ifdef KG_HOPPER_CODE
enum {
    WGMMA_LINE_BYTES = 128,                    /* 64 elements: the unit of the swizzle */
    WGMMA_REPEAT_BYTES = 8 * WGMMA_LINE_BYTES, /* 8 lines, then the swizzle repeats */
    WGMMA_A_BYTES = 64 * WGMMA_LINE_BYTES,     /* 64 rows, 64 along k */
    WGMMA_B_BOX_BYTES = 64 * WGMMA_LINE_BYTES, /* 64 along k, 64 columns */
    WGMMA_STEP_A_BYTES = 16 * 2,               /* from one step of 16 along k to the next */
    WGMMA_STEP_B_BYTES = 16 * WGMMA_LINE_BYTES,
    WGMMA_OPERANDS_BYTES = WGMMA_A_BYTES + 256 / 64 * WGMMA_B_BOX_BYTES,
};
static_assert(WGMMA_OPERANDS_BYTES + WGMMA_REPEAT_BYTES == KG_CEILING_WGMMA_SHARED_BYTES,
              "the shared memory of a launch");
static_assert(KG_CEILING_WGMMA_STEPS == 64 / 16, "the steps of an iteration are the operands");

/* A matrix descriptor (PTX ISA 9.2, 9.7.15.5.1.2.2): start, leading and stride offset in units of
 * 16 bytes, and the swizzle of 128 bytes. A is K-major and B is N-major, like matrices from TMA. So
 * reads meet the banks of shared memory as in a real multiplication. */
static __device__ __forceinline__ uint64_t wgmma_operand(uint32_t start, uint32_t leading_bytes)
{
    return (uint64_t)(start >> 4) | (uint64_t)(leading_bytes >> 4) << 16 |
           (uint64_t)(WGMMA_REPEAT_BYTES >> 4) << 32 | UINT64_C(1) << 62;
}

/* To be called after the last wait, before any sum is read. The compiler does not know that the
 * wait concerns these registers. If code reads sums under way, the products run one at a time. */
static __device__ __forceinline__ void wgmma_settle(float sums[KG_CEILING_WGMMA_SUMS])
{
#ifndef KGATE_EMULATE_CUDA
#pragma unroll
    for (int i = 0; i < KG_CEILING_WGMMA_SUMS; i++)
        asm volatile("" : "+f"(sums[i])::"memory");
#else
    (void)sums;
#endif
}

/* Products of bf16 by wgmma. `one` holds two ones: every sum grows by exactly 16 per step. With
 * `random`, kg_ceiling_operands gives the operands. The operands are written once and stay. The
 * kernel waits for its own products alone, so it always ends. The two warpgroups of a block, as
 * many as the registers allow, alternate. While the products of one finish, the other keeps the
 * tensor cores busy. */
extern "C" __global__ void __launch_bounds__(KG_CEILING_THREADS, 1)
    kg_ceiling_wgmma(float *result, uint32_t iterations, uint32_t one, uint32_t random)
{
    KG_DYNAMIC_SHARED(unsigned char, memory);
    const uint32_t slack =
        (WGMMA_REPEAT_BYTES - kg_shared_address(memory) % WGMMA_REPEAT_BYTES) % WGMMA_REPEAT_BYTES;
    uint32_t *const words = reinterpret_cast<uint32_t *>(memory + slack);
    for (uint32_t i = threadIdx.x; i < WGMMA_OPERANDS_BYTES / 4; i += KG_CEILING_THREADS)
        words[i] = random ? kg_ceiling_operands(i) : one;
    kg_mbarrier_publish(); /* wgmma reads by the asynchronous proxy, as TMA does */
    __syncthreads();
    const uint32_t a = kg_shared_address(words), b = a + WGMMA_A_BYTES;
    float sums[KG_CEILING_WGMMA_SUMS] = {};
#pragma unroll 1
    for (uint32_t i = 0; i < iterations; i++) {
        kg_wgmma_begin();
#pragma unroll
        for (int step = 0; step < KG_CEILING_WGMMA_STEPS; step++)
            kg_wgmma_64x256x16(sums, wgmma_operand(a + step * WGMMA_STEP_A_BYTES, 16),
                               wgmma_operand(b + step * WGMMA_STEP_B_BYTES, WGMMA_B_BOX_BYTES));
        kg_wgmma_commit();
        kg_wgmma_wait<1>();
    }
    kg_wgmma_wait<0>();
    wgmma_settle(sums);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < KG_CEILING_WGMMA_SUMS; i++)
        sum += sums[i];
    result[(uint64_t)blockIdx.x * KG_CEILING_THREADS + threadIdx.x] = sum;
}
#endif
