/* 1 fast: rows go to warps, which read them 16 bytes at a time where they begin at multiples of
 * that; what a step has several launches for in `plain`, one does: its blocks count themselves, and
 * the last one adds up what all have left. Products are in product.cu. */
#include "transformer/blocks.cuh"

enum { THREADS = 512, WARPS = THREADS / 32 };

/* Unit i of WIDTH floats. */
template <int WIDTH>
static __device__ __forceinline__ struct kg_unit<WIDTH> unit_at(const float *x, size_t i) {
    return reinterpret_cast<const struct kg_unit<WIDTH> *>(x)[i];
}

template <int WIDTH>
static __device__ __forceinline__ void unit_put(float *x, size_t i, struct kg_unit<WIDTH> unit)
{
    reinterpret_cast<struct kg_unit<WIDTH> *>(x)[i] = unit;
}

static __device__ __forceinline__ float warp_sum(float value)
{
    return kg_fold_lanes<32>(value, kg_add);
}

static __device__ __forceinline__ float warp_most(float value)
{
    return kg_fold_lanes<32>(value, [](float a, float b) { return fmaxf(a, b); });
}

/* How a block shares out sums down `cols` columns: side by side `width` threads, a power of two,
 * and the block's other threads further down. */
struct columns {
    unsigned width;
    unsigned groups;
    unsigned column; /* the thread's */
    unsigned group;
};

static __device__ __forceinline__ struct columns columns_of(size_t cols)
{
    unsigned width = 32;
    while (width < THREADS && width < cols)
        width *= 2;
    return {width, THREADS / width, threadIdx.x % width, threadIdx.x / width};
}

/* The sum over the groups, for those of group 0. All threads call it. */
static __device__ __forceinline__ float groups_add(struct columns columns, float value,
                                                   float slots[THREADS])
{
    __syncthreads();
    slots[threadIdx.x] = value;
    __syncthreads();
    float sum = value;
    for (unsigned g = 1; columns.group == 0 && g < columns.groups; g++)
        sum += slots[g * columns.width + columns.column];
    return sum;
}

/* --- Layernorm
 * ----------------------------------------------------------------------------------- */
static void norm(const struct kg_blocks_space *space, const struct kg_norm *norm)
{
    struct kg_rows rows = kg_norm_rows(space, norm);
    kg_layernorm_cuda_fast(&rows);
}

/* The gradient by a row, by one warp. Two passes over the row, from the cache from the
 * second on: its mean, and then everything else. */
template <int WIDTH>
static __device__ __forceinline__ void norm_row_backward(const struct kg_norm_backward &norm,
                                                         float epsilon, size_t row)
{
    const unsigned lane = threadIdx.x % 32, units = (unsigned)norm.cols / WIDTH;
    const float *x = norm.x + row * norm.cols, *dy = norm.dy + row * norm.cols;
    float *dx = norm.dx + row * norm.cols, sum = 0, squares = 0, product = 0;
    const float n = (float)norm.cols;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum += u.x[k];
    }
    const float mean = warp_sum(sum) / n;
    sum = 0;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i), d = unit_at<WIDTH>(dy, i),
                                    g = unit_at<WIDTH>(norm.gamma, i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            const float shifted = u.x[k] - mean, slope = g.x[k] * d.x[k];
            squares += shifted * shifted;
            sum += slope;
            product += slope * shifted;
        }
    }
    const float scale = 1.0F / sqrtf(warp_sum(squares) / n + epsilon);
    sum = warp_sum(sum) / n;
    product = warp_sum(product) * scale * scale / n;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i), d = unit_at<WIDTH>(dy, i),
                                    g = unit_at<WIDTH>(norm.gamma, i);
        struct kg_unit<WIDTH> to = norm.add ? unit_at<WIDTH>(dx, i) : kg_unit_of<WIDTH>(0);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            to.x[k] += scale * (g.x[k] * d.x[k] - sum - (u.x[k] - mean) * product);
        unit_put<WIDTH>(dx, i, to);
    }
    if (lane == 0) {
        norm.mean[row] = mean;
        norm.scale[row] = scale;
    }
}

/* Of rows begin to end - 1, the sums for gamma and beta: to part[0 ..] and part[cols ..]. */
static __device__ __forceinline__ void norm_columns_part(const struct kg_norm_backward &norm,
                                                         size_t begin, size_t end, float *part,
                                                         float slots[THREADS])
{
    const struct columns columns = columns_of(norm.cols);
    for (size_t first = 0; first < norm.cols; first += columns.width) {
        const size_t column = first + columns.column;
        float dgamma = 0, dbeta = 0;
#pragma unroll 4
        for (size_t row = begin + columns.group; row < end && column < norm.cols;
             row += columns.groups) {
            const float dy = norm.dy[row * norm.cols + column];
            dgamma += dy * (norm.x[row * norm.cols + column] - norm.mean[row]) * norm.scale[row];
            dbeta += dy;
        }
        dgamma = groups_add(columns, dgamma, slots);
        dbeta = groups_add(columns, dbeta, slots);
        if (columns.group == 0 && column < norm.cols) {
            part[column] = dgamma;
            part[norm.cols + column] = dbeta;
        }
    }
}

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS)
    norm_all_backward(struct kg_norm_backward norm, float epsilon, size_t share, float *parts,
                      unsigned *arrived)
{
    __shared__ float slots[THREADS];
    const size_t begin = blockIdx.x * share, end = min(begin + share, norm.rows);
    for (size_t row = begin + threadIdx.x / 32; row < end; row += WARPS)
        norm_row_backward<WIDTH>(norm, epsilon, row);
    __syncthreads();
    norm_columns_part(norm, begin, end, parts + blockIdx.x * 2 * norm.cols, slots);
    if (!kg_blocks_last(arrived, gridDim.x))
        return;
    const struct columns columns = columns_of(2 * norm.cols);
    for (size_t first = 0; first < 2 * norm.cols; first += columns.width) {
        const size_t column = first + columns.column;
        float sum = 0;
#pragma unroll 8
        for (unsigned part = columns.group; part < gridDim.x && column < 2 * norm.cols;
             part += columns.groups)
            sum += __ldcg(parts + part * 2 * norm.cols + column);
        sum = groups_add(columns, sum, slots);
        if (columns.group == 0 && column < 2 * norm.cols)
            (column < norm.cols ? norm.dgamma + column : norm.dbeta + column - norm.cols)[0] = sum;
    }
}

/* Blocks up to which the last one has not too much to add. */
enum { NORM_BLOCKS_MOST = 64 };

static void norm_backward(const struct kg_blocks_space *space, const struct kg_norm_backward *norm)
{
    const size_t room = KG_BLOCKS_PART_FLOATS / (2 * norm->cols), most = NORM_BLOCKS_MOST;
    const size_t share = (norm->rows + min(room, most) - 1) / min(room, most);
    const size_t rows = max(share, (size_t)WARPS);
    const auto kernel = norm->cols % 4 == 0 ? norm_all_backward<4> : norm_all_backward<1>;
    KG_LAUNCH(kernel, kg_blocks_for(norm->rows, (unsigned)rows), THREADS, 0, space->stream, *norm,
              kg_layernorm_epsilon, rows, space->parts, space->arrived);
}

/* --- Causal softmax
 * ------------------------------------------------------------------------------ */
/* softmax's own kernels would read and write the half that is empty. Here a warp reads as much of a
 * row as there is; it comes from the cache from the second pass on. */
template <int WIDTH>
static __global__ void __launch_bounds__(THREADS) causal_rows(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, units = (unsigned)causal.length / WIDTH;
    if (row >= causal.rows)
        return;
    const unsigned there = (unsigned)(row % causal.length) + 1;
    float *x = causal.x + row * causal.length, most = -INFINITY, sum = 0;
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            most = i * WIDTH + k < there ? fmaxf(most, u.x[k]) : most;
    }
    most = warp_most(most);
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += i * WIDTH + k < there ? expf(u.x[k] - most) : 0;
    }
    const float scale = 1.0F / warp_sum(sum);
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = kg_unit_of<WIDTH>(0);
        if (i * WIDTH < there)
            u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            u.x[k] = i * WIDTH + k < there ? expf(u.x[k] - most) * scale : 0;
        unit_put<WIDTH>(x, i, u);
    }
}

static void causal(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    const auto kernel = causal->length % 4 == 0 ? causal_rows<4> : causal_rows<1>;
    KG_LAUNCH(kernel, kg_blocks_for(causal->rows, WARPS), THREADS, 0, space->stream, *causal);
}

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS) causal_rows_backward(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
    const unsigned lane = threadIdx.x % 32, units = (unsigned)causal.length / WIDTH;
    if (row >= causal.rows)
        return;
    const unsigned there = (unsigned)(row % causal.length) + 1;
    const float *p = causal.x + row * causal.length;
    float *dp = causal.dx + row * causal.length, sum = 0;
    for (unsigned i = lane; i * WIDTH < there; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(p, i), d = unit_at<WIDTH>(dp, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += i * WIDTH + k < there ? u.x[k] * d.x[k] : 0;
    }
    sum = warp_sum(sum);
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = kg_unit_of<WIDTH>(0), d = u;
        if (i * WIDTH < there)
            u = unit_at<WIDTH>(p, i), d = unit_at<WIDTH>(dp, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            d.x[k] = i * WIDTH + k < there ? causal.scale * u.x[k] * (d.x[k] - sum) : 0;
        unit_put<WIDTH>(dp, i, d);
    }
}

static void causal_backward(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    const auto kernel = causal->length % 4 == 0 ? causal_rows_backward<4> : causal_rows_backward<1>;
    KG_LAUNCH(kernel, kg_blocks_for(causal->rows, WARPS), THREADS, 0, space->stream, *causal);
}

/* --- Embedding
 * ----------------------------------------------------------------------------------- */
template <int WIDTH>
static __global__ void __launch_bounds__(THREADS) embed(struct kg_embedding e, size_t count)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, units = e.cols / WIDTH;
    if (i >= count)
        return;
    const size_t row = i / units, unit = i % units;
    struct kg_unit<WIDTH> u = unit_at<WIDTH>(e.vectors + e.tokens[row] * e.cols, unit);
    const struct kg_unit<WIDTH> p = unit_at<WIDTH>(e.positions + row % e.length * e.cols, unit);
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        u.x[k] += p.x[k];
    unit_put<WIDTH>(e.x, i, u);
}

static void embedding(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    const unsigned width = e->cols % 4 == 0 ? 4 : 1;
    const size_t count = e->batch * e->length * (e->cols / width);
    const auto kernel = width == 4 ? embed<4> : embed<1>;
    KG_LAUNCH(kernel, kg_blocks_for(count, THREADS), THREADS, 0, space->stream, *e, count);
}

/* Which of THREADS tokens from `first` on are `token`, in their order: to `list`. All threads get
 * their number. */
static __device__ __forceinline__ unsigned occurrences(const struct kg_embedding &e, size_t first,
                                                       unsigned token, unsigned counts[WARPS],
                                                       unsigned list[THREADS])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t row = first + threadIdx.x;
    const bool found = row < e.batch * e.length && e.tokens[row] == token;
    const unsigned votes = __ballot_sync(0xffffffffU, found);
    __syncthreads(); /* the list before has been read */
    if (lane == 0)
        counts[warp] = (unsigned)__popc(votes);
    __syncthreads();
    unsigned before = 0, all = 0;
#pragma unroll
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? counts[w] : 0;
        all += counts[w];
    }
    if (found)
        list[before + (unsigned)__popc(votes & ((1U << lane) - 1))] = (unsigned)row;
    __syncthreads();
    return all;
}

/* The gradient of one token's vector: a block finds where the token is, in order, and adds up those
 * rows. Atomics would add them in an order of their own. */
static __device__ __forceinline__ void vector_backward(const struct kg_embedding &e, unsigned token)
{
    __shared__ float slots[THREADS];
    __shared__ unsigned counts[WARPS], list[THREADS];
    const struct columns columns = columns_of(e.cols);
    for (size_t start = 0; start < e.cols; start += columns.width) {
        const size_t column = start + columns.column;
        float sum = 0;
        for (size_t first = 0; first < e.batch * e.length; first += THREADS) {
            const unsigned count = occurrences(e, first, token, counts, list);
#pragma unroll 8
            for (unsigned i = columns.group; i < count; i += columns.groups)
                sum += column < e.cols ? e.x[list[i] * e.cols + column] : 0;
        }
        sum = groups_add(columns, sum, slots);
        if (columns.group == 0 && column < e.cols)
            e.vectors[token * e.cols + column] += sum;
    }
}

/* A block for each token, the others for the positions. */
template <int WIDTH>
static __global__ void __launch_bounds__(THREADS) embed_backward(struct kg_embedding e)
{
    if (blockIdx.x < e.vocabulary) {
        vector_backward(e, blockIdx.x);
        return;
    }
    const size_t i = (size_t)(blockIdx.x - (unsigned)e.vocabulary) * THREADS + threadIdx.x;
    const size_t units = e.length * e.cols / WIDTH;
    if (i >= units)
        return;
    struct kg_unit<WIDTH> sum = kg_unit_of<WIDTH>(0);
#pragma unroll 4
    for (size_t b = 0; b < e.batch; b++) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(e.x, b * units + i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum.x[k] += u.x[k];
    }
    unit_put<WIDTH>(e.positions, i, sum);
}

static void embedding_backward(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    const unsigned width = e->cols % 4 == 0 ? 4 : 1;
    const unsigned blocks = kg_blocks_for(e->length * (e->cols / width), THREADS);
    const auto kernel = width == 4 ? embed_backward<4> : embed_backward<1>;
    KG_LAUNCH(kernel, (unsigned)e->vocabulary + blocks, THREADS, 0, space->stream, *e);
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
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++) {
            most = fmaxf(most, u.x[k]);
            logit += i * WIDTH + k == target ? u.x[k] : 0;
        }
    }
    most = warp_most(most);
    logit = warp_sum(logit);
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            sum += expf(u.x[k] - most);
    }
    sum = warp_sum(sum);
    if (lane == 0)
        loss.losses[row] = logf(sum) - (logit - most);
    const float scale = 1.0F / sum, share = 1.0F / (float)loss.rows;
    for (unsigned i = lane; i < units; i += 32) {
        struct kg_unit<WIDTH> u = unit_at<WIDTH>(x, i);
#pragma unroll
        for (unsigned k = 0; k < WIDTH; k++)
            u.x[k] =
                (expf(u.x[k] - most) * scale - (i * WIDTH + k == target ? 1.0F : 0.0F)) * share;
        unit_put<WIDTH>(x, i, u);
    }
}

template <int WIDTH>
static __global__ void __launch_bounds__(THREADS) loss_all(struct kg_loss loss, unsigned *arrived)
{
    __shared__ float slots[WARPS];
    const size_t own = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (own < loss.rows)
        loss_row<WIDTH>(loss, own);
    if (!kg_blocks_last(arrived, gridDim.x))
        return;
    float sum = 0;
#pragma unroll 4
    for (size_t row = threadIdx.x; row < loss.rows; row += THREADS)
        sum += __ldcg(loss.losses + row);
    sum = kg_fold_block<THREADS>(sum, kg_add, slots);
    if (threadIdx.x == 0)
        *loss.loss = sum / (float)loss.rows;
}

static void loss(const struct kg_blocks_space *space, const struct kg_loss *loss)
{
    const auto kernel = loss->cols % 4 == 0 ? loss_all<4> : loss_all<1>;
    KG_LAUNCH(kernel, kg_blocks_for(loss->rows, WARPS), THREADS, 0, space->stream, *loss,
              space->arrived);
}

/* Four parameters a thread, and the few behind the last four one by one. */
static __global__ void __launch_bounds__(THREADS) adamw_fours(struct kg_adamw a)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, first = 4 * i;
    if (first + 4 > a.n) {
        for (size_t j = first; j < a.n; j++)
            a.parameters[j] = kg_adamw_update(a.scales, a.parameters[j], a.gradients[j],
                                              &a.moment1[j], &a.moment2[j]);
        return;
    }
    struct kg_unit<4> p = unit_at<4>(a.parameters, i), m = unit_at<4>(a.moment1, i),
                      v = unit_at<4>(a.moment2, i);
    const struct kg_unit<4> g = unit_at<4>(a.gradients, i);
#pragma unroll
    for (int k = 0; k < 4; k++)
        p.x[k] = kg_adamw_update(a.scales, p.x[k], g.x[k], &m.x[k], &v.x[k]);
    unit_put<4>(a.parameters, i, p);
    unit_put<4>(a.moment1, i, m);
    unit_put<4>(a.moment2, i, v);
}

static void adamw(const struct kg_blocks_space *space, const struct kg_adamw *a)
{
    KG_LAUNCH(adamw_fours, kg_blocks_for((a->n + 3) / 4, THREADS), THREADS, 0, space->stream, *a);
}

extern "C" const struct kg_blocks kg_blocks_fast = {
    kg_blocks_fast_products, norm, norm_backward, causal, causal_backward, embedding,
    embedding_backward,      loss, adamw,
};
