/* attention's version `hopper` on the emulator: shapes with edges, where its operands lie in shared
 * memory, and a fault that has to be seen. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "attention/attention.h"
#include "attention/attention_hopper.cuh"
#include "common/bf16.h"
#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
#include "base/random.h"

/* --- The workload ---------------------------------------------------------------------------- */
struct shape {
    const char *seq_len;
    const char *d_model;
    const char *num_heads;
    const char *batch;
    const char *causal;
};
enum { PARAMS = 6 };

static void params_of(const struct shape &shape, struct emulated_param params[PARAMS])
{
    const struct emulated_param all[PARAMS] = {
        {"seq_len", shape.seq_len}, {"d_model", shape.d_model}, {"num_heads", shape.num_heads},
        {"batch", shape.batch},     {"causal", shape.causal},   {"version", "hopper"}};
    memcpy(params, all, sizeof all);
}

/* Of the slots each is taken again from three tiles of keys on. */
static void attention_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {"1", "8", "1", "1", "yes"},    {"63", "64", "1", "2", "no"},
        {"64", "128", "1", "1", "yes"}, {"65", "48", "2", "1", "yes"},
        {"200", "72", "1", "1", "no"},  {"256", "64", "1", "1", "yes"},
        {"5", "144", "3", "3", "no"},   {"390", "16", "1", "1", "yes"},
    };
    struct kg_random random = {emulated_seed(0)};
    for (const struct shape &shape : shapes) {
        struct emulated_param params[PARAMS];
        struct kgate_check check = {};
        params_of(shape, params);
        assert_true(
            emulated_run(&kg_kernel_attention, params, PARAMS, kg_random_next(&random), &check));
        print_message("%s tokens, %s columns of %s heads: error %.3g of %g\n", shape.seq_len,
                      shape.d_model, shape.num_heads, check.error, check.tolerance);
    }
}

static void a_call_can_be_recorded(void **)
{
    struct emulated_param params[PARAMS];
    params_of({"40", "32", "2", "2", "yes"}, params);
    assert_true(emulated_run_recorded(&kg_kernel_attention, params, PARAMS, emulated_seed(1)));
}

static void shared_memory_that_is_refused_is_noted_by_set_up(void **)
{
    struct emulated_param params[PARAMS];
    params_of({"8", "16", "1", "1", "no"}, params);
    emulated_refused(&kg_kernel_attention, params, PARAMS, 1);
}

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

/* 200 tokens of a head of `d_head` columns. */
struct trial {
    struct kgate_value values[PARAMS];
    struct kgate_context context;
    void *state;
};

static bool trial_begin(struct trial *trial, int64_t d_head)
{
    const struct kgate_value values[] = {{200, 0}, {d_head, 0}, {1, 0},
                                         {1, 0},   {0, 0},      {KG_ATTENTION_HOPPER, 0}};
    struct kgate_work work;
    *trial = {};
    memcpy(trial->values, values, sizeof values);
    trial->context.values = trial->values;
    trial->context.device = KGATE_DEVICE_CUDA;
    trial->context.threads = 1;
    trial->context.allocate = trial->context.allocate_device = memory_take;
    trial->context.release = trial->context.release_device = memory_give;
    trial->context.stream = kg_emulated_stream();
    assert_true(kg_kernel_attention.describe(&trial->context, &work));
    return kg_kernel_attention.set_up(&trial->context, &trial->state);
}

static void heads_that_it_does_not_take_are_unavailable(void **)
{
    for (int64_t d_head : {12, 136}) {
        struct trial trial;
        assert_false(trial_begin(&trial, d_head));
        assert_true(trial.context.unavailable);
        assert_string_equal(trial.context.message,
                            "version 'hopper' needs heads of a multiple of 8 columns up to 128");
    }
}

static void the_cpu_does_not_have_it(void **)
{
    const struct kgate_value values[] = {{8, 0}, {8, 0}, {1, 0},
                                         {1, 0}, {0, 0}, {KG_ATTENTION_HOPPER, 0}};
    struct kgate_context context = {};
    struct kgate_work work;
    context.values = values;
    context.device = KGATE_DEVICE_CPU;
    assert_false(kg_kernel_attention.describe(&context, &work));
    assert_true(context.unavailable);
    assert_string_equal(context.message, "version 'hopper' does not exist on the CPU");
}

static bool trial_passes(struct trial *trial)
{
    struct kgate_check check = {};
    kg_kernel_attention.run(trial->state);
    assert_true(kg_kernel_attention.check(&trial->context, trial->state, &check));
    return check.error <= check.tolerance;
}

/* Planted: TMA takes the last token for one beyond the end, of Q, K and V; then the heads for one
 * column narrower. */
static void a_line_or_a_column_that_does_not_come_is_seen(void **)
{
    struct trial trial;
    assert_true(trial_begin(&trial, 64));
    struct kg_tensor_map *map = static_cast<struct kg_tensor_map *>(
        static_cast<struct kg_attention *>(trial.state)->device.heads_map);
    const struct kg_tensor_map right = *map;
    map->of.lines--;
    assert_false(trial_passes(&trial));
    *map = right;
    map->of.columns--;
    assert_false(trial_passes(&trial));
    *map = right;
    assert_true(trial_passes(&trial));
    kg_kernel_attention.tear_down(&trial.context, trial.state);
}

/* --- What wgmma reads is what TMA wrote ------------------------------------------------------ */
static uint32_t swizzle_128(uint32_t address)
{
    return address ^ (address >> 7 & 7) << 4;
}

/* Element `column` of line `line` of a tile, by the boxes that are copied. */
static uint32_t written(uint32_t tile, int line, int column)
{
    return swizzle_128(tile + (uint32_t)(column / KG_HOPPER_BOX * KG_HEADS_BOX_BYTES + line * 128 +
                                         column % KG_HOPPER_BOX * 2));
}

/* As gemm's test has it: contiguous elements repeat every 64, at LBO, lines every 8, at SBO. */
static uint32_t read_by(uint64_t descriptor, int along, int across)
{
    const uint32_t start = (uint32_t)(descriptor & 0x3fff) << 4;
    const uint32_t lbo = (uint32_t)(descriptor >> 16 & 0x3fff) << 4;
    const uint32_t sbo = (uint32_t)(descriptor >> 32 & 0x3fff) << 4;
    return swizzle_128(start + (uint32_t)(along / 64) * lbo + (uint32_t)(across / 8) * sbo +
                       (uint32_t)(across % 8 * 128 + along % 64 * 2));
}

static void descriptors_lead_to_where_the_boxes_lie(void **)
{
    const uint32_t tile = 3 * sizeof(struct kg_heads_tile<128>) + 1024;
    for (int step = 0; step < 8; step++)
        for (int l = 0; l < KG_HOPPER_STEP; l++)
            for (int other = 0; other < 128; other++) {
                const int along = step * KG_HOPPER_STEP + l;
                assert_int_equal(read_by(kg_heads_lines(tile, 0, step), l, other),
                                 written(tile, other, along));
                assert_int_equal(read_by(kg_heads_lines(tile, 64, step), l, other % 64),
                                 written(tile, 64 + other % 64, along));
                assert_int_equal(read_by(kg_heads_values(tile, step), other, l),
                                 written(tile, along, other));
            }
}

/* --- Products with A in registers ------------------------------------------------------------ */
struct small {
    uint16_t a[64][16];
    uint16_t b[16][64];
    float early[64][64]; /* the sums before they were waited for */
    float c[64][64];
};

/* A is changed after the product was begun and before it is waited for where `late`. */
static void small_product(struct small *x, bool late)
{
    KG_DYNAMIC_SHARED(unsigned char, memory);
    const uint32_t skip = (1024 - kg_shared_address(memory) % 1024) % 1024;
    const int thread = (int)threadIdx.x, row = thread / 32 * 16 + thread % 32 / 4;
    const int pair = thread % 4 * 2;
    uint32_t a[4];
    float c[32] = {};
    for (int i = thread; i < 16 * 64; i += 128)
        memcpy(memory + skip + swizzle_128((uint32_t)(i / 64 * 128 + i % 64 * 2)),
               &x->b[i / 64][i % 64], 2);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        memcpy(&a[i], &x->a[row + i % 2 * 8][pair + i / 2 * 8], sizeof a[i]);
    kg_wgmma_begin();
    kg_wgmma_of_registers<64>(c, a, kg_heads_values(kg_shared_address(memory + skip), 0));
    kg_wgmma_commit();
    for (int i = 0; i < 32; i++)
        x->early[row + i % 4 / 2 * 8][i / 4 * 8 + pair + i % 2] = c[i];
    if (late)
        memset(a, 0, sizeof a);
    kg_wgmma_wait<0>();
    for (int i = 0; i < 32; i++)
        x->c[row + i % 4 / 2 * 8][i / 4 * 8 + pair + i % 2] = c[i];
}

static void products_of_registers_are_made_when_they_are_waited_for(void **)
{
    struct kg_random random = {emulated_seed(2)};
    std::vector<struct small> memory(1);
    struct small &x = memory[0];
    for (int i = 0; i < 64 * 16; i++) {
        x.a[i / 16][i % 16] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
        x.b[i / 64][i % 64] = kg_bf16_round((float)kg_random_between(&random, -1, 1));
    }
    for (const bool late : {false, true}) {
        KG_LAUNCH(small_product, 1, 128, 16 * 128 + 1024, kg_emulated_stream(), &x, late);
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++) {
                float expected = 0;
                for (int l = 0; l < 16 && !late; l++)
                    expected += kg_bf16_value(x.a[i][l]) * kg_bf16_value(x.b[l][j]);
                assert_true(x.early[i][j] <= 0 && x.early[i][j] >= 0);
                if (!(std::fabs(x.c[i][j] - expected) < 1e-5F))
                    fail_msg("row %d, column %d: %g, expected %g", i, j, (double)x.c[i][j],
                             (double)expected);
            }
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_of_any_shape),
        cmocka_unit_test(a_call_can_be_recorded),
        cmocka_unit_test(shared_memory_that_is_refused_is_noted_by_set_up),
        cmocka_unit_test(heads_that_it_does_not_take_are_unavailable),
        cmocka_unit_test(the_cpu_does_not_have_it),
        cmocka_unit_test(a_line_or_a_column_that_does_not_come_is_seen),
        cmocka_unit_test(descriptors_lead_to_where_the_boxes_lie),
        cmocka_unit_test(products_of_registers_are_made_when_they_are_waited_for),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
