/* The fast versions for the CPU: the same arithmetic on many vectors side by side.
 *
 * 1 fast: up to 64 vectors at once, in the tiles of lattice_tile.h. Only overloads would branch. So
 * overloading vectors are put aside, and encoded again with the next count in lanes of their own.
 * All threads, a chunk each. Bound by arithmetic, not by memory.
 * 2 fused (quantize): the layers only decide whether the vector overloads. It takes no digits mod
 * q, and packs, stores and decodes no codes. */
#include <string.h>

#include "kgate/profiler.h"
#include "lattice/lattice_tile.h"

/* CHUNK: vectors that a thread takes at a time; even, since two vectors share a byte of counts. */
enum { LANES = KG_TILE_LANES, CHUNK = 2048, MOST = KG_LATTICE_DIMENSIONS_MOST };

/* Vectors of a chunk whose codes are still to be found, by their numbers within it. */
struct pending {
    uint16_t at[CHUNK];
    unsigned count;
};

/* Adds the overloading ones of the `lanes` vectors `at`, without a branch. */
static void pending_add(struct pending *pending, const struct kg_tile *tile, const uint16_t *at,
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
    const unsigned width = kg_tile_steps(lanes) * KG_TILE_STEP;
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned i = 0; i < n; i++)
            gathered[lane * n + i] = x[at[lane] * n + i];
    memset(gathered + lanes * n, 0, sizeof(float) * (width - lanes) * n);
}

/* Encodes, or quantizes, the `lanes` vectors at x with the count. If `lanes` is a compile-time
 * constant, so are all loops' lengths. */
KG_BOTH void attempt(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan, bool fused,
                     unsigned count, const float *x, unsigned lanes, struct kg_tile *tile)
{
    tile->steps = kg_tile_steps(lanes);
    if (fused)
        kg_tile_quantize(kind, plan, count, x, tile);
    else
        kg_tile_encode(kind, plan, count, x, tile);
}

/* One overload more. */
static void count_add(uint8_t *counts, unsigned index)
{
    counts[index / 2] = (uint8_t)(counts[index / 2] + (index % 2 ? 16U : 1U));
}

/* Addresses of a chunk in the arrays that encoding, or fused, uses. */
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

/* Stores a tile's results of the vectors `at` in their places. */
KG_BOTH void scatter(enum kg_lattice_kind kind, const struct kg_lattice_plan *plan, bool fused,
                     const struct kg_tile *tile, unsigned count, const uint16_t *at, unsigned lanes,
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
                         const struct chunk *chunk, unsigned count, struct kg_tile *tile,
                         struct pending *pending)
{
    const unsigned n = kg_lattice_dimensions(kind);
    float rest[MOST * LANES], scale[LANES];
    uint16_t at[LANES];
    for (unsigned lane = 0; fused && lane < LANES; lane++)
        scale[lane] = plan->scale[0];
    for (unsigned base = 0; base < count; base += LANES) {
        const unsigned lanes = count - base < LANES ? count - base : LANES;
        for (unsigned lane = 0; lane < lanes; lane++)
            at[lane] = (uint16_t)(base + lane);
        if (lanes == LANES) {
            attempt(kind, plan, fused, 0, chunk->x + base * n, LANES, tile);
        } else {
            gather(n, chunk->x, at, lanes, rest);
            attempt(kind, plan, fused, 0, rest, lanes, tile);
        }
        pending_add(pending, tile, at, lanes);
        if (fused)
            kg_tile_scaled(n, kg_tile_points(tile->first), scale, lanes, chunk->decoded + base * n);
        else
            kg_tile_codes_write(kind, plan, tile, chunk->codes, base, lanes);
    }
}

/* Encodes (or, fused, quantizes) vectors first to first + count - 1. */
KG_BOTH void chunk_run(enum kg_lattice_kind kind, bool fused, const struct kg_lattice *lattice,
                       size_t first, unsigned count)
{
    const struct kg_lattice_plan *plan = &lattice->plan;
    const unsigned n = kg_lattice_dimensions(kind);
    const struct chunk chunk = chunk_at(lattice, first, fused);
    struct kg_tile tile;
    struct pending pending;
    pending.count = 0;
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
            attempt(kind, plan, fused, t, x, lanes, &tile);
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
    struct kg_tile tile;
    for (unsigned base = 0; base < count; base += LANES) {
        const unsigned lanes = count - base < LANES ? count - base : LANES;
        float scale[LANES];
        tile.steps = kg_tile_steps(lanes);
        for (unsigned lane = 0; lane < lanes; lane++)
            scale[lane] = plan->scale[kg_lattice_count_read(counts, base + lane)];
        kg_tile_codes_read(kind, plan, &tile, codes, base, lanes);
        kg_tile_decode(kind, plan, &tile);
        kg_tile_scaled(n, kg_tile_points(tile.g), scale, lanes, decoded + base * n);
    }
}

/* --- All chunks ------------------------------------------------------------------------------- */
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

/* A function per lattice, and the largest batch for which plain is faster. Measured with input that
 * does not repeat, on one core with AVX2. */
struct vectorised {
    void (*plain)(struct kg_lattice *lattice);
    chunk_function *functions[KG_LATTICE_KINDS];
    unsigned few[KG_LATTICE_KINDS];
};

static const struct vectorised encoding = {
    kg_lattice_encode_plain, {encode_z2, encode_d4, encode_e8}, {12, 1, 1}};
static const struct vectorised decoding = {
    kg_lattice_decode_plain, {decode_z2, decode_d4, decode_e8}, {12, 1, 1}};
static const struct vectorised fusing = {
    kg_lattice_quantize_plain, {fused_z2, fused_d4, fused_e8}, {4, 1, 1}};

static void for_each_chunk(struct kg_lattice *lattice, const struct vectorised *vectorised)
{
    chunk_function *const function = vectorised->functions[lattice->kind];
    const size_t batch = lattice->batch;
    if (batch <= vectorised->few[lattice->kind]) {
        vectorised->plain(lattice);
        return;
    }
    if (batch <= CHUNK) {
        function(lattice, 0, (unsigned)batch);
        return;
    }
#pragma omp parallel for num_threads(lattice->threads) schedule(static)
    for (size_t first = 0; first < batch; first += CHUNK)
        function(lattice, first, batch - first < CHUNK ? (unsigned)(batch - first) : CHUNK);
}

void kg_lattice_encode_fast(struct kg_lattice *lattice)
{
    for_each_chunk(lattice, &encoding);
}

void kg_lattice_decode_fast(struct kg_lattice *lattice)
{
    for_each_chunk(lattice, &decoding);
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
    for_each_chunk(lattice, &fusing);
}
