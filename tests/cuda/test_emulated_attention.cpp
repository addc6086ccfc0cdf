/* attention's CUDA versions on the emulator: its components and the whole, against double
 * precision. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "attention/attention.h"
#include "attention/attention_flash.cuh"
#include "common/bf16.h"
#include "common/mma.cuh"
#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "gemm/gemm.h"
#include "kgate/profiler.h"
#include "util/random.h"

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

/* Each component has `plain` and `fast`. */
static void components_pass(const struct shape &shape, uint64_t seed)
{
    struct shape_params made;
    params_of(&made, shape, "fast");
    for (const struct kgate_workload *part : parts)
        if (shape.seq_len > PLAIN_MOST)
            assert_true(emulated_run(part, made.params, SHAPE_PARAMS + 1, seed, nullptr));
        else
            assert_int_equal(emulated_run_versions(part, made.params, SHAPE_PARAMS, seed), 2);
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
        {1, 1, 1, 1, true},   {1, 3, 2, 2, false},    {7, 5, 3, 2, true},
        {33, 4, 2, 1, false}, {24, 8, 1, 2, true},    {40, 20, 1, 1, true},
        {131, 6, 2, 1, true}, {132, 68, 1, 1, false}, {257, 3, 1, 1, true},
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
        {1, 1, 1, 1, false},  {2, 7, 3, 2, true},     {31, 33, 1, 2, false},
        {33, 64, 1, 1, true}, {36, 9, 2, 1, true},    {40, 129, 1, 1, true},
        {132, 8, 2, 1, true}, {100, 16, 2, 2, false}, {300, 4, 1, 1, true},
    };
    struct kg_random random = {emulated_seed(1)};
    for (const struct shape &shape : shapes)
        for (const char *version : {"plain", "fused", "efficient"})
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

/* --- What random input would not show ----------------------------------------------------------
 */
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

/* --- What the projections leave for level 3 -----------------------------------------------------
 */
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

/* --- Scopes ----------------------------------------------------------------------------------- */
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
    } levels[] = {{"plain", 0x1f}, {"fused", 0x1f}, {"efficient", 0x31}, {"flash", 0x31}};
    for (const auto &level : levels) {
        char message[256];
        assert_true(kgate_profiler_start(nullptr, message));
        level_passes({20, 8, 1, 1, false}, level.version, emulated_seed(3)); /* two calls */
        kgate_profiler_stop();
        struct kgate_profile_results *results = kgate_profiler_results(nullptr, message);
        assert_non_null(results);
        for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
            assert_int_equal(scope_calls(results, scopes[i]), level.scopes >> i & 1 ? 2 : 0);
        kgate_profile_results_free(results);
    }
}

/* --- Level 3's shared memory ------------------------------------------------------------------ */
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
        for (int heads : {1, 5}) {
            std::vector<int> blocks((size_t)(tiles * heads));
            for (int block = 0; block < tiles * heads; block++) {
                const int2 mine = kg_flash_block(tiles, block);
                assert_in_range(mine.x, 0, heads - 1);
                assert_in_range(mine.y, 0, tiles - 1);
                blocks[(size_t)(mine.x * tiles + mine.y)]++;
            }
            for (int count : blocks)
                assert_int_equal(count, 1);
        }
}

/* --- What the GPU does not have --------------------------------------------------------------- */
static void *memory_take(struct kgate_context *, size_t bytes)
{
    return calloc(1, bytes);
}

static void memory_give(struct kgate_context *, void *memory)
{
    free(memory);
}

/* set_up of a whole with one head of `d_head` columns; says why it is not to be had. */
static struct kgate_context set_up_refused(size_t d_head, int64_t version)
{
    const struct kgate_value values[] = {{8, 0}, {(int64_t)d_head, 0}, {1, 0}, {1, 0},
                                         {0, 0}, {version, 0}};
    struct kgate_context context = {};
    struct kgate_work work;
    void *state = nullptr;
    context.values = values;
    context.device = KGATE_DEVICE_CUDA;
    context.threads = 1;
    context.allocate = context.allocate_device = memory_take;
    context.release = context.release_device = memory_give;
    context.stream = kg_emulated_stream();
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

static void shared_memory_that_is_refused_is_said_by_set_up(void **)
{
    for (const char *version : {"efficient", "flash"}) {
        struct shape_params made;
        params_of(&made, {8, 16, 1, 1, false}, version);
        emulated_refused(&kg_kernel_attention, made.params, SHAPE_PARAMS + 1, 1);
    }
}

static void every_level_can_be_recorded(void **)
{
    for (const char *version : {"plain", "fused", "efficient", "flash"}) {
        struct shape_params made;
        params_of(&made, {40, 16, 2, 2, true}, version);
        assert_true(emulated_run_recorded(&kg_kernel_attention, made.params, SHAPE_PARAMS + 1,
                                          emulated_seed(4)));
    }
}

int main()
{
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
        cmocka_unit_test(heads_that_a_level_does_not_take_are_unavailable),
        cmocka_unit_test(shared_memory_that_is_refused_is_said_by_set_up),
        cmocka_unit_test(every_level_can_be_recorded),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
