#include <cfloat>

#include "common/rows.cuh"
#include "softmax/softmax.h"

/* 0 plain: a block to each row, and the three passes of the CPU's over device memory: the maximum,
 * the exponentials and their sum, the division. */
static __global__ void __launch_bounds__(KG_ROWS_PLAIN_BLOCK)
    softmax_plain(const float *x, float *y, size_t rows, unsigned cols)
{
    __shared__ float slots[2][KG_ROWS_PLAIN_BLOCK / 32];
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *from = x + row * cols;
        float *to = y + row * cols, largest = -FLT_MAX, sum = 0;
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            largest = fmaxf(largest, from[j]);
        largest = kg_fold_block<KG_ROWS_PLAIN_BLOCK>(
            largest, [](float a, float b) { return fmaxf(a, b); }, slots[0]);
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            sum += to[j] = expf(from[j] - largest);
        sum = kg_fold_block<KG_ROWS_PLAIN_BLOCK>(sum, kg_add, slots[1]);
        for (unsigned j = threadIdx.x; j < cols; j += KG_ROWS_PLAIN_BLOCK)
            to[j] /= sum;
    }
}

extern "C" void kg_softmax_cuda_plain(void *state)
{
    const auto *rows = static_cast<const struct kg_rows *>(state);
    KG_LAUNCH(softmax_plain, kg_rows_grid(rows->rows), KG_ROWS_PLAIN_BLOCK, 0, rows->call.stream,
              rows->x, rows->y, rows->rows, (unsigned)rows->cols);
}

/* The accurate exponential: its few instructions hide behind memory, and __expf's error is above
 * the tolerance of short rows. */
struct kg_softmax_rows {
    static __device__ float none()
    {
        return -FLT_MAX;
    }
    static __device__ float first(float a, float b)
    {
        return fmaxf(a, b);
    }
    static __device__ float centre(float largest, float)
    {
        return largest;
    }
    static __device__ float shift(float x, float largest)
    {
        return expf(x - largest);
    }
    static __device__ float term(float shifted)
    {
        return shifted;
    }
    static __device__ struct kg_moments merge(struct kg_moments a, struct kg_moments b)
    {
        const float largest = fmaxf(a.centre, b.centre);
        return {a.count + b.count, largest,
                a.sum * expf(a.centre - largest) + b.sum * expf(b.centre - largest)};
    }
    __device__ float scale(float sum, float) const
    {
        return 1.0F / sum;
    }
    template <int WIDTH>
    __device__ struct kg_unit<WIDTH> result(struct kg_unit<WIDTH> shifted, float scale,
                                            unsigned) const {
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            shifted.x[k] *= scale;
        return shifted;
    }
};

extern "C" bool kg_softmax_cuda_prepare(struct kgate_context *context, void *state)
{
    auto *rows = static_cast<struct kg_rows *>(state);
    return rows->call.version != kg_softmax_cuda_fast ||
           kg_rows_prepare<kg_softmax_rows>(context, rows);
}

/* 1 fast: one read and one write of device memory, 16 bytes at a time, an exponential an element
 * and a division a row; how, by the length of the row, is in rows.cuh. */
extern "C" void kg_softmax_cuda_fast(void *state)
{
    const auto *rows = static_cast<const struct kg_rows *>(state);
    kg_rows_launch(rows, kg_softmax_rows{});
}
