/* The elements that wgmma multiplies, by the descriptors and layouts of gemm's version `hopper`,
 * and the threads that hold the sums. One operand selects, the other holds its own indices. */
#include "device/code/hopper.cuh"
#include "expect.h"
#include "gemm/gemm_hopper.cuh"

enum { THREADS = 128, SUMS = 128, M = KG_TENSOR_M, N = KG_TENSOR_N, K = KG_TENSOR_K };

/* Contents of A and B; each value is exact in bfloat16. */
enum code { PICK_ROW, PICK_COLUMN, OF_LINE, OF_COLUMN };

static __device__ __host__ float element(enum code code, int line, int column)
{
    switch (code) {
    case PICK_ROW: /* of A: row r picks B's line r % 16 of each step */
        return line % 16 == column % 16;
    case PICK_COLUMN: /* of B: column n picks A's column n % 16 of each step */
        return line % 16 == column % 16;
    case OF_LINE:
        return (float)line;
    default:
        return (float)column;
    }
}

#ifdef KG_HOPPER_CODE
/* As TMA would write it: a line is 128 bytes, and addresses are swizzled. */
static __device__ void element_write(unsigned char *box, int line, int column, float value)
{
    const unsigned address = (unsigned)(line * KG_HOPPER_LINE_BYTES + column * 2);
    *reinterpret_cast<uint16_t *>(box + (address ^ (address >> 7 & 7) << 4)) =
        __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
#endif

static __global__ void __launch_bounds__(THREADS)
    product(enum code a, enum code b, int group, int step, float *sums)
{
#ifdef KG_HOPPER_CODE
    KG_DYNAMIC_SHARED(unsigned char, memory);
    struct kg_hopper_slot *slot = reinterpret_cast<struct kg_hopper_slot *>(
        memory + (1024 - kg_shared_address(memory) % 1024) % 1024);
    for (int i = (int)threadIdx.x; i < M * K; i += THREADS)
        element_write(reinterpret_cast<unsigned char *>(slot->a), i / K, i % K,
                      element(a, i / K, i % K));
    for (int i = (int)threadIdx.x; i < K * N; i += THREADS)
        element_write(reinterpret_cast<unsigned char *>(slot->b[i % N / KG_HOPPER_BOX]), i / N,
                      i % KG_HOPPER_BOX, element(b, i / N, i % N));
    kg_mbarrier_publish(); /* makes the threads' writes visible to the asynchronous proxy */
    __syncthreads();
    float sum[SUMS] = {};
    kg_wgmma_begin();
    kg_wgmma_64x256x16(sum, kg_hopper_a(kg_shared_address(slot->a), group, step),
                       kg_hopper_b(kg_shared_address(slot->b), step));
    kg_wgmma_commit();
    kg_wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        asm volatile("" : "+f"(sum[i])::"memory"); /* not read before the wait */
        sums[threadIdx.x * SUMS + (unsigned)i] = sum[i];
    }
#else
    (void)a, (void)b, (void)group, (void)step, (void)sums;
    __trap();
#endif
}

/* Row and column of sum i of a thread (PTX ISA 9.2, 9.7.15.5.1.1.1). */
static int row_of(int thread, int i)
{
    return thread / 32 * 16 + thread % 32 / 4 + i % 4 / 2 * 8;
}

static int column_of(int thread, int i)
{
    return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

static float expected_sum(enum code a, enum code b, int group, int step, int row, int column)
{
    float sum = 0;
    for (int k = step * 16; k < step * 16 + 16; k++)
        sum += element(a, group * KG_HOPPER_GROUP_M + row, k) * element(b, k, column);
    return sum;
}

static void product_test(enum code a, enum code b, int group, int step, float *sums)
{
    static float found[THREADS * SUMS];
    static const char *const names[] = {"picks by row", "picks by column", "its line",
                                        "its column"};
    const int shared_bytes = (int)sizeof(struct kg_hopper_slot) + 1024;
    int wrong = 0, first = 0;
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    product<<<1, THREADS, (size_t)shared_bytes>>>(a, b, group, step, sums);
    cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost);
    const cudaError_t status = cudaGetLastError();
    for (int i = THREADS * SUMS - 1; i >= 0; i--)
        if (found[i] != expected_sum(a, b, group, step, row_of(i / SUMS, i % SUMS),
                                     column_of(i / SUMS, i % SUMS))) {
            wrong++;
            first = i;
        }
    const int row = row_of(first / SUMS, first % SUMS),
              column = column_of(first / SUMS, first % SUMS);
    expect(status == cudaSuccess && wrong == 0,
           "A %s, B %s, rows from %d, step %d: %d sums differ; row %d, column %d: expected %g, "
           "found %g (%s)",
           names[a], names[b], group * KG_HOPPER_GROUP_M, step, wrong, row, column,
           (double)expected_sum(a, b, group, step, row, column), (double)found[first],
           cudaGetErrorString(status));
}

int main()
{
    float *sums = NULL;
    int count = 0, major = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("skipped: no GPU: %s\n", cudaGetErrorString(cudaGetLastError()));
        return EXIT_SUCCESS;
    }
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (major != 9) {
        printf("skipped: needs compute capability 9.0, this is %d\n", major);
        return EXIT_SUCCESS;
    }
    cudaMalloc(&sums, THREADS * SUMS * sizeof *sums);
    for (int group = 0; group < M / KG_HOPPER_GROUP_M; group++)
        for (int step = 0; step < K / KG_HOPPER_STEP; step++) {
            product_test(PICK_ROW, OF_LINE, group, step, sums);
            product_test(PICK_ROW, OF_COLUMN, group, step, sums);
            product_test(OF_LINE, PICK_COLUMN, group, step, sums);
            product_test(OF_COLUMN, PICK_COLUMN, group, step, sums);
        }
    cudaFree(sums);
    return expect_end();
}
