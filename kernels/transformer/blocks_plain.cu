/* 0 plain: the formulas of model.h, with a launch per step and a thread per element or row of the
 * result. */
#include "transformer/blocks.cuh"

enum { THREADS = 256, ROWS = 8, COLUMNS = 32 };

/* --- Products
 * ------------------------------------------------------------------------------------ */
static __device__ const float *factor_line(const struct kg_factor &factor, unsigned line,
                                           size_t *step)
{
    *step = factor.depth_first ? 1 : factor.stride;
    return factor.x + (size_t)line * (factor.depth_first ? factor.stride : 1);
}

/* Rows and batches are the grid's x: its y and z are at most 65535. */
static __global__ void __launch_bounds__(ROWS *COLUMNS)
    product(struct kg_product p, unsigned row_blocks)
{
    const unsigned batch = blockIdx.x / row_blocks;
    const unsigned row = blockIdx.x % row_blocks * ROWS + threadIdx.y;
    const unsigned column = blockIdx.y * COLUMNS + threadIdx.x;
    if (row >= p.m || column >= p.n || (p.triangle == KG_TRIANGLE_LOWER_C && column > row))
        return;
    const size_t outer = batch / p.inner, inner = batch % p.inner;
    size_t a_step, b_step;
    const float *a = factor_line(p.a, row, &a_step) + outer * p.a.outer + inner * p.a.inner;
    const float *b = factor_line(p.b, column, &b_step) + outer * p.b.outer + inner * p.b.inner;
    float sum = 0;
    for (unsigned l = kg_depth_begin(p, row); l < kg_depth_end(p, row); l++)
        sum += a[l * a_step] * b[l * b_step];
    p.c[outer * p.c_outer + inner * p.c_inner + (size_t)row * p.c_stride + column] = p.scale * sum;
}

/* The steps after C's product, one per launch: x = f(x, y), element by element. */
enum step { ADD_BIAS, ADD_RESIDUAL, TIMES_SLOPE, GELU };

static __device__ float step_value(enum step step, float x, float y)
{
    switch (step) {
    case ADD_BIAS:
    case ADD_RESIDUAL:
        return x + y;
    case TIMES_SLOPE:
        return x * kg_gelu_slope(y);
    case GELU:
        break;
    }
    return kg_gelu(y);
}

static __global__ void __launch_bounds__(ROWS *COLUMNS)
    elements(enum step step, float *x, const float *y, unsigned rows, unsigned cols,
             unsigned stride)
{
    const unsigned row = blockIdx.x * ROWS + threadIdx.y;
    const unsigned column = blockIdx.y * COLUMNS + threadIdx.x;
    if (row >= rows || column >= cols)
        return;
    const size_t at = (size_t)row * stride + column;
    x[at] = step_value(step, x[at], y[step == ADD_BIAS ? column : at]);
}

static __global__ void __launch_bounds__(THREADS)
    column_sums(struct kg_factor b, unsigned depth, unsigned lines, float *sums)
{
    const unsigned line = blockIdx.x * THREADS + threadIdx.x;
    if (line >= lines)
        return;
    const size_t step = b.depth_first ? 1 : b.stride;
    const float *x = b.x + (size_t)line * (b.depth_first ? b.stride : 1);
    float sum = 0;
    for (unsigned l = 0; l < depth; l++)
        sum += x[l * step];
    sums[line] = sum;
}

static void product_finish(const struct kg_blocks_space *space, const struct kg_product *p)
{
    const dim3 grid(kg_blocks_for(p->m, ROWS), kg_blocks_for(p->n, COLUMNS));
    const dim3 block(COLUMNS, ROWS);
    const struct {
        enum step step;
        float *x;
        const float *y;
    } steps[] = {{ADD_BIAS, p->bias ? p->c : nullptr, p->bias},
                 {ADD_RESIDUAL, p->residual ? p->c : nullptr, p->residual},
                 {TIMES_SLOPE, p->slope_of ? p->c : nullptr, p->slope_of},
                 {GELU, p->gelu, p->c}};
    for (const auto &one : steps)
        if (one.x)
            KG_LAUNCH(elements, grid, block, 0, space->stream, one.step, one.x, one.y, p->m, p->n,
                      p->c_stride);
    if (p->sums)
        KG_LAUNCH(column_sums, kg_blocks_for(p->n, THREADS), THREADS, 0, space->stream, p->b, p->k,
                  p->n, p->sums);
}

static void products(const struct kg_blocks_space *space, const struct kg_product *products,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct kg_product *p = &products[i];
        const unsigned row_blocks = kg_blocks_for(p->m, ROWS);
        const dim3 grid(row_blocks * p->outer * p->inner, kg_blocks_for(p->n, COLUMNS));
        const dim3 block(COLUMNS, ROWS);
        KG_LAUNCH(product, grid, block, 0, space->stream, *p, row_blocks);
        product_finish(space, p);
    }
}

/* --- Layernorm
 * ----------------------------------------------------------------------------------- */
static void norm(const struct kg_blocks_space *space, const struct kg_norm *norm)
{
    struct kg_rows rows = kg_norm_rows(space, norm);
    kg_layernorm_cuda_plain(&rows);
}

/* With n = (x - mean) scale and g = gamma dy: dx = scale (g - mean(g) - n mean(g n)). A thread a
 * row, which leaves mean and scale for the columns. */
static __global__ void __launch_bounds__(THREADS)
    norm_rows_backward(struct kg_norm_backward norm, float epsilon)
{
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x, cols = norm.cols;
    if (row >= norm.rows)
        return;
    const float *x = norm.x + row * cols, *dy = norm.dy + row * cols, n = (float)cols;
    float mean = 0, squares = 0, sum = 0, product = 0;
    for (size_t j = 0; j < cols; j++)
        mean += x[j];
    mean /= n;
    for (size_t j = 0; j < cols; j++)
        squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1.0F / sqrtf(squares / n + epsilon);
    for (size_t j = 0; j < cols; j++) {
        sum += norm.gamma[j] * dy[j];
        product += norm.gamma[j] * dy[j] * (x[j] - mean);
    }
    sum /= n;
    product *= scale * scale / n;
    for (size_t j = 0; j < cols; j++)
        norm.dx[row * cols + j] = (norm.add ? norm.dx[row * cols + j] : 0) +
                                  scale * (norm.gamma[j] * dy[j] - sum - (x[j] - mean) * product);
    norm.mean[row] = mean;
    norm.scale[row] = scale;
}

static __global__ void __launch_bounds__(THREADS)
    norm_columns_backward(struct kg_norm_backward norm)
{
    const size_t column = (size_t)blockIdx.x * THREADS + threadIdx.x, cols = norm.cols;
    if (column >= cols)
        return;
    float dgamma = 0, dbeta = 0;
    for (size_t row = 0; row < norm.rows; row++) {
        const float dy = norm.dy[row * cols + column];
        dgamma += dy * (norm.x[row * cols + column] - norm.mean[row]) * norm.scale[row];
        dbeta += dy;
    }
    norm.dgamma[column] = dgamma;
    norm.dbeta[column] = dbeta;
}

static void norm_backward(const struct kg_blocks_space *space, const struct kg_norm_backward *norm)
{
    KG_LAUNCH(norm_rows_backward, kg_blocks_for(norm->rows, THREADS), THREADS, 0, space->stream,
              *norm, kg_layernorm_epsilon);
    KG_LAUNCH(norm_columns_backward, kg_blocks_for(norm->cols, THREADS), THREADS, 0, space->stream,
              *norm);
}

/* --- Causal softmax
 * ------------------------------------------------------------------------------ */
static __global__ void __launch_bounds__(THREADS) causal_rows(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= causal.rows)
        return;
    const size_t length = causal.length, there = row % length + 1;
    float *x = causal.x + row * length, most = x[0], sum = 0;
    for (size_t j = 1; j < there; j++)
        most = fmaxf(most, x[j]);
    for (size_t j = 0; j < there; j++) {
        x[j] = expf(x[j] - most);
        sum += x[j];
    }
    for (size_t j = 0; j < length; j++)
        x[j] = j < there ? x[j] / sum : 0;
}

static void causal(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    KG_LAUNCH(causal_rows, kg_blocks_for(causal->rows, THREADS), THREADS, 0, space->stream,
              *causal);
}

/* ds_j = scale p_j (dp_j - sum_i p_i dp_i) */
static __global__ void __launch_bounds__(THREADS) causal_rows_backward(struct kg_causal causal)
{
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (row >= causal.rows)
        return;
    const size_t length = causal.length, there = row % length + 1;
    const float *p = causal.x + row * length;
    float *dp = causal.dx + row * length, sum = 0;
    for (size_t j = 0; j < there; j++)
        sum += p[j] * dp[j];
    for (size_t j = 0; j < length; j++)
        dp[j] = j < there ? causal.scale * p[j] * (dp[j] - sum) : 0;
}

static void causal_backward(const struct kg_blocks_space *space, const struct kg_causal *causal)
{
    KG_LAUNCH(causal_rows_backward, kg_blocks_for(causal->rows, THREADS), THREADS, 0, space->stream,
              *causal);
}

/* --- Embedding
 * ----------------------------------------------------------------------------------- */
static __global__ void __launch_bounds__(THREADS) embed(struct kg_embedding e, size_t count)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, row = i / e.cols;
    if (i < count)
        e.x[i] = e.vectors[e.tokens[row] * e.cols + i % e.cols] +
                 e.positions[row % e.length * e.cols + i % e.cols];
}

static void embedding(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    const size_t count = e->batch * e->length * e->cols;
    KG_LAUNCH(embed, kg_blocks_for(count, THREADS), THREADS, 0, space->stream, *e, count);
}

/* A thread for each element of the gradient, which looks for its token everywhere: the sum is in
 * the order of the tokens, which atomics would not give. */
static __global__ void __launch_bounds__(THREADS) vectors_backward(struct kg_embedding e)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= e.vocabulary * e.cols)
        return;
    float sum = 0;
    for (size_t row = 0; row < e.batch * e.length; row++)
        if (e.tokens[row] == i / e.cols)
            sum += e.x[row * e.cols + i % e.cols];
    e.vectors[i] += sum;
}

static __global__ void __launch_bounds__(THREADS) positions_backward(struct kg_embedding e)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x, size = e.length * e.cols;
    if (i >= size)
        return;
    float sum = 0;
    for (size_t b = 0; b < e.batch; b++)
        sum += e.x[b * size + i];
    e.positions[i] = sum;
}

static void embedding_backward(const struct kg_blocks_space *space, const struct kg_embedding *e)
{
    KG_LAUNCH(vectors_backward, kg_blocks_for(e->vocabulary * e->cols, THREADS), THREADS, 0,
              space->stream, *e);
    KG_LAUNCH(positions_backward, kg_blocks_for(e->length * e->cols, THREADS), THREADS, 0,
              space->stream, *e);
}

/* --- Loss and update
 * ----------------------------------------------------------------------------- */
static __global__ void __launch_bounds__(THREADS) loss_rows(struct kg_loss loss)
{
    const size_t row = (size_t)blockIdx.x * THREADS + threadIdx.x, cols = loss.cols;
    if (row >= loss.rows)
        return;
    float *x = loss.logits + row * cols, most = x[0], sum = 0;
    const size_t target = loss.targets[row];
    for (size_t j = 1; j < cols; j++)
        most = fmaxf(most, x[j]);
    for (size_t j = 0; j < cols; j++)
        sum += expf(x[j] - most);
    loss.losses[row] = logf(sum) - (x[target] - most);
    for (size_t j = 0; j < cols; j++)
        x[j] = (expf(x[j] - most) / sum - (j == target ? 1.0F : 0.0F)) / (float)loss.rows;
}

static __global__ void __launch_bounds__(THREADS) loss_mean(struct kg_loss loss)
{
    __shared__ float slots[THREADS / 32];
    float sum = 0;
    for (size_t row = threadIdx.x; row < loss.rows; row += THREADS)
        sum += loss.losses[row];
    sum = kg_fold_block<THREADS>(sum, kg_add, slots);
    if (threadIdx.x == 0)
        *loss.loss = sum / (float)loss.rows;
}

static void loss(const struct kg_blocks_space *space, const struct kg_loss *loss)
{
    KG_LAUNCH(loss_rows, kg_blocks_for(loss->rows, THREADS), THREADS, 0, space->stream, *loss);
    KG_LAUNCH(loss_mean, 1, THREADS, 0, space->stream, *loss);
}

static __global__ void __launch_bounds__(THREADS) adamw_each(struct kg_adamw a)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < a.n)
        a.parameters[i] = kg_adamw_update(a.scales, a.parameters[i], a.gradients[i], &a.moment1[i],
                                          &a.moment2[i]);
}

static void adamw(const struct kg_blocks_space *space, const struct kg_adamw *a)
{
    KG_LAUNCH(adamw_each, kg_blocks_for(a->n, THREADS), THREADS, 0, space->stream, *a);
}

extern "C" const struct kg_blocks kg_blocks_plain = {
    products,           norm, norm_backward, causal, causal_backward, embedding,
    embedding_backward, loss, adamw,
};
