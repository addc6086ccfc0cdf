/* emulated_hopper.h: common/hopper.cuh on the host, from what the PTX ISA 9.2 says. Boxes come
 * either at once or when they are waited for, by chance, and products are done when they are waited
 * for, so that both a wait too few and memory given back too early show; a barrier that nobody
 * opens ends the test, and so does what breaks a rule. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <vector>

#include "cuda/emulated_mma.h"

#define KG_HOPPER_CODE

/* --- Addresses of shared memory: not from 0, and not from a multiple of 1024 ------------------ */
enum { KG_EMULATED_SHARED_START = 640 };

inline uint32_t kg_shared_address(const void *shared)
{
    return KG_EMULATED_SHARED_START +
           static_cast<uint32_t>(static_cast<const char *>(shared) -
                                 static_cast<const char *>(kg_emulated_dynamic_shared()));
}

/* The upper 8 bits: 0 for the calling thread's block, or 1 and up for a block of its cluster. */
enum { KG_EMULATED_RANK_SHIFT = 24 };

inline uint32_t kg_emulated_address_of(const void *shared, uint32_t rank)
{
    return kg_shared_address(shared) | (rank + 1) << KG_EMULATED_RANK_SHIFT;
}

inline char *kg_emulated_at(uint32_t address)
{
    const uint32_t block = address >> KG_EMULATED_RANK_SHIFT;
    const uint32_t offset =
        (address & ((1U << KG_EMULATED_RANK_SHIFT) - 1)) - KG_EMULATED_SHARED_START;
    return static_cast<char *>(block ? kg_emulated_dynamic_shared_of(block - 1)
                                     : kg_emulated_dynamic_shared()) +
           offset;
}

/* The swizzle of 128 bytes, which both TMA and wgmma apply to addresses. */
inline char *kg_emulated_swizzled(uint32_t address)
{
    return kg_emulated_at(address ^ (address >> 7 & 7) << 4);
}

/* Lets other threads go on: a meeting with nobody. */
inline void kg_emulated_yield(const char *where)
{
    kg_emulated_meet(where, 1U << kg_emulated_lane(), nullptr, 0, nullptr);
}

/* --- mbarrier -------------------------------------------------------------------------------- */
struct kg_emulated_mbarrier {
    int32_t
        bytes; /* that the phase still waits for; below 0 where they come before the word of them */
    uint8_t arrivals;
    uint8_t missing; /* of them, in this phase */
    uint8_t phase;
    uint8_t made;
};
enum { KG_EMULATED_MADE = 0x5a };

inline kg_emulated_mbarrier *kg_emulated_barrier_of(uint64_t *barrier)
{
    kg_emulated_mbarrier *own = reinterpret_cast<kg_emulated_mbarrier *>(barrier);
    kg_emulated_rule(own->made == KG_EMULATED_MADE, "an mbarrier that was not initialised");
    return own;
}

inline void kg_emulated_phase_settle(kg_emulated_mbarrier *barrier)
{
    if (barrier->missing > 0 || barrier->bytes != 0)
        return;
    barrier->missing = barrier->arrivals;
    barrier->phase ^= 1;
}

inline void kg_mbarrier_publish()
{
}

inline void kg_mbarrier_expect(uint64_t *barrier, int bytes)
{
    kg_emulated_mbarrier *own = kg_emulated_barrier_of(barrier);
    kg_emulated_rule(own->missing > 0, "more arrivals at an mbarrier than it counts");
    own->bytes += bytes;
    own->missing--;
    kg_emulated_phase_settle(own);
}

inline void kg_mbarrier_arrive(uint64_t *barrier)
{
    kg_mbarrier_expect(barrier, 0);
}

inline void kg_mbarrier_arrive_at(uint64_t *barrier, uint32_t rank)
{
    kg_mbarrier_arrive(
        reinterpret_cast<uint64_t *>(kg_emulated_at(kg_emulated_address_of(barrier, rank))));
}

/* --- Clusters -------------------------------------------------------------------------------- */
inline uint32_t kg_cluster_rank()
{
    return kg_emulated_rank();
}

inline void kg_cluster_meet()
{
    kg_emulated_barrier(KG_VOTE_CLUSTER, 0);
}

/* --- TMA ------------------------------------------------------------------------------------- */
struct kg_tensor_map {
    const uint16_t *address;
    size_t lines;
    size_t columns;
    unsigned box_lines;
    unsigned box_columns;
};

inline bool kg_tensor_map_known()
{
    return true;
}

inline bool kg_tensor_map_make(kg_tensor_map *map, void *address, size_t lines, size_t columns,
                               unsigned box_lines, unsigned box_columns)
{
    *map = {static_cast<const uint16_t *>(address), lines, columns, box_lines, box_columns};
    return kg_emulated_aligned(address) && columns * 2 % 16 == 0 && box_lines <= 256 &&
           box_columns * 2 == 128; /* as wide as the swizzle */
}

/* Boxes that were asked for and are not there. */
struct kg_emulated_box {
    uint32_t start;
    kg_tensor_map map;
    int column;
    int line;
    uint64_t *barrier;
};
inline thread_local std::vector<kg_emulated_box> kg_emulated_boxes;

inline void kg_emulated_box_write(const kg_emulated_box &box)
{
    const kg_tensor_map &map = box.map;
    for (unsigned i = 0; i < map.box_lines; i++)
        for (unsigned j = 0; j < map.box_columns; j++) {
            const size_t l = static_cast<size_t>(box.line) + i;
            const size_t c = static_cast<size_t>(box.column) + j;
            const bool inside = l < map.lines && c < map.columns;
            const uint16_t element = inside ? map.address[l * map.columns + c] : 0;
            memcpy(kg_emulated_swizzled(box.start + i * 128 + j * 2), &element, sizeof element);
        }
}

/* Those of one barrier come, or, of a barrier made anew, are forgotten. */
inline void kg_emulated_boxes_come(uint64_t *barrier)
{
    std::vector<kg_emulated_box> others;
    for (const kg_emulated_box &box : kg_emulated_boxes) {
        if (box.barrier != barrier) {
            others.push_back(box);
            continue;
        }
        kg_emulated_mbarrier *own = kg_emulated_barrier_of(barrier);
        kg_emulated_box_write(box);
        own->bytes -= static_cast<int32_t>(box.map.box_lines * box.map.box_columns * 2);
        kg_emulated_phase_settle(own);
    }
    kg_emulated_boxes.swap(others);
}

inline void kg_tma_copy_to(void *shared, const kg_tensor_map *map, int column, int line,
                           uint64_t *barrier, uint32_t ranks)
{
    static thread_local uint32_t chance = 1;
    kg_emulated_rule(kg_shared_address(shared) % 1024 == 0, "a swizzled box not aligned to 1024");
    for (uint32_t rank = 0; ranks >> rank; rank++) {
        if (!(ranks >> rank & 1))
            continue;
        uint64_t *const there =
            reinterpret_cast<uint64_t *>(kg_emulated_at(kg_emulated_address_of(barrier, rank)));
        kg_emulated_boxes.push_back(
            {kg_emulated_address_of(shared, rank), *map, column, line, there});
        chance = chance * 1664525U + 1013904223U; /* Numerical Recipes' generator */
        if (chance >> 31)
            kg_emulated_boxes_come(there);
    }
}

inline void kg_tma_copy(void *shared, const kg_tensor_map *map, int column, int line,
                        uint64_t *barrier)
{
    kg_tma_copy_to(shared, map, column, line, barrier, 1U << kg_cluster_rank());
}

inline void kg_emulated_boxes_forget(const uint64_t *barrier)
{
    std::vector<kg_emulated_box> others;
    for (const kg_emulated_box &box : kg_emulated_boxes)
        if (box.barrier != barrier)
            others.push_back(box);
    kg_emulated_boxes.swap(others);
}

inline void kg_mbarrier_make(uint64_t *barrier, int arrivals)
{
    const uint8_t count = static_cast<uint8_t>(arrivals);
    kg_emulated_boxes_forget(barrier);
    *reinterpret_cast<kg_emulated_mbarrier *>(barrier) = {0, count, count, 0, KG_EMULATED_MADE};
}

inline void kg_mbarrier_wait(uint64_t *barrier, int parity)
{
    const kg_emulated_mbarrier *own = kg_emulated_barrier_of(barrier);
    for (long tries = 0; own->phase == parity; tries++) {
        kg_emulated_rule(tries < 1000 * 1000, "an mbarrier that nobody opens");
        kg_emulated_yield("kg_mbarrier_wait");
        if (own->phase == parity)
            kg_emulated_boxes_come(barrier);
    }
}

/* --- wgmma ----------------------------------------------------------------------------------- */
struct kg_emulated_product {
    float *sums;
    uint64_t a;
    uint64_t b;
};
using kg_emulated_products = std::vector<std::vector<kg_emulated_product>>;
inline thread_local std::vector<kg_emulated_products> kg_emulated_under_way;

inline kg_emulated_products *kg_emulated_own_products()
{
    const unsigned thread = kg_emulated_thread();
    if (kg_emulated_under_way.size() <= thread)
        kg_emulated_under_way.resize(thread + 1);
    if (kg_emulated_under_way[thread].empty())
        kg_emulated_under_way[thread].emplace_back();
    return &kg_emulated_under_way[thread];
}

/* 9.7.15.5.1.2.2: start, leading and stride offset in units of 16 bytes;
 * swizzle 1, no base offset. */
struct kg_emulated_matrix {
    uint32_t start;
    uint32_t leading;
    uint32_t stride;
};

inline kg_emulated_matrix kg_emulated_decode(uint64_t descriptor)
{
    kg_emulated_rule(descriptor >> 46 == UINT64_C(1) << 16, "a descriptor of another swizzle");
    return {static_cast<uint32_t>(descriptor & 0x3fff) << 4,
            static_cast<uint32_t>(descriptor >> 16 & 0x3fff) << 4,
            static_cast<uint32_t>(descriptor >> 32 & 0x3fff) << 4};
}

inline float kg_emulated_read(uint32_t address)
{
    uint16_t element;
    memcpy(&element, kg_emulated_swizzled(address), sizeof element);
    return kg_emulated_bf16(element, 0);
}

/* K-major, ((8,m),(T,2k)):((8T,SBO),(1,T)), and N-major, ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)). */
inline float kg_emulated_k_major(const kg_emulated_matrix &a, unsigned row, unsigned k)
{
    return kg_emulated_read(a.start + row % 8 * 128 + row / 8 * a.stride + k * 2);
}

inline float kg_emulated_n_major(const kg_emulated_matrix &b, unsigned k, unsigned n)
{
    return kg_emulated_read(b.start + n % 64 * 2 + n / 64 * b.leading + k % 8 * 128 +
                            k / 8 * b.stride);
}

inline void kg_emulated_multiply(const kg_emulated_product &product)
{
    const unsigned thread = kg_emulated_thread(), lane = thread % 32;
    const unsigned row = thread / 32 % 4 * 16 + lane / 4, column = lane % 4 * 2;
    const kg_emulated_matrix a = kg_emulated_decode(product.a), b = kg_emulated_decode(product.b);
    for (unsigned k = 0; k < 16; k++) {
        const float upper = kg_emulated_k_major(a, row, k);
        const float lower = kg_emulated_k_major(a, row + 8, k);
        for (unsigned j = 0; j < 64; j++) {
            const float x = kg_emulated_n_major(b, k, j / 2 * 8 + column + j % 2);
            product.sums[j / 2 * 4 + j % 2] += upper * x;
            product.sums[j / 2 * 4 + j % 2 + 2] += lower * x;
        }
    }
}

/* All of these are .sync.aligned: a warp's lanes go through them together. */
inline void kg_wgmma_begin()
{
    __syncwarp();
}

inline void kg_wgmma_64x256x16(float s[128], uint64_t a, uint64_t b)
{
    __syncwarp();
    kg_emulated_own_products()->back().push_back({s, a, b});
}

inline void kg_wgmma_commit()
{
    __syncwarp();
    kg_emulated_own_products()->emplace_back();
}

template <int pending> inline void kg_wgmma_wait()
{
    kg_emulated_products *own = kg_emulated_own_products();
    __syncwarp(); /* and others go on meanwhile, if memory was given to them */
    while (own->size() > pending + 1) {
        for (const kg_emulated_product &product : own->front())
            kg_emulated_multiply(product);
        own->erase(own->begin());
    }
    __syncwarp();
}
