/* rows.cuh: a function of each row of a matrix on the GPU. It reads and writes device memory once
 * if a multiprocessor can keep a row. For the .cu files of the families.
 *
 * A family is a small struct F, handed to the kernels by value, of device functions:
 *   none()              neutral element of the first fold, and its start: a finite number;
 *   first(a, b)         first fold of the elements: their maximum, or sum;
 *   centre(fold, n)     shift of every element: the maximum, or the mean;
 *   shift(x, centre)    shifted element: exp(x - centre), or x - centre;
 *   term(shifted)       term of the sum: the shifted element, or its square;
 *   scale(sum, n)       factor of the result, from the sum of the terms;
 *   result(shifted, scale, i)   unit i of the result;
 *   merge(a, b)         moments of two parts of a row together; either part may be empty. */
#pragma once
#include "common/common.h"
#include "common/rows.h"
#include "device/code/launch.cuh"

/* WIDTH elements, loaded and stored at once: 16 bytes if WIDTH is 4. */
template <int WIDTH> struct alignas(WIDTH * sizeof(float)) kg_unit {
    float x[WIDTH];
};

template <int WIDTH> __device__ struct kg_unit<WIDTH> kg_unit_of(float x) {
    struct kg_unit<WIDTH> unit;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        unit.x[k] = x;
    return unit;
}

/* The moments of a part of a row. */
struct kg_moments {
    float count;
    float centre;
    float sum; /* of the terms of the elements shifted by `centre` */
};
static_assert(sizeof(struct kg_moments) == KG_ROWS_PART_FLOATS * sizeof(float), "see rows.h");

static __device__ inline float kg_lane_xor(float value, int with)
{
    return __shfl_xor_sync(0xffffffffU, value, with);
}

static __device__ inline struct kg_moments kg_lane_xor(struct kg_moments value, int with)
{
    return {kg_lane_xor(value.count, with), kg_lane_xor(value.centre, with),
            kg_lane_xor(value.sum, with)};
}

/* The fold over LANES consecutive lanes, for each such group. LANES: a power of two up to 32. */
template <int LANES, class T, class Fold> __device__ T kg_fold_lanes(T value, Fold fold)
{
#pragma unroll
    for (int with = LANES / 2; with > 0; with /= 2)
        value = fold(value, kg_lane_xor(value, with));
    return value;
}

/* The fold over a block of THREADS, a power of two from 64 on, for all of its threads. `slots`
 * holds one T for each warp, in shared memory. The function contains one barrier. So consecutive
 * calls must alternate between two sets of slots: by the second call every thread has read the
 * slots of the first. */
template <int THREADS, class T, class Fold> __device__ T kg_fold_block(T value, Fold fold, T *slots)
{
    value = kg_fold_lanes<32>(value, fold);
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = value;
    __syncthreads();
    return kg_fold_lanes<THREADS / 32>(slots[threadIdx.x % (THREADS / 32)], fold);
}

static __device__ inline float kg_add(float a, float b)
{
    return a + b;
}

template <class F, int WIDTH> __device__ float kg_unit_first(struct kg_unit<WIDTH> unit, float fold)
{
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        fold = F::first(fold, unit.x[k]);
    return fold;
}

/* Shifts the unit in place; returns the sum of the terms. */
template <class F, int WIDTH>
__device__ float kg_unit_shift(struct kg_unit<WIDTH> &unit, float centre)
{
    float sum = 0;
#pragma unroll
    for (int k = 0; k < WIDTH; k++) {
        unit.x[k] = F::shift(unit.x[k], centre);
        sum += F::term(unit.x[k]);
    }
    return sum;
}

/* Threads of a block whose rows go to `lanes` each. */
__host__ __device__ constexpr int kg_rows_threads(int lanes)
{
    return lanes <= 32 ? 128 : lanes;
}

/* LANES lanes, part of a warp or a block, share a row. Each keeps UNITS units in registers between
 * the one read and the one write. All loads of a row start before the first use. A thread has at
 * most 64 registers, so 1024 threads are resident, half of the possible number. Lanes behind the
 * last row fold with the others, as shuffles need the whole warp. */
template <class F, int WIDTH, int LANES, int UNITS>
__global__ void __launch_bounds__(kg_rows_threads(LANES), 1024 / kg_rows_threads(LANES))
    kg_rows_registers(const float *__restrict__ x, float *__restrict__ y, size_t rows,
                      unsigned cols, F f)
{
    constexpr int ROWS = kg_rows_threads(LANES) / LANES;
    __shared__ float slots[2][32];
    const unsigned lane = threadIdx.x % LANES, row_units = cols / WIDTH;
    const auto fold = [](float a, float b) { return F::first(a, b); };
    for (size_t first = (size_t)blockIdx.x * ROWS; first < rows;
         first += (size_t)gridDim.x * ROWS) {
        const size_t row = first + threadIdx.x / LANES;
        const unsigned units = row < rows ? row_units : 0;
        const struct kg_unit<WIDTH> *from = (const struct kg_unit<WIDTH> *)x + row * row_units;
        struct kg_unit<WIDTH> *to = (struct kg_unit<WIDTH> *)y + row * row_units;
        struct kg_unit<WIDTH> kept[UNITS];
        float folded = F::none(), sum = 0;
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            kept[u] =
                u * LANES + lane < units ? from[u * LANES + lane] : kg_unit_of<WIDTH>(F::none());
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            folded = kg_unit_first<F>(kept[u], folded);
        if constexpr (LANES <= 32)
            folded = kg_fold_lanes<LANES>(folded, fold);
        else
            folded = kg_fold_block<LANES>(folded, fold, slots[0]);
        const float centre = F::centre(folded, (float)cols);
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            if (u * LANES + lane < units)
                sum += kg_unit_shift<F>(kept[u], centre);
        if constexpr (LANES <= 32)
            sum = kg_fold_lanes<LANES>(sum, kg_add);
        else
            sum = kg_fold_block<LANES>(sum, kg_add, slots[1]);
        const float scale = f.scale(sum, (float)cols);
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            if (u * LANES + lane < units)
                to[u * LANES + lane] = f.result(kept[u], scale, u * LANES + lane);
    }
}

/* One block per row that does not fit into registers. Two blocks of 64 registers per thread, or
 * four of 32, fill a multiprocessor. */
enum { KG_ROWS_BLOCK = 512, KG_ROWS_WARPS = KG_ROWS_BLOCK / 32 };

/* kg_rows_registers with the row in shared memory. A thread reads only its own units again, so only
 * the folds need barriers. */
template <class F, int WIDTH>
__global__ void __launch_bounds__(KG_ROWS_BLOCK)
    kg_rows_shared(const float *__restrict__ x, float *__restrict__ y, size_t rows, unsigned cols,
                   F f)
{
    KG_DYNAMIC_SHARED(struct kg_unit<WIDTH>, kept);
    __shared__ float slots[2][KG_ROWS_WARPS];
    const unsigned units = cols / WIDTH;
    const auto fold = [](float a, float b) { return F::first(a, b); };
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const struct kg_unit<WIDTH> *from = (const struct kg_unit<WIDTH> *)x + row * units;
        struct kg_unit<WIDTH> *to = (struct kg_unit<WIDTH> *)y + row * units;
        float folded = F::none(), sum = 0;
#pragma unroll 8
        for (unsigned i = threadIdx.x; i < units; i += KG_ROWS_BLOCK) {
            kept[i] = from[i];
            folded = kg_unit_first<F>(kept[i], folded);
        }
        folded = kg_fold_block<KG_ROWS_BLOCK>(folded, fold, slots[0]);
        const float centre = F::centre(folded, (float)cols);
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < units; i += KG_ROWS_BLOCK) {
            struct kg_unit<WIDTH> unit = kept[i];
            sum += kg_unit_shift<F>(unit, centre);
            kept[i] = unit;
        }
        sum = kg_fold_block<KG_ROWS_BLOCK>(sum, kg_add, slots[1]);
        const float scale = f.scale(sum, (float)cols);
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < units; i += KG_ROWS_BLOCK)
            to[i] = f.result(kept[i], scale, i);
    }
}

template <class F> __device__ struct kg_moments kg_moments_none()
{
    return {0, F::none(), 0};
}

template <class F, int WIDTH> __device__ struct kg_moments kg_moments_of(struct kg_unit<WIDTH> unit)
{
    const float centre = F::centre(kg_unit_first<F>(unit, F::none()), WIDTH);
    return {WIDTH, centre, kg_unit_shift<F>(unit, centre)};
}

/* The moments of units begin to end - 1, for all threads of the block, from one read. A thread
 * merges its moments with each further unit (Welford 1962; Milakov and Gimelshein 2018). The
 * threads' moments merge pair by pair (Chan, Golub and LeVeque 1979). */
template <class F, int WIDTH>
__device__ struct kg_moments kg_moments_read(const struct kg_unit<WIDTH> *from, unsigned begin,
                                             unsigned end, struct kg_moments *slots)
{
    struct kg_moments moments = kg_moments_none<F>();
#pragma unroll 4
    for (unsigned i = begin + threadIdx.x; i < end; i += KG_ROWS_BLOCK)
        moments = F::merge(moments, kg_moments_of<F>(from[i]));
    return kg_fold_block<KG_ROWS_BLOCK>(moments, F::merge, slots);
}

/* Writes units begin to end - 1, the last ones first: those were read last, and are still in the
 * cache. */
template <class F, int WIDTH>
__device__ void kg_rows_write(const struct kg_unit<WIDTH> *from, struct kg_unit<WIDTH> *to,
                              unsigned begin, unsigned end, struct kg_moments moments, F f)
{
    const float scale = f.scale(moments.sum, moments.count);
#pragma unroll 4
    for (unsigned back = threadIdx.x; back < end - begin; back += KG_ROWS_BLOCK) {
        const unsigned i = end - 1 - back;
        struct kg_unit<WIDTH> unit = from[i];
        kg_unit_shift<F>(unit, moments.centre);
        to[i] = f.result(unit, scale, i);
    }
}

/* A row to each block that not even shared memory can keep: read once for its moments, and once
 * more, backwards, for the result. */
template <class F, int WIDTH>
__global__ void __launch_bounds__(KG_ROWS_BLOCK)
    kg_rows_long(const float *__restrict__ x, float *__restrict__ y, size_t rows, unsigned cols,
                 F f)
{
    __shared__ struct kg_moments slots[2][KG_ROWS_WARPS];
    const unsigned units = cols / WIDTH;
    unsigned turn = 0;
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x, turn ^= 1) {
        const struct kg_unit<WIDTH> *from = (const struct kg_unit<WIDTH> *)x + row * units;
        struct kg_unit<WIDTH> *to = (struct kg_unit<WIDTH> *)y + row * units;
        const struct kg_moments moments = kg_moments_read<F>(from, 0, units, slots[turn]);
        kg_rows_write(from, to, 0, units, moments, f);
    }
}

/* The first unit of part `part` of `parts` of a row. */
static __device__ inline unsigned kg_part_begin(unsigned units, unsigned part, unsigned parts)
{
    return (unsigned)((unsigned long long)units * part / parts);
}

/* So few and so long rows that a block for each would leave multiprocessors idle: a block for each
 * of `parts` parts of each row leaves their moments, and a second launch puts them together. */
template <class F, int WIDTH>
__global__ void __launch_bounds__(KG_ROWS_BLOCK)
    kg_rows_parts_read(const float *__restrict__ x, unsigned cols, unsigned parts,
                       struct kg_moments *__restrict__ left)
{
    __shared__ struct kg_moments slots[KG_ROWS_WARPS];
    const unsigned units = cols / WIDTH, row = blockIdx.x / parts, part = blockIdx.x % parts;
    const struct kg_moments moments = kg_moments_read<F>(
        (const struct kg_unit<WIDTH> *)x + (size_t)row * units, kg_part_begin(units, part, parts),
        kg_part_begin(units, part + 1, parts), slots);
    if (threadIdx.x == 0)
        left[blockIdx.x] = moments;
}

/* Every block of a row merges the same moments in the same order. The parts
 * read last come first. */
template <class F, int WIDTH>
__global__ void __launch_bounds__(KG_ROWS_BLOCK)
    kg_rows_parts_write(const float *__restrict__ x, float *__restrict__ y, unsigned cols,
                        unsigned parts, const struct kg_moments *__restrict__ left, F f)
{
    __shared__ struct kg_moments slots[KG_ROWS_WARPS];
    const unsigned block = gridDim.x - 1 - blockIdx.x, units = cols / WIDTH;
    const unsigned row = block / parts, part = block % parts;
    struct kg_moments moments = kg_moments_none<F>();
    for (unsigned p = threadIdx.x; p < parts; p += KG_ROWS_BLOCK)
        moments = F::merge(moments, left[(size_t)row * parts + p]);
    moments = kg_fold_block<KG_ROWS_BLOCK>(moments, F::merge, slots);
    kg_rows_write((const struct kg_unit<WIDTH> *)x + (size_t)row * units,
                  (struct kg_unit<WIDTH> *)y + (size_t)row * units,
                  kg_part_begin(units, part, parts), kg_part_begin(units, part + 1, parts), moments,
                  f);
}

/* --- The host's side
 * ------------------------------------------------------------------------------ */
template <class F>
using kg_rows_kernel = void (*)(const float *x, float *y, size_t rows, unsigned cols, F f);

/* A kernel that keeps rows of up to `cols` columns in registers. */
template <class F> struct kg_rows_path {
    unsigned cols;
    unsigned threads;
    unsigned rows_per_block;
    kg_rows_kernel<F> kernel;
};

template <class F, int WIDTH, int LANES, int FLOATS>
constexpr struct kg_rows_path<F> kg_rows_kept() {
    /* 32 single loads need addresses and conditions of their own, so use twice the lanes
     * instead. */
    constexpr int SPREAD = WIDTH == 1 && FLOATS == 32 ? 2 : 1, WIDE = LANES * SPREAD;
    return {LANES * FLOATS, kg_rows_threads(WIDE), kg_rows_threads(WIDE) / WIDE,
            kg_rows_registers<F, WIDTH, WIDE, FLOATS / SPREAD / WIDTH>};
}

/* Enough for every multiprocessor many times over; the loops of the kernels do the rest. */
static inline unsigned
kg_rows_grid(size_t blocks)
{
    return blocks < (1U << 24) ? (unsigned)blocks : 1U << 24;
}

/* The longest row that is kept in registers. */
enum { KG_ROWS_REGISTERS_COLS = 512 * 32 };

/* Requests shared memory for rows that the fast version keeps there. Call it once, in set-up: it
 * takes time, which would count as a launch's. False with context->message. */
template <class F> bool kg_rows_prepare(struct kgate_context *context, struct kg_rows *rows)
{
    int device = 0, most = 0;
    const size_t bytes = rows->cols * sizeof(float), own = sizeof(float) * 2 * KG_ROWS_WARPS;
    const auto kernel = rows->cols % 4 == 0 ? kg_rows_shared<F, 4> : kg_rows_shared<F, 1>;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (status == cudaSuccess && rows->cols > KG_ROWS_REGISTERS_COLS &&
        bytes + own <= (size_t)most) {
        status =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        rows->shared_bytes = bytes;
    }
    return status == cudaSuccess ||
           kg_kernel_refuse(context, "CUDA: %s", cudaGetErrorString(status));
}

/* Fewer rows than this, a block each, would leave a large GPU's multiprocessors idle. */
enum { KG_ROWS_FEW = 256 };

template <class F, int WIDTH> void kg_rows_launch_parts(const struct kg_rows *rows, F f)
{
    const unsigned count = (unsigned)rows->rows, cols = (unsigned)rows->cols;
    const unsigned parts_most = KG_ROWS_PARTS_MOST / count, units = cols / WIDTH;
    const unsigned parts_worth = units / (4 * KG_ROWS_BLOCK); /* four units a thread at the least */
    const unsigned parts = parts_worth < 1            ? 1
                           : parts_worth < parts_most ? parts_worth
                                                      : parts_most;
    struct kg_moments *left = (struct kg_moments *)rows->parts;
    const auto read = kg_rows_parts_read<F, WIDTH>;
    const auto write = kg_rows_parts_write<F, WIDTH>;
    KG_LAUNCH(read, count * parts, KG_ROWS_BLOCK, 0, rows->call.stream, rows->x, cols, parts, left);
    KG_LAUNCH(write, count * parts, KG_ROWS_BLOCK, 0, rows->call.stream, rows->x, rows->y, cols,
              parts, left, f);
}

template <class F, int WIDTH> void kg_rows_launch_width(const struct kg_rows *rows, F f)
{
    /* Lanes first, until a row takes a warp; then registers; then lanes again. */
    static const struct kg_rows_path<F> paths[] = {
        kg_rows_kept<F, WIDTH, 2, 4>(), kg_rows_kept<F, WIDTH, 8, 4>(),
            kg_rows_kept<F, WIDTH, 32, 4>(), kg_rows_kept<F, WIDTH, 32, 8>(),
            kg_rows_kept<F, WIDTH, 32, 16>(), kg_rows_kept<F, WIDTH, 32, 32>(),
            kg_rows_kept<F, WIDTH, 128, 16>(), kg_rows_kept<F, WIDTH, 128, 32>(),
            kg_rows_kept<F, WIDTH, 256, 32>(), kg_rows_kept<F, WIDTH, 512, 32>(),
    };
    static_assert(kg_rows_kept<F, WIDTH, 512, 32>().cols == KG_ROWS_REGISTERS_COLS, "the last");
    const unsigned cols = (unsigned)rows->cols;
    for (const struct kg_rows_path<F> &path : paths)
        if (cols <= path.cols) {
            const size_t blocks = (rows->rows + path.rows_per_block - 1) / path.rows_per_block;
            KG_LAUNCH(path.kernel, kg_rows_grid(blocks), path.threads, 0, rows->call.stream,
                      rows->x, rows->y, rows->rows, cols, f);
            return;
        }
    if (!rows->shared_bytes && rows->rows < KG_ROWS_FEW) {
        kg_rows_launch_parts<F, WIDTH>(rows, f);
        return;
    }
    const kg_rows_kernel<F> kernel =
        rows->shared_bytes ? kg_rows_shared<F, WIDTH> : kg_rows_long<F, WIDTH>;
    KG_LAUNCH(kernel, kg_rows_grid(rows->rows), KG_ROWS_BLOCK, rows->shared_bytes,
              rows->call.stream, rows->x, rows->y, rows->rows, cols, f);
}

/* Puts F of all rows on the stream. If cols is a multiple of 4, rows begin at multiples of 16
 * bytes, like the matrices. Otherwise elements move one by one, still side by side within a
 * warp. */
template <class F> void kg_rows_launch(const struct kg_rows *rows, F f)
{
    if (rows->cols % 4 == 0)
        kg_rows_launch_width<F, 4>(rows, f);
    else
        kg_rows_launch_width<F, 1>(rows, f);
}

/* --- For the plain versions
 * ----------------------------------------------------------------------- */
enum { KG_ROWS_PLAIN_BLOCK = 256 };
