/* emulated_hopper.h: device/code/hopper.cuh on the host, by the PTX ISA 9.2; wgmma is in
 * emulated_wgmma.h. Boxes come at once or at the wait for them, by chance. Products happen at the
 * wait for them. So both a missing wait and memory released too early show. If no thread opens a
 * barrier, or an instruction breaks a rule, the test ends. */
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
inline uint32_t kg_emulated_swizzle(uint32_t address)
{
    return address ^ (address >> 7 & 7) << 4;
}

/* Lets other threads continue: a meeting of one lane. */
inline void kg_emulated_yield(const char *where)
{
    kg_emulated_meet(where, 1U << kg_emulated_lane(), nullptr, 0, nullptr);
}

/* --- mbarrier -------------------------------------------------------------------------------- */
struct kg_emulated_mbarrier {
    int32_t bytes; /* still expected in the phase; negative if bytes arrive first */
    uint8_t arrivals;
    uint8_t missing; /* arrivals still missing in this phase */
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
/* `groups` of `matrices` of `lines` of `columns`; steps are in elements. */
struct kg_tensor_extents {
    size_t columns;
    size_t lines;
    size_t matrices;
    size_t groups;
    size_t line_step;
    size_t matrix_step;
    size_t group_step;
};

struct kg_tensor_map {
    const uint16_t *address;
    kg_tensor_extents of;
    unsigned box_lines;
    unsigned box_columns;
};

inline bool kg_tensor_map_known()
{
    return true;
}

inline bool kg_tensor_map_make_many(kg_tensor_map *map, void *address, const kg_tensor_extents *of,
                                    unsigned box_lines, unsigned box_columns)
{
    *map = {static_cast<const uint16_t *>(address), *of, box_lines, box_columns};
    return kg_emulated_aligned(address) && of->line_step * 2 % 16 == 0 &&
           of->matrix_step * 2 % 16 == 0 && of->group_step * 2 % 16 == 0 &&
           of->matrix_step <= of->line_step && box_lines <= 256 &&
           box_columns * 2 == 128; /* as wide as the swizzle */
}

inline bool kg_tensor_map_make(kg_tensor_map *map, void *address, size_t lines, size_t columns,
                               unsigned box_lines, unsigned box_columns)
{
    const kg_tensor_extents of = {columns, lines, 1, 1, columns, 0, 0};
    return kg_tensor_map_make_many(map, address, &of, box_lines, box_columns);
}

/* Requested boxes that have not arrived. */
struct kg_emulated_box {
    uint32_t start;
    kg_tensor_map map;
    int column;
    int line;
    int matrix;
    int group;
    uint64_t *barrier;
};
inline thread_local std::vector<kg_emulated_box> kg_emulated_boxes;

inline uint16_t kg_emulated_box_element(const kg_emulated_box &box, unsigned i, unsigned j)
{
    const kg_tensor_extents &of = box.map.of;
    const size_t l = static_cast<size_t>(box.line) + i, c = static_cast<size_t>(box.column) + j;
    const size_t matrix = static_cast<size_t>(box.matrix), group = static_cast<size_t>(box.group);
    const bool inside = l < of.lines && c < of.columns && matrix < of.matrices && group < of.groups;
    return inside ? box.map.address[group * of.group_step + matrix * of.matrix_step +
                                    l * of.line_step + c]
                  : 0;
}

inline void kg_emulated_box_write(const kg_emulated_box &box)
{
    char *const memory = kg_emulated_at(box.start); /* a place where the swizzle's pattern starts */
    for (unsigned i = 0; i < box.map.box_lines; i++)
        for (unsigned j = 0; j < box.map.box_columns; j++) {
            const uint16_t element = kg_emulated_box_element(box, i, j);
            memcpy(memory + kg_emulated_swizzle(i * 128 + j * 2), &element, sizeof element);
        }
}

/* The boxes of one barrier arrive. If the barrier was initialised again, its boxes are dropped. */
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

/* To each of the blocks whose bits are set, each time a box of its own. */
inline void kg_emulated_box_ask(void *shared, const kg_emulated_box &asked, uint32_t ranks)
{
    static thread_local uint32_t chance = 1;
    kg_emulated_rule(kg_shared_address(shared) % 1024 == 0, "a swizzled box not aligned to 1024");
    for (uint32_t rank = 0; ranks >> rank; rank++) {
        kg_emulated_box box = asked;
        if (!(ranks >> rank & 1))
            continue;
        box.start = kg_emulated_address_of(shared, rank);
        box.barrier = reinterpret_cast<uint64_t *>(
            kg_emulated_at(kg_emulated_address_of(asked.barrier, rank)));
        kg_emulated_boxes.push_back(box);
        chance = chance * 1664525U + 1013904223U; /* Numerical Recipes' generator */
        if (chance >> 31)
            kg_emulated_boxes_come(box.barrier);
    }
}

inline void kg_tma_copy_to(void *shared, const kg_tensor_map *map, int column, int line,
                           uint64_t *barrier, uint32_t ranks)
{
    kg_emulated_box_ask(shared, {0, *map, column, line, 0, 0, barrier}, ranks);
}

inline void kg_tma_copy(void *shared, const kg_tensor_map *map, int column, int line,
                        uint64_t *barrier)
{
    kg_tma_copy_to(shared, map, column, line, barrier, 1U << kg_cluster_rank());
}

inline void kg_tma_copy_of(void *shared, const kg_tensor_map *map, int column, int line, int matrix,
                           int group, uint64_t *barrier)
{
    kg_emulated_box_ask(shared, {0, *map, column, line, matrix, group, barrier},
                        1U << kg_cluster_rank());
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
