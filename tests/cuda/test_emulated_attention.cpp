/* attention's CUDA versions on the emulator: its components and the whole, against double
 * precision. */
#include <cstdio>
#include <cstring>

#include "attention/attention.h"
#include "attention/attention_flash.cuh"
#include "common/mma.cuh"
#include "cuda/cmocka_cpp.h"
#include "cuda/emulated.h"
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

/* Each component has `plain` and `fast`. */
static void components_pass(const struct shape &shape, uint64_t seed)
{
    struct shape_params made;
    params_of(&made, shape, nullptr);
    for (const struct kgate_workload *part : parts)
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
        {1, 1, 1, 1, true},   {1, 3, 2, 2, false},   {7, 5, 3, 2, true},   {33, 4, 2, 1, false},
        {64, 8, 1, 2, true},  {130, 20, 1, 1, true}, {131, 6, 2, 1, true}, {132, 68, 1, 1, false},
        {260, 4, 1, 1, true}, {257, 3, 1, 1, true},
    };
    struct kg_random random = {emulated_seed(0)};
    for (const struct shape &shape : shapes)
        components_pass(shape, kg_random_next(&random));
}

static void float_levels_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1, false},  {2, 7, 3, 2, true},     {31, 33, 1, 2, false},
        {33, 64, 1, 1, true}, {65, 9, 2, 1, true},    {40, 129, 1, 1, true},
        {132, 8, 2, 1, true}, {100, 16, 2, 2, false}, {300, 4, 1, 1, true},
    };
    struct kg_random random = {emulated_seed(1)};
    for (const struct shape &shape : shapes)
        for (const char *version : {"plain", "fused", "efficient"})
            level_passes(shape, version, kg_random_next(&random));
}

static void flash_of_any_shape(void **)
{
    static const struct shape shapes[] = {
        {1, 8, 1, 1, true},    {5, 64, 1, 2, false},    {63, 128, 1, 1, true},
        {65, 64, 2, 1, true},  {129, 64, 1, 1, true},   {130, 24, 2, 1, false},
        {200, 72, 1, 1, true}, {128, 128, 1, 1, false}, {257, 16, 1, 2, true},
    };
    struct kg_random random = {emulated_seed(2)};
    for (const struct shape &shape : shapes)
        level_passes(shape, "flash", kg_random_next(&random));
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_any_shape),
        cmocka_unit_test(float_levels_of_any_shape),
        cmocka_unit_test(flash_of_any_shape),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
