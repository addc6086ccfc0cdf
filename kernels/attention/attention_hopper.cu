/* hopper: flash for compute capability 9.0 as FlashAttention-3 arranges it (Shah, Bikshandi, Zhang,
 * Thakkar, Ramani and Dao 2024), in bfloat16. A block has 128 queries of a head. One thread asks
 * TMA for tiles of 128 keys and of their values, which come into four slots of shared memory. Two
 * warpgroups multiply, each for 64 queries. wgmma makes scores from shared memory. The scores
 * become weights in registers, are rounded to bfloat16, and are the left factor of the wgmma with
 * the values: scores and left factors have the same layout in threads. The copying thread and the
 * warpgroups meet at barriers in shared memory: `full` marks an arrived tile, `empty` a multiplied
 * tile.
 *
 * Both products are asynchronous. The scores of a tile and the weighted values of the tile before
 * begin together. The scores become weights during the product with the values. The warpgroups begin
 * in turn, by another pair of barriers. So exponentials, at 16 per cycle and multiprocessor, hide
 * behind products of this and of the other warpgroup.
 *
 * The copying thread belongs to a warpgroup that gives its registers to the others. With heads of
 * 128, a thread needs 64 sums, 64 scores, 32 words of weights and some more. 384 threads could have
 * 168 registers each, which is too few.
 *
 * Tiles are taken from the last to the first. Only the last tile crosses the diagonal or the end of
 * the keys, so the kernel masks it alone, before the loop. Every query sees a key of this tile. TMA
 * writes zeros beyond the ends of a sequence and of a head's columns: its map has [Q K V] as heads
 * side by side.
 *
 * The projections are gemm's `hopper`, the first with its result rounded to bfloat16. */
#include "attention/attention.cuh"
#include "attention/attention_flash.cuh"
#include "attention/attention_hopper.cuh"
#include "attention/attention_hopper_rows.cuh"
#include "common/common.h"
#include "common/hopper.cuh"
#include "gemm/gemm.h"

#ifdef KG_HOPPER_CODE
/* --- The thread that copies -----------------------------------------------------------------------
 * The head's tiles, in the order in which they are multiplied, are pieces 0, 1, …: the last keys;
 * then the keys of each tile before, and the values of the one after those; the first values. */
enum third { QUERIES, KEYS, VALUES };

struct head {
    int number; /* of the sequence's */
    int sequence;
};

template <int WIDTH>
static __device__ __forceinline__ void
tile_copy(const struct heads_problem &p, const struct kg_tensor_map *map, struct head head,
          enum third third, int tile, struct kg_heads_tile<WIDTH> *to, uint64_t *full)
{
    kg_mbarrier_expect(full, sizeof *to);
#pragma unroll
    for (int box = 0; box < WIDTH / KG_HOPPER_BOX; box++)
        kg_tma_copy_of(to->boxes[box], map, box * KG_HOPPER_BOX, tile * KG_HEADS_LINES,
                       third * p.shape.num_heads + head.number, head.sequence, full);
}

template <int WIDTH>
static __device__ __forceinline__ void
piece_copy(const struct heads_problem &p, const struct kg_tensor_map *map, struct head head,
           enum third third, int tile, int piece, struct kg_heads_shared<WIDTH> *shared)
{
    const int at = piece % KG_HEADS_SLOTS, round = piece / KG_HEADS_SLOTS;
    if (round > 0)
        kg_mbarrier_wait(&shared->empty[at], (round - 1) % 2);
    tile_copy<WIDTH>(p, map, head, third, tile, &shared->slots[at], &shared->full[at]);
}

template <int WIDTH>
static __device__ __forceinline__ void pieces_copy(const struct heads_problem &p,
                                                   const struct kg_tensor_map *map, int2 block,
                                                   struct kg_heads_shared<WIDTH> *shared)
{
    const struct head head = {block.x % p.shape.num_heads, block.x / p.shape.num_heads};
    int tile = tiles_seen(p, block.y) - 1, piece = 0;
    tile_copy<WIDTH>(p, map, head, QUERIES, block.y, &shared->queries, &shared->queries_full);
    piece_copy<WIDTH>(p, map, head, KEYS, tile, piece++, shared);
    for (; tile > 0; tile--) {
        piece_copy<WIDTH>(p, map, head, KEYS, tile - 1, piece++, shared);
        piece_copy<WIDTH>(p, map, head, VALUES, tile, piece++, shared);
    }
    piece_copy<WIDTH>(p, map, head, VALUES, 0, piece, shared);
}
#endif

/* The group that copies takes no part in the rest. */
template <int WIDTH>
static __global__ void __launch_bounds__(THREADS, 1)
    hopper(struct heads_problem p, const __grid_constant__ struct kg_tensor_map map)
{
#ifdef KG_HOPPER_CODE
    KG_DYNAMIC_SHARED(unsigned char, memory);
    struct kg_heads_shared<WIDTH> *shared = reinterpret_cast<struct kg_heads_shared<WIDTH> *>(
        memory + (ALIGNMENT - kg_shared_address(memory) % ALIGNMENT) % ALIGNMENT);
    const int2 block = kg_flash_block(p.tiles, (int)gridDim.x, p.shape.causal, (int)blockIdx.x);
    if (threadIdx.x == 0) {
        kg_mbarrier_make(&shared->queries_full, 1);
        for (int i = 0; i < KG_HEADS_SLOTS; i++) {
            kg_mbarrier_make(&shared->full[i], 1);
            kg_mbarrier_make(&shared->empty[i], CONSUMERS / 32);
        }
        for (int i = 0; i < GROUPS; i++)
            kg_mbarrier_make(&shared->turn[i], GROUP_THREADS / 32);
        kg_mbarrier_publish();
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        kg_registers_give<COPY_REGISTERS>();
        if (threadIdx.x == CONSUMERS)
            pieces_copy<WIDTH>(p, &map, block, shared);
    } else {
        kg_registers_take<REGISTERS>();
        rows_attend<WIDTH>(p, block, shared);
    }
#else
    (void)p, (void)map;
    __trap(); /* kg_attention_hopper_prepare lets nothing else come here */
#endif
}

/* d_head to the width of the tiles that hold it. */
struct plan {
    void (*kernel)(struct heads_problem p, const struct kg_tensor_map map);
    size_t shared_bytes;
};
static const struct plan plans[] = {{hopper<64>, sizeof(struct kg_heads_shared<64>) + ALIGNMENT},
                                    {hopper<128>, sizeof(struct kg_heads_shared<128>) + ALIGNMENT}};

static const struct plan *plan_of(const struct kg_attention *attention)
{
    return &plans[attention->d_head > 64];
}

/* --- On the host ------------------------------------------------------------------------------ */
extern "C" bool kg_attention_hopper_prepare(struct kgate_context *context,
                                            struct kg_attention *attention)
{
    const struct plan *plan = plan_of(attention);
    if (!kg_hopper_available(context))
        return false;
    if (attention->d_head > KG_HEADS_WIDTH_MOST || attention->d_head % KG_HEADS_CHUNK != 0) {
        context->unavailable = true;
        return kg_kernel_refuse(context,
                                "version 'hopper' needs heads of a multiple of %d columns up to %d",
                                KG_HEADS_CHUNK, KG_HEADS_WIDTH_MOST);
    }
    return kg_attention_allow(context, plan->kernel, plan->shared_bytes, "hopper");
}

static struct kg_gemm projection(const struct kg_attention *attention, bool output)
{
    struct kg_gemm gemm = kg_attention_projection(attention, output);
    gemm.device.c_bf16 = !output;
    gemm.device.processors = attention->device.processors;
    gemm.device.maps = attention->device.projection_maps[output];
    return gemm;
}

/* Describes [Q K V] to TMA as one matrix per head and third, all Q, then all K, then all V of a
 * sequence. */
static bool heads_describe(struct kgate_context *context, struct kg_attention *attention)
{
    const size_t d = attention->d_model, n = attention->seq_len;
    const struct kg_tensor_extents heads = {.columns = attention->d_head,
                                            .lines = n,
                                            .matrices = 3 * attention->num_heads,
                                            .groups = attention->batch,
                                            .line_step = 3 * d,
                                            .matrix_step = attention->d_head,
                                            .group_step = n * 3 * d};
    struct kg_tensor_map map; /* aligned to more than context->allocate gives */
    if (!kg_tensor_map_make_many(&map, attention->device.arrays.qkv, &heads, KG_HEADS_LINES,
                                 KG_HOPPER_BOX))
        return kg_kernel_refuse(context, "the driver refuses to describe Q, K and V for TMA");
    attention->device.heads_map = context->allocate(context, sizeof map);
    if (!attention->device.heads_map)
        return kg_kernel_refuse(context, "no memory for the descriptor of Q, K and V");
    memcpy(attention->device.heads_map, &map, sizeof map);
    return true;
}

extern "C" bool kg_attention_hopper_map(struct kgate_context *context,
                                        struct kg_attention *attention)
{
    for (const bool output : {false, true}) {
        struct kg_gemm gemm = projection(attention, output);
        if (!kg_gemm_hopper_prepare(context, &gemm))
            return false;
        attention->device.projection_maps[output] = gemm.device.maps;
        attention->device.processors = gemm.device.processors;
    }
    return heads_describe(context, attention);
}

static void project(const struct kg_attention *attention, bool output)
{
    struct kg_gemm gemm = projection(attention, output);
    kg_gemm_cuda_hopper(&gemm);
}

static void attend(const struct kg_attention *attention)
{
    const struct plan *plan = plan_of(attention);
    struct kg_attention_shape shape = kg_attention_shape_of(attention);
    shape.scale *= 1.44269504F; /* log2(e) */
    const int tiles = (shape.seq_len + KG_HEADS_LINES - 1) / KG_HEADS_LINES;
    const struct heads_problem p = {shape, (uint16_t *)attention->device.arrays.h, tiles};
    struct kg_tensor_map map;
    memcpy(&map, attention->device.heads_map, sizeof map);
    KG_LAUNCH(plan->kernel, (unsigned)(shape.heads * tiles), THREADS, plan->shared_bytes,
              attention->device.stream, p, map);
}

extern "C" void kg_attention_cuda_hopper(struct kg_attention *attention)
{
    kg_attention_in_three(attention, project, attend);
}
