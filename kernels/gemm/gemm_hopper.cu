/* 3 hopper: only wgmma reaches the full rate of tensor cores of compute capability 9.0. One
 * instruction multiplies 64 by 256 by 16 for a warpgroup, four warps. It takes A and B from shared
 * memory, so fragments cost no registers and no instructions, and it runs while the warps continue.
 * Tiles come by TMA: one thread requests a box of up to 64 by 128 elements. The hardware computes
 * addresses, writes zeros beyond the edges and permutes. Different warps copy and multiply. They
 * meet at barriers in shared memory (mbarrier): `full` marks an arrived stage, `empty` a multiplied
 * stage. Two warpgroups share a tile of 128 by 256 of C, with 128 sums per thread. If such tiles
 * leave multiprocessors idle, one warpgroup has a tile of 64 by 256 (kg_tensor_small).
 *
 * Each multiprocessor has one block, which makes tile after tile. So the next tile's copies run
 * while the block writes this one's sums. Two blocks with tiles one below the other form a cluster.
 * Each copies half of the columns of B to both blocks. So a block reads 32 KiB per stage from the
 * second-level cache instead of 48. Both blocks write to each slot, so a slot is free after the
 * warps of both blocks have multiplied it.
 *
 * TMA needs lines that begin at multiples of 16 bytes. If k or n is not a multiple of 8, this
 * version runs `tensor`. */
#include "gemm/gemm_hopper.cuh"

#include "common/common.h"
#include "common/device.h"
#include "common/hopper.cuh"
#include "device/code/hopper.cuh"
#include "gemm/gemm.h"

enum {
    GROUP_THREADS = 128,
    SUMS = KG_TENSOR_N / 2, /* of a thread: 64 by 256 by 128 threads */
    ALIGNMENT = KG_HOPPER_REPEAT_BYTES
};

/* Of warps that multiply a tile of `rows` rows. */
static constexpr __host__ __device__ int groups_of(int rows)
{
    return rows / KG_HOPPER_GROUP_M;
}

/* One more group copies. */
static constexpr __host__ __device__ int threads_of(int rows)
{
    return (groups_of(rows) + 1) * GROUP_THREADS;
}

struct shared {
    struct kg_hopper_slot slots[KG_HOPPER_STAGES];
    uint64_t full[KG_HOPPER_STAGES];
    uint64_t empty[KG_HOPPER_STAGES];
};

/* A and B as TMA maps, made by kg_gemm_hopper_prepare. */
struct maps {
    struct kg_tensor_map a;
    struct kg_tensor_map b;
};

struct hopper_problem {
    void *c;
    int m;
    int n;
    int k;
    int tiles_m; /* of all blocks of a cluster together */
    int tiles_n;
};

#ifdef KG_HOPPER_CODE
/* --- The two parts -------------------------------------------------------------------------------
 * Each goes through the cluster's tiles, and counts stages over all of them. */
template <int CLUSTER, int ROWS> struct tiles {
    int next;

    __device__ __forceinline__ tiles() : next((int)blockIdx.x / CLUSTER)
    {
    }

    /* Gives the calling block's next tile; false if there is none. */
    __device__ __forceinline__ bool take(const struct hopper_problem &p, int2 *tile)
    {
        if (next >= p.tiles_m * p.tiles_n)
            return false;
        *tile = kg_tensor_tile(CLUSTER * ROWS, p.tiles_m, p.tiles_n, next);
        tile->x += (int)blockIdx.x % CLUSTER * ROWS;
        next += (int)gridDim.x / CLUSTER;
        return true;
    }
};

/* Each block of the cluster copies its part of B to all blocks. A tile of fewer rows leaves the end
 * of the slot's A unused. */
template <int CLUSTER, int ROWS>
static __device__ __forceinline__ void stage_copy(const struct maps &maps, int2 tile, int l0,
                                                  struct kg_hopper_slot *slot, uint64_t *full)
{
    constexpr int BOXES = KG_HOPPER_B_BOXES / CLUSTER;
    kg_mbarrier_expect(full, (int)(ROWS * sizeof *slot->a + sizeof slot->b));
    kg_tma_copy(slot->a, &maps.a, l0, tile.x, full);
#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        const int box = (int)blockIdx.x % CLUSTER * BOXES + i;
        if constexpr (CLUSTER == 1)
            kg_tma_copy(slot->b[box], &maps.b, tile.y + box * KG_HOPPER_BOX, l0, full);
        else
            kg_tma_copy_to(slot->b[box], &maps.b, tile.y + box * KG_HOPPER_BOX, l0, full,
                           (1U << CLUSTER) - 1);
    }
}

template <int CLUSTER, int ROWS>
static __device__ __forceinline__ void tiles_copy(const struct hopper_problem &p,
                                                  const struct maps &maps, struct shared *shared)
{
    struct tiles<CLUSTER, ROWS> tiles;
    int stage = 0;
    int2 tile;
    while (tiles.take(p, &tile))
        for (int l0 = 0; l0 < p.k; stage++, l0 += KG_TENSOR_K) {
            const int at = stage % KG_HOPPER_STAGES, round = stage / KG_HOPPER_STAGES;
            if (round > 0)
                kg_mbarrier_wait(&shared->empty[at], (round - 1) % 2);
            stage_copy<CLUSTER, ROWS>(maps, tile, l0, &shared->slots[at], &shared->full[at]);
        }
}

/* Marks a slot as read by a warp, in all blocks that write to it. */
template <int CLUSTER> static __device__ __forceinline__ void slot_free(uint64_t *empty)
{
    if constexpr (CLUSTER == 1) {
        if (threadIdx.x % 32 == 0)
            kg_mbarrier_arrive(empty);
    } else {
        if (threadIdx.x % 32 < CLUSTER)
            kg_mbarrier_arrive_at(empty, threadIdx.x % 32);
    }
}

/* The sums of a tile, from stage `stage` on; the stage after its last. One stage's products are
 * still under way when the next one's begin; the stage before is then done with, and given back. */
template <int CLUSTER>
static __device__ __forceinline__ int tile_multiply(const struct hopper_problem &p, int group,
                                                    int stage, struct shared *shared,
                                                    float sum[SUMS])
{
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        sum[i] = 0;
    for (int l0 = 0; l0 < p.k; stage++, l0 += KG_TENSOR_K) {
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
        if (l0 > 0)
            slot_free<CLUSTER>(&shared->empty[(stage - 1) % KG_HOPPER_STAGES]);
    }
    kg_wgmma_wait<0>();
    kg_wgmma_settle<SUMS>(sum);
    slot_free<CLUSTER>(&shared->empty[(stage - 1) % KG_HOPPER_STAGES]);
    return stage;
}

static __device__ __forceinline__ void pair_write(float *to, float first, float second)
{
    *reinterpret_cast<float2 *>(to) = make_float2(first, second);
}

static __device__ __forceinline__ void pair_write(uint16_t *to, float first, float second)
{
    *reinterpret_cast<uint32_t *>(to) = kg_bf16_pair(first, second);
}

/* sum[4 j …] are columns 8 j + 2 (lane % 4) and the next. The first two belong to row lane / 4 of
 * the warp's 16 rows, the last two to the row 8 below (9.7.15.5.1.1.1). n is even here. */
template <typename T>
static __device__ __forceinline__ void sums_write(const struct hopper_problem &p, int2 tile,
                                                  const float sum[SUMS])
{
    const int lane = (int)threadIdx.x % 32;
    const int row = tile.x + (int)threadIdx.x / 32 * 16 + lane / 4;
    const int column0 = tile.y + lane % 4 * 2;
    T *c = static_cast<T *>(p.c) + (size_t)row * (size_t)p.n;
#pragma unroll
    for (int j = 0; j < KG_TENSOR_N / 8; j++) {
        const int column = column0 + j * 8;
        if (column >= p.n)
            break;
        if (row < p.m)
            pair_write(c + column, sum[4 * j], sum[4 * j + 1]);
        if (row + 8 < p.m)
            pair_write(c + (size_t)p.n * 8 + column, sum[4 * j + 2], sum[4 * j + 3]);
    }
}

template <typename T, int CLUSTER, int ROWS>
static __device__ __forceinline__ void tiles_multiply(const struct hopper_problem &p, int group,
                                                      struct shared *shared)
{
    struct tiles<CLUSTER, ROWS> tiles;
    int stage = 0;
    int2 tile;
    while (tiles.take(p, &tile)) {
        float sum[SUMS];
        stage = tile_multiply<CLUSTER>(p, group, stage, shared, sum);
        sums_write<T>(p, tile, sum);
    }
}

/* Before the first copy all blocks' barriers are made; and none ends while another still writes to
 * it or tells it of a slot. The warps that copy return early: in a branch beside theirs ptxas makes
 * each product wait for the one before (its note C7518). */
template <typename T, int CLUSTER, int ROWS>
static __device__ __forceinline__ void hopper_run(const struct hopper_problem &p,
                                                  const struct maps &maps)
{
    constexpr int GROUPS = groups_of(ROWS);
    KG_DYNAMIC_SHARED(unsigned char, memory);
    struct shared *shared = reinterpret_cast<struct shared *>(
        memory + (ALIGNMENT - kg_shared_address(memory) % ALIGNMENT) % ALIGNMENT);
    const int group = (int)threadIdx.x / GROUP_THREADS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < KG_HOPPER_STAGES; i++) {
            kg_mbarrier_make(&shared->full[i], 1);
            kg_mbarrier_make(&shared->empty[i], GROUPS * GROUP_THREADS / 32 * CLUSTER);
        }
        kg_mbarrier_publish();
    }
    kg_cluster_meet();
    if (group == GROUPS) {
        if (threadIdx.x % GROUP_THREADS == 0)
            tiles_copy<CLUSTER, ROWS>(p, maps, shared);
        kg_cluster_meet();
        return;
    }
    tiles_multiply<T, CLUSTER, ROWS>(p, group, shared);
    kg_cluster_meet();
}
#endif

/* T is the element type of C: float, or bfloat16. ROWS are those of a tile. */
template <typename T, int ROWS>
static __global__ void __launch_bounds__(threads_of(ROWS), 1)
    hopper(struct hopper_problem p, const __grid_constant__ struct maps maps)
{
#ifdef KG_HOPPER_CODE
    hopper_run<T, 1, ROWS>(p, maps);
#else
    (void)p, (void)maps;
    __trap(); /* kg_gemm_hopper_prepare lets nothing else come here */
#endif
}

/* Two blocks a cluster. */
template <typename T, int ROWS>
static __global__ void KG_CLUSTER(2) __launch_bounds__(threads_of(ROWS), 1)
    hopper_pair(struct hopper_problem p, const __grid_constant__ struct maps maps)
{
#ifdef KG_HOPPER_CODE
    hopper_run<T, 2, ROWS>(p, maps);
#else
    (void)p, (void)maps;
    __trap();
#endif
}

enum { SHARED_BYTES = sizeof(struct shared) + ALIGNMENT };

static bool aligned(const struct kg_gemm *gemm)
{
    return gemm->k % KG_TENSOR_CHUNK == 0 && gemm->n % KG_TENSOR_CHUNK == 0;
}

static struct kg_hopper_tiling tiling_of(const struct kg_gemm *gemm)
{
    return kg_hopper_tiling_choose(gemm->m, gemm->n, (int)gemm->device.processors);
}

typedef void (*hopper_kernel)(struct hopper_problem p, const struct maps maps);

/* By whether C is bfloat16, by whether tiles are small, and by blocks of a cluster, less one. */
#define KERNELS(T, ROWS)                                                                           \
    {                                                                                              \
        hopper<T, ROWS>, hopper_pair<T, ROWS>                                                      \
    }
static const hopper_kernel kernels[2][2][2] = {
    {KERNELS(float, KG_TENSOR_M), KERNELS(float, KG_TENSOR_M_FEW)},
    {KERNELS(uint16_t, KG_TENSOR_M), KERNELS(uint16_t, KG_TENSOR_M_FEW)}};
#undef KERNELS

extern "C" void kg_gemm_cuda_hopper(struct kg_gemm *gemm)
{
    if (!aligned(gemm)) {
        kg_gemm_cuda_tensor(gemm);
        return;
    }
    const struct kg_hopper_tiling tiling = tiling_of(gemm);
    const struct hopper_problem p = {gemm->device.c, (int)gemm->m,   (int)gemm->n,
                                     (int)gemm->k,   tiling.tiles_m, tiling.tiles_n};
    const int clusters =
        min(p.tiles_m * p.tiles_n, max((int)gemm->device.processors / tiling.cluster, 1));
    const unsigned blocks = (unsigned)(clusters * tiling.cluster);
    const unsigned threads = (unsigned)threads_of(tiling.rows);
    const hopper_kernel kernel =
        kernels[gemm->device.c_bf16][tiling.rows == KG_TENSOR_M_FEW][tiling.cluster - 1];
    struct maps maps;
    memcpy(&maps, gemm->device.maps, sizeof maps);
    if (tiling.cluster == 1)
        KG_LAUNCH(kernel, blocks, threads, SHARED_BYTES, gemm->device.stream, p, maps);
    else
        KG_LAUNCH_CLUSTERS(kernel, 2, blocks, threads, SHARED_BYTES, gemm->device.stream, p, maps);
}

/* --- Preparation ------------------------------------------------------------------------------ */
static bool maps_make(struct kgate_context *context, struct kg_gemm *gemm)
{
    struct maps maps; /* aligned to more than context->allocate gives */
    const unsigned rows = (unsigned)tiling_of(gemm).rows;
    if (!kg_tensor_map_make(&maps.a, gemm->device.a, gemm->m, gemm->k, rows, KG_HOPPER_BOX) ||
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
    cudaError_t status = cudaSuccess;
    if (!kg_hopper_available(context))
        return false;
    if (!aligned(gemm))
        return kg_gemm_tensor_prepare(context, gemm);
    for (const auto &by_cluster : kernels[gemm->device.c_bf16])
        for (const hopper_kernel kernel : by_cluster)
            if (status == cudaSuccess)
                status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              SHARED_BYTES);
    if (status != cudaSuccess)
        return kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
    return kg_device_processors(context, &gemm->device.processors) && maps_make(context, gemm);
}
