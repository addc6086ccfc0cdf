/* 3 hopper: what tensor cores of compute capability 9.0 can do in full only by wgmma: 64 by 256 by
 * 16 in one instruction of a warpgroup, four warps, that takes A and B from shared memory, so that
 * no registers and no instructions are spent on fragments, and that runs while the warps go on.
 * Tiles come by TMA: one thread asks for a box of up to 64 by 128 elements, and the hardware
 * computes addresses, fills in zeros beyond the edges and permutes. Who copies and who multiplies
 * are different warps, which meet at barriers in shared memory (mbarrier): `full` a stage has come,
 * `empty` it was multiplied. Two warpgroups share a tile of 128 by 256 of C, with 128 sums a
 * thread.
 *
 * TMA needs lines that begin at multiples of 16 bytes: where k or n is not a multiple of 8, this
 * version is `tensor`.
 *
 * Not on the emulator: wgmma, TMA and mbarrier are not there. The layouts are tested as pure
 * functions (gemm_hopper.cuh). */
#ifndef KGATE_EMULATE_CUDA
#include "gemm/gemm_hopper.cuh"

#include <cuda.h>

#include "common/common.h"
#include "gemm/gemm.h"

enum {
    GROUP_THREADS = 128,
    GROUPS = KG_TENSOR_M / KG_HOPPER_GROUP_M, /* of warps that multiply */
    THREADS = (GROUPS + 1) * GROUP_THREADS,   /* the last group copies */
    CONSUMER_WARPS = GROUPS * GROUP_THREADS / 32,
    SUMS = KG_TENSOR_N / 2, /* of a thread: 64 by 256 by 128 threads */
    ALIGNMENT = KG_HOPPER_REPEAT_BYTES
};

struct shared {
    struct kg_hopper_slot slots[KG_HOPPER_STAGES];
    uint64_t full[KG_HOPPER_STAGES];
    uint64_t empty[KG_HOPPER_STAGES];
};

/* What kg_gemm_hopper_prepare makes: A and B as TMA sees them. */
struct maps {
    CUtensorMap a;
    CUtensorMap b;
};

struct hopper_problem {
    float *c;
    int m;
    int n;
    int k;
    int tiles_m;
    int tiles_n;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
static __device__ __forceinline__ uint32_t address_of(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* --- mbarrier: PTX ISA 9.2, "Parallel synchronization: mbarrier" ------------------------------ */
static __device__ __forceinline__ void barrier_make(uint64_t *barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(address_of(barrier)),
                 "r"(arrivals)
                 : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(address_of(barrier))
                 : "memory");
}

/* Arrives, and the phase ends only when so many bytes have come too. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(address_of(barrier)),
        "r"(bytes)
        : "memory");
}

static __device__ __forceinline__ bool barrier_passed(uint64_t *barrier, int parity)
{
    uint32_t passed;
    asm volatile("{\n"
                 ".reg .pred passed;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, passed;\n"
                 "}\n"
                 : "=r"(passed)
                 : "r"(address_of(barrier)), "r"(parity)
                 : "memory");
    return passed != 0;
}

static __device__ __forceinline__ uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;\n" : "=l"(ns));
    return ns;
}

/* Waits for the end of the phase of that parity. A mistake here must not hang a device: after ten
 * seconds, when a stage takes microseconds, the kernel fails. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, int parity)
{
    if (barrier_passed(barrier, parity))
        return;
    const uint64_t start_ns = now_ns();
    while (!barrier_passed(barrier, parity))
        if (now_ns() - start_ns > UINT64_C(10000000000))
            __trap();
}

/* --- TMA: "cp.async.bulk.tensor" -------------------------------------------------------------- */
static __device__ __forceinline__ void box_copy(void *shared, const CUtensorMap *map, int column,
                                                int line, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];\n" ::"r"(address_of(shared)),
                 "l"(map), "r"(column), "r"(line), "r"(address_of(barrier))
                 : "memory");
}

/* --- wgmma: 9.7.15 ---------------------------------------------------------------------------- */
static __device__ __forceinline__ void wgmma_begin()
{
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}

static __device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}

template <int pending> static __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(pending) : "memory");
}

#define SUM_4(i) "+f"(s[i]), "+f"(s[(i) + 1]), "+f"(s[(i) + 2]), "+f"(s[(i) + 3])
#define SUM_16(i) SUM_4(i), SUM_4((i) + 4), SUM_4((i) + 8), SUM_4((i) + 12)
#define SUM_64(i) SUM_16(i), SUM_16((i) + 16), SUM_16((i) + 32), SUM_16((i) + 48)

/* s += A B. The numbers after the descriptors: keep the sums, signs 1 and 1, A not transposed, B
 * transposed, which is N-major. */
static __device__ __forceinline__ void wgmma_multiply(float s[SUMS], uint64_t a, uint64_t b)
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
                 : SUM_64(0), SUM_64(64)
                 : "l"(a), "l"(b));
}

/* --- The two parts ---------------------------------------------------------------------------- */
static __device__ __forceinline__ void stages_copy(const struct hopper_problem &p,
                                                   const struct maps &maps, int2 tile,
                                                   struct shared *shared)
{
    for (int stage = 0, l0 = 0; l0 < p.k; stage++, l0 += KG_TENSOR_K) {
        const int at = stage % KG_HOPPER_STAGES, round = stage / KG_HOPPER_STAGES;
        struct kg_hopper_slot *slot = &shared->slots[at];
        if (round > 0)
            barrier_wait(&shared->empty[at], (round - 1) % 2);
        barrier_expect(&shared->full[at], sizeof *slot);
        box_copy(slot->a, &maps.a, l0, tile.x, &shared->full[at]);
        for (int box = 0; box < KG_HOPPER_B_BOXES; box++)
            box_copy(slot->b[box], &maps.b, tile.y + box * KG_HOPPER_BOX, l0, &shared->full[at]);
    }
}

/* One stage's products are still under way when the next one's begin; the stage before is then done
 * with, and given back. */
static __device__ __forceinline__ void stages_multiply(const struct hopper_problem &p, int group,
                                                       struct shared *shared, float sum[SUMS])
{
    const bool speaks = threadIdx.x % 32 == 0;
    for (int stage = 0, l0 = 0; l0 < p.k; stage++, l0 += KG_TENSOR_K) {
        const int at = stage % KG_HOPPER_STAGES, round = stage / KG_HOPPER_STAGES;
        const struct kg_hopper_slot *slot = &shared->slots[at];
        const uint32_t a = address_of(slot->a), b = address_of(slot->b);
        barrier_wait(&shared->full[at], round % 2);
        wgmma_begin();
#pragma unroll
        for (int step = 0; step < KG_TENSOR_K / KG_HOPPER_STEP; step++)
            wgmma_multiply(sum, kg_hopper_a(a, group, step), kg_hopper_b(b, step));
        wgmma_commit();
        wgmma_wait<1>();
        if (speaks && stage > 0)
            barrier_arrive(&shared->empty[(stage - 1) % KG_HOPPER_STAGES]);
    }
    wgmma_wait<0>();
}

/* sum[4 j …] are columns 8 j + 2 (lane % 4) and the next of row lane / 4 and, the last two, of the
 * row 8 below, of the warp's 16 rows (9.7.15.5.1.1.1). n is even here. */
static __device__ __forceinline__ void sums_write(const struct hopper_problem &p, int2 tile,
                                                  const float sum[SUMS])
{
    const int lane = (int)threadIdx.x % 32;
    const int row = tile.x + (int)threadIdx.x / 32 * 16 + lane / 4;
    const int column0 = tile.y + lane % 4 * 2;
    float *c = p.c + (size_t)row * (size_t)p.n;
#pragma unroll
    for (int j = 0; j < KG_TENSOR_N / 8; j++) {
        const int column = column0 + j * 8;
        if (column >= p.n)
            break;
        if (row < p.m)
            *reinterpret_cast<float2 *>(c + column) = make_float2(sum[4 * j], sum[4 * j + 1]);
        if (row + 8 < p.m)
            *reinterpret_cast<float2 *>(c + (size_t)p.n * 8 + column) =
                make_float2(sum[4 * j + 2], sum[4 * j + 3]);
    }
}
#endif

static __global__ void __launch_bounds__(THREADS, 1)
    hopper(struct hopper_problem p, const __grid_constant__ struct maps maps)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    KG_DYNAMIC_SHARED(unsigned char, memory);
    struct shared *shared = reinterpret_cast<struct shared *>(
        memory + (ALIGNMENT - address_of(memory) % ALIGNMENT) % ALIGNMENT);
    const int2 tile = kg_tensor_tile(p.tiles_m, p.tiles_n, (int)blockIdx.x);
    const int group = (int)threadIdx.x / GROUP_THREADS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < KG_HOPPER_STAGES; i++) {
            barrier_make(&shared->full[i], 1);
            barrier_make(&shared->empty[i], CONSUMER_WARPS);
        }
        /* TMA, which works by the asynchronous proxy, must see them. */
        asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    }
    __syncthreads();
    if (group == GROUPS) {
        if (threadIdx.x % GROUP_THREADS == 0)
            stages_copy(p, maps, tile, shared);
        return;
    }
    float sum[SUMS] = {};
    stages_multiply(p, group, shared, sum);
    sums_write(p, tile, sum);
#else
    (void)p, (void)maps;
    __trap(); /* kg_gemm_hopper_prepare lets nothing else come here */
#endif
}

enum { SHARED_BYTES = sizeof(struct shared) + ALIGNMENT };

static int tiles_for(size_t extent, size_t tile)
{
    return (int)((extent + tile - 1) / tile);
}

static bool aligned(const struct kg_gemm *gemm)
{
    return gemm->k % KG_TENSOR_CHUNK == 0 && gemm->n % KG_TENSOR_CHUNK == 0;
}

extern "C" void kg_gemm_cuda_hopper(struct kg_gemm *gemm)
{
    if (!aligned(gemm)) {
        kg_gemm_cuda_tensor(gemm);
        return;
    }
    const struct hopper_problem p = {gemm->device.c,
                                     (int)gemm->m,
                                     (int)gemm->n,
                                     (int)gemm->k,
                                     tiles_for(gemm->m, KG_TENSOR_M),
                                     tiles_for(gemm->n, KG_TENSOR_N)};
    struct maps maps;
    memcpy(&maps, gemm->device.maps, sizeof maps);
    KG_LAUNCH(hopper, (unsigned)(p.tiles_m * p.tiles_n), THREADS, SHARED_BYTES, gemm->device.stream,
              p, maps);
}

/* --- Preparation ------------------------------------------------------------------------------ */
/* cuTensorMapEncodeTiled as CUDA 12.0 has it, of the driver: the program is not linked with it. */
typedef CUresult (*encode_function)(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                    void *address, const cuuint64_t *extents,
                                    const cuuint64_t *strides, const cuuint32_t *box,
                                    const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                    CUtensorMapFloatOOBfill fill);

static encode_function encode_find()
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
               ? reinterpret_cast<encode_function>(address)
               : NULL;
}

/* A matrix of lines by columns, in boxes of box_lines by KG_HOPPER_BOX. */
static bool map_make(encode_function encode, CUtensorMap *map, void *address, size_t lines,
                     size_t columns, unsigned box_lines)
{
    const cuuint64_t extents[] = {columns, lines}, strides[] = {columns * sizeof(uint16_t)};
    const cuuint32_t box[] = {KG_HOPPER_BOX, box_lines}, steps[] = {1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, address, extents, strides, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool unavailable(struct kgate_context *context, const char *why)
{
    context->unavailable = true;
    return kg_kernel_refuse(context, "version 'hopper' %s", why);
}

static bool maps_make(struct kgate_context *context, struct kg_gemm *gemm)
{
    const encode_function encode = encode_find();
    if (!encode)
        return unavailable(context, "needs a driver of CUDA 12.0 or later");
    struct maps maps; /* aligned to more than context->allocate gives */
    if (!map_make(encode, &maps.a, gemm->device.a, gemm->m, gemm->k, KG_TENSOR_M) ||
        !map_make(encode, &maps.b, gemm->device.b, gemm->k, gemm->n, KG_TENSOR_K))
        return kg_kernel_refuse(context, "the driver refuses to describe A and B for TMA");
    gemm->device.maps = context->allocate(context, sizeof maps);
    if (!gemm->device.maps)
        return kg_kernel_refuse(context, "no memory for the descriptors of A and B");
    memcpy(gemm->device.maps, &maps, sizeof maps);
    return true;
}

extern "C" bool kg_gemm_hopper_prepare(struct kgate_context *context, struct kg_gemm *gemm)
{
    int device = 0, major = 0, minor = 0;
#ifndef KGATE_SM90A
    return unavailable(context, "needs a kgate compiled for architecture 90 by CUDA 12 or later");
#endif
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (status == cudaSuccess && (major != 9 || minor != 0))
        return unavailable(context, "needs a GPU of compute capability 9.0, no other");
    if (status == cudaSuccess && !aligned(gemm))
        return kg_gemm_tensor_prepare(context, gemm);
    if (status == cudaSuccess)
        status =
            cudaFuncSetAttribute(hopper, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    return maps_make(context, gemm);
}
#endif
