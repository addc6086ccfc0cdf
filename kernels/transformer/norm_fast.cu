/* The fast version's layernorm: forward by layernorm's own kernel, backward in one launch. */
#include "transformer/blocks_fast.cuh"

void kg_blocks_fast_norm(const struct kg_blocks_space *space, const struct kg_norm *norm)
{
    struct kg_rows rows = kg_norm_rows(space, norm);
    kg_layernorm_cuda_fast(&rows);
}

/* The gradient by a row, by one warp. Two passes over the row: its mean, then everything else. The
 * second pass reads from the cache. */
template <int WIDTH>
static __device__ __forceinline__ void norm_row_backward(const struct kg_norm_backward &norm,
                                                         float epsilon, size_t row)
{
    const unsigned lane = threadIdx.x % 32, units = (unsigned)norm.cols / WIDTH;
    const float *x = norm.x + row * norm.cols, *dy = norm.dy + row * norm.cols;
    float *dx = norm.dx + row * norm.cols, sum = 0, squares = 0, product = 0;
    const float n = (float)norm.cols;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum += u.x[k];
    }
    const float mean = kg_warp_sum(sum) / n;
    sum = 0;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i), d = kg_unit_at<WIDTH>(dy, i),
                                    g = kg_unit_at<WIDTH>(norm.gamma, i);
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            const float shifted = u.x[k] - mean, slope = g.x[k] * d.x[k];
            squares += shifted * shifted;
            sum += slope;
            product += slope * shifted;
        }
    }
    const float scale = 1.0F / sqrtf(kg_warp_sum(squares) / n + epsilon);
    sum = kg_warp_sum(sum) / n;
    product = kg_warp_sum(product) * scale * scale / n;
    for (unsigned i = lane; i < units; i += 32) {
        const struct kg_unit<WIDTH> u = kg_unit_at<WIDTH>(x, i), d = kg_unit_at<WIDTH>(dy, i),
                                    g = kg_unit_at<WIDTH>(norm.gamma, i);
        struct kg_unit<WIDTH> to = norm.add ? kg_unit_at<WIDTH>(dx, i) : kg_unit_of<WIDTH>(0);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            to.x[k] += scale * (g.x[k] * d.x[k] - sum - (u.x[k] - mean) * product);
        kg_unit_put<WIDTH>(dx, i, to);
    }
    if (lane == 0) {
        norm.mean[row] = mean;
        norm.scale[row] = scale;
    }
}

/* The sums for gamma and beta over rows begin to end - 1: to part[0 ..] and part[cols ..]. */
static __device__ __forceinline__ void norm_columns_part(const struct kg_norm_backward &norm,
                                                         size_t begin, size_t end, float *part,
                                                         float slots[KG_BLOCKS_THREADS])
{
    const struct kg_columns columns = kg_columns_of(norm.cols);
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
        dgamma = kg_groups_add(columns, dgamma, slots);
        dbeta = kg_groups_add(columns, dbeta, slots);
        if (columns.group == 0 && column < norm.cols) {
            part[column] = dgamma;
            part[norm.cols + column] = dbeta;
        }
    }
}

template <int WIDTH>
static __global__ void __launch_bounds__(KG_BLOCKS_THREADS)
    norm_all_backward(struct kg_norm_backward norm, float epsilon, size_t share, float *parts,
                      unsigned *arrived)
{
    __shared__ float slots[KG_BLOCKS_THREADS];
    const size_t begin = blockIdx.x * share, end = min(begin + share, norm.rows);
    for (size_t row = begin + threadIdx.x / 32; row < end; row += KG_BLOCKS_WARPS)
        norm_row_backward<WIDTH>(norm, epsilon, row);
    __syncthreads();
    norm_columns_part(norm, begin, end, parts + blockIdx.x * 2 * norm.cols, slots);
    if (!kg_blocks_last(arrived, gridDim.x))
        return;
    const struct kg_columns columns = kg_columns_of(2 * norm.cols);
    for (size_t first = 0; first < 2 * norm.cols; first += columns.width) {
        const size_t column = first + columns.column;
        float sum = 0;
#pragma unroll 8
        for (unsigned part = columns.group; part < gridDim.x && column < 2 * norm.cols;
             part += columns.groups)
            sum += __ldcg(parts + part * 2 * norm.cols + column);
        sum = kg_groups_add(columns, sum, slots);
        if (columns.group == 0 && column < 2 * norm.cols)
            (column < norm.cols ? norm.dgamma + column : norm.dbeta + column - norm.cols)[0] = sum;
    }
}

/* Blocks up to which the last one has not too much to add. */
enum { NORM_BLOCKS_MOST = 64 };

void kg_blocks_fast_norm_backward(const struct kg_blocks_space *space,
                                  const struct kg_norm_backward *norm)
{
    const size_t room = KG_BLOCKS_PART_FLOATS / (2 * norm->cols), most = NORM_BLOCKS_MOST;
    const size_t share = (norm->rows + min(room, most) - 1) / min(room, most);
    const size_t rows = max(share, (size_t)KG_BLOCKS_WARPS);
    const auto kernel = norm->cols % 4 == 0 ? norm_all_backward<4> : norm_all_backward<1>;
    KG_LAUNCH(kernel, kg_blocks_for(norm->rows, (unsigned)rows), KG_BLOCKS_THREADS, 0,
              space->stream, *norm, kg_layernorm_epsilon, rows, space->parts, space->arrived);
}
