/* 1 fast: each row goes to a warp, which reads 16 bytes at a time if rows begin at multiples of 16
 * bytes. One launch does the work of several launches of `plain`: its blocks count themselves, and
 * the last block adds up the parts of all. Products are in product.cu, layernorm is in
 * norm_fast.cu. */
#include "transformer/blocks_fast.cuh"

/* --- Causal softmax
 * ------------------------------------------------------------------------------ */
/* softmax's own kernels would read and write the empty half, too. Here a warp reads only the
 * existing part of a row. From the second pass on, the row comes from the cache. */
template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS) causal_rows(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * KG_BLOCKS_WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, units = (unsigned)causal.length / WIDTH;
    if (row >= causal.rows)
        return;
    const unsigned there = (unsigned)(row % causal.length) + 1;
    float *x = causal.x + row * causal.length, most = -INFINITY, sum = 0;
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            most = i * WIDTH + k < there ? fmaxf(most, u.x[k]) : most;
    }
    most = kg_warp_most(most);
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += i * WIDTH + k < there ? expf(u.x[k] - most) : 0;
    }
    const float scale = 1.0F / kg_warp_sum(sum);
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = kg_unit_of<WIDTH>(0);
        if (i * WIDTH < there)
            u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            u.x[k] = i * WIDTH + k < there ? expf(u.x[k] - most) * scale : 0;
        kg_unit_put<WIDTH>(x, i, u);
    }
}

static void causal(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    const auto kernel = causal->length % 4 == 0 ? causal_rows<4> : causal_rows<1>;
    KG_LAUNCH(kernel, kg_blocks_for(causal->rows, KG_BLOCKS_WARPS), KG_BLOCKS_THREADS, 0,
              space->stream, *causal);
}

template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS)
    causal_rows_backward(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * KG_BLOCKS_WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, units = (unsigned)causal.length / WIDTH;
    if (row >= causal.rows)
        return;
    const unsigned there = (unsigned)(row % causal.length) + 1;
    const float *p = causal.x + row * causal.length;
    float *dp = causal.dx + row * causal.length, sum = 0;
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(p, i), d = kg_unit_at<WIDTH>(dp, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += i * WIDTH + k < there ? u.x[k] * d.x[k] : 0;
    }
    sum = kg_warp_sum(sum);
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = kg_unit_of<WIDTH>(0), d = u;
        if (i * WIDTH < there)
            u = kg_unit_at<WIDTH>(p, i), d = kg_unit_at<WIDTH>(dp, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            d.x[k] = i * WIDTH + k < there ? causal.scale * u.x[k] * (d.x[k] - sum) : 0;
        kg_unit_put<WIDTH>(dp, i, d);
    }
}

static void causal_backward(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    const auto kernel = causal->length % 4 == 0 ? causal_rows_backward<4> : causal_rows_backward<1>;
    KG_LAUNCH(kernel, kg_blocks_for(causal->rows, KG_BLOCKS_WARPS), KG_BLOCKS_THREADS, 0,
              space->stream, *causal);
}

/* --- Embedding
 * ----------------------------------------------------------------------------------- */
template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS)
    embed(struct kg_embedding e, size_t count)
{
    const size_t i = (size_t)blockIdx.x * KG_BLOCKS_THREADS + threadIdx.x, units = e.cols / WIDTH;
    if (i >= count)
        return;
    const size_t row = i / units, unit = i % units;
    struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(e.vectors + e.tokens[row] * e.cols, unit);
    const struct kg_unit<WIDTH> p = kg_unit_at<WIDTH>(e.positions + row % e.length * e.cols, unit);
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        u.x[k] += p.x[k];
    kg_unit_put<WIDTH>(e.x, i, u);
}

static void embedding(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    const unsigned width = e->cols % 4 == 0 ? 4 : 1;
    const size_t count = e->batch * e->length * (e->cols / width);
    const auto kernel = width == 4 ? embed<4> : embed<1>;
    KG_LAUNCH(kernel, kg_blocks_for(count, KG_BLOCKS_THREADS), KG_BLOCKS_THREADS, 0, space->stream,
              *e, count);
}

/* Which of KG_BLOCKS_THREADS tokens from `first` on are `token`, in their order: to `list`. All
 * threads get their number. */
static __device__ __forceinline__ unsigned occurrences(const struct kg_embedding &e, size_t first,
                                                       unsigned token,
                                                       unsigned counts[KG_BLOCKS_WARPS],
                                                       unsigned list[KG_BLOCKS_THREADS])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t row = first + threadIdx.x;
    const bool found = row < e.batch * e.length && e.tokens[row] == token;
    const unsigned votes = __ballot_sync(0xffffffffU, found);
    if (lane == 0)
        counts[warp] = (unsigned)__popc(votes);
    __syncthreads();
    unsigned before = 0, all = 0;
#pragma unroll
    for (unsigned w = 0; w < KG_BLOCKS_WARPS; w++) {
        before += w < warp ? counts[w] : 0;
        all += counts[w];
    }
    if (found)
        list[before + (unsigned)__popc(votes & ((1U << lane) - 1))] = (unsigned)row;
    __syncthreads();
    return all;
}

/* The gradient of one token's vector: a block finds the token's positions in order, and adds up
 * their rows. Atomics would add them in a random order. */
static __device__ __forceinline__ void vector_backward(const struct kg_embedding &e, unsigned token)
{
    __shared__ float slots[KG_BLOCKS_THREADS];
    __shared__ unsigned counts[KG_BLOCKS_WARPS], list[KG_BLOCKS_THREADS];
    const struct kg_columns columns = kg_columns_of(e.cols);
    for (size_t start = 0; start < e.cols; start += columns.width) {
        const size_t column = start + columns.column;
        float sum = 0;
        for (size_t first = 0; first < e.batch * e.length; first += KG_BLOCKS_THREADS) {
            const unsigned count = occurrences(e, first, token, counts, list);
#pragma unroll 8
            for (unsigned i = columns.group; i < count; i += columns.groups)
                sum += column < e.cols ? e.x[list[i] * e.cols + column] : 0;
        }
        sum = kg_groups_add(columns, sum, slots);
        if (columns.group == 0 && column < e.cols)
            e.vectors[token * e.cols + column] += sum;
    }
}

/* A block for each token, the others for the positions. */
template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS) embed_backward(struct kg_embedding e)
{
    if (blockIdx.x < e.vocabulary) {
        vector_backward(e, blockIdx.x);
        return;
    }
    const size_t i =
        (size_t)(blockIdx.x - (unsigned)e.vocabulary) * KG_BLOCKS_THREADS + threadIdx.x;
    const size_t units = e.length * e.cols / WIDTH;
    if (i >= units)
        return;
    struct kg_unit<WIDTH> sum = kg_unit_of<WIDTH>(0);
#pragma unroll 4
    for (size_t b = 0; b < e.batch; b++) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(e.x, b * units + i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum.x[k] += u.x[k];
    }
    kg_unit_put<WIDTH>(e.positions, i, sum);
}

static void embedding_backward(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    const unsigned width = e->cols % 4 == 0 ? 4 : 1;
    const unsigned blocks = kg_blocks_for(e->length * (e->cols / width), KG_BLOCKS_THREADS);
    const auto kernel = width == 4 ? embed_backward<4> : embed_backward<1>;
    KG_LAUNCH(kernel, (unsigned)e->vocabulary + blocks, KG_BLOCKS_THREADS, 0, space->stream, *e);
}

/* --- Loss and update
 * ----------------------------------------------------------------------------- */
template <int WIDTH>
static __device__ __forceinline__ void loss_row(const struct kg_loss &loss, size_t row)
{
    const unsigned lane = threadIdx.x % 32, units = (unsigned)loss.cols / WIDTH;
    const unsigned target = loss.targets[row];
    float *x = loss.logits + row * loss.cols, most = -INFINITY, sum = 0, logit = 0;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++) {
            most = fmaxf(most, u.x[k]);
            logit += i * WIDTH + k == target ? u.x[k] : 0;
        }
    }
    most = kg_warp_most(most);
    logit = kg_warp_sum(logit);
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += expf(u.x[k] - most);
    }
    sum = kg_warp_sum(sum);
    if (lane == 0)
        loss.losses[row] = logf(sum) - (logit - most);
    const float scale = 1.0F / sum, share = 1.0F / (float)loss.rows;
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            u.x[k] =
                (expf(u.x[k] - most) * scale - (i * WIDTH + k == target ? 1.0F : 0.0F)) * share;
        kg_unit_put<WIDTH>(x, i, u);
    }
}

template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS)
    loss_all(struct kg_loss loss, unsigned *arrived)
{
    __shared__ float slots[KG_BLOCKS_WARPS];
    const size_t own = (size_t)blockIdx.x * KG_BLOCKS_WARPS + threadIdx.x / 32;
    if (own < loss.rows)
        loss_row<WIDTH>(loss, own);
    if (!kg_blocks_last(arrived, gridDim.x))
        return;
    float sum = 0;
#pragma unroll 4
    for (size_t row = threadIdx.x; row < loss.rows; row += KG_BLOCKS_THREADS)
        sum += __ldcg(loss.losses + row);
    sum = kg_fold_block<KG_BLOCKS_THREADS>(sum, kg_add, slots);
    if (threadIdx.x == 0)
        *loss.loss = sum / (float)loss.rows;
}

static void loss(const struct kg_blocks_space *space, const struct kg_loss *loss)
{
    const auto kernel = loss->cols % 4 == 0 ? loss_all<4> : loss_all<1>;
    KG_LAUNCH(kernel, kg_blocks_for(loss->rows, KG_BLOCKS_WARPS), KG_BLOCKS_THREADS, 0,
              space->stream, *loss, space->arrived);
}

/* Four parameters a thread, and the few behind the last four one by one. */
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS) adamw_fours(struct kg_adamw a)
{
    const size_t i = (size_t)blockIdx.x * KG_BLOCKS_THREADS + threadIdx.x, first = 4 * i;
    if (first + 4 > a.n) {
        for (size_t j = first; j < a.n; j++)
            a.parameters[j] = kg_adamw_update(a.scales, a.parameters[j], a.gradients[j],
                                              &a.moment1[j], &a.moment2[j]);
        return;
    }
    struct kg_unit<4> p = kg_unit_at<4>(a.parameters, i), m = kg_unit_at<4>(a.moment1, i),
                      v = kg_unit_at<4>(a.moment2, i);
    const struct kg_unit<4> g = kg_unit_at<4>(a.gradients, i);
#pragma unroll
    for (int k = 0; k < 4; k++)
        p.x[k] = kg_adamw_update(a.scales, p.x[k], g.x[k], &m.x[k], &v.x[k]);
    kg_unit_put<4>(a.parameters, i, p);
    kg_unit_put<4>(a.moment1, i, m);
    kg_unit_put<4>(a.moment2, i, v);
}

static void adamw(const struct kg_blocks_space *space, const struct kg_adamw *a)
{
    KG_LAUNCH(adamw_fours, kg_blocks_for((a->n + 3) / 4, KG_BLOCKS_THREADS), KG_BLOCKS_THREADS, 0,
              space->stream, *a);
}

extern "C" const struct kg_blocks kg_blocks_fast = {
    kg_blocks_fast_products,
    kg_blocks_fast_norm,
    kg_blocks_fast_norm_backward,
    causal,
    causal_backward,
    embedding,
    embedding_backward,
    loss,
    adamw,
};
