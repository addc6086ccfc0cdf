/* mma.cuh: tensor cores of bfloat16 and the copies that feed them. Each function is one PTX
 * instruction of sm_80 and later, named after it. Under KGATE_EMULATE_CUDA the same functions run
 * on the host. Their fragment layouts follow the PTX ISA 9.2, section 9.7.14.5, "Matrix
 * multiply-accumulate operation using mma instruction" (m16n8k16, floating point), and "ldmatrix".
 * So a kernel that passes there addresses the fragments as the device does.
 *
 * A bfloat16 is a uint16_t here: only the tensor cores calculate with it. The 32 threads of a warp
 * call each function together. */
#pragma once
#include <stdint.h>

#include "device/code/launch.cuh"

#ifndef KGATE_EMULATE_CUDA

static __device__ __forceinline__ unsigned kg_shared_address(const void *shared)
{
    return (unsigned)__cvta_generic_to_shared(shared);
}

/* Begins to copy 16 bytes from global to shared memory, past the first-level cache (.cg). If not
 * `valid`, the copy writes zeros and reads nothing, but `global` must still be an address. Both
 * addresses are aligned to 16. */
static __device__ __forceinline__ void kg_cp_async_16(void *shared, const void *global, bool valid)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(kg_shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(valid ? 16 : 0)
                 : "memory");
}

/* Makes a group of all copies that the thread began since the last call; the group may be empty. */
static __device__ __forceinline__ void kg_cp_async_commit(void)
{
    asm volatile("cp.async.commit_group;\n" ::: "memory");
}

/* Waits until at most the newest `pending` groups of the thread are incomplete. To see copies of
 * other threads, the caller also needs __syncthreads. */
template <int pending> static __device__ __forceinline__ void kg_cp_async_wait(void)
{
    kg_race_delay();
    asm volatile("cp.async.wait_group %0;\n" ::"n"(pending) : "memory");
}

/* Loads four 8 by 8 matrices of 16-bit elements. Threads 8 i to 8 i + 7 give the addresses of
 * matrix i's rows, 16 bytes each. word[i] gets two elements of its row lane / 4: element 2 (lane %
 * 4) and the next. */
static __device__ __forceinline__ void kg_ldmatrix_x4(uint32_t word[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(kg_shared_address(row))
                 : "memory");
}

/* The same with the matrices transposed: word[i] gets element lane / 4 of row 2 (lane % 4) and of
 * the next row. */
static __device__ __forceinline__ void kg_ldmatrix_x4_trans(uint32_t word[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(kg_shared_address(row))
                 : "memory");
}

/* c += a b: a has 16 rows of 16, b 8 columns of 16, c 16 rows of 8 floats. With group = lane / 4
 * and pair = 2 (lane % 4), a thread holds
 *   a[0], a[1], a[2], a[3]: rows group, group + 8, group, group + 8; columns pair and pair + 1, of
 *                           the first eight in a[0] and a[1], of the last in a[2] and a[3];
 *   b[0], b[1]:             rows pair and pair + 1, and the same plus 8, of column group;
 *   c[0 … 3]:               rows group, group, group + 8, group + 8; columns pair, pair + 1 twice. */
static __device__ __forceinline__ void kg_mma_bf16_16x8x16(float c[4], const uint32_t a[4],
                                                           const uint32_t b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/* Two floats as two bfloat16s, each the nearest; `low`, the first element, is in the lower half. */
static __device__ __forceinline__ uint32_t kg_bf16_pair(float low, float high)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return (uint32_t)__bfloat16_as_ushort(pair.x) | (uint32_t)__bfloat16_as_ushort(pair.y) << 16;
}

/* 2^x by a single instruction, error 2 ulp; 0 for -infinity. */
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
