/* The places of the elements of a box of 64 columns that TMA brings with the swizzle of 128 bytes.
 * The matrix holds its own indices, and boxes are read back from shared memory in the order of
 * addresses. */
#include "device/code/hopper.cuh"
#include "expect.h"

enum { LINES = 128, COLUMNS = 192, BOX = 64, THREADS = 128, BOX_BYTES_MOST = 128 * BOX * 2 };

static __global__ void box_read(const __grid_constant__ struct kg_tensor_map map, int column,
                                int line, int elements, uint16_t *out)
{
#ifdef KG_HOPPER_CODE
    __shared__ __align__(1024) uint16_t box[BOX_BYTES_MOST / 2];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        kg_mbarrier_make(&barrier, 1);
        kg_mbarrier_publish();
        kg_mbarrier_expect(&barrier, elements * 2);
        kg_tma_copy(box, &map, column, line, &barrier);
    }
    __syncthreads();
    kg_mbarrier_wait(&barrier, 0);
    for (int i = (int)threadIdx.x; i < elements; i += THREADS)
        out[i] = box[i];
#else
    (void)map, (void)column, (void)line, (void)elements, (void)out;
    __trap();
#endif
}

/* The expected element at `at` of the box's memory: address bits 4 to 6 are exclusive-ored with
 * bits 7 to 9. Elements beyond the matrix are zero. */
static unsigned expected_at(int at, int column, int line)
{
    const int address = at * 2, plain = (address ^ (address >> 7 & 7) << 4) / 2;
    const int l = line + plain / BOX, c = column + plain % BOX;
    return l < LINES && c < COLUMNS ? (unsigned)(l << 8 | c) : 0;
}

static void box_test(uint16_t *matrix, int box_lines, int column, int line)
{
    static uint16_t found[BOX_BYTES_MOST / 2];
    struct kg_tensor_map map;
    uint16_t *out = NULL;
    const int elements = box_lines * BOX;
    int wrong = 0, first = 0;
    if (!kg_tensor_map_make(&map, matrix, LINES, COLUMNS, (unsigned)box_lines, BOX)) {
        expect(false, "the driver describes the matrix, box of %d by %d", box_lines, BOX);
        return;
    }
    cudaMalloc(&out, sizeof found);
    box_read<<<1, THREADS>>>(map, column, line, elements, out);
    cudaMemcpy(found, out, (size_t)elements * 2, cudaMemcpyDeviceToHost);
    cudaFree(out);
    const cudaError_t status = cudaGetLastError();
    for (int i = elements - 1; i >= 0; i--)
        if (found[i] != expected_at(i, column, line)) {
            wrong++;
            first = i;
        }
    expect(status == cudaSuccess && wrong == 0,
           "box of %d by %d from line %d, column %d: %d elements elsewhere; element %d: expected "
           "%04x, found %04x (%s)",
           box_lines, BOX, line, column, wrong, first, expected_at(first, column, line),
           found[first], cudaGetErrorString(status));
}

int main()
{
    static uint16_t codes[LINES][COLUMNS];
    uint16_t *matrix = NULL;
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
    for (int l = 0; l < LINES; l++)
        for (int c = 0; c < COLUMNS; c++)
            codes[l][c] = (uint16_t)(l << 8 | c);
    cudaMalloc(&matrix, sizeof codes);
    cudaMemcpy(matrix, codes, sizeof codes, cudaMemcpyHostToDevice);
    expect(kg_tensor_map_known(), "the driver knows tensor maps");
    box_test(matrix, 64, 0, 0);
    box_test(matrix, 64, 64, 32);
    box_test(matrix, 128, 128, 0); /* gemm's box of A */
    box_test(matrix, 64, 160, 96); /* over two edges */
    cudaFree(matrix);
    return expect_end();
}
