/* emulated_wgmma.h: wgmma of device/code/hopper.cuh on the host. A wait makes the products of a
 * warpgroup, from the operands at that time. Section numbers are those of the PTX ISA 9.2. */
#pragma once
#include "cuda/emulated_hopper.h"

/* --- wgmma ----------------------------------------------------------------------------------- */
/* A product in progress: the caller leaves both operands and the sums in place until the wait. */
struct kg_emulated_product {
    float *sums;
    unsigned columns;
    bool add;
    const uint32_t *registers; /* of A, instead of its descriptor */
    uint64_t a;
    uint64_t b;
    bool b_k_major;
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
    const char *memory; /* memory at address 0 of the descriptor */
    uint32_t start;
    uint32_t leading;
    uint32_t stride;
};

inline kg_emulated_matrix kg_emulated_decode(uint64_t descriptor)
{
    kg_emulated_rule(descriptor >> 46 == UINT64_C(1) << 16, "a descriptor of another swizzle");
    return {static_cast<const char *>(kg_emulated_dynamic_shared()) - KG_EMULATED_SHARED_START,
            static_cast<uint32_t>(descriptor & 0x3fff) << 4,
            static_cast<uint32_t>(descriptor >> 16 & 0x3fff) << 4,
            static_cast<uint32_t>(descriptor >> 32 & 0x3fff) << 4};
}

inline float kg_emulated_read(const kg_emulated_matrix &from, uint32_t address)
{
    uint16_t element;
    memcpy(&element, from.memory + kg_emulated_swizzle(address), sizeof element);
    return kg_emulated_bf16(element, 0);
}

/* K-major, ((8,m),(T,2k)):((8T,SBO),(1,T)), and N-major, ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO)). */
inline float kg_emulated_k_major(const kg_emulated_matrix &a, unsigned row, unsigned k)
{
    return kg_emulated_read(a, a.start + row % 8 * 128 + row / 8 * a.stride + k * 2);
}

inline float kg_emulated_n_major(const kg_emulated_matrix &b, unsigned k, unsigned n)
{
    return kg_emulated_read(b, b.start + n % 64 * 2 + n / 64 * b.leading + k % 8 * 128 +
                                   k / 8 * b.stride);
}

/* A warp's rows of A. In registers, they have the layout of kg_mma_bf16_16x8x16. */
inline void kg_emulated_rows_of_a(const kg_emulated_product &product, float upper[16],
                                  float lower[16])
{
    const unsigned thread = kg_emulated_thread(), row = thread % 32 / 4;
    kg_emulated_fragments mine = {}, all[32];
    if (product.registers) {
        memcpy(mine.a, product.registers, sizeof mine.a);
        kg_emulated_warp_exchange(&mine, sizeof mine, all);
    }
    for (unsigned k = 0; k < 16; k++) {
        const kg_emulated_matrix a =
            product.registers ? kg_emulated_matrix{} : kg_emulated_decode(product.a);
        const unsigned first = thread / 32 % 4 * 16 + row;
        upper[k] =
            product.registers ? kg_emulated_a(all, row, k) : kg_emulated_k_major(a, first, k);
        lower[k] = product.registers ? kg_emulated_a(all, row + 8, k)
                                     : kg_emulated_k_major(a, first + 8, k);
    }
}

inline void kg_emulated_multiply(const kg_emulated_product &product)
{
    const unsigned column = kg_emulated_thread() % 4 * 2;
    const kg_emulated_matrix b = kg_emulated_decode(product.b);
    float upper[16], lower[16];
    kg_emulated_rows_of_a(product, upper, lower);
    for (unsigned j = 0; j < product.columns / 4; j++) {
        float *const sums = product.sums + j / 2 * 4 + j % 2;
        const unsigned n = j / 2 * 8 + column + j % 2;
        if (!product.add)
            sums[0] = sums[2] = 0;
        for (unsigned k = 0; k < 16; k++) {
            const float x =
                product.b_k_major ? kg_emulated_k_major(b, n, k) : kg_emulated_n_major(b, k, n);
            sums[0] += upper[k] * x;
            sums[2] += lower[k] * x;
        }
    }
}

/* All of these are .sync.aligned: a warp's lanes go through them together. */
inline void kg_wgmma_begin()
{
    __syncwarp();
}

inline void kg_emulated_product_begin(const kg_emulated_product &product)
{
    __syncwarp();
    kg_emulated_own_products()->back().push_back(product);
}

inline void kg_wgmma_64x256x16(float s[128], uint64_t a, uint64_t b)
{
    kg_emulated_product_begin({s, 256, true, nullptr, a, b, false});
}

template <bool add> inline void kg_wgmma_64x128x16(float s[64], uint64_t a, uint64_t b)
{
    kg_emulated_product_begin({s, 128, add, nullptr, a, b, true});
}

template <int columns>
inline void kg_wgmma_of_registers(float s[columns / 2], const uint32_t a[4], uint64_t b)
{
    kg_emulated_product_begin({s, columns, true, a, 0, b, false});
}

template <int n> inline void kg_wgmma_settle(float *)
{
}

template <int registers> inline void kg_registers_give()
{
}

template <int registers> inline void kg_registers_take()
{
}

inline void kg_wgmma_commit()
{
    __syncwarp();
    kg_emulated_own_products()->emplace_back();
}

template <int pending> inline void kg_wgmma_wait()
{
    kg_emulated_products *own = kg_emulated_own_products();
    __syncwarp();
    for (int i = 0; i < 3; i++) /* others go on meanwhile, if memory was given to them */
        kg_emulated_yield("kg_wgmma_wait");
    while (own->size() > pending + 1) {
        for (const kg_emulated_product &product : own->front())
            kg_emulated_multiply(product);
        own->erase(own->begin());
    }
    __syncwarp();
}
