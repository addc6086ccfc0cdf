/* The fast versions for the CPU: the same arithmetic on many vectors side by side.
 *
 * 1 fast: LANES vectors at once, coordinate i of all of them in one array, so that the loops over
 * lanes become vector instructions: nothing in lattice_point.h branches. Only overloads would, so
 * vectors that overload are put aside, and encoded again with the next count as lanes of their own.
 * All threads, a chunk each. Bound by arithmetic, not by memory.
 * 2 fused (quantize): the layers only say whether the vector overloads; nothing is taken mod q,
 * packed, stored and decoded. */
#include <string.h>

#include "kgate/profiler.h"
#include "lattice/lattice.h"

/* LANES: what a tile's arrays take of the first-level cache, against the cost of starting a loop.
 * CHUNK: what a thread takes at a time; even, since two vectors share a byte of counts. */
enum { LANES = 64, CHUNK = 2048, MOST = KG_LATTICE_DIMENSIONS_MOST };
/* So few vectors are done sooner one by one than as lanes of a tile that is mostly empty. */
enum { FEW = 6 };

struct tile {
    float g[MOST][LANES];
    float digits[MOST][LANES];
    float first[MOST][LANES]; /* fused: Q_L(x) */
    uint32_t low[LANES];
    uint32_t high[LANES];
    uint32_t overload[LANES];
};

/* gcc's `omp simd` keeps a lane's arrays in memory, where `ivdep` lets it unroll them first. */
#ifdef __clang__
#define LANES_LOOP _Pragma("omp simd") for (unsigned lane = 0; lane < LANES; lane++)
#else
#define LANES_LOOP _Pragma("GCC ivdep") for (unsigned lane = 0; lane < LANES; lane++)
#endif

/* Before C2x an array of arrays does not become one of constant arrays by itself. */
static const float (*points(float (*array)[LANES]))[LANES]
{
    return (const float(*)[LANES])array;
}

/* Lane `lane` of a tile's arrays to a vector, and back. */
KG_BOTH void lane_load(unsigned n, const float (*from)[LANES], unsigned lane, float *vector)
{
    for (unsigned i = 0; i < n; i++)
        vector[i] = from[i][lane];
}

KG_BOTH void lane_store(unsigned n, float (*to)[LANES], unsigned lane, const float *vector)
{
    for (unsigned i = 0; i < n; i++)
        to[i][lane] = vector[i];
}

/* g = the points nearest to the LANES vectors at x, scaled for `count`. */
KG_BOTH void tile_begin(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                        unsigned count, const float *restrict x, struct tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind);
    const float inverse_scale = plan->inverse_scale[count], limit = plan->limit[count];
    LANES_LOOP
    {
        float y[MOST], point[MOST];
        for (unsigned i = 0; i < n; i++)
            y[i] = kg_lattice_scaled(x[lane * n + i], inverse_scale, limit);
        kg_lattice_nearest_real(kind, y, point);
        lane_store(n, tile->g, lane, point);
    }
}

KG_BOTH void tile_overloads(enum kg_lattice_kind kind, struct tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind);
    LANES_LOOP
    {
        float g[MOST];
        lane_load(n, points(tile->g), lane, g);
        tile->overload[lane] = (uint32_t)kg_lattice_overloads(kind, g);
    }
}

KG_BOTH void tile_encode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                         unsigned count, const float *restrict x, struct tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float place = 1;
    tile_begin(kind, plan, count, x, tile);
    memset(tile->digits, 0, sizeof tile->digits);
    for (unsigned m = 0; m < plan->layers; m++) {
        LANES_LOOP
        {
            float g[MOST], digits[MOST];
            lane_load(n, points(tile->g), lane, g);
            lane_load(n, points(tile->digits), lane, digits);
            kg_lattice_encode_layer(kind, plan, m, place, g, digits);
            lane_store(n, tile->g, lane, g);
            lane_store(n, tile->digits, lane, digits);
        }
        place *= kg_lattice_place(plan);
    }
    LANES_LOOP
    {
        float digits[MOST];
        lane_load(n, points(tile->digits), lane, digits);
        const struct kg_lattice_code code = kg_lattice_pack(kind, plan, digits);
        tile->low[lane] = code.low;
        tile->high[lane] = code.high;
    }
    tile_overloads(kind, tile);
}

KG_BOTH void tile_quantize(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                           unsigned count, const float *restrict x, struct tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind);
    tile_begin(kind, plan, count, x, tile);
    memcpy(tile->first, tile->g, n * sizeof *tile->g);
    for (unsigned m = 0; m < plan->layers; m++) {
        const float tie = kg_lattice_tie(plan, m);
        LANES_LOOP
        {
            float g[MOST], next[MOST];
            lane_load(n, points(tile->g), lane, g);
            kg_lattice_nearest_layer(kind, plan, g, tie, next);
            lane_store(n, tile->g, lane, next);
        }
    }
    tile_overloads(kind, tile);
}

KG_BOTH void tile_decode(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                         struct tile *restrict tile)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float power = 1;
    memset(tile->g, 0, sizeof tile->g);
    for (unsigned m = 0; m < plan->layers; m++) {
        LANES_LOOP
        {
            const struct kg_lattice_code code = {tile->low[lane], tile->high[lane]};
            float sum[MOST];
            lane_load(n, points(tile->g), lane, sum);
            kg_lattice_decode_layer(kind, plan, m, power, code, sum);
            lane_store(n, tile->g, lane, sum);
        }
        power *= plan->q;
    }
}

/* The first `lanes` lanes' points, each times its scale, as vectors. */
KG_BOTH void tile_scaled(unsigned n, const float (*restrict from)[LANES],
                         const float *restrict scale, unsigned lanes, float *restrict x)
{
#pragma omp simd
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned i = 0; i < n; i++)
            x[lane * n + i] = from[i][lane] * scale[lane];
}

/* --- Codes in memory -----------------------------------------------------------------------------
 */
#define CODES_WRITE(type, expression)                                                              \
    do {                                                                                           \
        type *restrict to = &((type *)codes)[first]; /* NOLINT(bugprone-macro-parentheses) */      \
        for (unsigned lane = 0; lane < lanes; lane++)                                              \
            to[lane] = (type)(expression);                                                         \
    } while (0)

KG_BOTH void codes_write(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                         const struct tile *restrict tile, void *codes, size_t first,
                         unsigned lanes)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    const uint32_t *low = tile->low, *high = tile->high;
    if (plan->code_bytes == 1)
        CODES_WRITE(uint8_t, low[lane] | high[lane] << half_bits);
    else if (plan->code_bytes == 2)
        CODES_WRITE(uint16_t, low[lane] | high[lane] << half_bits);
    else if (plan->code_bytes == 4)
        CODES_WRITE(uint32_t, low[lane] | high[lane] << half_bits);
    else
        CODES_WRITE(uint64_t, low[lane] | (uint64_t)high[lane] << half_bits);
}

#define CODES_READ(type, wide)                                                                     \
    do {                                                                                           \
        const type *restrict from = &((const type *)codes)[first];                                 \
        for (unsigned lane = 0; lane < lanes; lane++) {                                            \
            low[lane] = (uint32_t)(from[lane] & mask);                                             \
            high[lane] = (uint32_t)((wide)from[lane] >> half_bits & mask);                         \
        }                                                                                          \
    } while (0)

KG_BOTH void codes_read(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan,
                        struct tile *restrict tile, const void *codes, size_t first, unsigned lanes)
{
    const unsigned half_bits = kg_lattice_dimensions(kind) / 2 * plan->coordinate_bits;
    const uint32_t mask = (uint32_t)(((uint64_t)1 << half_bits) - 1);
    uint32_t *low = tile->low, *high = tile->high;
    if (plan->code_bytes == 1)
        CODES_READ(uint8_t, uint32_t);
    else if (plan->code_bytes == 2)
        CODES_READ(uint16_t, uint32_t);
    else if (plan->code_bytes == 4)
        CODES_READ(uint32_t, uint32_t);
    else
        CODES_READ(uint64_t, uint64_t);
}

/* --- Chunks --------------------------------------------------------------------------------------
 */

/* Vectors of a chunk whose codes are still to be found, by their numbers within it. */
struct pending {
    uint16_t at[CHUNK];
    unsigned count;
};

/* Adds those of the `lanes` vectors `at` that overload, without a branch. */
static void pending_add(struct pending *pending, const struct tile *tile, const uint16_t *at,
                        unsigned lanes)
{
    unsigned count = pending->count;
    for (unsigned lane = 0; lane < lanes; lane++) {
        pending->at[count] = at[lane];
        count += tile->overload[lane];
    }
    pending->count = count;
}

/* The vectors at[0], at[1], … of x as a tile's input; lanes beyond them are 0. */
KG_BOTH void gather(unsigned n, const float *x, const uint16_t *at, unsigned lanes, float *gathered)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned i = 0; i < n; i++)
            gathered[lane * n + i] = x[at[lane] * n + i];
    memset(gathered + lanes * n, 0, sizeof(float) * (LANES - lanes) * n);
}

/* One overload more. */
static void count_add(uint8_t *counts, unsigned index)
{
    counts[index / 2] = (uint8_t)(counts[index / 2] + (index % 2 ? 16U : 1U));
}

/* Where a chunk begins in the arrays that encoding, or fused, uses. */
struct chunk {
    const float *x;
    void *codes;
    uint8_t *counts;
    float *decoded;
};

static struct chunk chunk_at(const struct kg_lattice *lattice, size_t first, bool fused)
{
    const size_t n = kg_lattice_dimensions(lattice->kind);
    struct chunk chunk = {.x = lattice->x + first * n};
    if (fused) {
        chunk.decoded = lattice->decoded + first * n;
    } else {
        chunk.codes = (char *)lattice->codes + first * lattice->plan.code_bytes;
        chunk.counts = lattice->counts + first / 2;
    }
    return chunk;
}

/* What a tile found of the vectors `at`, in their places. */
KG_BOTH void scatter(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan, bool fused,
                     const struct tile *tile, unsigned count, const uint16_t *at, unsigned lanes,
                     const struct chunk *chunk)
{
    const unsigned n = kg_lattice_dimensions(kind);
    for (unsigned lane = 0; lane < lanes; lane++) {
        if (fused) {
            for (unsigned i = 0; i < n; i++)
                chunk->decoded[at[lane] * n + i] = tile->first[i][lane] * plan->scale[count];
        } else {
            const struct kg_lattice_code code = {tile->low[lane], tile->high[lane]};
            kg_lattice_code_write(chunk->codes, at[lane], plan->code_bytes,
                                  kg_lattice_code_join(kind, plan, code));
            count_add(chunk->counts, at[lane]);
        }
    }
}

/* All vectors with count 0, in order. */
KG_BOTH void chunk_begin(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan, bool fused,
                         const struct chunk *chunk, unsigned count, struct tile *tile,
                         struct pending *pending)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float rest[MOST * LANES], scale[LANES];
    uint16_t at[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        scale[lane] = plan->scale[0];
    for (unsigned base = 0; base < count; base += LANES) {
        const unsigned lanes = count - base < LANES ? count - base : LANES;
        const float *x = chunk->x + base * n;
        for (unsigned lane = 0; lane < LANES; lane++)
            at[lane] = (uint16_t)(base + lane);
        if (lanes < LANES) {
            gather(n, chunk->x, at, lanes, rest);
            x = rest;
        }
        if (fused)
            tile_quantize(kind, plan, 0, x, tile);
        else
            tile_encode(kind, plan, 0, x, tile);
        pending_add(pending, tile, at, lanes);
        if (fused)
            tile_scaled(n, points(tile->first), scale, lanes, chunk->decoded + base * n);
        else
            codes_write(kind, plan, tile, chunk->codes, base, lanes);
    }
}

/* Encodes (or, fused, quantizes) vectors first to first + count - 1. */
KG_BOTH void chunk_run(enum kg_lattice_kind kind, bool fused, const struct kg_lattice *lattice,
                       size_t first, unsigned count)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    const unsigned n = kg_lattice_dimensions(kind);
    const struct chunk chunk = chunk_at(lattice, first, fused);
    struct tile tile;
    struct pending pending = {.count = 0};
    if (!fused)
        memset(chunk.counts, 0, (count + 1) / 2);
    chunk_begin(kind, plan, fused, &chunk, count, &tile, &pending);
    for (unsigned t = 1; pending.count && t < KG_LATTICE_COUNTS; t++) {
        const unsigned total = pending.count;
        pending.count = 0;
        for (unsigned base = 0; base < total; base += LANES) {
            const unsigned lanes = total - base < LANES ? total - base : LANES;
            float x[MOST * LANES];
            uint16_t at[LANES];
            memcpy(at, pending.at + base, lanes * sizeof *at);
            gather(n, chunk.x, at, lanes, x);
            if (fused)
                tile_quantize(kind, plan, t, x, &tile);
            else
                tile_encode(kind, plan, t, x, &tile);
            scatter(kind, plan, fused, &tile, t, at, lanes, &chunk);
            pending_add(&pending, &tile, at, lanes);
        }
    }
}

KG_BOTH void chunk_decode(enum kg_lattice_kind kind, const struct kg_lattice *lattice, size_t first,
                          unsigned count)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    const unsigned n = kg_lattice_dimensions(kind);
    const void *codes = (const char *)lattice->codes + first * plan->code_bytes;
    const uint8_t *counts = lattice->counts + first / 2;
    float *decoded = lattice->decoded + first * n;
    struct tile tile = {0};
    for (unsigned base = 0; base < count; base += LANES) {
        const unsigned lanes = count - base < LANES ? count - base : LANES;
        float scale[LANES] = {0};
        for (unsigned lane = 0; lane < lanes; lane++)
            scale[lane] = plan->scale[kg_lattice_count_read(counts, base + lane)];
        codes_read(kind, plan, &tile, codes, base, lanes);
        tile_decode(kind, plan, &tile);
        tile_scaled(n, points(tile.g), scale, lanes, decoded + base * n);
    }
}

/* --- All chunks ----------------------------------------------------------------------------------
 */
#define CHUNK_FUNCTION(name, call)                                                                 \
    static void name(const struct kg_lattice *lattice, size_t first, unsigned count)               \
    {                                                                                              \
        call;                                                                                      \
    }

CHUNK_FUNCTION(encode_z2, chunk_run(KG_LATTICE_Z2, false, lattice, first, count))
CHUNK_FUNCTION(encode_d4, chunk_run(KG_LATTICE_D4, false, lattice, first, count))
CHUNK_FUNCTION(encode_e8, chunk_run(KG_LATTICE_E8, false, lattice, first, count))
CHUNK_FUNCTION(fused_z2, chunk_run(KG_LATTICE_Z2, true, lattice, first, count))
CHUNK_FUNCTION(fused_d4, chunk_run(KG_LATTICE_D4, true, lattice, first, count))
CHUNK_FUNCTION(fused_e8, chunk_run(KG_LATTICE_E8, true, lattice, first, count))
CHUNK_FUNCTION(decode_z2, chunk_decode(KG_LATTICE_Z2, lattice, first, count))
CHUNK_FUNCTION(decode_d4, chunk_decode(KG_LATTICE_D4, lattice, first, count))
CHUNK_FUNCTION(decode_e8, chunk_decode(KG_LATTICE_E8, lattice, first, count))

typedef void chunk_function(const struct kg_lattice *lattice, size_t first, unsigned count);

static void for_each_chunk(struct kg_lattice *lattice, void (*plain)(struct kg_lattice *lattice),
                           chunk_function *const functions[KG_LATTICE_KINDS])
{
    const size_t batch = lattice->batch;
    if (batch <= FEW) {
        plain(lattice);
        return;
    }
    chunk_function *const function = functions[lattice->kind];
#pragma omp parallel for num_threads(lattice->threads) schedule(static) if (batch > CHUNK)
    for (size_t first = 0; first < batch; first += CHUNK)
        function(lattice, first, batch - first < CHUNK ? (unsigned)(batch - first) : CHUNK);
}

void kg_lattice_encode_fast(struct kg_lattice *lattice)
{
    for_each_chunk(lattice, kg_lattice_encode_plain,
                   (chunk_function *const[]){encode_z2, encode_d4, encode_e8});
}

void kg_lattice_decode_fast(struct kg_lattice *lattice)
{
    for_each_chunk(lattice, kg_lattice_decode_plain,
                   (chunk_function *const[]){decode_z2, decode_d4, decode_e8});
}

void kg_lattice_quantize_separate(struct kg_lattice *lattice)
{
    {
        KGATE_SCOPE("encode");
        kg_lattice_encode_fast(lattice);
    }
    KGATE_SCOPE("decode");
    kg_lattice_decode_fast(lattice);
}

void kg_lattice_quantize_fused(struct kg_lattice *lattice)
{
    for_each_chunk(lattice, kg_lattice_quantize_plain,
                   (chunk_function *const[]){fused_z2, fused_d4, fused_e8});
}
