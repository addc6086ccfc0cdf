/* gemm's CUDA versions on the emulator, and the host side of common/mma.cuh that they run on.
 * cuBLAS is tests/drivers/fake_cublas.c. */
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "base/random.h"
#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "device/code/mma.cuh"
#include "gemm/gemm.h"
#include "gemm/gemm_hopper.cuh"
#include "gemm/gemm_tensor.cuh"

/* --- common/mma.cuh --------------------------------------------------------------------------- */
/* C = A B by one warp as a kernel does it: A 16 by 16 and B 16 by 8 row by row in shared memory. */
struct small {
    uint16_t a[16][16];
    uint16_t b[16][16]; /* of which the columns from 8 make a second B */
    float c[16][16];
};

static void small_product(struct small *x)
{
    __shared__ struct small own;
    const int lane = (int)threadIdx.x, pair = lane % 4 * 2;
    uint32_t a[4], b[4];
    float c[2][4] = {};
    kg_cp_async_16(&own.a[lane / 2][lane % 2 * 8], &x->a[lane / 2][lane % 2 * 8], true);
    kg_cp_async_16(&own.b[lane / 2][lane % 2 * 8], &x->b[lane / 2][lane % 2 * 8], true);
    kg_cp_async_commit();
    kg_cp_async_wait<0>();
    __syncthreads();
    kg_ldmatrix_x4(a, &own.a[lane % 16][lane / 16 * 8]);
    kg_ldmatrix_x4_trans(b, &own.b[lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; j++) {
        kg_mma_bf16_16x8x16(c[j], a, b + 2 * j);
        for (int i = 0; i < 4; i++)
            x->c[lane / 4 + i / 2 * 8][j * 8 + pair + i % 2] = c[j][i];
    }
}

static void a_warp_multiplies_as_the_definition_does(void **)
{
    struct kg_random random = {emulated_seed(0)};
    alignas(16) struct small x;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            x.a[i][j] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
            x.b[i][j] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
        }
    KG_LAUNCH(small_product, 1, 32, 0, kg_emulated_stream(), &x);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float expected = 0;
            for (int l = 0; l < 16; l++)
                expected += kg_bf16_value(x.a[i][l]) * kg_bf16_value(x.b[l][j]);
            if (std::fabs(x.c[i][j] - expected) > 1e-5F)
                fail_msg("row %d, column %d: %g, expected %g", i, j, (double)x.c[i][j],
                         (double)expected);
        }
}

/* What the thread sees of its copies before and after it waits for them. */
struct copies {
    alignas(16) uint16_t from[32][8];
    uint16_t before[32], first[32], second[32];
};

static void late_copies(struct copies *x)
{
    __shared__ __align__(16) uint16_t to[2][32][8];
    const int lane = (int)threadIdx.x;
    to[0][lane][7] = to[1][lane][7] = 1;
    kg_cp_async_16(to[0][lane], x->from[lane], true);
    kg_cp_async_commit();
    kg_cp_async_16(to[1][lane], x->from[lane], false);
    kg_cp_async_commit();
    x->before[lane] = to[0][lane][7];
    kg_cp_async_wait<1>();
    x->first[lane] = to[0][lane][7];
    x->before[lane] = (uint16_t)(x->before[lane] + to[1][lane][7]);
    kg_cp_async_wait<0>();
    x->second[lane] = to[1][lane][7];
}

static void copies_are_there_when_they_were_waited_for_and_not_before(void **)
{
    struct copies x;
    for (uint16_t i = 0; i < 32; i++)
        for (uint16_t j = 0; j < 8; j++)
            x.from[i][j] = (uint16_t)(100 + i);
    KG_LAUNCH(late_copies, 1, 32, 0, kg_emulated_stream(), &x);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(x.before[i], 2);
        assert_int_equal(x.first[i], 100 + i);
        assert_int_equal(x.second[i], 0);
    }
}

/* --- Shared memory ---------------------------------------------------------------------------- */
/* Bits of the groups of four banks that the chunk meets. */
static unsigned banks_of(size_t line_chunks, int line, int chunk)
{
    return 1U << ((size_t)line * line_chunks + (size_t)kg_tensor_place(line, chunk)) % 8;
}

static void chunks_lie_where_no_access_meets_a_bank_twice(void **)
{
    static const size_t line_chunks[] = {KG_TENSOR_A_CHUNKS, KG_TENSOR_B_CHUNKS};
    for (size_t width : line_chunks)
        for (int first = 0; first < KG_TENSOR_K; first += 8)
            for (int chunk = 0; chunk < (int)width; chunk++) {
                unsigned read = 0, written = 0;
                for (int i = 0; i < 8; i++) {
                    read |= banks_of(width, first + i, chunk);
                    written |= banks_of(width, first + chunk % 8, chunk / 8 * 8 + i);
                }
                if (read != 0xff || written != 0xff)
                    fail_msg("lines from %d, chunk %d of %zu", first, chunk, width);
            }
}

static void chunks_of_a_line_lie_in_places_of_their_own(void **)
{
    for (int line = 0; line < KG_TENSOR_M; line++) {
        uint64_t seen = 0;
        for (int chunk = 0; chunk < KG_TENSOR_B_CHUNKS; chunk++)
            seen |= UINT64_C(1) << kg_tensor_place(line, chunk);
        assert_true(seen == (UINT64_C(1) << KG_TENSOR_B_CHUNKS) - 1);
    }
}

static void every_tile_has_a_block(void **)
{
    static const int shapes[][3] = {{1, 1, 128},  {1, 7, 128},  {5, 1, 64},
                                    {16, 3, 128}, {17, 4, 128}, {40, 9, 64}};
    for (const auto &shape : shapes) {
        const int rows = shape[2];
        std::vector<int> seen((size_t)shape[0] * (size_t)shape[1]);
        for (int block = 0; block < shape[0] * shape[1]; block++) {
            const int2 tile = kg_tensor_tile(rows, shape[0], shape[1], block);
            assert_true(tile.x % rows == 0 && tile.x / rows < shape[0]);
            assert_true(tile.y % KG_TENSOR_N == 0 && tile.y / KG_TENSOR_N < shape[1]);
            seen[(size_t)(tile.x / rows * shape[1] + tile.y / KG_TENSOR_N)]++;
        }
        for (int count : seen)
            assert_int_equal(count, 1);
    }
}

/* --- What wgmma reads is what TMA wrote ------------------------------------------------------ */
static uint32_t swizzle_128(uint32_t address)
{
    return address ^ (address >> 7 & 7) << 4;
}

/* Element `column` of line `line` of a box of 64 columns. */
static uint32_t written(uint32_t box, int line, int column)
{
    return swizzle_128(box + (uint32_t)(line * 128 + column * 2));
}

/* The element of a descriptor's matrix at `along` its contiguous direction and `across` it, by the
 * canonical layouts: contiguous elements repeat every 64, at LBO, lines every 8, at SBO. */
static uint32_t read_by(uint64_t descriptor, int along, int across)
{
    const uint32_t start = (uint32_t)(descriptor & 0x3fff) << 4;
    const uint32_t lbo = (uint32_t)(descriptor >> 16 & 0x3fff) << 4;
    const uint32_t sbo = (uint32_t)(descriptor >> 32 & 0x3fff) << 4;
    assert_int_equal(descriptor >> 62, 1);
    assert_int_equal(descriptor >> 46 & 0xffff, 0);
    return swizzle_128(start + (uint32_t)(along / 64) * lbo + (uint32_t)(across / 8) * sbo +
                       (uint32_t)(across % 8 * 128 + along % 64 * 2));
}

static void descriptors_lead_to_where_the_boxes_lie(void **)
{
    static const uint32_t tiles[] = {0, 1024, 3 * sizeof(struct kg_hopper_slot) + 2048};
    assert_int_equal(sizeof(struct kg_hopper_slot) % KG_HOPPER_REPEAT_BYTES, 0);
    for (uint32_t tile : tiles)
        for (int step = 0; step < KG_TENSOR_K / KG_HOPPER_STEP; step++)
            for (int l = 0; l < KG_HOPPER_STEP; l++) {
                const int k = step * KG_HOPPER_STEP + l;
                for (int row = 0; row < KG_TENSOR_M; row++)
                    assert_int_equal(read_by(kg_hopper_a(tile, row / 64, step), l, row % 64),
                                     written(tile, row, k));
                for (int n = 0; n < KG_TENSOR_N; n++)
                    assert_int_equal(
                        read_by(kg_hopper_b(tile, step), n, l),
                        written(tile + (uint32_t)(n / 64 * KG_HOPPER_B_BOX_BYTES), k, n % 64));
            }
}

/* --- The workload ----------------------------------------------------------------------------- */
static void product_passes(size_t m, size_t n, size_t k, uint64_t seed)
{
    static const struct {
        const char *type;
        const char *version;
    } ways[] = {{"f32", "naive"},   {"f32", "tiled"},   {"f32", "blas"},
                {"bf16", "tensor"}, {"bf16", "hopper"}, {"bf16", "blas"}};
    char text[3][32];
    const size_t extents[] = {m, n, k};
    for (size_t i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%zu", extents[i]);
    for (const auto &way : ways) {
        const struct emulated_param params[] = {{"m", text[0]},
                                                {"n", text[1]},
                                                {"k", text[2]},
                                                {"type", way.type},
                                                {"version", way.version}};
        assert_true(emulated_run(&kg_kernel_gemm, params, 5, seed, nullptr));
    }
}

static void products_of_any_shape(void **)
{
    static const size_t shapes[][3] = {
        {1, 1, 1},     {1, 9, 7},      {7, 1, 8},      {8, 8, 8},       {16, 24, 17},
        {33, 31, 65},  {127, 255, 63}, {128, 256, 64}, {129, 257, 129}, {136, 264, 320},
        {5, 520, 136}, {257, 16, 4},   {130, 12, 20},  {8, 8, 1032},
    };
    size_t i = 0;
    for (const auto &shape : shapes)
        product_passes(shape[0], shape[1], shape[2], emulated_seed(i++));
}

static void products_of_random_shape(void **)
{
    for (size_t i = 0; i < 6; i++) {
        struct kg_random random = {emulated_seed(i)};
        const size_t unit = i % 2 ? 8 : 1; /* whole chunks, or any number */
        const size_t m = 1 + (size_t)kg_random_below(&random, 200);
        const size_t n = unit * (1 + (size_t)kg_random_below(&random, 300 / unit));
        const size_t k = unit * (1 + (size_t)kg_random_below(&random, 200 / unit));
        product_passes(m, n, k, random.state);
    }
}

/* More tiles than the emulator has processors, for single blocks and for pairs; of the last pair
 * one block's tile is not there. Three shapes with large tiles, three with small ones. */
static void blocks_of_hopper_take_tile_after_tile(void **)
{
    static const char *const shapes[][3] = {{"300", "776", "200"}, {"512", "520", "328"},
                                            {"1100", "264", "72"}, {"192", "1000", "328"},
                                            {"640", "200", "136"}, {"570", "256", "200"}};
    size_t i = 0;
    for (const auto &shape : shapes) {
        const struct emulated_param params[] = {{"m", shape[0]},
                                                {"n", shape[1]},
                                                {"k", shape[2]},
                                                {"type", "bf16"},
                                                {"version", "hopper"}};
        assert_true(emulated_run(&kg_kernel_gemm, params, 5, emulated_seed(i++), nullptr));
    }
}

/* The tensor version with memory for `stages`, on its own; the sum of what is wrong. */
static double tensor_error(size_t m, size_t n, size_t k, int stages)
{
    struct kg_random random = {emulated_seed(0)};
    std::vector<uint4> a(m * k / 8 + 1), b(k * n / 8 + 1); /* aligned as device memory is */
    std::vector<float> c(m * n, NAN);
    uint16_t *const a16 = reinterpret_cast<uint16_t *>(a.data());
    uint16_t *const b16 = reinterpret_cast<uint16_t *>(b.data());
    for (size_t i = 0; i < m * k; i++)
        a16[i] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
    for (size_t i = 0; i < k * n; i++)
        b16[i] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
    struct kg_gemm gemm = {};
    gemm.m = m, gemm.n = n, gemm.k = k;
    gemm.type = KG_GEMM_BF16;
    gemm.device.a = a.data(), gemm.device.b = b.data(), gemm.device.c = c.data();
    gemm.device.stream = kg_emulated_stream();
    struct kgate_context context = {};
    assert_true(kg_gemm_tensor_prepare(&context, &gemm));
    gemm.device.stages = stages;
    kg_gemm_cuda_tensor(&gemm);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    double worst = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum +=
                    (double)kg_bf16_value(a16[i * k + l]) * (double)kg_bf16_value(b16[l * n + j]);
            const double error = std::fabs((double)c[i * n + j] - sum);
            worst = error <= worst ? worst : error; /* a NaN stays */
        }
    return worst;
}

/* 40 rows are one small tile; 512 are four large ones, one for each processor of the emulator's. */
static void any_number_of_stages_gives_the_product(void **)
{
    for (size_t m : {40, 512})
        for (int stages = KG_TENSOR_STAGES_LEAST; stages <= KG_TENSOR_STAGES_MOST; stages++)
            for (size_t k = 8; k <= 392; k += 128) {
                const double error = tensor_error(m, 72, k, stages);
                if (!(error < 1e-4))
                    fail_msg("m %zu, k %zu, %d stages: off by %g", m, k, stages, error);
            }
}

/* An H200 has 132 processors. */
static void small_tiles_are_for_devices_that_large_ones_leave_idle(void **)
{
    static const struct {
        int large;
        int small;
        bool faster;
    } cases[] = {{1, 1, true},      {64, 128, true},  {66, 132, true},   {67, 134, false},
                 {132, 264, false}, {140, 280, true}, {512, 1024, false}};
    for (const auto &one : cases)
        assert_int_equal(kg_tensor_small(one.large, one.small, 132), one.faster);
}

/* Projections of attention on an H200, whose large tiles leave multiprocessors idle, and large products. */
static void hopper_takes_small_tiles_if_large_ones_leave_processors_idle(void **)
{
    static const struct {
        size_t m;
        size_t n;
        int processors;
        struct kg_hopper_tiling expected;
    } cases[] = {{2048, 1024, 132, {64, 2, 16, 4}},   {2048, 3072, 132, {64, 2, 16, 12}},
                 {4096, 4096, 132, {128, 2, 16, 16}}, {8192, 8192, 132, {128, 2, 32, 32}},
                 {192, 1000, 4, {64, 1, 3, 4}},       {570, 256, 4, {64, 2, 5, 1}},
                 {300, 776, 4, {128, 1, 3, 4}},       {1100, 264, 4, {128, 2, 5, 2}}};
    for (const auto &one : cases) {
        const struct kg_hopper_tiling found = kg_hopper_tiling_choose(one.m, one.n, one.processors);
        if (memcmp(&found, &one.expected, sizeof found))
            fail_msg("%zu by %zu: %d rows, clusters of %d, %d by %d tiles", one.m, one.n,
                     found.rows, found.cluster, found.tiles_m, found.tiles_n);
    }
}

static void the_tensor_version_meets_no_bank_twice(void **)
{
    kg_emulated_loads = kg_emulated_copies = {};
    assert_true(tensor_error(130, 264, 136, KG_TENSOR_STAGES_MOST) < 1e-4);
    print_message("%lu phases of loads, %lu of copies\n", kg_emulated_loads.phases,
                  kg_emulated_copies.phases);
    assert_true(kg_emulated_loads.phases > 0 && kg_emulated_copies.phases > 0);
    assert_int_equal(kg_emulated_loads.conflicts, 0);
    assert_int_equal(kg_emulated_copies.conflicts, 0);
}

static void versions_of_the_other_device_or_type_are_unavailable(void **)
{
    enum { NAIVE, BLOCKED, TILED, TENSOR, HOPPER, BLAS };
    static const struct {
        enum kgate_device device;
        int64_t type;
        int64_t version;
        bool there;
        const char *message;
    } cases[] = {
        {KGATE_DEVICE_CUDA, KG_GEMM_F32, BLOCKED, false, "'blocked' does not exist on the GPU"},
        {KGATE_DEVICE_CUDA, KG_GEMM_F32, TENSOR, false, "'tensor' does not take type 'f32'"},
        {KGATE_DEVICE_CUDA, KG_GEMM_BF16, TILED, false, "'tiled' does not take type 'bf16'"},
        {KGATE_DEVICE_CUDA, KG_GEMM_BF16, BLAS, true, ""},
        {KGATE_DEVICE_CPU, KG_GEMM_F32, TILED, false, "'tiled' does not exist on the CPU"},
        {KGATE_DEVICE_CPU, KG_GEMM_BF16, BLAS, false, "'blas' does not take type 'bf16'"},
        {KGATE_DEVICE_CPU, KG_GEMM_F32, BLAS, true, ""},
    };
    for (const auto &one : cases) {
        const struct kgate_value values[] = {
            {2, 0}, {3, 0}, {5, 0}, {one.type, 0}, {one.version, 0}};
        struct kgate_context context = {};
        struct kgate_work work;
        context.values = values;
        context.device = one.device;
        assert_int_equal(kg_kernel_gemm.describe(&context, &work), one.there);
        assert_int_equal(context.unavailable, !one.there);
        if (!strstr(context.message, one.message))
            fail_msg("'%s', expected '%s'", context.message, one.message);
        if (one.there)
            assert_float_equal(work.bytes, 4 * 6 + (one.type ? 2 : 4) * (10 + 15), 0);
    }
}

static void bfloat16_is_the_nearest_and_of_two_the_even_one(void **)
{
    static const struct {
        float x;
        float expected;
    } cases[] = {
        {0.0F, 0.0F},
        {-0.0F, -0.0F},
        {1.0F, 1.0F},
        {0x1.01p0F, 0x1.00p0F}, /* half way: the even one below */
        {0x1.03p0F, 0x1.04p0F}, /* half way: the even one above */
        {0x1.010002p0F, 0x1.02p0F},
        {0x1.02fffep0F, 0x1.02p0F},
        {-0x1.ffp-1F, -1.0F}, /* over to the next power */
        {0x1p-126F, 0x1p-126F},
    };
    for (const auto &one : cases) {
        const float found = kg_bf16_value(kg_bf16_round(one.x));
        if (memcmp(&found, &one.expected, sizeof found))
            fail_msg("%a: %a, expected %a", (double)one.x, (double)found, (double)one.expected);
    }
}

int main()
{
    /* By its path first: the loader then finds it under its name. */
    if (!dlopen(KGATE_FAKE_CUBLAS, RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_multiplies_as_the_definition_does),
        cmocka_unit_test(copies_are_there_when_they_were_waited_for_and_not_before),
        cmocka_unit_test(chunks_lie_where_no_access_meets_a_bank_twice),
        cmocka_unit_test(chunks_of_a_line_lie_in_places_of_their_own),
        cmocka_unit_test(every_tile_has_a_block),
        cmocka_unit_test(descriptors_lead_to_where_the_boxes_lie),
        cmocka_unit_test(any_number_of_stages_gives_the_product),
        cmocka_unit_test(small_tiles_are_for_devices_that_large_ones_leave_idle),
        cmocka_unit_test(hopper_takes_small_tiles_if_large_ones_leave_processors_idle),
        cmocka_unit_test(the_tensor_version_meets_no_bank_twice),
        cmocka_unit_test(products_of_any_shape),
        cmocka_unit_test(products_of_random_shape),
        cmocka_unit_test(blocks_of_hopper_take_tile_after_tile),
        cmocka_unit_test(versions_of_the_other_device_or_type_are_unavailable),
        cmocka_unit_test(bfloat16_is_the_nearest_and_of_two_the_even_one),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
