/* lattice_tile.h: the arithmetic of lattice_code.h on many vectors side by side, for the fast
 * versions on the CPU. Coordinate i of all vectors is one array, so that the loops over lanes
 * become vector instructions: nothing in lattice_point.h branches. Each function does the first
 * `width` lanes of a tile. */
#pragma once
#include <string.h>

#include "lattice/lattice.h"

/* LANES: a compromise between the tile's share of the first-level cache and the cost of starting a
 * loop. STEP: floats of a vector instruction. The rest of a batch, and the few overloading vectors,
 * process only the steps of a tile that they fill. */
enum { KG_TILE_LANES = 64, KG_TILE_STEP = 8, KG_TILE_MOST = KG_LATTICE_DIMENSIONS_MOST };

struct kg_tile {
    _Alignas(64) float g[KG_TILE_MOST][KG_TILE_LANES];
    float digits[KG_TILE_MOST][KG_TILE_LANES];
    float first[KG_TILE_MOST][KG_TILE_LANES]; /* fused: Q_L(x) */
    uint32_t low[KG_TILE_LANES];
    uint32_t high[KG_TILE_LANES];
    uint32_t overload[KG_TILE_LANES];
    unsigned steps; /* vector steps to process: so compilers see that no vector is half full */
};

/* gcc's `omp simd` keeps a lane's arrays in memory. With `ivdep` gcc unrolls them first. */
#ifdef __clang__
#define KG_LANES_LOOP _Pragma("omp simd") for (unsigned lane = 0; lane < width; lane++)
#else
#define KG_LANES_LOOP _Pragma("GCC ivdep") for (unsigned lane = 0; lane < width; lane++)
#endif

KG_BOTH unsigned kg_tile_steps(unsigned lanes)
{
    return (lanes + KG_TILE_STEP - 1) / KG_TILE_STEP;
}

/* Before C2x an array of arrays does not become one of constant arrays by itself. */
static inline const float (*kg_tile_points(float (*array)[KG_TILE_LANES]))[KG_TILE_LANES]
{
    return (const float(*)[KG_TILE_LANES])array;
}

/* Lane `lane` of a tile's arrays to a vector, and back. */
KG_BOTH void kg_tile_lane_load(unsigned n, const float (*from)[KG_TILE_LANES], unsigned lane,
                               float *vector)
{
    for (unsigned i = 0; i < n; i++)
        vector[i] = from[i][lane];
}

KG_BOTH void kg_tile_lane_store(unsigned n, float (*to)[KG_TILE_LANES], unsigned lane,
                                const float *vector)
{
    for (unsigned i = 0; i < n; i++)
        to[i][lane] = vector[i];
}

/* g = the points nearest to the `width` vectors at x, scaled for `count`. */
KG_BOTH void kg_tile_begin(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                           unsigned count, const float *restrict x, struct kg_tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind), width = tile->steps * KG_TILE_STEP;
    const float inverse_scale = plan->inverse_scale[count], limit = plan->limit[count];
    KG_LANES_LOOP
    {
        float y[KG_TILE_MOST], point[KG_TILE_MOST];
        for (unsigned i = 0; i < n; i++)
            y[i] = kg_lattice_scaled(x[lane * n + i], inverse_scale, limit);
        kg_lattice_nearest_real(kind, y, point);
        kg_tile_lane_store(n, tile->g, lane, point);
        kg_tile_lane_store(n, tile->first, lane, point);
        for (unsigned i = 0; i < n; i++)
            tile->digits[i][lane] = 0;
    }
}

KG_BOTH void kg_tile_overloads(enum kg_lattice_kind kind, struct kg_tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind), width = tile->steps * KG_TILE_STEP;
    KG_LANES_LOOP
    {
        float g[KG_TILE_MOST];
        kg_tile_lane_load(n, kg_tile_points(tile->g), lane, g);
        tile->overload[lane] = (uint32_t)kg_lattice_overloads(kind, g);
    }
}

KG_BOTH void kg_tile_encode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                            unsigned count, const float *restrict x, struct kg_tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind), width = tile->steps * KG_TILE_STEP;
    float place = 1;
    kg_tile_begin(kind, plan, count, x, tile);
    for (unsigned m = 0; m < plan->layers; m++) {
        KG_LANES_LOOP
        {
            float g[KG_TILE_MOST], digits[KG_TILE_MOST];
            kg_tile_lane_load(n, kg_tile_points(tile->g), lane, g);
            kg_tile_lane_load(n, kg_tile_points(tile->digits), lane, digits);
            kg_lattice_encode_layer(kind, plan, m, place, g, digits);
            kg_tile_lane_store(n, tile->g, lane, g);
            kg_tile_lane_store(n, tile->digits, lane, digits);
        }
        place *= kg_lattice_place(plan);
    }
    KG_LANES_LOOP
    {
        float digits[KG_TILE_MOST];
        kg_tile_lane_load(n, kg_tile_points(tile->digits), lane, digits);
        const struct kg_lattice_code code = kg_lattice_pack(kind, plan, digits);
        tile->low[lane] = code.low;
        tile->high[lane] = code.high;
    }
    kg_tile_overloads(kind, tile);
}

KG_BOTH void kg_tile_quantize(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                              unsigned count, const float *restrict x,
                              struct kg_tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind), width = tile->steps * KG_TILE_STEP;
    kg_tile_begin(kind, plan, count, x, tile);
    for (unsigned m = 0; m < plan->layers; m++) {
        const float tie = kg_lattice_tie(plan, m);
        KG_LANES_LOOP
        {
            float g[KG_TILE_MOST], next[KG_TILE_MOST];
            kg_tile_lane_load(n, kg_tile_points(tile->g), lane, g);
            kg_lattice_nearest_layer(kind, plan, g, tie, next);
            kg_tile_lane_store(n, tile->g, lane, next);
        }
    }
    kg_tile_overloads(kind, tile);
}

KG_BOTH void kg_tile_decode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                            struct kg_tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind), width = tile->steps * KG_TILE_STEP;
    float power = 1;
    for (unsigned i = 0; i < n; i++)
        memset(tile->g[i], 0, width * sizeof(float));
    for (unsigned m = 0; m < plan->layers; m++) {
        KG_LANES_LOOP
        {
            const struct kg_lattice_code code = {tile->low[lane], tile->high[lane]};
            float sum[KG_TILE_MOST];
            kg_tile_lane_load(n, kg_tile_points(tile->g), lane, sum);
            kg_lattice_decode_layer(kind, plan, m, power, code, sum);
            kg_tile_lane_store(n, tile->g, lane, sum);
        }
        power *= plan->q;
    }
}

/* The first `lanes` lanes' points, each times its scale, as vectors. */
KG_BOTH void kg_tile_scaled(unsigned n, const float (*restrict from)[KG_TILE_LANES],
                            const float *restrict scale, unsigned lanes, float *restrict x)
{
#pragma omp simd
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned i = 0; i < n; i++)
            x[lane * n + i] = from[i][lane] * scale[lane];
}

/* --- Codes in memory -------------------------------------------------------------------------- */
#define KG_TILE_CODES_WRITE(type, expression)                                                      \
    do {                                                                                           \
        type *restrict to = &((type *)codes)[first]; /* NOLINT(bugprone-macro-parentheses) */      \
        for (unsigned lane = 0; lane < lanes; lane++)                                              \
            to[lane] = (type)(expression);                                                         \
    } while (0)

KG_BOTH void kg_tile_codes_write(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                 const struct kg_tile *restrict tile, void *codes, size_t first,
                                 unsigned lanes)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    const uint32_t *low = tile->low, *high = tile->high;
    if (plan->code_bytes == 1)
        KG_TILE_CODES_WRITE(uint8_t, low[lane] | high[lane] << half_bits);
    else if (plan->code_bytes == 2)
        KG_TILE_CODES_WRITE(uint16_t, low[lane] | high[lane] << half_bits);
    else if (plan->code_bytes == 4)
        KG_TILE_CODES_WRITE(uint32_t, low[lane] | high[lane] << half_bits);
    else
        KG_TILE_CODES_WRITE(uint64_t, low[lane] | (uint64_t)high[lane] << half_bits);
}

#define KG_TILE_CODES_READ(type, wide)                                                             \
    do {                                                                                           \
        const type *restrict from = &((const type *)codes)[first];                                 \
        for (unsigned lane = 0; lane < lanes; lane++) {                                            \
            low[lane] = (uint32_t)(from[lane] & mask);                                             \
            high[lane] = (uint32_t)((wide)from[lane] >> half_bits & mask);                         \
        }                                                                                          \
    } while (0)

KG_BOTH void kg_tile_codes_read(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                                struct kg_tile *restrict tile, const void *codes, size_t first,
                                unsigned lanes)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << half_bits) - 1);
    const unsigned width = tile->steps * KG_TILE_STEP;
    uint32_t *low = tile->low, *high = tile->high;
    memset(low + lanes, 0, (width - lanes) * sizeof *low);
    memset(high + lanes, 0, (width - lanes) * sizeof *high);
    if (plan->code_bytes == 1)
        KG_TILE_CODES_READ(uint8_t, uint32_t);
    else if (plan->code_bytes == 2)
        KG_TILE_CODES_READ(uint16_t, uint32_t);
    else if (plan->code_bytes == 4)
        KG_TILE_CODES_READ(uint32_t, uint32_t);
    else
        KG_TILE_CODES_READ(uint64_t, uint64_t);
}
