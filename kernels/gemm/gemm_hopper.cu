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
 * version is `tensor`. */
#include "gemm/gemm_hopper.cuh"

#include "common/common.h"
#include "device/code/hopper.cuh"
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
    struct kg_tensor_map a;
    struct kg_tensor_map b;
};

struct hopper_problem {
    float *c;
    int m;
    int n;
    int k;
    int tiles_m;
    int tiles_n;
};

#ifdef KG_HOPPER_CODE
/* --- The two parts ---------------------------------------------------------------------------- */
static __device__ __forceinline__ void stages_copy(const struct hopper_problem &p,
                                                   const struct maps &maps, int2 tile,
                                                   struct shared *shared)
{
    for (int stage = 0, l0 = 0; l0 < p.k; stage++, l0 += KG_TENSOR_K) {
        const int at = stage % KG_HOPPER_STAGES, round = stage / KG_HOPPER_STAGES;
        struct kg_hopper_slot *slot = &shared->slots[at];
        if (round > 0)
            kg_mbarrier_wait(&shared->empty[at], (round - 1) % 2);
        kg_mbarrier_expect(&shared->full[at], sizeof *slot);
        kg_tma_copy(slot->a, &maps.a, l0, tile.x, &shared->full[at]);
        for (int box = 0; box < KG_HOPPER_B_BOXES; box++)
            kg_tma_copy(slot->b[box], &maps.b, tile.y + box * KG_HOPPER_BOX, l0, &shared->full[at]);
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
        const uint32_t a = kg_shared_address(slot->a), b = kg_shared_address(slot->b);
        kg_mbarrier_wait(&shared->full[at], round % 2);
        kg_wgmma_begin();
#pragma unroll
        for (int step = 0; step < KG_TENSOR_K / KG_HOPPER_STEP; step++)
            kg_wgmma_64x256x16(sum, kg_hopper_a(a, group, step), kg_hopper_b(b, step));
        kg_wgmma_commit();
        kg_wgmma_wait<1>();
        if (speaks && stage > 0)
            kg_mbarrier_arrive(&shared->empty[(stage - 1) % KG_HOPPER_STAGES]);
    }
    kg_wgmma_wait<0>();
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
#ifdef KG_HOPPER_CODE
    KG_DYNAMIC_SHARED(unsigned char, memory);
    struct shared *shared = reinterpret_cast<struct shared *>(
        memory + (ALIGNMENT - kg_shared_address(memory) % ALIGNMENT) % ALIGNMENT);
    const int2 tile = kg_tensor_tile(KG_TENSOR_M, p.tiles_m, p.tiles_n, (int)blockIdx.x);
    const int group = (int)threadIdx.x / GROUP_THREADS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < KG_HOPPER_STAGES; i++) {
            kg_mbarrier_make(&shared->full[i], 1);
            kg_mbarrier_make(&shared->empty[i], CONSUMER_WARPS);
        }
        kg_mbarrier_publish();
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
static bool unavailable(struct kgate_context *context, const char *why)
{
    context->unavailable = true;
    return kg_kernel_refuse(context, "version 'hopper' %s", why);
}

static bool maps_make(struct kgate_context *context, struct kg_gemm *gemm)
{
    struct maps maps; /* aligned to more than context->allocate gives */
    if (!kg_tensor_map_known())
        return unavailable(context, "needs a driver of CUDA 12.0 or later");
    if (!kg_tensor_map_make(&maps.a, gemm->device.a, gemm->m, gemm->k, KG_TENSOR_M,
                            KG_HOPPER_BOX) ||
        !kg_tensor_map_make(&maps.b, gemm->device.b, gemm->k, gemm->n, KG_TENSOR_K, KG_HOPPER_BOX))
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
#if !defined(KGATE_SM90A) && !defined(KGATE_EMULATE_CUDA)
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
