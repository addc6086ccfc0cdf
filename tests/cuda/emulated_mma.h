/* emulated_mma.h: common/mma.cuh on the host, among the emulator's threads. The layouts of the
 * fragments are those of the PTX ISA 9.2, 9.7.14.5.8 (m16n8k16 with floating point type) and
 * 9.7.14.5.15 (ldmatrix). Copies happen as late as allowed, at the wait for them, so that a missing
 * wait shows. If an instruction breaks a rule, the test ends. */
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "cuda/emulator.h"

/* Number of phases of ldmatrix (eight rows of 16 bytes) and of kg_cp_async_16 (eight threads), and
 * of phases that met a bank twice. The 32 banks are 4 bytes wide. Eight rows have no conflict if
 * their addresses in units of 16 bytes differ modulo 8. The test sets the counts to 0. */
struct kg_emulated_banks {
    unsigned long phases;
    unsigned long conflicts;
};
inline thread_local kg_emulated_banks kg_emulated_loads, kg_emulated_copies;

struct kg_emulated_copy {
    void *shared;
    const void *global;
    bool valid;
};

/* The copies of each thread of the block, a vector for each group; the last is not committed. */
using kg_emulated_groups = std::vector<std::vector<kg_emulated_copy>>;
inline thread_local std::vector<kg_emulated_groups> kg_emulated_pending;

inline void kg_emulated_rule(bool kept, const char *rule)
{
    if (kept)
        return;
    fprintf(stderr, "the device would not have this: %s\n", rule);
    abort();
}

/* Number of the calling thread in its cluster. */
inline unsigned kg_emulated_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) +
           kg_emulated_rank() * blockDim.x * blockDim.y * blockDim.z;
}

inline bool kg_emulated_aligned(const void *address)
{
    return reinterpret_cast<uintptr_t>(address) % 16 == 0;
}

/* Counts the four phases of a warp; called by one of its threads. */
inline void kg_emulated_phases(kg_emulated_banks *banks, const void *const address[32])
{
    for (unsigned phase = 0; phase < 4; phase++) {
        unsigned seen = 0;
        for (unsigned i = 0; i < 8; i++)
            seen |= 1U << reinterpret_cast<uintptr_t>(address[phase * 8 + i]) / 16 % 8;
        banks->phases++;
        banks->conflicts += seen != 0xff;
    }
}

inline kg_emulated_groups *kg_emulated_own()
{
    const unsigned thread = kg_emulated_thread();
    if (kg_emulated_pending.size() <= thread)
        kg_emulated_pending.resize(thread + 1);
    kg_emulated_groups *groups = &kg_emulated_pending[thread];
    if (groups->empty())
        groups->emplace_back();
    return groups;
}

inline void kg_cp_async_16(void *shared, const void *global, bool valid)
{
    const void *all[32];
    const void *mine = shared;
    kg_emulated_rule(kg_emulated_aligned(shared), "cp.async to an address not aligned to 16");
    kg_emulated_rule(kg_emulated_aligned(global), "cp.async from an address not aligned to 16");
    kg_emulated_warp_exchange(&mine, sizeof mine, all);
    if (kg_emulated_lane() == 0)
        kg_emulated_phases(&kg_emulated_copies, all);
    kg_emulated_own()->back().push_back({shared, global, valid});
}

inline void kg_cp_async_commit()
{
    kg_emulated_own()->emplace_back();
}

template <int pending> inline void kg_cp_async_wait()
{
    kg_emulated_groups *groups = kg_emulated_own();
    while (groups->size() > pending + 1) {
        for (const kg_emulated_copy &copy : groups->front())
            if (copy.valid)
                memcpy(copy.shared, copy.global, 16);
            else
                memset(copy.shared, 0, 16);
        groups->erase(groups->begin());
    }
}

inline uint16_t kg_emulated_element(const void *row, unsigned i)
{
    uint16_t element;
    memcpy(&element, static_cast<const char *>(row) + 2 * i, sizeof element);
    return element;
}

inline void kg_emulated_rows(const void *row, const void *all[32])
{
    kg_emulated_rule(kg_emulated_aligned(row), "ldmatrix of a row not aligned to 16");
    kg_emulated_warp_exchange(&row, sizeof row, all);
    if (kg_emulated_lane() == 0)
        kg_emulated_phases(&kg_emulated_loads, all);
}

inline void kg_ldmatrix_x4(uint32_t word[4], const void *row)
{
    const void *all[32];
    const unsigned lane = kg_emulated_lane(), pair = lane % 4 * 2;
    kg_emulated_rows(row, all);
    for (unsigned i = 0; i < 4; i++) {
        const void *source = all[8 * i + lane / 4];
        word[i] = kg_emulated_element(source, pair) |
                  uint32_t(kg_emulated_element(source, pair + 1)) << 16;
    }
}

inline void kg_ldmatrix_x4_trans(uint32_t word[4], const void *row)
{
    const void *all[32];
    const unsigned lane = kg_emulated_lane(), pair = lane % 4 * 2;
    kg_emulated_rows(row, all);
    for (unsigned i = 0; i < 4; i++)
        word[i] = kg_emulated_element(all[8 * i + pair], lane / 4) |
                  uint32_t(kg_emulated_element(all[8 * i + pair + 1], lane / 4)) << 16;
}

inline float kg_emulated_bf16(uint32_t word, unsigned half)
{
    const uint32_t bits = half ? word & 0xffff0000U : word << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct kg_emulated_fragments {
    uint32_t a[4], b[2];
};

/* Element (row, k) of A and (k, column) of B, from the lane that holds it. */
inline float kg_emulated_a(const kg_emulated_fragments all[32], unsigned row, unsigned k)
{
    const uint32_t *a = all[row % 8 * 4 + k % 8 / 2].a;
    return kg_emulated_bf16(a[row / 8 + k / 8 * 2], k % 2);
}

inline float kg_emulated_b(const kg_emulated_fragments all[32], unsigned k, unsigned column)
{
    const uint32_t *b = all[column * 4 + k % 8 / 2].b;
    return kg_emulated_bf16(b[k / 8], k % 2);
}

inline void kg_mma_bf16_16x8x16(float c[4], const uint32_t a[4], const uint32_t b[2])
{
    kg_emulated_fragments mine, all[32];
    memcpy(mine.a, a, sizeof mine.a);
    memcpy(mine.b, b, sizeof mine.b);
    kg_emulated_warp_exchange(&mine, sizeof mine, all);
    const unsigned lane = kg_emulated_lane();
    for (unsigned i = 0; i < 4; i++) {
        const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 16; k++)
            c[i] += kg_emulated_a(all, row, k) * kg_emulated_b(all, k, column);
    }
}
