/* attention's CUDA versions on the emulator: its components and the whole, against double
 * precision. Those of blas have a cuBLAS that is not one. */
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "attention/attention.h"
#include "attention/attention_flash.cuh"
#include "base/random.h"
#include "common/bf16.h"
#include "common/cublas.h"
#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "device/code/mma.cuh"
#include "gemm/gemm.h"
#include "kgate/profiler.h"

static const struct kgate_workload *const parts[] = {
    &kg_kernel_attention_qkv_projection,    &kg_kernel_attention_scores,
    &kg_kernel_attention_softmax,           &kg_kernel_attention_weighted_sum,
    &kg_kernel_attention_output_projection,
};

struct shape {
    size_t seq_len;
    size_t d_head;
    size_t num_heads;
    size_t batch;
    bool causal;
};

/* A shape as parameters, and last the version, which may be left out. */
struct shape_params {
    char text[4][24];
    struct emulated_param params[6];
};
enum { SHAPE_PARAMS = 5 };

static void params_of(struct shape_params *made, const struct shape &shape, const char *version)
{
    const size_t values[] = {shape.seq_len, shape.d_head * shape.num_heads, shape.num_heads,
                             shape.batch};
    static const char *const names[] = {"seq_len", "d_model", "num_heads", "batch"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(made->text[i], sizeof made->text[i], "%zu", values[i]);
        made->params[i] = {names[i], made->text[i]};
    }
    made->params[4] = {"causal", shape.causal ? "yes" : "no"};
    made->params[5] = {"version", version};
}

/* Of long sequences there is nothing new to be seen in the plain versions, but time. */
enum { PLAIN_MOST = 70 };

/* Each component has `plain` and `fast`, and those that are products `blas`. */
static void components_pass(const struct shape &shape, uint64_t seed)
{
    struct shape_params made;
    for (const struct kgate_workload *part : parts) {
        const bool product = part != &kg_kernel_attention_softmax;
        params_of(&made, shape, nullptr);
        if (shape.seq_len <= PLAIN_MOST) {
            assert_int_equal(emulated_run_versions(part, made.params, SHAPE_PARAMS, seed),
                             product ? 3 : 2);
            continue;
        }
        for (const char *version : {"fast", "blas"}) {
            params_of(&made, shape, version);
            if (product || strcmp(version, "blas") != 0)
                assert_true(emulated_run(part, made.params, SHAPE_PARAMS + 1, seed, nullptr));
        }
    }
}

static void level_passes(const struct shape &shape, const char *version, uint64_t seed)
{
    struct shape_params made;
    struct kgate_check check = {};
    params_of(&made, shape, version);
    assert_true(emulated_run(&kg_kernel_attention, made.params, SHAPE_PARAMS + 1, seed, &check));
    print_message("%s, %zu tokens, heads of %zu: error %.3g of %g\n", version, shape.seq_len,
                  shape.d_head, check.error, check.tolerance);
}

static void components_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1, true},   {1, 3, 2, 2, false},  {7, 5, 3, 2, true},   {33, 4, 2, 1, false},
        {24, 8, 1, 2, true},  {40, 20, 1, 1, true}, {131, 6, 2, 1, true}, {132, 68, 1, 1, false},
        {257, 3, 1, 1, true}, {9, 4, 2, 5, true},
    };
    struct kg_random random = {emulated_seed(0)};
    for (const struct shape &shape : shapes)
        components_pass(shape, kg_random_next(&random));
}

static void rows_of_scores_that_take_a_block(void **)
{
    struct shape_params made;
    params_of(&made, {515, 1, 1, 1, true}, "fast");
    assert_true(emulated_run(&kg_kernel_attention_softmax, made.params, SHAPE_PARAMS + 1,
                             emulated_seed(0), nullptr));
}

static void float_levels_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1, false},  {2, 7, 3, 2, true},    {31, 33, 1, 2, false}, {33, 64, 1, 1, true},
        {36, 9, 2, 1, true},  {40, 129, 1, 1, true}, {132, 8, 2, 1, true},  {100, 16, 2, 2, false},
        {300, 4, 1, 1, true}, {11, 5, 2, 3, true},
    };
    struct kg_random random = {emulated_seed(1)};
    for (const struct shape &shape : shapes)
        for (const char *version : {"plain", "fused", "efficient", "blas"})
            if (shape.seq_len <= PLAIN_MOST || strcmp(version, "plain") != 0)
                level_passes(shape, version, kg_random_next(&random));
}

static void flash_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {1, 8, 1, 1, true},   {5, 64, 1, 2, false},  {63, 128, 1, 1, true},
        {65, 16, 2, 1, true}, {140, 72, 1, 1, true}, {257, 24, 1, 1, false},
    };
    struct kg_random random = {emulated_seed(2)};
    for (const struct shape &shape : shapes)
        level_passes(shape, "flash", kg_random_next(&random));
}

/* --- What random input would not show -------------------------------------------------------- */
/* All tokens are the same, K is -Q, and V is X: every score is far below 0, the score of a key that
 * is not there. H is X, unless one of those had a weight. */
struct lonely {
    struct kg_attention attention;
    std::vector<uint4> memory[KG_ATTENTION_ARRAYS]; /* aligned as device memory is */
};

static void element_put(struct lonely *lonely, enum kg_attention_array array, size_t i, float x)
{
    const bool bf16 = lonely->attention.type == KG_ATTENTION_BF16;
    void *const memory = lonely->memory[array].data();
    if (bf16)
        static_cast<uint16_t *>(memory)[i] = kg_bf16_round(x);
    else
        static_cast<float *>(memory)[i] = x;
}

static void lonely_make(struct lonely *lonely, size_t seq_len, enum kg_attention_type type)
{
    const size_t d = 8;
    struct kg_attention *attention = &lonely->attention;
    attention->batch = attention->num_heads = 1;
    attention->seq_len = seq_len;
    attention->d_model = attention->d_head = d;
    attention->type = type;
    attention->part = KG_ATTENTION_WHOLE;
    attention->device.stream = kg_emulated_stream();
    for (int i = 0; i < KG_ATTENTION_ARRAYS; i++) {
        const enum kg_attention_array array = (enum kg_attention_array)i;
        lonely->memory[i].resize(kg_attention_stored_bytes(attention, array) / sizeof(uint4) + 1);
        *kg_attention_array(&attention->device.arrays, array) =
            reinterpret_cast<float *>(lonely->memory[i].data());
    }
    for (size_t i = 0; i < seq_len * d; i++)
        element_put(lonely, KG_ATTENTION_X, i, 1);
    for (size_t i = 0; i < d; i++) {
        element_put(lonely, KG_ATTENTION_W_QKV, i * 3 * d + i, 4);
        element_put(lonely, KG_ATTENTION_W_QKV, i * 3 * d + d + i, -4);
        element_put(lonely, KG_ATTENTION_W_QKV, i * 3 * d + 2 * d + i, 1);
        element_put(lonely, KG_ATTENTION_W_OUT, i * d + i, 1);
    }
}

static void keys_beyond_the_end_have_no_weight(void **)
{
    static const struct {
        enum kg_attention_type type;
        bool (*prepare)(struct kgate_context *context, struct kg_attention *attention);
        void (*run)(struct kg_attention *attention);
    } levels[] = {
        {KG_ATTENTION_F32, nullptr, kg_attention_cuda_plain},
        {KG_ATTENTION_F32, nullptr, kg_attention_cuda_fused},
        {KG_ATTENTION_F32, kg_attention_efficient_prepare, kg_attention_cuda_efficient},
        {KG_ATTENTION_BF16, kg_attention_flash_prepare, kg_attention_cuda_flash},
    };
    for (const auto &level : levels)
        for (size_t seq_len : {1, 33, 63, 64, 127}) {
            struct lonely lonely = {};
            struct kgate_context context = {};
            lonely_make(&lonely, seq_len, level.type);
            assert_true(!level.prepare || level.prepare(&context, &lonely.attention));
            level.run(&lonely.attention);
            for (size_t i = 0; i < seq_len * 8; i++)
                if (!(std::fabs(lonely.attention.device.arrays.y[i] - 1) < 0.01F))
                    fail_msg("level %d, %zu tokens: %g at %zu", (int)(&level - levels), seq_len,
                             (double)lonely.attention.device.arrays.y[i], i);
        }
}

/* --- What the projections leave for level 3 -------------------------------------------------- */
/* gemm's tensor version, with C as `c` has it. */
static void product_make(struct kg_gemm gemm, void *c, bool bf16)
{
    struct kgate_context context = {};
    gemm.device.c = static_cast<float *>(c);
    gemm.device.c_bf16 = bf16;
    assert_true(kg_gemm_tensor_prepare(&context, &gemm));
    kg_gemm_cuda_tensor(&gemm);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void a_product_in_bfloat16_is_the_one_in_float_rounded(void **)
{
    static const size_t shapes[][3] = {{20, 24, 16}, {3, 5, 7}, {1, 258, 8}};
    struct kg_random random = {emulated_seed(5)};
    for (const auto &shape : shapes) {
        const size_t m = shape[0], n = shape[1], k = shape[2];
        std::vector<uint4> a(m * k / 8 + 1), b(k * n / 8 + 1);
        std::vector<float> c(m * n + 1);
        std::vector<uint4> rounded(m * n / 8 + 1);
        for (std::vector<uint4> *matrix : {&a, &b})
            for (uint4 &eight : *matrix)
                for (uint32_t *pair : {&eight.x, &eight.y, &eight.z, &eight.w})
                    *pair = kg_bf16_pair((float)kg_random_between(&random, -1, 1),
                                         (float)kg_random_between(&random, -1, 1));
        struct kg_gemm gemm = {};
        gemm.m = m, gemm.n = n, gemm.k = k;
        gemm.type = KG_GEMM_BF16;
        gemm.device.a = a.data(), gemm.device.b = b.data();
        gemm.device.stream = kg_emulated_stream();
        product_make(gemm, c.data(), false);
        product_make(gemm, rounded.data(), true);
        const uint16_t *found = reinterpret_cast<const uint16_t *>(rounded.data());
        for (size_t i = 0; i < m * n; i++)
            assert_int_equal(found[i], kg_bf16_round(c[i]));
    }
}

/* --- Scopes ---------------------------------------------------------------------------------- */
/* How often a scope was entered. */
static uint64_t scope_calls(const struct kgate_profile_results *results, const char *scope)
{
    for (size_t i = 0; i < results->name_count; i++)
        if (!strcmp(results->names[i].name, scope))
            return results->names[i].calls;
    return 0;
}

static void each_level_has_the_scopes_of_its_components(void **)
{
    static const char *const scopes[] = {"qkv_projection",    "scores",
                                         "softmax",           "weighted_sum",
                                         "output_projection", "scores_softmax_weighted_sum"};
    static const struct {
        const char *version;
        unsigned scopes; /* a bit each */
    } levels[] = {
        {"plain", 0x1f}, {"fused", 0x1f}, {"efficient", 0x31}, {"flash", 0x31}, {"blas", 0x1f}};
    for (const auto &level : levels) {
        char message[256];
        assert_true(kgate_profiler_start(nullptr, message));
        /* two calls, and one in each check */
        level_passes({20, 8, 1, 1, false}, level.version, emulated_seed(3));
        kgate_profiler_stop();
        struct kgate_profile_results *results = kgate_profiler_results(nullptr, message);
        assert_non_null(results);
        for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
            assert_int_equal(scope_calls(results, scopes[i]), level.scopes >> i & 1 ? 4 : 0);
        kgate_profile_results_free(results);
    }
}

/* --- Level 3's shared memory ----------------------------------------------------------------- */
/* Eight chunks are all banks: by their places modulo 8, a bit each. */
static void chunks_lie_where_no_access_meets_a_bank_twice(void **)
{
    for (int width : {64, (int)KG_FLASH_WIDTH_MOST}) {
        const int chunks = width / KG_FLASH_CHUNK;
        for (int line = 0; line < KG_FLASH_ROWS; line += 8)
            for (int chunk = 0; chunk < chunks; chunk++) {
                unsigned read = 0, written = 0;
                for (int i = 0; i < 8; i++) {
                    const int below = line + i, beside = chunk / 8 * 8 + i;
                    read |= 1U << (below * chunks + kg_flash_place(below, chunk)) % 8;
                    written |= 1U << ((line + chunk % 8) * chunks +
                                      kg_flash_place(line + chunk % 8, beside)) %
                                         8;
                }
                assert_int_equal(read, 0xff);
                assert_int_equal(written, 0xff);
            }
    }
}

static void chunks_of_a_line_lie_in_places_of_their_own(void **)
{
    for (int chunks : {8, 16})
        for (int line = 0; line < 16; line++) {
            unsigned places = 0;
            for (int chunk = 0; chunk < chunks; chunk++)
                places |= 1U << kg_flash_place(line, chunk);
            assert_int_equal(places, (1U << chunks) - 1);
        }
}

static void flash_meets_no_bank_twice(void **)
{
    for (size_t d_head : {(size_t)64, (size_t)128}) {
        kg_emulated_loads = kg_emulated_copies = {};
        level_passes({66, d_head, 1, 1, true}, "flash", emulated_seed(3));
        assert_true(kg_emulated_loads.phases > 0 && kg_emulated_copies.phases > 0);
        assert_int_equal(kg_emulated_loads.conflicts, 0);
        assert_int_equal(kg_emulated_copies.conflicts, 0);
    }
}

static void every_tile_of_every_head_has_a_block(void **)
{
    for (int tiles : {1, 2, 7})
        for (int heads : {1, 5})
            for (bool causal : {false, true}) {
                std::vector<int> blocks((size_t)(tiles * heads));
                for (int block = 0; block < tiles * heads; block++) {
                    const int2 mine = kg_flash_block(tiles, tiles * heads, causal, block);
                    assert_in_range(mine.x, 0, heads - 1);
                    assert_in_range(mine.y, 0, tiles - 1);
                    blocks[(size_t)(mine.x * tiles + mine.y)]++;
                }
                for (int count : blocks)
                    assert_int_equal(count, 1);
            }
}

/* Share of the multiprocessors' time that is work, if each takes the next block when its own ends. A
 * causal tile's work is its number of tiles of keys. A model: no device ran it. */
static double share_busy(int tiles, int heads, int processors, bool as_causal)
{
    std::vector<int> free_at((size_t)processors);
    int work = 0;
    for (int block = 0; block < tiles * heads; block++) {
        const int2 mine = kg_flash_block(tiles, tiles * heads, as_causal, block);
        *std::min_element(free_at.begin(), free_at.end()) += mine.y + 1;
        work += mine.y + 1;
    }
    return (double)work / processors / *std::max_element(free_at.begin(), free_at.end());
}

static void causal_tiles_fill_the_device(void **)
{
    /* heads and tiles of the causal cases of config/gpu.yaml, and more */
    static const int cases[][2] = {{64, 4}, {64, 8}, {64, 16}, {16, 16}};
    for (const int(&one)[2] : cases)
        assert_true(share_busy(one[0], one[1], 132, true) > 0.95);
    /* head after head leaves a third of the device idle */
    assert_true(share_busy(64, 4, 132, false) < 0.7);
}

/* --- What the GPU does not have -------------------------------------------------------------- */
static void *memory_take(struct kgate_context *, size_t bytes)
{
    void *memory = nullptr; /* aligned as device memory is */
    if (posix_memalign(&memory, 256, bytes) != 0)
        return nullptr;
    return memset(memory, 0, bytes);
}

static void memory_give(struct kgate_context *, void *memory)
{
    free(memory);
}

static struct kgate_context context_make(const struct kgate_value *values)
{
    struct kgate_context context = {};
    context.values = values;
    context.device = KGATE_DEVICE_CUDA;
    context.threads = 1;
    context.allocate = context.allocate_device = memory_take;
    context.release = context.release_device = memory_give;
    context.stream = kg_emulated_stream();
    return context;
}

/* set_up of a whole with one head of `d_head` columns; says why it is not to be had. */
static struct kgate_context set_up_refused(size_t d_head, int64_t version)
{
    const struct kgate_value values[] = {{8, 0}, {(int64_t)d_head, 0}, {1, 0}, {1, 0},
                                         {0, 0}, {version, 0}};
    struct kgate_context context = context_make(values);
    struct kgate_work work;
    void *state = nullptr;
    assert_true(kg_kernel_attention.describe(&context, &work));
    assert_false(kg_kernel_attention.set_up(&context, &state));
    return context;
}

static void heads_that_a_level_does_not_take_are_unavailable(void **)
{
    static const struct {
        size_t d_head;
        int64_t version;
        const char *message;
    } cases[] = {
        {12, KG_ATTENTION_FLASH, "heads of a multiple of 8 columns up to 128"},
        {136, KG_ATTENTION_FLASH, "heads of a multiple of 8 columns up to 128"},
        {257, KG_ATTENTION_EFFICIENT, "takes heads of at most 256 columns"},
    };
    for (const auto &one : cases) {
        const struct kgate_context context = set_up_refused(one.d_head, one.version);
        assert_true(context.unavailable);
        if (!strstr(context.message, one.message))
            fail_msg("'%s', expected '%s'", context.message, one.message);
    }
}

static void shared_memory_that_is_refused_is_noted_by_set_up(void **)
{
    for (const char *version : {"efficient", "flash"}) {
        struct shape_params made;
        params_of(&made, {8, 16, 1, 1, false}, version);
        emulated_refused(&kg_kernel_attention, made.params, SHAPE_PARAMS + 1, 1);
    }
}

static void every_level_can_be_recorded(void **)
{
    for (const char *version : {"plain", "fused", "efficient", "flash", "blas"}) {
        struct shape_params made;
        params_of(&made, {40, 16, 2, 2, true}, version);
        assert_true(emulated_run_recorded(&kg_kernel_attention, made.params, SHAPE_PARAMS + 1,
                                          emulated_seed(4)));
    }
}

/* --- Products by cuBLAS ---------------------------------------------------------------------- */
static size_t products_launched;

/* What the library puts on a stream: there in its turn, and part of what is recorded. */
static void product_launch(void *stream, void (*work)(const void *argument), const void *argument,
                           size_t bytes)
{
    const char *first = static_cast<const char *>(argument);
    const std::vector<char> kept(first, first + bytes);
    products_launched++;
    assert_int_equal(
        kg_emulated_put(static_cast<cudaStream_t>(stream), [work, kept] { work(kept.data()); }),
        cudaSuccess);
}

static void products_can_be_recorded(void **)
{
    for (const struct kgate_workload *part : parts)
        for (size_t batch : {1, 3}) {
            struct shape_params made;
            params_of(&made, {21, 6, 2, batch, true}, "blas");
            if (part != &kg_kernel_attention_softmax)
                assert_true(
                    emulated_run_recorded(part, made.params, SHAPE_PARAMS + 1, emulated_seed(6)));
        }
}

/* Once in set_up, twice as a run, and once in the check after each. */
static void a_call_takes_all_heads_or_all_sequences(void **)
{
    static const struct {
        size_t num_heads;
        size_t batch;
        size_t calls; /* of each of the two products */
    } cases[] = {{4, 1, 1}, {1, 4, 1}, {3, 2, 2}, {2, 3, 2}};
    for (const auto &one : cases) {
        products_launched = 0;
        level_passes({10, 3, one.num_heads, one.batch, true}, "blas", emulated_seed(7));
        assert_int_equal(products_launched, 5 * (2 + 2 * one.calls));
    }
}

/* Two products of 3 by 5 and 5 by 4, side by side in their matrices, of which the second operand
 * may be transposed. */
struct small_batch {
    float a[3 * 12];
    float b[5 * 12];
    float c[3 * 12];
    struct kg_cublas_batch batch;
};

static void small_batch_make(struct small_batch *made, bool transposed, struct kg_random *random)
{
    for (float &x : made->a)
        x = (float)kg_random_between(random, -1, 1);
    for (float &x : made->b)
        x = (float)kg_random_between(random, -1, 1);
    for (float &x : made->c)
        x = NAN;
    made->batch = {
        2, 3, 4, 5, 0.5F, transposed, {made->a, 12, 6}, {made->b, 12, 5}, {made->c, 12, 7}};
}

/* Element (i, j) of product number `product`. */
static double small_product(const struct small_batch &x, size_t product, size_t i, size_t j)
{
    double sum = 0;
    for (size_t l = 0; l < 5; l++) {
        const size_t row = x.batch.b_transposed ? j : l, column = x.batch.b_transposed ? l : j;
        sum += (double)x.a[12 * i + 6 * product + l] * (double)x.b[12 * row + 5 * product + column];
    }
    return sum / 2;
}

static void products_lie_where_they_are_asked_for(void **)
{
    struct kg_random random = {emulated_seed(8)};
    struct kgate_context context = context_make(nullptr);
    struct kg_cublas *cublas = kg_cublas_open(&context);
    assert_non_null(cublas);
    for (bool transposed : {false, true}) {
        struct small_batch x;
        small_batch_make(&x, transposed, &random);
        kg_cublas_multiply_batch(cublas, &x.batch);
        assert_true(kg_cublas_good(&context, cublas));
        for (size_t i = 0; i < 3; i++)
            for (size_t at = 0; at < 12; at++) {
                const size_t product = at / 7, j = at % 7;
                const double expected = j < 4 ? small_product(x, product, i, j) : NAN;
                const double found = (double)x.c[12 * i + at];
                if (j < 4 ? !(std::fabs(found - expected) < 1e-5) : !std::isnan(found))
                    fail_msg("row %zu, column %zu: %g, expected %g", i, at, found, expected);
            }
    }
    kg_cublas_close(&context, cublas);
}

static void rows_too_close_together_are_refused(void **)
{
    static const struct {
        bool transposed;
        size_t a_step, b_step, c_step;
        bool good;
    } cases[] = {
        {false, 12, 12, 12, true}, {true, 12, 12, 12, true}, {false, 4, 12, 12, false},
        {false, 12, 3, 12, false}, {true, 12, 4, 12, false}, {false, 12, 12, 3, false},
        {false, 12, 0, 12, false},
    };
    struct kg_random random = {emulated_seed(9)};
    struct kgate_context context = context_make(nullptr);
    struct kg_cublas *cublas = kg_cublas_open(&context);
    assert_non_null(cublas);
    for (const auto &one : cases) {
        struct small_batch x;
        small_batch_make(&x, one.transposed, &random);
        x.batch.a.step = one.a_step, x.batch.b.step = one.b_step, x.batch.c.step = one.c_step;
        context.message[0] = '\0';
        kg_cublas_multiply_batch(cublas, &x.batch);
        assert_int_equal(kg_cublas_good(&context, cublas), one.good);
        assert_int_equal(std::isnan(x.c[0]), !one.good);
        assert_string_equal(context.message,
                            one.good ? "" : "cuBLAS: an unsupported value or parameter");
        assert_true(kg_cublas_good(&context, cublas)); /* said once */
    }
    kg_cublas_close(&context, cublas);
}

/* On the CPU blas has the scores of one head. */
static void scores_of_all_heads_have_to_fit(void **)
{
    const struct kgate_value values[] = {{8192, 0}, {1024, 0}, {1024, 0},
                                         {1, 0},    {0, 0},    {KG_ATTENTION_BLAS, 0}};
    struct kgate_context context = context_make(values);
    struct kgate_work work;
    assert_false(kg_kernel_attention.describe(&context, &work));
    assert_non_null(strstr(context.message, "'blas' keeps, is above 64 GiB"));
    context.device = KGATE_DEVICE_CPU;
    assert_true(kg_kernel_attention.describe(&context, &work));
}

/* Under its name the loader then finds it. */
static bool library_load()
{
    typedef void launcher(void *stream, void (*work)(const void *argument), const void *argument,
                          size_t bytes);
    void *library = dlopen(KGATE_FAKE_CUBLAS, RTLD_NOW | RTLD_LOCAL);
    void *launch_by = library ? dlsym(library, "fake_cublas_launch_by") : nullptr;
    if (launch_by)
        reinterpret_cast<void (*)(launcher *)>(launch_by)(product_launch);
    return launch_by != nullptr;
}

int main()
{
    if (!library_load()) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_any_shape),
        cmocka_unit_test(rows_of_scores_that_take_a_block),
        cmocka_unit_test(float_levels_of_any_shape),
        cmocka_unit_test(flash_of_any_shape),
        cmocka_unit_test(keys_beyond_the_end_have_no_weight),
        cmocka_unit_test(a_product_in_bfloat16_is_the_one_in_float_rounded),
        cmocka_unit_test(each_level_has_the_scopes_of_its_components),
        cmocka_unit_test(chunks_lie_where_no_access_meets_a_bank_twice),
        cmocka_unit_test(chunks_of_a_line_lie_in_places_of_their_own),
        cmocka_unit_test(flash_meets_no_bank_twice),
        cmocka_unit_test(every_tile_of_every_head_has_a_block),
        cmocka_unit_test(causal_tiles_fill_the_device),
        cmocka_unit_test(heads_that_a_level_does_not_take_are_unavailable),
        cmocka_unit_test(shared_memory_that_is_refused_is_noted_by_set_up),
        cmocka_unit_test(every_level_can_be_recorded),
        cmocka_unit_test(products_can_be_recorded),
        cmocka_unit_test(a_call_takes_all_heads_or_all_sequences),
        cmocka_unit_test(products_lie_where_they_are_asked_for),
        cmocka_unit_test(rows_too_close_together_are_refused),
        cmocka_unit_test(scores_of_all_heads_have_to_fit),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
