/* hopper.cuh: instructions of compute capability 9.0, beyond mma.cuh. Barriers in shared memory
 * that also count bytes (mbarrier). Copies of boxes of matrices (TMA), also to several blocks at
 * once (clusters). Products of a warpgroup from shared memory (wgmma). Each function is one PTX
 * instruction. Under KGATE_EMULATE_CUDA the same functions run on the host, as the PTX ISA
 * describes them. There, tests check the logic of a kernel and its layouts, not the hardware.
 *
 * Only code compiled for 9.0a has wgmma: KG_HOPPER_CODE marks such code. */
#pragma once
#include <stdint.h>

#include "device/code/mma.cuh"

#ifndef KGATE_EMULATE_CUDA
#include <cuda.h>

/* A matrix in global memory, as TMA sees it; a kernel's parameter of `const __grid_constant__`. */
struct kg_tensor_map {
    CUtensorMap opaque;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define KG_HOPPER_CODE
/* --- mbarrier: PTX ISA 9.2, "Parallel synchronization: mbarrier" ------------------------------ */
static __device__ __forceinline__ void kg_mbarrier_make(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(kg_shared_address(barrier)),
                 "r"(arrivals)
                 : "memory");
}

/* After kg_mbarrier_make, before __syncthreads: shows the barriers to TMA, which works by the
 * asynchronous proxy. */
static __device__ __forceinline__ void kg_mbarrier_publish()
{
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
}

static __device__ __forceinline__ void kg_mbarrier_arrive(uint64_t *barrier)
{
    kg_race_delay();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(kg_shared_address(barrier))
                 : "memory");
}

/* Arrives at the barrier at the same place in block `rank` of the cluster. */
static __device__ __forceinline__ void kg_mbarrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
    kg_race_delay();
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}\n" ::"r"(kg_shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

/* Arrives. The phase then ends only after this number of bytes has come too. */
static __device__ __forceinline__ void kg_mbarrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(
                     kg_shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ bool kg_mbarrier_passed(uint64_t *barrier, int parity)
{
    uint32_t passed;
    asm volatile("{\n"
                 ".reg .pred passed;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, passed;\n"
                 "}\n"
                 : "=r"(passed)
                 : "r"(kg_shared_address(barrier)), "r"(parity)
                 : "memory");
    return passed != 0;
}

static __device__ __forceinline__ uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;\n" : "=l"(ns));
    return ns;
}

/* Waits for the end of the phase of that parity. A mistake here must not hang a device. A stage
 * takes microseconds: after ten seconds the kernel fails, by a write to an invalid address. It has
 * no trap instruction: with one, ptxas does not count on the registers that kg_registers_take
 * brings. */
static __device__ __forceinline__ void kg_mbarrier_wait(uint64_t *barrier, int parity)
{
    kg_race_delay();
    if (kg_mbarrier_passed(barrier, parity))
        return;
    const uint64_t start_ns = now_ns();
    while (!kg_mbarrier_passed(barrier, parity))
        if (now_ns() - start_ns > UINT64_C(10000000000))
            asm volatile("st.global.u32 [%0], %1;\n" ::"l"(UINT64_C(0)), "r"(0) : "memory");
}

/* --- TMA: "cp.async.bulk.tensor" -------------------------------------------------------------- */
static __device__ __forceinline__ void kg_tma_copy(void *shared, const struct kg_tensor_map *map,
                                                   int column, int line, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(kg_shared_address(shared)),
                 "l"(map), "r"(column), "r"(line), "r"(kg_shared_address(barrier))
                 : "memory");
}

/* The same for matrix `matrix` of group `group`: see kg_tensor_map_make_many. */
static __device__ __forceinline__ void kg_tma_copy_of(void *shared, const struct kg_tensor_map *map,
                                                      int column, int line, int matrix, int group,
                                                      uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];\n" ::"r"(kg_shared_address(shared)),
                 "l"(map), "r"(column), "r"(matrix), "r"(line), "r"(group),
                 "r"(kg_shared_address(barrier))
                 : "memory");
}

/* kg_tma_copy to the same place in each block of the cluster whose bit in `ranks` is set. In each
 * such block, the barrier at the same place counts the bytes. */
static __device__ __forceinline__ void kg_tma_copy_to(void *shared, const struct kg_tensor_map *map,
                                                      int column, int line, uint64_t *barrier,
                                                      uint32_t ranks)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
        ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;\n" ::"r"(kg_shared_address(shared)),
        "l"(map), "r"(column), "r"(line), "r"(kg_shared_address(barrier)), "h"((uint16_t)ranks)
        : "memory");
}

/* --- Clusters: blocks that run together and see each other's shared memory -------------------- */
static __device__ __forceinline__ uint32_t kg_cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
    return rank;
}

/* All threads of all blocks of the cluster meet. Then all of them, and TMA, see the barriers made
 * before. */
static __device__ __forceinline__ void kg_cluster_meet()
{
    kg_race_delay();
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;\n" ::
                     : "memory");
}

/* --- wgmma: 9.7.15 ---------------------------------------------------------------------------- */
static __device__ __forceinline__ void kg_wgmma_begin()
{
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

static __device__ __forceinline__ void kg_wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

template <int pending> static __device__ __forceinline__ void kg_wgmma_wait()
{
    kg_race_delay();
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(pending) : "memory");
}

#define KG_SUM_4(i) "+f"(s[i]), "+f"(s[(i) + 1]), "+f"(s[(i) + 2]), "+f"(s[(i) + 3])
#define KG_SUM_16(i) KG_SUM_4(i), KG_SUM_4((i) + 4), KG_SUM_4((i) + 8), KG_SUM_4((i) + 12)
#define KG_SUM_64(i) KG_SUM_16(i), KG_SUM_16((i) + 16), KG_SUM_16((i) + 32), KG_SUM_16((i) + 48)

/* s += A B: A is 64 by 16, K-major, and B 16 by 256, N-major, by their descriptors. Each of the
 * warpgroup's 128 threads holds four sums in s[4 j …]. Their columns are 8 j + 2 (lane % 4) and the
 * next. The first two sums are of row 16 (warp % 4) + lane / 4, the last two of the row 8 below
 * (9.7.15.5.1.1.1). The numbers after the descriptors mean: keep the sums, signs 1 and 1, A not
 * transposed, B transposed (N-major). */
static __device__ __forceinline__ void kg_wgmma_64x256x16(float s[128], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
                 "%110, %111, "
                 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
                 "%125, %126, %127}, "
                 "%128, %129, 1, 1, 1, 0, 1;\n"
                 : KG_SUM_64(0), KG_SUM_64(64)
                 : "l"(a), "l"(b));
}

#define KG_SUM_32(i) KG_SUM_16(i), KG_SUM_16((i) + 16)
#define KG_NEW_4(i) "=f"(s[i]), "=f"(s[(i) + 1]), "=f"(s[(i) + 2]), "=f"(s[(i) + 3])
#define KG_NEW_16(i) KG_NEW_4(i), KG_NEW_4((i) + 4), KG_NEW_4((i) + 8), KG_NEW_4((i) + 12)
#define KG_NEW_64(i) KG_NEW_16(i), KG_NEW_16((i) + 16), KG_NEW_16((i) + 32), KG_NEW_16((i) + 48)
#define KG_SUMS_NAMED_32                                                                           \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KG_SUMS_NAMED_64                                                                           \
    KG_SUMS_NAMED_32                                                                               \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "           \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

/* s = A B; with `add`, s += A B. A is 64 by 16 and B 16 by 128, both K-major, by their descriptors.
 * The sums of each eight columns lie as above. */
template <bool add>
static __device__ __forceinline__ void kg_wgmma_64x128x16(float s[64], uint64_t a, uint64_t b)
{
    if constexpr (add)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" KG_SUMS_NAMED_64
                     "}, %64, %65, 1, 1, 1, 0, 0;\n"
                     : KG_SUM_64(0)
                     : "l"(a), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" KG_SUMS_NAMED_64
                     "}, %64, %65, 0, 1, 1, 0, 0;\n"
                     : KG_NEW_64(0)
                     : "l"(a), "l"(b));
}

/* s += A B: A is 64 by 16 in registers, and B 16 by 64 or 128, N-major. Each warp holds A as
 * kg_mma_bf16_16x8x16 does (9.7.15.5.1.1: figure of A). `a` must not change until the wait. */
template <int columns>
static __device__ __forceinline__ void kg_wgmma_of_registers(float s[columns / 2],
                                                             const uint32_t a[4], uint64_t b)
{
    static_assert(columns == 64 || columns == 128, "the widths that are written");
    if constexpr (columns == 64)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" KG_SUMS_NAMED_32
                     "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;\n"
                     : KG_SUM_32(0)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" KG_SUMS_NAMED_64
                     "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n"
                     : KG_SUM_64(0)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* Sets the number of registers of each thread of the warpgroup from here on, a multiple of 8. One
 * warpgroup gives registers back, and another takes them. The kernel's launch bounds set the first
 * number. */
template <int registers> static __device__ __forceinline__ void kg_registers_give()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(registers));
}

template <int registers> static __device__ __forceinline__ void kg_registers_take()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(registers));
}

/* To be called after a wait and before kg_wgmma_begin, for sums that are read or changed in
 * between. The compiler does not know that the wait concerns these registers, and may move their
 * use across it. */
template <int n> static __device__ __forceinline__ void kg_wgmma_settle(float *s)
{
#pragma unroll
    for (int i = 0; i < n; i++)
        asm volatile("" : "+f"(s[i])::"memory");
}
#endif

/* --- Tensor maps, on the host ----------------------------------------------------------------- */
/* cuTensorMapEncodeTiled of CUDA 12.0, from the driver: the program is not linked with the
 * driver. */
typedef CUresult (*kg_tensor_map_encode)(CUtensorMap *map, CUtensorMapDataType type,
                                         cuuint32_t rank, void *address, const cuuint64_t *extents,
                                         const cuuint64_t *strides, const cuuint32_t *box,
                                         const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                         CUtensorMapSwizzle swizzle,
                                         CUtensorMapL2promotion promotion,
                                         CUtensorMapFloatOOBfill fill);

static inline kg_tensor_map_encode kg_tensor_map_encode_find()
{
    void *address = NULL;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address,
                                                                12000, cudaEnableDefault, &result);
#else
    const cudaError_t status =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &address, cudaEnableDefault, &result);
#endif
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess
               ? reinterpret_cast<kg_tensor_map_encode>(address)
               : NULL;
}

/* Whether the driver knows tensor maps, as drivers since CUDA 12.0 do. */
static inline bool kg_tensor_map_known()
{
    return kg_tensor_map_encode_find() != NULL;
}

/* The source of TMA copies: `groups` groups of `matrices` matrices of `lines` lines of `columns`
 * 16-bit elements. Steps from one line, matrix and group to the next are in elements, multiples of
 * 8. */
struct kg_tensor_extents {
    size_t columns;
    size_t lines;
    size_t matrices;
    size_t groups;
    size_t line_step;
    size_t matrix_step;
    size_t group_step;
};

/* Dimensions of the descriptor, the innermost first: extents, steps of all but the first in elements, and
 * the box. Each step includes the one before, as cuTensorMapEncodeTiled asks. */
struct kg_tensor_dimensions {
    unsigned rank;
    cuuint64_t extents[4];
    cuuint64_t steps[3];
    cuuint32_t box[4];
};

static inline bool kg_tensor_map_encode_by(struct kg_tensor_map *map, void *address,
                                           const struct kg_tensor_dimensions *of)
{
    const cuuint32_t each[] = {1, 1, 1, 1};
    const cuuint64_t strides[] = {of->steps[0] * sizeof(uint16_t), of->steps[1] * sizeof(uint16_t),
                                  of->steps[2] * sizeof(uint16_t)};
    return kg_tensor_map_encode_find()(&map->opaque, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, of->rank,
                                       address, of->extents, strides, of->box, each,
                                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                       CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Describes a matrix of 16-bit elements, lines by columns. The matrix and each line begin at a
 * multiple of 16 bytes. TMA copies boxes of box_lines by box_columns. false if the driver
 * refuses. */
static inline bool kg_tensor_map_make(struct kg_tensor_map *map, void *address, size_t lines,
                                      size_t columns, unsigned box_lines, unsigned box_columns)
{
    const struct kg_tensor_dimensions of = {
        2, {columns, lines, 1, 1}, {columns, 0, 0}, {box_columns, box_lines, 1, 1}};
    return kg_tensor_map_encode_by(map, address, &of);
}

/* The same for several matrices side by side, for kg_tma_copy_of: beyond the edges of each matrix TMA
 * reads zeros. A line's step is longer than a matrix's, so the matrix is the second dimension. */
static inline bool kg_tensor_map_make_many(struct kg_tensor_map *map, void *address,
                                           const struct kg_tensor_extents *of, unsigned box_lines,
                                           unsigned box_columns)
{
    const struct kg_tensor_dimensions all = {4,
                                             {of->columns, of->matrices, of->lines, of->groups},
                                             {of->matrix_step, of->line_step, of->group_step},
                                             {box_columns, 1, box_lines, 1}};
    return kg_tensor_map_encode_by(map, address, &all);
}
#endif
