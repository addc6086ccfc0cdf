#include "common/rows.cuh"
#include "layernorm/layernorm.h"

/* 0 plain: a block to each row, and the three passes of the CPU's over device memory: mean,
 * variance, result. */
static __global__ void __launch_bounds__(KG_ROWS_PLAIN_BLOCK)
    layernorm_plain(const float *x, float *y, size_t rows, unsigned cols, const float *gamma,
                    const float *beta, float epsilon)
{
    __shared__ float slots[2][KG_ROWS_PLAIN_BLOCK / 32];
    const float n = (float)cols;
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *from = x + row * cols;
        float *to = y + row * cols, sum = 0, squares = 0;
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            sum += from[j];
        const float mean = kg_fold_block<KG_ROWS_PLAIN_BLOCK>(sum, kg_add, slots[0]) / n;
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            squares += (from[j] - mean) * (from[j] - mean);
        squares = kg_fold_block<KG_ROWS_PLAIN_BLOCK>(squares, kg_add, slots[1]);
        const float scale = 1.0F / sqrtf(squares / n + epsilon);
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            to[j] = gamma[j] * (from[j] - mean) * scale + beta[j];
    }
}

extern "C" void kg_layernorm_cuda_plain(void *state)
{
    const auto *rows = static_cast<const struct kg_rows *>(state);
    KG_LAUNCH(layernorm_plain, kg_rows_grid(rows->rows), KG_ROWS_PLAIN_BLOCK, 0, rows->call.stream,
              rows->x, rows->y, rows->rows, (unsigned)rows->cols, rows->gamma, rows->beta,
              kg_layernorm_epsilon);
}

struct kg_layernorm_rows {
    const float *gamma;
    const float *beta;
    float epsilon;

    static __device__ float none()
    {
        return 0;
    }
    static __device__ float first(float a, float b)
    {
        return a + b;
    }
    static __device__ float centre(float sum, float n)
    {
        return sum / n;
    }
    static __device__ float shift(float x, float mean)
    {
        return x - mean;
    }
    static __device__ float term(float shifted)
    {
        return shifted * shifted;
    }
    static __device__ struct kg_moments merge(struct kg_moments a, struct kg_moments b)
    {
        const float count = a.count + b.count, apart = b.centre - a.centre;
        const float share = b.count / fmaxf(count, 1.0F); /* both may be empty */
        return {count, a.centre + apart * share, a.sum + b.sum + apart * apart * a.count * share};
    }
    __device__ float scale(float squares, float n) const
    {
        return 1.0F / sqrtf(squares / n + epsilon);
    }
    template <int WIDTH>
    __device__ struct kg_unit<WIDTH> result(struct kg_unit<WIDTH> shifted, float scale,
                                            unsigned i) const {
        const struct kg_unit<WIDTH> factor = ((const struct kg_unit<WIDTH> *)gamma)[i];
        const struct kg_unit<WIDTH> offset = ((const struct kg_unit<WIDTH> *)beta)[i];
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            shifted.x[k] = factor.x[k] * shifted.x[k] * scale + offset.x[k];
        return shifted;
    }
};

extern "C" bool kg_layernorm_cuda_prepare(struct kgate_context *context, void *state)
{
    auto *rows = static_cast<struct kg_rows *>(state);
    return rows->call.version != kg_layernorm_cuda_fast ||
           kg_rows_prepare<kg_layernorm_rows>(context, rows);
}

/* 1 fast: one read and one write of device memory, 16 bytes at a time; how, by the length of the
 * row, is in rows.cuh. gamma and beta stay in the caches. */
extern "C" void kg_layernorm_cuda_fast(void *state)
{
    const auto *rows = static_cast<const struct kg_rows *>(state);
    kg_rows_launch(rows, kg_layernorm_rows{rows->gamma, rows->beta, kg_layernorm_epsilon});
}
