/* attention_hopper_rows.cuh: the warps of attention's version `hopper` that multiply. Part of
 * attention_hopper.cu. */
#pragma once
#include <cmath>

#include "attention/attention.cuh"
#include "attention/attention_hopper.cuh"
#include "device/code/hopper.cuh"

enum {
    GROUP_THREADS = 128,
    GROUPS = KG_HEADS_LINES / KG_HOPPER_GROUP_M, /* of warps that multiply */
    CONSUMERS = GROUPS * GROUP_THREADS,
    THREADS = CONSUMERS + GROUP_THREADS, /* of the last group one thread copies */
    SCORES = KG_HEADS_LINES / 2,         /* of a thread: 64 by 128 by 128 threads */
    STEPS_KEYS = KG_HEADS_LINES / KG_HOPPER_STEP,
    REGISTERS = 240,     /* of a thread that multiplies */
    COPY_REGISTERS = 24, /* of a thread in the copying group */
    ALIGNMENT = KG_HOPPER_REPEAT_BYTES
};

struct heads_problem {
    struct kg_attention_shape shape; /* scale is the scores' times log2(e): exponentials are powers
                                        of two */
    uint16_t *h;
    int tiles; /* of queries, of each head */
};

#ifdef KG_HOPPER_CODE
/* How many tiles of keys a tile of queries sees. */
static __device__ __forceinline__ int tiles_seen(const struct heads_problem &p, int tile)
{
    return p.shape.causal ? tile + 1 : p.tiles;
}

/* A thread's state of its two rows: lane / 4 of its warp's 16, and the row 8 below. Each of a row's
 * four threads has a part of its sum. */
template <int WIDTH> struct state {
    float out[WIDTH / 2];
    uint32_t weights[STEPS_KEYS][4];
    float largest[2];
    float sum[2];
};

/* Waits for a piece and returns its address. */
template <int WIDTH>
static __device__ __forceinline__ uint32_t piece_await(struct kg_heads_shared<WIDTH> *shared,
                                                       int piece)
{
    const int at = piece % KG_HEADS_SLOTS;
    kg_mbarrier_wait(&shared->full[at], piece / KG_HEADS_SLOTS % 2);
    return kg_shared_address(&shared->slots[at]);
}

template <int WIDTH>
static __device__ __forceinline__ void piece_free(struct kg_heads_shared<WIDTH> *shared, int piece)
{
    if (threadIdx.x % 32 == 0)
        kg_mbarrier_arrive(&shared->empty[piece % KG_HEADS_SLOTS]);
}

/* The two groups begin their products of a tile in turn, as in FlashAttention-3. So one computes
 * weights while the products of the other run. `tile` counts the tiles of the loop from 0. Group 0
 * waits for the phase before that of group 1: at first for one that counts as passed. */
template <int WIDTH>
static __device__ __forceinline__ void turn_await(struct kg_heads_shared<WIDTH> *shared, int group,
                                                  int tile)
{
    static_assert(GROUPS == 2, "the other group is the next");
    kg_mbarrier_wait(&shared->turn[group], (tile + 1 + group) % 2);
}

template <int WIDTH>
static __device__ __forceinline__ void turn_give(struct kg_heads_shared<WIDTH> *shared, int group)
{
    if (threadIdx.x % 32 == 0)
        kg_mbarrier_arrive(&shared->turn[1 - group]);
}

/* Begins the scores of the group's queries against the keys that are the piece, unscaled. */
template <int WIDTH>
static __device__ __forceinline__ void scores_begin(struct kg_heads_shared<WIDTH> *shared,
                                                    int group, int piece, float s[SCORES])
{
    const uint32_t queries = kg_shared_address(&shared->queries);
    const uint32_t keys = piece_await<WIDTH>(shared, piece);
    kg_wgmma_begin();
    kg_wgmma_64x128x16<false>(s, kg_heads_lines(queries, group * KG_HOPPER_GROUP_M, 0),
                              kg_heads_lines(keys, 0, 0));
#pragma unroll
    for (int step = 1; step < WIDTH / KG_HOPPER_STEP; step++)
        kg_wgmma_64x128x16<true>(s, kg_heads_lines(queries, group * KG_HOPPER_GROUP_M, step),
                                 kg_heads_lines(keys, 0, step));
    kg_wgmma_commit();
}

/* Begins to add the values that are the piece, weighted. */
template <int WIDTH>
static __device__ __forceinline__ void values_begin(struct kg_heads_shared<WIDTH> *shared,
                                                    int piece, struct state<WIDTH> &state)
{
    const uint32_t values = piece_await<WIDTH>(shared, piece);
    kg_wgmma_begin();
#pragma unroll
    for (int step = 0; step < STEPS_KEYS; step++)
        kg_wgmma_of_registers<WIDTH>(state.out, state.weights[step], kg_heads_values(values, step));
    kg_wgmma_commit();
}

/* s[4 j …] are keys 8 j and the next, first of the thread's first row, then of its second. The
 * thread's first row is `row`, its first key `key`. */
static __device__ __forceinline__ void scores_mask(const struct kg_attention_shape &shape, int row,
                                                   int key, float s[SCORES])
{
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const int query = row + e / 2 * 8;
        const int end = shape.causal ? min(query + 1, shape.seq_len) : shape.seq_len;
#pragma unroll
        for (int j = 0; j < SCORES / 4; j++)
            if (key + j * 8 + e % 2 >= end)
                s[4 * j + e] = -INFINITY;
    }
}

static __device__ __forceinline__ float row_largest(float largest)
{
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 1));
    return fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, 2));
}

/* Turns scores into weights relative to the new maximum. `correction`: the factor for the sums of
 * earlier tiles, 0 at the first tile. The row sees a key of the first tile, so the maximum is
 * finite afterwards. */
template <int WIDTH>
static __device__ __forceinline__ void weights_make(float scale, float s[SCORES],
                                                    struct state<WIDTH> &state, float correction[2])
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float largest = state.largest[half], sum = 0;
#pragma unroll
        for (int j = half * 2; j < SCORES; j += 4)
            largest = fmaxf(largest, fmaxf(s[j], s[j + 1]));
        largest = row_largest(largest);
        correction[half] = kg_power_of_two((state.largest[half] - largest) * scale);
        const float offset = largest * scale;
#pragma unroll
        for (int j = half * 2; j < SCORES; j += 4)
#pragma unroll
            for (int e = j; e < j + 2; e++) {
                s[e] = kg_power_of_two(s[e] * scale - offset);
                sum += s[e];
            }
        state.sum[half] = state.sum[half] * correction[half] + sum;
        state.largest[half] = largest;
    }
}

/* Corrects the weighted values, and takes the new weights. Two tiles of scores (16 by 8) form one A
 * (16 by 16) in the same threads. */
template <int WIDTH>
static __device__ __forceinline__ void
weights_take(const float s[SCORES], const float correction[2], struct state<WIDTH> &state)
{
#pragma unroll
    for (int i = 0; i < WIDTH / 2; i++)
        state.out[i] *= correction[i % 4 / 2];
#pragma unroll
    for (int i = 0; i < STEPS_KEYS * 4; i++)
        state.weights[i / 4][i % 4] = kg_bf16_pair(s[2 * i], s[2 * i + 1]);
}

/* `h` is the head's first element, `row` the thread's first row. */
template <int WIDTH>
static __device__ __forceinline__ void rows_write(const struct kg_attention_shape &shape,
                                                  uint16_t *h, int row,
                                                  const struct state<WIDTH> &state)
{
    const int column = (int)threadIdx.x % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int query = row + half * 8;
        float sum = state.sum[half];
        sum += __shfl_xor_sync(0xffffffffU, sum, 1);
        sum += __shfl_xor_sync(0xffffffffU, sum, 2);
        if (query >= shape.seq_len)
            continue;
        const float inverse = __fdividef(1.0F, sum);
        uint16_t *to = h + (size_t)query * (size_t)shape.d_model + column;
#pragma unroll
        for (int j = 0; j < WIDTH / 8; j++)
            if (j * 8 < shape.d_head)
                *reinterpret_cast<uint32_t *>(to + j * 8) =
                    kg_bf16_pair(state.out[4 * j + half * 2] * inverse,
                                 state.out[4 * j + half * 2 + 1] * inverse);
    }
}

/* The last tile of keys alone: the rows' first weights. */
template <int WIDTH>
static __device__ __forceinline__ void
first_weights(const struct heads_problem &p, int group, int row, int key,
              struct kg_heads_shared<WIDTH> *shared, struct state<WIDTH> &state)
{
    float s[SCORES], correction[2];
    kg_mbarrier_wait(&shared->queries_full, 0);
    scores_begin<WIDTH>(shared, group, 0, s);
    kg_wgmma_wait<0>();
    kg_wgmma_settle<SCORES>(s);
    piece_free<WIDTH>(shared, 0);
    if (p.shape.causal || key + KG_HEADS_LINES > p.shape.seq_len)
        scores_mask(p.shape, row, key + (int)threadIdx.x % 4 * 2, s);
    weights_make<WIDTH>(p.shape.scale, s, state, correction);
    weights_take<WIDTH>(s, correction, state);
}

/* The scores of a tile, piece `piece`, beside the weighted values of the one after it. */
template <int WIDTH>
static __device__ __forceinline__ void tile_attend(float scale, int group, int piece,
                                                   struct kg_heads_shared<WIDTH> *shared,
                                                   struct state<WIDTH> &state)
{
    float s[SCORES], correction[2];
    turn_await<WIDTH>(shared, group, piece / 2);
    scores_begin<WIDTH>(shared, group, piece, s);
    values_begin<WIDTH>(shared, piece + 1, state);
    turn_give<WIDTH>(shared, group);
    kg_wgmma_wait<1>();
    kg_wgmma_settle<SCORES>(s);
    piece_free<WIDTH>(shared, piece);
    weights_make<WIDTH>(scale, s, state, correction);
    kg_wgmma_wait<0>();
    kg_wgmma_settle<WIDTH / 2>(state.out);
    piece_free<WIDTH>(shared, piece + 1);
    weights_take<WIDTH>(s, correction, state);
}

template <int WIDTH>
static __device__ __forceinline__ void rows_attend(const struct heads_problem &p, int2 block,
                                                   struct kg_heads_shared<WIDTH> *shared)
{
    const int group = (int)threadIdx.x / GROUP_THREADS, tiles = tiles_seen(p, block.y);
    const int row =
        block.y * KG_HEADS_LINES + (int)threadIdx.x / 32 * 16 + (int)threadIdx.x % 32 / 4;
    struct state<WIDTH> state = {
    };
    int piece = 1;
    state.largest[0] = state.largest[1] = -INFINITY;
    first_weights<WIDTH>(p, group, row, (tiles - 1) * KG_HEADS_LINES, shared, state);
    for (; piece < 2 * tiles - 1; piece += 2)
        tile_attend<WIDTH>(p.shape.scale, group, piece, shared, state);
    values_begin<WIDTH>(shared, piece, state);
    kg_wgmma_wait<0>();
    kg_wgmma_settle<WIDTH / 2>(state.out);
    rows_write<WIDTH>(p.shape, kg_head_h(p.shape, p.h, block.x), row, state);
}
#endif
