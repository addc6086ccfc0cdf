/* mma.cuh: tensor cores of bfloat16 and the copies that feed them, each one PTX instruction of
 * sm_80 and later, named after it. Under KGATE_EMULATE_CUDA the same functions on the host, by the
 * fragment layouts of the PTX ISA 9.2, section 9.7.14.5 "Matrix multiply-accumulate operation using
 * mma instruction" (m16n8k16, floating point) and its "ldmatrix": a kernel that passes there
 * addresses the fragments as the device does.
 *
 * A bfloat16 is a uint16_t here: no arithmetic is done on one outside the tensor cores. All
 * functions of a warp are called by its 32 threads together. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

#ifndef KGATE_EMULATE_CUDA

static __device__ __forceinline__ unsigned kg_shared_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* Begins to copy 16 bytes from global to shared memory, past the first-level cache (.cg); where not
 * valid it writes zeros and reads nothing, but `global` must still be an address. Both aligned to
 * 16. */
static __device__ __forceinline__ void kg_cp_async_16(void *shared, const void *global, bool valid)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(kg_shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(valid ? 16 : 0)
                 : "memory");
}

/* What the thread began to copy since the last call is one group, also where that is nothing. */
static __device__ __forceinline__ void kg_cp_async_commit(void)
{
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

/* Waits until at most the newest `pending` groups of the thread are not complete. Others' copies
 * are seen after a __syncthreads on top. */
template <int pending> static __device__ __forceinline__ void kg_cp_async_wait(void)
{
    kg_race_delay();
    asm volatile("cp.async.wait_group %0;\n" ::"n"(pending) : "memory");
}

/* Four 8 by 8 matrices of 16-bit elements: the threads 8 i to 8 i + 7 give the addresses of matrix
 * i's rows, 16 bytes each, and word[i] is elements 2 (lane % 4) and the next
 * of its row lane / 4. */
static __device__ __forceinline__ void kg_ldmatrix_x4(uint32_t word[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(kg_shared_address(row))
                 : "memory");
}

/* The same of the matrices transposed: word[i] is elements lane / 4 of row 2 (lane % 4) and of the
 * next. */
static __device__ __forceinline__ void kg_ldmatrix_x4_trans(uint32_t word[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(kg_shared_address(row))
                 : "memory");
}

/* c += a b: a 16 by 16 by rows, b 16 by 8 by columns, c 16 by 8 in float. With group = lane / 4 and
 * pair = 2 (lane % 4), a thread holds
 *   a[0], a[1], a[2], a[3]: rows group, group + 8, group, group + 8; columns pair and pair + 1, of
 *                           the first eight in a[0] and a[1], of the last in a[2] and a[3];
 *   b[0], b[1]:             rows pair and pair + 1, and the same plus 8, of column group;
 *   c[0 … 3]:               rows group, group, group + 8, group + 8; columns
 * pair, pair + 1 twice. */
static __device__ __forceinline__ void kg_mma_bf16_16x8x16(float c[4], const uint32_t a[4],
                                                           const uint32_t b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/* Two floats as two bfloat16s, each the nearest: `low` in the lower half, the element before. */
static __device__ __forceinline__ uint32_t kg_bf16_pair(float low, float high)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return (uint32_t)__bfloat16_as_ushort(pair.x) | (uint32_t)__bfloat16_as_ushort(pair.y) << 16;
}

/* 2^x by the one instruction that there is for it, 2 ulp; 0 for -infinity. */
static __device__ __forceinline__ float kg_power_of_two(float x)
{
#ifdef KGATE_EMULATE_CUDA
    return exp2f(x);
#else
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}
