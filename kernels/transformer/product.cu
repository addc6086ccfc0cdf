/* The fast version's products.
 *
 * They use the parts of gemm's tiled kernel (gemm/gemm_tiled.cuh), but not its tile of 16384
 * elements, which fits one large product. A transformer in training has many small products. Either
 * factor may be transposed. Products come in batches, two at once, or half empty. A sum's depth may
 * be split into parts, and a bias and more may follow. */
#include "gemm/gemm_tiled.cuh"
#include "transformer/blocks.cuh"

/* A block makes a square tile of C, a thread 4 by 4 elements of it, or 2 by 2 such squares. Strips
 * of DEPTH of both factors lie in shared memory as [depth][line]. While one is multiplied, the next
 * comes from global memory through registers, so one barrier per strip is enough. */
enum { THREADS = KG_TILED_THREADS, DEPTH = KG_TILED_DEPTH, VECTOR = KG_TILED_VECTOR };
enum { SMALL = 64, LARGE = 128, JOBS = 2 };
enum { SPLITS_MOST = 8, SPLIT_DEPTH = 4 * DEPTH }; /* at the least */
static_assert(KG_BLOCKS_PART_FLOATS == (size_t)KG_BLOCKS_WANTED * (SMALL * SMALL + SMALL), "");

/* One of the products of a launch. Its blocks are numbered by split, batch and tile, the tile
 * changing first. */
struct job {
    struct kg_product p;
    unsigned rows; /* tiles of C */
    unsigned columns;
    unsigned splits;      /* parts of the depth ... */
    unsigned split_depth; /* ... and their length, a multiple of DEPTH */
    float *parts;         /* if splits is above 1: a slot per block */
    unsigned *arrived;    /* and a counter for each tile */
};

struct jobs {
    struct job job[JOBS];
    unsigned second_block; /* number of the second job's first block */
};

template <int TILE> struct strips {
    float a[2][DEPTH][TILE];
    float b[2][DEPTH][TILE];
};

/* A thread's vectors of a factor's next strip, and the extent of the factor from its first vector
 * on. */
struct source {
    const float *from;
    unsigned advance; /* to the next strip */
    unsigned apart;   /* to the thread's second vector */
    int lines;
    int depth;
    bool depth_first;
};

enum { LINES_APART = THREADS * VECTOR / DEPTH };
template <int TILE> constexpr int depth_apart = THREADS * VECTOR / TILE;

template <int TILE>
static __device__ __forceinline__ struct source
source_of(const struct kg_factor &factor, size_t batch, int lines, int line0, int begin, int end)
{
    const int thread = (int)threadIdx.x;
    const bool depth_first = factor.depth_first;
    const int line =
        line0 + (depth_first ? thread / (DEPTH / VECTOR) : thread % (TILE / VECTOR) * VECTOR);
    const int l =
        begin + (depth_first ? thread % (DEPTH / VECTOR) * VECTOR : thread / (TILE / VECTOR));
    const unsigned stride = factor.stride;
    const float *x = factor.x + batch;
    return {x + (size_t)(depth_first ? line : l) * stride + (depth_first ? l : line),
            depth_first ? (unsigned)DEPTH : DEPTH * stride,
            stride * (depth_first ? LINES_APART : depth_apart<TILE>),
            lines - line,
            end - l,
            depth_first};
}

template <int TILE> constexpr int vectors = TILE * DEPTH / VECTOR / THREADS;

template <int TILE, bool wide>
static __device__ __forceinline__ void strip_fetch(struct source *source,
                                                   float4 luggage[vectors<TILE>])
{
#pragma unroll
    for (int i = 0; i < vectors<TILE>; i++) {
        const int lines = source->lines - (source->depth_first ? i * LINES_APART : 0);
        const int depth = source->depth - (source->depth_first ? 0 : i * depth_apart<TILE>);
        const int there = source->depth_first ? depth : lines;
        luggage[i] = kg_tiled_load<wide>(source->from + i * source->apart,
                                         lines > 0 && depth > 0 ? there : 0);
    }
    source->from += source->advance;
    source->depth -= DEPTH;
}

template <int TILE>
static __device__ __forceinline__ void strip_store(float strip[DEPTH][TILE], bool depth_first,
                                                   const float4 luggage[vectors<TILE>])
{
#pragma unroll
    for (int i = 0; i < vectors<TILE>; i++) {
        if (depth_first) {
            kg_tiled_turn(strip, i, luggage[i]);
        } else {
            const int at = (int)threadIdx.x + i * THREADS;
            const int l = at / (TILE / VECTOR), line = at % (TILE / VECTOR) * VECTOR;
            *reinterpret_cast<float4 *>(&strip[l][kg_tiled_place(l, line)]) = luggage[i];
        }
    }
}

/* Place of a thread's elements: squares of 4 by 4, from `row` and `column`, 16 rows and 32 columns
 * apart. A warp reads 4 different vectors of A's strip and 8 of B's at once, no bank twice. */
struct place {
    int row;
    int column;
};

template <int TILE> constexpr int squares = TILE / SMALL; /* a side */

template <int TILE> static __device__ __forceinline__ struct place place_of(int thread)
{
    const int warp = thread / 32, lane = thread % 32;
    return {warp / 2 * 16 * squares<TILE> + lane / 8 * 4,
            warp % 2 * 32 * squares<TILE> + lane % 8 * 4};
}

template <int TILE, int EACH>
static __device__ __forceinline__ void strip_multiply(const struct strips<TILE> *strips, int buffer,
                                                      struct place place, float sum[EACH][EACH])
{
#pragma unroll
    for (int l = 0; l < DEPTH; l++) {
        float a[EACH], b[EACH];
#pragma unroll
        for (int s = 0; s < squares<TILE>; s++) {
            kg_tiled_read(a + 4 * s, &strips->a[buffer][l][kg_tiled_place(l, place.row + 16 * s)]);
            kg_tiled_read(b + 4 * s,
                          &strips->b[buffer][l][kg_tiled_place(l, place.column + 32 * s)]);
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[i][j] += a[i] * b[j];
    }
}

/* A block's task: a tile of C, its batch, and a range of the depth. */
struct task {
    int row0;
    int column0;
    int begin;
    int end;
    unsigned outer;
    unsigned inner;
    unsigned tile; /* with its batch: which counter */
    unsigned split;
};

template <int TILE>
static __device__ __forceinline__ struct task task_of(const struct job &job, unsigned block)
{
    const struct kg_product &p = job.p;
    const unsigned tiles = job.rows * job.columns, batches = p.outer * p.inner;
    const unsigned tile = block % (tiles * batches), split = block / (tiles * batches);
    const unsigned batch = tile / tiles, row0 = tile % tiles / job.columns * TILE;
    const unsigned begin = max(kg_depth_begin(p, row0), split * job.split_depth);
    const unsigned end = min(kg_depth_end(p, row0 + TILE - 1), (split + 1) * job.split_depth);
    return {(int)row0,
            (int)(tile % job.columns * TILE),
            (int)begin,
            (int)end,
            batch / p.inner,
            batch % p.inner,
            tile,
            split};
}

/* sum = the task's part of A B. column_sum = its part of the sums of B's columns, one for each of
 * the first TILE threads. */
template <int TILE, int EACH, bool wide>
static __device__ __forceinline__ void
tile_multiply(const struct kg_product &p, const struct task &task, struct strips<TILE> *strips,
              float sum[EACH][EACH], float *column_sum)
{
    const struct place place = place_of<TILE>((int)threadIdx.x);
    const bool summing = p.sums && task.row0 == 0 && threadIdx.x < TILE;
    struct source a = source_of<TILE>(p.a, task.outer * p.a.outer + task.inner * p.a.inner,
                                      (int)p.m, task.row0, task.begin, task.end);
    struct source b = source_of<TILE>(p.b, task.outer * p.b.outer + task.inner * p.b.inner,
                                      (int)p.n, task.column0, task.begin, task.end);
    float4 a_luggage[vectors<TILE>], b_luggage[vectors<TILE>];
    strip_fetch<TILE, wide>(&a, a_luggage);
    strip_fetch<TILE, wide>(&b, b_luggage);
    for (int l0 = task.begin, buffer = 0; l0 < task.end; l0 += DEPTH, buffer ^= 1) {
        strip_store<TILE>(strips->a[buffer], a.depth_first, a_luggage);
        strip_store<TILE>(strips->b[buffer], b.depth_first, b_luggage);
        __syncthreads();
        strip_fetch<TILE, wide>(&a, a_luggage); /* beyond the end: nothing */
        strip_fetch<TILE, wide>(&b, b_luggage);
        strip_multiply<TILE, EACH>(strips, buffer, place, sum);
        if (summing)
#pragma unroll
            for (int l = 0; l < DEPTH; l++)
                *column_sum += strips->b[buffer][l][kg_tiled_place(l, (int)threadIdx.x)];
    }
}

/* Puts the sums of a tile's parts together, in the order of the parts, in the block that is done
 * last. False in the others. */
template <int TILE, int EACH>
static __device__ __forceinline__ bool parts_add(const struct job &job, const struct task &task,
                                                 float sum[EACH][EACH], float *column_sum)
{
    constexpr size_t slot_floats = TILE * TILE + TILE;
    const size_t tiles = (size_t)job.rows * job.columns * job.p.outer * job.p.inner;
    float *slot = job.parts + (task.split * tiles + task.tile) * slot_floats + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH * EACH; i++)
        slot[i * THREADS] = sum[i / EACH][i % EACH];
    if (threadIdx.x < TILE)
        slot[TILE * TILE] = *column_sum;
    if (!kg_blocks_last(job.arrived + task.tile, job.splits))
        return false;
    slot = job.parts + task.tile * slot_floats + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH * EACH; i++)
        sum[i / EACH][i % EACH] = 0;
    *column_sum = 0;
    for (unsigned s = 0; s < job.splits; s++, slot += tiles * slot_floats) {
#pragma unroll
        for (int i = 0; i < EACH * EACH; i++)
            sum[i / EACH][i % EACH] += __ldcg(slot + i * THREADS);
        if (threadIdx.x < TILE)
            *column_sum += __ldcg(slot + TILE * TILE);
    }
    return true;
}

/* Finishes and writes the first `count` of four elements of a row of C. */
template <bool wide>
static __device__ __forceinline__ void vector_finish(const struct kg_product &p, size_t at,
                                                     int column, int count, const float sum[4])
{
    float x[4];
    const float4 bias =
        p.bias ? kg_tiled_load<wide>(p.bias + column, count) : make_float4(0, 0, 0, 0);
    const float4 residual =
        p.residual ? kg_tiled_load<wide>(p.residual + at, count) : make_float4(0, 0, 0, 0);
    x[0] = p.scale * sum[0] + bias.x + residual.x;
    x[1] = p.scale * sum[1] + bias.y + residual.y;
    x[2] = p.scale * sum[2] + bias.z + residual.z;
    x[3] = p.scale * sum[3] + bias.w + residual.w;
    if (p.slope_of) {
        const float4 h = kg_tiled_load<wide>(p.slope_of + at, count);
        x[0] *= kg_gelu_slope(h.x), x[1] *= kg_gelu_slope(h.y);
        x[2] *= kg_gelu_slope(h.z), x[3] *= kg_gelu_slope(h.w);
    }
    if constexpr (wide) {
        *reinterpret_cast<float4 *>(p.c + at) = make_float4(x[0], x[1], x[2], x[3]);
        if (p.gelu)
            *reinterpret_cast<float4 *>(p.gelu + at) =
                make_float4(kg_gelu(x[0]), kg_gelu(x[1]), kg_gelu(x[2]), kg_gelu(x[3]));
    } else {
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (j < count) {
                p.c[at + j] = x[j];
                if (p.gelu)
                    p.gelu[at + j] = kg_gelu(x[j]);
            }
    }
}

template <int TILE, int EACH, bool wide>
static __device__ __forceinline__ void tile_finish(const struct kg_product &p,
                                                   const struct task &task,
                                                   const float sum[EACH][EACH], float column_sum)
{
    const struct place place = place_of<TILE>((int)threadIdx.x);
    const size_t batch = task.outer * p.c_outer + task.inner * p.c_inner;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int row = task.row0 + place.row + i / 4 * 16 + i % 4;
#pragma unroll
        for (int s = 0; s < squares<TILE>; s++) {
            const int column = task.column0 + place.column + 32 * s;
            if (row < (int)p.m && column < (int)p.n)
                vector_finish<wide>(p, batch + (size_t)row * p.c_stride + column, column,
                                    (int)p.n - column, sum[i] + 4 * s);
        }
    }
    const int column = task.column0 + (int)threadIdx.x;
    if (p.sums && task.row0 == 0 && threadIdx.x < TILE && column < (int)p.n)
        p.sums[column] = column_sum;
}

template <int TILE, bool wide>
static __global__ void __launch_bounds__(THREADS, TILE == SMALL ? 2 : 1)
    tiled(const __grid_constant__ struct jobs jobs)
{
    constexpr int EACH = 4 * squares<TILE>;
    __shared__ struct strips<TILE> strips;
    const bool second = blockIdx.x >= jobs.second_block;
    const struct job &job = jobs.job[second];
    const struct task task = task_of<TILE>(job, blockIdx.x - (second ? jobs.second_block : 0));
    if (job.p.triangle == KG_TRIANGLE_LOWER_C && task.column0 >= task.row0 + TILE)
        return;
    float sum[EACH][EACH] = {}, column_sum = 0;
    tile_multiply<TILE, EACH, wide>(job.p, task, &strips, sum, &column_sum);
    if (job.splits > 1 && !parts_add<TILE, EACH>(job, task, sum, &column_sum))
        return;
    tile_finish<TILE, EACH, wide>(job.p, task, sum, column_sum);
}

/* --- The host's side
 * ------------------------------------------------------------------------------ */
static unsigned tiles_of(const struct kg_product *p, unsigned tile)
{
    return kg_blocks_for(p->m, tile) * kg_blocks_for(p->n, tile) * p->outer * p->inner;
}

static bool fours(const float *x, size_t stride)
{
    return (uintptr_t)x % sizeof(float4) == 0 && stride % VECTOR == 0;
}

static bool factor_wide(const struct kg_factor *factor, unsigned lines, unsigned depth)
{
    return fours(factor->x, factor->stride) && factor->outer % VECTOR == 0 &&
           factor->inner % VECTOR == 0 && (factor->depth_first ? depth : lines) % VECTOR == 0;
}

static bool product_wide(const struct kg_product *p)
{
    return factor_wide(&p->a, p->m, p->k) && factor_wide(&p->b, p->n, p->k) && p->n % VECTOR == 0 &&
           fours(p->c, p->c_stride) && p->c_outer % VECTOR == 0 && p->c_inner % VECTOR == 0 &&
           fours(p->bias, 0) && fours(p->residual, 0) && fours(p->slope_of, 0) && fours(p->gelu, 0);
}

/* Large tiles read less. kgate uses them if their number fills a large GPU. */
static unsigned tile_for(const struct kg_product *products, size_t count)
{
    unsigned tiles = 0;
    for (size_t i = 0; i < count; i++) {
        if (products[i].m < LARGE || products[i].n < LARGE)
            return SMALL;
        tiles += tiles_of(&products[i], LARGE);
    }
    return tiles >= KG_BLOCKS_WANTED ? LARGE : SMALL;
}

/* How many parts of the depth make up for tiles that are too few: of a gradient of weights the
 * depth is the whole batch. */
static unsigned splits_for(const struct kg_product *p, unsigned tiles_of_launch)
{
    const unsigned wanted = KG_BLOCKS_WANTED / tiles_of_launch, worth = p->k / SPLIT_DEPTH;
    const unsigned most = min(min(wanted, worth), (unsigned)SPLITS_MOST);
    return p->triangle == KG_TRIANGLE_NONE && most > 1 ? most : 1;
}

/* 1 fast: see above. One launch does both products, and finishes C while it is in registers. */
void kg_blocks_fast_products(const struct kg_blocks_space *space, const struct kg_product *products,
                             size_t count)
{
    const unsigned tile = tile_for(products, count);
    struct jobs jobs = {};
    unsigned tiles = 0, blocks = 0, parts = 0, counters = 0;
    bool wide = true;
    for (size_t i = 0; i < count; i++) {
        tiles += tiles_of(&products[i], tile);
        wide = wide && product_wide(&products[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct kg_product *p = &products[i];
        const unsigned splits = splits_for(p, tiles), own = tiles_of(p, tile);
        const unsigned strips = kg_blocks_for(kg_blocks_for(p->k, splits), DEPTH);
        jobs.job[i] = {*p,
                       kg_blocks_for(p->m, tile),
                       kg_blocks_for(p->n, tile),
                       splits,
                       strips * DEPTH,
                       space->parts + (size_t)parts * (SMALL * SMALL + SMALL),
                       space->arrived + counters};
        if (splits > 1) {
            parts += own * splits;
            counters += own;
        }
        blocks += own * splits;
        if (i == 0)
            jobs.second_block = blocks;
    }
    const auto kernel = tile == SMALL ? (wide ? tiled<SMALL, true> : tiled<SMALL, false>)
                                      : (wide ? tiled<LARGE, true> : tiled<LARGE, false>);
    KG_LAUNCH(kernel, blocks, THREADS, 0, space->stream, jobs);
}
